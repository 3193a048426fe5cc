"""Asking in a process of its own, as a user without rights: one JSON object in, one out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.long.practical.asking import Answered, ask_all, logs_at
from tests.long.practical.question import Folder, Question

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
"""Root that may read only what it owns and is open to its owner."""


def ask_as(
    prefix: Sequence[str], folder: Folder, root: Path, questions: Sequence[Question], exclude: Sequence[str] = ()
) -> list[Answered]:
    """The answers of a process that begins with `prefix`, () for this user's own rights."""
    wanted = {
        "root": str(root),
        "zone": folder.zone,
        "now": folder.now.isoformat(),
        "exclude": list(exclude),
        "questions": [one.text for one in questions],
    }
    done = _run(prefix, wanted)
    return [Answered(document) for document in done["answers"]]


def closed_to(prefix: Sequence[str], root: Path) -> list[str]:
    """What such a process may not read below a folder, as `find ! -readable` names it."""
    return list(_run(prefix, {"root": str(root)})["closed"])


def _run(prefix: Sequence[str], wanted: dict[str, Any]) -> dict[str, Any]:
    command = [*prefix, sys.executable, "-m", "tests.long.practical.reader"]
    environment = {**os.environ, "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, input=json.dumps(wanted), capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2_000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _closed(root: Path) -> list[str]:
    found = []
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            if not path.is_symlink() and not os.access(path, os.R_OK):
                found.append(str(path.relative_to(root)))
    return sorted(found)


def main() -> None:
    wanted = json.load(sys.stdin)
    root = Path(wanted["root"])
    if "questions" not in wanted:
        print(json.dumps({"closed": _closed(root)}))
        return
    source = logs_at(str(root), wanted["zone"], wanted["exclude"])
    answers = ask_all(wanted["questions"], source, datetime.fromisoformat(wanted["now"]), wanted["zone"])
    print(json.dumps({"answers": [answered.document for answered in answers]}))


if __name__ == "__main__":
    main()
