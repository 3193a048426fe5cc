"""R89: both releases run for a while. The older one meets events that the newer one wrote, gives them back untouched,
says so once, and counts nothing as a fault; as soon as the newer one runs, everything goes on.

The newer release is this one, with a further version of two events.
"""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch
from uuid import UUID, uuid4

import pytest

from domain.events import EVENTS, AnyEvent, RoundStarted, ToolCallStarted, ToolInvoked, VerdictIssued
from handlers.application import open_log, worker
from infra.access import Role
from infra.embedded import Servers, running_servers
from infra.event_log.connection import connected
from infra.parked import ParkedDeliveries
from infra.settings import Settings
from infra.streams import EVENTS as EVENT_STREAM

QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"
PATIENCE_S = 60.0


class NewerRound(RoundStarted):
    VERSION: ClassVar[int] = 2

    @staticmethod
    def upcast_v1_v2(parts: dict[str, Any]) -> None:
        """Nothing is different."""


class NewerVerdict(VerdictIssued):
    VERSION: ClassVar[int] = 2

    @staticmethod
    def upcast_v1_v2(parts: dict[str, Any]) -> None:
        """Nothing is different."""


@contextmanager
def newer_release() -> Iterator[None]:
    with patch.dict(EVENTS, {"RoundStarted": NewerRound, "VerdictIssued": NewerVerdict}):
        yield


@dataclass
class Site:
    """A data folder on which both releases work: `plain` of the older one; of the newer one `running`, which waits for
    its planner, and `done`, whose verdict waits to be published."""

    assay: Any
    settings: Settings
    servers: Servers
    plain: str
    running: UUID
    done: UUID

    def topics(self, session_id: UUID) -> list[str]:
        async def read() -> list[str]:
            async with open_log(self.settings, self.servers) as events:
                return [stored.type for stored in await events.stored(session_id)]

        return asyncio.run(read())

    def at_work(self, until: Callable[[Sequence[str]], bool]) -> list[str]:
        """A worker of the release in force, until the condition holds of what it logs as warning or worse."""

        async def work(lines: Sequence[str]) -> None:
            async with worker(self.settings, self.servers):
                await asyncio.to_thread(wait, lambda: until(lines))

        with logged() as lines:
            asyncio.run(work(lines))
        return lines

    def consumers(self) -> dict[str, int]:
        """Durable consumer -> messages it has not acknowledged."""

        async def look() -> dict[str, int]:
            async with connected(self.servers, Role.SERVICE) as connection:
                js = connection.client.jetstream()
                names = ("planner", "verdict-publisher-VerdictIssued")
                infos = {name: await js.consumer_info(EVENT_STREAM, name) for name in names}
                return {name: (info.num_ack_pending or 0) + (info.num_pending or 0) for name, info in infos.items()}

        return asyncio.run(look())

    def parked(self) -> int:
        async def look() -> int:
            async with connected(self.servers, Role.SERVICE) as connection:
                return len(await ParkedDeliveries(connection).all())

        return asyncio.run(look())


def wait(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


@contextmanager
def logged() -> Iterator[list[str]]:
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.levelname} {record.getMessage()}")

    handler = Kept(logging.WARNING)
    logging.getLogger().addHandler(handler)
    try:
        yield lines
    finally:
        logging.getLogger().removeHandler(handler)


async def record(site_settings: Settings, servers: Servers, template: Sequence[AnyEvent]) -> UUID:
    """The events as a session of their own, each commit up to a tool's start, whose position its result names."""
    session_id, last, starts = uuid4(), None, {}
    async with open_log(site_settings, servers) as events:
        for event in template:
            known = EVENTS[event.TOPIC].model_validate(event.model_dump())
            if isinstance(known, ToolInvoked):
                place = known.facts.step_index, known.facts.call_index
                known = known.model_copy(
                    update={"facts": known.facts.model_copy(update={"invocation_id": starts[place]})}
                )
            (last,) = await events.append(session_id, last, [known], actor="worker-2")
            if isinstance(known, ToolCallStarted):
                starts[known.facts.step_index, known.facts.call_index] = last.position
    return session_id


@pytest.fixture(scope="module")
def site(new_assay: Callable[[], Any]) -> Iterator[Site]:
    assay = new_assay()
    plain = assay.ask(QUESTION)["session_id"]
    settings = Settings.load(assay.environment)
    with running_servers(settings) as servers:

        async def written_by_newer() -> tuple[UUID, UUID]:
            async with open_log(settings, servers) as events:
                template = [entry.event for entry in await events.load(UUID(plain))]
            with newer_release():
                return await record(settings, servers, template[:2]), await record(settings, servers, template)

        running, done = asyncio.run(written_by_newer())
        yield Site(assay, settings, servers, plain, running, done)


