"""Text from outside on a terminal: nothing in it moves the cursor, changes a colour or hides (R73)."""

from __future__ import annotations


def plain(text: str) -> str:
    """Control, invisible and bidirectional characters as `\\x1b`, `\\u202e`; line breaks too: one line stays one."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
