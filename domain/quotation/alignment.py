"""Whether a quotation differs from its item only in what R24 forgives as a near miss.

Forgiven: uncritical words left out, function words that differ, whole clauses left out in order and without a negation
among them. The search is exact: a set of places in the item, kept as the bits of one integer, is carried through the
words of the excerpt.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, takewhile

from domain.quotation.records import mixes_records
from domain.quotation.tokens import Reading

MAX_BITS = 200_000_000  # words of the excerpt times words of the item


def is_near_miss(excerpt: Reading, item: Reading) -> bool:
    """Whether the excerpt's words follow the item's with forgiven differences only. False beyond MAX_BITS, and for
    fields of several records, whose clauses belong to different things."""
    may_be_added = _additions(excerpt, item)
    if all(may_be_added) or not _could_align(excerpt, item, may_be_added):
        return False
    places = _Places(item, set(excerpt.folded))
    for word, added in zip(excerpt.folded, may_be_added, strict=True):
        places.step(word, may_be_added=added)
        if not places.reached:
            return False
    return not mixes_records(excerpt, item)


def _additions(excerpt: Reading, item: Reading) -> list[bool]:
    """Which words may be additions: function words; at either end only those that the item does not know, for there
    they would hide what was left out beside them."""
    added = [excerpt.is_function_word(i) for i in range(len(excerpt.words))]
    for ends in (range(len(added)), reversed(range(len(added)))):
        for i in takewhile(added.__getitem__, ends):
            added[i] = excerpt.folded[i] not in item.vocabulary
    return added


def _could_align(excerpt: Reading, item: Reading, may_be_added: list[bool]) -> bool:
    if len(excerpt.words) * len(item.words) > MAX_BITS:
        return False
    words = zip(excerpt.folded, may_be_added, strict=True)
    return all(added or word in item.vocabulary for word, added in words)


class _Places:
    """The words of the item that may come next; bit i stands for `item.words[i]`."""

    def __init__(self, item: Reading, wanted: set[str]) -> None:
        size = len(item.words)
        starts = [i for i in range(size + 1) if item.divides_clauses(i)]
        clauses = pairwise(starts)
        without_negation = (i for a, b in clauses if not any(map(item.is_negation, range(a, b))) for i in range(a, b))
        self._starts = _bits(starts, size)
        self._clauses_left_out = _bits(without_negation, size)
        self._words_left_out = _bits((i for i in range(size) if not item.is_critical(i)), size)
        positions: dict[str, list[int]] = {word: [] for word in wanted}
        for i, word in enumerate(item.folded):
            if word in positions:
                positions[word].append(i)
        self._equal = {word: _bits(at, size) for word, at in positions.items()}
        self.reached = (1 << size) - 1

    def step(self, word: str, *, may_be_added: bool) -> None:
        here = self._with_omissions(self.reached)
        self.reached = (here & self._equal[word]) << 1 | (here if may_be_added else 0)

    def _with_omissions(self, reached: int) -> int:
        while True:
            words = reached | _spread(reached, self._words_left_out)
            clauses = words | _spread(words & self._starts, self._clauses_left_out) & self._starts
            if clauses == reached:
                return reached
            reached = clauses


def _spread(bits: int, runs: int) -> int:
    """Each bit that lies in a run of ones of `runs`, carried up to the first place behind that run."""
    return ((bits & runs) + runs) ^ runs


def _bits(positions: Iterable[int], size: int) -> int:
    buffer = bytearray(size // 8 + 1)
    for position in positions:
        buffer[position >> 3] |= 1 << (position & 7)
    return int.from_bytes(buffer, "little")
