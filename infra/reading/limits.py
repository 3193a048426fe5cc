"""What a job may cost, and what is said when it costs more."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class LimitKind(StrEnum):
    """What was exceeded; `crash`: the process ended by itself."""

    MEMORY = "memory"
    CPU = "cpu"
    TIME = "time"
    OUTPUT = "output"
    CRASH = "crash"


@dataclass(frozen=True, slots=True)
class Limits:
    """`memory_bytes` is of the whole process, the interpreter's own part included; the others are of each job."""

    memory_bytes: int = 1024**3
    cpu_seconds: int = 60
    wall_seconds: float = 60.0
    output_bytes: int = 32 * 1024**2
    files: int | None = 1024**2  # bytes of a file that may be written; bytecode that Python keeps is smaller


class ReadingLimit(Exception):
    """A job met a limit and its process was ended; `parts`: what its generator had given before."""

    def __init__(self, kind: LimitKind, message: str, parts: list[Any]) -> None:
        super().__init__(f"reading ended at its limit of {kind}: {message}" if message else f"limit of {kind}")
        self.kind = kind
        self.parts = parts


class ReadingError(Exception):
    """The function of a job raised; `kind` is the name of its exception."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
