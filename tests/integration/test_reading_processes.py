"""Processes that read untrusted bulk: what a job may cost, and what becomes of it when it costs more (R69)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from infra.reading import processes as module
from infra.reading.limits import LimitKind, Limits, ReadingError, ReadingLimit
from infra.reading.processes import ReadingProcesses, shares

JOBS = """
import ctypes, os, sys, time
from dataclasses import dataclass
from datetime import UTC, datetime

@dataclass
class Told:
    name: str
    at: datetime

def told(name): return Told(name, datetime(2031, 5, 1, tzinfo=UTC))
def number(): return os.getpid()
def hog(): return len([bytes(1 << 20) for _ in range(100_000)])
def loop():
    while True: pass
def nap(seconds): time.sleep(seconds)
def much(size): return "x" * size
def leave(): os._exit(7)
def crash(): ctypes.string_at(0)
def complain(): raise KeyError("no such input")
def say(): print("out"); sys.stderr.write("y" * 300_000) ; return sys.stdin.read()
def part(count, then=None):
    for number in range(count): yield number
    if then: globals()[then]()
def world(): return {"environment": dict(os.environ), "files": sorted(int(fd) for fd in os.listdir("/proc/self/fd"))}
def loaded(): return sorted(sys.modules)
def write(path): open(path, "wb").write(bytes(2 << 20))
def born(path): open(path, "w").write(str(os.getpid())); loop()
"""
SMALL = Limits(memory_bytes=300 * 1024**2, cpu_seconds=1, wall_seconds=20.0, output_bytes=100_000)


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReadingProcesses]:
    (tmp_path / "reading_jobs.py").write_text(JOBS)
    monkeypatch.syspath_prepend(tmp_path)
    with closing(ReadingProcesses(2, SMALL)) as processes:
        yield processes


def test_a_result_comes_back_as_json_would(pool: ReadingProcesses) -> None:
    """Plain data: the worker need not trust what a process sends."""
    assert pool.run_blocking("reading_jobs:told", "订单") == {"name": "订单", "at": "2031-05-01T00:00:00Z"}
    assert pool.run_blocking("reading_jobs:part", 3) == [0, 1, 2]
    assert pool.run_blocking("reading_jobs:part", 0) == []


def test_a_process_is_started_once_and_kept(pool: ReadingProcesses) -> None:
    assert pool.run_blocking("reading_jobs:number") == pool.run_blocking("reading_jobs:number") != os.getpid()


def test_a_process_is_replaced_after_many_jobs(pool: ReadingProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "JOBS_EACH", 2)
    numbers = [pool.run_blocking("reading_jobs:number") for _ in range(4)]
    assert numbers[0] == numbers[1] != numbers[2] == numbers[3]
    assert not psutil.pid_exists(numbers[0])


@pytest.mark.parametrize(
    ("job", "kind"),
    [
        (("hog",), LimitKind.MEMORY),
        (("loop",), LimitKind.CPU),
        (("much", 200_000), LimitKind.OUTPUT),
        (("leave",), LimitKind.CRASH),
        (("crash",), LimitKind.CRASH),
    ],
)
def test_a_job_that_exceeds_a_limit_is_ended_and_its_process_replaced(
    pool: ReadingProcesses, job: tuple[str, ...], kind: LimitKind
) -> None:
    """Memory, processor time, output; a process that ends by itself or by a fault in a library."""
    before = pool.run_blocking("reading_jobs:number")
    name, *arguments = job
    with pytest.raises(ReadingLimit) as met:
        pool.run_blocking(f"reading_jobs:{name}", *arguments)
    assert met.value.kind is kind
    assert pool.run_blocking("reading_jobs:number") != before
    assert not psutil.pid_exists(before)


def test_a_job_that_takes_too_long_is_ended(pool: ReadingProcesses) -> None:
    with pytest.raises(ReadingLimit, match=r"time: 0\.2 s") as met:
        pool.run_blocking("reading_jobs:nap", 600, timeout_s=0.2)
    assert met.value.kind is LimitKind.TIME
    assert pool.run_blocking("reading_jobs:part", 1) == [0]


def test_processor_time_counts_for_each_job_alone(pool: ReadingProcesses) -> None:
    """A second of limit is not used up by the jobs before."""
    spin = "while time.process_time() < {}: pass"
    for second in (0.7, 1.4, 2.1):
        pool.run_blocking("builtins:exec", f"import time\n{spin.format(second)}")
    with pytest.raises(ReadingLimit):
        pool.run_blocking("reading_jobs:loop")


@pytest.mark.parametrize("end", ["loop", "leave", "hog"])
def test_what_a_job_gave_before_its_end_is_kept(pool: ReadingProcesses, end: str) -> None:
    """A limit loses nothing of what was found."""
    with pytest.raises(ReadingLimit) as met:
        pool.run_blocking("reading_jobs:part", 3, end)
    assert met.value.parts == [0, 1, 2]


def test_the_parts_of_a_result_are_bounded_together(pool: ReadingProcesses) -> None:
    with pytest.raises(ReadingLimit) as met:
        pool.run_blocking("reading_jobs:part", 200_000)
    assert met.value.kind is LimitKind.OUTPUT
    assert met.value.parts[:3] == [0, 1, 2]


def test_an_error_of_a_job_is_told_and_its_process_goes_on(pool: ReadingProcesses) -> None:
    before = pool.run_blocking("reading_jobs:number")
    with pytest.raises(ReadingError, match="KeyError: 'no such input'") as raised:
        pool.run_blocking("reading_jobs:complain")
    assert raised.value.kind == "KeyError"
    with pytest.raises(ReadingError, match="AttributeError"):
        pool.run_blocking("reading_jobs:nothing")
    assert pool.run_blocking("reading_jobs:number") == before


def test_what_a_job_prints_or_reads_disturbs_nothing(pool: ReadingProcesses) -> None:
    with pytest.raises(ReadingError, match="BlockingIOError"):
        pool.run_blocking("reading_jobs:say")
    assert pool.run_blocking("reading_jobs:part", 1) == [0]


def test_a_process_knows_no_secret(pool: ReadingProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key and no setting is in its environment, no file but its own is open."""
    for name in ("OPENAI_API_KEY", "ASSAY_POSTGRES_DSN", "ASSAY_NATS_WORKER_PASSWORD", "SHOP_TOKEN"):
        monkeypatch.setenv(name, "a-secret")
    world = pool.run_blocking("reading_jobs:world")
    assert set(world["environment"]) <= {
        "MALLOC_ARENA_MAX",
        *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "LD_LIBRARY_PATH"),
        *("PYTHONPATH", "PYTHONNOUSERSITE"),
    }
    assert "a-secret" not in str(world)
    assert len(world["files"]) == 5  # three of every process, the socket, and the folder just listed


