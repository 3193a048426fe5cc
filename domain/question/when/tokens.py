"""The words of time in a question, one by one: what `phrases` puts together (R70).

Reading is linear: expressions have bounded repeats and begin with what only a word of time begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from domain.language import time_words as words
from domain.language.time_words import Cue, Part, listed
from domain.question.when.clocks import CLOCKS, ZONES
from domain.question.when.dates import DATES
from domain.question.when.days import Days
from domain.question.when.lengths import BARE_UNITS, LENGTHS
from domain.question.when.named_days import NAMED_DAYS
from domain.question.when.pieces import (
    DASH,
    ENDS,
    FRESH,
    HOUR_WORDS,
    TWO,
    WHOLE,
    Clock,
    Kind,
    Number,
    Quantity,
    Value,
    just,
    plain,
    whole,
    whole_number,
)


@dataclass(frozen=True, slots=True)
class Token:
    """`start` and `end` are of the folded text; `joined`: at most a blank stands before it."""

    value: Value
    start: int
    end: int
    text: str
    joined: bool = False


_CUES = {word: cue for cue, pair in words.CUES.items() for word in listed(*pair)}
_EVENT = plain(listed(*words.EVENTS))
_HOLIDAYS, _ENGLISH_HOLIDAYS = (plain(listed(zh, en)) for zh, en in ((words.HOLIDAYS[0], ""), ("", words.HOLIDAYS[1])))
_HAPPENING = (
    rf"(?:上次|上一次|最近一次|那次|这次|前次)的?[^，。；？！,;?!\0]{{0,6}}?{_EVENT}(?:之后|以后|以来|之前|以前|期间|后|前|时)"
    rf"|(?:自从?|从){_EVENT}(?:之后|以后|以来|后|起|开始)|{_EVENT}(?:期间|时段|窗口期|以来)"
    rf"|{_HOLIDAYS}(?:节|期间|假期|当天|那天|以来|前后|之后|晚上)"
    rf"|{WHOLE}(?:since|after|before|during|around) (?:(?:the|our|this|that|last|latest|previous) ){{1,2}}"
    rf"(?:[a-z]{{1,12}} )?{_EVENT}{ENDS}"
    rf"|{WHOLE}since {_EVENT}{ENDS}|{WHOLE}(?:on|over|during|since|at) {_ENGLISH_HOLIDAYS}{ENDS}"
)


def _cue(match: re.Match[str]) -> Iterator[Cue]:
    yield _CUES.get(match["cue_word"] or "", Cue.TO)


def _number(match: re.Match[str]) -> Iterator[Number]:
    yield Number(whole_number(match[0]))


_KINDS = (
    Kind(f"(?:{_HAPPENING})|{whole(listed(*words.CUES[Cue.VAGUE]))}", just(Cue.VAGUE)),
    Kind(rf"{whole(listed(*words.CUES[Cue.EVER]))}|{whole(words.EVER_BEFORE)}(?= ?(?:[?!.,;]|$))", just(Cue.EVER)),
    LENGTHS,
    *DATES,
    *CLOCKS,
    ZONES,
    *NAMED_DAYS,
    BARE_UNITS,
    Kind(rf"(?P<cue_word>{whole(_CUES)})|{DASH}{{1,2}}>?|/(?=\d)", _cue),
    Kind(rf"{FRESH}(?:\d{{1,2}}(?![\d.:/%a-z_])|{HOUR_WORDS}{ENDS}|{TWO}(?= ?(?:{DASH}|[到至])))", _number),
)
_ANY = re.compile("|".join(f"(?P<kind{index}>{kind.pattern})" for index, kind in enumerate(_KINDS)))


def tokens_of(text: str) -> list[Token]:
    """The words of time in a folded text, in its order."""
    return _with_hours(text, _with_sums(list(_scan(text))))


def _scan(text: str) -> Iterator[Token]:
    last_end = 0
    for match in _ANY.finditer(text):
        values = list(_KINDS[int((match.lastgroup or "kind0")[4:])].read(match))
        for index, value in enumerate(values):
            joined = index > 0 or not text[last_end : match.start()].strip(" ")
            yield Token(value, match.start(), match.end(), match[0], joined)
        last_end = match.end() if values else last_end


def _with_sums(tokens: Sequence[Token]) -> list[Token]:
    """1h30m and 一小时二十分钟 are one length."""
    summed: list[Token] = []
    for token in tokens:
        last = summed[-1] if summed else None
        if last and token.joined and (both := _sum(last.value, token.value)):
            summed[-1] = replace(last, value=both, end=token.end, text=last.text + token.text)
        else:
            summed.append(token)
    return summed


def _sum(first: Value, second: Value) -> Quantity | None:
    if not (isinstance(first, Quantity) and isinstance(second, Quantity)):
        return None
    if first.seconds is None or second.seconds is None or second.unit >= first.unit or second.bare:
        return None
    return replace(first, rest=first.rest + second.seconds)


_CLOSED = re.compile(r" ?(?:$|[^\w \0%#*/+])")
"""Behind a bare hour: the end, or a mark; no thing that is counted."""
_HOUR_LEADS = {Cue.SINCE, Cue.UNTIL, Cue.BEFORE, Cue.AFTER, Cue.AROUND}


def _with_hours(text: str, tokens: list[Token]) -> list[Token]:
    """Bare numbers become hours or days where their neighbours say so: between 2 and 3 am, 5 月 1 到 3 日, at 9."""
    read = list(tokens)
    for index in range(len(read) - 1, -1, -1):
        value = read[index].value
        if isinstance(value, Number) and (hour := _as_time(text, read, index, value.value)):
            read[index] = replace(read[index], value=hour)
    return [token for token in read if not isinstance(token.value, Number)]


def _as_time(text: str, read: Sequence[Token], index: int, number: int) -> Value | None:
    before = [token.value for token in read[max(0, index - 3) : index]]
    ahead = [token.value for token in read[index + 1 : index + 3] if token.joined]
    if len(ahead) == 2 and ahead[0] in {Cue.TO, Cue.AND} and isinstance(ahead[1], Clock) and ahead[1].spoken:
        return Clock(number, spoken=True)
    if before[-1:] == [Cue.TO] and len(before) > 1 and isinstance(before[-2], Days) and before[-2].day and number <= 31:
        return Days(day=number) if _CLOSED.match(text, read[index].end) else None
    is_closed = bool(_CLOSED.match(text, read[index].end)) or (bool(ahead) and isinstance(ahead[0], Part | Days))
    leads = before[-1:] and (before[-1] in _HOUR_LEADS or read[index - 1].text == "at")
    in_range = len(before) > 2 and before[-3] in {Cue.FROM, Cue.BETWEEN} and before[-1] in {Cue.TO, Cue.AND}
    if is_closed and number <= 24 and (leads or in_range):
        return Clock(number, spoken=True)
    return None
