"""nats-server and PostgreSQL from their wheels, shared by every process that uses the same data folder.

    with running_servers(settings) as servers: ...

Each user holds a shared lock for as long as it runs, which the kernel drops however the user dies; whoever leaves and
can have the lock alone stops the servers. Servers left behind by a killed last user are found and used by the next.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import signal
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

from infra.access import Credentials, Role
from infra.embedded.nats_server import NatsServer
from infra.embedded.postgres_server import PostgresServer
from infra.embedded.process import ServerError
from infra.settings import Settings, SettingsError

__all__ = ["ServerError", "Servers", "running_servers", "running_servers_async"]

_WATCH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Servers:
    """Where the servers are, embedded or external. `credentials` lacks the roles that an external setup left out."""

    nats_url: str
    credentials: Mapping[Role, Credentials]
    postgres_dsn: str

    def user(self, role: Role) -> Credentials:
        """Raises SettingsError."""
        try:
            return self.credentials[role]
        except KeyError:
            raise SettingsError(f"ASSAY_NATS_{role.name}_PASSWORD: the NATS user {role} has no credentials") from None


@contextlib.contextmanager
def running_servers(settings: Settings) -> Iterator[Servers]:
    """Servers are up inside the block. What settings point at an external server is not started. Raises ServerError."""
    if settings.nats_url and settings.postgres_dsn:
        yield Servers(settings.nats_url, settings.nats_credentials, settings.postgres_dsn)
        return
    folder = settings.data_dir / "servers"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    nats = None if settings.nats_url else NatsServer(folder / "nats")
    postgres = None if settings.postgres_dsn else PostgresServer(folder / "postgres")
    with _termination_unwinds(), _shared(folder, [server for server in (nats, postgres) if server]):
        yield Servers(
            nats_url=nats.url if nats else str(settings.nats_url),
            credentials=nats.credentials if nats else settings.nats_credentials,
            postgres_dsn=postgres.dsn if postgres else str(settings.postgres_dsn),
        )


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
    with (folder / "in-use").open("a") as in_use:
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


def _stop_if_unused(in_use: IO[str], servers: list[NatsServer | PostgresServer]) -> None:
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
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


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
