"""Secrets are masked before the first write (R22): what is shown, what is checked and what is stored are one text.

Patterns are RE2 expressions, so that a pattern from a configuration file takes linear time whatever it is. They know a
secret by its form; the value of a setting is replaced nowhere. What was recorded once is never masked anew: a later
release, whose patterns know more, decides an old session as it was decided (R59).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import re2

from domain.contracts import RetrievalDetails
from domain.evidence.secret_forms import (
    AUTHORIZATION_KEY,
    BLOCK_SCALAR,
    COOKIE_KEY,
    FORMS,
    NO_SECRET_KEY,
    PASSWORD_KEY,
    SECRET_KEY,
    STATES,
)
from domain.json_objects import without_lone_surrogates

_AUTOMATON_BYTES = 64 * 2**20
"""Room for the states of one expression: with too little of it the search becomes slow, not wrong."""


@cache
def _compiled(expression: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _AUTOMATON_BYTES
    return re2.compile(expression, options)


@dataclass(frozen=True, slots=True)
class MaskPattern:
    """One kind of secret. Raises ValueError for an expression that RE2 does not take."""

    kind: str
    expression: str

    def __post_init__(self) -> None:
        try:
            _compiled(self.expression)
        except re2.error as error:
            raise ValueError(f"mask pattern {self.kind!r} is no RE2 expression: {error}") from None


DEFAULT_PATTERNS: tuple[MaskPattern, ...] = tuple(MaskPattern(kind, expression) for kind, expression in FORMS)


def patterns_with(further: Mapping[str, str]) -> tuple[MaskPattern, ...]:
    """The built-in patterns, then the configured ones: kind to RE2 expression. Raises ValueError.

    A built-in kind with an empty expression is left out, which is how a setting drops e-mail addresses (`OPTIONAL`).
    """
    dropped = {kind for kind, expression in further.items() if not expression}
    kept = (
        tuple(pattern for pattern in DEFAULT_PATTERNS if pattern.kind not in dropped) if dropped else DEFAULT_PATTERNS
    )
    return (*kept, *(MaskPattern(kind, expression) for kind, expression in further.items() if expression))


def mask(
    text: str, patterns: Sequence[MaskPattern] = DEFAULT_PATTERNS, *, shown: str = ""
) -> tuple[str, dict[str, int]]:
    """The text with each secret replaced by `[masked:<kind>]`, and how often each kind was masked.

    What stands in `shown` as well stays: it was masked before, and a quotation of it must go on being one.
    """
    return _masked(without_lone_surrogates(text), tuple(patterns), _Shown(shown))


def _masked(text: str, patterns: tuple[MaskPattern, ...], known: _Shown) -> tuple[str, dict[str, int]]:
    counts: Counter[str] = Counter()
    data = text.encode()
    if b"\\" in data:
        data = _mask_escaped(data, patterns, counts, known)
    if not _any_of(patterns).search(data):
        return data.decode(), dict(counts)
    data = _mask_blocks(data, counts) if "password" in {pattern.kind for pattern in patterns} else data
    for pattern in patterns:
        data = _mask_one(data, pattern, counts, known)
    return data.decode(), dict(counts)


def mask_output(text: str, patterns: Sequence[MaskPattern] = DEFAULT_PATTERNS) -> tuple[str, dict[str, int]]:
    """Like `mask`, but a JSON object or array stays valid JSON; without a secret in it not a byte is changed."""
    if not text.lstrip().startswith(("{", "[")):
        return mask(text, patterns)
    text = without_lone_surrogates(text)
    try:
        masked, counts = mask_value(json.loads(text), patterns)
        return (json.dumps(masked, ensure_ascii=False), counts) if counts else (text, {})
    except (ValueError, RecursionError):
        return mask(text, patterns)


def mask_value(value: Any, patterns: Sequence[MaskPattern] = DEFAULT_PATTERNS) -> tuple[Any, dict[str, int]]:
    """A JSON value with the secrets in its strings, numbers and keys masked.

    A value is judged together with its key: under `password` all of it is secret, under `bytes` eleven digits are not.
    """
    counts: Counter[str] = Counter()
    return _mask_node("", value, patterns, counts), dict(counts)


def masked_details(details: RetrievalDetails, patterns: Sequence[MaskPattern] = DEFAULT_PATTERNS) -> RetrievalDetails:
    """What a tool says of its search: its query, names of documents and inputs, examples of entries."""
    return RetrievalDetails.model_validate(_masked_texts(details.model_dump(mode="json"), patterns))


def _masked_texts(value: Any, patterns: Sequence[MaskPattern]) -> Any:
    if isinstance(value, str):
        return mask(value, patterns)[0]
    if isinstance(value, list):
        return [_masked_texts(part, patterns) for part in value]
    return {key: _masked_texts(part, patterns) for key, part in value.items()} if isinstance(value, dict) else value


def _mask_node(key: str, value: Any, patterns: Sequence[MaskPattern], counts: Counter[str]) -> Any:
    if isinstance(value, dict):
        return _mask_object(value, patterns, counts)
    if isinstance(value, list):
        one = key if _kind_of_key(key) or not _kind_of_key(key.removesuffix("s")) else key.removesuffix("s")
        return [_mask_node(one, part, patterns, counts) for part in value]
    if isinstance(value, str):
        return _mask_scalar(key, value, patterns, counts)
    if isinstance(value, int) and not isinstance(value, bool):
        masked = _mask_scalar(key, str(value), patterns, counts)
        return value if masked == str(value) else masked
    return value


def _mask_scalar(key: str, text: str, patterns: Sequence[MaskPattern], counts: Counter[str]) -> str:
    kind = _kind_of_key(key)
    if kind and text and not _compiled(STATES).match(text.encode("utf-8", "replace")):
        counts[kind] += 1
        return f"[masked:{kind}]"
    if text.lstrip().startswith(("{", "[")):
        masked, found = mask_output(text, patterns)
        counts.update(found)
        return masked
    prefix = f"{key}="
    masked, found = mask(prefix + text, patterns)
    if not masked.startswith(prefix):  # the key itself was touched: judge the value alone
        prefix = ""
        masked, found = mask(text, patterns)
    counts.update(found)
    return masked.removeprefix(prefix)


def _mask_object(value: dict[str, Any], patterns: Sequence[MaskPattern], counts: Counter[str]) -> dict[str, Any]:
    masked: dict[str, Any] = {}
    for key, part in value.items():
        name, found = mask(key, patterns)
        counts.update(found)
        if name in masked:
            name = f"{name}#{len(masked)}"  # two secrets as keys must not become one entry
        masked[name] = _mask_node(key, part, patterns, counts)
    return masked


@lru_cache(maxsize=1024)
def _kind_of_key(key: str) -> str | None:
    data = key.encode("utf-8", "replace")
    if _compiled(NO_SECRET_KEY).fullmatch(data):
        return None
    for kind, names in _KEYS:
        if _compiled(names).fullmatch(data):
            return kind
    return None


_KEYS = (
    ("token", AUTHORIZATION_KEY),
    ("cookie", COOKIE_KEY),
    ("password", PASSWORD_KEY),
    ("secret", SECRET_KEY),
)


@cache
def _any_of(patterns: tuple[MaskPattern, ...]) -> Any:
    """One expression for all: most texts hold no secret, and one search tells."""
    expressions = [pattern.expression.replace("(?P<secret>", "(?:") for pattern in patterns]
    return _compiled("|".join(f"(?:{expression})" for expression in (BLOCK_SCALAR, *expressions)))


class _Shown:
    """Texts that were masked before, without the backslashes that JSON puts into them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._bare: bytes | None = None

    def holds(self, part: bytes) -> bool:
        if not self._text:
            return False
        if self._bare is None:
            self._bare = self._text.encode("utf-8", "replace").replace(b"\\", b"")
        return part.replace(b"\\", b"").strip() in self._bare


