"""The read models' database: a schema for each build, stable views in `assay`, the books in `assay_meta` (R54, R56).

assay.<name>                    view that readers use, of the serving build
rm_<name>_v<version>.<name>     table of one build of one version; a second build stands in rm_<name>_v<version>_2
assay_meta.read_model           the builds: fingerprint, schema, how far on their way, why halted
assay_meta.position             how far each build has read the log, by partition of the log
"""

from __future__ import annotations

from collections.abc import Iterable

from psycopg import sql

from infra.postgres import Connection, making
from projections.read_model import ReadModel, by_name

PREPARE_LOCK = 0x61737361795F726D
"""Advisory lock: several workers may prepare one database at once."""

META = """
CREATE SCHEMA IF NOT EXISTS assay;
CREATE SCHEMA IF NOT EXISTS assay_meta;
CREATE TABLE IF NOT EXISTS assay_meta.read_model (
    name text, version bigint, build bigint, schema text NOT NULL UNIQUE, fingerprint text NOT NULL,
    serving boolean NOT NULL, loaded boolean NOT NULL, verified_at timestamptz, replaced_at timestamptz,
    halted_at timestamptz, halted_reason text,
    PRIMARY KEY (name, version, build)
);
CREATE UNIQUE INDEX IF NOT EXISTS read_model_serving ON assay_meta.read_model (name) WHERE serving;
CREATE TABLE IF NOT EXISTS assay_meta.position (
    read_model text, version bigint, build bigint, partition integer, position bigint NOT NULL, hash text NOT NULL,
    PRIMARY KEY (read_model, version, build, partition),
    FOREIGN KEY (read_model, version, build) REFERENCES assay_meta.read_model (name, version, build) ON DELETE CASCADE
);
"""


def table(model: ReadModel) -> sql.Identifier:
    """The table of this build."""
    return sql.Identifier(model.schema, model.name)


def columns(names: Iterable[str]) -> sql.Composed:
    """Column names, quoted, with commas between."""
    return sql.SQL(", ").join(map(sql.Identifier, names))


async def prepare(conn: Connection, models: Iterable[ReadModel], partitions: int) -> None:
    """Create what is missing and change nothing that is there. Of a read model without any build the newest version is
    made and serves at once; a later version is for an operator to build (R56)."""
    models = list(models)
    if await _is_prepared(conn, models):
        return  # who only writes rows could not make it
    with making():
        await _make(conn, models, partitions)


async def _is_prepared(conn: Connection, models: Iterable[ReadModel]) -> bool:
    found = await conn.execute("SELECT to_regclass('assay_meta.position') IS NOT NULL AS made")
    row = await found.fetchone()
    if not row or not row["made"]:
        return False
    found = await conn.execute("SELECT DISTINCT name FROM assay_meta.read_model")
    return by_name(models).keys() <= {row["name"] for row in await found.fetchall()}


async def _make(conn: Connection, models: Iterable[ReadModel], partitions: int) -> None:
    async with conn.transaction():
        await conn.execute("SELECT pg_advisory_xact_lock(%s)", [PREPARE_LOCK])
        await conn.execute(META)
        for name, versions in by_name(models).items():
            found = await conn.execute("SELECT FROM assay_meta.read_model WHERE name = %s LIMIT 1", [name])
            if await found.fetchone() is None:
                await create_build(conn, versions[0], partitions, serving=True)
                await conn.execute(view_statement(versions[0]))


async def create_build(conn: Connection, model: ReadModel, partitions: int, *, serving: bool = False) -> None:
    """An empty table and its books. The caller holds the transaction."""
    await conn.execute(
        """INSERT INTO assay_meta.read_model (name, version, build, schema, fingerprint, serving, loaded)
           VALUES (%(name)s, %(version)s, %(build)s, %(schema)s, %(fingerprint)s, %(serving)s, %(serving)s)""",
        {
            "name": model.name,
            "version": model.version,
            "build": model.build,
            "schema": model.schema,
            "fingerprint": model.fingerprint,
            "serving": serving,
        },
    )
    await conn.execute(
        """INSERT INTO assay_meta.position (read_model, version, build, partition, position, hash)
           SELECT %s, %s, %s, partition, 0, '' FROM generate_series(0, %s - 1) AS partition""",
        [model.name, model.version, model.build, partitions],
    )
    for statement in _table_statements(model):
        await conn.execute(statement)


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


def view_statement(model: ReadModel) -> sql.Composed:
    """What readers see of a build."""
    return sql.SQL("CREATE VIEW {} AS SELECT {} FROM {}").format(
        sql.Identifier("assay", model.name), columns(model.columns), table(model)
    )
