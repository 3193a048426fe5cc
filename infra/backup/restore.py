"""Putting a backup back where nothing is (R67). Either everything is restored, or what was begun is taken away again.

A restore that is killed cannot take anything away. So each stream is created with a mark, the log first, and the log's
mark goes once everything is in place: until then nobody works on it, and the next restore begins anew.

The read models are not in a backup: the projectors build them from the log.
"""

from __future__ import annotations

import base64
import contextlib
import json
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from nats.js.errors import NotFoundError

from domain.chain import HASH_HEADER
from domain.merkle import HASH_SIZE, Frontier
from domain.subjects import EVENT_PREFIX
from infra import postgres
from infra.access import Role
from infra.access_log import Action, record_access
from infra.audit import head_store
from infra.audit.erasure_ledger import Entry, ErasureLedger, Standing, UnusableLedger, verify
from infra.audit.head_store import StoredHead
from infra.audit.heads_file import HeadsFile, of_stream
from infra.audit.key_exchanges import exchanges_file, own_ring
from infra.audit.key_ring import Exchange, KeyRing, opened_exchange
from infra.audit.signed_heads import stream_of
from infra.audit.signing_key import load_public_key
from infra.backup.manifest import (
    HEADS,
    HEADS_FILE,
    KEY_EXCHANGES,
    KEYS,
    PUBLIC_KEY,
    SIGNING_KEY,
    STREAM_HEADS,
    STREAM_HEADS_FILE,
    KeptConsumer,
    KeptStream,
    Manifest,
    UnusableBackup,
    read_backup,
    snapshot_name,
)
from infra.embedded import Servers
from infra.event_log.connection import Connection, Rejected, Unanswered, answer, connected
from infra.event_log.errors import LogError
from infra.event_log.jetstream import EventStream
from infra.event_log.keys import Key, KeyDirectory
from infra.event_log.snapshots import restore_snapshot
from infra.postgres import connect
from infra.private_files import create_private, private_folder
from infra.settings import Settings
from infra.streams import EVENTS, RESTORING, SIGNED, init_streams

Tell = Callable[[str], None]


class ErasuresUnknown(ValueError):
    """No ledger of erasures is at hand, and what was erased since would come back; the message says what to do."""


class NotEmpty(ValueError):
    """Something stands where the backup would be restored to; the message says what and where."""


@dataclass(frozen=True, slots=True)
class Source:
    """A backup that was found whole. `keys`: the file of the sessions' keys, None to restore none. `erasures`: what
    ledgers say was done to sessions, each line of which was verified."""

    folder: Path
    manifest: Manifest
    keys: Path | None
    erasures: Sequence[Entry] = ()

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        path = self.keys if name == KEYS else self.folder / name
        if path is None or (name not in self.manifest.files):
            return
        with path.open("rb") as file:
            yield from map(json.loads, file)

    def content(self, name: str) -> bytes | None:
        return (self.folder / name).read_bytes() if name in self.manifest.files else None


def opened_backup(folder: Path, *, keys: Path | None, without_keys: bool) -> Source:
    """Every file's digest is checked first. `keys`: where the keys' file lies, if not in the folder. Raises
    UnusableBackup.
    """
    path = None if without_keys else keys or folder / KEYS
    manifest = read_backup(folder, {KEYS: path})
    if keys and KEYS not in manifest.files:
        raise UnusableBackup(
            f"{folder} was made without keys, so {keys} is not its file of them: copy the key folder back"
        )
    return Source(folder, manifest, path if KEYS in manifest.files else None)


def with_erasures(source: Source, settings: Settings, given: Path | None, *, without: bool) -> Source:
    """The backup and what is known of erasures: the ledger that lies where the settings say, and the one `given`.

    Raises ErasuresUnknown if there is none, unless `without` one; UnusableLedger if nobody who is trusted signed it.
    """
    ledgers = [ErasureLedger(path) for path in (settings.erasures_file, given) if path and path.exists()]
    if given and not given.exists():
        raise UnusableLedger(f"there is no ledger of erasures {given}")
    if not ledgers and not without:
        raise ErasuresUnknown(
            f"there is no ledger of erasures {settings.erasures_file}: what was erased after the backup would come "
            "back; name a copy of it with --erasures FILE, or say --without-erasures if nothing ever was"
        )
    signers, found = _signers(source, settings), list[Entry]()
    for ledger in ledgers:
        for entry in ledger.entries():
            verify(entry, signers, str(ledger.path))
            found.append(entry)
    return replace(source, erasures=tuple(found))


