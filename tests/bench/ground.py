"""Where a benchmark runs: nats-server and PostgreSQL from their wheels, in a folder that is removed afterwards.

Both write to the disk before they acknowledge. The folder lies under `TMPDIR`: a memory file system there would make
every figure meaningless.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from handlers.application import make_ready
from infra.access import Role
from infra.embedded import Servers, running_servers
from infra.event_log.connection import Connection
from infra.settings import Settings
from tests.superuser import may_make_databases


@dataclass(frozen=True, slots=True)
class Ground:
    settings: Settings
    servers: Servers

    @asynccontextmanager
    async def connection(self, role: Role = Role.SERVICE) -> AsyncIterator[Connection]:
        user = self.servers.credentials[role]
        password = user.password.get_secret_value()
        opened = await Connection.open(self.servers.nats_url, user.user, password, role.inbox_prefix)
        try:
            yield opened
        finally:
            await opened.close()

    def new_database(self, name: str) -> str:
        """DSN, as a URL, of an empty database."""
        with psycopg.connect(self.servers.postgres_dsn, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.servers.postgres_dsn.rpartition("/")[0] + f"/{name}"

    def log_bytes(self) -> int:
        """Everything that nats-server keeps on the disk: messages, indexes and consumers."""
        store = self.settings.data_dir / "servers" / "nats" / "store"
        return sum(path.stat().st_size for path in store.rglob("*") if path.is_file())


@contextmanager
def ground() -> Iterator[Ground]:
    """Fresh servers with Assay's streams."""
    with TemporaryDirectory(prefix="assay-bench-") as name:
        os.chmod(name, 0o711)  # as root PostgreSQL is another account
        settings = Settings(data_dir=Path(name) / "data", key_dir=Path(name) / "keys")
        with running_servers(settings) as servers:
            may_make_databases(settings.data_dir, servers.postgres_dsn)
            asyncio.run(make_ready(settings, servers))
            yield Ground(settings, servers)


def table_bytes(dsn: str) -> int:
    """Tables and indexes of one database, without PostgreSQL's own."""
    query = """SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
               JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')"""
    with psycopg.connect(dsn) as connection:
        row = connection.execute(query).fetchone()
    return int(row[0]) if row else 0


def postgres_environment(dsn: str) -> dict[str, str]:
    """The variables that the `eventsourcing` library reads."""
    names = {"dbname": "DBNAME", "host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
    given = conninfo_to_dict(make_conninfo(dsn))
    return {f"POSTGRES_{variable}": str(given[name]) for name, variable in names.items()}


async def at_once(tasks: int, total: int, work: Callable[[], Coroutine[Any, Any, Any]]) -> float:
    """Seconds for `total` calls of `work` by so many tasks."""
    calls = iter(range(total))

    async def one_task() -> None:
        for _ in calls:
            await work()

    started = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(tasks):
            group.create_task(one_task())
    return time.perf_counter() - started


def threaded(threads: int, total: int, work: Callable[[], object]) -> float:
    """Seconds for `total` calls of `work` by so many threads."""
    calls = iter(range(total))

    def one_thread(_: int) -> None:
        for _ in calls:
            work()

    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(one_thread, range(threads)))
    return time.perf_counter() - started


def progress(text: str) -> None:
    """To standard error: standard output is for the table alone."""
    print(text, file=sys.stderr, flush=True)
