"""How far the words beside a claim's number let the true one lie from it: bounds and roundings (R37).

超过 90% is true of 91%, and 约 5.2 秒 of 5231ms. A bound far from what was measured would fit anything of its unit, so
it reaches less far than a factor of two; a rounding reaches half of the last place that is written.
"""

from __future__ import annotations

import re
from fractions import Fraction

from domain.values.numerals import last_place
from domain.values.units import COUNT, TIME
from domain.values.value import Extent, Role, Value

MORE = r"超过|超出|高于|大于|多于|above|over|more than|greater than|exceed(?:s|ed|ing)?|(?<![-=])>=?"
LESS = r"低于|小于|少于|不到|不足|below|under|less than|<=?"
"""Comparisons that stand before their number, as regular expressions; a negation before one turns it."""
_AT_LEAST = r"突破|高达|不低于|不少于|至少|≥"
_AT_MOST = r"不超过|不高于|至多|最多|≤"
_BEFORE = re.compile(
    rf"(?<![A-Za-z])(?:(?P<less>{LESS}|{_AT_MOST})|(?P<more>{MORE}|{_AT_LEAST}))(?:了|the|阈值|\s)*\Z", re.IGNORECASE
)
_BEHIND = re.compile(r"\s?[及或]?以(?:(?P<more>上)|[下内])")
_NEGATED = re.compile(r"(?:[未没无]有?|并不|\bnot|n't)\s?(?:达到)?\Z", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:大?约|(?<![最附])近|接近|大概|大致|差不多|将近|≈|(?<!\d)~|\b(?:about|around|roughly|approximately|approx\.?|nearly|almost))"
    r"\s?[为是在有]?\s?\Z",
    re.IGNORECASE,
)
_OR_SO = re.compile(r"\s?(?:左右|上下|多?前后)")
_FACTOR = 2
_MINUTE = 60  # seconds
_ROUND = Fraction(1, 30)
"""约 1300 may be 1289: a number ending in noughts is rounded to them, by no more than this share of itself."""
_COARSE = Fraction(1, 10)
"""约 1 小时 is no half an hour: one digit alone is rounded by no more than this share."""


def latitude(value: Value) -> Extent | None:
    """The numbers of which the value may be said in these words, None where only of itself."""
    if value.extent or value.role is not Role.MEASURED or value.number <= 0:
        return None
    return _bound(value) or _rounding(value)


def _bound(value: Value) -> Extent | None:
    before, behind = _BEFORE.search(value.lead), _BEHIND.match(value.tail)
    comparison = before or behind
    if comparison is None:
        return None
    is_above = comparison["more"] is not None
    if before and _NEGATED.search(value.lead, 0, before.start()):
        is_above = not is_above
    if is_above:
        return Extent(value.number, value.number * _FACTOR)
    return Extent(value.number / _FACTOR, value.number, with_low=False, with_high=True)


def _rounding(value: Value) -> Extent | None:
    step, scale = value.step, value.number / value.written
    if _ABOUT.search(value.lead) or _OR_SO.match(value.tail):
        noughts = min(last_place(value.written) * scale / 2, value.number * _ROUND)
        reach = max(noughts, min(step / 2, value.number * _COARSE))
    elif value.number >= 10 * step and _keeps_its_places(value, scale):
        reach = step / 2
    else:
        return None
    return Extent(value.number - reach, value.number + reach, with_high=True)


def _keeps_its_places(value: Value, scale: Fraction) -> bool:
    """92.3% of 92.34%, or 25 小时 of 90061s: what is left out would be a place or a unit of its own."""
    if value.dimension == TIME and value.step >= _MINUTE:
        return True
    return value.step < scale and value.dimension != COUNT
