"""PostgreSQL's roles (R74): an owner makes schemas and tables, a writer changes rows, a reader reads.

Worker and commands run as writer or reader; `assay init`, rebuilds, backup and restore need the owner. Nobody is a
superuser. A managed server with one user works: then it is all three.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import psycopg
from psycopg import sql

from infra.postgres import Connection, connect_blocking

DATABASE_ROLES = ("owner", "writer", "reader")

_OURS = "(nspname IN ('assay', 'assay_meta', 'assay_audit') OR nspname ~ '^rm_.+_v[0-9]+')"
_HAND_OVER = f"""
DO $$
DECLARE one record;
BEGIN
    FOR one IN SELECT nspname FROM pg_namespace WHERE {_OURS} AND pg_get_userbyid(nspowner) <> 'assay_owner' LOOP
        EXECUTE format('ALTER SCHEMA %I OWNER TO assay_owner', one.nspname);
    END LOOP;
    FOR one IN SELECT nspname, relname, relkind FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE {_OURS} AND relkind IN ('r', 'v') AND pg_get_userbyid(relowner) <> 'assay_owner' LOOP
        EXECUTE format(
            CASE one.relkind WHEN 'v' THEN 'ALTER VIEW %I.%I OWNER TO assay_owner'
                             ELSE 'ALTER TABLE %I.%I OWNER TO assay_owner' END, one.nspname, one.relname);
    END LOOP;
END $$
"""


def role_name(role: str) -> str:
    return f"assay_{role}"


def make_roles(superuser_dsn: str, passwords: Mapping[str, str]) -> None:
    """The roles of a server of ours; what others made of ours before is handed to the owner."""
    with psycopg.connect(superuser_dsn, autocommit=True) as conn:
        made = {name for (name,) in conn.execute("SELECT rolname FROM pg_roles").fetchall()}
        for role, password in passwords.items():
            verb = sql.SQL("ALTER" if role_name(role) in made else "CREATE")
            conn.execute(
                sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD {}").format(
                    verb, sql.Identifier(role_name(role)), sql.Literal(password)
                )
            )
        conn.execute("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
        conn.execute("GRANT CREATE ON DATABASE postgres TO assay_owner")
        conn.execute(_HAND_OVER)
        schemas = [name for (name,) in conn.execute(f"SELECT nspname FROM pg_namespace WHERE {_OURS}").fetchall()]
        for statement in _grants(role_name("writer"), role_name("reader"), schemas, owner=role_name("owner")):
            conn.execute(statement)


class Rights(NamedTuple):
    """What a user may do. `creates`: schemas. `writes`: rows of ours."""

    user: str
    is_superuser: bool
    creates: bool
    writes: bool


def rights_of(dsn: str) -> Rights:
    """Raises psycopg.OperationalError."""
    with connect_blocking(dsn) as conn:
        row = conn.execute(
            """SELECT current_user, rolsuper, has_database_privilege(current_database(), 'CREATE'),
                      coalesce(has_table_privilege(to_regclass('assay_meta.position'), 'UPDATE'), false)
               FROM pg_roles WHERE rolname = current_user"""
        ).fetchone()
    return Rights(*row) if row else Rights("?", False, False, False)


async def grant(owner: Connection, others: Mapping[str, str]) -> None:
    """Give writer and reader what they need of all that the owner has made and will make. `others`: their user names.

    Changes nothing where they have it already, so that any process may see to it at its start.
    """
    writer, reader = others["writer"], others["reader"]
    if await _granted(owner, writer, reader):
        return
    async with owner.transaction():
        await owner.execute("SELECT pg_advisory_xact_lock(%s)", [_GRANT_LOCK])
        for statement in _grants(writer, reader, await _schemas(owner)):
            await owner.execute(statement)


def _grants(writer: str, reader: str, schemas: Iterable[str], owner: str | None = None) -> Iterator[sql.Composed]:
    """For what there is, and for what is made later by `owner`, or by who carries this out."""
    users = sql.SQL(", ").join(map(sql.Identifier, dict.fromkeys((writer, reader))))
    rights = ((sql.SQL("SELECT"), users), (sql.SQL("INSERT, UPDATE, DELETE"), sql.Identifier(writer)))
    made_by = sql.SQL("FOR ROLE {} ").format(sql.Identifier(owner)) if owner else sql.SQL("")
    default = sql.SQL("ALTER DEFAULT PRIVILEGES {}GRANT {} ON {} TO {}")
    yield default.format(made_by, sql.SQL("USAGE"), sql.SQL("SCHEMAS"), users)
    for right, whom in rights:
        yield default.format(made_by, right, sql.SQL("TABLES"), whom)
    for schema in map(sql.Identifier, schemas):
        yield sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, users)
        for right, whom in rights:
            yield sql.SQL("GRANT {} ON ALL TABLES IN SCHEMA {} TO {}").format(right, schema, whom)


_GRANT_LOCK = 0x61737361795F6772


async def _granted(owner: Connection, writer: str, reader: str) -> bool:
    found = await owner.execute(
        f"""SELECT bool_and(
                has_schema_privilege(%(writer)s, nspname, 'USAGE')
                AND has_schema_privilege(%(reader)s, nspname, 'USAGE')
                AND NOT EXISTS (
                    SELECT FROM pg_class WHERE relnamespace = pg_namespace.oid AND relkind IN ('r', 'v') AND NOT (
                        has_table_privilege(%(reader)s, pg_class.oid, 'SELECT')
                        AND has_table_privilege(%(writer)s, pg_class.oid, 'INSERT'))))
            FROM pg_namespace WHERE {_OURS} AND nspowner = current_user::regrole""",
        {"writer": writer, "reader": reader},
    )
    row = await found.fetchone()
    return bool(row and row["bool_and"])


async def _schemas(owner: Connection) -> list[str]:
    found = await owner.execute(f"SELECT nspname FROM pg_namespace WHERE {_OURS} AND nspowner = current_user::regrole")
    return [row["nspname"] for row in await found.fetchall()]
