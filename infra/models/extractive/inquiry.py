"""What to look up for a question: the one reading of it (R70), and the sources that can answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Any

from domain.agents.scope import forms_of, narrow_scope
from domain.language import cues, measures
from domain.language.concepts import EVENTS
from domain.language.cue import Cue, expression, pattern_of
from domain.language.instances import pods_in
from domain.language.levels import name_of
from domain.language.searching import concepts_of
from domain.language.tongues import Language
from domain.question import reading
from domain.question.question import AnswerKind, Period, Question, Term, TermKind
from domain.question.zones import zone_named
from domain.verdict.question_fit import may_be_put_otherwise
from domain.verdict.term_shown import level_asked
from infra.models.extractive.words import mentions_any

MAX_NAMES = 3  # services or alerts of one question that are followed
MAX_TERMS = 6  # words of one question that are searched for

_WORDS = (TermKind.PHRASE, TermKind.TOPIC, TermKind.CODE, TermKind.ADDRESS, TermKind.ID, TermKind.METRIC)
_OF_LOGS = (TermKind.PHRASE, TermKind.CODE, TermKind.ADDRESS, TermKind.ID)
_PHRASES = (TermKind.PHRASE, TermKind.TOPIC)
_ANCHORS = (TermKind.ADDRESS, TermKind.ID)
_SERIES = re.compile(r"[a-z_:][a-z0-9_:]*", re.ASCII)
_COMPARED = re.compile(r"[a-z_:][a-z0-9_:]*(?:\{[^{}]{0,200}\})?\s?(?:[=!<>]=|[<>])\s?-?[\d.]{1,20}", re.ASCII)
_NARROW_KINDS = (
    *(AnswerKind.WHETHER, AnswerKind.HOW_MANY, AnswerKind.HOW_MUCH, AnswerKind.SINCE_WHEN, AnswerKind.IS_OVER),
)
_OPEN_KINDS = (AnswerKind.OPEN, AnswerKind.WHY)


class Source(StrEnum):
    METRICS = "metrics"
    LOGS = "logs"
    KNOWLEDGE = "knowledge"


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question, read. `terms` are the words to search for, in its order; `anchors` those of them that each line must
    hold. `excluded` with their other names. `level` and `period` only where the question names one. `either`: names
    that may be an alert's or stand in a log."""

    question: Question
    is_narrow: bool
    alerts: tuple[str, ...]
    services: tuple[str, ...]
    terms: tuple[str, ...]
    anchors: tuple[str, ...]
    excluded: tuple[str, ...]
    sources: frozenset[Source]
    level: str | None = None
    language: Language = "zh"  # of what is written (R83)
    either: tuple[str, ...] = ()

    @property
    def asked(self) -> str:
        return self.question.asked

    @property
    def period(self) -> Period | None:
        return self.question.period

    @property
    def asks_how_many(self) -> bool:
        return AnswerKind.HOW_MANY in (self.question.kind, *self.question.also)

    @property
    def asks_what_to_do(self) -> bool:
        return AnswerKind.WHAT_TO_DO in (self.question.kind, *self.question.also)

    @property
    def metrics(self) -> tuple[str, ...]:
        """What the question gives as a server reads it: `up`, `up == 0`, not CPU 使用率."""
        return tuple(dict.fromkeys(term.text for term in self.question.terms if _is_series(term)))[:MAX_NAMES]

    @property
    def asks_trend(self) -> bool:
        return _says(self.asked, cues.TRENDS)

    @property
    def is_open(self) -> bool:
        """What is wrong, and why: then the logs are looked at as a whole (R90)."""
        kinds = (self.question.kind, *self.question.also)
        looks_around = AnswerKind.WHY in kinds or not self.terms or _says(self.asked, cues.OPEN, cues.DIAGNOSE)
        is_open = any(kind in _OPEN_KINDS for kind in kinds) and looks_around
        return is_open and not self.is_narrow and Source.LOGS in self.sources

    @property
    def asks_since_when(self) -> bool:
        """When something began, not when it was last."""
        return not _says(self.asked, cues.LATEST) and AnswerKind.SINCE_WHEN in (self.question.kind, *self.question.also)

    @property
    def is_either(self) -> bool:
        """Whether a level or words are asked for: 有没有 ERROR 或超时."""
        levels = [re.escape(term.text) for term in self.question.terms if term.kind is TermKind.LEVEL]
        if not levels or not self.terms:
            return False
        return (
            re.search(rf"(?:{'|'.join(levels)})(?:日志|\slogs?)?\s?(?:{expression(cues.EITHER)})", self.asked)
            is not None
        )

    @property
    def may_be_put_otherwise(self) -> bool:
        """Whether words are searched for that a log may put otherwise: then that they were not found says little."""
        is_sure = bool(self.anchors) or any(map(self.quotes, self.terms))
        return not is_sure and any(may_be_put_otherwise(term, self.question) for term in self.question.terms)

    @property
    def drops_words(self) -> bool:
        """Whether what each line must hold is sought without a phrase of the question that a log may put otherwise."""
        return bool(self.anchors) and any(may_be_put_otherwise(term, self.question) for term in self.question.terms)

    def words_of(self, term: str) -> tuple[str, ...]:
        """The words of an English phrase that the question does not quote: others may stand between them in a log."""
        words = tuple(term.split())
        is_phrase = any(one.text == term and one.kind in _PHRASES for one in self.question.terms)
        return words if len(words) > 1 and term.isascii() and is_phrase and not self.quotes(term) else ()

    def quotes(self, term: str) -> bool:
        """Whether the question has it in quotation marks, word for word."""
        return any(one.text == term and one.is_quoted for one in self.question.terms)

    def excludes(self, text: str) -> bool:
        return mentions_any(text, self.excluded)


