"""Recorders of the `eventsourcing` library over the event stream, so that an application of one's own can keep its
events beside Assay's: same subjects, same conflict check, same reading back of doubtful commits.

The library is synchronous; the stream lives on an event loop in a thread of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future, wait
from typing import Any, TypeVar
from uuid import UUID, uuid4

from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    IntegrityError,
    ListenNotifySubscription,
    Notification,
    OperationalError,
    ProgrammingError,
    StoredEvent,
    Subscription,
)
from typing_extensions import override

from domain.chain import COMMIT_HEADER
from infra.event_log.errors import Conflict, LogError, LogUnavailable
from infra.event_log.jetstream import Draft, EventStream, Stored

_T = TypeVar("_T")
_PAGE = 1_000
_IDLE_SECONDS = 0.5  # between two looks for new events when nothing rings
_CLOSING_SECONDS = 1.0  # until a call notices that the connection was closed under it
_CLOSED = "the connection to the event log was closed"


class LoopThread:
    """An event loop in a daemon thread, for calls from synchronous code."""

    def __init__(self) -> None:
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="event-log", daemon=True)
        self._thread.start()

    def call(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine to its end and return its result. Raises what it raises, or LogUnavailable once closed."""
        future = self._submitted(coroutine)
        while not wait([future], timeout=_CLOSING_SECONDS).done:
            if not self._thread.is_alive():
                raise LogUnavailable(_CLOSED)
        return future.result()

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> Callable[[], object]:
        """Run a coroutine in the background; the result stops it. Raises LogUnavailable once closed."""
        return self._submitted(coroutine).cancel

    def _submitted(self, coroutine: Coroutine[Any, Any, _T]) -> Future[_T]:
        try:
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except RuntimeError:
            coroutine.close()
            raise LogUnavailable(_CLOSED) from None

    def close(self, last: Callable[[], Coroutine[Any, Any, None]] | None = None) -> None:
        """Run a last coroutine and end the thread. May be called again, and from a destructor: that may run in the
        thread itself, which cannot wait for itself, or when the interpreter ends and the thread runs no more.
        """
        if self._closed or sys.is_finalizing():
            return
        self._closed = True
        ended = asyncio.run_coroutine_threadsafe(self._end(last), self._loop)
        if threading.current_thread() is not self._thread:
            ended.result()
            self._thread.join()

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.close()

    async def _end(self, last: Callable[[], Coroutine[Any, Any, None]] | None) -> None:
        if last is not None:
            await last()
        self._loop.call_soon(self._loop.stop)


class JetStreamAggregateRecorder(AggregateRecorder):
    """Events by aggregate; also right for snapshots, in a stream of their own."""

    def __init__(self, stream: EventStream, loop: LoopThread) -> None:
        self._stream = stream
        self._loop = loop

    @override
    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """All or none. Raises IntegrityError if one of the versions is recorded already."""
        self._insert(stored_events)
        return None

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        with _library_errors():
            found = self._loop.call(self._stream.originator(_originator(originator_id)))
        chosen = sorted(
            (e for e in found if (gt is None or e.version > gt) and (lte is None or e.version <= lte)),
            key=lambda event: event.version,
            reverse=desc,
        )
        return [StoredEvent(_originator_id(e.originator), e.version, e.type, e.body) for e in chosen[:limit]]

    def _insert(self, stored_events: Sequence[StoredEvent]) -> Sequence[int]:
        headers = {COMMIT_HEADER: str(uuid4())}
        drafts = [
            Draft(_originator(e.originator_id), e.originator_version, e.topic, headers, e.state) for e in stored_events
        ]
        with _library_errors():
            return list(self._loop.call(self._stream.append(drafts)))


class JetStreamApplicationRecorder(JetStreamAggregateRecorder, ApplicationRecorder):
    """Notification ids are positions in the stream; those of one commit are consecutive."""

    @override
    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        return self._insert(stored_events)

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        after = max((start or 0) - (1 if inclusive_of_start else 0), 0)
        selected: list[Notification] = []
        while len(selected) < limit:
            with _library_errors():
                page = self._loop.call(self._stream.read(after, min(limit, _PAGE)))
            for event in page:
                if stop is not None and event.position > stop:
                    return selected[:limit]
                if not topics or event.type in topics:
                    selected.append(self._notification(event))
            if not page:
                break
            after = page[-1].position
        return selected[:limit]

    def max_notification_id(self) -> int | None:
        with _library_errors():
            return self._loop.call(self._stream.last_position()) or None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> Subscription[ApplicationRecorder]:
        return JetStreamSubscription(self, gt, topics)

    def listen(self, ring: Callable[[], None]) -> Callable[[], object]:
        """Ring when there may be new events; the result stops it."""

        async def listening() -> None:
            async with self._stream.bell() as bell:
                while True:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(bell.wait(), _IDLE_SECONDS)
                    bell.clear()
                    ring()

        return self._loop.spawn(listening())

    def _notification(self, event: Stored) -> Notification:
        return Notification(_originator_id(event.originator), event.version, event.type, event.body, id=event.position)


class JetStreamSubscription(ListenNotifySubscription[JetStreamApplicationRecorder]):
    """Reads on when something may have been published."""

    def __init__(self, recorder: JetStreamApplicationRecorder, gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder, gt, topics)
        self._stop_listening = recorder.listen(self._has_been_notified.set)

    def stop(self) -> None:
        super().stop()
        self._stop_listening()


def _originator(originator_id: UUID | str) -> str:
    """A text id is marked, so that one that looks like a UUID comes back as the text it was."""
    return str(originator_id) if isinstance(originator_id, UUID) else f"~{originator_id}"


def _originator_id(originator: str) -> UUID | str:
    return originator[1:] if originator.startswith("~") else UUID(originator)


@contextlib.contextmanager
def _library_errors() -> Iterator[None]:
    try:
        yield
    except Conflict as error:
        raise IntegrityError(str(error)) from error
    except LogError as error:
        raise OperationalError(str(error)) from error
    except ValueError as error:
        raise ProgrammingError(str(error)) from error
