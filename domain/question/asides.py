"""What a question says in passing: why it is asked, limits, versions, tickets, "top 5" (R70). None of it is a term."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from domain.language import cues
from domain.language.cue import chinese, english, expression, pattern_of
from domain.language.late import Late

TAKEN = "\ufffc"
"""Stands for every character of what was read already: it joins nothing and is no word."""

_CLAUSE = re.compile(r"(?:[^。；;！!？?\n，,.]|\.(?!\s|$)){1,2000}")
_CHANGE = pattern_of(cues.CHANGES)
_PEOPLE = re.compile(r"我们|咱们|运维|同事|开发|研发")
_ASKS = Late(lambda: expression(cues.WHETHER_ASKED), re.IGNORECASE)
_ASKS_WHICH = pattern_of(cues.WHICH)
_BACKGROUND = pattern_of(cues.BACKGROUND)
_RECENT_CHANGE = Late(lambda: rf"\s{{0,3}}(?:and\s|so\s)?(?:{english(cues.RECENT_CHANGE)})", re.IGNORECASE)
_CHECKED = pattern_of(cues.CHECKED)
_JUST_CHANGED = Late(
    lambda: (
        rf"(?:{chinese(cues.JUST)})\s?(?:我们|刚|又|把)?\s?(?:{chinese(cues.CHANGES)})了?(?P<rest>[^，。；;？?！!\n,]{{0,60}})"
    )
)
_CHANGED_ZH = Late(
    lambda: (
        rf"(?:{chinese(cues.CHANGES)})了?[^，。；;？?！!\n,]{{0,20}}?(?:{chinese(cues.AFTERWARDS)})(?![台端续果来备])"
    )
)
_AFTERWARDS = Late(lambda: rf"(?:{chinese(cues.AFTERWARDS)})(?![台端续果来备])")
_CHANGED_EN = Late(
    lambda: (
        rf"(?:{english(cues.AFTERWARDS)})\s(?:(?:the|a|an|our|we|i|they|it|last|latest|this|that|new)\s){{0,3}}"
        rf"(?:(?!in\b|on\b|for\b|at\b)[\w.-]{{1,30}}\s){{0,2}}?(?:(?:was|were|got|had|have|has|just)\s){{0,2}}"
        rf"(?:{english(cues.CHANGES)}|deploy|deployment|release|rollout|upgrade|migration|restart|rollback|update)"
        r"(?:\s(?:to\s|of\s|the\s|version\s){0,2}v?\d[\w.-]{0,30}"
        r"|\s(?!in\b|on\b|for\b|at\b|are\b|is\b|did\b|does\b|do\b|has\b|have\b|any\b|what\b|which\b|how\b|why\b)[\w.-]{1,30}){0,3}"
    ),
    re.IGNORECASE,
)
_NUMBER = r"\d[\d,]{0,15}(?:\.\d{1,9})?"
_UNIT = (
    r"\s?(?:%|percent|milliseconds?|ms|us|µs|ns|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|s|m|h|d|[KMGT]i?B?(?:/s)?"
    r"|bytes?|/s|rps|qps|tps|times?|x|倍|毫秒|微秒|秒钟?|分钟?|小时|天|次|条|个|笔|台|万|亿|千|百|兆|度|℃|cores?|核|requests?|errors?|connections?)?"
    r"(?![A-Za-z0-9])"
)
_THRESHOLD = Late(
    lambda: (
        rf"(?:{expression(cues.OVER_LIMIT)}|[<>≥≤]=?|=[<>])\s?(?:了|约|大约|about|the)?\s?{_NUMBER}{_UNIT}(?:以上|以下|以内)?"
        rf"|(?<![\w.-]){_NUMBER}{_UNIT}\s?(?:以上|以下|or more|or less|and above|and below)"
        rf"|(?:{expression(cues.OVER_LIMIT)})\s?[一二两三四五六七八九十百千万半]{{1,5}}(?:%|毫秒|秒|分钟|小时|次|条|个|倍|成|万|千|百)?"
    ),
    re.IGNORECASE,
)
_TOP = re.compile(
    r"(?<![A-Za-z])top[\s-]?\d{1,4}(?![A-Za-z0-9])|(?:前|最多|最近|最新的?|头)\s?(?:\d{1,4}|[一二三四五六七八九十]{1,3})\s?[名条个项位次](?!月|星期|礼拜|小时|周)"
    r"|(?<![A-Za-z])(?:first|last|latest|top|at most)\s(?:\d{1,4}|three|five|ten|twenty)\s"
    r"(?:entries|lines|logs|records|alerts|errors|results|messages)(?![A-Za-z])",
    re.IGNORECASE,
)
_TICKET = Late(
    lambda: (
        r"(?<![A-Za-z0-9_-])(?:INC|CHG|PRB|RITM|TASK|SCTASK|CHANGE|REQ|CR|SR)[-_ ]?\d{3,12}(?![A-Za-z0-9_-])"
        r"|(?<![A-Za-z0-9_-])(?:JIRA|TICKET|BUG|ISSUE|OPS|SRE|DEVOPS|INFRA|SUPPORT|INCIDENT|GH|PR|MR)[-_ #]\d{1,9}"
        r"(?![A-Za-z0-9_-])"
        rf"|(?:{expression(cues.TICKETS)})\s?(?:number|no\.?|id|号|编号)?\s?[:：#]?\s?[A-Z]{{0,10}}[-_#]?\d{{1,12}}(?![A-Za-z0-9_-])"
        r"|(?<![A-Za-z0-9_&#-])#\d{1,9}(?![A-Za-z0-9_-])"
    ),
    re.IGNORECASE,
)
_SHAPED_TICKET = re.compile(
    r"(?<![A-Za-z0-9_-])(?!ORA-|TNS-|PLS-|MY-|ERR-|SQL-|HTTP-|CVE-|UTF-|ISO-)[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,5}(?![A-Za-z0-9_-])"
)
_ORDER_BEFORE = Late(lambda: rf"(?:{expression(cues.ORDERS)})\s?\Z", re.IGNORECASE)
_CALLED_CODE_BEHIND = Late(lambda: rf"\s?(?:这个|的)?\s?(?:{expression(cues.CODES, cues.ERRORS)})", re.IGNORECASE)
_CALLED_CODE_BEFORE = Late(lambda: rf"(?:{expression(cues.CODES)}|错误|error)\s?[:：=为是]?\s?\Z", re.IGNORECASE)
_ASKED_BEFORE = Late(lambda: rf"(?:{expression(cues.ASKED_ABOUT)})\s?\Z", re.IGNORECASE)
_VERSION = Late(
    lambda: (
        r"(?<![A-Za-z0-9_./@-])(?<![A-Za-z0-9]:)v\d{1,4}(?:\.\d{1,6}){0,3}(?:[-+][A-Za-z0-9.]{1,20})?(?![A-Za-z0-9_/-])"
        rf"|(?:{expression(cues.VERSIONS)})\s?(?:号|number)?\s?[:：为是]?\s?v?\d{{1,6}}(?:\.\d{{1,6}}){{0,3}}(?:[-+][A-Za-z0-9.]{{1,20}})?(?![\w:])"
        r"|(?<![\w./@-])(?<![A-Za-z0-9]:)\d{1,4}\.\d{1,4}(?:\.\d{1,6})?(?:[-+][A-Za-z0-9.]{1,20})?\s?(?:版本|版|version)"
        r"|(?<![\w./@-])(?<![A-Za-z0-9]:)\d{1,4}\.\d{1,4}\.\d{1,6}(?:-(?:rc|beta|alpha|SNAPSHOT)[A-Za-z0-9.]{0,10})?(?![\w./:%-])"
        r"|(?<![A-Za-z0-9_-])(?:JDK|Java|Python|Go|Node|PHP|MySQL|Redis|Kafka|Kubernetes|K8s|Linux|Ubuntu|Debian|CentOS|Spring(?:\sBoot)?)"
        r"\s\d{1,4}(?:\.\d{1,4}){0,3}(?![\w.:%])"
    ),
    re.IGNORECASE,
)


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with TAKEN in place of each character of the spans."""
    characters = list(text)
    for start, end in spans:
        for place in range(max(0, start), min(end, len(characters))):
            if characters[place] != "\n":
                characters[place] = TAKEN
    return "".join(characters)