def _signers(source: Source, settings: Settings) -> list[Ed25519PublicKey]:
    """The key that signed the backup's heads, and this place's own."""
    kept = source.content(PUBLIC_KEY)
    keys = [load_public_key(kept)] if kept else []
    if settings.signing_key.exists():
        keys += own_ring(settings.signing_key).keys.values()
    return [*keys, *(one for key in keys for one in KeyRing.of(key, _kept_exchanges(source)).keys.values())]


def _kept_exchanges(source: Source) -> Sequence[Exchange]:
    kept = source.content(KEY_EXCHANGES) or b""
    return [opened_exchange(json.loads(line)) for line in kept.splitlines()]


async def restore_backup(
    source: Source, settings: Settings, servers: Servers, *, replicas: int | None, tell: Tell
) -> None:
    """Restore streams, consumers, keys and heads, with the admin's user. Raises NotEmpty, UnusableBackup, LogError,
    psycopg.Error or OSError.
    """
    async with connected(servers, Role.ADMIN) as admin, await connect(servers.owner_dsn) as conn:
        if not await head_store.lock(conn):
            raise NotEmpty("a worker, or another restore, uses the PostgreSQL database: stop all workers first")
        restoring = _Restoring(source, settings, servers, admin, conn, replicas, tell)
        await restoring.check()
        async with contextlib.AsyncExitStack() as undo:
            await restoring.run(undo)


