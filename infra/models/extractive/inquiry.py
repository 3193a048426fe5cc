"""What a question asks for: names, topics, sources, and what it excludes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from domain.language.searching import CONCEPTS
from infra.models.extractive.vocabulary import (
    DIAGNOSIS_CUES,
    EXCLUSION_CUES,
    KNOWLEDGE_CUES,
    LIVE_CUES,
    LOG_CUES,
    LOG_TERMS,
    METRIC_CUES,
    METRIC_TERMS,
    NARROW_CUES,
    NO_NAMES,
    PRODUCTS,
    SCOPE_RESUMES,
    SEVERE,
    STATES,
)
from infra.models.extractive.words import CHINESE, mentions_any, other_names, spread

TOPIC_NAMES = (*LOG_TERMS, *METRIC_TERMS, *PRODUCTS)
MAX_QUESTION = 8_000
MAX_NAMES = 3  # services, alerts or topics of one question that are followed


class Source(StrEnum):
    METRICS = "metrics"
    LOGS = "logs"
    KNOWLEDGE = "knowledge"


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question, read. `asked` is its text without what it excludes; `minutes` an explicit window, or None."""

    asked: str
    is_narrow: bool
    alerts: tuple[str, ...]
    services: tuple[str, ...]
    terms: tuple[str, ...]  # topics in the question's own words, in its order
    excluded: tuple[str, ...]  # with their other names
    sources: frozenset[Source]
    level: str | None = None
    minutes: int | None = None

    def excludes(self, text: str) -> bool:
        return mentions_any(text, self.excluded)


def read_question(question: str) -> Inquiry:
    """The inquiry in the first MAX_QUESTION characters of a question."""
    question = question[:MAX_QUESTION]
    asked, excluded = _without_exclusions(question)
    is_narrow = mentions_any(question, NARROW_CUES)
    alerts = _alert_names(asked)
    services = _services(asked)
    terms = _terms(asked, names=(*alerts, *services))
    return Inquiry(
        asked=asked,
        is_narrow=is_narrow,
        alerts=alerts,
        services=services,
        terms=terms,
        excluded=excluded,
        sources=_sources(asked, is_narrow, alerts, services, terms),
        level=next((level for level in SEVERE if re.search(rf"(?<![A-Za-z]){level}(?![A-Za-z])", asked)), None),
        minutes=_minutes(asked),
    )


# ---------------------------------------------------------------- exclusions


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_EXCLUSION = re.compile(
    rf"(?:{_any_of(EXCLUSION_CUES)})(?P<things>[^。；;！!？?\n]*?)"
    rf"(?=[。；;！!？?\n]|$|[，,]\s*(?:{_any_of(SCOPE_RESUMES)}))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[、，,/]|或者?|以及|和|与|及|\bor\b|\band\b")
_NUMBERED_ORDER = re.compile(r"订单\s*[号#]?\s*(\d+)")


def _without_exclusions(question: str) -> tuple[str, tuple[str, ...]]:
    things = [thing for clause in _EXCLUSION.finditer(question) for thing in _BETWEEN.split(clause["things"])]
    terms = [thing.strip(" 。.：:“”\"'") for thing in things]
    names = [name for term in terms if term for name in _excluded_names(term)]
    return _EXCLUSION.sub("", question), tuple(dict.fromkeys(names))


def _excluded_names(term: str) -> tuple[str, ...]:
    """A numbered thing excludes itself only, not its whole kind."""
    order = _NUMBERED_ORDER.search(term)
    return (term, f"order-{order[1]}", f"order{order[1]}") if order else other_names(term)


# ---------------------------------------------------------------- names

_WORD = re.compile(r"(?<![\w-])[A-Z][A-Za-z0-9]{2,79}(?![\w-])", re.ASCII)
_TWO_HUMPS = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_NAMED_ALERT = re.compile(r"(?<![\w-])([A-Za-z][\w-]{2,79})\s*(?:告警|报警|警报|alert)", re.ASCII)
_ALERT_LIKE = re.compile(r"[A-Z][a-z]|_")
_COMPOUND = re.compile(r"(?<![\w./:-])[a-z][a-z0-9]{0,40}(?:[-_.][a-z0-9]{1,40}){1,8}(?![\w/:-])", re.ASCII)
_NAMED_SERVICE = re.compile(
    r"(?<![\w-])([A-Za-z][\w-]{1,79})\s*(?:服务|应用|实例|主机|节点)"
    r"|(?:服务|应用|\bservice\s*[=:：])\s*([A-Za-z][\w-]{1,79})",
    re.ASCII,
)
_BARE_WORD = re.compile(r"(?<![\w./:=-])[a-z][a-z0-9]{2,40}(?![\w./:=-])", re.ASCII)
_WORDS_OF_THE_TRADE = (
    *(name for concept in CONCEPTS for name in (*concept.names, *concept.asks)),
    *(*TOPIC_NAMES, *METRIC_CUES, *LOG_CUES, *KNOWLEDGE_CUES, *LIVE_CUES, *DIAGNOSIS_CUES),
    *(*SEVERE, *STATES, *NO_NAMES),
)
_FAULT_CLASS = re.compile(r"(?:Exception|Error)$")
_CODE = re.compile(
    r"(?<![\w-])(?:[A-Z][A-Z0-9]{1,20}(?:[_-][A-Z0-9]{1,20}){1,5}|[A-Z]{1,10}\d{3,10})(?![\w-])", re.ASCII
)
_PAIR = re.compile(r"(?<![\w.])[A-Za-z_][\w.]{0,40}=[\w./%-]{1,40}", re.ASCII)
_QUOTED = re.compile(r"[“「『\"]([^”」』\"\n]{2,60})[”」』\"]")
_SUBJECT = re.compile(
    r"(?:是否真实存在|是否存在|有没有|是否有|是否出现|出现过?|关于)\s*"
    r"(?P<subject>[^，。；？！,;?!\n]{2,30}?)的?(?:日志|记录|报错|错误|异常|告警|吗|$|[，。；？！,;?!\n])"
)
_NO_SUBJECT = re.compile(r"^(?:任何|相关|什么|其他|新的?|的)*$")


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:MAX_NAMES]


