"""Figures spelled in English words or in characters of their own: two thirds, dozens, half an hour, ⅓, ⑨⑨ (R37)."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from domain.values.numerals import ENGLISH_NUMERAL, ENGLISH_PARTS, ENGLISH_SCALES, english_number
from domain.values.units import COUNT, PLAIN, RATIO, UNIT, Unit, named_unit, unit_named
from domain.values.value import Extent, Value, exact, vague
from domain.values.written import Reader

_SHARE = Unit(RATIO)
_THINGS = Unit(COUNT)
_PERCENT = Fraction(1, 100)
_FOLDS: dict[str, int | Fraction] = {
    **{"twice": 2, "doubled": 2, "doubles": 2, "twofold": 2, "thrice": 3, "tripled": 3},
    **{"double": 2, "triple": 3},
    **{"threefold": 3, "quadrupled": 4, "fourfold": 4, "fivefold": 5, "tenfold": 10, "halved": Fraction(1, 2)},
}


def _spelled(match: re.Match[str]) -> Value | None:
    """ninety-nine percent, one and a half hours; a lone "one" is an article."""
    words, unit = match["number"], named_unit(match)
    if words.casefold() == "one" and unit.dimension in {PLAIN.dimension, COUNT}:
        return None
    half = Fraction(1, 2) if match["half"] else 0
    places = len(words.casefold().partition(" point ")[2].split())
    return exact(match.span(), english_number(words) + half, unit, Fraction(1, 10 ** (places or bool(half))))


def _part(match: re.Match[str]) -> Value:
    """two thirds, three quarters, a third of."""
    count = match["count"].casefold()
    number = Fraction(1) if count in {"a", "an"} else english_number(count)
    return exact(match.span(), number / ENGLISH_PARTS[match["part"].casefold()], _SHARE, _PERCENT)


def _half(match: re.Match[str]) -> Value:
    unit = unit_named(match["name"]) if match["name"] else _SHARE
    return exact(match.span(), Fraction(1, 2), unit, Fraction(1, 10) if match["name"] else _PERCENT)


def _fold(match: re.Match[str]) -> Value:
    """doubled, twice as many; "retried twice" counts."""
    word = match["fold"].casefold()
    counts = word in {"twice", "thrice"} and not match["than"]
    return exact(match.span(), Fraction(_FOLDS[word]), _THINGS if counts else _SHARE, Fraction(1))


def _several(match: re.Match[str]) -> Value:
    """hundreds of, a few thousand, several hours: two to nine of them."""
    scale = (match["scales"] or match["scale"] or "").casefold()
    power = Fraction(ENGLISH_SCALES.get(scale, 1))
    return vague(match.span(), Extent(2 * power, 10 * power), named_unit(match, _THINGS))


def _vulgar(match: re.Match[str]) -> Value:
    """⅓ is a share, 3½ a number."""
    part = Fraction(unicodedata.numeric(match["part"])).limit_denominator(10)
    number = Fraction(match["whole"] or 0) + part
    return exact(match.span(), number, named_unit(match, PLAIN if match["whole"] else _SHARE), _PERCENT)


def _circled(match: re.Match[str]) -> Value:
    """⑨⑨, ⑮ 次; a lone circled digit numbers a list."""
    digits = "".join(str(int(unicodedata.numeric(character))) for character in match["number"])
    return exact(match.span(), Fraction(digits), named_unit(match), Fraction(1))


_SCALE = "|".join(ENGLISH_SCALES)
_PART = "|".join(sorted(ENGLISH_PARTS, key=len, reverse=True))
_CIRCLED = r"[\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u3220-\u3229\u3251-\u325f\u3280-\u3289\u32b1-\u32bf]"
_FOLDED = "|".join(word for word in _FOLDS if word not in {"double", "triple"})
_BEGIN = r"(?<![A-Za-z0-9_.\-])"
_END = r"(?![A-Za-z0-9_\-])"

ROWS: tuple[tuple[str, Reader], ...] = (
    (rf"{_BEGIN}(?P<count>one|two|three|four|five|six|seven|eight|nine)[\s-](?P<part>{_PART}){_END}", _part),
    (rf"{_BEGIN}(?P<count>an?)\s(?P<part>third|quarter|fourth|fifth|tenth)(?=\sof\b)", _part),
    (rf"{_BEGIN}half\s(?:an?\s)?(?P<name>hour|minute|second|day|week|month|year){_END}", _half),
    (rf"{_BEGIN}half(?P<name>)(?=\s(?:of|the|its|all)\b)", _half),
    (rf"{_BEGIN}(?P<fold>{_FOLDED}){_END}(?P<than>\s(?:as|the|its)\b)?", _fold),
    (rf"{_BEGIN}(?P<fold>double|triple)(?P<than>\s(?:the|that|its)\b)", _fold),
    (
        rf"{_BEGIN}(?:(?P<scales>{_SCALE})s|(?:several|a\sfew)\s(?P<scale>{_SCALE})){_END}(?:\sof{_END})?{UNIT}?",
        _several,
    ),
    (rf"{_BEGIN}(?:several|a\sfew|a\scouple\sof)(?P<scales>)(?P<scale>){UNIT}", _several),
    (rf"{_BEGIN}(?P<number>{ENGLISH_NUMERAL})(?P<half>\sand\sa\shalf)?{UNIT}?{_END}", _spelled),
    (rf"(?<![\d.])(?P<whole>\d{{1,9}})?\s?(?P<part>[¼½¾\u2150-\u215e]){UNIT}?", _vulgar),
    (rf"(?P<number>{_CIRCLED}{{1,9}}){UNIT}", _circled),
    (rf"(?P<number>{_CIRCLED}{{2,9}})(?P<other>)(?P<unit>)", _circled),
)
