"""Making a backup while the service runs (R67).

What is taken later may refer to what was taken before, and never the other way round:

1. how far the durable consumers had come: what happens from now on they are given again after a restore;
2. the signed heads: they must not cover events that the log of the backup lacks;
3. parked deliveries: what was settled as published stands on the stream of verdicts that is taken next;
4. verdicts: a verdict that is there stands in the log that is taken next, so none lies ahead of its event; one that was
   published later is published again from the log, under the subject that it had;
5. events: nothing is appended in their past;
6. blobs and keys, which are written before the event that needs them;
7. the access log: it is written before its deed.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from domain.chain import HASH_HEADER
from domain.subjects import EVENT_PREFIX
from infra.access import Role
from infra.access_log import Action, record_access
from infra.audit import head_store
from infra.audit.dsse import fingerprint
from infra.audit.erasure_ledger import ErasureLedger
from infra.audit.heads_file import HeadsFile, of_stream
from infra.audit.key_exchanges import exchanges_file
from infra.audit.session_keys import lost_keys
from infra.audit.signing_key import existing_key, public_pem
from infra.backup.manifest import (
    HEADS,
    HEADS_FILE,
    KEY_EXCHANGES,
    KEYS,
    MANIFEST,
    PUBLIC_KEY,
    SIGNING_KEY,
    STREAM_HEADS,
    STREAM_HEADS_FILE,
    KeptConsumer,
    KeptStream,
    Manifest,
    kept_file,
    snapshot_name,
)
from infra.embedded import Servers
from infra.event_log.connection import Connection, Rejected, Unanswered, answer, connected
from infra.event_log.errors import LogError
from infra.event_log.jetstream import EventStream, Stored
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.event_log.snapshots import take_snapshot
from infra.postgres import connect
from infra.private_files import naming, sync_folder
from infra.settings import Settings
from infra.streams import ACCESS, BLOBS, EVENTS, PARKED, RESTORING, SIGNED, VERDICTS

_ATTEMPTS = 50  # of an event log that ends between two commits; under the heaviest load one in eight does not

Tell = Callable[[str], None]


async def take_backup(
    settings: Settings, servers: Servers, folder: Path, *, keys: bool, signing_key: bool, tell: Tell
) -> Manifest:
    """Write a backup into a folder that does not exist, or nothing. Raises LogError, OSError or FileExistsError."""
    partial = folder.with_name(folder.name + ".partial")
    partial.mkdir(mode=0o700)
    try:
        async with connected(servers, Role.ADMIN) as admin:
            manifest = await _Backup(settings, servers, admin, partial, tell).taken(keys, signing_key)
        with _file(partial / MANIFEST) as file:
            file.write(manifest.model_dump_json(indent=1).encode())
        sync_folder(partial)
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    sync_folder(folder.parent)
    return manifest


class _Backup:
    def __init__(self, settings: Settings, servers: Servers, admin: Connection, folder: Path, tell: Tell) -> None:
        self._settings = settings
        self._servers = servers
        self._admin = admin
        self._folder = folder
        self._tell = tell

    async def taken(self, keys: bool, signing_key: bool) -> Manifest:
        """In the order that the module describes."""
        made_at = datetime.now(UTC)
        actor = self._settings.actor
        consumers = {stream: await self._consumers(stream) for stream in (EVENTS, VERDICTS)}
        await record_access(self._admin, actor, Action.BACKUP, None, what="with keys" if keys else "without keys")
        key_id = self._signing_key(with_private=signing_key)
        await self._heads()
        snapshots = {stream: await self._snapshot(stream) for stream in (PARKED, VERDICTS)}
        snapshots[EVENTS], end = await self._events()
        if RESTORING in snapshots[EVENTS]["config"].get("metadata", {}):
            raise LogError(f"{EVENTS} is half restored: run `assay restore` again")
        snapshots[BLOBS] = await self._snapshot(BLOBS)
        count = await self._keys() if keys else None
        snapshots[ACCESS] = await self._snapshot(ACCESS)
        return Manifest(
            made_at=made_at,
            assay=version("assay"),
            nats_server=str(self._admin.client.connected_server_version),
            end_hash=end.headers.get(HASH_HEADER, "") if end else "",
            key_id=key_id,
            keys=count,
            streams={
                stream: KeptStream(snapshot=dict(snapshot), consumers=consumers.get(stream, {}))
                for stream, snapshot in snapshots.items()
            },
            files={path.name: kept_file(path) for path in sorted(self._folder.iterdir())},
        )

    async def _consumers(self, stream: str) -> dict[str, KeptConsumer]:
        found: dict[str, KeptConsumer] = {}
        while True:
            query = json.dumps({"offset": len(found)}).encode()
            try:
                page = answer(await self._admin.request(f"$JS.API.CONSUMER.LIST.{stream}", query))
            except (Rejected, Unanswered) as error:
                raise LogError(f"there is no backup of {stream}: {error}") from None
            for one in page["consumers"]:
                found[one["name"]] = KeptConsumer(config=one["config"], floor=one["ack_floor"]["stream_seq"])
            if len(found) >= page["total"] or not page["consumers"]:
                return {name: kept for name, kept in found.items() if kept.config.get("durable_name")}

    async def _snapshot(self, stream: str) -> Mapping[str, Any]:
        with _file(self._folder / snapshot_name(stream)) as file:
            snapshot = await take_snapshot(self._admin, stream, file)
            self._tell(f"{stream}: {snapshot['state']['messages']} messages, {file.tell()} bytes")
            return snapshot

    async def _events(self) -> tuple[Mapping[str, Any], Stored | None]:
        """The log up to the end of a commit: nats-server may pack the beginning of one."""
        log = EventStream(self._admin, stream=EVENTS, prefix=EVENT_PREFIX)
        for _ in range(_ATTEMPTS):
            snapshot = await self._snapshot(EVENTS)
            end = snapshot["state"]["last_seq"]
            last = (await log.read(end - 1, 1))[0] if end else None
            if last is None or last.ends_commit:
                return snapshot, last
            self._tell(f"{EVENTS}: position {end} lies inside a commit; again")
        raise LogError(f"{EVENTS} never ended at a commit in {_ATTEMPTS} snapshots")

    async def _heads(self) -> None:
        """The file before the table, which is written first."""
        with _file(self._folder / HEADS_FILE) as file:
            if self._settings.heads_file.exists():
                with self._settings.heads_file.open("rb") as source:
                    shutil.copyfileobj(source, file)
        with _file(self._folder / HEADS) as file:
            async with await connect(self._servers.reader_dsn) as conn:
                async for head in head_store.heads(conn):
                    leaves = base64.b64encode(b"".join(head.leaves)).decode()
                    file.write(_line(size=head.size, envelope=head.envelope, leaves=leaves))
        with _file(self._folder / STREAM_HEADS_FILE) as file:
            for stream in SIGNED:
                for _, envelope in HeadsFile(of_stream(self._settings.heads_file, stream)).envelopes():
                    file.write(envelope.encode() + b"\n")
        with _file(self._folder / STREAM_HEADS) as file:
            async with await connect(self._servers.reader_dsn) as conn:
                for stream in SIGNED:
                    async for head in head_store.heads(conn, 0, stream):
                        leaves = base64.b64encode(b"".join(head.leaves)).decode()
                        file.write(_line(stream=stream, size=head.size, envelope=head.envelope, leaves=leaves))

    async def _keys(self) -> int:
        own, count = KeyDirectory(self._settings.key_dir), 0
        with _file(self._folder / KEYS) as file:
            for session_id, key in own.all():
                file.write(_line(session_id=str(session_id), key=base64.b64encode(key.secret).decode()))
                count += 1
        self._tell(f"{count} keys")
        log = SessionLog(self._admin, own, self._settings.seal)
        if lost := await lost_keys(log, self._servers.reader_dsn, ErasureLedger(self._settings.erasures_file)):
            self._tell(f"{len(lost)} of the newest sessions have no key, or a wrong one, in {self._settings.key_dir}")
        return count

    def _signing_key(self, *, with_private: bool) -> str | None:
        path = self._settings.signing_key
        if not path.exists():
            return None
        key = existing_key(path).public_key()
        with _file(self._folder / PUBLIC_KEY) as file:
            file.write(public_pem(key).encode())
        known = exchanges_file(path)
        if known.exists():
            with _file(self._folder / KEY_EXCHANGES) as file:
                file.write(known.read_bytes())
        if with_private:
            with _file(self._folder / SIGNING_KEY) as file:
                file.write(path.read_bytes())
        return fingerprint(key)


@contextmanager
def _file(path: Path) -> Iterator[BinaryIO]:
    """A private file, on the disk when the block ends; an earlier attempt at it is overwritten. Raises OSError that
    names it."""
    with naming(path), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _line(**fields: Any) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"
