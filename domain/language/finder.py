"""An expression sought in many texts: by an automaton first, closely only where that finds it. Linear in the text."""

from __future__ import annotations

import re
from typing import Any

import re2

_LOOKAROUND = re.compile(r"\(\?<?!(?:[^()\\]|\\.|\((?:[^()\\]|\\.|\([^()]*\))*\))*\)")


class Finder:
    """Finds an expression of `re` without backreferences; its lookarounds must be negative ones."""

    __slots__ = ("_close", "_near", "expression")

    def __init__(self, expression: str) -> None:
        self.expression = expression
        near = _LOOKAROUND.sub("", expression)
        self._near: Any = re2.compile(near)
        self._close = re.compile(expression, re.ASCII) if near != expression else None

    def stands_in(self, text: str) -> bool:
        """Whether it stands in the text. For words the text is a search form."""
        if self._near.search(text.encode("utf-8", "replace")) is None:
            return False
        return self._close is None or self._close.search(text) is not None
