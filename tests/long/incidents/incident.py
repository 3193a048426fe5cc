"""What an incident is made of, and what of it an answer is judged by."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

Kind = Literal["narrow", "why", "absent", "planted"]
Lang = Literal["zh", "en"]

LONG = 160
"""A line of more characters may be quoted by its telling part alone."""


@dataclass(frozen=True, slots=True)
class Decisive:
    """A text that a good engineer would quote. `telling`: the part that stands for it where the line is long. `part`:
    symptom, neighbour or change; `role`: of the service, such as app or postgres."""

    part: str
    service: str
    role: str
    text: str
    telling: str
    line_length: int


@dataclass(frozen=True, slots=True)
class Question:
    """`service`: the one it names, or none. `shows`: what the answer must hold, each of them, for it to be found."""

    kind: Kind
    lang: Lang
    text: str
    service: str = ""
    shows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alert:
    name: str
    service: str
    severity: str
    summary: str
    description: str
    since: datetime
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a log, as generated. `noise`: it goes on as it did for hours. `origin`: the place in the code that
    writes it, which is the same for all lines of it."""

    time: datetime
    service: str
    level: str
    message: str
    noise: bool
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Incident:
    """`causes`: texts of lines that state a cause in words; `traced`: those of stack traces. `new_texts`: constant
    parts of what only the incident wrote; `old_texts`: of what was complained of hours before as well.
    `guide`: the name of the document that is about it."""

    seed: str
    kind: str
    zone: str
    onset: datetime
    now: datetime
    services: tuple[str, ...]
    files: Mapping[str, bytes]
    changed: Mapping[str, datetime]
    owners: Mapping[str, str]
    alerts: tuple[Alert, ...]
    alert_file: str
    runbooks: Mapping[str, str]
    guide: str
    decisive: tuple[Decisive, ...]
    causes: tuple[str, ...]
    traced: tuple[str, ...]
    new_texts: tuple[str, ...]
    old_texts: tuple[str, ...]
    planted: tuple[str, ...]
    questions: tuple[Question, ...]
    entries: tuple[Entry, ...] = field(repr=False)

    def write(self, root: Path) -> tuple[Path, Path, Path]:
        """Logs, alerts and runbooks below `root`; their three places."""
        logs, alerts, knowledge = root / "logs", root / "alerts.json", root / "runbooks"
        for path, content in self.files.items():
            file = logs / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            at = self.changed[path].timestamp()
            os.utime(file, (at, at))
        alerts.write_text(self.alert_file)
        knowledge.mkdir(parents=True, exist_ok=True)
        for name, text in self.runbooks.items():
            (knowledge / name).write_text(text)
        return logs, alerts, knowledge

    @property
    def guide_title(self) -> str:
        return self.runbooks[self.guide].splitlines()[0].lstrip("# ")

    @property
    def guide_commands(self) -> list[str]:
        blocks = self.runbooks[self.guide].split("```")[1::2]
        return [row for block in blocks for row in block.strip().splitlines()]