def test_a_process_loads_only_what_its_job_needs(pool: ReadingProcesses) -> None:
    loaded = pool.run_blocking("reading_jobs:loaded")
    assert not {"pydantic", "nats", "openai", "asyncio", "infra.settings"} & set(loaded)


def test_a_process_writes_no_large_file(pool: ReadingProcesses, tmp_path: Path) -> None:
    with pytest.raises(ReadingError, match="OSError"):
        pool.run_blocking("reading_jobs:write", str(tmp_path / "large"))


def _number_in(path: Path) -> int:
    """The process that a job wrote down."""
    while not (path.exists() and path.read_text()):
        time.sleep(0.01)
    return int(path.read_text())


def test_a_cancelled_job_ends_its_process(pool: ReadingProcesses, tmp_path: Path) -> None:
    async def cancel() -> int:
        task = asyncio.create_task(pool.run("reading_jobs:born", str(tmp_path / "pid")))
        number = await asyncio.to_thread(_number_in, tmp_path / "pid")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await pool.run("reading_jobs:part", 1) == [0]
        return number

    number = asyncio.run(cancel())
    pool.close()
    assert not psutil.pid_exists(number)


def test_a_job_that_waits_is_cancelled_without_being_started(pool: ReadingProcesses, tmp_path: Path) -> None:
    async def cancel() -> None:
        naps = [asyncio.create_task(pool.run("reading_jobs:nap", 0.3)) for _ in range(2)]
        waiting = asyncio.create_task(pool.run("reading_jobs:born", str(tmp_path / "pid")))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.gather(*naps)

    asyncio.run(cancel())
    assert not (tmp_path / "pid").exists()


def test_many_jobs_run_beside_each_other_and_the_loop_is_free(pool: ReadingProcesses) -> None:
    """Two processes at most; the loop only waits for them."""

    async def run() -> tuple[list[int], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.01)

        ticking = asyncio.create_task(tick())
        jobs = [pool.run("reading_jobs:nap", 0.2), pool.run("reading_jobs:nap", 0.2)]
        jobs += [pool.run("reading_jobs:number") for _ in range(40)]
        numbers = (await asyncio.gather(*jobs))[2:]
        ticking.cancel()
        return numbers, ticks

    numbers, ticks = asyncio.run(run())
    assert len(numbers) == 40
    assert len(set(numbers)) <= 2
    assert ticks > 5
    assert asyncio.run(pool.run("reading_jobs:part", 1)) == [0]  # in another loop


def test_closing_ends_every_process_also_those_at_work(pool: ReadingProcesses, tmp_path: Path) -> None:
    async def close() -> int:
        task = asyncio.create_task(pool.run("reading_jobs:born", str(tmp_path / "pid")))
        number = await asyncio.to_thread(_number_in, tmp_path / "pid")
        await pool.aclose()
        with pytest.raises(ReadingLimit):
            await task
        return number

    assert not psutil.pid_exists(asyncio.run(close()))
    with pytest.raises(RuntimeError):
        pool.run_blocking("reading_jobs:number")


WORKER = """
import sys, threading
from infra.reading.processes import reading_processes
pool = reading_processes()
print(pool.run_blocking("reading_jobs:number"), flush=True)
if sys.argv[1] != "end":
    pool.run_blocking("reading_jobs:born", sys.argv[1])
"""


def _worker(folder: Path, argument: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{os.getcwd()}"}
    command = [sys.executable, "-c", WORKER, argument]
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True, start_new_session=True)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_killed_leaves_no_process_behind(tmp_path: Path, how: signal.Signals) -> None:
    """Not even one that is at work."""
    (tmp_path / "reading_jobs.py").write_text(JOBS)
    with _worker(tmp_path, str(tmp_path / "pid")) as worker:
        number = _number_in(tmp_path / "pid")
        worker.send_signal(how)
        worker.wait(20)
    _wait_until_gone(number)


def test_the_end_of_a_program_ends_its_processes(tmp_path: Path) -> None:
    (tmp_path / "reading_jobs.py").write_text(JOBS)
    with _worker(tmp_path, "end") as worker:
        assert worker.stdout is not None
        number = int(worker.stdout.readline())
        assert worker.wait(20) == 0
    _wait_until_gone(number)


def _wait_until_gone(number: int) -> None:
    deadline = time.monotonic() + 20
    while psutil.pid_exists(number) and psutil.Process(number).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "a reading process outlived its worker"
        time.sleep(0.02)


def test_shares_are_about_the_same_size_and_keep_the_order() -> None:
    assert shares([500, 100, 100, 100, 100, 90], 2) == [[0], [1, 2, 3, 4, 5]]
    assert shares([3, 3], 4) == [[0], [1]]
    assert shares([], 2) == []
