"""Colours and other sequences of terminals in log lines."""

from __future__ import annotations

import re

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,2048}(?:\x07|\x1b\\)|[@-Z\\^_])?"
    r"|(?:#033|\^\[)\[[0-9;]{0,32}m"  # as syslog daemons and `cat -v` write them
)


def without_escapes(text: str) -> str:
    """The text as a terminal shows it, without colours."""
    if "\x1b" in text or "#033[" in text or "^[[" in text:
        return _ESCAPES.sub("", text)
    return text
