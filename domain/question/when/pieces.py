"""What the expressions for words of time are made of, and what they read (R70)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from domain.language import time_words as words
from domain.language.time_words import Cue, Part, listed
from domain.question.when.days import Days
from domain.values.numerals import DIGITS, amount, english_number


@dataclass(frozen=True, slots=True)
class Quantity:
    """A length of time: `count` units of `unit` seconds and `rest` seconds. No count: a few.

    `bare`: without a number (the last hour); `lately`: 三天来.
    """

    count: Fraction | None
    unit: int
    rest: Fraction = Fraction()
    bare: bool = False
    lately: bool = False

    @property
    def seconds(self) -> Fraction | None:
        return None if self.count is None else self.count * self.unit + self.rest


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day as written; `half` is a(m) or p(m). `spoken`: 十点, 3 pm; a number before it may be an hour too."""

    hour: int
    minute: int = 0
    second: int = 0
    half: str = ""
    spoken: bool = False
    is_padded: bool = False  # 02:00, which is never 2 pm
    is_bit: bool = False  # 一点, which is more often a bit than an hour

    @property
    def exists(self) -> bool:
        is_hour = self.hour <= 23 or (self.hour == 24 and not self.minute and not self.second)
        return is_hour and self.minute < 60 and self.second < 60

    @property
    def of_day(self) -> int:
        """Seconds since midnight."""
        return self.hour * 3600 + self.minute * 60 + self.second


@dataclass(frozen=True, slots=True)
class Zone:
    """An offset as ISO 8601 writes it; "" where the name has no one meaning."""

    offset: str


@dataclass(frozen=True, slots=True)
class Number:
    """A bare number, which is an hour or a day where its neighbours say so."""

    value: int


Value = Quantity | Clock | Zone | Number | Days | Part | Cue


class Kind(NamedTuple):
    """A kind of words: their pattern, whose groups no other kind has, and what a match says (nothing: no word)."""

    pattern: str
    read: Callable[[re.Match[str]], Iterable[Value]]


WHOLE = r"(?<![a-z0-9_@])(?<![a-z0-9_][-.@])"
ENDS = r"(?![a-z0-9_@])(?![-.@][a-z])"
NEW = r"(?<![a-z0-9_.])(?<![0-9a-z:\]]:)(?<![a-ln-z_]-)(?<![b-oq-z_]m-)"
FRESH = rf"{NEW}(?<![{DIGITS}十百])(?<![a-z_]/)(?<!\d[,/])"
"""Before a time or a number that begins here: no part of a name, a version or an address."""
TWO = rf"(?:\d{{1,2}}|[{DIGITS}十]{{1,3}})"
DASH = rf"[{words.DASHES}]"


def plain(names: Iterable[str]) -> str:
    """A pattern of any of the names, the longest first."""
    return "(?:" + "|".join(re.escape(name) for name in sorted(set(names), key=len, reverse=True)) + ")"


def whole(names: Iterable[str]) -> str:
    """The same where none is part of another word: neither today-feed nor 内存 nor 接近."""
    return "(?:" + "|".join(_whole(name) for name in sorted(set(names), key=len, reverse=True)) + ")"


def _whole(name: str) -> str:
    if name[0].isascii() and name[0].isalpha():
        return f"{WHOLE}{re.escape(name)}{ENDS}"
    before, behind = words.NOT_BEHIND.get(name, ""), words.NOT_BEFORE.get(name, "")
    behind += "志" if name.endswith("日") else ""
    return (f"(?<![{before}])" if before else "") + re.escape(name) + (f"(?![{behind}])" if behind else "")


HOUR_WORDS = plain(listed("", "one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve"))


def number_of(written: str) -> Fraction:
    """12, 十二, twelve."""
    return english_number(written) if written[0].isascii() and written[0].isalpha() else amount(written)


def whole_number(written: str | None) -> int:
    return int(number_of(written)) if written else 0


def just(value: Value) -> Callable[[re.Match[str]], Iterator[Value]]:
    """A reader for words that all say the same."""

    def read(_: re.Match[str]) -> Iterator[Value]:
        yield value

    return read
