"""Lengths of time: 90 分钟, 一个半小时, an hour and a half, a few days (R70)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from domain.language import time_words as words
from domain.question.when.pieces import DASH, FRESH, Kind, Quantity, number_of, plain, whole
from domain.values.numerals import DIGITS, ENGLISH_NUMERAL

_HALF = Fraction(1, 2)
_UNITS = {word: row.value for row in words.UNITS for word in row.words}
_LATIN = plain(unit for unit in _UNITS if unit.isascii())
_CHINESE = plain(unit for unit in _UNITS if not unit.isascii() and unit not in {"日", "年", "分"})
_UNIT = (
    rf"(?:{_LATIN}(?![a-z_])|{_CHINESE}|分(?![之别布析支])|日(?=[内来以])|(?<!\d{{4}})年(?=[内来以前]|$)|(?<=个半)月)"
)
_NUMERAL = rf"(?:\d{{1,4}}(?:\.\d{{1,2}})?|[{DIGITS}十百]{{1,5}}(?:点[{DIGITS}]{{1,2}}(?!分(?!钟)))?)"
_COUNT = rf"(?:{_NUMERAL}|{ENGLISH_NUMERAL})"
_LOOSELY = rf"[一二两三四五六七八][两二三四五六七八九](?![十百])|{_COUNT} ?(?:{DASH}|到|至|、|to|or) ?{_COUNT}"
"""两三, 3-4, two or three: no number for sure."""
_QUANTITY = (
    rf"(?:{FRESH}|(?<=\d[dh]))(?:(?P<quarters>three quarters|a quarter|quarter) of an hour|"
    rf"(?P<few>{plain(words.FEW)}|{_LOOSELY}) ?(?:more )?个?{_UNIT}|{_COUNT}(?:[来多]个?|个多) ?{_UNIT}|"
    rf"(?:(?P<part_of>半|half an?|half)|(?P<count>{_NUMERAL}|{ENGLISH_NUMERAL})|(?:an?)(?= ))[ -]?"
    rf"(?P<more>and a half |个半)? ?(?P<unit>{_UNIT})(?P<and_half>半| and a half)?)(?P<lately>来(?![自到的源回]))?"
)


def _quantity(match: re.Match[str]) -> Iterator[Quantity]:
    if quarters := match["quarters"]:
        yield Quantity(Fraction(3 if quarters.startswith("three") else 1), 900)
    elif not match["unit"]:
        yield Quantity(None, 0)
    else:
        count = _HALF if match["part_of"] else number_of(match["count"]) if match["count"] else Fraction(1)
        more = _HALF if match["more"] or match["and_half"] else Fraction()
        unit = _UNITS.get(match["unit"]) or _UNITS["个" + match["unit"]]
        yield Quantity(count + more, unit, lately=bool(match["lately"]))


def _bare(match: re.Match[str]) -> Iterator[Quantity]:
    more = _HALF if match["bare_half"] else Fraction()
    yield Quantity(1 + more, _UNITS[match["bare_unit"]], bare=True)


LENGTHS = Kind(_QUANTITY, _quantity)
BARE_UNITS = Kind(rf"(?P<bare_unit>{whole(words.BARE_UNITS)})(?P<bare_half> and a half)?", _bare)
"""The last hour, 上一小时: a unit without a number."""
