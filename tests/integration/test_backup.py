"""Backups are whole or not there, and are restored whole or not at all (R67)."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import PropertyMock, patch
from uuid import uuid4

import pytest
from nats.js.errors import NotFoundError

from domain.chain import HASH_HEADER
from domain.events import SessionCancelled, SessionCancelledContent
from domain.subjects import EVENT_PREFIX
from handlers.application import head_writer_on
from handlers.cli import main
from infra.access import Role
from infra.audit import head_store
from infra.backup.manifest import MANIFEST, kept_file
from infra.backup.restore import NotEmpty, _Restoring, opened_backup, restore_backup
from infra.backup.take import take_backup
from infra.embedded import Servers
from infra.embedded.nats_server import NatsServer
from infra.event_log.connection import Connection, connected
from infra.event_log.errors import LogError
from infra.event_log.jetstream import EventStream, Stored
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.postgres import connect
from infra.private_files import create_private
from infra.settings import Settings
from infra.streams import EVENTS, drift, init_streams, stream_configs

CANCELLED = SessionCancelled(content=SessionCancelledContent(reason=""))


def said(_: str) -> None:
    """Progress, which these tests do not look at."""


@dataclass(frozen=True)
class Site:
    """A nats-server, a database and a key folder of one installation."""

    servers: Servers
    settings: Settings

    @asynccontextmanager
    async def admin(self) -> AsyncIterator[Connection]:
        async with connected(self.servers, Role.ADMIN) as admin:
            yield admin

    @asynccontextmanager
    async def log(self) -> AsyncIterator[SessionLog]:
        async with connected(self.servers, Role.SERVICE) as connection:
            yield SessionLog(connection, KeyDirectory(self.settings.key_dir), "aes-256-gcm")


@pytest.fixture
def new_site(tmp_path: Path, postgres: str) -> Iterator[Callable[[str], Site]]:
    """Makes installations whose nats-server is empty; they share a database, which stays without heads."""
    running: list[NatsServer] = []

    def make(name: str) -> Site:
        (tmp_path / name).mkdir()
        server = NatsServer(tmp_path / name / "nats")
        server.ensure_running()
        running.append(server)
        settings = Settings(data_dir=tmp_path / name, key_dir=tmp_path / name / "keys", nats_url=server.url)
        return Site(Servers(server.url, server.credentials, postgres), settings)

    yield make
    for server in running:
        server.stop()


async def cancelled_session(log: SessionLog, opening: list[Any]) -> None:
    await log.append(uuid4(), None, [*opening, CANCELLED], actor="test")


async def back_up(site: Site, folder: Path) -> None:
    await take_backup(site.settings, site.servers, folder, keys=True, signing_key=False, tell=said)


async def restore(site: Site, folder: Path) -> None:
    source = opened_backup(folder, keys=None, without_keys=False)
    await restore_backup(source, site.settings, site.servers, replicas=None, tell=said)


async def acknowledge(admin: Connection, durable: str, count: int) -> None:
    js = admin.client.jetstream()
    subscription = await js.pull_subscribe_bind(durable, EVENTS, inbox_prefix=b"_INBOX_admin.")
    for message in await subscription.fetch(count, timeout=5):
        await message.ack_sync()


async def stored(connection: Connection) -> list[tuple[int, str, str, bytes]]:
    """Position, session, hash and body of the first events."""
    log = EventStream(connection, stream=EVENTS, prefix=EVENT_PREFIX)
    page = await log.read(0, 3000)
    return [(event.position, event.originator, event.headers[HASH_HEADER], event.body) for event in page]


def test_a_backup_of_a_busy_log_ends_with_a_whole_commit(
    new_site: Any, tmp_path: Path, diagnosis: Callable[[], list[Any]]
) -> None:
    """R67, R51: positions, keys and consumers are as they were; what had not been acknowledged is delivered again."""
    opening = [entry.event for entry in diagnosis()[:2]]

    async def scenario() -> None:
        old, new = new_site("old"), new_site("new")
        async with AsyncExitStack() as stack:
            admin = await stack.enter_async_context(old.admin())
            await init_streams(admin.client.jetstream())
            log = await stack.enter_async_context(old.log())
            for _ in range(3):
                await cancelled_session(log, opening)
            await acknowledge(admin, "planner", 2)

            async def write() -> None:
                while True:
                    await cancelled_session(log, opening)

            writers = [asyncio.create_task(write()) for _ in range(6)]
            await back_up(old, tmp_path / "copy")
            for writer in writers:
                writer.cancel()
            await asyncio.gather(*writers, return_exceptions=True)

            await restore(new, tmp_path / "copy")
            restored = await stack.enter_async_context(new.admin())
            js = restored.client.jetstream()
            end = (await js.stream_info(EVENTS)).state.last_seq
            now = await stored(restored)
            assert end == len(now)
            assert end % 3 == 0
            assert now == (await stored(admin))[:end]
            planner = await js.consumer_info(EVENTS, "planner")
            floor = planner.ack_floor
            assert floor is not None
            assert (floor.stream_seq, planner.num_pending) == (5, end // 3 - 2)
            assert await drift(js) == []
            keys = {str(session_id) for session_id, _ in KeyDirectory(new.settings.key_dir).all()}
            assert keys >= {session_id for _, session_id, _, _ in now}

    asyncio.run(scenario())


def test_a_snapshot_that_ends_inside_a_commit_is_taken_again(
    new_site: Any, tmp_path: Path, diagnosis: Callable[[], list[Any]]
) -> None:
    """R67, R51."""
    opening = [entry.event for entry in diagnosis()[:2]]
    told: list[str] = []

    async def scenario() -> None:
        site = new_site("old")
        async with site.admin() as admin, site.log() as log:
            await init_streams(admin.client.jetstream())
            await cancelled_session(log, opening)
        with patch.object(Stored, "ends_commit", PropertyMock(side_effect=[False, True])):
            folder = tmp_path / "copy"
            await take_backup(site.settings, site.servers, folder, keys=True, signing_key=False, tell=told.append)

    asyncio.run(scenario())
    assert "ASSAY_EVENTS: position 3 lies inside a commit; again" in told
    opened_backup(tmp_path / "copy", keys=None, without_keys=False)


def test_nothing_is_restored_over_something(new_site: Any, tmp_path: Path, diagnosis: Callable[[], list[Any]]) -> None:
    """R67: neither over another log nor over another key of a session."""
    opening = [entry.event for entry in diagnosis()[:2]]

    async def scenario() -> None:
        old, new = new_site("old"), new_site("new")
        async with old.admin() as admin, old.log() as log:
            await init_streams(admin.client.jetstream())
            await cancelled_session(log, opening)
        await back_up(old, tmp_path / "copy")
        with pytest.raises(NotEmpty, match=r"stream ASSAY_EVENTS at .* holds messages up to position 3"):
            await restore(old, tmp_path / "copy")
        ((session_id, _),) = KeyDirectory(old.settings.key_dir).all()
        KeyDirectory(new.settings.key_dir).create(session_id)
        with pytest.raises(NotEmpty, match=f"another key of session {session_id}"):
            await restore(new, tmp_path / "copy")
        new.settings.heads_file.write_text("{}\n")
        KeyDirectory(new.settings.key_dir).destroy(session_id)
        with pytest.raises(NotEmpty, match=r"heads-.*\.jsonl holds 1 heads that are newer than the backup"):
            await restore(new, tmp_path / "copy")

    asyncio.run(scenario())


def test_a_restore_that_fails_leaves_nothing(new_site: Any, tmp_path: Path, diagnosis: Callable[[], list[Any]]) -> None:
    """R67: here the server refuses the last stream, whose digest was made to fit."""
    opening = [entry.event for entry in diagnosis()[:2]]

    async def scenario() -> None:
        old, new = new_site("old"), new_site("new")
        async with old.admin() as admin, old.log() as log:
            await init_streams(admin.client.jetstream())
            await cancelled_session(log, opening)
        folder = tmp_path / "copy"
        await back_up(old, folder)
        (folder / "ASSAY_ACCESS.snapshot").write_bytes(b"no snapshot")
        manifest = json.loads((folder / MANIFEST).read_bytes())
        manifest["files"]["ASSAY_ACCESS.snapshot"] = kept_file(folder / "ASSAY_ACCESS.snapshot").model_dump()
        (folder / MANIFEST).write_text(json.dumps(manifest))
        with pytest.raises(LogError, match="restore of ASSAY_ACCESS failed"):
            await restore(new, folder)
        async with new.admin() as admin:
            for stream in manifest["streams"]:
                with pytest.raises(NotFoundError):
                    await admin.client.jetstream().stream_info(stream)
        assert list(KeyDirectory(new.settings.key_dir).all()) == []

    asyncio.run(scenario())


def killed_restore(site: Site, folder: Path, at: str) -> int:
    """Exit status of a restore, in a process of its own, that is killed once it has told this or comes to that call."""

    def kill(text: str) -> None:
        if at in text:
            os.kill(os.getpid(), signal.SIGKILL)

    async def unmark(_: Any, stream: str) -> None:
        kill(f"unmark {stream}")

    def run() -> None:
        source = opened_backup(folder, keys=None, without_keys=False)
        with patch.object(_Restoring, "_unmark", unmark):
            asyncio.run(restore_backup(source, site.settings, site.servers, replicas=None, tell=kill))

    process = get_context("fork").Process(target=run)
    process.start()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


@pytest.mark.parametrize("at", ["ASSAY_EVENTS", "ASSAY_PARKED", "1 keys", "unmark ASSAY_EVENTS"])
def test_a_restore_that_was_killed_is_no_installation_and_is_repeated(
    new_site: Any, tmp_path: Path, diagnosis: Callable[[], list[Any]], at: str
) -> None:
    """R67: nobody works on a half one, and the next restore begins anew."""
    opening = [entry.event for entry in diagnosis()[:2]]
    old, new = new_site("old"), new_site("new")

    async def recorded() -> None:
        async with old.admin() as admin, old.log() as log:
            await init_streams(admin.client.jetstream())
            await cancelled_session(log, opening)
            await head_writer_on(log, old.settings, old.servers).finish()
        await back_up(old, tmp_path / "copy")
        async with await connect(old.servers.postgres_dsn) as conn:
            await conn.execute("DROP SCHEMA assay_audit CASCADE")

    async def differences() -> list[str]:
        async with new.admin() as admin:
            return await drift(admin.client.jetstream())

    async def repeated() -> None:
        with pytest.raises(LogError, match=r"half restored|there is no backup of"):
            await back_up(new, tmp_path / "half")
        await restore(new, tmp_path / "copy")
        async with old.admin() as before, new.admin() as after:
            assert await stored(after) == await stored(before)
            for config in stream_configs():
                info = await after.client.jetstream().stream_info(str(config.name))
                assert "assay.restoring" not in (info.config.metadata or {})
        async with await connect(new.servers.postgres_dsn) as conn:
            assert await head_store.last_size(conn) == 3

    asyncio.run(recorded())
    assert killed_restore(new, tmp_path / "copy", at) == -signal.SIGKILL
    assert "stream ASSAY_EVENTS: a restore was cut short: run `assay restore` again" in asyncio.run(differences())
    asyncio.run(repeated())
    assert asyncio.run(differences()) == []


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """As if the disk were full behind that many bytes of each file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_backup_that_cannot_be_written_leaves_nothing(new_site: Any, tmp_path: Path) -> None:
    """R67."""

    async def scenario() -> None:
        old = new_site("old")
        async with old.admin() as admin:
            await init_streams(admin.client.jetstream())
        with files_of_at_most(50), pytest.raises(OSError, match=r"ASSAY_PARKED\.snapshot"):
            await back_up(old, tmp_path / "copy")

    asyncio.run(scenario())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old"]


