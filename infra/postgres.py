"""The read models' database: a schema for each version, stable views in `assay`, the books in `assay_meta` (R54, R56).

assay.<name>                    view that readers use, of the serving version
rm_<name>_v<version>.<name>     table of one version
assay_meta.read_model           fingerprint, serving or not, why halted
assay_meta.position             how far each version has read the log, by partition of the log
"""

from __future__ import annotations

from collections.abc import Iterable

from psycopg import AsyncConnection, sql
from psycopg.rows import DictRow, dict_row

from projections.read_model import ReadModel

Connection = AsyncConnection[DictRow]

PREPARE_LOCK = 0x61737361795F726D
"""Advisory lock: several workers may prepare one database at once."""

META = """
CREATE SCHEMA IF NOT EXISTS assay;
CREATE SCHEMA IF NOT EXISTS assay_meta;
CREATE TABLE IF NOT EXISTS assay_meta.read_model (
    name text, version bigint, fingerprint text NOT NULL, serving boolean NOT NULL,
    halted_at timestamptz, halted_reason text,
    PRIMARY KEY (name, version)
);
CREATE UNIQUE INDEX IF NOT EXISTS read_model_serving ON assay_meta.read_model (name) WHERE serving;
CREATE TABLE IF NOT EXISTS assay_meta.position (
    read_model text, version bigint, partition integer, position bigint NOT NULL, hash text NOT NULL,
    PRIMARY KEY (read_model, version, partition),
    FOREIGN KEY (read_model, version) REFERENCES assay_meta.read_model (name, version) ON DELETE CASCADE
);
"""


async def connect(dsn: str) -> Connection:
    """A connection that commits each statement unless inside `transaction()`. Raises psycopg.OperationalError."""
    conn = await AsyncConnection.connect(dsn, autocommit=True, row_factory=dict_row)
    await conn.execute("SET idle_in_transaction_session_timeout = '60s'")  # a frozen worker must not hold its locks
    return conn


def table(model: ReadModel) -> sql.Identifier:
    """The table of this version."""
    return sql.Identifier(model.schema, model.name)


def columns(names: Iterable[str]) -> sql.Composed:
    """Column names, quoted, with commas between."""
    return sql.SQL(", ").join(map(sql.Identifier, names))


async def prepare(conn: Connection, models: Iterable[ReadModel], partitions: int) -> None:
    """Create what is missing and change nothing that is there. The first version of a read model serves at once; a
    later one is made beside it and does not."""
    async with conn.transaction():
        await conn.execute("SELECT pg_advisory_xact_lock(%s)", [PREPARE_LOCK])
        await conn.execute(META)
        for model in models:
            await _prepare_version(conn, model, partitions)


async def _prepare_version(conn: Connection, model: ReadModel, partitions: int) -> None:
    registered = await conn.execute(
        """INSERT INTO assay_meta.read_model (name, version, fingerprint, serving)
           SELECT %(name)s, %(version)s, %(fingerprint)s,
                  NOT EXISTS (SELECT FROM assay_meta.read_model WHERE name = %(name)s AND serving)
           ON CONFLICT DO NOTHING RETURNING serving""",
        {"name": model.name, "version": model.version, "fingerprint": model.fingerprint},
    )
    if (row := await registered.fetchone()) is None:
        return
    await conn.execute(
        """INSERT INTO assay_meta.position (read_model, version, partition, position, hash)
           SELECT %s, %s, partition, 0, '' FROM generate_series(0, %s - 1) AS partition""",
        [model.name, model.version, partitions],
    )
    for statement in _table_statements(model):
        await conn.execute(statement)
    if row["serving"]:
        await conn.execute(_view_statement(model))


def _table_statements(model: ReadModel) -> list[sql.Composed]:
    shape = [sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind)) for name, kind in model.columns.items()]
    create = sql.SQL("CREATE TABLE {table} ({columns}, PRIMARY KEY ({key}))").format(
        table=table(model), columns=sql.SQL(", ").join(shape), key=columns(model.key)
    )
    indexes = [
        sql.SQL("CREATE INDEX ON {} ({})").format(table(model), sql.Identifier(column)) for column in model.indexes
    ]
    return [sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(model.schema)), create, *indexes, _no_samples(model)]


def _no_samples(model: ReadModel) -> sql.Composed:
    """PostgreSQL keeps no sample of texts in its statistics, where an erasure would not find them (R62)."""
    each = [sql.SQL("ALTER COLUMN {} SET STATISTICS 0").format(sql.Identifier(name)) for name in model.content]
    return sql.SQL("ALTER TABLE {} {}").format(table(model), sql.SQL(", ").join(each))


def _view_statement(model: ReadModel) -> sql.Composed:
    return sql.SQL("CREATE VIEW {} AS SELECT {} FROM {}").format(
        sql.Identifier("assay", model.name), columns(model.columns), table(model)
    )