@pytest.fixture(scope="module")
def older(site: Site) -> list[str]:
    """What a worker of the older release says, until it has met everything that the newer one wrote."""

    def has_met_all(lines: Sequence[str]) -> bool:
        told = "\n".join(lines)
        met = all(words in told for words in ("planner waits", "verdict-publisher-VerdictIssued waits", "self_eval"))
        time.sleep(3 * met)  # to do what it must not
        return met

    return site.at_work(has_met_all)


def test_a_worker_gives_back_what_it_does_not_know(site: Site, older: list[str]) -> None:
    """R89: untouched, and neither failed nor given up."""
    assert site.topics(site.running) == ["SessionOpened", "RoundStarted"]
    assert site.consumers()["planner"] >= 1
    (told,) = (line for line in older if "planner" in line)  # of the two sessions, which are written in alike
    assert told.startswith("WARNING planner waits: session ")
    assert told.endswith(", version 2: written by a newer release (RoundStarted 2)")
    assert not [line for line in older if line.startswith(("ERROR", "CRITICAL"))]


def test_a_verdict_that_cannot_be_read_yet_is_not_parked(site: Site, older: list[str]) -> None:  # noqa: ARG001
    """R52, R66, R89."""
    assert site.parked() == 0
    assert site.consumers()["verdict-publisher-VerdictIssued"] == 1


def test_a_projector_waits_before_the_event_without_an_alarm(site: Site, older: list[str]) -> None:
    """R55, R89: said once for each read model, and not recorded as a halt."""
    told = [line for line in older if "projector" in line]
    assert len(told) == 5, told
    assert all("waits: session" in line for line in told)
    ran = site.assay.here("projection", "status", "--json")
    assert ran.status == 0
    for build in ran.documents:
        assert (build["halted"], build["waits"], build["chain_ok"]) == (None, "RoundStarted 2", True)
    assert "waits: written by a newer release (RoundStarted 2)" in site.assay.here("projection", "status").out


def test_doctor_says_what_is_waited_for(site: Site, older: list[str]) -> None:  # noqa: ARG001
    """R66, R89: no problem, and not in silence."""
    ran = site.assay.here("doctor", "--json")
    waits = [one["detail"] for one in ran.documents if one["state"] == "waits"]
    assert ran.status == 0, ran.out
    assert "1 of the newest events written by a newer release (VerdictIssued 2): start that one" in waits
    assert sum("waits" in one and "RoundStarted 2" in one for one in waits) == 5  # every read model


def test_the_older_release_goes_on_with_its_own_sessions(site: Site, older: list[str]) -> None:  # noqa: ARG001
    """R89: its sessions are answered; the read models show them later."""
    ran = site.assay.here("ask", QUESTION, "--json")
    assert (ran.status, ran.document["verdict"]) == (0, "PASS")
    assert "the read models are behind" in ran.err
    cancelled = site.assay.here("session", "feedback", ran.document["session_id"], "helpful")
    assert (cancelled.status, "FeedbackGiven" in cancelled.out) == (0, True)
    assert "recorded, and not in the read models yet" in cancelled.err


@pytest.mark.parametrize(
    "command",
    [("show",), ("tail",), ("replay",), ("diff",), ("cancel",), ("feedback", "helpful")],
    ids=lambda command: command[0],
)
def test_whoever_asks_for_such_a_session_is_told_who_wrote_it(site: Site, command: tuple[str, ...]) -> None:
    """R89: it is not said that there is none, nor that it is broken."""
    name, *more = command
    ran = site.assay.here("session", name, str(site.done), *more)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith(f"assay: session {site.done}")
    assert "written by a newer release (RoundStarted 2)" in ran.err


def test_what_can_be_read_of_such_a_session_is_shown_with_a_note(site: Site, older: list[str]) -> None:  # noqa: ARG001
    """R89: its opening is of a version that both releases know."""
    ran = site.assay.here("session", "show", str(site.running))
    assert (ran.status, "status    running" in ran.out) == (0, True)
    note = "not all of this session can be shown: the rest was written by a newer release (RoundStarted 2)"
    assert ran.err == f"assay: {note}\n"


