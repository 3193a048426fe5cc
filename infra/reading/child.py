"""One reading process, as its worker sees it."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import orjson

from infra.reading.frames import Kind, TooLong, frame, read_frame
from infra.reading.limits import LimitKind, Limits, ReadingError, ReadingLimit

_PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "LD_LIBRARY_PATH")
"""No key, no address, no setting of Assay: a reading process needs none."""
_MESSAGE_BYTES = 500


@dataclass(slots=True, eq=False)
class Job:
    """A call of `function`, "module:name", and the way to stop it from another thread."""

    function: str
    arguments: tuple[Any, ...]
    wall_seconds: float
    _is_cancelled: bool = False
    _child: Child | None = None
    _lock: Lock = field(default_factory=Lock)

    def begin(self, child: Child) -> bool:
        """Whether it is still wanted."""
        with self._lock:
            self._child = child
            return not self._is_cancelled

    def finish(self) -> bool:
        """Whether its process was left alone."""
        with self._lock:
            self._child = None
            return not self._is_cancelled

    def cancel(self) -> None:
        """End the process that works on it, if one does."""
        with self._lock:
            self._is_cancelled = True
            if self._child is not None:
                self._child.kill()


class Child:
    """Starts the process. Raises OSError where none can be started.

    `own`: it runs code of the operator's own, which gets our environment and speaks on our standard error.
    """

    def __init__(self, limits: Limits, *, own: bool = False) -> None:
        self.jobs = 0
        self._limits = limits
        self._said, said = os.pipe()
        os.set_blocking(said, False)  # what nobody reads may not stop it
        self._channel, theirs = socket.socketpair()
        files = -1 if limits.files is None else limits.files
        started_with = map(str, (os.getpid(), limits.memory_bytes, files))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "infra.reading.process", *started_with],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=None if own else said,
                env=_environment(os.environ if own else _paths()),
                start_new_session=True,  # Ctrl-C is the worker's
            )
        except BaseException:
            self._close()
            raise
        finally:
            theirs.close()
            os.close(said)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def resident_bytes(self) -> int:
        """0 where the system does not tell."""
        try:
            with open(f"/proc/{self._process.pid}/statm") as told:
                return int(told.read().split()[1]) * resource.getpagesize()
        except (OSError, ValueError, IndexError):
            return 0

    def call(self, job: Job) -> Any:
        """The result, or the list of what a generator gave. Raises ReadingError, ReadingLimit; then `end` it."""
        self.jobs += 1
        deadline = time.monotonic() + job.wall_seconds
        request = pickle.dumps((job.function, job.arguments, self._limits.cpu_seconds, self._limits.output_bytes))
        parts: list[Any] = []
        try:
            self._wait_until(deadline)
            self._channel.sendall(frame(Kind.JOB, request))
            return self._result(deadline, parts)
        except TimeoutError:
            raise ReadingLimit(LimitKind.TIME, f"{job.wall_seconds:g} s", parts) from None
        except TooLong:
            raise self._exceeded(LimitKind.OUTPUT, parts) from None
        except (EOFError, OSError, ValueError, LookupError, TypeError):  # it is gone, or what it says makes no sense
            raise self._crash(parts) from None

    def _result(self, deadline: float, parts: list[Any]) -> Any:
        left = self._limits.output_bytes

        def receive(size: int) -> bytes:
            self._wait_until(deadline)
            return self._channel.recv(size)

        while True:
            kind, body = read_frame(receive, left)
            match kind:
                case Kind.PART:
                    left -= len(body)
                    parts.append(orjson.loads(body))
                case Kind.END:
                    return parts or orjson.loads(body)
                case Kind.ERROR:
                    raise ReadingError(**orjson.loads(body))
                case Kind.LIMIT:
                    raise self._exceeded(LimitKind(body.decode()), parts)
                case Kind.JOB:
                    raise ValueError("a process gives no jobs")

    def _wait_until(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._channel.settimeout(left)

    def _exceeded(self, kind: LimitKind, parts: list[Any]) -> ReadingLimit:
        limits = self._limits
        most = {LimitKind.MEMORY: limits.memory_bytes, LimitKind.OUTPUT: limits.output_bytes}[kind]
        return ReadingLimit(kind, f"{most:,} bytes", parts)

    def _crash(self, parts: list[Any]) -> ReadingLimit:
        self.kill()
        match self._process.wait():
            case code if code == -signal.SIGXCPU:
                return ReadingLimit(LimitKind.CPU, f"{self._limits.cpu_seconds} s", parts)
            case code:
                return ReadingLimit(
                    LimitKind.CRASH, f"the process ended with {code} {self._last_words()}".strip(), parts
                )

    def _last_words(self) -> str:
        os.set_blocking(self._said, False)
        try:
            said = os.read(self._said, 1 << 16)
        except BlockingIOError:
            return ""
        return said[-_MESSAGE_BYTES:].decode("utf-8", "replace").strip()

    def kill(self) -> None:
        """With what it has started. From any thread; the call that waits for it ends."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def end(self) -> None:
        self.kill()
        self._process.wait()
        self._close()

    def _close(self) -> None:
        self._channel.close()
        os.close(self._said)


def _environment(passed_on: Mapping[str, str]) -> dict[str, str]:
    path = os.pathsep.join(filter(None, sys.path))
    few = {"MALLOC_ARENA_MAX": "2"}  # each thread's arena reserves 64 MiB of the address space that is limited
    return {**few, **passed_on, "PYTHONPATH": path, "PYTHONNOUSERSITE": "1"}


def _paths() -> dict[str, str]:
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
