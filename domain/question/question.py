"""A question as code reads it: what the offline model plans from and what the check of R70 uses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MAX_QUESTION = 8_000
"""Characters of a question that are read."""


def fault_of_question(question: str) -> str | None:
    """Why a question cannot be asked; None if it can. What would be read in part only is no question (R70)."""
    if not any(map(str.isalnum, question)):  # blanks, marks and invisible characters ask nothing
        return "the question is empty"
    return f"the question is longer than {MAX_QUESTION} characters" if len(question) > MAX_QUESTION else None


class AnswerKind(StrEnum):
    """What a question wants to be told."""

    WHETHER = "whether"
    WHICH = "which"
    HOW_MANY = "how_many"  # a count of entries or alerts
    HOW_MUCH = "how_much"  # the value of a measure
    SINCE_WHEN = "since_when"
    WHY = "why"
    WHAT_TO_DO = "what_to_do"
    IS_OVER = "is_over"
    OPEN = "open"  # what is wrong, look into it


class TermKind(StrEnum):
    SERVICE = "service"
    ALERT = "alert"
    METRIC = "metric"
    CODE = "code"  # ERR_POOL_42, ORA-00942, HTTP 503, 5xx
    ADDRESS = "address"
    ID = "id"  # order 4711, a trace id
    PHRASE = "phrase"  # quoted words, or the object of 是否存在…
    TOPIC = "topic"  # a concept of domain/language/searching in the question's own words
    LEVEL = "level"


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that is asked about, as the question writes it; `is_quoted`: in quotation marks, word for word."""

    kind: TermKind
    text: str
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Period:
    """A span of time that a question names, in UTC; an end that is None is open. Both None: ever."""

    text: str
    start: datetime | None
    end: datetime | None


@dataclass(frozen=True, slots=True)
class Question:
    """`asked` is the text without what it excludes, `also` what else it wants to be told. `alerts_asked`: the word by
    which it asks for alerts, "" if it does not. `unclear`: parts about time or scope that were not understood, in the
    question's own words; they are said to be so and never become a default in silence (R70)."""

    text: str
    asked: str
    kind: AnswerKind
    also: tuple[AnswerKind, ...] = ()
    terms: tuple[Term, ...] = ()
    period: Period | None = None
    alerts_asked: str = ""
    excluded: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
