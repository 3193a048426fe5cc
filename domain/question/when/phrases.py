"""Words of time put together to phrases: points, ranges, bounds, lengths back from now (R70)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from fractions import Fraction

from domain.language import time_words as words
from domain.language.time_words import Cue, listed
from domain.question.when.days import Days
from domain.question.when.pieces import Quantity, plain
from domain.question.when.points import Point, Points
from domain.question.when.tokens import Token
from domain.values.numerals import DIGITS


class Shape(Enum):
    POINT = auto()
    RANGE = auto()  # from `first` to `last`, or to now
    SINCE = auto()
    BEFORE = auto()
    UNTIL = auto()
    BACK = auto()  # `length` back from now
    BESIDE = auto()  # `length` before and `after` the point
    EVER = auto()
    UNCLEAR = auto()


_NOWHERE = Point()


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that name a period; `start` and `end` are of the folded text, lengths are seconds."""

    shape: Shape
    start: int
    end: int
    first: Point = _NOWHERE
    last: Point | None = None
    length: Fraction = Fraction()
    after: Fraction = Fraction()


_Found = tuple[Phrase, int] | None
_COUNTED = rf"[^有是吗哪几多\d]{{0,10}}(?:\d{{1,6}}|[{DIGITS}十]{{1,3}}) ?[次个条笔%]"
_ASKED = re.compile(rf" ?(?:[a-z][a-z0-9-]{{0,40}} ?)?{plain(words.ASKING.split())}")
_HAPPENED = re.compile(rf"{plain(listed(*words.EVENTS))} ?\Z")
_CONDITION = re.compile(rf" ?(?:{plain(words.CONDITIONS.split())}|{_COUNTED})")


def phrases_in(tokens: Sequence[Token], text: str) -> list[Phrase]:
    """The phrases of a question in its order; a habit (每天 3 点) and a rule (超时后 5 分钟内) are none."""
    reader = _Phrases(tokens, text)
    found: list[Phrase] = []
    index = 0
    while index < len(tokens):
        is_habit = tokens[index].value is Cue.HABIT
        if read := None if is_habit else reader.phrase(index):
            found += [] if reader.joined(read[1], Cue.HABIT) and _is_of_any_day(read[0]) else [read[0]]
            index = read[1]
        elif is_habit or tokens[index].value is Cue.AFTER:
            index = reader.past_lengths(index + 1)
            habit = reader.phrase(index) if is_habit and reader.joined(index) else None
            index = habit[1] if habit and _is_of_any_day(habit[0]) else index
        else:
            index += 1
    return found


def _is_of_any_day(phrase: Phrase) -> bool:
    """Whether it may be the time of a habit: at 3 am, Mondays at 3."""
    days = phrase.first.days
    return phrase.shape in {Shape.POINT, Shape.RANGE} and (days is None or (days.weekday is not None and not days.span))


def _as_length(value: object) -> object:
    """最近 7 日: behind such a word the number of a day is one of days."""
    return Quantity(Fraction(value.day or 0), 86_400) if isinstance(value, Days) and value.is_number else value


