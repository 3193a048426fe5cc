"""A read model is rebuilt beside the one that serves, verified, switched to, rolled back and dropped (R56)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row

from domain import events as e
from domain.subjects import PARTITIONS
from infra.read_models import rebuild as rebuild_module
from infra.read_models.builds import BuildRefused, Switched, drop, no_rebuild, rollback, switch
from infra.read_models.comparison import Comparison, Difference, verify
from infra.read_models.projector import ProjectorHalted, catch_up, run_projectors
from infra.read_models.rebuild import RebuildFailed, begin, end_of, finish, load_partition
from infra.read_models.status import projector_status
from projections.agent_step import AGENT_STEP
from projections.diagnosis_session import DIAGNOSIS_SESSION
from projections.read_model import Key, ReadModel, Row, fold_page
from projections.registry import READ_MODELS
from projections.tool_invocation import TOOL_INVOCATION

Diagnosis = Callable[..., list[e.Recorded]]
LogOf = Callable[[Sequence[e.Recorded]], Any]


def _fold_second(row: Row | None, recorded: e.Recorded) -> Row:
    folded = AGENT_STEP.fold(row, recorded)
    renamed = {"model_name" if name == "model" else name: value for name, value in folded.items()}
    return {**renamed, "retries": folded["attempt"] - 1}


SECOND = replace(
    AGENT_STEP,
    version=2,
    facts={
        **{"model_name" if name == "model" else name: kind for name, kind in AGENT_STEP.facts.items()},
        "retries": "bigint",
    },
    fold=_fold_second,
)
"""`agent_step` as a next release might have it: a column added, one renamed."""

NEXT_RELEASE = (*READ_MODELS, SECOND)


def rebuilt(log: Any, postgres: str, models: Sequence[ReadModel], *names: str) -> list[ReadModel]:
    """What `assay projection rebuild` does in one process."""

    async def whole() -> list[ReadModel]:
        async with no_rebuild(postgres) as conn:
            made = await begin(conn, models, names)
            until = await end_of(log)
            for partition in range(PARTITIONS):
                await load_partition(made, log, postgres, partition, until)
            await finish(conn, made, log, postgres)
            return made

    return asyncio.run(whole())


def followed(log: Any, postgres: str, models: Sequence[ReadModel] = READ_MODELS) -> None:
    """What the workers of a release do until they have come to the end of the log."""
    asyncio.run(catch_up(log, postgres, log.events[-1].position, models))


def verified(log: Any, postgres: str, models: Sequence[ReadModel], *names: str) -> list[Comparison]:
    return asyncio.run(verify(log, postgres, models, names))


def switched(log: Any, postgres: str, models: Sequence[ReadModel], *names: str, force: bool = False) -> list[Switched]:
    return asyncio.run(switch(log, postgres, models, names, force=force))


def states(postgres: str, name: str, models: Sequence[ReadModel] = READ_MODELS) -> dict[str, str]:
    with psycopg.connect(postgres) as conn:
        return {one.label: one.state for one in projector_status(conn, models) if one.name == name}


def table(postgres: str, schema: str, model: ReadModel) -> dict[Key, Row]:
    with psycopg.connect(postgres, row_factory=dict_row) as conn:
        rows = conn.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(schema, model.name))).fetchall()
    return {tuple(row[column] for column in model.key): row for row in rows}


def test_a_changed_shape_goes_from_status_to_rollback(
    postgres: str, interleaved: Diagnosis, diagnosis: Diagnosis, log_of: LogOf
) -> None:
    """R56: done-when 3; a column added and one renamed, read through the one view before, after, and back again."""
    log = log_of(interleaved(12))
    followed(log, postgres)
    followed(log, postgres, NEXT_RELEASE)  # the next release's workers follow what serves
    assert states(postgres, "agent_step", NEXT_RELEASE) == {"v1": "serving", "v2": "missing"}

    assert [one.label for one in rebuilt(log, postgres, NEXT_RELEASE, "agent_step")] == ["v2"]
    (comparison,) = verified(log, postgres, NEXT_RELEASE, "agent_step")
    assert comparison.equal
    assert (comparison.only_serving, comparison.only_rebuilt) == (("model",), ("model_name", "retries"))
    assert (comparison.serving.rows, comparison.rebuilt.rows, comparison.position) == (60, 60, 204)
    assert states(postgres, "agent_step", NEXT_RELEASE) == {"v1": "serving", "v2": "verified"}
    assert "model" in next(iter(table(postgres, "assay", AGENT_STEP).values()))

    assert switched(log, postgres, NEXT_RELEASE, "agent_step") == [Switched("agent_step", "v1", "v2")]
    assert table(postgres, "assay", SECOND) == fold_page(SECOND, {}, log.events)
    assert states(postgres, "agent_step", NEXT_RELEASE) == {"v1": "replaced", "v2": "serving"}

    log.events += diagnosis(uuid4(), range(205, 222))  # the release goes on with what serves, v1 stays behind
    followed(log, postgres, NEXT_RELEASE)
    assert len(table(postgres, AGENT_STEP.schema, AGENT_STEP)) == 60
    moved = asyncio.run(rollback(log, postgres, NEXT_RELEASE, ["agent_step"]))
    assert moved == [Switched("agent_step", "v2", "v1")]
    assert table(postgres, "assay", AGENT_STEP) == fold_page(AGENT_STEP, {}, log.events)
    assert states(postgres, "agent_step", NEXT_RELEASE) == {"v1": "serving", "v2": "verified"}


def test_a_damaged_table_is_found_and_replaced_by_a_build_of_the_same_version(
    postgres: str, interleaved: Diagnosis, log_of: LogOf
) -> None:
    """R56: verify names the doctored and the missing row; what differs is switched to only by force."""
    log = log_of(interleaved(3))
    followed(log, postgres)
    first, second, *_ = sorted(table(postgres, "assay", AGENT_STEP))
    with psycopg.connect(postgres) as conn:
        where = "WHERE (session_id, step_index) = (%s, %s)"
        conn.execute(f"UPDATE rm_agent_step_v1.agent_step SET thought = 'forged', token_count = 7 {where}", first)
        conn.execute(f"DELETE FROM rm_agent_step_v1.agent_step {where}", second)
    rebuilt(log, postgres, READ_MODELS, "agent_step")
    (comparison,) = verified(log, postgres, READ_MODELS, "agent_step")
    assert not comparison.equal
    assert (comparison.serving.label, comparison.rebuilt.label) == ("v1", "v1.2")
    assert (comparison.serving.rows, comparison.rebuilt.rows) == (14, 15)
    assert comparison.differences == (
        Difference({"session_id": first[0], "step_index": first[1]}, ("token_count", "thought")),
        Difference({"session_id": second[0], "step_index": second[1]}, ()),
    )
    with pytest.raises(BuildRefused, match=r"agent_step v1\.2 is not verified: `assay projection verify agent_step`"):
        switched(log, postgres, READ_MODELS, "agent_step")
    assert switched(log, postgres, READ_MODELS, "agent_step", force=True) == [Switched("agent_step", "v1", "v1.2")]
    assert table(postgres, "assay", AGENT_STEP) == fold_page(AGENT_STEP, {}, log.events)
    asyncio.run(drop(postgres, READ_MODELS, "agent_step", "v1"))
    assert states(postgres, "agent_step") == {"v1.2": "serving"}
    with psycopg.connect(postgres) as conn:
        assert conn.execute("SELECT to_regnamespace('rm_agent_step_v1')").fetchone() == (None,)


def test_tables_of_all_names_are_switched_at_once_or_none(postgres: str, interleaved: Diagnosis, log_of: LogOf) -> None:
    """R56: one that is not verified keeps all of them back."""
    log, names = log_of(interleaved(2)), [model.name for model in READ_MODELS]
    followed(log, postgres)
    rebuilt(log, postgres, READ_MODELS, *names)
    verified(log, postgres, READ_MODELS, *names[:3])
    with pytest.raises(BuildRefused, match=r"self_evaluation v1\.2 is not verified"):
        switched(log, postgres, READ_MODELS, *names)
    assert {name: states(postgres, name)["v1"] for name in names} == dict.fromkeys(names, "serving")
    assert all(one.equal for one in verified(log, postgres, READ_MODELS, *names))
    switched(log, postgres, READ_MODELS, *names)
    assert {name: states(postgres, name)["v1.2"] for name in names} == dict.fromkeys(names, "serving")


def test_what_cannot_be_done_is_refused_with_what_to_do_first(
    postgres: str, interleaved: Diagnosis, log_of: LogOf
) -> None:
    """R56: nothing to switch to, not finished, what readers see, no such build, a build of another release."""
    log = log_of(interleaved(2))
    followed(log, postgres)
    with pytest.raises(BuildRefused, match="no build waits beside the serving one: `assay projection rebuild agent"):
        switched(log, postgres, READ_MODELS, "agent_step")
    with pytest.raises(BuildRefused, match="no earlier build is kept to roll back to"):
        asyncio.run(rollback(log, postgres, READ_MODELS, ["agent_step"]))
    with pytest.raises(BuildRefused, match="agent_step v1 is what readers see: it cannot be dropped"):
        asyncio.run(drop(postgres, READ_MODELS, "agent_step", "v1"))
    with pytest.raises(BuildRefused, match="agent_step has no build v7, only v1"):
        asyncio.run(drop(postgres, READ_MODELS, "agent_step", "v7"))

    async def begun_and_left(models: Sequence[ReadModel]) -> None:
        async with no_rebuild(postgres) as conn:
            await begin(conn, models, ["agent_step"])
            with pytest.raises(BuildRefused, match="a rebuild is running on this database"):
                await drop(postgres, models, "agent_step", "v2")

    asyncio.run(begun_and_left(NEXT_RELEASE))
    with pytest.raises(BuildRefused, match="agent_step v2 is not finished: `assay projection rebuild agent_step`"):
        switched(log, postgres, NEXT_RELEASE, "agent_step", force=True)
    with pytest.raises(BuildRefused, match="was built for another release: `assay projection drop agent_step v2`"):
        rebuilt(log, postgres, READ_MODELS, "agent_step")
    asyncio.run(drop(postgres, NEXT_RELEASE, "agent_step", "v2"))
    assert states(postgres, "agent_step") == {"v1": "serving"}


def test_a_rebuild_that_fails_goes_on_where_it_stopped(
    postgres: str, interleaved: Diagnosis, log_of: LogOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R56: an event that cannot be read stops it and is blamed; what is loaded is not read again."""
    monkeypatch.setattr(rebuild_module, "PORTION", 4)
    monkeypatch.setattr(rebuild_module, "PAGE_SIZE", 2)
    log = log_of(interleaved(12))
    followed(log, postgres)
    read, damaged, intact = list[int](), 100, log.read

    async def reading(after: int, limit: int, *, partition: int | None = None) -> Sequence[e.Recorded]:
        page: Sequence[e.Recorded] = await intact(after, limit, partition=partition)
        if any(one.position == damaged for one in page):
            raise ValueError("no such topic: Guessed")
        read.extend(one.position for one in page if partition is not None)
        return page

    log.read = reading
    with pytest.raises(RebuildFailed, match=r"partition \d behind position \d+: ValueError: no such topic: Guessed"):
        rebuilt(log, postgres, READ_MODELS, "agent_step")
    assert states(postgres, "agent_step") == {"v1": "serving", "v1.2": "building"}
    loaded, damaged = set(read), 0
    read.clear()
    rebuilt(log, postgres, READ_MODELS, "agent_step")
    assert len(loaded & set(read)) <= 4
    assert verified(log, postgres, READ_MODELS, "agent_step")[0].equal
    assert states(postgres, "agent_step") == {"v1": "serving", "v1.2": "verified"}


