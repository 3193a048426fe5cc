"""R7, R67: what a user can do something about is one clear line."""

from __future__ import annotations

import psycopg
import pytest

from handlers.cli.errors import explain
from infra.postgres import NotPrepared


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (psycopg.errors.DiskFull("could not extend file"), "PostgreSQL has no room left: could not extend file"),
        (psycopg.errors.TooManyConnections("sorry"), "PostgreSQL takes no more connections: sorry"),
        (psycopg.errors.InsufficientPrivilege("no"), "PostgreSQL refuses this user: no"),
        (psycopg.OperationalError("refused\n  is it running?"), "PostgreSQL cannot be reached: refused is it running?"),
        (NotPrepared("tables are missing"), "tables are missing"),
    ],
)
def test_what_is_wrong_with_postgresql_is_told_apart(error: Exception, said: str) -> None:
    assert explain(error) == (said, 1)