def _mask_one(data: bytes, pattern: MaskPattern, counts: Counter[str], known: _Shown) -> bytes:
    expression, group = _compiled(pattern.expression), _secret_group(pattern.expression)
    kept: list[bytes] = []
    done = 0
    for found in expression.finditer(data):
        start, end = found.span(group)
        if start == end or _is_mark(data, start, end) or known.holds(found.group(0)):
            continue
        kept += [data[done:start], _in_its_quotes(data, start, end, f"[masked:{pattern.kind}]".encode())]
        done = end
        counts[pattern.kind] += 1
    return b"".join([*kept, data[done:]])


@cache
def _secret_group(expression: str) -> int:
    return int(_compiled(expression).groupindex.get("secret", 0))


def _mask_escaped(data: bytes, patterns: tuple[MaskPattern, ...], counts: Counter[str], known: _Shown) -> bytes:
    """Texts in quotes with escapes in them, as JSON writes them: read first, for a secret may be spelt with escapes."""
    kept: list[bytes] = []
    done = 0
    for found in _compiled(_ESCAPED).finditer(data):
        start, end = found.span()
        try:
            said = json.loads(data[start:end])
        except ValueError:
            continue
        masked, some = _masked(without_lone_surrogates(said), patterns, known)
        if some:
            kept += [data[done:start], json.dumps(masked, ensure_ascii=False).encode()]
            done = end
            counts.update(some)
    return b"".join([*kept, data[done:]])


