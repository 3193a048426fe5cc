"""Exporting one session as a bundle (R61)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.events import SessionErased
from domain.merkle import Tree
from handlers.audit.head_writer import HeadWriter
from infra.audit.bundle import BundledEvent, bundle
from infra.audit.bundle_check import check_bundle
from infra.audit.bundled_session import VerifiedBundle
from infra.audit.key_ring import Exchange, KeyRing
from infra.audit.proofs import anchored
from infra.event_log.jetstream import Stored
from infra.event_log.keys import Key
from infra.event_log.sealing import Slot, stands_open, unseal
from infra.event_log.session_log import SessionLog
from infra.postgres import Connection

PATIENCE_S = 75.0
"""How long a head is waited for: events of a running session are signed every minute."""


class NotExported(Exception):
    """The session cannot be exported so, or not yet; the message says why."""


@dataclass(frozen=True, slots=True)
class Exporter:
    """Exports sessions of one log. `heads` is asked to sign what no head covers yet."""

    events: SessionLog
    conn: Connection
    heads: HeadWriter
    signing_key: Ed25519PrivateKey
    exchanges: Sequence[Exchange] = ()  # of that key

    async def export(self, session_id: UUID, *, sealed_only: bool) -> tuple[list[bytes], VerifiedBundle]:
        """The lines of the bundle, and what they prove: each bundle is verified before anybody gets it.

        Raises NotExported, strict_json.Refused, dsse.BadEnvelope or LogError.
        """
        stored = await self.events.stored(session_id)
        if sealed_only and (open_versions := [one.version for one in stored if stands_open(one.body)]):
            raise NotExported(f"{len(open_versions)} events of session {session_id} were recorded without a seal")
        first, last = stored[0].position, stored[-1].position
        key = KeyRing.of(self.signing_key.public_key(), self.exchanges)
        if (found := await anchored(key, self.conn, first, last)) is None:
            await self.heads.finish(PATIENCE_S)
            found = await anchored(key, self.conn, first, last)
        if found is None:
            raise NotExported(f"no signed head covers position {last} yet, where session {session_id} ends")
        anchor, tree = replace(found[0], exchanges=[one.document for one in self.exchanges]), found[1]
        erased = any(one.type == SessionErased.TOPIC for one in stored)  # a key that came back is not handed out
        session_key = None if sealed_only or erased else self.events.key(session_id)
        bundled = [await self._event(one, tree, anchor.head.size, session_key, sealed_only) for one in stored]
        lines = bundle(self.signing_key, str(session_id), anchor, session_key, bundled)
        return lines, check_bundle(lines, key)

    async def _event(self, stored: Stored, tree: Tree, size: int, key: Key | None, sealed_only: bool) -> BundledEvent:
        blob = await self.events.sealed_beside(stored)
        return BundledEvent(
            version=stored.version,
            position=stored.position,
            subject=stored.subject,
            headers=stored.headers,
            body=stored.body,
            inclusion=tree.inclusion_proof(stored.position - 1, size),
            blob=blob,
            content=None if sealed_only else _opened(stored, blob, key),
        )


def _opened(stored: Stored, blob: bytes | None, key: Key | None) -> bytes | None:
    """The content of an event; None where there is none, or its key is gone."""
    if (found := json.loads(stored.body)["content"]) is None:
        return None
    slot = Slot.from_json(found)
    whole = slot if blob is None else replace(slot, data=blob)
    return unseal(whole, key, f"{stored.originator}:{stored.version}:{stored.type}")
