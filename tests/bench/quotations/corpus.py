"""Invented evidence items whose parts are known: where a number, a name, a negation, a clause or a field stands.

A template is a text with slots. `<ms>` draws a value of that slot, `<!not>` writes a negation, `<~failed>` a state; `|`
begins a clause. The spans are kept, so that an operator knows what it edits without reading the text as a matcher does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from random import Random

from tests.bench.quotations.templates import JSON_FIELDS, PLAIN, RECORDS, TWO_RECORDS, Record
from tests.bench.quotations.vocabulary import SLOTS

_MARKUP = re.compile(r"(\|)|<([!~]?)([^<>]+)>")


class Kind(StrEnum):
    NUMBER = "number"
    NAME = "name"
    LEVEL = "level"
    STATE = "state"
    FLAG = "flag"
    NEGATION = "negation"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int

    def holds(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Mark(Span):
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """One evidence text. `records` holds the spans of the whole fields, record by record."""

    text: str
    form: str
    language: str
    marks: tuple[Mark, ...]
    clauses: tuple[Span, ...]
    records: tuple[tuple[Span, ...], ...]

    def of_kind(self, *kinds: Kind) -> list[Mark]:
        return [mark for mark in self.marks if mark.kind in kinds]

    def clause_of(self, span: Span) -> int:
        return next(i for i, clause in enumerate(self.clauses) if clause.start <= span.start < clause.end)

    def cut(self, first: int, last: int) -> str:
        """Whole clauses, without what separates them from the others."""
        return self.text[self.clauses[first].start : self.clauses[last].end].strip(" ,;，；\n\t")

    def fields(self, record: int) -> list[str]:
        return [self.text[span.start : span.end] for span in self.records[record]]


@dataclass
class _Writer:
    random: Random
    text: str = ""
    marks: list[Mark] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    records: list[tuple[Span, ...]] = field(default_factory=list)

    def write(self, template: str) -> Span:
        begin, at = len(self.text), 0
        for found in _MARKUP.finditer(template):
            self.text += template[at : found.start()]
            at = found.end()
            if found[1]:
                self.starts.append(len(self.text))
            else:
                self._mark(found[2], found[3])
        self.text += template[at:]
        return Span(begin, len(self.text))

    def _mark(self, sigil: str, name: str) -> None:
        if sigil:
            kind, text = (Kind.NEGATION if sigil == "!" else Kind.STATE), name
        else:
            drawn, make = SLOTS[name]
            kind, text = Kind(drawn), make(self.random)
        self.marks.append(Mark(len(self.text), len(self.text) + len(text), kind, text))
        self.text += text

    def record(self, fields: Sequence[str], separator: str) -> None:
        spans = []
        for number, template in enumerate(fields):
            self.text += separator if number else ""
            self.starts.append(len(self.text))
            spans.append(self.write(template))
        self.records.append(tuple(spans))

    def item(self, form: str, language: str) -> Item:
        starts = [*dict.fromkeys(self.starts), len(self.text)]
        clauses = tuple(Span(a, b) for a, b in pairwise(starts) if b > a)
        return Item(self.text, form, language, tuple(self.marks), clauses, tuple(self.records))


def draw(random: Random) -> Item:
    """One item of a form drawn at random."""
    return random.choice(_DRAWERS)(random)


def _plain(random: Random) -> Item:
    form, language, template = random.choice(PLAIN)
    writer = _Writer(random)
    writer.write(template)
    return writer.item(form, language)


def _record(random: Random) -> Item:
    return _written(random, random.choice(RECORDS))


def _written(random: Random, record: Record) -> Item:
    writer = _Writer(random)
    writer.write(record.head)
    writer.record(record.fields, record.separator)
    if record.tail:
        writer.write(record.tail)
    return writer.item(record.form, record.language)


def _json(random: Random) -> Item:
    writer = _Writer(random)
    writer.write("{")
    writer.record(random.sample(JSON_FIELDS, random.randint(4, 7)), ",")
    writer.write("}")
    return writer.item("JSON", "en")


def _two_records(random: Random) -> Item:
    language, opening, fields, separator, between, closing = random.choice(TWO_RECORDS)
    writer = _Writer(random)
    for number in range(2):
        writer.text += between if number else ""
        writer.write(opening)
        writer.record(fields, separator)
        writer.write(closing)
    return writer.item("records", language)


_DRAWERS: tuple[Callable[[Random], Item], ...] = (_plain, _plain, _plain, _record, _record, _json, _two_records)
