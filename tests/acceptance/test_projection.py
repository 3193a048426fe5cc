"""`assay projection …`: read models are rebuilt and switched while sessions run and readers read (R56)."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from domain.events import Recorded
from handlers.application import open_log
from handlers.rebuild import rebuild
from infra.embedded import Servers, running_servers
from infra.read_models import queries
from infra.read_models import rebuild as rebuild_module
from infra.read_models.projector import catch_up
from infra.settings import Settings
from projections.registry import READ_MODELS
from tests.copied_sessions import append_copies

QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"
NAMES = [model.name for model in READ_MODELS]
EVENTS = 1_700
KILLS = 10
MARKS = {
    "diagnosis_session": "source",
    "agent_step": "model",
    "tool_invocation": "error_kind",
    "self_evaluation": "reason",
    "session_headline": "language",
}
"""A column of each table in which a test writes which build a reader sees."""


@pytest.fixture(scope="module")
def assay(new_assay: Callable[[], Any]) -> Any:
    return new_assay()


@pytest.fixture(scope="module")
def settings(assay: Any) -> Settings:
    return Settings.load(assay.environment)


@pytest.fixture(scope="module")
def servers(assay: Any, settings: Settings) -> Iterator[Servers]:
    with running_servers(settings) as running:
        assert assay.here("init").status == 0
        yield running


@pytest.fixture(scope="module")
def sessions(settings: Settings, servers: Servers, diagnosis: Callable[..., list[Recorded]]) -> list[UUID]:
    """A hundred sessions in the log and in the read models as the live projector makes them."""

    async def filled() -> list[UUID]:
        async with open_log(settings, servers) as log:
            copies = await append_copies(log, [diagnosis()], EVENTS)
            await catch_up(log, servers.postgres_dsn, await log.last_position())
            return copies

    return asyncio.run(filled())


def rows(servers: Servers, schema: str, name: str) -> list[Any]:
    query = sql.SQL("SELECT * FROM {} ORDER BY 1, 2, 3").format(sql.Identifier(schema, name))
    with psycopg.connect(servers.postgres_dsn) as conn:
        return conn.execute(query).fetchall()


def labels(ran: Any) -> dict[str, str]:
    return {f"{one['name']} {one['build']}": one["state"] for one in ran.documents}


def killed_rebuild(settings: Settings, servers: Servers, after_portions: int, pause_s: float) -> None:
    """A process that rebuilds in small portions, killed a moment after it has stored so many."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        load = rebuild_module.Portion.load

        async def told(self: Any, conn: Any) -> bool:
            os.write(writing, b".")
            return await load(self, conn)

        rebuild_module.Portion.load = told  # type: ignore[method-assign]
        rebuild_module.PORTION, rebuild_module.PAGE_SIZE = 20, 10
        asyncio.run(rebuild(settings, servers, READ_MODELS, NAMES, workers=1, report=lambda *_: None))
        os._exit(0)
    os.close(writing)
    for _ in range(after_portions):
        assert os.read(reading, 1), "it ended before it could be killed"
    time.sleep(pause_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)


def test_a_rebuild_killed_at_ten_random_points_equals_the_incremental_tables(
    assay: Any, settings: Settings, servers: Servers, sessions: list[UUID]
) -> None:
    """R56: done-when 2; each goes on where the one before was killed, the last by two processes."""
    seed = random.randrange(10**6)
    points = random.Random(seed)
    for _ in range(KILLS):
        killed_rebuild(settings, servers, points.randrange(1, 8), points.random() * 0.05)
    begun = assay.here("projection", "status", "--json")
    assert labels(begun) == {f"{name} v1": "serving" for name in NAMES} | {f"{name} v1.2": "building" for name in NAMES}
    with psycopg.connect(servers.postgres_dsn) as conn:
        loaded = conn.execute("SELECT sum(position) FROM assay_meta.position WHERE build = 2").fetchone()
    assert loaded is not None
    assert 0 < loaded[0] < 5 * 8 * EVENTS, seed

    ran = assay.run("projection", "rebuild", "--all", "--workers", "2")
    assert (ran.status, ran.out.splitlines()[0]) == (0, "diagnosis_session v1.2 is built: `assay projection verify`")
    assert "100.0% of 1,700 events" in ran.err
    for name in NAMES:
        assert rows(servers, f"rm_{name}_v1_2", name) == rows(servers, f"rm_{name}_v1", name), (name, seed)
    compared = assay.here("projection", "verify", "--all", "--json")
    assert (compared.status, [one["equal"] for one in compared.documents]) == (0, [True] * 5)
    assert len(sessions) == compared.documents[0]["rebuilt"]["rows"] == 100


def test_the_commands_refuse_what_they_cannot_do(assay: Any, sessions: list[UUID]) -> None:
    """R56: one line that says what is wrong; nothing is changed."""
    before = labels(assay.here("projection", "status", "--json"))
    for words, message in (
        (("rebuild", "steps"), "there is no read model steps: they are diagnosis_session, agent_step, tool_invocation"),
        (("switch",), "name one read model, or all of them by --all"),
        (("switch", "agent_step", "--all"), "name one read model, or all of them by --all"),
        (("rollback", "--all"), "diagnosis_session: no earlier build is kept to roll back to"),
        (("drop", "agent_step", "v1"), "agent_step v1 is what readers see: it cannot be dropped"),
        (("drop", "agent_step", "v9"), "agent_step has no build v9, only v1"),
        (("rebuild", "--all", "--workers", "0"), "argument --workers: must be a whole number from 1"),
    ):
        ran = assay.here("projection", *words)
        assert (ran.status, ran.out) == (2, ""), words
        assert message in ran.err
    assert labels(assay.here("projection", "status", "--json")) == before
    assert sessions


