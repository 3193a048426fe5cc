"""Points of time and days, put together from words beside each other: 昨天下午三点, 3 pm on May 1st (R70)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from domain.language import time_words as words
from domain.language.time_words import Cue, Part, Span
from domain.question.when.days import Days
from domain.question.when.pieces import Clock, Quantity, Zone
from domain.question.when.tokens import Token


@dataclass(frozen=True, slots=True)
class Point:
    """A point of time, a day or a part of one, as far as it is written; `ago`: seconds before now.

    `around`: 左右 or the like was said; `is_clear`: False where the words do not go together (上午下午).
    """

    days: Days | None = None
    part: Part | None = None
    clock: Clock | None = None
    zone: Zone | None = None
    ago: Fraction | None = None
    around: bool = False
    is_clear: bool = True

    @property
    def is_days(self) -> bool:
        """Whether it names days alone, with no time on them."""
        return self.days is not None and self.part is None and self.clock is None


_AGO_SPANS = {86_400: Span.DAY, 604_800: Span.WEEK, 2_592_000: Span.MONTH, 31_536_000: Span.YEAR}


_MOST_LINKS = 6
"""So many words that only link others may stand in a row: reading stays linear."""


class Points:
    """Reads points of time from the words of a question."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens

    def value(self, index: int) -> object:
        return self.tokens[index].value if 0 <= index < len(self.tokens) else None

    def joined(self, index: int, *cues: Cue) -> bool:
        """Whether a word stands directly behind the one before it, and is one of the cues if there are any."""
        if index >= len(self.tokens) or not self.tokens[index].joined:
            return False
        return not cues or self.tokens[index].value in cues

    def is_chinese(self, index: int) -> bool:
        return index < len(self.tokens) and not self.tokens[index].text.isascii()

    def past_links(self, index: int, *cues: Cue) -> int:
        most = index + _MOST_LINKS
        while index < most and self.joined(index, Cue.LINK, *cues):
            index += 1
        return index

    def point(self, start: int) -> tuple[Point, int] | None:
        """The point that begins at a word, and the word behind it."""
        point, index, end, links = Point(), start, start, 0
        while links <= _MOST_LINKS and index < len(self.tokens) and (index == start or self.joined(index)):
            if (cue := self.value(index)) in {Cue.LINK, Cue.EARLIER, Cue.AROUND}:
                end = index + 1 if end > start and cue is not Cue.LINK else end
                point = replace(point, around=point.around or cue is Cue.AROUND)
                index, links = index + 1, links + 1
                continue
            grown = self._ago(point, index) or self._grown(point, index)
            if grown is None:
                break
            point, index = grown
            end = index
        is_one = point.days or point.part or point.clock or point.ago is not None
        return (point, end) if is_one else None

    def _grown(self, point: Point, index: int) -> tuple[Point, int] | None:
        """The point with one more word; None where the word belongs to it no more."""
        value = self.value(index)
        if isinstance(value, Days):
            days = value if point.days is None else value.within(point.days) or point.days.within(value)
            return (replace(point, days=days), index + 1) if days else None
        if isinstance(value, Part):
            if value is words.WHOLE_DAY and (point.part or point.clock):
                return None
            same = point.part is None or point.part.start == value.start
            return replace(point, part=point.part or value, is_clear=point.is_clear and same), index + 1
        if isinstance(value, Clock) and point.clock is None and point.ago is None:
            return replace(point, clock=value), index + 1
        if isinstance(value, Zone) and point.zone is None:
            return replace(point, zone=value), index + 1
        if value is Cue.FOLLOWING and point.days is None:
            return replace(point, days=Days(following=True)), index + 1
        return None

    def _ago(self, point: Point, index: int) -> tuple[Point, int] | None:
        """半小时前 is an instant, 三天前 and two weeks ago are days."""
        length = self.value(index)
        if not isinstance(length, Quantity) or length.bare or point.days or point.clock:
            return None
        behind = self.behind_ago(index)
        if behind is None:
            return None
        span = _AGO_SPANS.get(length.unit)
        if length.seconds is None:
            return replace(point, is_clear=False, ago=Fraction()), behind
        if span and length.count is not None and length.count.denominator == 1 and not length.rest:
            return replace(point, days=Days(span, -int(length.count))), behind
        return replace(point, ago=length.seconds), behind

    def ends_ago(self, index: int) -> bool:
        """Whether 前, ago or earlier stands behind a length, and no time that it is measured from."""
        return self.behind_ago(index) is not None

    def behind_ago(self, index: int) -> int | None:
        """The word behind 前 or ago: an hour or so ago."""
        index += 2 if self.joined(index + 1, Cue.AROUND) else 1
        is_ago = self.joined(index, Cue.AGO, Cue.EARLIER) or (self.joined(index, Cue.BEFORE) and self.is_chinese(index))
        return index + 1 if is_ago else None
