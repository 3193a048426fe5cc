"""A question while it is read: what was taken is blanked, so that nothing is read twice."""

from __future__ import annotations

import re
from collections.abc import Iterable

from domain.language.late import Late
from domain.question.asides import TAKEN
from domain.question.question import Term, TermKind

MOST_TERMS = 40
"""Of one question: nobody asks for more, and each is looked for in every claim."""
_LONGEST = 200  # characters of one term


class Reader:
    """`text` as it was written, `rest` of the same length with TAKEN for what was read."""

    def __init__(self, text: str, rest: str) -> None:
        self.text = text
        self._rest = list(rest)
        self._found: dict[tuple[int, int], TermKind] = {}
        self._quoted: set[tuple[int, int]] = set()

    @property
    def rest(self) -> str:
        return "".join(self._rest)

    def take(self, kind: TermKind, span: tuple[int, int], blank: tuple[int, int] | None = None) -> None:
        """The words at `span` are a term; they, or the wider `blank`, are read."""
        start, end = span
        if end - start <= _LONGEST and TAKEN not in self._rest[start:end]:
            self._found.setdefault(span, kind)
        self.drop(blank or span)

    def keep(self, kind: TermKind, span: tuple[int, int]) -> None:
        """A term whose words were blanked before: a quotation."""
        if span[1] - span[0] <= _LONGEST:
            self._found.setdefault(span, kind)
            self._quoted.add(span)

    def drop(self, span: tuple[int, int]) -> None:
        self._rest[span[0] : span[1]] = [c if c == "\n" else TAKEN for c in self._rest[span[0] : span[1]]]

    def take_all(self, kind: TermKind, pattern: re.Pattern[str] | Late, group: str = "") -> None:
        """Every match; with `group` only that part is the term."""
        for found in list(pattern.finditer(self.rest)):
            self.take(kind, found.span(group) if group else found.span(), found.span())

    def has(self, *kinds: TermKind) -> bool:
        return any(kind in kinds for kind in self._found.values())

    def kind_before(self, place: int) -> TermKind | None:
        """The kind of the term that ends right before, but for blanks and 的."""
        while place and self._rest[place - 1] in " 的":
            place -= 1
        return next((kind for (_, end), kind in self._found.items() if end == place), None)

    def terms(self) -> tuple[Term, ...]:
        """Each term once, in the order of the text."""
        found = sorted(self._found.items())
        written = (Term(kind, self.text[slice(*span)], span in self._quoted) for span, kind in found)
        return tuple(_distinct(written))[:MOST_TERMS]


def _distinct(terms: Iterable[Term]) -> Iterable[Term]:
    seen: set[tuple[TermKind, str]] = set()
    for term in terms:
        key = term.kind, term.text.casefold()
        if key not in seen:
            seen.add(key)
            yield term
