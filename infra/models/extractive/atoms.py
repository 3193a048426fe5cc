"""The checkable parts of a statement: measured values, names and states, and `key=value` fields."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from domain.language.tongues import SENTENCE_WORDS
from infra.models.extractive.vocabulary import SEVERE, STATES

_UNITS = {
    "毫秒": ("ms", 1),
    "ms": ("ms", 1),
    "秒": ("ms", 1000),
    "s": ("ms", 1000),
    "分钟": ("ms", 60_000),
    "m": ("ms", 60_000),
    "min": ("ms", 60_000),
    "小时": ("ms", 3_600_000),
    "h": ("ms", 3_600_000),
    "%": ("%", 1),
    "％": ("%", 1),
    "KB": ("KB", 1),
    "MB": ("KB", 1024),
    "GB": ("KB", 1_048_576),
    "G": ("KB", 1_048_576),
}
_LITERAL = re.compile(
    r"(?<![\w.])(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?Z?)?"  # dates and times
    r"|\d{1,20}(?:[-:/]\d{1,20}){1,8}|\d{1,20}(?:\.\d{1,20}){2,8})(?![\w-])"  # ranges, ratios, addresses
)
_VALUE = re.compile(
    r"(?<![A-Za-z_\d.])(?<![A-Za-z]-)[-+]?\d{1,30}(?:,\d{3})*(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?"
    rf"\s?(?:(?:{'|'.join(sorted(_UNITS, key=len, reverse=True))})(?![A-Za-z]))?"
)
_NUMBER = re.compile(r"[-+]?[\d,.]+(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"(?<![\w=./:-])[A-Za-z_][\w]{0,80}(?:[-./:][A-Za-z_\d]{1,80}){0,12}", re.ASCII)
_FIELD = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{0,60})=([^\s,，;；。）)“”]{1,120})", re.ASCII)
_FIRST_WORDS = SENTENCE_WORDS | {"logs", "entries", "alerts", "alert"}
"""Words that begin a sentence with a capital and name nothing."""
_STATE_WORDS = frozenset(word.lower() for word in (*STATES, *SEVERE, "up", "down", "failed"))

Value = tuple[str, Decimal]


@dataclass(frozen=True, slots=True)
class Atoms:
    """`values` are in a base unit; `names` and `literals` (dates, times, addresses, ratios) in lower case."""

    values: frozenset[Value]
    names: frozenset[str]
    literals: frozenset[str]
    fields: frozenset[tuple[str, str]]

    @property
    def count(self) -> int:
        return len(self.values) + len(self.names) + len(self.literals)


def atoms_of(text: str) -> Atoms:
    """Every checkable part of `text`."""
    literals = {hit[0] for hit in _LITERAL.finditer(text)}
    rest = _LITERAL.sub(" ", text)
    return Atoms(
        values=frozenset(_value(hit[0]) for hit in _VALUE.finditer(rest)),
        names=frozenset(hit[0].rstrip("-./:").lower() for hit in _NAME.finditer(text) if _is_name(hit[0])),
        literals=frozenset(literal.lower() for literal in literals),
        fields=frozenset((key.lower(), value.rstrip(".:")) for key, value in _FIELD.findall(text)),
    )


def states_in(text: str) -> frozenset[str]:
    """The alert states that `text` names."""
    return frozenset(state for state in STATES if re.search(rf"(?<![A-Za-z]){state}(?![A-Za-z])", text, re.IGNORECASE))


def _is_name(word: str) -> bool:
    """A capital inside, a digit, or joined; or a word of state."""
    is_plain = word.istitle() and word.lower() in _FIRST_WORDS
    return (not is_plain and bool(re.search(r"[A-Z\d_./:-]", word))) or word.lower() in _STATE_WORDS


def _value(text: str) -> Value:
    number = _NUMBER.match(text)
    digits = number[0] if number else "0"
    unit, factor = _UNITS.get(text[len(digits) :].strip(), ("", 1))
    return unit, (Decimal(digits.replace(",", "")) * factor).normalize()
