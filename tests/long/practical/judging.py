"""What came of a question, as the one who asked it sees it: from the headline and the text of the answer alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tests.long.practical.asking import Answered
from tests.long.practical.question import Question

NOT_FOUND = ("已检索，未发现", "Searched, not found")
CONFIRMED = ("已证实", "Confirmed")
DENIED = re.compile(r"未检索到|未发现|没有|\b(?:no|not|none)\b", re.IGNORECASE)
UNCHECKED = re.compile(r"未得到查证|not checked")
CONFIRMED_PART = re.compile(r"^(?:已确认信息|Confirmed)[：:]\n(?P<lines>(?:.+\n?)*)", re.MULTILINE)
OF_ADM, EXCLUDE = re.compile(r"\badm\b"), re.compile(r"--exclude")


class Outcome(StrEnum):
    FOUND = "found"
    PROVEN = "absence proven"
    GAP = "gap"
    FALSE_ABSENCE = "FALSE ABSENCE"
    FALSE_FOUND = "FALSE FOUND"


GOOD = {True: Outcome.FOUND, False: Outcome.PROVEN}


def outcome_of(question: Question, answered: Answered) -> Outcome:
    """A gap says that something could not be decided; all else is a statement, true or false."""
    if answered.headline in NOT_FOUND:
        return Outcome.FALSE_ABSENCE if question.is_planted else Outcome.PROVEN
    tells = answered.headline in CONFIRMED or not all(words in question.text for words in question.shows)
    if tells and question.shows and all(words in answered.answer for words in question.shows):
        return Outcome.FOUND
    return Outcome.FALSE_FOUND if _states_something(answered) else Outcome.GAP


def _states_something(answered: Answered) -> bool:
    """Whether the answer holds a confirmed statement other than that something was not found."""
    if answered.headline in CONFIRMED:
        return True
    if UNCHECKED.search(answered.answer):  # it says itself that something else stands there than was asked for
        return False
    part = CONFIRMED_PART.search(answered.answer)
    lines = part["lines"].splitlines() if part else []
    return any(line.strip("- ") not in ("无", "None", "") and not DENIED.search(line) for line in lines)


def closed_inputs(answered: Answered) -> list[str]:
    """What could match and may not be read, of all calls."""
    coverages = [call["coverage"] for call in answered.document["coverage"] if call["coverage"]]
    return [
        unread["name"]
        for coverage in coverages
        for unread in coverage["unread"]
        if unread["reason"] == "permission" and unread["could_match"]
    ]


def names_and_mends(answered: Answered) -> bool:
    """Whether a gap names an input that may not be read, and says how to mend it."""
    text = answered.answer
    names = any(name.rstrip("/") in text for name in closed_inputs(answered))
    return names and bool(OF_ADM.search(text)) and bool(EXCLUDE.search(text))


@dataclass(frozen=True, slots=True)
class Judged:
    question: Question
    answered: Answered
    outcome: Outcome


def judged(questions: Iterable[Question], answers: Iterable[Answered]) -> list[Judged]:
    return [Judged(one, got, outcome_of(one, got)) for one, got in zip(questions, answers, strict=True)]


def counts(results: Iterable[Judged], *, planted: bool) -> Counter[Outcome]:
    return Counter(one.outcome for one in results if one.question.is_planted is planted)


def false_ones(results: Iterable[Judged]) -> list[Judged]:
    return [one for one in results if one.outcome in (Outcome.FALSE_ABSENCE, Outcome.FALSE_FOUND)]
