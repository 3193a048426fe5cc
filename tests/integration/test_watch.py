"""A service process that stands still ends, whatever holds it (R72)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PROGRAM = """
import asyncio, re, signal, threading, time
from infra import watch
watch.STANDSTILL_S, watch.STOPPING_S, watch.BEAT_S = 1.0, 1.0, 0.1

def spin():
    while True:
        pass

async def main():
    stop, guard = asyncio.Event(), watch.Watch()
    def told():
        guard.stopping()
        stop.set()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told)
    guard.begin()
    await asyncio.sleep(2.5)
    print("still here", flush=True)
    ACT

asyncio.run(main())
print("ended in order", flush=True)
"""
BLOCKED = {
    "sleeps": "time.sleep(3_600)",
    "computes": "spin()",
    "holds_the_interpreter": 'import re; re.match(r"(a|aa)+$", "a" * 200 + "b")',
}
STOPPED = {
    "a_thread": "asyncio.get_running_loop().run_in_executor(None, spin); signal.raise_signal(signal.SIGTERM);"
    " await stop.wait()",
    "a_task_that_cannot_be_cancelled": """
    async def stubborn():
        while True:
            try:
                await asyncio.sleep(3_600)
            except asyncio.CancelledError:
                pass
    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    signal.raise_signal(signal.SIGTERM)
    await stop.wait()
""",
}


def ended(act: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.replace("ACT", act)
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("act", BLOCKED.values(), ids=BLOCKED)
def test_a_loop_that_is_blocked_ends_its_process_and_says_where(act: str) -> None:
    """One that comes round is left alone, however long."""
    done = ended(act)
    assert (done.returncode, done.stdout) == (1, "still here\n")
    assert "Timeout" in done.stderr
    assert "in main" in done.stderr


@pytest.mark.parametrize("act", STOPPED.values(), ids=STOPPED)
def test_a_process_that_is_told_to_stop_ends_whatever_still_runs(act: str) -> None:
    done = ended(act)
    assert done.returncode == 1
    assert "ended in order" not in done.stdout


def test_a_process_that_stops_in_order_is_left_alone() -> None:
    done = ended("signal.raise_signal(signal.SIGTERM); await stop.wait()")
    assert (done.returncode, done.stdout, done.stderr) == (0, "still here\nended in order\n", "")
