"""The period that a question names (R70): Chinese and English alike.

Conventions: tests/unit/question/README.md. What is said about time and not understood is given back in the
question's own words; it never becomes a default in silence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import reduce

from domain.language.cue import chinese, expression
from domain.language.cues import ALL_BUT, LEFT_OUT
from domain.language.late import Late
from domain.language.time_words import Cue
from domain.question.question import Period
from domain.question.when.form import fold
from domain.question.when.instants import Bounds, Instants, NotUnderstood
from domain.question.when.phrases import Phrase, Shape, phrases_in
from domain.question.when.points import Point
from domain.question.when.tokens import tokens_of


@dataclass(frozen=True, slots=True)
class PeriodReading:
    """`period` is None where none is named. `unclear`: what was not understood, or contradicts itself.

    `spans`: where in the question the words about its period stand, the unclear ones too.
    """

    period: Period | None = None
    unclear: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def span(self) -> tuple[int, int] | None:
        """From the first to the last word about time."""
        return (self.spans[0][0], self.spans[-1][1]) if self.spans else None


def read_period(question: str, now: datetime, zone: tzinfo) -> PeriodReading:
    """The period of a question asked at `now`; days and hours are of `zone`. Linear in the text, raises nothing."""
    text, places = fold(question)
    tokens = tokens_of(text)
    phrases = [phrase for phrase in phrases_in(tokens, text) if not _is_vain(phrase, text)]
    nows = [token.start for token in tokens if token.value is Cue.NOW]
    phrases = [phrase for phrase in phrases if not _is_background(phrase, text, nows)]
    found = [phrase for phrase in phrases if phrase.shape is not Shape.EVER]
    if not found:
        return _ever(question, phrases, places)
    instants = Instants(now, zone)
    bounds: list[Bounds] = []
    doubtful: list[Phrase] = []
    left_out = [phrase for phrase in found if _is_left_out(phrase, text)]
    doubtful += left_out
    for phrase in _anchored([phrase for phrase in found if phrase not in left_out]):
        try:
            bounds.append(instants.of(phrase))
        except NotUnderstood:
            doubtful.append(phrase)
    try:
        common = reduce(Bounds.common, bounds) if bounds else None
    except NotUnderstood:
        common, doubtful = None, found
    spans = _spans(found, places)
    doubts = _spans(doubtful, places)
    sure = _quoted(question, sorted({*spans} - {*doubts}))
    period = Period(sure, common.start, common.end) if common else None
    unclear = tuple(question[start:end] for start, end in _joined(question, doubts))
    return PeriodReading(period, unclear, spans)


def least_lengths(text: str, now: datetime) -> tuple[tuple[str, timedelta], ...]:
    """The periods that a text written at `now` speaks of, in its own words, and how long each is at least.

    `timedelta.max` is ever. A point of time, and what begins nowhere (10 点之前), has no length.
    """
    folded, places = fold(text)
    phrases = phrases_in(tokens_of(folded), folded)
    instants = Instants(now, UTC)
    found = ((_quoted(text, _spans([phrase], places)), instants.least(phrase)) for phrase in phrases)
    return tuple((words, length) for words, length in found if length is not None)


def lengths_back(text: str) -> tuple[timedelta, ...]:
    """The lengths back from now that a text names: 最近 6 小时, in the last hour."""
    folded, _ = fold(text)
    return tuple(
        timedelta(seconds=float(phrase.length))
        for phrase in phrases_in(tokens_of(folded), folded)
        if phrase.shape is Shape.BACK
    )


def _ever(question: str, phrases: Sequence[Phrase], places: Sequence[int]) -> PeriodReading:
    spans = _spans(phrases, places)
    return PeriodReading(Period(_quoted(question, spans), None, None), spans=spans) if spans else PeriodReading()


_BESIDE = 24  # characters before a phrase that may leave it out
_ASIDE = re.compile(r"[^。？！?!;；\n]{0,200}[,，][^。？！?!;；\n]{0,200}")


def _is_background(phrase: Phrase, text: str, nows: Sequence[int]) -> bool:
    """昨晚升级了，现在有没有报错: what stands in a clause before the one that asks about now is not the period."""
    index = bisect_left(nows, phrase.end)
    if index == len(nows) or phrase.shape is Shape.EVER:
        return False
    return _ASIDE.fullmatch(text, phrase.end, nows[index]) is not None


_LEAVING_OUT = Late(lambda: rf"(?:{expression(LEFT_OUT)})\s?(?:the\s|掉)?\Z")
_ALL_BUT = Late(lambda: rf"\s?(?:的时间|时间|这段时间)?\s?(?:{chinese(ALL_BUT)})")


def _is_left_out(phrase: Phrase, text: str) -> bool:
    """除了昨天, 最近一小时以前, excluding the last hour: what is asked about lies elsewhere."""
    if _LEAVING_OUT.search(text, max(0, phrase.start - _BESIDE), phrase.start):
        return True
    return _ALL_BUT.match(text, phrase.end) is not None


def _is_vain(phrase: Phrase, text: str) -> bool:
    """Words of time that name none: 3 号节点, 快一点, 30 点."""
    point = phrase.first
    if phrase.shape is not Shape.POINT or point.part is not None or point.zone is not None:
        return False
    if point.days is not None:
        return point.clock is None and point.days.is_number and not text.startswith("on ", phrase.start)
    return (
        point.clock is not None
        and not point.around
        and (point.clock.is_bit or (point.clock.spoken and not point.clock.exists))
    )


def _anchored(phrases: Sequence[Phrase]) -> list[Phrase]:
    """Times without a day are of the one day that the question names elsewhere: yesterday …, between 2 and 3 pm."""
    days = {phrase.first for phrase in phrases if _names_days(phrase)}
    day = next(iter(days)) if len(days) == 1 else Point()
    placed = {phrase: _placed(phrase, day) for phrase in phrases} if day.days else {}
    if not any(moved is not phrase for phrase, moved in placed.items()):
        return list(phrases)
    return [moved for phrase, moved in placed.items() if day.part or phrase.first != day]


def _names_days(phrase: Phrase) -> bool:
    return phrase.shape is Shape.POINT and phrase.first.days is not None and phrase.first.clock is None


def _placed(phrase: Phrase, day: Point) -> Phrase:
    first, last = phrase.first, phrase.last
    if day.days is None or first.ago is not None or (last and last.days) or _names_days(phrase):
        return phrase
    if first.days is not None:
        inside = first.days.within(day.days)
        return replace(phrase, first=replace(first, days=inside)) if inside else phrase
    if first.clock is None and first.part is None:
        return phrase
    part = first.part or (None if first.clock and first.clock.half else day.part)
    return replace(phrase, first=replace(first, days=day.days, part=part, zone=first.zone or day.zone))


def _spans(phrases: Sequence[Phrase], places: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Where the phrases stand in the question itself."""
    return tuple((places[phrase.start], places[phrase.end - 1] + 1) for phrase in phrases)


def _quoted(question: str, spans: Sequence[tuple[int, int]]) -> str:
    return " ".join(question[start:end] for start, end in _joined(question, spans))


def _joined(question: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, those as one between which nothing stands."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and not question[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
