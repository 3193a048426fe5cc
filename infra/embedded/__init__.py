"""nats-server and PostgreSQL from their wheels, shared by every process that uses the same data folder.

    with running_servers(settings) as servers: ...

Each user holds a shared lock for as long as it runs, which the kernel drops however the user dies; whoever leaves and
can have the lock alone stops the servers. Servers left behind by a killed last user are found and used by the next.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pwd
import shlex
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

from infra.access import Credentials, Role
from infra.embedded.nats_server import NatsServer
from infra.embedded.postgres_server import FOLDER_MODE, PostgresServer
from infra.embedded.process import ServerError
from infra.private_files import open_private, private_folder
from infra.settings import Settings, SettingsError

__all__ = ["ServerError", "Servers", "running_servers", "running_servers_async"]

_WATCH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Servers:
    """Where the servers are, embedded or external. `credentials` lacks the roles that an external setup left out."""

    nats_url: str
    credentials: Mapping[Role, Credentials]
    postgres_dsn: str = field(repr=False)  # of the owner; "" where an external setup left it out
    writer_dsn: str = field(default="", repr=False)
    reader_dsn: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """A managed server may have one user alone."""
        writer = self.writer_dsn or self.postgres_dsn
        object.__setattr__(self, "writer_dsn", writer)
        object.__setattr__(self, "reader_dsn", self.reader_dsn or writer)

    @property
    def owner_dsn(self) -> str:
        """Raises SettingsError."""
        if not self.postgres_dsn:
            raise SettingsError("ASSAY_POSTGRES_DSN: this needs the owner of the tables, and names none")
        return self.postgres_dsn

    @property
    def dsns(self) -> dict[str, str]:
        """By what they are for."""
        return {"owner": self.postgres_dsn, "writer": self.writer_dsn, "reader": self.reader_dsn}

    def user(self, role: Role) -> Credentials:
        """Raises SettingsError."""
        try:
            return self.credentials[role]
        except KeyError:
            raise SettingsError(f"ASSAY_NATS_{role.name}_PASSWORD: the NATS user {role} has no credentials") from None


@contextlib.contextmanager
def running_servers(settings: Settings) -> Iterator[Servers]:
    """Servers are up inside the block. What settings point at an external server is not started. Raises ServerError."""
    given = (settings.postgres_dsn or "", settings.postgres_writer_dsn or "", settings.postgres_reader_dsn or "")
    if settings.nats_url and settings.has_postgres:
        yield Servers(settings.nats_url, settings.nats_credentials, *given)
        return
    folder = settings.data_dir / "servers"
    _refuse_another_accounts(folder)
    private_folder(folder, FOLDER_MODE)
    nats = None if settings.nats_url else NatsServer(folder / "nats")
    postgres = None if settings.has_postgres else PostgresServer(folder / "postgres", settings.data_dir)
    with _thrice_ends(), _termination_unwinds(), _shared(folder, [server for server in (nats, postgres) if server]):
        yield Servers(
            nats_url=nats.url if nats else str(settings.nats_url),
            credentials=nats.credentials if nats else settings.nats_credentials,
            **_dsns(postgres.dsn, postgres.writer_dsn, postgres.reader_dsn) if postgres else _dsns(*given),
        )


def _dsns(owner: str, writer: str, reader: str) -> dict[str, str]:
    return {"postgres_dsn": owner, "writer_dsn": writer, "reader_dsn": reader}


def _refuse_another_accounts(folder: Path) -> None:
    """Its servers would write files there that the account cannot read any more. What lies above may be anyone's: a
    mounted volume is."""
    with contextlib.suppress(FileNotFoundError):
        if (owner := folder.stat().st_uid) != os.geteuid():
            try:
                account = pwd.getpwuid(owner).pw_name
            except KeyError:
                account = f"#{owner}"
            command = shlex.join(["sudo", "-u", account, "assay", *sys.argv[1:]])
            raise SettingsError(f"{folder} was made by the account {account}: run `{command}`, or set ASSAY_DATA_DIR")


@contextlib.asynccontextmanager
async def running_servers_async(settings: Settings) -> AsyncIterator[Servers]:
    """The same for use in a coroutine. The event loop stands still while servers start and stop, so that no
    cancellation can come in between and leave them behind. Inside, a signal that would end the program cancels the
    task, as Ctrl-C does: what it holds is left in order, on a loop that still runs.
    """
    with running_servers(settings) as servers, _termination_cancels():
        yield servers


@contextlib.contextmanager
def _shared(folder: Path, servers: list[NatsServer | PostgresServer]) -> Iterator[None]:
    """Hold the servers in use; start them first if need be, stop them last if nobody else uses them."""
    with open_private(folder / "in-use", "ab") as in_use:
        with _locked(folder):
            fcntl.flock(in_use, fcntl.LOCK_SH)
            try:
                for server in servers:
                    server.ensure_running()
            except BaseException:
                _stop_if_unused(in_use, servers)
                raise
        leaving = threading.Event()
        watcher = threading.Thread(target=_keep_running, args=(folder, servers, leaving), name="servers", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            leaving.set()
            watcher.join()
            with _locked(folder):
                _stop_if_unused(in_use, servers)


def _stop_if_unused(in_use: IO[bytes], servers: list[NatsServer | PostgresServer]) -> None:
    try:
        fcntl.flock(in_use, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    with contextlib.ExitStack() as stack:  # each is stopped, whatever becomes of the other
        for server in servers:
            stack.callback(server.stop)


def _keep_running(folder: Path, servers: list[NatsServer | PostgresServer], leaving: threading.Event) -> None:
    """Restart a crashed server on its old port; if that fails, clients report what they miss, and it is tried again."""
    while not leaving.wait(_WATCH_SECONDS):
        if all(server.is_running() for server in servers):
            continue
        with contextlib.suppress(ServerError), _locked(folder):
            for server in servers:
                if not leaving.is_set():
                    server.ensure_running()


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process at a time starts or stops servers."""
    with open_private(folder / "lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


_AT_ONCE = 3
"""So many presses of Ctrl-C end the process as it is: servers left behind are found by the next command."""


@contextlib.contextmanager
def _thrice_ends() -> Iterator[None]:
    """Around whatever handles Ctrl-C: leaving in order may take a minute, and servers stop in blocking calls."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    presses = 0

    def pressed(number: int, frame: FrameType | None) -> None:
        nonlocal presses
        presses += 1
        if presses >= _AT_ONCE:
            os.write(2, b"assay: ended at once; the next command finds its servers\n")
            os._exit(128 + number)
        before(number, frame)

    signal.signal(signal.SIGINT, pressed)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is pressed:
            signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _termination_unwinds() -> Iterator[None]:
    """A signal that would end the program at once leaves the block like an exception, so that servers are stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number in ours:
            if signal.getsignal(number) is _exit:
                signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def _termination_cancels() -> Iterator[None]:
    """Within `_termination_unwinds`: the task of this block is cancelled, and the program exits once it has ended."""
    ours = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is _exit]
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    came: list[int] = []

    def cancel(number: int) -> None:
        came.append(number)
        if task:
            task.cancel()

    for number in ours:
        loop.add_signal_handler(number, cancel, number)
    try:
        yield
    except asyncio.CancelledError:
        if not came:
            raise
    finally:
        for number in ours:
            loop.remove_signal_handler(number)
            signal.signal(number, _exit)
    if came:
        raise SystemExit(128 + came[0])


def _exit(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