def test_a_replica_that_lags_hides_no_event_from_a_rebuild(
    postgres: str, interleaved: Diagnosis, log_of: LogOf
) -> None:
    """R56: a short page is the end of a partition only if the log's leader says so."""
    log = log_of(interleaved(6))
    followed(log, postgres)
    whole, known, intact = log.events, iter([20, 50]), log.read

    async def lagging(after: int, limit: int, *, partition: int | None = None) -> Sequence[e.Recorded]:
        page: Sequence[e.Recorded] = await intact(after, limit, partition=partition)
        newest = len(whole) if partition is None else next(known, len(whole))
        return [one for one in page if one.position <= newest]

    log.read = lagging
    rebuilt(log, postgres, READ_MODELS, "agent_step")
    assert table(postgres, "rm_agent_step_v1_2", AGENT_STEP) == fold_page(AGENT_STEP, {}, whole)


def test_a_session_erased_while_a_rebuild_runs_ends_erased(
    postgres: str, interleaved: Diagnosis, recorded: Callable[..., e.Recorded], log_of: LogOf
) -> None:
    """R56, R62: also when the erasure lies behind the end up to which the rebuild loads; so do sessions erased
    before."""
    events = interleaved(3)
    gone, later = events[0].session_id, events[1].session_id
    log = log_of([*events, recorded(e.SessionErased(), 18, 52, gone)])
    followed(log, postgres)

    async def whole() -> None:
        async with no_rebuild(postgres) as conn:
            made = await begin(conn, READ_MODELS, ["tool_invocation", "diagnosis_session"])
            until = await end_of(log)
            for partition in range(PARTITIONS):
                await load_partition(made, log, postgres, partition, until)
            log.events.append(recorded(e.SessionErased(), 18, 53, later))
            await finish(conn, made, log, postgres)

    asyncio.run(whole())
    for model in (DIAGNOSIS_SESSION, TOOL_INVOCATION):
        rows = table(postgres, f"{model.schema}_2", model)
        assert {row["session_id"] for row in rows.values() if row["erased"]} == {gone, later}
        assert rows == fold_page(model, {}, log.events)