def test_a_key_that_cannot_be_written_names_its_file_and_leaves_none(tmp_path: Path) -> None:
    """R67: a disk that is full says by itself not where."""
    with files_of_at_most(8), pytest.raises(OSError, match=r"signing\.pem"):
        create_private(tmp_path / "signing.pem", b"longer than that")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a backup, as far as they are looked at before any server is."""
    folder = tmp_path_factory.mktemp("whole") / "copy"
    folder.mkdir()
    (folder / "keys.jsonl").write_text('{"session_id":"0","key":""}\n')
    manifest = {
        "format": "assay-backup/1",
        "made_at": "2026-07-08T03:00:00Z",
        "assay": "0.1.0",
        "nats_server": "2.15.1",
        "end_hash": "",
        "key_id": None,
        "keys": 1,
        "streams": {},
        "files": {"keys.jsonl": kept_file(folder / "keys.jsonl").model_dump()},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return folder


def edited(text: bytes) -> Callable[[Path], Any]:
    return lambda folder: (folder / MANIFEST).write_bytes(text)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: (folder / "keys.jsonl").unlink(), "keys.jsonl cannot be read: No such file"),
        (lambda folder: (folder / "keys.jsonl").write_text(""), "keys.jsonl is damaged: 0 bytes, not 28"),
        (lambda folder: (folder / "keys.jsonl").write_text("x" * 28), "keys.jsonl is damaged: its SHA-256"),
        (lambda folder: (folder / MANIFEST).unlink(), "is no backup: No such file or directory: manifest.json"),
        (edited(b"[]"), "manifest.json is no manifest that this release reads: it: "),
        (edited(b'{"format": "assay-backup/2"}'), "reads: format: Input should be 'assay-backup/1'"),
        (edited(b"\xff\x00"), "is no manifest"),
    ],
    ids=["missing", "truncated", "flipped", "no backup", "another document", "newer", "bytes"],
)
def test_a_damaged_backup_is_refused_before_anything_is_touched(
    whole: Path,
    tmp_path: Path,
    damage: Callable[[Path], Any],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """R67: not even a server is started."""
    folder = tmp_path / "copy"
    shutil.copytree(whole, folder)
    damage(folder)
    for name in ("DATA", "KEY"):
        monkeypatch.setenv(f"ASSAY_{name}_DIR", str(tmp_path / name))
    assert main(["restore", str(folder)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy"]


def test_keys_of_a_backup_that_was_made_without_are_not_taken_for_its_own(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """R67: no digest says that the file belongs to it."""
    manifest = json.loads((whole / MANIFEST).read_bytes()) | {"keys": None, "files": {}}
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    assert main(["restore", str(tmp_path), "--keys", str(whole / "keys.jsonl")]) == 2
    assert "was made without keys" in capsys.readouterr().err


def test_an_installation_that_was_never_used_has_no_backup(new_site: Any, tmp_path: Path) -> None:
    """R67: said in words; the program is not at fault."""
    with pytest.raises(LogError, match="there is no backup of ASSAY_EVENTS: stream not found"):
        asyncio.run(back_up(new_site("empty"), tmp_path / "copy"))


def test_a_file_that_a_manifest_names_lies_in_the_backup(whole: Path, tmp_path: Path) -> None:
    """R67: a manifest from elsewhere reads no other files."""
    manifest = json.loads((whole / MANIFEST).read_bytes())
    manifest["files"] = {"../../etc/passwd": {"size": 1, "sha256": ""}}
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    assert main(["restore", str(tmp_path)]) == 2
