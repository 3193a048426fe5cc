"""The superuser of an embedded PostgreSQL, whom Assay itself uses for nothing but making its roles (R74)."""

from __future__ import annotations

from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo


def superuser_dsn(data_dir: Path, dsn: str) -> str:
    """For the server of this data folder; `dsn`: of any of its users."""
    password = (data_dir / "servers/postgres/password").read_text()
    return make_conninfo(dsn, user="assay", password=password)


def may_make_databases(data_dir: Path, dsn: str) -> None:
    """So that tests have one each."""
    with psycopg.connect(superuser_dsn(data_dir, dsn), autocommit=True) as connection:
        connection.execute("ALTER ROLE assay_owner CREATEDB")
