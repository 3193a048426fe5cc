"""Secrets are masked before the first write (R22): what is shown, what is checked and what is stored are one text.

Patterns are RE2 expressions, so that a pattern from a configuration file takes linear time whatever it is. RE2 has no
lookaround; instead a match is masked only where its group `secret` took part (or, without such a group, as a whole).
An alternative in front of that group says what looks like a secret and is none, e.g. eleven digits behind `bytes=`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import re2

from domain.evidence.coverage import Coverage
from domain.json_objects import without_lone_surrogates


@cache
def _compiled(expression: str) -> Any:
    options = re2.Options()
    options.log_errors = False
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


_PASSWORD_KEY = r"[A-Za-z0-9_.-]*(?i:password|passwd|passphrase)|(?i:pwd)|密码|口令"
_WORKING_FOLDER = (
    r"(?:OLD)?PWD=/(?:(?:home|root|var|tmp|usr|opt|srv|etc|app|data|mnt|run|workspace|build)(?:/[^\s;,\"']*)?)?"
    r"(?:[\s;,\"']|\z)"
)
"""As sudo and shells write it: no password."""
_SECRET_KEY = (
    r"[A-Za-z0-9_.-]*(?i:secret|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)"
    r"|[A-Za-z0-9_.-]*(?i:access|auth|refresh|session|id|api|bearer|secret)[_-]?(?i:token)|(?i:token)|密钥|令牌"
)
_SAYS_WHAT_BECAME_OF_IT = (
    r"(?i:\[masked:|(?:expired|invalid|missing|incorrect|wrong|rejected|revoked|unknown|required|null|none|nil|true|false"
    r"|empty|not|is|has|was|for|from|user|the|authentication|mismatch|failed|failure|error)(?:$|[\s\"',;.&)}\]])"
    r"|错误|过期|已|失效|无效|空|不|否)"
)
_MEASURE = (
    r"(?i:[a-z_.]*(?:bytes?|size|value|values|used|usage|limit|total|free|avail\w*|max|min|avg|sum|count|memory|heap|offset"
    r"|lag|duration|current|threshold|capacity|depth|rate|time|timestamp|ts|seq|sequence|version|position)[\"']?"
    r"\s*[=:]\s*[\"']?[0-9]+)"
)
_UNIT = r"(?:bytes?|[KMGT]i?B|B|ns|us|µs|ms|s|rows|字节|毫秒|微秒|纳秒|秒|条|次|行)"


def _assigned(kind: str, key: str, harmless: str = "") -> tuple[MaskPattern, MaskPattern]:
    """What is assigned to a key of that name, in quotes or without. `harmless`: what only looks like it."""
    first = f"{harmless}|" if harmless else ""
    start = rf"(?:{key})[\"']?\s*(?:[=:：]|[是为])\s*"
    return (
        MaskPattern(kind, rf"{start}[\"'](?:{_SAYS_WHAT_BECAME_OF_IT}|(?P<secret>[^\"'\r\n]+))"),
        MaskPattern(kind, rf"{first}{start}(?:{_SAYS_WHAT_BECAME_OF_IT}|(?P<secret>[^\s\"',;，；。&]+))"),
    )


DEFAULT_PATTERNS: tuple[MaskPattern, ...] = (
    MaskPattern(
        "private_key",
        r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\z)",
    ),
    MaskPattern(
        "api_key",
        r"\b(?:sk-(?:[A-Za-z0-9]{2,10}-){0,2}[A-Za-z0-9_]{12,}[A-Za-z0-9_-]*|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}"
        r"|A[KS]IA[0-9A-Z]{16}|LTAI[A-Za-z0-9]{12,30}|AKID[A-Za-z0-9]{13,40}|AIza[A-Za-z0-9_-]{30,}"
        r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,}"
        r"|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,})",
    ),
    MaskPattern("token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
    MaskPattern(
        "token",
        r"(?i)\b(?:bearer\s+(?P<secret>[a-z0-9._~+/-]{16,}=*|[a-z0-9._~+/-]{3,}[0-9][a-z0-9._~+/-]{3,}=*))",
    ),
    MaskPattern(
        "token", r"(?i)\bauthorization[\"']?\s*[=:]\s*[\"']?(?:basic|token|digest)\s+(?P<secret>[^\s\"',;]{4,})"
    ),
    MaskPattern("password", r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@\"'<>]*:(?:\[masked:|(?P<secret>[^\s/\"'<>]+)@)"),
    *_assigned("password", _PASSWORD_KEY, _WORKING_FOLDER),
    *_assigned("secret", _SECRET_KEY),
    MaskPattern(
        "email",
        r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.(?:service|socket|timer|slice|scope|target|mount)(?:[^A-Za-z0-9.-]|\z)"
        r"|(?P<secret>[A-Za-z0-9_%+-][A-Za-z0-9._%+-]*@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})",
    ),
    MaskPattern(
        "id_number",
        r"\b[1-9][0-9]{5}(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{3}[0-9Xx]\b",
    ),
    MaskPattern(
        "phone",
        rf"{_MEASURE}|[0-9]+\.[0-9]+|\b[0-9]{{11}}\s?{_UNIT}"
        r"|\b(?P<secret>(?:86[- ]?)?1[3-9][0-9](?:[0-9]{8}|-[0-9]{4}-[0-9]{4}|\x20[0-9]{4}\x20[0-9]{4}))\b",
    ),
)
"""Keys and tokens of common providers, passwords in URLs and assignments, PEM keys, e-mail addresses, Chinese mobile
and identity numbers. Patterns run in this order, each over the text the one before left."""


def patterns_with(further: Mapping[str, str]) -> tuple[MaskPattern, ...]:
    """The built-in patterns, then the configured ones: kind to RE2 expression. Raises ValueError."""
    return (*DEFAULT_PATTERNS, *(MaskPattern(kind, expression) for kind, expression in further.items()))


def mask(text: str, patterns: Sequence[MaskPattern] = DEFAULT_PATTERNS) -> tuple[str, dict[str, int]]:
    """The text with each secret replaced by `[masked:<kind>]`, and how often each kind was masked."""
    counts: Counter[str] = Counter()
    data = without_lone_surrogates(text).encode()
    if not _any_of(tuple(patterns)).search(data):
        return data.decode(), {}
    for pattern in patterns:
        data = _mask_one(data, pattern, counts)
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


def masked_coverage(coverage: Coverage, patterns: Sequence[MaskPattern] = DEFAULT_PATTERNS) -> Coverage:
    """Names of inputs and examples of entries come from outside, too."""

    def masked(value: Any) -> Any:
        if isinstance(value, str):
            return mask(value, patterns)[0]
        if isinstance(value, list):
            return [masked(part) for part in value]
        return {key: masked(part) for key, part in value.items()} if isinstance(value, dict) else value

    return Coverage.model_validate(masked(coverage.model_dump(mode="json")))


def _mask_node(key: str, value: Any, patterns: Sequence[MaskPattern], counts: Counter[str]) -> Any:
    if isinstance(value, dict):
        return _mask_object(value, patterns, counts)
    if isinstance(value, list):
        return [_mask_node(key, part, patterns, counts) for part in value]
    if isinstance(value, str):
        return _mask_scalar(key, value, patterns, counts)
    if isinstance(value, int) and not isinstance(value, bool):
        masked = _mask_scalar(key, str(value), patterns, counts)
        return value if masked == str(value) else masked
    return value


def _mask_scalar(key: str, text: str, patterns: Sequence[MaskPattern], counts: Counter[str]) -> str:
    kind = _kind_of_key(key)
    if kind and text and not _compiled(_SAYS_WHAT_BECAME_OF_IT).match(text.encode("utf-8", "replace")):
        counts[kind] += 1
        return f"[masked:{kind}]"
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
    for kind, names in (("password", _PASSWORD_KEY), ("secret", _SECRET_KEY)):
        if _compiled(names).fullmatch(data):
            return kind
    return None


@cache
def _any_of(patterns: tuple[MaskPattern, ...]) -> Any:
    """One expression for all: most texts hold no secret, and one search tells."""
    return _compiled("|".join(f"(?:{pattern.expression.replace('(?P<secret>', '(?:')})" for pattern in patterns))


def _mask_one(data: bytes, pattern: MaskPattern, counts: Counter[str]) -> bytes:
    expression = _compiled(pattern.expression)
    group = expression.groupindex.get("secret", 0)
    kept: list[bytes] = []
    done = 0
    for found in expression.finditer(data):
        start, end = found.span(group)
        if start == end:
            continue
        kept += [data[done:start], f"[masked:{pattern.kind}]".encode()]
        done = end
        counts[pattern.kind] += 1
    return b"".join([*kept, data[done:]])
