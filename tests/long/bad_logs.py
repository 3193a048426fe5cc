"""`python -m tests.long.bad_logs`: folders too large for every run, each searched within bounds of time and memory.

A hundred thousand files; ten gigabytes of lines in twenty megabytes; and what else test_bad_logs has in small. Prints
what each search took, and exits 1 if something was lost, silent, or over its bounds.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

NOW = datetime(2031, 5, 14, 9, 0, tzinfo=UTC)
FOUND = "2031-05-14T08:30:00Z ERROR order-service zebra crossing lost\n"
FINE = "2031-05-14T08:31:00Z INFO order-service request served in 3 ms\n"
MOST_SECONDS, MOST_MEGABYTES = 75, 1_200


@dataclass(frozen=True, slots=True)
class Bad:
    """`complete`: whether an absence of the last two hours can be proven there."""

    name: str
    make: Callable[[Path], None]
    complete: bool


def _changed(path: Path, minutes: float) -> None:
    moment = (NOW - timedelta(minutes=minutes)).timestamp()
    os.utime(path, (moment, moment))


def many_files(root: Path) -> None:
    for number in range(100_000):
        path = root / f"d{number // 1000:03d}" / f"svc-{number}.log"
        path.parent.mkdir(exist_ok=True)
        path.write_text(FOUND if number == 7 else FINE)
        _changed(path, number / 10)


def many_lines_packed(root: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = FINE.encode() * 16_384
    with (root / "app.log.gz").open("wb") as out:
        out.write(packer.compress(FOUND.encode()))
        for _ in range(10 * 1024**3 // len(block)):
            out.write(packer.compress(block))
        out.write(packer.flush())
    _changed(root / "app.log.gz", 20)


def zeros_packed(root: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    with (root / "app.log.gz").open("wb") as out:
        out.write(packer.compress(FOUND.encode()))
        for _ in range(10_000):
            out.write(packer.compress(bytes(1024**2)))
        out.write(packer.flush())
    _changed(root / "app.log.gz", 20)


def long_lines(root: Path) -> None:
    """Twenty lines of a hundred megabytes."""
    with (root / "app.log").open("w") as out:
        out.write(FOUND)
        for _ in range(20):
            out.write("2031-05-14T08:35:00Z INFO order-service " + "x" * 100 * 1024**2 + "\n")
    _changed(root / "app.log", 20)


FOLDERS = (
    Bad("100,000 files", many_files, complete=True),
    Bad("20 lines of 100 MB", long_lines, complete=False),
    Bad("10 GB of zeros, packed", zeros_packed, complete=False),
    Bad("10 GB of lines, packed", many_lines_packed, complete=False),
)


def search(root: Path, query: str) -> dict[str, object]:
    """`assay tool run query_logs`, over the last two hours."""
    command = [sys.executable, "-m", "handlers", "tool", "run", "query_logs", "--logs", str(root), "--json"]
    command += ["--now", NOW.isoformat(), "--arguments", json.dumps({"query": query, "minutes": 120})]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    found: dict[str, object] = json.loads(done.stdout)
    return found


def faults(bad: Bad, root: Path) -> Sequence[str]:
    missed = []
    for query, total in (("zebra", 1), ("giraffe", 0)):
        started = time.monotonic()
        told = search(root, query)
        seconds = time.monotonic() - started
        megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        coverage = told["coverage"]
        assert isinstance(coverage, dict)
        counts = coverage["counts"]
        row = (bad.name, query, counts["matched"], coverage["complete"], f"{seconds:.0f} s", f"{megabytes} MB")
        print(f"| {' | '.join(map(str, row))} |")
        if counts["matched"] != total or coverage["complete"] is not bad.complete:
            missed.append(f"{bad.name}, {query}: {counts['matched']} found, complete {coverage['complete']}")
        if seconds > MOST_SECONDS or megabytes > MOST_MEGABYTES:
            missed.append(f"{bad.name}, {query}: {seconds:.0f} s, {megabytes} MB")
    return missed


def main() -> int:
    print("| folder | sought | found | complete | time | most memory |\n|---|---|---|---|---|---|")
    missed: list[str] = []
    for bad in FOLDERS:
        with TemporaryDirectory(prefix="bad-logs-") as place:
            bad.make(Path(place))
            missed += faults(bad, Path(place))
    print("\n".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
