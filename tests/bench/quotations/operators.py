"""What an operator is: a named way to quote an item, honestly or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from tests.bench.quotations.corpus import Item

Make: TypeAlias = Callable[[Item, Item, Random], str | None]
"""Of an item, another one, and the dice: the quotation, or None where the operator does not apply."""


@dataclass(frozen=True, slots=True)
class Operator:
    """`elided`: it uses an ellipsis. `weak`: R24 calls its result a near miss, all others are to be rejected."""

    name: str
    make: Make
    elided: bool = False
    weak: bool = False


class Catalogue(list[Operator]):
    """Operators in the order of their definition."""

    def operator(self, name: str, *, elided: bool = False, weak: bool = False) -> Callable[[Make], Make]:
        def enlist(make: Make) -> Make:
            self.append(Operator(name, make, elided, weak))
            return make

        return enlist


def clauses(item: Item, random: Random, holding: int | None = None) -> str:
    """A run of whole clauses, with the one of that number in it."""
    kept = random.randrange(len(item.clauses)) if holding is None else holding
    first, last = random.randint(0, kept), random.randint(kept, len(item.clauses) - 1)
    return item.cut(first, last)
