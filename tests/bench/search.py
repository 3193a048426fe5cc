"""Searches of log folders, beside the release before searches accounted for themselves, on files that both read.

    python -m tests.bench.search [--runs 5] [--megabytes 100] [--large 2000]

The table of surveys puts one beside a search for errors over the same hours.

Each search is a process of its own: `before` runs the code of the commit below from a worktree, `now` the tool
`query_logs` of this tree with its reading processes. A run is a pair on the same files, in turn. The last table is the
peak memory of all processes of a search in a folder of `--large` megabytes, beside that in the smaller one (0: none).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil

from tests.bench.figures import Ratio, Row, table

ROOT = Path(__file__).resolve().parent.parent.parent
BEFORE = "b3acb95f505aac1adbf52e9af16ad039fa15eafa"
NOW = datetime(2026, 7, 8, 12, 0, tzinfo=UTC)
LINES_A_FILE = 100_000
FILE_BYTES = 7_000_000  # of so many lines

SEARCHES: Mapping[str, dict[str, object]] = {
    "errors of the last hour": {"service": "order-service", "level": "ERROR"},
    "a word of the last hour": {"service": "order-service", "query": "deadlock"},
    "a word of a week": {"query": "deadlock", "minutes": 10_080},
    "errors of a week": {"level": "ERROR", "minutes": 10_080},
}

CALL = """
import asyncio, json, sys
from datetime import datetime
from pathlib import Path
from infra.tools.contract import ToolContext
{imports}
async def main():
    tool = {tool}
    now = datetime.fromisoformat(sys.argv[2])
    context = ToolContext(now=now, window_minutes=60, invocation_id=1, session_id="bench")
    result = await tool.run(json.loads(sys.argv[3]), context)
    print(json.loads(result.output)["total"])
asyncio.run(main())
"""
BEFORE_CALL = CALL.format(imports="from infra.tools.logs import logs_tool", tool="logs_tool(Path(sys.argv[1]))")
NOW_CALL = CALL.format(
    imports="from domain.events import Source\nfrom infra.tools.logs import logs_tool",
    tool='logs_tool([Source(kind="logs", name="logs", address=sys.argv[1])])',
)
SURVEY_CALL = CALL.format(
    imports="from domain.events import Source\nfrom infra.tools.survey import survey_tool",
    tool='survey_tool([Source(kind="logs", name="logs", address=sys.argv[1])])',
)
SURVEYED = {"minutes": 60}
"""It reads three hours more, to tell what is new: as much as a search for errors of four hours."""
AS_MUCH = {"level": "ERROR", "minutes": 240}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--large", type=int, default=2000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work, checked_out(BEFORE) as before:
        folder = logs(Path(work) / "logs", arguments.megabytes)
        rows: list[Row] = []
        for name, asked in SEARCHES.items():
            figures = [pair(before, folder, asked) for _ in range(arguments.runs)]
            rows += [
                Row(f"{name}: now", [ours for ours, _ in figures], (Ratio(f"{name}: before", 1.0, at_most=True),)),
                Row(f"{name}: before", [theirs for _, theirs in figures]),
            ]
        print(table(f"Seconds of a search in {arguments.megabytes} MB", rows))
        print(f"\n{table('Seconds of a survey of an hour', surveys(folder, arguments.runs))}")
        if arguments.large:
            memory(folder, logs(Path(work) / "large", arguments.large), arguments)


def surveys(folder: Path, runs: int) -> list[Row]:
    figures = [
        (run(ROOT, SURVEY_CALL, folder, SURVEYED).seconds, run(ROOT, NOW_CALL, folder, AS_MUCH).seconds)
        for _ in range(runs)
    ]
    search = "errors of four hours"
    return [
        Row("survey of an hour", [survey for survey, _ in figures], (Ratio(search, 1.0, at_most=True),)),
        Row(search, [searched for _, searched in figures]),
    ]


def memory(small: Path, large: Path, arguments: argparse.Namespace) -> None:
    asked = SEARCHES["errors of a week"]
    peaks = {place: [run(ROOT, NOW_CALL, place, asked).peak_mb for _ in range(2)] for place in (small, large)}
    base = f"{arguments.megabytes} MB"
    rows = [
        Row(f"{arguments.large} MB", peaks[large], (Ratio(base, 1.1, at_most=True),)),
        Row(base, peaks[small]),
    ]
    print(f"\n{table('Peak memory of all processes of a search, in MB, by what it reads', rows)}")


def pair(before: Path, folder: Path, asked: Mapping[str, object]) -> tuple[float, float]:
    """Seconds now and before, of two searches that found as many."""
    theirs = run(before, BEFORE_CALL, folder, asked)
    ours = run(ROOT, NOW_CALL, folder, asked)
    if ours.total < theirs.total:
        raise SystemExit(f"{asked}: {ours.total} found, {theirs.total} before")
    return ours.seconds, theirs.seconds


class Ran:
    """One search as a process: how long it took, what it found, and what all its processes held at most."""

    def __init__(self, seconds: float, total: int, peak_mb: float) -> None:
        self.seconds = seconds
        self.total = total
        self.peak_mb = peak_mb


def run(tree: Path, call: str, folder: Path, asked: Mapping[str, object]) -> Ran:
    command = [sys.executable, "-c", call, str(folder), NOW.isoformat(), json.dumps(asked)]
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree), "TZ": "UTC"}, stdout=subprocess.PIPE, text=True
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, held_mb(process.pid))
        time.sleep(0.02)
    seconds = time.perf_counter() - started
    out, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"the search in {tree} ended with {process.returncode}")
    return Ran(seconds, int(out), peak)


def held_mb(pid: int) -> float:
    try:
        root = psutil.Process(pid)
        return sum(one.memory_info().rss for one in (root, *root.children(recursive=True))) / 1e6
    except psutil.Error:
        return 0.0


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work) / "before"
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", tree, commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", tree], check=True)


def logs(folder: Path, megabytes: int) -> Path:
    """Files of two services, the next behind the last, of plain lines with times over a week, an error in twenty, a
    deadlock in fifty thousand."""
    folder.mkdir()
    random.seed(7)
    number = 0
    files = max(1, megabytes * 1_000_000 // FILE_BYTES)
    while number < files:
        number += 1
        text = "".join(lines(number, files))
        (folder / f"{('order-service', 'payment-service')[number % 2]}.{number}.log").write_text(text)
    return folder


def lines(number: int, files: int) -> Iterator[str]:
    step = timedelta(days=7) / files / LINES_A_FILE
    at = NOW - timedelta(days=7) * (1 - (number - 1) / files)
    for line in range(LINES_A_FILE):
        at += step
        level = "ERROR" if line % 20 == 0 else "INFO"
        word = (
            "deadlock detected" if line % 50_000 == 49_999 else f"request {line} of customer {random.randrange(10_000)}"
        )
        yield f"{at.isoformat(timespec='milliseconds').replace('+00:00', 'Z')} {level} {word} took {number} ms\n"


if __name__ == "__main__":
    main()
