"""A service process that stands still is ended from below, whatever holds it: Python itself may not get to run (R72).

`faulthandler` waits in a thread of its own that needs no lock of the interpreter; it writes where every thread stands
to standard error and ends the process.
"""

from __future__ import annotations

import asyncio
import faulthandler

STANDSTILL_S = 14.0
"""A loop that does nothing for so long is blocked: its process ends, and other workers get its messages."""
STOPPING_S = 12.0
"""What a process may take to stop in order. Whatever still runs then ends with it."""
BEAT_S = 1.0


class Watch:
    """From `begin` on the event loop must come round; from `stopping` on the process must end."""

    def __init__(self) -> None:
        self._beat: asyncio.Task[None] | None = None
        self._is_stopping = False

    def begin(self) -> None:
        if not self._is_stopping:
            self._beat = asyncio.create_task(_beat())

    def stopping(self) -> None:
        if not self._is_stopping:
            self._is_stopping = True
            if self._beat:
                self._beat.cancel()
            faulthandler.dump_traceback_later(STOPPING_S, exit=True)


async def _beat() -> None:
    while True:
        faulthandler.dump_traceback_later(STANDSTILL_S, exit=True)
        await asyncio.sleep(BEAT_S)