def test_the_same_key_asked_again_says_so(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """R10, R89: `ask` meets the session that its key opened."""
    monkeypatch.setattr("handlers.cli.ask.session_id_for", lambda _: site.running)
    ran = site.assay.here("ask", QUESTION, "--key", "shift-7")
    assert ran.status == 1
    assert f"session {site.running}, version 2: written by a newer release (RoundStarted 2)" in ran.err


def test_bytes_are_verified_whoever_wrote_them(site: Site, older: list[str]) -> None:  # noqa: ARG001
    """R60, R89: chain and heads hold; deciding again is left to the newer release."""
    ran = site.assay.here("verify", "--all")
    assert (ran.status, "faults    none" in ran.out) == (0, True), ran.out + ran.err
    again = site.assay.here("readjudicate", "--all", "--json")
    assert again.status == 0
    told = {one["session_id"]: one for one in again.documents[:-1]}
    assert told[str(site.done)]["result"] == "newer"
    assert told[str(site.done)]["missing"] == "a release that reads RoundStarted 2"
    assert again.documents[-1]["newer"] == 2


def test_a_rebuild_stops_before_the_event_and_keeps_what_it_has(site: Site, older: list[str]) -> None:  # noqa: ARG001
    """R56, R89."""
    ran = site.assay.here("projection", "rebuild", "agent_step", "--workers", "1")
    assert ran.status == 1
    assert "written by a newer release (RoundStarted 2); what is loaded stays" in ran.err
    halted = {one["build"]: one["halted"] for one in site.assay.here("projection", "status", "--json").documents}
    assert set(halted.values()) == {None}


def test_once_the_newer_release_runs_everything_goes_on(site: Site, older: list[str]) -> None:  # noqa: ARG001
    """R89: the session comes to its end, the verdict is published, the read models hold all."""

    def is_caught_up(_: Sequence[str]) -> bool:
        rows = {row["session_id"]: row for row in site.assay.here("session", "list", "--json").documents}
        states = site.assay.here("projection", "status", "--json").documents
        return (
            rows.get(str(site.running), {}).get("status") == "completed"
            and str(site.done) in rows
            and all(one["lag_events"] == 0 for one in states if one["state"] == "serving")
            and not any(site.consumers().values())
        )

    with newer_release():
        lines = site.at_work(is_caught_up)
        assert site.assay.here("projection", "rebuild", "agent_step", "--workers", "1").status == 0
        assert site.assay.here("doctor").status == 0
    assert not [line for line in lines if line.startswith(("ERROR", "CRITICAL"))]
    assert site.topics(site.running)[-1] == "SessionCompleted"
    assert site.parked() == 0


def test_the_older_release_may_stay_on_beside_the_newer_one(site: Site) -> None:
    """R89: it finds the read models further than it can read, and follows."""
    ran = site.assay.here("ask", QUESTION)
    assert (ran.status, "read models" in ran.err) == (0, False)
    states = site.assay.here("projection", "status", "--json").documents
    assert {one["halted"] for one in states} == {None}
    shown = site.assay.here("session", "show", str(site.done))
    assert shown.status == 0
    assert "not all of this session can be shown: the rest was written by a newer release" in shown.err


# ---------------------------------------------------------------- both at once, each a process of its own


@contextmanager
def serving(assay: Any, program: Sequence[str], log: Path) -> Iterator[None]:
    """Workers of one release, which leave on SIGTERM."""
    with log.open("w") as err:
        serve = subprocess.Popen([sys.executable, *program, "serve"], env=assay.environment, stderr=err)
    try:
        wait(lambda: "working" in log.read_text())
        yield
    finally:
        serve.terminate()
        assert serve.wait(60) == 0
    assert not [word for word in ("Traceback", " ERROR ", " CRITICAL ") if word in log.read_text()], log.read_text()


def test_sessions_of_both_releases_are_answered_while_both_run(new_assay: Callable[[], Any]) -> None:
    """R89: in the order of infra/README.md: the older release runs, the newer one joins it, the older one leaves."""
    assay = new_assay()
    older, newer = ("-m", "handlers"), (str(Path(__file__).with_name("newer_release.py")),)

    def ask(program: Sequence[str]) -> str:
        command = [sys.executable, *program, "ask", QUESTION, "--json"]
        asked = subprocess.run(command, env=assay.environment, capture_output=True, text=True, timeout=100, check=False)
        assert asked.returncode == 0, asked.stderr
        return str(json.loads(asked.stdout)["session_id"])

    with ExitStack() as running:
        with serving(assay, older, assay.folder / "older.log"):
            asked = [ask(older)]
            asked.append(opened_by_newer(assay, asked[0]))
            wait(lambda: "written by a newer release (RoundStarted 2)" in (assay.folder / "older.log").read_text())
            running.enter_context(serving(assay, newer, assay.folder / "newer.log"))
            asked += [ask(newer), ask(older)]
        asked.append(ask(newer))
        wait(lambda: completed(assay) == set(asked))
        wait(lambda: {one["lag_events"] for one in assay.here("projection", "status", "--json").documents} == {0})
    assert assay.here("parked", "list").err == "nothing is parked\n"
    assert assay.here("verify", "--all").status == 0


def opened_by_newer(assay: Any, like: str) -> str:
    """A session that is opened like another, and that nobody of the older release can carry on."""
    settings = Settings.load(assay.environment)

    async def opened(servers: Servers) -> UUID:
        async with open_log(settings, servers) as events:
            template = [entry.event for entry in await events.load(UUID(like))]
        with newer_release():
            return await record(settings, servers, template[:2])

    with running_servers(settings) as servers:
        return str(asyncio.run(opened(servers)))


def completed(assay: Any) -> set[str]:
    rows = assay.here("session", "list", "--json").documents
    return {row["session_id"] for row in rows if (row["status"], row["verdict"]) == ("completed", "PASS")}
