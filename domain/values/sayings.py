"""What a claim says of a number beside its size, which the items must say as well (R37).

How much is left, was freed or was added is no figure of what is used; 每秒 needs a rate; 阈值 91% a threshold of 91%.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain.values.units import BARE, BYTES, COUNT, RATIO
from domain.values.value import Value

_REST = r"剩|余|空闲|可用|未用|free|left|remain|avail|idle|unused|spare|low on"
_FREED = r"回收|释放|freed|reclaim|collected"
_GROWN = (
    r"增|减|升|降|涨|跌|变化|波动|->|→"
    r"|increas|decreas|gr[eo]w|ris(?:e|ing)|rose|drop|f[ea]ll|chang|delta|diff|up by|down by|[+-]\d"
)
_ASPECTS = tuple(
    (re.compile(rf"(?:{said})\Z", re.IGNORECASE), re.compile(told, re.IGNORECASE))
    for said, told in (
        (r"(?:剩余?|空闲|空余)(?:率|空间|内存|容量|了|为|仅|约|只有|\s){0,3}|\b(?:free|remaining)\s", _REST),
        (rf"(?:{_FREED})(?:了|约|内存|\s){{0,3}}", _FREED),
        (r"(?:增长|增加|上升|上涨|下降|减少|降低|升高)(?:了|约|\s){0,3}", _GROWN),
    )
)
_PERIODS = {
    "second": (r"每秒(?:钟)?|per second|a second", r"/\s?s(?![a-z])|per.?sec|每秒|qps|tps|rps|rate|ops"),
    "minute": (r"每分钟?|per minute|a minute", r"/\s?m(?:in)?(?![a-z])|per.?min|每分|rpm|rate"),
    "hour": (r"每小时|per hour|an hour", r"/\s?h(?:our)?(?![a-z])|per.?hour|每小时|rate"),
    "day": (r"每[天日]|per day|a day", r"/\s?d(?:ay)?(?![a-z])|per.?day|每[天日]|rate|daily"),
}
_RATES = tuple(
    (
        re.compile(rf"(?:{said})[^\d]{{0,8}}\Z", re.IGNORECASE),
        re.compile(rf"\s?(?:{said})", re.IGNORECASE),
        re.compile(told, re.IGNORECASE),
    )
    for said, told in _PERIODS.values()
)

_LEFT = re.compile(r"(?:剩余?|空闲|空余)[^\d]{0,8}\Z|\b(?:free|remaining|left)[^\d]{0,12}\Z", re.IGNORECASE)


class Sayings:
    """The wording of some items."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = "\n".join(texts)

    def bear_aspect(self, value: Value) -> bool:
        """Whether the items speak of what is left, freed or grown where the claim says that of the value."""
        if value.dimension not in {RATIO, BYTES, BARE}:
            return True
        return all(told.search(self._text) for said, told in _ASPECTS if said.search(value.lead))

    def bear_rate(self, value: Value) -> bool:
        """Whether the items tell a rate where the claim says 每秒 or 每分钟."""
        if value.dimension not in {COUNT, BARE}:
            return True
        return all(
            told.search(self._text)
            for before, behind, told in _RATES
            if before.search(value.lead) or behind.match(value.tail)
        )


def tells_rest(value: Value) -> bool:
    """剩余 5%: what is left of the whole."""
    return _LEFT.search(value.lead) is not None