_ESCAPED = r'"[^"\\\r\n]*\\[^\r\n](?:[^"\\\r\n]|\\[^\r\n])*"'


def _is_mark(data: bytes, start: int, end: int) -> bool:
    """What was masked by a form before, or a part of it, with the brackets and quotes around it."""
    opened = data.rfind(b"[masked:", max(0, start - _LONGEST_MARK), start + 8)
    if opened >= 0 and (mark := _MARK.match(data, opened)) and end <= mark.end():
        return True
    return b"masked:" in data[start:end] and _compiled(_MARKS).fullmatch(data[start:end]) is not None


_LONGEST_MARK = 80
_MARK = re.compile(rb"\[masked:\w{1,60}\]")
_MARKS = r"[\[\]\"'\\\s,]*(?:masked:[a-z_A-Z0-9]+[\[\]\"'\\\s,]*)+"
_JSON_QUOTES = re.compile(rb"(\\*\").*\1", re.DOTALL)


def _in_its_quotes(data: bytes, start: int, end: int, mark: bytes) -> bytes:
    """JSON stays JSON: a list of texts becomes one text, and so does a number behind its key."""
    if quotes := _JSON_QUOTES.fullmatch(data, start, end):
        return quotes[1] + mark + quotes[1]
    before, after = data[max(0, start - 8) : start].rstrip(), data[end : end + 8].lstrip()
    if before.endswith(b'":') and after[:1] in {b",", b"}", b"]"} and re.fullmatch(rb"-?[0-9.eE+-]+", data[start:end]):
        return b'"' + mark + b'"'
    return mark


def _mask_blocks(data: bytes, counts: Counter[str]) -> bytes:
    """Block scalars of YAML below a secret's key: their lines are those indented more deeply than the key."""
    kept: list[bytes] = []
    done = 0
    for found in _compiled(BLOCK_SCALAR).finditer(data):
        start = end = found.end()
        if start < done:
            continue
        outer = len(found.group(1))
        deepest = -1
        while end < len(data):
            stop = data.find(b"\n", end) + 1 or len(data)
            line = data[end:stop]
            indent = len(line) - len(line.lstrip(b" \t"))
            if line.strip() and indent <= outer:
                break
            if line.strip() and deepest < 0:
                deepest = indent
            end = stop
        if deepest >= 0 and not data[start:end].strip().startswith(b"[masked:"):
            kept += [data[done:start], b" " * deepest, b"[masked:secret]\n" if end < len(data) else b"[masked:secret]"]
            done = end
            counts["secret"] += 1
    return b"".join([*kept, data[done:]])
