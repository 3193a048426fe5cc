"""Projectors against a real PostgreSQL: rows and position commit together, and nothing is applied twice or skipped."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row

from domain import events as e
from domain.subjects import partition_of
from infra.event_log.errors import Unreadable
from infra.event_log.session_log import SessionLog
from infra.read_models import projector as projector_module
from infra.read_models.projector import LogReader, Projector, ProjectorHalted, SharedPages, catch_up, run_projectors
from infra.read_models.rows import storable
from infra.read_models.status import ProjectorStatus, projector_status
from projections.agent_step import AGENT_STEP
from projections.diagnosis_session import DIAGNOSIS_SESSION
from projections.read_model import Key, ReadModel, Row, fold_page
from projections.registry import READ_MODELS
from projections.tool_invocation import TOOL_INVOCATION

Diagnosis = Callable[..., list[e.Recorded]]
LogOf = Callable[[Sequence[e.Recorded]], Any]


def stored(postgres: str, model: ReadModel) -> dict[Key, Row]:
    with psycopg.connect(postgres, row_factory=dict_row) as conn:
        rows = conn.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(model.schema, model.name))).fetchall()
    return {tuple(row[column] for column in model.key): row for row in rows}


def status(postgres: str, model: ReadModel) -> ProjectorStatus:
    with psycopg.connect(postgres) as conn:
        (found,) = (one for one in projector_status(conn) if (one.name, one.version) == (model.name, model.version))
    return found


def applied(log: LogReader, postgres: str, to_position: int, model: ReadModel, page_size: int = 500) -> None:
    asyncio.run(Projector(model, log, postgres, page_size=page_size).catch_up(to_position))


@pytest.mark.parametrize("page_size", [1, 7, 500])
def test_the_tables_equal_the_fold_of_the_log(
    page_size: int, postgres: str, interleaved: Diagnosis, recorded: Callable[..., e.Recorded], log_of: LogOf
) -> None:
    """R55: whatever the page size, an erasure among the events."""
    events = interleaved(3)
    events.append(recorded(e.SessionErased(), 18, 52, events[0].session_id))
    for model in READ_MODELS:
        applied(log_of(events), postgres, 52, model, page_size)
        assert stored(postgres, model) == fold_page(model, {}, events)
        assert set(status(postgres, model).positions.values()) == {52}


def test_readers_see_the_rows_through_stable_views(postgres: str, diagnosis: Diagnosis, log_of: LogOf) -> None:
    """R54: views in schema assay."""
    asyncio.run(catch_up(log_of(diagnosis()), postgres, 17))
    with psycopg.connect(postgres) as conn:
        counts = [
            conn.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier("assay", model.name))).fetchone()
            for model in READ_MODELS
        ]
    assert counts == [(1,), (5,), (1,), (1,), (1,)]


def test_a_failure_before_the_position_is_stored_leaves_no_rows(
    postgres: str, diagnosis: Diagnosis, log_of: LogOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R55: rows and position commit in one transaction."""

    async def fail(*_: object) -> None:
        raise RuntimeError("no position today")

    with monkeypatch.context() as patched:
        patched.setattr(projector_module, "advance", fail)
        with pytest.raises(ProjectorHalted, match="no position today"):
            applied(log_of(diagnosis()), postgres, 17, AGENT_STEP)
    assert stored(postgres, AGENT_STEP) == {}
    assert set(status(postgres, AGENT_STEP).positions.values()) == {0}


def test_a_killed_projector_leaves_neither_rows_nor_position(
    postgres: str, diagnosis: Diagnosis, log_of: LogOf
) -> None:
    """R55: SIGKILL between the rows and the position; the next projector starts over and ends with the same rows."""
    log = log_of(diagnosis())
    applied(log, postgres, 3, AGENT_STEP, page_size=3)
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:

        async def hang(*_: object) -> None:
            os.write(writing, b"rows written")
            await asyncio.sleep(600)

        projector_module.advance = hang
        applied(log, postgres, 17, AGENT_STEP)
    assert os.read(reading, 100) == b"rows written"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert stored(postgres, AGENT_STEP) == fold_page(AGENT_STEP, {}, diagnosis()[:3])
    assert set(status(postgres, AGENT_STEP).positions.values()) == {3}
    applied(log, postgres, 17, AGENT_STEP)
    assert stored(postgres, AGENT_STEP) == fold_page(AGENT_STEP, {}, diagnosis())


