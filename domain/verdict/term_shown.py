"""Whether a text speaks of a term of the question, however both write it (R70)."""

from __future__ import annotations

import re
from functools import lru_cache

from domain.language import plain_words
from domain.language.concepts import MANNERS
from domain.language.failures import holds_failure
from domain.language.form import search_form
from domain.language.instances import pods_in
from domain.language.levels import Level, level_of, level_said
from domain.language.searching import concepts_of, finder_of, quoted_finder_of
from domain.language.services import Kinship, kinship, mentions_service
from domain.question.question import Term, TermKind

_NAME = re.compile(r"[A-Za-z][\w.@:/-]{1,160}", re.ASCII)
_SEPARATORS = re.compile(r"[=:/,@]")
_KINDS = ("service", "api", "server", "app")
_NUMBERED = re.compile(r".+-\d+\Z")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\u4e00-\u9fff]+")
_LATIN_WORD = re.compile(r"[a-z0-9][a-z0-9'_-]*")
_CHINESE_RUN = re.compile(r"[\u4e00-\u9fff]{2,}")
_ENDINGS = re.compile(r"(?:ations?|ions?|ures?|ings?|ments?|ed|es|s|e)\Z")
_LEVEL_WORD = re.compile(r"(?<![\w-])[A-Za-z]+(?![\w-])|致命|严重|错误|警告|报错|异常")
_CLASS = re.compile(r"(?P<first>[1-5])xx\Z", re.IGNORECASE)
_NUMBER = re.compile(r"\d{2,}\Z")
_ERRORS = frozenset(
    ("错误", "报错", "异常", "error", "errors", "err", "exception", "exceptions", "failure", "failures")
)


def shows(term: Term, text: str) -> bool:
    """Whether the text speaks of the thing; of a level, whether it tells of that level or a worse one."""
    match term.kind:
        case TermKind.SERVICE:
            return names_service(term.text, text)
        case TermKind.ALERT:
            return _alert(term.text).search(text) is not None
        case TermKind.METRIC:
            return stands_whole(term.text, text) or _holds_parts(term.text, text) or _by_concept(term.text, text)
        case TermKind.CODE:
            return _shows_code(term.text, text)
        case TermKind.ADDRESS | TermKind.ID:
            names_it = stands_whole(term.text, text) or term.text in pods_in(text)
            return names_it or _shows_url(term.text, text)
        case TermKind.LEVEL:
            return _shows_level(level_asked(term.text), text)
        case TermKind.PHRASE if term.is_quoted:
            return quoted_finder_of(term.text).stands_in(search_form(text))
        case TermKind.PHRASE | TermKind.TOPIC:
            return finder_of(term.text).stands_in(search_form(text)) or _holds_words(term.text, text)


def denies(term: Term, text: str) -> bool:
    """Whether a text that something was not found names the term itself: no case of it, and no worse level, will do."""
    match term.kind:
        case TermKind.LEVEL:
            said = _level_in(text)
            return said is not None and said <= level_asked(term.text)
        case TermKind.CODE if _CLASS.match(term.text.split()[-1]):
            return stands_whole(term.text.split()[-1], text)
        case TermKind.PHRASE | TermKind.TOPIC | TermKind.METRIC:
            return is_same_thing(term.text, text) or _holds_words(term.text, text)
        case _:
            return shows(term, text)


def is_same_thing(term: str, text: str) -> bool:
    """Whether a text is or names what the term does: in form, or by a name of one shared concept."""
    if search_form(term) == search_form(text):
        return True
    return bool((set(concepts_of(term)) & set(concepts_of(text))) - set(MANNERS))


def level_asked(word: str) -> Level:
    """The level that a term asks for; errors, 异常 and what is no level's name ask for ERROR."""
    folded = word.casefold()
    if folded in _ERRORS:
        return Level.ERROR
    return level_of(folded) or level_of(folded.removesuffix("s")) or Level.ERROR


def names_service(asked: str, text: str) -> bool:
    """Whether the text names the service, one of its instances, or it by its other spellings."""
    if _NUMBERED.match(asked):  # one of several: db-1 is not db-2
        return stands_whole(asked, text)
    if not asked.isascii():
        return asked in text or any(_is_kin(name, asked) for name in _names(text))
    return any(_is_kin(name, asked) for name in _names(text)) or _mentions(asked, text)


def _mentions(asked: str, text: str) -> bool:
    """Called in words (order service, 订单服务), not as a part of a longer name."""
    return mentions_service(_NAME.sub(lambda name: " " if "-" in name[0] or "_" in name[0] else name[0], text), asked)


