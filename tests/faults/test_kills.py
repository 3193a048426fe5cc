"""SIGKILL at random points: every session ends, nothing acknowledged is lost, no finished tool call runs again."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from infra.embedded.process import wait_until
from tests.faults.questions import QUESTIONS

KILLS = 20
SESSIONS = 20


async def _stressed(plant: Any, sessions: int, kills: int, seed: int) -> list[UUID]:
    chance = random.Random(seed)
    opened: list[UUID] = []
    for number in range(max(sessions, kills)):
        if number < sessions:
            opened.append(await plant.open_session(QUESTIONS[number % len(QUESTIONS)]))
        await asyncio.sleep(chance.uniform(0.3, 2.0))  # long enough for a session to be in the middle of a tool call
        if number < kills:
            target = chance.choices(("worker", "nats", "postgres"), (4, 2, 1))[0]
            await asyncio.to_thread(plant.kill, target)
    return opened


@pytest.mark.timeout(540)
def test_sessions_survive_the_kill_of_anything(plant: Callable[..., Any]) -> None:
    """R7, R50, R51, R55: 20 SIGKILLs of workers, nats-server and PostgreSQL over 20 sessions."""
    seed = time.time_ns() % 1_000_000
    random.seed(seed)
    print(f"seed {seed}")
    broken = plant(2, ack_wait_s=3.0, tool_s=0.6)

    async def scenario() -> None:
        sessions = await _stressed(broken, SESSIONS, KILLS, seed)
        assert await broken.all_closed(sessions, patience_s=240) == []
        print(await broken.check(sessions))

    asyncio.run(scenario())


@pytest.mark.timeout(540)
def test_two_workers_record_every_step_once_and_run_no_tool_twice(plant: Callable[..., Any]) -> None:
    """R7, R51: 100 sessions, two workers, nobody killed."""
    working = plant(2)

    async def scenario() -> None:
        sessions = [await working.open_session(QUESTIONS[number % len(QUESTIONS)]) for number in range(100)]
        assert await working.all_closed(sessions, patience_s=300) == []
        figures = await working.check(sessions)
        assert figures["tool calls repeated"] == 0
        async with working.log() as events:
            for session_id in sessions:
                steps = [
                    entry.event.facts.step_index
                    for entry in await events.load(session_id)
                    if entry.event.TOPIC == "AgentStepRecorded"
                ]
                assert steps == list(range(len(steps)))

    asyncio.run(scenario())


@pytest.mark.timeout(540)
@pytest.mark.parametrize("kills", [int(os.environ.get("EFFECT_KILLS", "8"))])
def test_no_effect_comes_twice_whoever_is_killed(plant: Callable[..., Any], tmp_path: Path, kills: int) -> None:
    """R7: tools that are not read-only, workers killed in the middle of their calls, in both rounds."""
    chance, effects = random.Random(time.time_ns() % 1_000_000), tmp_path / "effects"
    effects.touch()
    broken = plant(2, ack_wait_s=2.0, tool_s=0.8, settings={"COUNTED_EFFECTS": str(effects), "ASSAY_THRESHOLD": "1"})

    async def scenario() -> None:
        opened = []
        for number in range(kills):
            opened.append(await broken.open_session(QUESTIONS[number % len(QUESTIONS)]))
            await asyncio.sleep(chance.uniform(0.8, 2.5))
            await asyncio.to_thread(broken.kill, "worker")
        assert await broken.all_closed(opened, patience_s=300) == []
        rounds = set()
        async with broken.log() as events:
            for session_id in opened:
                rounds |= {getattr(entry.event.facts, "round", 1) for entry in await events.load(session_id)}
        assert rounds == {1, 2}

    asyncio.run(scenario())
    made = Counter(effects.read_text().splitlines())
    assert len(made) >= kills
    assert {line: count for line, count in made.items() if count > 1} == {}


def test_a_worker_that_starts_before_the_log_waits_for_it(plant: Callable[..., Any]) -> None:
    """R67: after a power cut nobody decides which of them comes back first."""
    broken = plant(0)
    broken.nats.stop()

    with ThreadPoolExecutor(1) as pool:
        starting = pool.submit(broken.start_worker)
        wait_until(lambda: "waiting for the log" in broken.said_by_worker(1), 60)
        broken.nats.ensure_running()
        starting.result()

    assert "working" in broken.said_by_worker(1)
