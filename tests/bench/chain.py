"""Sessions a second and bytes a session of a five-step chain: plan, two tools, verify, compose, 1 KB of text each.

    python -m tests.bench.chain [--runs 3] [--sessions 600]      (needs the extra `bench`)

Every step is on the disk before the next one begins, in all of them: Assay commits to the log and keeps its read models
up to date meanwhile (a run ends when they hold everything), LangGraph writes checkpoints through PostgresSaver with
`durability="sync"`, DBOS records each step of a workflow. One process each, one session after the other and 16 at once.

Assay stands in the table twice: with one commit a step like the others, and as it really works, where the start of
each tool call is a commit of its own, so that no crash and no second worker runs a tool twice.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import os
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import pairwise
from typing import Any, Protocol, TypedDict
from uuid import uuid4

from dbos import DBOS
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph

from domain.contracts import Agent, EvidenceStatus, Outcome, RetrievalDetails, Verdict
from domain.events import (
    AgentStepRecorded,
    AgentStepRecordedContent,
    AgentStepRecordedFacts,
    Event,
    Recorded,
    SessionCompleted,
    SessionCompletedContent,
    SessionCompletedFacts,
    SessionOpened,
    SessionOpenedContent,
    SessionOpenedFacts,
    ToolCallStarted,
    ToolCallStartedContent,
    ToolCallStartedFacts,
    ToolInvoked,
    ToolInvokedContent,
    ToolInvokedFacts,
)
from domain.settings import RULE_VERSION, SessionSettings
from handlers.application import open_log, wall_clock
from infra.event_log.session_log import SessionLog
from infra.read_models.projector import catch_up, run_projectors
from tests.bench.figures import Ratio, Row, table
from tests.bench.ground import Ground, at_once, ground, progress, table_bytes, threaded

AT_ONCE = 16
QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警"
STEPS = ("plan", "metrics", "logs", "verify", "compose")
PER_STEP, WITH_STARTS = "Assay, one commit a step", "Assay, tool starts recorded first"
LANGGRAPH, DBOS_ROW = "LangGraph, PostgresSaver", "DBOS"


def text() -> str:
    """1,000 characters that no compression shortens much."""
    return base64.b64encode(os.urandom(750)).decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sessions", type=int, default=600, help="of each contender in each run, each way")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        first, second, others = (stack.enter_context(ground()) for _ in range(3))
        contenders: dict[str, Contender] = {
            PER_STEP: Assay(first, _per_step),
            WITH_STARTS: Assay(second, _with_starts),
            LANGGRAPH: _langgraph(others.new_database("langgraph")),
            DBOS_ROW: stack.enter_context(_workflows(others.new_database("dbos"))),
        }
        print(_measured(contenders, arguments.runs, arguments.sessions))


class Contender(Protocol):
    def seconds(self, tasks: int, sessions: int) -> float:
        """Run so many sessions, so many at once."""

    def stored_bytes(self) -> int:
        """Of all sessions so far: log, tables and indexes."""


def _measured(contenders: Mapping[str, Contender], runs: int, sessions: int) -> str:
    rates: dict[tuple[str, int], list[float]] = defaultdict(list)
    sizes: dict[str, list[float]] = defaultdict(list)
    for run in range(-1, runs):  # the first warms up and does not count
        for name, contender in contenders.items():
            progress(f"chain: run {run + 1} of {runs}, {name}")
            before = contender.stored_bytes()
            for tasks in (1, AT_ONCE):
                rate = sessions / contender.seconds(tasks, sessions)
                if run >= 0:
                    rates[name, tasks].append(rate)
            if run >= 0:
                sizes[name].append((contender.stored_bytes() - before) / (2 * sessions) / 1_000)
    serial = {name: rates[name, 1] for name in contenders}
    concurrent = {name: rates[name, AT_ONCE] for name in contenders}
    return "\n\n".join(
        [
            table("Sessions of five steps a second, one after the other", _rows(serial, Ratio(LANGGRAPH, 2))),
            table(f"Sessions of five steps a second, {AT_ONCE} at once", _rows(concurrent, Ratio(LANGGRAPH, 2))),
            table("Kilobytes a session of five steps", _rows(sizes, Ratio(LANGGRAPH, 0.5, at_most=True)), _note()),
        ]
    )


def _rows(figures: Mapping[str, Sequence[float]], against: Ratio) -> list[Row]:
    ours = (against, Ratio(DBOS_ROW))
    return [Row(name, values, ours if name in (PER_STEP, WITH_STARTS) else ()) for name, values in figures.items()]


def _note() -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("langgraph", "langgraph-checkpoint-postgres", "dbos"))
    return f"Log, tables and indexes as they grow on the disk; a kilobyte is 1,000 bytes. {versions}."


# ---------------------------------------------------------------- Assay

Chain = Callable[[SessionLog], Coroutine[Any, Any, None]]
"""Records one whole session."""


@dataclass(frozen=True, slots=True)
class Assay:
    ground: Ground
    chain: Chain

    def seconds(self, tasks: int, sessions: int) -> float:
        return asyncio.run(self._seconds(tasks, sessions))

    async def _seconds(self, tasks: int, sessions: int) -> float:
        dsn = self.ground.servers.postgres_dsn
        async with open_log(self.ground.settings, self.ground.servers) as events:
            projectors = asyncio.create_task(run_projectors(events, dsn))
            await catch_up(events, dsn, await events.last_position())
            started = time.perf_counter()
            await at_once(tasks, sessions, lambda: self.chain(events))
            await catch_up(events, dsn, await events.last_position())
            took = time.perf_counter() - started
            projectors.cancel()
            await asyncio.gather(projectors, return_exceptions=True)
        return took

    def stored_bytes(self) -> int:
        return self.ground.log_bytes() + table_bytes(self.ground.servers.postgres_dsn)


async def _per_step(events: SessionLog) -> None:
    session_id = uuid4()
    (head,) = await events.append(session_id, None, [_opened()], actor="worker-1")
    steps = (Agent.PLANNER, Agent.EXECUTOR, Agent.EXECUTOR, Agent.VERIFIER)
    for index, agent in enumerate(steps):
        (head,) = await events.append(session_id, head, [_step(index, agent)], actor="worker-1")
    await events.append(session_id, head, [_completed()], actor="worker-1")


async def _with_starts(events: SessionLog) -> None:
    session_id = uuid4()
    (head,) = await events.append(session_id, None, [_opened()], actor="worker-1")
    (head,) = await events.append(session_id, head, [_step(0, Agent.PLANNER)], actor="worker-1")
    for index, tool in enumerate(("query_metrics", "query_logs")):
        (start,) = await events.append(session_id, head, [_started(index, tool)], actor="worker-1")
        (head,) = await events.append(session_id, start, [_invoked(index, tool, start)], actor="worker-1")
    (head,) = await events.append(session_id, head, [_step(1, Agent.VERIFIER)], actor="worker-1")
    await events.append(session_id, head, [_completed()], actor="worker-1")


def _opened() -> Event:
    facts = SessionOpenedFacts(
        now=wall_clock(),
        clock="wall",
        settings=SessionSettings(models=dict.fromkeys(Agent, "extractive")),
        rule_version=RULE_VERSION,
        prompt_hashes=dict.fromkeys(Agent, "f" * 64),
        has_key=False,
    )
    return SessionOpened(facts=facts, content=SessionOpenedContent(question=QUESTION))


def _step(index: int, agent: Agent) -> Event:
    facts = AgentStepRecordedFacts(
        round=1,
        step_index=index,
        agent=agent,
        model="extractive",
        prompt_hash="f" * 64,
        attempt=1,
        duration_ms=12,
        finish_reason="stop",
    )
    return AgentStepRecorded(facts=facts, content=AgentStepRecordedContent(output=text()))


def _started(index: int, tool: str) -> Event:
    facts = ToolCallStartedFacts(round=1, step_index=0, call_index=index, attempt=1, read_only=True)
    return ToolCallStarted(facts=facts, content=ToolCallStartedContent(tool_name=tool, call_id=tool, arguments="{}"))


def _invoked(index: int, tool: str, start: Recorded) -> Event:
    facts = ToolInvokedFacts(
        round=1,
        step_index=0,
        call_index=index,
        invocation_id=start.position,
        success=True,
        evidence_status=EvidenceStatus.SUPPORTED,
        ref_count=0,
        output_length=1_000,
        duration_ms=12,
    )
    content = ToolInvokedContent(tool_name=tool, input_params={}, output=text(), retrieval_details=RetrievalDetails())
    return ToolInvoked(facts=facts, content=content)


def _completed() -> Event:
    facts = SessionCompletedFacts(outcome=Outcome.NORMAL, verdict=Verdict.PASS, groundedness_score="1.0000", rounds=1)
    return SessionCompleted(facts=facts, content=SessionCompletedContent(answer=text()))


# ---------------------------------------------------------------- LangGraph


class State(TypedDict, total=False):
    question: str
    plan: str
    metrics: str
    logs: str
    verify: str
    compose: str


@dataclass(frozen=True, slots=True)
class LangGraph:
    """Each way in which it is faster: plain calls for one session after the other, coroutines for several at once,
    each with a connection of its own, since one saver takes a lock."""

    dsn: str

    def seconds(self, tasks: int, sessions: int) -> float:
        return self._one_by_one(sessions) if tasks == 1 else asyncio.run(self._at_once(tasks, sessions))

    def _one_by_one(self, sessions: int) -> float:
        with PostgresSaver.from_conn_string(self.dsn) as saver:
            graph = _graph(saver)
            return threaded(1, sessions, lambda: graph.invoke(_input(), _thread(), durability="sync"))

    async def _at_once(self, tasks: int, sessions: int) -> float:
        async with AsyncExitStack() as stack:
            connect = AsyncPostgresSaver.from_conn_string
            idle = [_graph(await stack.enter_async_context(connect(self.dsn))) for _ in range(tasks)]

            async def session() -> None:
                graph = idle.pop()
                await graph.ainvoke(_input(), _thread(), durability="sync")
                idle.append(graph)

            return await at_once(tasks, sessions, session)

    def stored_bytes(self) -> int:
        return table_bytes(self.dsn)


def _langgraph(dsn: str) -> LangGraph:
    with PostgresSaver.from_conn_string(dsn) as saver:
        saver.setup()
    return LangGraph(dsn)


def _graph(saver: PostgresSaver | AsyncPostgresSaver) -> Any:
    builder = StateGraph(State)
    for name in STEPS:
        builder.add_node(f"do_{name}", partial(_node, name))
    for before, after in pairwise((START, *(f"do_{name}" for name in STEPS), END)):
        builder.add_edge(before, after)
    return builder.compile(checkpointer=saver)


def _node(name: str, _: State) -> dict[str, str]:
    return {name: text()}


def _input() -> State:
    return {"question": QUESTION}


def _thread() -> dict[str, Any]:
    return {"configurable": {"thread_id": str(uuid4())}}


# ---------------------------------------------------------------- DBOS


@dataclass(frozen=True, slots=True)
class Workflows:
    """DBOS in this process; its workflows run in the calling threads."""

    dsn: str

    def seconds(self, tasks: int, sessions: int) -> float:
        return threaded(tasks, sessions, lambda: _workflow(QUESTION))

    def stored_bytes(self) -> int:
        return table_bytes(self.dsn)


@contextmanager
def _workflows(dsn: str) -> Iterator[Workflows]:
    DBOS(config={"name": "bench", "system_database_url": dsn, "console_log_level": "WARNING"})
    DBOS.launch()
    try:
        yield Workflows(dsn)
    finally:
        DBOS.destroy()


@DBOS.step()
def _workflow_step(_: str) -> str:
    return text()


@DBOS.workflow()
def _workflow(_: str) -> str:
    for name in STEPS[:-1]:
        _workflow_step(name)
    return _workflow_step(STEPS[-1])


if __name__ == "__main__":
    main()
