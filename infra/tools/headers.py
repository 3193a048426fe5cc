"""The YAML header of a document: bounded in size, depth and aliases, for its author may be anybody (R72)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

MOST_CHARACTERS = 65_536
MOST_ALIASES = 20
MOST_DEPTH = 20
MOST_NODES = 5_000
_LONGEST = 1_000  # characters of a value that is used

_FENCE = re.compile(r"---[ \t]*(?:\r?\n|\r)")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)


class _BoundedLoader(yaml.SafeLoader):
    """Refuses what would grow when it is read: aliases, depth, nodes beyond a bound."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = self._aliases = self._nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._aliases += self.check_event(yaml.AliasEvent)
        self._nodes += 1
        self._depth += 1
        try:
            if self._aliases > MOST_ALIASES or self._depth > MOST_DEPTH or self._nodes > MOST_NODES:
                raise yaml.YAMLError("too many aliases, or too deep")
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


def front_matter(text: str) -> tuple[Mapping[str, Any], str, bool]:
    """The header of a document, the text behind it, and whether the header was understood: {} where there is none, or
    it is broken or over a limit."""
    fence = _FENCE.match(text)
    if fence is None:
        return {}, text, True
    end = _END.search(text, fence.end(), fence.end() + MOST_CHARACTERS)
    if end is None:
        return {}, text, len(text) <= MOST_CHARACTERS
    header = _read(text[fence.end() : end.start()])
    return header or {}, text[end.end() :], header is not None


def texts_of(value: Any) -> list[str]:
    """A value of a header as texts, those of a list one by one; what is neither scalar nor a list of them is none."""
    values = value if isinstance(value, list) else [value]
    return [said for one in values if isinstance(one, str | int | float) and (said := str(one).strip()[:_LONGEST])]


def _read(header: str) -> Mapping[str, Any] | None:
    try:
        loaded = yaml.load(header, _BoundedLoader)  # a SafeLoader: it makes plain values only
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError, TypeError, LookupError, AttributeError):
        return None
    if loaded is None:
        return {}
    return {str(key): value for key, value in loaded.items()} if isinstance(loaded, dict) else None