def test_a_shape_changed_without_a_new_version_is_mended_by_a_rebuild(
    postgres: str, interleaved: Diagnosis, diagnosis: Diagnosis, log_of: LogOf
) -> None:
    """R56: the projector stands still, is told of the new build by the switch, and goes on with it."""
    log = log_of(interleaved(2))
    followed(log, postgres)
    changed = tuple(replace(SECOND, version=1) if model is AGENT_STEP else model for model in READ_MODELS)
    with pytest.raises(ProjectorHalted, match="agent_step v1 halted: its shape was changed without a new version"):
        followed(log, postgres, changed)

    async def with_workers() -> None:
        workers = asyncio.create_task(run_projectors(log, postgres, changed))
        async with no_rebuild(postgres) as conn:
            made = await begin(conn, changed, ["agent_step"])
            await finish(conn, made, log, postgres)
        await switch(log, postgres, changed, ["agent_step"], force=True)
        log.events += diagnosis(uuid4(), range(35, 52))
        async with asyncio.timeout(20):
            while len(await asyncio.to_thread(table, postgres, "assay", made[0])) < 15:  # noqa: ASYNC110  # another's rows
                await asyncio.sleep(0.05)
        workers.cancel()

    asyncio.run(with_workers())
    assert states(postgres, "agent_step", changed) == {"v1": "replaced", "v1.2": "serving"}