def test_a_lost_connection_is_tried_again(
    postgres: str, diagnosis: Diagnosis, log_of: LogOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R55: PostgreSQL goes away in the middle of a page; nothing is lost and nothing applied twice."""
    advance, cuts = projector_module.advance, iter([True, True])

    async def cut_twice(conn: Any, *rest: Any) -> None:
        if next(cuts, False):
            await conn.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        await advance(conn, *rest)

    monkeypatch.setattr(projector_module, "advance", cut_twice)
    monkeypatch.setattr(projector_module, "FIRST_DELAY", 0.01)
    applied(log_of(diagnosis()), postgres, 17, DIAGNOSIS_SESSION)
    assert next(cuts, None) is None
    assert stored(postgres, DIAGNOSIS_SESSION) == fold_page(DIAGNOSIS_SESSION, {}, diagnosis())


def test_an_event_that_cannot_be_applied_halts_its_projector_alone(
    postgres: str, interleaved: Diagnosis, log_of: LogOf, caplog: pytest.LogCaptureFixture
) -> None:
    """R55: halted with an alarm that names the event; everything before it is applied, other read models go on."""
    events = [one for one in interleaved(2) if one.position != 12]  # the start of the second session's tool call
    with pytest.raises(ProjectorHalted, match=r"tool_invocation v1 halted: event 14 \(ToolInvoked\)"):
        asyncio.run(catch_up(log_of(events), postgres, 34))
    assert stored(postgres, TOOL_INVOCATION) == fold_page(TOOL_INVOCATION, {}, events[:12])
    halted = status(postgres, TOOL_INVOCATION)
    assert set(halted.positions.values()) == {13}
    assert halted.halted_reason is not None
    assert halted.halted_reason.startswith("event 14 (ToolInvoked) cannot be applied: CannotApply")
    assert [record.levelname for record in caplog.records] == ["CRITICAL"]
    assert set(status(postgres, DIAGNOSIS_SESSION).positions.values()) == {34}
    assert status(postgres, DIAGNOSIS_SESSION).halted_reason is None


def test_a_halted_projector_goes_on_after_the_fix(postgres: str, interleaved: Diagnosis, log_of: LogOf) -> None:
    """R55: nothing was skipped meanwhile, and the halt is no longer reported."""
    broken = replace(TOOL_INVOCATION, fold=lambda *_: {"started_at": "soon"})
    with pytest.raises(ProjectorHalted, match=r"event 11 \(ToolCallStarted\) cannot be applied: InvalidDatetimeFormat"):
        applied(log_of(interleaved(2)), postgres, 34, broken)
    assert status(postgres, TOOL_INVOCATION).halted_at is not None
    applied(log_of(interleaved(2)), postgres, 34, TOOL_INVOCATION)
    assert status(postgres, TOOL_INVOCATION).halted_at is None
    assert stored(postgres, TOOL_INVOCATION) == fold_page(TOOL_INVOCATION, {}, interleaved(2))


def test_an_event_that_cannot_be_read_halts_the_projector(postgres: str, diagnosis: Diagnosis, log_of: LogOf) -> None:
    """R55: an event this code cannot decode is not skipped."""

    class Unreadable:
        async def read(self, after: int, limit: int, *, partition: int | None = None) -> Sequence[e.Recorded]:
            page: Sequence[e.Recorded] = await log_of(diagnosis()).read(after, limit, partition=partition)
            if any(one.position == 9 for one in page):
                raise ValueError("no such topic: Guessed")
            return page

        async def last_position(self) -> int:
            return 17

    with pytest.raises(
        ProjectorHalted, match="the event after 8 cannot be applied: ValueError: no such topic: Guessed"
    ):
        applied(Unreadable(), postgres, 17, AGENT_STEP)
    assert set(status(postgres, AGENT_STEP).positions.values()) == {8}


def test_several_projectors_apply_each_event_once(postgres: str, interleaved: Diagnosis, log_of: LogOf) -> None:
    """R55: workers share a read model; tokens and calls are counted once."""
    log = log_of(interleaved(4))

    async def at_once() -> None:
        workers = [Projector(DIAGNOSIS_SESSION, log, postgres, page_size=size) for size in (1, 2, 3)]
        await asyncio.gather(*(worker.catch_up(68) for worker in workers))

    asyncio.run(at_once())
    assert stored(postgres, DIAGNOSIS_SESSION) == fold_page(DIAGNOSIS_SESSION, {}, interleaved(4))


def test_events_up_to_a_partitions_position_are_skipped(postgres: str, interleaved: Diagnosis, log_of: LogOf) -> None:
    """R55: positions are kept by partition, so that one may be ahead of another after a rebuild."""
    events = interleaved(2)
    ahead, behind = events[0].session_id, events[1].session_id
    assert partition_of(str(ahead)) != partition_of(str(behind))
    applied(log_of(events), postgres, 0, AGENT_STEP)
    with psycopg.connect(postgres) as conn:
        conn.execute(
            "UPDATE assay_meta.position SET position = 34, hash = %s WHERE partition = %s",
            [events[-1].hash, partition_of(str(ahead))],
        )
    applied(log_of(events), postgres, 34, AGENT_STEP)
    assert {row["session_id"] for row in stored(postgres, AGENT_STEP).values()} == {behind}


@pytest.mark.parametrize("name", ["cut", "other"])
def test_a_log_that_lost_what_was_applied_is_noticed(
    name: str, postgres: str, diagnosis: Diagnosis, log_of: LogOf
) -> None:
    """R55, R60: a rewound log, and one that gave a position to another event."""
    events = diagnosis()
    applied(log_of(events), postgres, 17, AGENT_STEP)
    rewound = {"cut": events[:10], "other": [*events[:16], replace(events[16], hash="0" * 64)]}[name]
    with pytest.raises(ProjectorHalted, match="the log does not hold the event that was applied at 17"):
        applied(log_of(rewound), postgres, 18, AGENT_STEP)
    assert stored(postgres, AGENT_STEP) == fold_page(AGENT_STEP, {}, events)


def test_a_replica_that_lags_is_asked_again(
    postgres: str, diagnosis: Diagnosis, log_of: LogOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R55, R60: in a cluster any replica answers a read; one that is behind has lost nothing."""
    monkeypatch.setattr(projector_module, "FIRST_DELAY", 0.01)
    whole = log_of(diagnosis())
    applied(log_of(diagnosis()[:10]), postgres, 10, AGENT_STEP)
    known = iter([5, 9])

    class Lagging:
        async def read(self, after: int, limit: int, *, partition: int | None = None) -> Sequence[e.Recorded]:
            replica = log_of(diagnosis()[: next(known, 17)])
            page: Sequence[e.Recorded] = await replica.read(after, limit, partition=partition)
            return page

        async def last_position(self) -> int:
            last: int = await whole.last_position()
            return last

    applied(Lagging(), postgres, 17, AGENT_STEP)
    assert stored(postgres, AGENT_STEP) == fold_page(AGENT_STEP, {}, diagnosis())


def test_an_applied_event_that_became_unreadable_halts_at_start(
    postgres: str, diagnosis: Diagnosis, log_of: LogOf
) -> None:
    """R55, R60: what stands in the log is not what was applied; only this projector stops."""
    applied(log_of(diagnosis()), postgres, 17, AGENT_STEP)

    class Damaged:
        async def read(self, after: int, limit: int, *, partition: int | None = None) -> Sequence[e.Recorded]:
            raise Unreadable(f"event after {after}, {limit} {partition}: no JSON")

        async def last_position(self) -> int:
            return 17

    with pytest.raises(ProjectorHalted, match="the log does not hold the event that was applied at 17"):
        applied(Damaged(), postgres, 18, AGENT_STEP)


def test_a_changed_shape_without_a_new_version_is_noticed(postgres: str, diagnosis: Diagnosis, log_of: LogOf) -> None:
    """R56: by its fingerprint, at start; doctor is told."""
    changed = replace(AGENT_STEP, facts={**AGENT_STEP.facts, "cost": "numeric"})
    applied(log_of(diagnosis()), postgres, 17, changed)
    with pytest.raises(ProjectorHalted, match="its shape was changed without a new version"):
        applied(log_of(diagnosis()), postgres, 17, AGENT_STEP)
    assert status(postgres, AGENT_STEP).fingerprint_ok is False


def test_doctor_sees_a_database_without_read_models(postgres: str) -> None:
    """R66: nothing is created yet."""
    with psycopg.connect(postgres) as conn:
        assert projector_status(conn, [AGENT_STEP]) == [ProjectorStatus("agent_step", 1)]


def test_text_that_postgresql_refuses_is_stored_with_marks(postgres: str, diagnosis: Diagnosis, log_of: LogOf) -> None:
    """R7: a model may write NUL, a lone surrogate or NaN; that halts nothing."""
    events = diagnosis()
    finished = events[6].event
    assert isinstance(finished, e.ToolInvoked)
    assert isinstance(finished.content, e.ToolInvokedContent)
    odd = {"input_params": {"a\x00": ["\ud800", float("nan")]}, "output": "x\x00y"}
    event = finished.model_copy(update={"content": finished.content.model_copy(update=odd)})
    applied(log_of([*events[:6], replace(events[6], event=event)]), postgres, 7, TOOL_INVOCATION)
    (row,) = stored(postgres, TOOL_INVOCATION).values()
    assert (row["input_params"], row["output_preview"]) == ({"a\ufffd": ["\ufffd", None]}, "x\ufffdy")


def test_json_nested_without_end_is_cut() -> None:
    """R7: nor does a hundred thousand brackets."""
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    depth, level = 0, storable(nested)
    while isinstance(level, list):
        depth, level = depth + 1, level[0]
    assert (depth, level) == (100, "…")


def test_running_projectors_follow_the_log(postgres: str, diagnosis: Diagnosis, log_of: LogOf) -> None:
    """R54: live; a session that goes on is seen to go on."""
    log = log_of(diagnosis()[:10])

    async def shows(session_status: str) -> None:
        async with await psycopg.AsyncConnection.connect(postgres, autocommit=True) as conn:
            row = None
            while row != (session_status,):
                await asyncio.sleep(0.02)
                row = await (await conn.execute("SELECT status FROM assay.diagnosis_session")).fetchone()

    async def live() -> None:
        await catch_up(log, postgres, 10)
        running = asyncio.create_task(run_projectors(log, postgres))
        await shows("running")
        log.events += diagnosis()[10:]
        await shows("completed")
        running.cancel()

    asyncio.run(live())


def test_projectors_of_one_process_fetch_an_event_once(diagnosis: Diagnosis, log_of: LogOf) -> None:
    """R55: who comes later, or begins in the middle, is served from the page that was read before."""
    fetched: list[int] = []

    class Counting:
        async def read(self, after: int, limit: int, *, partition: int | None = None) -> Sequence[e.Recorded]:
            page: Sequence[e.Recorded] = await log_of(diagnosis()).read(after, limit, partition=partition)
            fetched.extend(one.position for one in page)
            return page

        async def last_position(self) -> int:
            return 17

    async def read_by_three() -> list[list[int]]:
        pages = SharedPages(Counting())
        read = [await pages.read(0, 500), *await asyncio.gather(pages.read(9, 3), pages.read(14, 500))]
        return [[one.position for one in page] for page in read]

    assert asyncio.run(read_by_three()) == [list(range(1, 18)), [10, 11, 12], [15, 16, 17]]
    assert fetched == list(range(1, 18))


def test_an_event_held_by_another_projector_is_no_proof_that_it_stands_in_the_log(
    diagnosis: Diagnosis, log_of: LogOf
) -> None:
    """R55, R60: whether an applied event still stands is asked of the log, not of the page that is shared."""
    log = log_of(diagnosis())
    pages = SharedPages(log)

    async def read_before_and_after_a_loss() -> tuple[int, int, int]:
        read = await pages.read(0, 500)
        log.events = diagnosis()[:9]
        return len(read), len(await pages.read(9, 500)), len(await pages.read(9, 1))

    assert asyncio.run(read_before_and_after_a_loss()) == (17, 8, 0)


def test_projectors_read_the_event_log_itself(
    postgres: str, diagnosis: Diagnosis, open_log: Callable[..., AbstractAsyncContextManager[SessionLog]]
) -> None:
    """R54, R55: what was recorded on NATS stands in the read models, content opened."""
    session_id = uuid4()
    events = [one.event for one in diagnosis() if not isinstance(one.event, e.ToolCallStarted | e.ToolInvoked)]

    async def record_and_project() -> None:
        async with open_log() as log:
            *_, last = await log.append(session_id, None, events, actor="actor-1")

            class OwnEvents:
                async def read(self, after: int, limit: int, *, partition: int | None = None) -> Sequence[e.Recorded]:
                    return await log.read(max(after, last.position - len(events)), limit, partition=partition)

            await catch_up(OwnEvents(), postgres, last.position)

    asyncio.run(record_and_project())
    row = stored(postgres, DIAGNOSIS_SESSION)[session_id,]
    assert (row["status"], row["answer"], row["version"]) == ("completed", "order-service 内存使用率 91%", 15)
