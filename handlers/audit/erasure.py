"""Erasing one session (R62, R76). Each step may be repeated: an erasure that was interrupted is finished by another.

1. `SessionErased` is recorded, unless the session is held. Killed here, the key is still there, but nobody opens the
   content with it any more.
2. The ledger of erasures says so too, which no restore takes back.
3. The session's key is destroyed. From now on the log, its blobs and its copies read as erased.
4. The read models are emptied. Killed before, their rows still hold texts until the projectors come to the event.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from domain.session.commands import EraseSession
from domain.session.decide import InvalidCommand
from domain.session.state import Unopened
from handlers.audit.holds import refuse_held
from handlers.runner import SessionRunner
from infra.audit.erasure_ledger import Deed, Entry, ErasureLedger
from infra.audit.key_ring import KeyRing
from infra.event_log.session_log import SessionLog
from infra.read_models.erasure import erase_rows
from infra.read_models.projector import ProjectorHalted, catch_up


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was done. `version` of the session's `SessionErased`; `read_models`: the schemas whose rows are empty."""

    session_id: UUID
    version: int
    read_models: Sequence[str]


@dataclass(frozen=True, slots=True)
class Eraser:
    """Erases sessions of one log, as the deeds of the runner's actor. `key` signs the ledger; `dsn`: of the writer."""

    events: SessionLog
    runner: SessionRunner
    dsn: str
    ledger: ErasureLedger
    key: Ed25519PrivateKey
    ring: KeyRing | None = None  # whose signatures in the ledger are trusted, beside that key's

    @property
    def signers(self) -> Collection[Ed25519PublicKey]:
        return list(self.ring.keys.values()) if self.ring else [self.key.public_key()]

    async def check(self, session_id: UUID) -> None:
        """Raises InvalidCommand for a session that is held, or holds texts that no key seals."""
        if open_versions := await self.events.unsealed(session_id):
            raise InvalidCommand(
                f"session {session_id} cannot be erased: {len(open_versions)} of its events, version {open_versions[0]}"
                " first, were recorded without a seal (ASSAY_SEAL=none), and the log cannot be changed"
            )
        await refuse_held(self.events.connection, self.ledger, session_id)

    async def erase(self, session_id: UUID, *, follow: bool = True) -> Erasure:
        """`follow`: the read models first come to what was recorded. Raises InvalidCommand for an unknown, running,
        held or unsealed session, or UnusableLedger."""
        async with self.ledger.locked():
            await self.check(session_id)
            state = await self.runner.submit(session_id, EraseSession())
            assert not isinstance(state, Unopened)
            await self.enter(session_id)
            await self.events.destroy_key(session_id)
        if follow:
            with contextlib.suppress(ProjectorHalted):  # `doctor` names it; its rows are emptied all the same
                await catch_up(self.events, self.dsn, state.file.head.position)
        return Erasure(session_id, state.file.head.version, await erase_rows(self.dsn, session_id))

    async def enter(self, session_id: UUID) -> None:
        """Into the ledger, unless it stands there."""
        if self.ledger.of(session_id).erasure is None:
            entry = Entry(session_id, Deed.ERASED, datetime.now(UTC), self.runner.actor).signed(self.key)
            await asyncio.to_thread(self.ledger.add, [entry])
