"""The four read models as a projection of the `eventsourcing` library: its `ProjectionRunner`, its tracking recorder.

The same events, opened with the same keys, and the same folds; a transaction for each event, with its position. What
the library does not hand on (time, actor, hash) is made up, which costs nothing.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.persistence import Mapper, Tracking
from eventsourcing.postgres import PostgresTrackingRecorder
from eventsourcing.projection import Projection, ProjectionRunner
from psycopg import sql
from psycopg.types.json import Jsonb

from domain.events import Recorded
from infra.access import Role
from infra.event_log.keys import KeyDirectory
from infra.event_log.mapper import Entry, SessionMapper
from infra.read_models.rows import storable
from infra.read_models.tables import columns, table
from projections.read_model import Key, ReadModel, Row, fold_page
from projections.registry import READ_MODELS
from tests.bench.ground import Ground, postgres_environment

NOBODY = UUID(int=0)
PATIENCE_S = 3_600.0


class Sessions(Application[UUID]):
    """Assay as the library sees it, with the keys of its sessions."""

    def construct_mapper(self) -> Mapper[UUID]:
        return SessionMapper(KeyDirectory(cast("Any", self.env)["KEY_DIR"]), "aes-256-gcm")


class Tables(PostgresTrackingRecorder):
    """The four tables. A row is read, folded and put in its place."""

    def apply(self, recorded: Recorded, tracking: Tracking) -> None:
        with self.datastore.transaction(commit=True) as cursor:
            for model in READ_MODELS:
                if (key := model.key_of(recorded)) is not None:
                    before = self._row(cursor, model, key)
                    changed = fold_page(model, {key: before} if before else {}, [recorded])
                    self._put(cursor, model, changed[key])
            self._insert_tracking(cursor, tracking)

    @staticmethod
    def _row(cursor: Any, model: ReadModel, key: Key) -> Row | None:
        where = sql.SQL(" AND ").join(sql.SQL("{} = %s").format(sql.Identifier(column)) for column in model.key)
        query = sql.SQL("SELECT {} FROM {} WHERE {}").format(columns(model.columns), table(model), where)
        cursor.execute(query, key, prepare=True)
        return cast("Row | None", cursor.fetchone())

    @staticmethod
    def _put(cursor: Any, model: ReadModel, row: Row) -> None:
        given = [sql.SQL("{0} = EXCLUDED.{0}").format(sql.Identifier(column)) for column in model.columns]
        query = sql.SQL("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {}").format(
            table(model),
            columns(model.columns),
            sql.SQL(", ").join(sql.Placeholder() for _ in model.columns),
            columns(model.key),
            sql.SQL(", ").join(given),
        )
        values = [
            Jsonb(storable(row[column])) if kind == "jsonb" and row[column] is not None else storable(row[column])
            for column, kind in model.columns.items()
        ]
        cursor.execute(query, values, prepare=True)


class Projecting(Projection[Tables]):
    def process_event(self, domain_event: Entry, tracking: Tracking) -> None:
        recorded = Recorded(
            session_id=domain_event.originator_id,
            version=domain_event.originator_version,
            position=tracking.notification_id,
            event_id=NOBODY,
            commit_id=NOBODY,
            correlation_id=NOBODY,
            causation_id=None,
            time=datetime.now(UTC),
            actor="worker-1",
            hash="",
            event=domain_event.event,
        )
        self.view.apply(recorded, tracking)


def seconds(servers: Ground, dsn: str, last: int) -> float:
    """For the events up to position `last`, into the prepared database `dsn`."""
    reader = servers.servers.credentials[Role.PROJECTOR]
    environment = {
        "PERSISTENCE_MODULE": "infra.event_log.eventsourcing_module",
        "NATS_URL": servers.servers.nats_url,
        "NATS_USER": reader.user,
        "NATS_PASSWORD": reader.password.get_secret_value(),
        "NATS_INBOX_PREFIX": Role.PROJECTOR.inbox_prefix,
        "NATS_STREAM": "ASSAY_EVENTS",
        "KEY_DIR": str(servers.settings.key_dir),
        "PROJECTING_PERSISTENCE_MODULE": "eventsourcing.postgres",
        **postgres_environment(dsn),
    }
    started = time.perf_counter()
    with ProjectionRunner(
        application_class=Sessions, projection_class=Projecting, view_class=Tables, env=environment
    ) as runner:
        runner.wait(last, timeout=PATIENCE_S)
    return time.perf_counter() - started
