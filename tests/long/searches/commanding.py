"""Asks a case by `assay ask`, as a person does: servers, the offline model, gatekeeper, verdict and answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.long.searches.case import Case
from tests.long.searches.generate import generate
from tests.long.searches.run import written
from tests.long.searches.tally import Answer, Result, result_of

FOUND = ("已证实", "Confirmed")


def _environment(data: Path) -> dict[str, str]:
    """That of a fresh machine: the offline model, and servers of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "OPENAI_"))}
    return kept | {"TZ": "UTC", "ASSAY_DATA_DIR": str(data / "data"), "ASSAY_KEY_DIR": str(data / "keys")}


def answered(case: Case, folder: Path, data: Path) -> Answer:
    """What the command says. Only a PASS confirms something, or says that it was searched for and is not there."""
    flags = ["--json", "--now", case.now.isoformat(), "--logs", str(folder)]
    flags += ["--log-zone", case.log_zone] if case.log_zone else []
    run = subprocess.run(
        [sys.executable, "-m", "handlers", "ask", *flags, case.question],
        capture_output=True,
        text=True,
        check=False,
        env=_environment(data),
    )
    if not run.stdout.strip():
        return Answer((), complete=False, said=f"exit {run.returncode}: {run.stderr[-200:]}")
    told = json.loads(run.stdout)
    text, passed = str(told.get("answer") or ""), told.get("verdict") == "PASS"
    confirms = passed and told.get("headline") in FOUND
    is_quoted = bool(case.marker) and case.marker in text
    return Answer((text,) if confirms or is_quoted else (), complete=passed and not confirms, said=text[:200])


def run_commands(first: int, cases: int) -> Iterator[Result]:
    """So many cases from seed `first` on, one after the other, over one data folder."""
    with tempfile.TemporaryDirectory(prefix="assay") as data:
        os.chmod(data, 0o711)  # as root PostgreSQL is another account
        for seed in range(first, first + cases):
            case = generate(seed)
            with tempfile.TemporaryDirectory(prefix="searches") as folder:
                written(case, Path(folder))
                yield result_of(case, answered(case, Path(folder), Path(data)))
