"""Expressions over whole tables of words: compiled when one is first used, so that nothing is done at import."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property


class Late:
    """A pattern to be; `make` gives its expression."""

    def __init__(self, make: Callable[[], str], flags: re.RegexFlag = re.NOFLAG) -> None:
        self._make = make
        self._flags = flags

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self._make(), self._flags)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.pattern.search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.pattern.match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.pattern.fullmatch(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        return self.pattern.finditer(text, start, end)

    def split(self, text: str) -> list[str]:
        return self.pattern.split(text)

    def sub(self, by: str, text: str) -> str:
        return self.pattern.sub(by, text)
