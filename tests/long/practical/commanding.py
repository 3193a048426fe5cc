"""The same questions by `assay ask` on one running `assay serve`, and whether the answers are the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.long.practical.asking import Answered
from tests.long.practical.judging import Outcome, outcome_of
from tests.long.practical.question import Folder, Question

PATIENCE_S = 180
ASSAY = (sys.executable, "-m", "handlers")


@contextmanager
def serving() -> Iterator[Mapping[str, str]]:
    """The environment of commands that share one `assay serve` on a data folder of its own."""
    with TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as data:
        os.chmod(data, 0o711)  # as root PostgreSQL is another account
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "OPENAI_"))}
        environment = kept | {"ASSAY_DATA_DIR": f"{data}/data", "ASSAY_KEY_DIR": f"{data}/keys"}
        said = Path(data, "serve.log")
        with said.open("w") as log:
            serve = subprocess.Popen([*ASSAY, "serve"], env=environment, stderr=log)
        try:
            deadline = time.monotonic() + PATIENCE_S
            while "working" not in said.read_text():
                if serve.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"assay serve does not work: {said.read_text()[-2_000:]}")
                time.sleep(0.1)
            yield environment
        finally:
            serve.terminate()
            serve.wait(PATIENCE_S)


def ask(
    environment: Mapping[str, str], folder: Folder, root: Path, question: Question, exclude: Sequence[str] = ()
) -> Answered:
    """Raises RuntimeError where the command fails."""
    flags = [flag for glob in exclude for flag in ("--exclude", glob)]
    flags += ["--logs", str(root), "--log-zone", folder.zone, "--now", folder.now.isoformat(), "--json"]
    done = subprocess.run(
        [*ASSAY, "ask", question.text, *flags],
        env=dict(environment) | {"ASSAY_ZONE": folder.zone},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"assay ask failed: {done.stderr[-2_000:]}")
    return Answered(json.loads(done.stdout))


def outcomes(folder: Folder, root: Path, questions: Sequence[Question]) -> list[Outcome]:
    with serving() as environment:
        return [outcome_of(one, ask(environment, folder, root, one)) for one in questions]
