"""Numbers that name a thing and measure nothing: codes, ports, process ids, source lines (R37).

A claim may repeat one as it stands (502, 端口 8080, 第 214 行), never as so many of something or so long.
"""

from __future__ import annotations

import re

from domain.values.units import BARE, COUNT, unit_named
from domain.values.value import Value

_NAMES = (
    r"(?:exit|error|err|status|response|return|sql)?[_ ]?code|status|errno|port|pid|tid|uid|gid|xid|process|transaction"
    r"|thread|line|revision|build|partition|shard|offset|slot|version|id|score|退出码|状态码|错误码|返回码|端口|进程|事务|行号"
)
_BEFORE = re.compile(
    rf"(?:(?:(?<![A-Za-z])|(?<=_)|(?<=status))(?:{_NAMES})(?:号|\s?id)?[\"']?\s?[:=：#为是]?\s?[\"'(\[]?"
    r"|[A-Za-z_]=\"|[\w\-]\.[\w.\-]+:|HTTP(?:/\d(?:\.\d)?)?\"?\s(?:\d{3}\s)?|#|(?<!\d)\s\*)\Z",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"(?:\A|\s)\[\Z")
_CALLED = re.compile(r"(?P<word>[A-Za-z]+)\(\Z")
_ORDINAL = re.compile(r"第\s?\Z")
_LIMIT = re.compile(
    r"(?:max|limit|total|threshold|slo|quota|capacity|desired|最多|上限|阈值|共)\w*\s?[:=：]?\s?\Z|\d\s?/\s?\Z|\sof\s\Z",
    re.IGNORECASE,
)


def names_a_thing(value: Value) -> bool:
    """Only a number without a unit can: exit_code=137, GC(187), OrderService.java:214, 31#31, errno 110."""
    if value.dimension != BARE or value.extent or value.step != 1:
        return False
    if _BEFORE.search(value.lead) or (value.tail.startswith("#") and value.tail[1:2].isdigit()):
        return True
    if _BRACKETED.search(value.lead) and value.tail.startswith("]"):
        return True
    if value.lead.endswith("(") and value.tail.startswith(":"):
        return True
    called = _CALLED.search(value.lead)
    return called is not None and unit_named(called["word"]).dimension != COUNT


def is_ordinal(value: Value) -> bool:
    """第 2 次: which one, not how many."""
    return value.dimension == COUNT and _ORDINAL.search(value.lead) is not None


def is_limit(value: Value) -> bool:
    """max=3, the 3 of 2/3: how many there may be."""
    return _LIMIT.search(value.lead) is not None
