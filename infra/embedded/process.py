"""What both embedded servers need: ports, private files and waiting."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

from infra.private_files import naming

LOOPBACK = "127.0.0.1"

_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "LD_LIBRARY_PATH")
"""No key, no setting of Assay, and none of PG*, which would change what the programs do (R74)."""


class ServerError(RuntimeError):
    """An embedded server could not be started or stopped; the message says which and why."""


def own_environment() -> dict[str, str]:
    """What a server is given of this process's environment."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}


def free_port(preferred: int | None = None) -> int:
    """A free loopback port: the preferred one if it is, so that clients of a restarted server find it again."""
    for port in (preferred or 0, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise ServerError("no free loopback port")


def write_private(path: Path, text: str) -> None:
    """Replace a file by one that only its owner may read; readers see the old or the new text, never half of one."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with naming(path), os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def last_lines(log: Path, count: int = 5) -> str:
    """The end of a log file, for an error message."""
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-count:])
    except OSError:
        return "no log was written"
