"""Names that a question gives: alerts and services, however they are written (R70)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from domain.language import cues, plain_words, service_words
from domain.language.cue import chinese, english, expression
from domain.language.failures import holds_failure
from domain.language.late import Late
from domain.question.asides import TAKEN
from domain.question.question import TermKind
from domain.question.reader import Reader

_ALERT_ZH = chinese(cues.ALERTS)
_ALERT_EN = r"(?:alerts?|alarms?)(?![A-Za-z])"
_CALLED_ALERT = Late(
    lambda: (
        rf"(?<![\w-])(?P<before>[A-Za-z][\w-]{{2,79}})\s?(?:{_ALERT_ZH}|{_ALERT_EN})"
        rf"|(?:{_ALERT_ZH}|(?<![A-Za-z]){_ALERT_EN})\s?[:：]?\s?(?:named\s|called\s)?(?P<behind>[A-Z][A-Za-z0-9_]{{2,79}})(?![\w-])"
    ),
    re.ASCII,
)
_ALERT_LIKE = re.compile(r"[A-Z].*[a-z]|_")
_CAMEL = re.compile(r"(?<![\w.-])(?:[a-z]{1,40}\.){0,8}(?P<name>[A-Za-z][A-Za-z0-9]{2,79})(?![\w-])", re.ASCII)
_TWO_HUMPS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_FAULT = re.compile(r"(?:Exception|Error|Throwable)s?$")
_FIRES = Late(
    lambda: (
        r"(?<![\w.-])(?P<name>[A-Z][a-z][A-Za-z0-9]{2,79}(?<!Exception)|[A-Z]{2,}[a-z][A-Za-z0-9]{2,79}(?<!Exception))"
        rf"\s?(?:{chinese(cues.GENERIC, cues.WHETHER, cues.NOW, cues.IS_OVER)}|[{cues.FUNCTION_ZH}还])*\s?"
        rf"(?:(?:is|are|was|still|now|ever)\s){{0,2}}(?:{expression(cues.FIRING)})"
    ),
    re.ASCII,
)
_SERVICE_CLASS = re.compile(r"(?:Service|Svc|Server|Gateway|Api|API|App|Worker|Backend|Frontend|Proxy|Agent)$")
_CLASS = re.compile(
    r"(?:Controller|Repository|Dao|DAO|Mapper|Handler|Manager|Factory|Impl|Listener|Filter|Client|Consumer|Producer|Task|Pool|Job)$"
)
_STATE = re.compile(r"(?:BackOff|Killed|ImagePull|NotReady|Unhealthy|Pressure|ConfigError|OutOfMemory)$")

_KINDS = english(cues.SERVICES)
_COMPOUND = re.compile(
    r"(?<![\w./@-])(?<![A-Za-z0-9]:)(?:[a-z][a-z0-9]{0,40}|[A-Z][a-z0-9]{1,40})(?:-[A-Za-z0-9]{1,40}){1,8}(?:@[a-z0-9]{1,20})?(?:\.(?:service|\d{1,3}))?(?![\w/@-]|:\w)",
    re.ASCII,
)
_DOTTED = re.compile(
    r"(?<![\w./@-])(?<![A-Za-z0-9]:)[a-z][a-z0-9]{1,40}\.(?:service|svc|server|api|gateway|worker|app)(?![\w/:@.-])",
    re.ASCII,
)
_CALLED_SERVICE = (
    Late(
        lambda: rf"(?<![\w-])(?P<name>[A-Za-z][\w-]{{0,78}}\w)(?:\s?(?:{chinese(cues.SERVICES)})|\s(?:{_KINDS}))",
        re.I | re.A,
    ),
    Late(
        lambda: (
            rf"(?:{expression(cues.NAMESPACES)}|(?<!-)(?:{_KINDS})|{chinese(cues.SERVICES)})\s?[:：]?\s?(?:named\s|called\s)?"
            rf"(?P<name>[A-Za-z][\w-]{{1,79}})(?![\w-])"
        ),
        re.I | re.A,
    ),
    Late(lambda: rf"(?<![\w-])(?P<name>[a-z][\w-]{{1,79}})\s(?:{english(cues.NAMESPACES)})", re.I | re.A),
)
_ASKED_AFTER = Late(
    lambda: (
        rf"(?:{english(cues.OPEN)})\s(?:(?:with|in|to|at|on)\s)?(?:the\s)?(?P<name>[a-z][\w-]{{1,79}})(?![\w-])"
        rf"(?!\s(?!{english(cues.PARTS_FROM)}|and|today|now)[a-z])"
    ),
    re.I | re.A,
)
"""What is wrong with checkout?"""
_WRITES = Late(
    lambda: (
        rf"(?<![A-Za-z])(?:has|have|had|did|does)\s(?:the\s)?(?P<name>[a-z][\w-]{{1,79}})\s(?:ever\s|already\s)?"
        rf"(?:{english(cues.WRITING)})(?![A-Za-z])"
    ),
    re.I | re.A,
)
"""Has catalog logged …?"""
_CHINESE_SERVICE = Late(
    lambda: rf"(?P<name>[\u4e00-\u9fff]{{2,6}}?(?:{chinese(cues.SERVICE_KINDS)}))(?!进程|端|器|商|级|台)"
)
_FRAMES = (
    *(cues.POLITE, cues.EXISTS, cues.WHICH, cues.WHY, cues.WHETHER, cues.NOW, cues.JUST, cues.GENERIC, cues.BACKGROUND),
    cues.WHOSE,
)
_NOT_BEFORE_SERVICE = Late(lambda: rf"^(?:{chinese(*_FRAMES)}|[{cues.FUNCTION_ZH}查看])+")
_GENERIC_SERVICE = Late(
    lambda: rf"^(?:{chinese(cues.SERVICES, cues.WHOSE, cues.GENERIC, cues.RECORDS)}|{chinese(cues.SERVICE_KINDS)}|微)*$"
)
_BARE = re.compile(r"(?<![\w./=@-])(?<![A-Za-z0-9]:)[A-Za-z][A-Za-z0-9]{2,40}(?![\w/=@-]|[.:]\w)", re.ASCII)
_CHINESE = re.compile("[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9'’_-]*", re.ASCII)
_BEFORE_RECORDS = re.compile(
    r"(?<![\w./=@-])(?<![A-Za-z0-9]:)(?P<name>[a-z][a-z0-9]{2,40})(?:['’]s)?\s(?:logs|alerts|metrics|errors|warnings|restarts)(?![A-Za-z])",
    re.ASCII,
)
_OWNED = re.compile(r"(?<![\w./=@-])(?<![A-Za-z0-9]:)(?P<name>[A-Za-z][A-Za-z0-9]{2,40})['’]s\s", re.ASCII)
_ALONE = re.compile(
    rf"\A\W*(?P<name>[a-z][a-z0-9]{{2,40}})(?=\s*(?:[?:]|\Z|{TAKEN}|(?:down|slow|up|broken|dead)\b))", re.ASCII
)
_GATEWAY = re.compile(
    r"(?<![\u4e00-\u9fff])(?:请问|请|帮我|查一下|看下)?(?P<name>网关)(?![\u4e00-\u9fff]{0,3}(?:超时|错误))"
)
_CAPITALISED = re.compile(r"(?<![\w-])[A-Z][a-z]{3,40}(?![\w-])", re.ASCII)
_FIRST_WORD = re.compile(
    r"\A\W*(?P<name>[a-z][a-z0-9]{2,40})(?=\s?[:：]|\s(?:is|has|was|keeps|returns|returned|throws|logs|had|cannot|can't|does|did|keep|will)\b)",
    re.ASCII,
)
_AFTER_WHY = Late(
    lambda: (
        rf"(?:{english(cues.WHY)})\s(?:the\s)?(?P<name>[a-z][a-z0-9]{{2,40}})(?![\w./=@-])"
        r"(?=\s(?:is|are|was|were|has|had|does|did|keeps|kept|returns|returned|throws|threw|fails|failed|stopped|became)\b)"
    ),
    re.ASCII,
)
_FAILURES = frozenset((*cues.FAILURES.en.split("|"), *cues.LEVELS.en.split("|"), *cues.STATES.en.split("|")))


def take_alerts(reader: Reader) -> None:
    for found in list(_CALLED_ALERT.finditer(reader.rest)):
        group = "before" if found["before"] else "behind"
        if _ALERT_LIKE.search(found[group]) and not _is_plain(found[group]):
            if _COMPOUND.fullmatch(found[group]) and not found[group][0].isupper():
                continue
            reader.take(TermKind.ALERT, found.span(group))
    for found in list(_FIRES.finditer(reader.rest)):
        reader.take(TermKind.ALERT, found.span("name"))


def take_camel_words(reader: Reader, is_topic: Late) -> None:
    """HighCPUUsage is an alert, OrderService a service, NullPointerException a phrase, OOMKilled a topic."""
    for found in list(_CAMEL.finditer(reader.rest)):
        name = found["name"]
        if not _TWO_HUMPS.search(name) or name == name.upper() or name.casefold() in plain_words.products():
            continue
        reader.take(_kind_of_camel(name, is_topic), found.span("name"), found.span())


def _kind_of_camel(name: str, is_topic: Late) -> TermKind:
    if is_topic.fullmatch(name):
        return TermKind.TOPIC
    if _FAULT.search(name) or _CLASS.search(name) or _STATE.search(name):
        return TermKind.PHRASE
    *_, last = _HUMPS.findall(name)
    is_service = _SERVICE_CLASS.search(name) or last.casefold() in service_words.CALLED
    return TermKind.SERVICE if is_service else TermKind.ALERT


def take_capitalised_alert(reader: Reader) -> None:
    """Watchdog 是什么告警？"""
    is_asked = _CHINESE.search(reader.rest) and re.search(_ALERT_ZH, reader.rest)
    if is_asked and not reader.has(TermKind.ALERT):
        for found in list(_CAPITALISED.finditer(reader.rest)):
            if found[0].casefold() not in plain_words.products() and not _is_plain(found[0]):
                reader.take(TermKind.ALERT, found.span())


def take_services(reader: Reader, is_topic: Late) -> None:
    """Compounds and what is called a service."""
    for pattern in (*_CALLED_SERVICE, _ASKED_AFTER, _WRITES):
        for found in list(pattern.finditer(reader.rest)):
            if _may_be_service(found["name"]):
                reader.take(TermKind.SERVICE, found.span("name"))
    for joined in (_COMPOUND, _DOTTED):
        for found in list(joined.finditer(reader.rest)):
            if found[0].casefold() not in plain_words.HYPHENATED and not is_topic.fullmatch(found[0]):
                reader.take(TermKind.SERVICE, found.span())
    _take_chinese_services(reader)
    reader.take_all(TermKind.SERVICE, _GATEWAY, "name")


def _may_be_service(name: str) -> bool:
    return not (_is_plain(name) or name.casefold() in plain_words.HYPHENATED or (name.isupper() and len(name) < 4))


def _take_chinese_services(reader: Reader) -> None:
    rest = reader.rest
    for found in list(_CHINESE_SERVICE.finditer(rest)):
        frame = _NOT_BEFORE_SERVICE.match(found["name"])
        start = found.start("name") + (frame.end() if frame else 0)
        start = max(start, *(rest.rfind(mark, start, found.end("name")) + 1 for mark in "的是在和与及或有"))
        name = rest[start : found.end("name")]
        if not _GENERIC_SERVICE.fullmatch(name) and not _GENERIC_SERVICE.fullmatch(name[:-2]) and len(name) > 2:
            reader.take(TermKind.SERVICE, (start, found.end("name")))


def take_products(reader: Reader) -> None:
    """nginx, OpenSSH: a service, unless it is what another service uses."""
    others = reader.has(TermKind.SERVICE)
    for found in list(_BARE.finditer(reader.rest)):
        if found[0].casefold() in plain_words.products():
            is_thing = others and found[0][0].isupper()
            reader.take(TermKind.TOPIC if is_thing else TermKind.SERVICE, found.span())


def take_bare_services(reader: Reader) -> None:
    """A plain word in the place where a service is named; in a Chinese question any word that stands alone."""
    if _CHINESE.search(reader.rest):
        for found in list(_BARE.finditer(reader.rest)):
            is_file = found[0] in service_words.FILE_WORDS and reader.has(TermKind.SERVICE)
            if found[0].islower() and not is_file and _stands_alone(reader.rest, found) and not _is_plain(found[0]):
                reader.take(TermKind.SERVICE, found.span())
        return
    spans = [
        found.span("name")
        for pattern in (_BEFORE_RECORDS, _OWNED, _FIRST_WORD, _ALONE)
        for found in pattern.finditer(reader.rest)
    ]
    if why := _AFTER_WHY.search(reader.rest):
        spans.append(why.span("name"))
    for span in [*spans, *_behind_prepositions(reader.rest)]:
        if not _is_plain(reader.rest[slice(*span)]):
            reader.take(TermKind.SERVICE, span)


def _behind_prepositions(rest: str) -> Iterator[tuple[int, int]]:
    """ "alerts for checkout", "why did the checkout …"."""
    before = ""
    end = 0
    for word in _WORD.finditer(rest):
        joined = not rest[end : word.start()].strip(" ")
        if (
            joined
            and before in plain_words.BEFORE_NAMES
            and not (before in plain_words.BEING and word[0].endswith("ing"))
            and _BARE.fullmatch(word[0])
            and _BARE.match(rest, word.start())
        ):
            yield word.span()
        if not (joined and word[0].casefold() == "the"):
            before = word[0].casefold()
        end = word.end()


def _stands_alone(rest: str, found: re.Match[str]) -> bool:
    """Not a word of an English phrase."""
    before, behind = rest[: found.start()].rstrip(" "), rest[found.end() :].lstrip(" ")
    return not (before[-1:].isascii() and before[-1:].isalpha()) and not (behind[:1].isascii() and behind[:1].isalpha())


def _is_plain(word: str) -> bool:
    folded = word.casefold()
    return folded in plain_words.NOT_NAMES or folded in _FAILURES or TAKEN in word or holds_failure(folded)
