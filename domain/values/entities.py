"""Names and codes as they stand in texts, and whether anything recorded holds them (R37)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from domain.contracts import ToolInvocation
from domain.values.numbers import blanked, is_numeric_word, narrowed
from domain.values.phrases import COMMON_TERMS
from domain.values.times import times_in

_WORD = r"[A-Za-z0-9_]+(?:[.\-][A-Za-z0-9_]+)*"
_PATH = r"/?[A-Za-z0-9_](?:[A-Za-z0-9_.\-{}]*[A-Za-z0-9_}])?(?:/[A-Za-z0-9_.\-{}]*[A-Za-z0-9_}])+"
_NAME = re.compile(rf"(?<![A-Za-z0-9_])(?:(?P<path>{_PATH})|(?P<word>{_WORD}))")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+")
_PERCENTILE = re.compile(r"[pP]\d{1,3}(?:\.\d+)?|[1-5][xX]{2}|[tT][oO][pP]\d{1,3}")
_CODE = re.compile(r"(?=[A-Z0-9_.\-]*[A-Z])(?=[A-Z_.\-]*[0-9_])[A-Z0-9_.\-]+")


@dataclass(frozen=True, slots=True)
class Name:
    """A word that names one particular thing. `is_code`: capitals with digits or `_` (ERR_POOL_42, ORA-00942)."""

    text: str
    is_code: bool


def names_in(text: str) -> tuple[Name, ...]:
    """Words with an inner capital or a digit, or joined by `-` `_` `.` `/`; no values, clock times or common terms."""
    text = narrowed(text)
    text = blanked(text, [(mention.start, mention.end) for mention in times_in(text)])
    found: dict[str, Name] = {}
    for match in _NAME.finditer(text):
        for word in _words(match):
            if _is_name(word):
                found.setdefault(word, Name(word, is_code=bool(_CODE.fullmatch(word))))
    return tuple(found.values())


def _words(match: re.Match[str]) -> list[str]:
    """A path is one name; a single slash only lists (CPU/JVM, order-service/P99)."""
    path = match["path"]
    if path is None:
        return [match["word"]]
    parts = [part for part in path.split("/") if part]
    is_path = path.startswith("/") or len(parts) > 2
    return [path] if is_path and not all(is_numeric_word(part) for part in parts) else parts


def _is_name(word: str) -> bool:
    if word.casefold() in COMMON_TERMS or _PERCENTILE.fullmatch(word) or is_numeric_word(word):
        return False
    has_inner_capital = any(character.isupper() for character in word[1:])
    has_digit = any(character.isdigit() for character in word)
    is_joined = any(character in "-_./" for character in word[1:])
    return any(character.isalnum() for character in word) and (has_inner_capital or has_digit or is_joined)


class Wording:
    """Some texts, searched for names without regard to case."""

    def __init__(self, texts: Sequence[str]) -> None:
        whole = narrowed("\n".join(texts))
        self._text = whole.casefold()
        self._humps = frozenset(hump.casefold() for hump in _HUMP.findall(whole))

    def holds(self, name: str) -> bool:
        """An acronym is found as a part of a name too (CPU in HighCPUUsage); any other name only as a whole."""
        if name.isalpha() and name.isupper():
            return name.casefold() in self._humps
        sought = name.casefold()
        return sought in self._text and _whole(sought).search(self._text) is not None


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])")


class RecordedWording:
    """Everything the tools of a session returned, and what they were asked.

    A tool that only repeats its arguments proves nothing (R18): a name from the arguments counts when an extracted
    item holds it too, or when the claim is that the search for it found nothing.
    """

    def __init__(self, question: str, invocations: Sequence[ToolInvocation]) -> None:
        self._known: dict[tuple[str, bool], bool] = {}
        self._question = Wording([question])
        self._tools = Wording([invocation.tool_name for invocation in invocations])
        self._items = Wording([text for invocation in invocations for text in _items(invocation)])
        self._calls = [
            (Wording([invocation.output]), Wording([json.dumps(invocation.input_params, ensure_ascii=False)]))
            for invocation in invocations
        ]

    def asks_for(self, name: str) -> bool:
        return self._question.holds(name)

    def holds(self, name: str, *, searched: bool) -> bool:
        """Whether a tool returned it; with `searched`, being looked for by a tool is enough."""
        key = name, searched
        if key not in self._known:
            self._known[key] = self._found(name, searched=searched)
        return self._known[key]

    def _found(self, name: str, *, searched: bool) -> bool:
        if self._items.holds(name) or self._tools.holds(name):
            return True
        if searched:
            return any(output.holds(name) or arguments.holds(name) for output, arguments in self._calls)
        return any(output.holds(name) and not arguments.holds(name) for output, arguments in self._calls)


def _items(invocation: ToolInvocation) -> list[str]:
    """Texts of the items, without the summary refs, which repeat the query."""
    refs = invocation.retrieval_details.evidence_refs or ()
    return [ref.text for ref in refs if ref.raw_path.endswith("]")]
