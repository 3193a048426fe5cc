"""How long a reaction may stand still: a step that records nothing for so long is given up (R72)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass

STEP_S = 300.0
"""Longer than one model call or tool call may take, with the pause that a server asked for."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """That of the reaction under way, moved by each step that is recorded."""

    limit: asyncio.Timeout
    seconds: float

    @property
    def is_over(self) -> bool:
        until = self.limit.when()
        return until is not None and asyncio.get_running_loop().time() > until

    def move(self) -> None:
        if not self.limit.expired():
            self.limit.reschedule(asyncio.get_running_loop().time() + self.seconds)


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@asynccontextmanager
async def deadline(seconds: float) -> AsyncIterator[Deadline]:
    """Cancels the block, and raises TimeoutError, once no step came of it for so long."""
    async with asyncio.timeout(seconds) as limit:
        current = Deadline(limit, seconds)
        token = _current.set(current)
        try:
            yield current
        finally:
            _current.reset(token)


def moved() -> None:
    """A step of the reaction under way was recorded."""
    if current := _current.get():
        current.move()
