"""A third of the poison set that `python -m tests.long.poison` sends to a running service with two workers (R72)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.plant import Plant
from tests.long.hostile_model import hostile_model
from tests.long.poison import (
    MOST_BYTES,
    MOST_SECONDS,
    STOP_SECONDS,
    WHILE_STOPPING,
    Memory,
    Poison,
    beside_a_normal_one,
    endless_servers,
    faults,
    poisons,
    service,
    stopped,
)

CHOSEN = (
    "book_sparse_2_gb",
    "book_deep_folders",
    "book_device",
    "book_stars",
    "skill_bomb",
    "skill_deep",
    "log_nested_zip",
    "log_odd_tar",
    "log_cut_zip",
    "log_deep_json",
    "alerts_200_mb",
    "alerts_deep",
    "metrics_pours",
    "question_times",
    "question_brackets",
    "question_controls",
    "tool_ends_its_process",
    "tool_leaves_python",
    "tool_breaks_its_process",
    "tool_takes_all_memory",
    "tool_returns_nothing",
    "tool_half_characters",
    "tool_output_300_mb",
    "tool_deep_json",
    "reply_fifty_mb",
    "reply_claims_10000",
    "reply_deep",
    "reply_calls_5000",
    "planner_deep",
)


@dataclass(frozen=True, slots=True)
class Running:
    plant: Plant
    poisons: Mapping[str, Poison]
    memory: Memory


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("poison")
    folder.parent.chmod(0o711)
    with ExitStack() as stack:
        everything = poisons(stack.enter_context(endless_servers()))
        plant = stack.enter_context(service(folder, stack.enter_context(hostile_model())))
        yield Running(plant, everything, stack.enter_context(Memory(plant)))


@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", CHOSEN)
def test_a_poisoned_session_ends_with_a_reason_and_a_normal_one_with_pass(
    running: Running, tmp_path: Path, name: str
) -> None:
    ran = beside_a_normal_one(running.plant, running.poisons[name], tmp_path / "given", MOST_SECONDS + 30)
    poisoned, normal = asyncio.run(ran)
    assert faults(name, poisoned, normal, MOST_SECONDS) == []
    assert running.memory.most < MOST_BYTES


@pytest.mark.timeout(240)
def test_the_service_stops_while_poison_is_at_work(running: Running, tmp_path: Path) -> None:
    """Last, for nothing runs behind it."""
    assert stopped(running.plant, WHILE_STOPPING, running.poisons, tmp_path) < STOP_SECONDS