def test_the_commands_of_the_readme_go_from_status_to_drop(assay: Any, sessions: list[UUID]) -> None:
    """R56: each as it stands there, one after the other."""
    section = (Path(__file__).parents[2] / "infra" / "README.md").read_text().split("### Change a read model", 1)[1]
    lines = [line.partition(" #")[0].split()[1:] for line in section.split("```")[1].splitlines()[1:]]
    assert [words[1] for words in lines] == ["status", "rebuild", "verify", "switch", "rollback", "drop"]
    for words in lines:
        ran = assay.here(*words)
        assert ran.status == 0, (words, ran.err)
    assert sessions


class Readers:
    """Threads that look at one session without pause. `seen`: which marks they saw together."""

    def __init__(self, dsn: str, session_id: UUID) -> None:
        self._dsn = dsn
        self._session_id = session_id
        self._ended = threading.Event()
        self.seen: set[tuple[bool, ...]] = set()
        self.errors: list[str] = []
        self._threads = [threading.Thread(target=self._read) for _ in range(2)]

    def _read(self) -> None:
        """On one connection, as a server would: its prepared statements outlive a switch."""
        try:
            with psycopg.connect(self._dsn) as conn:
                while not self._ended.wait(0.01):
                    self.seen.add(self._marks(conn))
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {error}")

    def _marks(self, conn: psycopg.Connection[Any]) -> tuple[bool, ...]:
        detail = queries.show_session(conn, self._session_id)
        assert detail
        assert detail.evaluation
        return (
            detail.session.source == "marked",
            *(step.model == "marked" for step in detail.steps),
            *(tool.error_kind == "marked" for tool in detail.tools),
            detail.evaluation.reason == "marked",
        )

    def __enter__(self) -> Readers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()


def mark_serving(servers: Servers, session_id: UUID) -> None:
    with psycopg.connect(servers.postgres_dsn) as conn:
        for name, column in MARKS.items():
            update = sql.SQL("UPDATE {} SET {} = 'marked' WHERE session_id = %s")
            conn.execute(update.format(sql.Identifier(f"rm_{name}_v1", name), sql.Identifier(column)), [session_id])


def test_readers_see_no_error_and_no_mixture_while_it_is_rebuilt_and_switched(
    assay: Any, servers: Servers, sessions: list[UUID]
) -> None:
    """R56: done-when 2; a session asked meanwhile ends and is seen. Verify names the marked rows: exit status 3."""
    for name in NAMES:
        assert assay.here("projection", "drop", name, "v1.2").status in (0, 2)
    mark_serving(servers, sessions[0])
    with Readers(servers.postgres_dsn, sessions[0]) as readers:
        process = assay.start("projection", "rebuild", "--all", "--workers", "1")
        asked = assay.ask(QUESTION)
        assert assay.show(asked["session_id"])["session"]["status"] == "completed"
        assert assay.finished(process).status == 0

        compared = assay.here("projection", "verify", "--all")
        assert compared.status == 3
        for column in MARKS.values():
            assert f"session_id {sessions[0]}" in compared.out
            assert f": {column}\n" in compared.out, compared.out
        refused = assay.here("projection", "switch", "--all")
        assert (refused.status, "diagnosis_session v1.2 is not verified" in refused.err) == (2, True)
        assert {all(marks) for marks in readers.seen} == {True}

        switched = assay.here("projection", "switch", "--all", "--force", "--json")
        assert switched.documents == [{"name": name, "before": "v1", "now": "v1.2"} for name in NAMES]
        assert assay.show(asked["session_id"])["session"]["status"] == "completed"
        again = assay.ask(QUESTION)
        assert assay.show(again["session_id"])["session"]["status"] == "completed"
        assert assay.here("projection", "rollback", "--all").status == 0
        assert assay.show(again["session_id"])["session"]["status"] == "completed"
    assert readers.errors == []
    assert readers.seen == {(True,) * 8, (False,) * 8}


def test_status_tells_how_every_build_stands(assay: Any, servers: Servers, sessions: list[UUID]) -> None:
    """R56: version, position, lag, and whether the log still holds the very event that was applied last."""
    assert assay.here("projection", "rebuild", "agent_step", "--workers", "1").status == 0
    assert assay.here("projection", "switch", "agent_step", "--force").status == 0
    assert assay.here("projection", "rollback", "agent_step").status == 0
    ran = assay.here("projection", "status", "--json")
    (serving,) = (one for one in ran.documents if (one["name"], one["build"]) == ("agent_step", "v1"))
    position = serving.pop("position")
    assert position >= EVENTS
    assert serving == {
        "name": "agent_step",
        "build": "v1",
        "schema": "rm_agent_step_v1",
        "state": "serving",
        "lag_events": 0,
        "lag_seconds": 0.0,
        "fingerprint_ok": True,
        "chain_ok": True,
        "halted": None,
        "waits": None,
    }
    assert f"agent_step         v1     serving   at {position:>9,}          0 events, 0 s behind\n" in (
        assay.here("projection", "status").out
    )
    with psycopg.connect(servers.postgres_dsn) as conn:
        conn.execute("UPDATE assay_meta.position SET position = 9, hash = 'other' WHERE read_model = 'agent_step'")
    ran = assay.here("projection", "status")
    assert ran.status == 3
    (line,) = (line for line in ran.out.splitlines() if line.startswith("agent_step         v1 "))
    assert f"{position - 9:,} events" in line
    assert "the log does not hold what was applied" in line
    assert assay.here("projection", "verify", "agent_step").status == 1
    assert sessions
