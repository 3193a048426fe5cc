"""Text from outside on a terminal: nothing in it moves the cursor, changes a colour, turns a line round or hides (R73).

The command line prints through `shown_harmlessly`, whatever it prints and whoever wrote it; `plain` besides keeps what
belongs in one line in one line. Marks are those of JSON (`\\u001b`), so that what is printed for programs still parses
to the exact text.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls of C0 and C1, without tab and newline
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # shown as nothing, by name or by use
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"  # zero width, directions, line separators
    "\u0600-\u0605\u06dd\u070f\u08e2\ufe00-\ufe0d"
    "\U0001d173-\U0001d17a\U0001bca0-\U0001bca3\U000e0000-\U000e0fff"  # tags and further variations
    "\ud800-\udfff"  # halves of pairs, which no output takes
    "]"
    "|(?<=[\ufe00-\ufe0f])[\ufe0e\ufe0f]"  # the picture form of a sign, once
)
_LINE = str.maketrans({"\n": "\\n", "\t": "\\t"})
_MARKS = "assay.marks"


def harmless(text: str) -> str:
    """The text with every such character as a mark; newline and tab stay."""
    return text if text.isascii() and text.isprintable() else HIDDEN.sub(_mark, text)


def plain(text: str) -> str:
    """The same as one line: line breaks are marks, too."""
    return harmless(text).translate(_LINE)


def lines(text: str) -> list[str]:
    """A text of several lines, which nothing in it can make more or fewer than it has."""
    return [plain(line) for line in text.split("\n")]


class Harmless:
    """A stream for text of any origin. `raw` is the stream below, for what moves the cursor on purpose."""

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw
        if reconfigure := getattr(raw, "reconfigure", None):
            reconfigure(errors=_MARKS)  # a terminal that is not UTF-8 loses no answer

    def write(self, text: str) -> int:
        self.raw.write(harmless(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


@contextmanager
def shown_harmlessly() -> Iterator[None]:
    """Standard output and standard error of the block."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Harmless(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def raw(stream: TextIO) -> TextIO:
    """For text of ours that draws over itself."""
    below: TextIO = getattr(stream, "raw", stream)
    return below


def _mark(found: re.Match[str]) -> str:
    return _escaped(found[0])


def _escaped(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _unencodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _escaped(error.object[error.start : error.end]), error.end


codecs.register_error(_MARKS, _unencodable)
