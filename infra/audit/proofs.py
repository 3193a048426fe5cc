"""Proofs that events stand in the log, from the leaf hashes that are kept with the signed heads (R60, R61)."""

from __future__ import annotations

import json

from domain.audit.head import Head
from domain.merkle import HASH_SIZE, Tree
from infra.audit import head_store
from infra.audit.bundle import Anchor
from infra.audit.dsse import BadEnvelope
from infra.audit.key_ring import Trusted
from infra.audit.signed_heads import opened_head
from infra.postgres import Connection


async def anchored(key: Trusted, conn: Connection, first: int, last: int) -> tuple[Anchor, Tree] | None:
    """The earliest head that covers positions `first` to `last`, the newest one from before them, and the tree; None if
    no head covers them yet. Raises BadEnvelope if what is kept is not what was signed."""
    earlier, leaves = None, bytearray()
    async for stored in head_store.heads(conn):
        leaves += b"".join(stored.leaves)
        if stored.size >= last:
            head = opened_head(key, stored.envelope)
            tree = Tree(bytes(leaves[at : at + HASH_SIZE]) for at in range(0, len(leaves), HASH_SIZE))
            _check(head, tree)
            return _anchor(key, head, stored.envelope, earlier, tree), tree
        if stored.size < first:
            earlier = stored.envelope
    return None


def _anchor(key: Trusted, head: Head, envelope: str, earlier: str | None, tree: Tree) -> Anchor:
    if earlier is None:
        return Anchor(head, json.loads(envelope))
    before = opened_head(key, earlier)
    consistency = tree.consistency_proof(before.size, head.size)
    return Anchor(head, json.loads(envelope), json.loads(earlier), consistency=consistency)


def _check(head: Head, tree: Tree) -> None:
    if len(tree) != head.size or tree.root(head.size).hex() != head.root:
        raise BadEnvelope(f"the leaf hashes kept for the head over {head.size} events are not those it signs")