class _Phrases(Points):
    def __init__(self, tokens: Sequence[Token], text: str) -> None:
        super().__init__(tokens)
        self._text = text

    def phrase(self, start: int) -> _Found:
        """The phrase that begins at a word, and the word behind it. A vague word beside it makes it unclear."""
        reads = (self._word, self._back, self._measured, self._between, self._bound, self._pointed)
        found = next((found for read in reads if (found := read(start))), None)
        if found is None:
            return None
        behind = self.past_links(found[1])
        if self.joined(behind, Cue.VAGUE, Cue.SAME, Cue.COMPARED):
            return self._made(Shape.UNCLEAR, start, behind + 1)
        if self.value(start - 1) is Cue.COMPARED and self.joined(start):
            return self._made(Shape.UNCLEAR, start - 1, found[1])
        return found

    def past_lengths(self, index: int) -> int:
        while self.joined(index) and isinstance(self.value(index), Quantity):
            index += 1
        return index

    def _made(self, shape: Shape, start: int, end: int, first: Point = _NOWHERE, last: Point | None = None) -> _Found:
        return Phrase(shape, self.tokens[start].start, self.tokens[end - 1].end, first, last), end

    def _word(self, start: int) -> _Found:
        value = self.value(start)
        if value is Cue.SAME and self.joined(start + 1) and (point := self.point(start + 1)):
            return self._made(Shape.UNCLEAR, start, point[1])
        if value is Cue.EVER and self.tokens[start].joined and isinstance(self.value(start - 1), Quantity):
            return self._made(Shape.UNCLEAR, start - 1, start + 1)  # an hour before
        if value is Cue.EVER:
            return self._made(Shape.EVER, start, start + 1)
        if value is Cue.VAGUE or (value is Cue.EARLIER and not self.point(start)):
            behind = self.past_links(start + 1)
            point = self.point(behind) if self.joined(behind) else None
            return self._made(Shape.UNCLEAR, start, point[1] if point else start + 1)
        is_asked = _ASKED.match(self._text, self.tokens[start].end)
        is_measured = self.joined(start + 1) and isinstance(self.value(start + 1), Quantity)
        if (is_asked or is_measured) and value in {Cue.HAPPENED, Cue.TO_HAPPEN}:
            return self._made(Shape.UNCLEAR, start, start + 1 + is_measured)
        if is_asked and self.tokens[start].text in words.EVER_BEFORE:
            return self._made(Shape.EVER, start, start + 1)
        if value in {Cue.TO, Cue.UNTIL} and self.joined(start + 1, Cue.NOW):
            return self._made(Shape.EVER, start, start + 2)
        return None

    # ------------------------------------------------------------ lengths

    def _back(self, start: int) -> _Found:
        """最近两小时, in the last hour, since 2 hours; 未来一小时 is unclear, 最近 alone says nothing."""
        is_led = self.value(start) in {Cue.LAST, Cue.NEXT, Cue.SINCE} or self._counts_back(start)
        index = self.past_links(start + 1, Cue.AROUND, Cue.LAST) if is_led else start
        length = _as_length(self.value(index)) if self.value(start) is Cue.LAST else self.value(index)
        if not isinstance(length, Quantity) or (is_led and not self.joined(index)):
            return None
        if self.value(start) is Cue.SINCE and (length.bare or self.ends_ago(index)):
            return None
        behind = self.past_links(index + 1, Cue.AROUND)
        is_within = self.joined(behind, Cue.WITHIN)
        is_since = length.lately or (self.joined(behind, Cue.ONWARD) and self.tokens[behind].text == "以来")
        if not is_led and (length.bare or not (is_since or (is_within and not self._is_condition(behind, length)))):
            return None
        if not is_led and _HAPPENED.search(self._text, max(0, self.tokens[start].start - 8), self.tokens[start].start):
            return self._made(Shape.UNCLEAR, start, behind + 1)  # 重启 5 分钟内
        end = behind + 1 if is_within or (is_since and not length.lately) else index + 1
        return self._length_back(start, end, length)

    def _length_back(self, start: int, end: int, length: Quantity) -> _Found:
        is_unclear = self.value(start) is Cue.NEXT or not length.seconds
        phrase = Phrase(Shape.UNCLEAR if is_unclear else Shape.BACK, self.tokens[start].start, self.tokens[end - 1].end)
        return replace(phrase, length=length.seconds or Fraction()), end

    def _counts_back(self, start: int) -> bool:
        """前 30 分钟 where nothing stands before it that it could belong to (重启前 30 分钟)."""
        token = self.tokens[start]
        before = self._text[max(0, token.start - 1) : token.start]
        return token.text == "前" and not "\u3400" <= before <= "\u9fff"

    def _is_condition(self, index: int, length: Quantity) -> bool:
        """30 秒内重试 3 次, 24 小时内必须: a length that is no period."""
        return length.unit < 60 or _CONDITION.match(self._text, self.tokens[index].end) is not None

    def _measured(self, start: int) -> _Found:
        """30 minutes before 10:00."""
        length, index = self.value(start), start + 1
        if (
            not isinstance(length, Quantity)
            or not length.seconds
            or not self.joined(index, Cue.BEFORE, Cue.AFTER, Cue.AROUND)
        ):
            return None
        found = None if self.is_chinese(index) or not self.joined(index + 1) else self.point(index + 1)
        return self._beside(start, found[1], found[0], self.value(index), length) if found else None

    def _beside(self, start: int, end: int, point: Point, side: object, length: Quantity) -> _Found:
        seconds = length.seconds or Fraction()
        phrase = Phrase(Shape.BESIDE, self.tokens[start].start, self.tokens[end - 1].end, point)
        before, after = (Fraction() if side is unwanted else seconds for unwanted in (Cue.AFTER, Cue.BEFORE))
        return replace(phrase, length=before, after=after), end

    # ------------------------------------------------------------ bounds and ranges

    def _between(self, start: int) -> _Found:
        """Between 2 and 3 am, 9 点和 10 点之间."""
        is_led = self.value(start) is Cue.BETWEEN
        first = self.point(start + 1 if is_led else start)
        if not first or not self.joined(first[1], Cue.AND, Cue.TO):
            return None
        last = self.point(first[1] + 1)
        if not last or not (is_led or (self.joined(last[1]) and self.tokens[last[1]].text == "之间")):
            return None
        return self._made(Shape.RANGE, start, last[1] if is_led else last[1] + 1, first[0], last[0])

    def _bound(self, start: int) -> _Found:
        """Since, from, before, after, until, with the point behind them."""
        cue = self.value(start)
        if cue is Cue.TO and self.is_chinese(start) and self.joined(start + 1):  # 到昨天为止
            found = self.point(start + 1)
            is_until = found and self.joined(found[1]) and self.tokens[found[1]].text == "为止"
            return self._made(Shape.UNTIL, start, found[1] + 1, found[0]) if found and is_until else None
        if cue not in {Cue.SINCE, Cue.FROM, Cue.BEFORE, Cue.AFTER, Cue.UNTIL} or not self.joined(start + 1):
            return None
        found = None if cue in {Cue.BEFORE, Cue.AFTER} and self.is_chinese(start) else self.point(start + 1)
        if not found:
            return None
        point, end = found
        if cue in {Cue.BEFORE, Cue.UNTIL}:
            return self._made(Shape.BEFORE if cue is Cue.BEFORE else Shape.UNTIL, start, end, point)
        if cue in {Cue.SINCE, Cue.FROM} and (ranged := self._ranged(start, point, end)):
            return ranged
        if self.joined(end, Cue.TO, Cue.UNTIL) and self.tokens[end].text.isalpha():  # 从 9 点到下班
            return self._made(Shape.UNCLEAR, start, end + 1)
        if self.joined(end, Cue.ONWARD):
            return self._made(Shape.SINCE, start, end + 1, point)
        is_of = cue is Cue.FROM and point.is_days and not self.is_chinese(start)  # the errors from yesterday
        return self._made(Shape.POINT if is_of else Shape.SINCE, start, end, point)

    def _ranged(self, start: int, first: Point, end: int) -> _Found:
        index = self.past_links(end)
        if not self.joined(index, Cue.TO, Cue.UNTIL):
            return None
        if self.joined(index + 1, Cue.NOW):
            return self._made(Shape.RANGE, start, index + 2, first)
        last = self.point(index + 1) if self.joined(index + 1) else None
        return self._made(Shape.RANGE, start, last[1], first, last[0]) if last else None

    def _pointed(self, start: int) -> _Found:
        """A point, a range that begins with one, or a bound that stands behind it: 10 点之前, 5 月 1 日起."""
        found = self.point(start)
        if not found:
            return None
        point, end = found
        if ranged := self._ranged(start, point, end):
            return ranged
        behind = self.past_links(end)
        if self.joined(behind, Cue.ONWARD, Cue.HAPPENED):
            return self._made(Shape.SINCE, start, behind + 1, point)
        if self.joined(behind, Cue.BEFORE, Cue.AFTER, Cue.TO_HAPPEN) and self.is_chinese(behind):
            length = self.value(behind + 1)
            if isinstance(length, Quantity) and length.seconds and self.joined(behind + 1):
                return self._beside(start, behind + 2, point, self.value(behind), length)
            shape = Shape.SINCE if self.value(behind) is Cue.AFTER else Shape.BEFORE
            return self._made(shape, start, behind + 1, point)
        length = self.value(behind)
        if (
            self.value(end - 1) is Cue.AROUND
            and isinstance(length, Quantity)
            and length.seconds
            and self.joined(behind)
        ):
            return self._beside(start, behind + 1, point, Cue.AROUND, length)
        return self._made(Shape.POINT, start, end, point)
