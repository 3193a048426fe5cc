"""The Merkle tree over the log and its proofs, as RFC 9162 (section 2.1) defines them with SHA-256 (R60, R61).

Everything here works on leaf hashes of 32 bytes; `leaf_hash` makes one of an entry.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

HASH_SIZE = 32
EMPTY_ROOT = hashlib.sha256().digest()
"""Root of the tree without leaves."""


def leaf_hash(entry: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """As much of a tree as appending needs: the roots of its complete subtrees, the largest first, one for each bit
    set in `size`."""

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if self.size < 0 or len(self.peaks) != self.size.bit_count():
            raise ValueError(f"{len(self.peaks)} peaks do not belong to a tree of {self.size} leaves")

    def extended(self, leaves: Iterable[bytes]) -> Frontier:
        """The frontier once these leaf hashes are appended."""
        size, peaks = self.size, list(self.peaks)
        for leaf in leaves:
            complete = size
            while complete & 1:
                leaf = node_hash(peaks.pop(), leaf)
                complete >>= 1
            peaks.append(leaf)
            size += 1
        return Frontier(size, tuple(peaks))

    @property
    def root(self) -> bytes:
        """The tree's hash."""
        if not self.peaks:
            return EMPTY_ROOT
        *larger, root = self.peaks
        for peak in reversed(larger):
            root = node_hash(peak, root)
        return root


class Tree:
    """All complete subtrees of a tree, 64 bytes a leaf, so that a proof for any earlier size needs few hashes."""

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels = [bytearray()]
        for leaf in leaves:
            self._append(leaf)

    def __len__(self) -> int:
        return len(self._levels[0]) // HASH_SIZE

    def root(self, size: int) -> bytes:
        """The hash of the tree as it was with `size` leaves. Raises ValueError if it never was that large."""
        self._check(0 <= size <= len(self))
        return self._range(0, size) if size else EMPTY_ROOT

    def inclusion_proof(self, index: int, size: int) -> tuple[bytes, ...]:
        """What leads from leaf `index` (from 0) to `root(size)`. Raises ValueError if the leaf is not in that tree."""
        self._check(0 <= index < size <= len(self))
        proof, start, end = [], 0, size
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                proof.append(self._range(middle, end))
                end = middle
            else:
                proof.append(self._range(start, middle))
                start = middle
        return tuple(reversed(proof))

    def consistency_proof(self, old: int, new: int) -> tuple[bytes, ...]:
        """What shows that the tree of `new` leaves continues that of `old`; empty if one of them says it already.

        Raises ValueError unless `0 <= old <= new <= len(tree)`.
        """
        self._check(0 <= old <= new <= len(self))
        if old in (0, new):
            return ()
        proof, start, end = [], 0, new
        while old < end:
            middle = start + _split(end - start)
            if old <= middle:
                proof.append(self._range(middle, end))
                end = middle
            else:
                proof.append(self._range(start, middle))
                start = middle
        if start:  # else the verifier holds this subtree's hash: it is the old root
            proof.append(self._range(start, end))
        return tuple(reversed(proof))

    def _check(self, holds: bool) -> None:
        if not holds:
            raise ValueError(f"the tree of {len(self)} leaves has no such place")

    def _append(self, node: bytes) -> None:
        for level, nodes in enumerate(self._levels):
            nodes += node
            if len(nodes) % (2 * HASH_SIZE):
                return
            node = node_hash(bytes(nodes[-2 * HASH_SIZE : -HASH_SIZE]), node)
            if level + 1 == len(self._levels):
                self._levels.append(bytearray(node))
                return

    def _range(self, start: int, end: int) -> bytes:
        """The hash over leaves `start` to `end` (excluded), where `start` is a place that the tree splits at."""
        width = end - start
        if width & (width - 1) == 0:
            at = start // width * HASH_SIZE
            return bytes(self._levels[width.bit_length() - 1][at : at + HASH_SIZE])
        middle = start + _split(width)
        return node_hash(self._range(start, middle), self._range(middle, end))


def _split(width: int) -> int:
    """The largest power of two below a width of at least 2."""
    return 1 << (width - 1).bit_length() - 1


def includes(root: bytes, size: int, index: int, leaf: bytes, proof: Sequence[bytes]) -> bool:
    """Whether `leaf` is leaf `index` (from 0) of the tree with this root and size, by an inclusion proof."""
    if not 0 <= index < size:
        return False
    node, at, last = leaf, index, size - 1
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            node = node_hash(sibling, node)
            while not at & 1 and at:  # the right edge: levels on which this node has no sibling
                at, last = at >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and node == root


def continues(old_root: bytes, old_size: int, root: bytes, size: int, proof: Sequence[bytes]) -> bool:
    """Whether the tree of `size` leaves begins with the one of `old_size` leaves, by a consistency proof."""
    if not 0 <= old_size <= size:
        return False
    if old_size == size:
        return not proof and old_root == root
    if old_size == 0:
        return not proof and old_root == EMPTY_ROOT
    path = list(proof) if old_size & (old_size - 1) else [old_root, *proof]
    if not path:
        return False
    at, last = old_size - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    old_node = node = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            old_node, node = node_hash(sibling, old_node), node_hash(sibling, node)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and old_node == old_root and node == root