def _alert_names(asked: str) -> tuple[str, ...]:
    named = [name for name in _NAMED_ALERT.findall(asked) if _ALERT_LIKE.search(name)]
    return _first(name for name in [*named, *_camel_words(asked)] if not _is_topic(name) and not _is_fault(name))


def _camel_words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if _TWO_HUMPS.search(word)]


def _is_fault(name: str) -> bool:
    return _FAULT_CLASS.search(name) is not None


def _is_topic(name: str) -> bool:
    """An alert may be named like a topic (SlowResponse); a topic of logs or metrics alone is none."""
    return any(spread(name) == spread(term) for term in TOPIC_NAMES)


def _services(asked: str) -> tuple[str, ...]:
    """Compounds (`cart-api`) and names next to 服务; else any bare English word that a Chinese question holds."""
    named = [first or second for first, second in _NAMED_SERVICE.findall(asked)]
    found = _first(name for name in [*_COMPOUND.findall(asked), *named] if not _is_topic(name))
    if found or not re.search(f"[{CHINESE}]", asked):
        return found
    return _first(word for word in _BARE_WORD.findall(asked) if not mentions_any(word, _WORDS_OF_THE_TRADE))


def _terms(asked: str, names: Sequence[str]) -> tuple[str, ...]:
    """Codes, fault classes, `key=value` and quoted words, and known topics, else the object of 是否存在…"""
    faults = [name for name in _camel_words(asked) if _is_fault(name)]
    exact = [*_CODE.findall(asked), *faults, *_PAIR.findall(asked), *_QUOTED.findall(asked)]
    found = [term for term in (*exact, *_known_terms(asked)) if term not in names]
    return _first(sorted(found, key=asked.find)) or _subject(asked, names)


def _known_terms(asked: str) -> list[str]:
    found, rest = [], asked
    for term in TOPIC_NAMES:
        pattern = re.compile(re.escape(term) if not term.isascii() else rf"(?<![A-Za-z]){term}(?![A-Za-z])", re.I)
        if match := pattern.search(rest):
            found.append(match[0])
            rest = pattern.sub(lambda hit: " " * len(hit[0]), rest)
    return found


def _subject(asked: str, names: Sequence[str]) -> tuple[str, ...]:
    match = _SUBJECT.search(asked)
    if match is None:
        return ()
    subject = match["subject"]
    for name in names:
        subject = subject.replace(name, " ")
    words = [word for word in re.split(rf"[^\w{CHINESE}-]+|[的和与及]", subject) if not _NO_SUBJECT.match(word)]
    return _first(word for word in words if not mentions_any(word, (*METRIC_CUES, *LOG_CUES, *SEVERE)))


# ---------------------------------------------------------------- sources and window

_WINDOW = re.compile(r"(?:最近|过去|近|last|past)\s*(\d{1,4})\s*(分钟|小时|天|minutes?|mins?|hours?|days?)", re.I)
_MINUTES = {"分": 1, "m": 1, "小": 60, "h": 60, "天": 1440, "d": 1440}


def _minutes(asked: str) -> int | None:
    match = _WINDOW.search(asked)
    return max(1, int(match[1])) * _MINUTES[match[2][0].lower()] if match else None


def _sources(
    asked: str, is_narrow: bool, alerts: Sequence[str], services: Sequence[str], terms: Sequence[str]
) -> frozenset[Source]:
    """Where to look. A question about now is answered from metrics and logs; knowledge is its background at most."""
    found = _named_sources(asked, alerts, terms)
    asks_diagnosis = mentions_any(asked, DIAGNOSIS_CUES)
    about_now = asks_diagnosis or mentions_any(asked, LIVE_CUES)
    if mentions_any(asked, KNOWLEDGE_CUES) and not about_now:
        return frozenset({Source.KNOWLEDGE})
    if asks_diagnosis and not is_narrow:
        found |= {Source.METRICS, Source.LOGS}
    if not found and (services or about_now):
        found = {Source.METRICS, Source.LOGS}
    if not is_narrow or not found:
        found |= {Source.KNOWLEDGE}
    return frozenset(found)


def _named_sources(asked: str, alerts: Sequence[str], terms: Sequence[str]) -> set[Source]:
    found: set[Source] = set()
    asks_logs = mentions_any(asked, LOG_CUES)
    is_measured = bool(terms) and all(mentions_any(term, METRIC_TERMS) for term in terms)
    if alerts or mentions_any(asked, METRIC_CUES) or (is_measured and not asks_logs):
        found.add(Source.METRICS)
    if asks_logs or (terms and Source.METRICS not in found):
        found.add(Source.LOGS)
    return found