def test_workers_of_the_release_before_leave_what_they_do_not_know_alone(
    postgres: str, interleaved: Diagnosis, diagnosis: Diagnosis, log_of: LogOf
) -> None:
    """R56: after the switch they follow the other read models; a roll back needs the code of that version."""
    log = log_of(interleaved(2))
    followed(log, postgres)
    rebuilt(log, postgres, NEXT_RELEASE, "agent_step")
    verified(log, postgres, NEXT_RELEASE, "agent_step")
    switched(log, postgres, NEXT_RELEASE, "agent_step")
    log.events += diagnosis(uuid4(), range(35, 52))
    with pytest.raises(ProjectorHalted, match="v2 serves, which this release does not know"):
        followed(log, postgres)
    assert len(table(postgres, "assay", DIAGNOSIS_SESSION)) == 3
    with pytest.raises(BuildRefused, match="agent_step v1 is of another release"):
        asyncio.run(rollback(log, postgres, (SECOND,), ["agent_step"]))


def test_a_view_that_others_build_on_is_not_torn_away(postgres: str, interleaved: Diagnosis, log_of: LogOf) -> None:
    """R56: the operator's own view is named, and readers go on as before."""
    log = log_of(interleaved(1))
    followed(log, postgres)
    rebuilt(log, postgres, READ_MODELS, "agent_step")
    verified(log, postgres, READ_MODELS, "agent_step")
    with psycopg.connect(postgres) as conn:
        conn.execute("CREATE VIEW slow_steps AS SELECT * FROM assay.agent_step WHERE duration_ms > 99")
    with pytest.raises(BuildRefused, match=r"view slow_steps depends on view (assay\.)?agent_step"):
        switched(log, postgres, READ_MODELS, "agent_step")
    assert states(postgres, "agent_step") == {"v1": "serving", "v1.2": "verified"}