def changes(text: str) -> list[tuple[int, int]]:
    """After which change somebody asks, where that was not read as a time."""
    return [(found.start(), found.end()) for found in (*_CHANGED_ZH.finditer(text), *_CHANGED_EN.finditer(text))]


def background(text: str) -> list[tuple[int, int]]:
    """Clauses that only say why somebody asks, or what was changed before."""
    spans = [(found.start(), _end_of_change(found)) for found in _JUST_CHANGED.finditer(text)]
    for clause in _CLAUSE.finditer(text):
        if _is_past(text, *clause.span()):
            spans.append(clause.span())
        elif found := _BACKGROUND.search(text, *clause.span()):
            spans.append((found.start(), clause.end()))
    return spans


def _end_of_change(found: re.Match[str]) -> int:
    """Where 昨天发布了 v2.3 之后 ends, or the clause that only tells of it."""
    if after := _AFTERWARDS.search(found["rest"]):
        return found.start("rest") + after.end()
    asks = _ASKS.search(found["rest"]) or _ASKS_WHICH.search(found["rest"])
    return found.start() if asks and _ASKS_WHICH.search(found["rest"]) else found.start("rest") if asks else found.end()


def _is_past(text: str, start: int, end: int) -> bool:
    """A clause that tells of a change somebody made, or of what is done with."""
    if _CHECKED.search(text, start, end) or (
        _RECENT_CHANGE.match(text, start, end) and not _ASKS_WHICH.search(text, start, end)
    ):
        return True
    people = _PEOPLE.search(text, start, end)
    return bool(people and _CHANGE.search(text, people.end(), end)) and not _ASKS.search(text, start, end)


def figures(text: str) -> list[tuple[int, int]]:
    """Thresholds, versions, ticket numbers and how many somebody wants to see."""
    plain = (_THRESHOLD, _TOP, _VERSION)
    spans = [(found.start(), found.end()) for pattern in plain for found in pattern.finditer(text)]
    return [*spans, *_tickets(text), *_shaped_tickets(text)]


def _tickets(text: str) -> Iterator[tuple[int, int]]:
    for found in _TICKET.finditer(text):
        before = text[max(0, found.start() - 20) : found.start()]
        is_order = text[found.start()] == "#" and _ORDER_BEFORE.search(before)
        if not is_order and not _ASKED_BEFORE.search(before):
            yield found.start(), found.end()


def _shaped_tickets(text: str) -> Iterator[tuple[int, int]]:
    """PROJ-142 is a ticket, unless it is called a code or asked about."""
    for found in _SHAPED_TICKET.finditer(text):
        behind = _CALLED_CODE_BEHIND.match(text, found.end())
        before = text[max(0, found.start() - 24) : found.start()]
        if not behind and not any(cue.search(before) for cue in (_ORDER_BEFORE, _CALLED_CODE_BEFORE, _ASKED_BEFORE)):
            yield found.start(), found.end()
