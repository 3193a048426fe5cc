"""A plant to break: NATS, PostgreSQL and workers as processes of their own, and what must hold afterwards."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

from domain.audit.findings import Findings
from domain.contracts import Agent
from domain.events import Recorded, ToolCallStarted, ToolInvoked
from domain.public_events import public_event
from domain.session.commands import OpenSession
from domain.session.evolve import fold
from domain.session.state import Closed
from handlers.application import PromptFiles, injected_tools, jetstream, open_log, runner_on
from handlers.audit.verification import verify_log
from handlers.session_ids import session_id_for
from handlers.session_settings import model_server, session_settings
from infra.access import Credentials, Role
from infra.audit.heads_file import HeadsFile
from infra.audit.signed_heads import kept_heads, signed_leaves
from infra.audit.signing_key import existing_key
from infra.embedded import Servers
from infra.embedded.nats_server import NatsServer
from infra.embedded.postgres_server import PostgresServer
from infra.embedded.process import wait_until
from infra.event_log.errors import LogError
from infra.event_log.session_log import SessionLog
from infra.postgres import connect
from infra.read_models.projector import catch_up
from infra.scenario.scenario import sample_scenario
from infra.settings import Settings
from infra.streams import VERDICTS, init_streams
from projections.read_model import fold_page
from projections.registry import READ_MODELS

HERE = Path(__file__).parent


class Nats(Protocol):
    """One server or a cluster of them. Credentials are written to a file when it is first started."""

    replicas: int

    @property
    def url(self) -> str: ...
    @property
    def credentials(self) -> Mapping[Role, Credentials]: ...
    @property
    def credentials_file(self) -> Path: ...
    def ensure_running(self) -> None: ...
    def stop(self) -> None: ...

    def kill(self) -> None:
        """SIGKILL a server, and start it again."""


class OneServer(NatsServer):
    replicas = 1

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.credentials_file = folder / "credentials.json"
        self._pid_file = folder / "pid"

    def kill(self) -> None:
        os.kill(int(self._pid_file.read_text()), signal.SIGKILL)
        wait_until(lambda: not self.is_running(), 20)
        self.ensure_running()


class Plant:
    """Servers and workers in a folder. `kill` ends one of them with SIGKILL and starts it again."""

    def __init__(
        self, folder: Path, nats: Nats, ack_wait_s: float, tool_s: float, settings: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self.nats = nats
        self.postgres = PostgresServer(folder / "postgres")
        self.ack_wait_s = ack_wait_s  # seconds until a killed worker's message is given to another
        self.tool_s = tool_s  # how long each run of a tool takes
        self.further_settings = settings or {}
        self.workers: list[subprocess.Popen[bytes]] = []
        self.started = 0
        self.seen: dict[int, str] = {}  # position -> hash of every event that was ever read

    def start(self, workers: int) -> None:
        self.nats.ensure_running()
        self.postgres.ensure_running()
        asyncio.run(self._initialise())
        for _ in range(workers):
            self.start_worker()

    def start_worker(self) -> None:
        self.workers.append(self._start_worker())

    def stop(self) -> None:
        for process in self.workers:
            process.send_signal(signal.SIGTERM)
        for process in self.workers:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.postgres.stop()
        self.nats.stop()

    @property
    def servers(self) -> Servers:
        return Servers(self.nats.url, self.nats.credentials, self.postgres.dsn)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "ASSAY_NATS_URL": self.nats.url,
            "ASSAY_NATS_CREDENTIALS_FILE": str(self.nats.credentials_file),
            "ASSAY_POSTGRES_DSN": self.postgres.dsn,
            "ASSAY_KEY_DIR": str(self.folder / "keys"),
            "ASSAY_ACK_WAIT": str(self.ack_wait_s),
            "ASSAY_TOOLS": "counting_tools:make",
            "ASSAY_LOG": "WARNING",
            "COUNTED_RUNS": str(self.folder / "runs"),
            "COUNTED_SECONDS": str(self.tool_s),
            **self.further_settings,
        }

    @property
    def settings(self) -> Settings:
        return Settings.load(self.environment)

    async def _initialise(self) -> None:
        async with jetstream(self.servers, Role.ADMIN) as js:
            await init_streams(js, ack_wait=self.ack_wait_s, replicas=self.nats.replicas)

    def _start_worker(self) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.started += 1
        said = self._log_file(self.started)
        with said.open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "handlers", "worker"],
                env={**os.environ, **self.environment, "PYTHONPATH": path},
                stdout=log,
                stderr=log,
                cwd=HERE.parent.parent,
            )
        deadline = time.monotonic() + 60
        while b"working" not in said.read_bytes() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert process.poll() is None, said.read_text()
        return process

    def said_by_worker(self, number: int) -> str:
        """What the worker that was started as this one, counted from 1, has logged so far; "" before it starts."""
        said = self._log_file(number)
        return said.read_text() if said.exists() else ""

    def _log_file(self, number: int) -> Path:
        return self.folder / f"worker-{number}.log"

    # ------------------------------------------------------------ breaking

    def kill(self, target: str) -> None:
        """`worker`, `nats` or `postgres`, without warning."""
        if target == "worker":
            index = random.randrange(len(self.workers))
            self.workers[index].kill()
            self.workers[index].wait()
            self.workers[index] = self._start_worker()
            return
        if target == "nats":
            self.nats.kill()
            return
        os.kill(self._postmaster(), signal.SIGKILL)
        wait_until(lambda: not self.postgres.is_running(), 20)
        self.postgres.ensure_running()

    def _postmaster(self) -> int:
        return int((self.folder / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[0])

    # ------------------------------------------------------------ using

    @asynccontextmanager
    async def log(self) -> AsyncIterator[SessionLog]:
        async with open_log(self.settings, self.servers) as events:
            yield events

    def open_command(self, question: str) -> OpenSession:
        settings, prompts = self.settings, PromptFiles()
        return OpenSession(
            question=question,
            now=sample_scenario().now,
            clock="scenario",
            settings=session_settings(settings, injected_tools(settings), "sample"),
            prompt_hashes={agent: prompts.sha256(agent) for agent in Agent},
            base_url=model_server(settings),
        )

    async def open_session(self, question: str) -> UUID:
        """Acknowledged when this returns; the log may be away for a while."""
        command, session_id = self.open_command(question), session_id_for(None)
        while True:
            try:
                async with self.log() as events:
                    await runner_on(events, self.settings).submit(session_id, command)
                    return session_id
            except LogError:
                await asyncio.sleep(0.2)

    async def look(self, events: SessionLog) -> list[Recorded]:
        """Read the whole log and remember what was seen: none of it may ever be missing again."""
        everything: list[Recorded] = []
        end, position = await events.last_position(), 0
        while position < end:
            page = await events.read(position, 500)  # nothing from a replica that lags behind
            everything += page
            position = everything[-1].position if everything else 0
        self.seen |= {entry.position: entry.hash for entry in everything}
        return everything

    async def all_closed(self, sessions: list[UUID], patience_s: float) -> list[UUID]:
        """Wait for every session to end; those that have not after the time."""
        deadline, open_ones = time.monotonic() + patience_s, list(sessions)
        while open_ones and time.monotonic() < deadline:
            try:
                async with self.log() as events:
                    open_ones = [one for one in open_ones if not isinstance(fold(await events.load(one)), Closed)]
            except LogError:
                pass
            if open_ones:
                await asyncio.sleep(0.3)
        return open_ones

    # ------------------------------------------------------------ what must hold

    async def check(self, sessions: list[UUID]) -> dict[str, int]:
        """Assert every promise of the log, the tools and the read models; returns figures for a report."""
        async with self.log() as events:
            before = dict(self.seen)
            everything = await self.look(events)
            held = {entry.position: entry.hash for entry in everything}
            missing = {position for position, digest in before.items() if held.get(position) != digest}
            assert not missing, f"events seen earlier are gone: {sorted(missing)}"
            for session_id in sessions:
                assert isinstance(fold(await events.load(session_id)), Closed)  # load verifies the chain
            await asyncio.wait_for(catch_up(events, self.postgres.dsn, everything[-1].position), 60)
            await self._check_heads(events)
        await self._check_verdicts(everything)
        self._check_tools(everything)
        self._check_read_models(everything)
        again = sum(isinstance(e.event, ToolCallStarted) and e.event.facts.attempt > 1 for e in everything)
        return {"events": len(everything), "sessions": len(sessions), "tool calls repeated": again}

    async def _check_heads(self, events: SessionLog) -> None:
        """In the end all is signed, and whatever was signed meanwhile is what the log holds (R60)."""
        settings, deadline = self.settings, time.monotonic() + 60
        key = existing_key(settings.signing_key).public_key()
        while True:
            findings = Findings()
            async with await connect(self.postgres.dsn) as conn:
                kept = await kept_heads(key, conn, [HeadsFile(settings.heads_file)])
                audit = await verify_log(events, kept.heads, signed_leaves(key, conn, kept), findings, lambda *_: None)
            findings.add(kept.findings)
            assert not findings, findings.first
            if not audit.unsigned_events:
                return
            assert time.monotonic() < deadline, f"{audit.unsigned_events} events are under no head"
            await asyncio.sleep(1)

    async def _check_verdicts(self, everything: list[Recorded]) -> None:
        """Every verdict and end was published, none twice: their subjects, one an event, are written once."""
        public = sum(public_event(entry) is not None for entry in everything)
        deadline = time.monotonic() + 60
        async with jetstream(self.servers, Role.ADMIN) as js:
            while (published := (await js.stream_info(VERDICTS)).state.messages) != public:
                assert time.monotonic() < deadline, f"{published} public events for {public}"
                await asyncio.sleep(0.5)

    def _check_tools(self, everything: list[Recorded]) -> None:
        """No tool ran without a recorded start, none twice for one start, none again once it had a result."""
        runs = [tuple(line.split()) for line in (self.folder / "runs").read_text().splitlines()]
        assert len(runs) == len(set(runs)), "one recorded start was run twice"
        starts = {(str(e.session_id), str(e.position)) for e in everything if isinstance(e.event, ToolCallStarted)}
        assert set(runs) <= starts, f"runs without a recorded start: {set(runs) - starts}"
        finished: dict[tuple[Any, ...], int] = {}
        for entry in everything:
            if isinstance(entry.event, ToolCallStarted | ToolInvoked):
                facts = entry.event.facts
                call = (entry.session_id, facts.round, facts.step_index, facts.call_index)
                assert call not in finished, f"{entry.event.TOPIC} at {entry.position} behind a result"
                if isinstance(entry.event, ToolInvoked):
                    finished[call] = entry.position

    def _check_read_models(self, everything: list[Recorded]) -> None:
        with psycopg.connect(self.postgres.dsn, row_factory=dict_row) as connection:
            for model in READ_MODELS:
                expected = fold_page(model, {}, everything)
                rows = connection.execute(f"SELECT * FROM {model.schema}.{model.name}").fetchall()
                stored = {tuple(row[column] for column in model.key): row for row in rows}
                assert stored.keys() == expected.keys(), model.name
                for key, row in stored.items():
                    assert row == {column: expected[key][column] for column in row}, (model.name, key)
