"""The words of time in a question, one by one: what `phrases` puts together (R70).

Reading is linear: expressions have bounded repeats and begin with what only a word of time begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from domain.language import time_words as words
from domain.language.time_words import Cue, Part, listed
from domain.question.when.clocks import CLOCKS, ZONES
from domain.question.when.dates import DATES
from domain.question.when.days import Days
from domain.question.when.lengths import BARE_UNITS, LENGTHS
from domain.question.when.loose import LOOSE
from domain.question.when.named_days import NAMED_DAYS
from domain.question.when.pieces import (
    DASH,
    ENDS,
    FRESH,
    HOUR_WORDS,
    TWO,
    Clock,
    Kind,
    Number,
    Quantity,
    Value,
    just,
    whole,
    whole_number,
)


@dataclass(frozen=True, slots=True)
class Token:
    """`start` and `end` are of the folded text; `joined`: nothing but blanks and brackets stands before it."""

    value: Value
    start: int
    end: int
    text: str
    joined: bool = False


_BEFORE = [word for word in words.EVER_BEFORE if word.isascii()]
_CUES = {word: cue for cue, pair in words.CUES.items() for word in listed(*pair)}


def _cue(match: re.Match[str]) -> Iterator[Cue]:
    yield _CUES.get(match["cue_word"] or "", Cue.TO)


def _number(match: re.Match[str]) -> Iterator[Number]:
    yield Number(whole_number(match["digits"] or match[0]))


_KINDS = (
    Kind(rf"{whole(listed(*words.CUES[Cue.EVER]))}|{whole(_BEFORE)}(?= ?(?:[?!.,;]|$))", just(Cue.EVER)),
    *LOOSE,
    LENGTHS,
    *DATES,
    *CLOCKS,
    ZONES,
    *NAMED_DAYS,
    BARE_UNITS,
    Kind(rf"(?P<cue_word>{whole(_CUES)})|{DASH}{{1,2}}>?|/(?=\d)", _cue),
    Kind(
        rf"{FRESH}(?:(?P<digits>\d{{1,2}})(?:st|nd|rd|th)?(?![\d.:/%a-z_])|{HOUR_WORDS}{ENDS}"
        rf"|{TWO}(?= ?(?:{DASH}|[到至])))",
        _number,
    ),
)


@cache
def _expression() -> re.Pattern[str]:
    """One for all kinds; made when the first question is read."""
    return re.compile("|".join(f"(?P<kind{index}>{kind.pattern})" for index, kind in enumerate(_KINDS)))


def tokens_of(text: str) -> list[Token]:
    """The words of time in a folded text, in its order."""
    return _with_hours(text, _with_sums(list(_scan(text))))


def _scan(text: str) -> Iterator[Token]:
    last_end = 0
    for match in _expression().finditer(text):
        values = list(_KINDS[int((match.lastgroup or "kind0")[4:])].read(match))
        for index, value in enumerate(values):
            may_lie_between = " ()," if value in {Cue.TO, Cue.UNTIL} else " ()"
            joined = index > 0 or not text[last_end : match.start()].strip(may_lie_between)
            yield Token(value, match.start(), match.end(), match[0], joined)
        last_end = match.end() if values else last_end


def _with_sums(tokens: Sequence[Token]) -> list[Token]:
    """1h30m and 一小时二十分钟 are one length."""
    summed: list[Token] = []
    for token in tokens:
        and_between = bool(summed) and summed[-1].joined and summed[-1].value is Cue.AND
        first = summed[-2 if and_between else -1] if len(summed) > and_between else None
        if first and token.joined and (both := _sum(first.value, token.value)):
            summed[-2 if and_between else -1 :] = [replace(first, value=both, end=token.end)]
        else:
            summed.append(token)
    return summed


def _sum(first: Value, second: Value) -> Quantity | None:
    if not (isinstance(first, Quantity) and isinstance(second, Quantity)):
        return None
    if first.seconds is None or second.seconds is None or second.unit >= first.unit or second.bare:
        return None
    return replace(first, rest=first.rest + second.seconds, lately=second.lately)


# ---------------------------------------------------------------- bare numbers

_CLOSED = re.compile(r" ?(?:$|[^\w \0%#*/+])")
"""Behind a bare hour: the end, or a mark; no thing that is counted."""


def _with_hours(text: str, tokens: Sequence[Token]) -> list[Token]:
    """Bare numbers become hours or days where their neighbours say so: between 2 and 3 am, 5 月 1 到 3 日, at 9."""
    read = list(tokens)
    for index in reversed(range(len(read))):
        if isinstance(read[index].value, Number) and (time := _as_time(text, read, index)):
            read[index] = replace(read[index], value=time)
    parted = [isinstance(token.value, Number) for token in [*read[:1], *read]]
    told = [replace(token, joined=token.joined and not apart) for token, apart in zip(read, parted, strict=False)]
    return [token for token in told if not isinstance(token.value, Number)]


def _as_time(text: str, read: Sequence[Token], index: int) -> Value | None:
    number = read[index].value
    before = [token.value for token in read[max(0, index - 2) : index]]
    ahead = [token.value for token in read[index + 1 : index + 4] if token.joined]
    if not isinstance(number, Number):
        return None
    if len(ahead) > 1 and ahead[0] in {Cue.TO, Cue.AND} and isinstance(ahead[1], Clock) and ahead[1].spoken:
        return Clock(number.value, spoken=True)
    if len(ahead) > 1 and ahead[0] in {Cue.TO, Cue.AND} and isinstance(ahead[1], Days) and ahead[1].day:
        return Days(day=number.value) if 1 <= number.value <= 31 else None
    is_dated = isinstance(next((value for value in ahead if value is not Cue.LINK), None), Part | Days)
    if not (is_dated or _CLOSED.match(text, read[index].end)):
        return None
    if len(before) > 1 and before[1] is Cue.TO and isinstance(before[0], Days) and before[0].day:
        return Days(day=number.value) if number.value <= 31 else None
    return Clock(number.value, spoken=True) if number.value <= 24 and _is_hour(read, index, is_dated) else None


def _is_hour(read: Sequence[Token], index: int, is_dated: bool) -> bool:
    """At 9, until 9, between 9 and 11; beside a day also after 9, from 9 to 11."""
    values = [None, None, None, None, *(token.value for token in read[max(0, index - 4) : index])][-4:]
    if values[3] in {Cue.TO, Cue.AND}:
        is_dated = is_dated or isinstance(values[0], Part | Days)
        is_named = isinstance(values[2], Clock) and bool(values[2].half)
        return is_named or values[1] is Cue.BETWEEN or (is_dated and _opens(values[1], values[2]))
    if is_dated and values[3] in {Cue.FROM, Cue.AFTER, Cue.BEFORE, Cue.AROUND}:
        return True
    return values[3] is Cue.SINCE or (index > 0 and read[index - 1].text in {"at", "until", "till"})


def _opens(*values: object) -> bool:
    """Whether what stands before a range's end makes its hours such: from 9, last night."""
    return Cue.FROM in values or isinstance(values[1], Part | Days)