@dataclass(slots=True)
class _Restoring:
    source: Source
    settings: Settings
    servers: Servers
    admin: Connection
    conn: postgres.Connection
    replicas: int | None
    tell: Tell
    _own_keys: KeyDirectory = field(init=False)
    _cut_short: bool = field(default=False, init=False)  # an earlier restore left what stands there

    def __post_init__(self) -> None:
        self._own_keys = KeyDirectory(self.settings.key_dir)

    # ------------------------------------------------------------ nothing is touched

    async def check(self) -> None:
        """Raises NotEmpty."""
        js = self.admin.client.jetstream()
        for stream in self._streams():
            with contextlib.suppress(NotFoundError):
                info = await js.stream_info(stream)
                marked = RESTORING in (info.config.metadata or {})
                self._cut_short |= marked and stream == EVENTS
                if info.state.last_seq and not (self._cut_short and marked):
                    where = f"stream {stream} at {self.servers.nats_url}"
                    raise NotEmpty(f"{where} holds messages up to position {info.state.last_seq}")
        await self._check_database()
        self._check_keys()
        self._check_heads_file()

    def _streams(self) -> list[str]:
        """The log first: its mark stands for the whole restore."""
        return sorted(self.source.manifest.streams, key=lambda stream: stream != EVENTS)

    async def _check_database(self) -> None:
        """The very heads of the backup may be there: what was cut short once they were restored begins anew."""
        ours = await head_store.last_envelope(self.conn) == self._last_envelope()
        if await head_store.last_size(self.conn) and not ours:
            raise NotEmpty("the PostgreSQL database holds signed heads: use an empty one")
        made = await self.conn.execute("SELECT to_regclass('assay_meta.position') IS NOT NULL AS made")
        if (row := await made.fetchone()) and row["made"]:
            applied = await self.conn.execute("SELECT max(position) AS position FROM assay_meta.position")
            if (row := await applied.fetchone()) and row["position"]:
                raise NotEmpty("the PostgreSQL database holds read models of a log: use an empty one")

    def _last_envelope(self) -> str | None:
        return next((line["envelope"] for line in deque(self.source.lines(HEADS), maxlen=1)), None)

    def _check_keys(self) -> None:
        path, key_id = self.settings.signing_key, self.source.manifest.key_id
        if key_id and path.exists() and key_id not in own_ring(path).keys:
            raise NotEmpty(f"the signing key {path} is not the one that signed the heads of the backup ({key_id})")
        for session_id, key in self._keys():
            if self._own_keys.get(session_id) not in (key, None):
                raise NotEmpty(f"{self.settings.key_dir} holds another key of session {session_id}")

    def _check_heads_file(self) -> None:
        """Heads of later events would, rightly, keep the service from appending to the older log."""
        for path, kept in self._heads_files():
            there = path.read_bytes() if path.exists() else b""
            if not kept.startswith(there):
                lost = there.count(b"\n") - kept.count(b"\n") if there.startswith(kept) else None
                raise NotEmpty(
                    f"{path} holds "
                    + (f"{lost} heads that are newer than the backup" if lost else "heads of another log")
                    + ": move it aside, and keep it, for it proves what is lost"
                )

    def _heads_files(self) -> Iterator[tuple[Path, bytes]]:
        """The file of each stream's heads, and what the backup holds of it."""
        own = self.settings.heads_file
        yield own, self.source.content(HEADS_FILE) or b""
        lines = (self.source.content(STREAM_HEADS_FILE) or b"").splitlines(keepends=True)
        for stream in SIGNED:
            yield of_stream(own, stream), b"".join(line for line in lines if stream_of(line.decode()) == stream)

    # ------------------------------------------------------------ restoring

    async def run(self, undo: contextlib.AsyncExitStack) -> None:
        """The database last, in one transaction: it cannot be left half-written. Then the marks go."""
        js = self.admin.client.jetstream()
        for stream in reversed(self._streams()):
            with contextlib.suppress(NotFoundError):
                await js.delete_stream(stream)  # which `check` found empty, or left by a restore that was cut short
        for stream in self._streams():
            await self._stream(stream, self.source.manifest.streams[stream], undo)
        await self._check_end()
        self._restore_keys(undo)
        self._restore_heads_file(undo)
        for stream, kept in self.source.manifest.streams.items():
            for name, consumer in kept.consumers.items():
                await self._consumer(stream, name, consumer)
        await init_streams(js, ack_wait=self.settings.ack_wait, replicas=self.replicas or 1)
        await self._restore_heads()
        made = f"backup of {self.source.manifest.made_at:%Y-%m-%dT%H:%M:%SZ}"
        await record_access(self.admin, self.settings.actor, Action.RESTORE, None, what=made)
        if self.source.erasures:
            ErasureLedger(self.settings.erasures_file).add(self.source.erasures)
        await self._unmark(EVENTS)
        undo.pop_all()
        for stream in self._streams()[1:]:  # whose marks say nothing without the log's
            await _quietly(partial(self._unmark, stream))

    async def _stream(self, stream: str, kept: KeptStream, undo: contextlib.AsyncExitStack) -> None:
        config = kept.snapshot["config"]
        config = config | {"metadata": {**config.get("metadata", {}), RESTORING: "true"}}
        if self.replicas:
            config["num_replicas"] = self.replicas
        with (self.source.folder / snapshot_name(stream)).open("rb") as file:
            state = await restore_snapshot(self.admin, stream, {**kept.snapshot, "config": config}, file)
        undo.push_async_callback(_quietly, partial(self.admin.client.jetstream().delete_stream, stream))
        if state["last_seq"] != kept.last_position:
            raise UnusableBackup(f"{stream} ends at position {state['last_seq']}, not {kept.last_position}")
        self.tell(f"{stream}: {state['messages']} messages")

    async def _check_end(self) -> None:
        end = self.source.manifest.streams[EVENTS].last_position
        if not end:
            return
        (last,) = await EventStream(self.admin, stream=EVENTS, prefix=EVENT_PREFIX).read(end - 1, 1)
        if not last.ends_commit or last.headers.get(HASH_HEADER, "") != self.source.manifest.end_hash:
            raise UnusableBackup(f"{EVENTS} does not end, at position {end}, with the event that was backed up")

    def _keys(self) -> Iterator[tuple[UUID, Key]]:
        for line in self.source.lines(KEYS):
            yield UUID(line["session_id"]), Key(base64.b64decode(line["key"]))

    def _erased(self) -> set[UUID]:
        standings: dict[UUID, Standing] = {}
        for entry in self.source.erasures:
            standings[entry.session_id] = standings.get(entry.session_id, Standing()).after(entry)
        return {session_id for session_id, one in standings.items() if one.erasure and not one.is_held}

    def _restore_keys(self, undo: contextlib.AsyncExitStack) -> None:
        count, erased = 0, self._erased()
        for session_id, key in self._keys():
            if session_id in erased:
                self._own_keys.destroy(session_id)
            elif self._own_keys.get(session_id) is None:
                undo.callback(self._own_keys.destroy, session_id)
                self._own_keys.put(session_id, key)
                count += 1
        self.tell(f"{count} keys" + (f"; {len(erased)} sessions were erased: theirs stay away" if erased else ""))
        path, private = self.settings.signing_key, self.source.content(SIGNING_KEY)
        if private and not path.exists():
            private_folder(path.parent)
            undo.callback(path.unlink, missing_ok=True)
            create_private(path, private)
        known, made = exchanges_file(path), self.source.content(KEY_EXCHANGES)
        if made and not known.exists():
            private_folder(known.parent)
            undo.callback(known.unlink, missing_ok=True)
            create_private(known, made)

    def _restore_heads_file(self, undo: contextlib.AsyncExitStack) -> None:
        for path, kept in self._heads_files():
            file = HeadsFile(path)
            already = sum(1 for _ in file.envelopes())
            if fresh := kept.decode().splitlines()[already:]:
                if not already:
                    undo.callback(file.path.unlink, missing_ok=True)
                file.append(fresh)

    async def _restore_heads(self) -> None:
        if await head_store.last_size(self.conn):
            return  # a restore that was cut short came as far
        async with self.conn.transaction():
            trees = defaultdict[str, Frontier](Frontier)
            for line in (*self.source.lines(HEADS), *self.source.lines(STREAM_HEADS)):
                stream, joined = line.get("stream", ""), base64.b64decode(line["leaves"])
                leaves = [joined[at : at + HASH_SIZE] for at in range(0, len(joined), HASH_SIZE)]
                trees[stream] = tree = trees[stream].extended(leaves)
                await head_store.add(self.conn, StoredHead(line["size"], line["envelope"], leaves), tree, stream)

    async def _unmark(self, stream: str) -> None:
        config = (await self._api(f"STREAM.INFO.{stream}"))["config"]
        del config["metadata"][RESTORING]
        await self._api(f"STREAM.UPDATE.{stream}", config)

    async def _consumer(self, stream: str, name: str, kept: KeptConsumer) -> None:
        """As it was, and as far as it had come. A server that cannot set that (before 2.14) delivers everything again:
        reactions find it done, and no verdict is published twice.
        """
        config = {key: value for key, value in kept.config.items() if key not in _SERVERS_OWN}
        await self._api(f"CONSUMER.CREATE.{stream}.{name}", {"stream_name": stream, "config": config})
        if kept.floor:
            try:
                await self._api(f"CONSUMER.RESET.{stream}.{name}", {"seq": kept.floor + 1})
            except LogError as error:
                self.tell(f"consumer {name} of {stream} begins at the start: {error}")

    async def _api(self, call: str, query: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            return answer(await self.admin.request(f"$JS.API.{call}", json.dumps(query or {}).encode()))
        except (Rejected, Unanswered) as error:
            raise LogError(f"{call} failed: {str(error) or type(error).__name__}") from None


_SERVERS_OWN = {"metadata", "num_replicas"}
"""What a nats-server writes into a consumer's configuration; copies follow the stream's."""


async def _quietly(take_away: Callable[[], Awaitable[object]]) -> None:
    """Another step is taken whatever becomes of this one."""
    with contextlib.suppress(Exception):
        await take_away()