def inquiry_of(payload: Mapping[str, Any]) -> Inquiry:
    """The inquiry of an agent's payload: its question, at its `now`, in its `timezone`."""
    return read_question(
        str(payload.get("question") or ""),
        _moment(payload.get("now")),
        zone_named(str(payload.get("timezone") or "UTC")),
        language_in(payload),
    )


def language_in(payload: Mapping[str, Any]) -> Language:
    """Of the answer; Chinese where the payload does not tell, as it was before answers had another."""
    return "en" if payload.get("language") == "en" else "zh"


def _moment(written: Any) -> datetime:
    """The payload's clock; the epoch for one that cannot be read, so that nothing depends on this machine's."""
    try:
        moment = datetime.fromisoformat(str(written))
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def read_question(question: str, now: datetime, zone: tzinfo = UTC, language: Language = "zh") -> Inquiry:
    """What to look up for a question that is asked at `now`; words of time are of `zone`."""
    read = reading.read_question(question, now, zone)
    asks_more = any(kind in (AnswerKind.WHY, AnswerKind.WHAT_TO_DO) for kind in (read.kind, *read.also))
    is_narrow = narrow_scope(read.text).narrow or (read.kind in _NARROW_KINDS and not asks_more)
    pods = tuple(term.text for term in read.terms if term.kind is TermKind.ID and pods_in(term.text))
    words = [term for term in read.terms if term.kind in _WORDS and term.text not in pods][:MAX_TERMS]
    levels = [level_asked(term.text) for term in read.terms if term.kind is TermKind.LEVEL]
    return Inquiry(
        question=read,
        is_narrow=is_narrow,
        alerts=_of_kind(read.terms, TermKind.ALERT),
        services=pods or _of_kind(read.terms, TermKind.SERVICE),
        terms=tuple(_sought(term, read.asked) for term in words),
        anchors=tuple(term.text for term in words if term.kind in _ANCHORS),
        excluded=tuple(dict.fromkeys(form for subject in read.excluded for form in forms_of(subject))),
        sources=_sources(read, is_narrow),
        either=_alerts_or_words(read),
        level=name_of(min(levels)) if levels else None,
        language=language,
    )


