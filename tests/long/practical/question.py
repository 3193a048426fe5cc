"""A question of an on-call engineer, and what is planted for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.long.practical.tree import Tree


@dataclass(frozen=True, slots=True)
class Question:
    """`plant` None: what is asked for stands nowhere in the folder. `shows`: words of the planted line, all of which
    the answer must hold for it to be found."""

    text: str
    shows: tuple[str, ...] = ()
    plant: Callable[[Any], None] | None = None

    @property
    def is_planted(self) -> bool:
        return self.plant is not None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with its questions. `zone`: of its stamps that name none, told by --log-zone."""

    name: str
    now: datetime
    zone: str
    questions: tuple[Question, ...]
    build: Callable[[], Tree]

    def write(self, root: Path, *, as_others_see: bool = False, keeps_owners: bool = False) -> None:
        self.build().write(root, as_others_see=as_others_see, keeps_owners=keeps_owners)


def absent(*texts: str) -> tuple[Question, ...]:
    return tuple(Question(text) for text in texts)