def _is_kin(name: str, asked: str) -> bool:
    """ "the checkout service" may be called checkout-service where it runs."""
    called = (asked, *(f"{asked}-{kind}" for kind in _KINDS)) if asked.isalnum() and asked.isascii() else (asked,)
    return any(kinship(name, one) is Kinship.SAME for one in called)


def _names(text: str) -> list[str]:
    """Names in a text: whole, the values of labels, and the parts of a metric's name."""
    found: list[str] = []
    for name in _NAME.findall(text):
        whole = name.rstrip(".:/-")
        found += [whole, *_SEPARATORS.split(whole)]
        if whole.count("_") > 1:
            found += whole.split("_")
    return list(dict.fromkeys(part for part in found if part))


@lru_cache(maxsize=1024)
def _whole(text: str) -> re.Pattern[str]:
    before = r"(?<![a-z0-9_])(?<![a-z0-9][.])" if text[0].isalnum() else ""
    after = r"(?![a-z0-9_]|[.]\d)" if text[-1].isalnum() else ""
    return re.compile(f"{before}{re.escape(text)}{after}")


def stands_whole(written: str, text: str) -> bool:
    """Whether it stands in the text and not as a part of a longer name, number or address."""
    form = search_form(written).strip()
    return bool(form) and _whole(form).search(search_form(text)) is not None


@lru_cache(maxsize=1024)
def _alert(name: str) -> re.Pattern[str]:
    """HighCPUUsage is also `High CPU usage`, and no part of HighCPUUsageForecast."""
    parts = [re.escape(part) for part in _PART.findall(name)] or [re.escape(name)]
    loose = r"[\s_-]?".join(parts)
    return re.compile(rf"(?<![A-Za-z0-9_-]){loose}(?![A-Za-z0-9_-])", re.IGNORECASE)


def _holds_parts(name: str, text: str) -> bool:
    """Each word of a measure stands in one name of the text: P99 in checkout_latency_p99_seconds."""
    wanted = {part.casefold() for part in re.findall(r"[A-Za-z]+\d*|[\u4e00-\u9fff]+", name)}
    held = ({part.casefold() for part in re.split(r"[_:.\s-]", found)} for found in _NAME.findall(text))
    return any(wanted <= parts for parts in held)


def _by_concept(measure: str, text: str) -> bool:
    """CPU 使用率 is told of where the text tells of the CPU."""
    return bool(concepts_of(measure)) and finder_of(measure).stands_in(search_form(text))


def _shows_code(code: str, text: str) -> bool:
    core = code.split()[-1]
    if of_class := _CLASS.match(core):
        return re.search(rf"(?<![\w.]){of_class['first']}(?:\d\d|[xX]{{2}})(?![\w.]|\s?(?:ms|%))", text) is not None
    if _NUMBER.match(core):
        return stands_whole(core, text)
    return stands_whole(core, text) or _by_concept(code, text)


def _shows_url(address: str, text: str) -> bool:
    """An access log shows the host and the path of a URL apart, or the path alone."""
    host, _, path = address.partition("://")[2].partition("/")
    return bool(host and path) and f"/{path}" in text


def _shows_level(asked: Level, text: str) -> bool:
    said = _level_in(text)
    if said is not None and said >= asked:
        return True
    return said is None and asked <= Level.ERROR and holds_failure(text)


def _level_in(text: str) -> Level | None:
    """The worst level that the text names, in any case."""
    words = (word for word in _LEVEL_WORD.findall(text) if len(word) > 2 or not word.isascii())
    plain = max((found for word in words if (found := level_of(word)) is not None), default=None)
    said = level_said(text)
    return plain if said is None else said if plain is None else max(said, plain)


def _holds_words(phrase: str, text: str) -> bool:
    """Every word of a phrase in one of its forms; of Chinese, at least half of its pairs of characters."""
    form, sought = search_form(text), search_form(phrase)
    words = [word for word in _LATIN_WORD.findall(sought) if word not in plain_words.LITTLE_WORDS]
    pairs = [run[at : at + 2] for run in _CHINESE_RUN.findall(sought) for at in range(len(run) - 1)]
    if not words and not pairs:
        return sought in form
    stems = {_stem(word) for word in _LATIN_WORD.findall(form)} if words else set()
    if not all(_stem(word) in stems for word in words):
        return False
    return 2 * sum(pair in form for pair in pairs) >= len(pairs)


def _stem(word: str) -> str:
    return _ENDINGS.sub("", word) if len(word) > 4 else word