def _alerts_or_words(read: Question) -> tuple[str, ...]:
    """Names that may be an alert's or stand in a log, where the question does not say which: BookingWriteErrors."""
    said = (cues.ALERTS, cues.FIRING, cues.MEANING, cues.LOGS, cues.WRITING)
    is_said = _says(read.asked, *said) or read.kind is AnswerKind.WHAT_TO_DO
    named = [term for term in read.terms if not term.is_quoted and not is_said]
    return tuple(
        term.text
        for term in named
        if term.kind is TermKind.ALERT or (term.kind is TermKind.PHRASE and _ALERT_OF_ERRORS.fullmatch(term.text))
    )


_ALERT_OF_ERRORS = re.compile(r"(?:[A-Z][a-z0-9]+){2,}Errors")


def _is_series(term: Term) -> bool:
    if term.kind is TermKind.METRIC:
        return _SERIES.fullmatch(term.text) is not None
    return term.kind is TermKind.PHRASE and _COMPARED.fullmatch(term.text) is not None


def _sought(term: Term, asked: str) -> str:
    """The word to search for: a status of HTTP is one, and no number of bytes."""
    if term.kind is TermKind.CODE and _STATUS.fullmatch(term.text) and not _OTHER_CODE.search(asked):
        return f"HTTP {term.text}"
    return term.text


_STATUS = re.compile(r"[45]\d\d")
_OTHER_CODE = re.compile(r"exit|errno|sqlstate|signal|error code|退出|错误码|错误代码|错误号", re.IGNORECASE)


def _of_kind(terms: Sequence[Term], kind: TermKind) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term.text for term in terms if term.kind is kind))[:MAX_NAMES]


# ---------------------------------------------------------------- sources


def _sources(read: Question, is_narrow: bool) -> frozenset[Source]:
    """Where to look. A question about now is answered from metrics and logs; knowledge is its background at most."""
    asked = read.asked
    found = _named_sources(read)
    asks_diagnosis = read.kind is AnswerKind.WHY or _says(asked, cues.DIAGNOSE)
    about_now = asks_diagnosis or _is_about_now(read)
    if (read.kind is AnswerKind.WHAT_TO_DO or _says(asked, cues.MEANING)) and not about_now:
        return frozenset({Source.KNOWLEDGE})
    if asks_diagnosis and not is_narrow:
        found |= {Source.METRICS, Source.LOGS}
    names_something = any(term.kind is TermKind.SERVICE for term in read.terms)
    if not found and (names_something or about_now):
        found = {Source.METRICS, Source.LOGS}
    if not found or not (is_narrow or read.kind is AnswerKind.WHICH):
        found |= {Source.KNOWLEDGE}
    return frozenset(found)


def _is_about_now(read: Question) -> bool:
    kinds = (read.kind, *read.also)
    is_open = all(kind in (AnswerKind.WHAT_TO_DO, AnswerKind.WHICH, AnswerKind.OPEN) for kind in kinds)
    asks_for_entries = any(term.kind is TermKind.LEVEL for term in read.terms) or _says(read.asked, cues.LOGS)
    return read.period is not None or _says(read.asked, cues.NOW) or not is_open or asks_for_entries


def _named_sources(read: Question) -> set[Source]:
    found: set[Source] = set()
    kinds = {term.kind for term in read.terms}
    asks_logs = _says(read.asked, cues.LOGS) or TermKind.LEVEL in kinds
    words = [term for term in read.terms if term.kind in _WORDS]
    is_measured = bool(words) and all(
        term.kind is TermKind.METRIC or _is_series(term) or (_says(term.text, measures.ALONE) and not _happens(term))
        for term in words
    )
    asks_alerts = TermKind.ALERT in kinds or _says(read.asked, cues.ALERTS, cues.METRICS)
    if asks_alerts or (is_measured and not asks_logs):
        found.add(Source.METRICS)
    of_logs = any(term.kind in _OF_LOGS and not _is_series(term) for term in read.terms)
    if asks_logs or (words and Source.METRICS not in found) or of_logs:
        found.add(Source.LOGS)
    return found


def _happens(term: Term) -> bool:
    """内存溢出 speaks of memory and is written to logs when it happens."""
    return any(concept in EVENTS for concept in concepts_of(term.text))


def _says(text: str, *concepts: Cue) -> bool:
    return pattern_of(*concepts).search(text) is not None
