"""Connections to PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import DictRow, TupleRow, dict_row

Connection = AsyncConnection[DictRow]

CONNECT_SECONDS = 15
"""A server that takes the connection and then says nothing cannot be reached, either."""


def user_of(dsn: str) -> str:
    """Who connects by it, as the server knows them."""
    if named := conninfo_to_dict(dsn).get("user"):
        return str(named)
    with connect_blocking(dsn) as connection:
        user: str = connection.info.user
        return user


async def connect(dsn: str) -> Connection:
    """A connection that commits each statement unless inside `transaction()`. Raises psycopg.OperationalError."""
    conn = await AsyncConnection.connect(dsn, autocommit=True, row_factory=dict_row, connect_timeout=CONNECT_SECONDS)
    await conn.execute("SET idle_in_transaction_session_timeout = '60s'")  # a frozen worker must not hold its locks
    return conn


class NotPrepared(psycopg.OperationalError):
    """Schemas or tables are missing that this user may not make."""


@contextmanager
def making() -> Iterator[None]:
    """Statements that only the owner of schemas and tables may carry out. Raises NotPrepared."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise NotPrepared(
            "tables are missing that this user may not make: `assay init` does, with the owner's ASSAY_POSTGRES_DSN"
        ) from error


def connect_blocking(dsn: str) -> psycopg.Connection[TupleRow]:
    """For commands that only read. Raises psycopg.OperationalError."""
    return psycopg.connect(dsn, connect_timeout=CONNECT_SECONDS)
