"""Which lines belong to the entry before them: those of a shape that is known to, and no others (R68).

What begins like a stamp or with an escape sequence begins an entry, also where the stamp is not understood.
"""

from __future__ import annotations

import re
from enum import Enum


class Shape(Enum):
    """What a line that begins no entry of a known format looks like."""

    PART = "part"  # of the entry before it
    EXCEPTION = "exception"  # of the entry before it, if that one reports a failure
    OTHER = "other"  # an entry of its own


_CLASS = r"(?:[A-Za-z_$][\w$]{0,127}\.){0,16}[A-Za-z_$][\w$]{0,127}"
_EXCEPTION_LINE = re.compile(
    r"(?:Exception in thread \"[^\"]{0,128}\" )?"
    rf"{_CLASS}(?:Exception|Error|Throwable|Interrupt|Exit|Fault|Failure|Iteration|Warning)"
    r"(?:\(\w{0,64}\))?(?=:(?: |$)|$| \[|\()|Traceback \(most recent|panic: "
)
_TRACE_LINE = re.compile(
    r"Caused by: |Suppressed: |\.\.\. \d{1,6} (?:more|common frames)|at [\w.$<>/@-]{1,256}(?:\(|$)|--- End of "
    r"|#\d{1,4} +(?:0x|/|\{main\}|\[internal |[\w\\:~<>]{1,256}(?:->| ?\()|[^()]{1,256}\(\d{1,7}\): )"
    r"|Stack trace:$|\[stacktrace\]|\[previous exception\]"
    r"|File \"[^\"]{1,256}\", line \d|During handling of the above|The above exception was|exit status \d|\[signal "
    r"|goroutine \d{1,10} \[|created by [\w./*()-]{1,256}|\w{1,64}[./][\w./*()-]{1,256}\([^()]{0,256}\)$"
    r"|[\w-]{1,64}\.[\w.-]{2,64}/[\w./@*()\[\]-]{1,400}\.\w{1,64}(?:\.func[\d.]{1,8})?$"
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_STAMP_LIKE = re.compile(
    r"[\[(<]?(?:\d{1,4}[-/.:年]\d{1,2}(?:[-/.:月ap-]|\D?$)|\d{8}[T _-]\d|(?:19|20)\d{6}\b|\d{6} \d"
    r"|\d{10}(?:\d{3}){0,3}\b|\d{1,2}[:h]\d\d"
    rf"|\d{{1,2}}[ -]{_MONTH}|{_MONTH}[a-z]{{0,6}}\.? {{1,2}}\d|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{{0,6}},? "
    r"|[A-Z](?:\d{4}){1,2} \d\d:|\d{1,8}:[A-Z] \d)"
)
_TIME = re.compile(r"\d[-/.:]\d\d[-/.:]\d")
_WORD = re.compile(r"[^\W\d_]{3}|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def begins_like_stamp(line: str) -> bool:
    """Whether a line begins with digits like a date or time, understood or not."""
    return _STAMP_LIKE.match(line) is not None


def is_trace(line: str) -> bool:
    """Whether a line is a part of a trace behind its exception; no entry of any format begins so."""
    return _TRACE_LINE.match(line) is not None


def shape_of(line: str) -> Shape:
    """The shape of a line that no format takes, without escape sequences."""
    if not line or line.isspace() or (line[0].isspace() and not begins_like_stamp(line.lstrip())):
        return Shape.PART
    if line[0] == "{" or begins_like_stamp(line.lstrip()):
        return Shape.OTHER
    if _TRACE_LINE.match(line) or (_WORD.search(line) is None and _TIME.search(line) is None):
        return Shape.PART
    return Shape.EXCEPTION if _EXCEPTION_LINE.match(line) else Shape.OTHER
