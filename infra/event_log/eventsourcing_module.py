"""Persistence module for the `eventsourcing` library: `PERSISTENCE_MODULE=infra.event_log.eventsourcing_module`.

Variables, each of which may be prefixed with an application's name: `NATS_URL`, `NATS_USER`, `NATS_PASSWORD`,
`NATS_INBOX_PREFIX` (as the user's permissions have it), `NATS_STREAM` (by default `APP_` and the application's name)
and `CREATE_TABLE` (default yes: create the streams, which needs an admin's user; otherwise they must exist). Snapshots
are kept in a second stream.

`NATS_STREAM=ASSAY_EVENTS` are Assay's own events, for projections of one's own: they come as `Entry` with their facts,
topics are the types' names, and nothing can be written. The projector's user may read them.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    InfrastructureFactory,
    InfrastructureFactoryError,
    Mapper,
    ProcessRecorder,
    TrackingRecorder,
    Transcoder,
)
from eventsourcing.utils import Environment, EnvType, strtobool
from typing_extensions import override

from domain.subjects import EVENT_PREFIX
from infra.event_log.connection import Connection
from infra.event_log.jetstream import EventStream
from infra.event_log.recorder import JetStreamAggregateRecorder, JetStreamApplicationRecorder, LoopThread
from infra.event_log.session_events import FactsMapper, SessionEventRecorder
from infra.streams import EVENTS, append_only, ensure_stream


class JetStreamFactory(InfrastructureFactory[TrackingRecorder]):
    """Recorders over one connection, opened with the factory. Raises LogUnavailable if NATS cannot be reached."""

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        self._stream_name = self._name()
        self._loop = LoopThread()
        try:
            self._connection = self._loop.call(
                Connection.open(
                    self.env.get("NATS_URL") or "nats://127.0.0.1:4222",
                    self.env.get("NATS_USER") or "",
                    self.env.get("NATS_PASSWORD") or "",
                    self.env.get("NATS_INBOX_PREFIX") or "_INBOX",
                )
            )
        except BaseException:
            self._loop.close()
            raise

    @override
    def mapper(
        self, transcoder: Transcoder | None = None, mapper_class: type[Mapper[Any]] | None = None
    ) -> Mapper[Any]:
        return FactsMapper() if self._stream_name == EVENTS else super().mapper(transcoder, mapper_class)

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:
        if self._stream_name == EVENTS:
            raise InfrastructureFactoryError("Assay's own events have no snapshots")
        suffix = "" if purpose == "events" else f"_{purpose.upper()}"
        return JetStreamAggregateRecorder(self._stream(self._stream_name + suffix), self._loop)

    def application_recorder(self) -> ApplicationRecorder:
        if self._stream_name == EVENTS:
            return SessionEventRecorder(EventStream(self._connection, stream=EVENTS, prefix=EVENT_PREFIX), self._loop)
        return JetStreamApplicationRecorder(self._stream(self._stream_name), self._loop)

    @override
    def tracking_recorder(self, tracking_recorder_class: type[TrackingRecorder] | None = None) -> TrackingRecorder:
        self._refuse_tracking()

    def process_recorder(self) -> ProcessRecorder:
        self._refuse_tracking()

    def close(self) -> None:
        self._loop.close(self._connection.close)

    def _name(self) -> str:
        name = self.env.get("NATS_STREAM") or f"APP_{self.env.name or 'EVENTS'}".upper()
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) or (name.startswith("ASSAY_") and name != EVENTS):
            raise InfrastructureFactoryError(f"NATS_STREAM: {name!r} cannot be the stream of an application")
        return name

    def _stream(self, name: str) -> EventStream:
        prefix = f"app.{name}"
        if strtobool(self.env.get("CREATE_TABLE") or "yes"):
            js = self._connection.client.jetstream()
            self._loop.call(ensure_stream(js, append_only(name, prefix)))
        return EventStream(self._connection, stream=name, prefix=prefix)

    @staticmethod
    def _refuse_tracking() -> NoReturn:
        raise InfrastructureFactoryError(
            "tracking records belong in the database of the view they track: set the persistence module of that view"
        )
