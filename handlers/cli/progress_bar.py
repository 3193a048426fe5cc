"""How far a long command is: a bar on standard error, with its rate and the time left."""

from __future__ import annotations

import sys
import time

WIDTH = 30
WINDOW_S = 10.0
"""The rate is that of the last seconds: what an earlier try did does not count."""
SELDOM_S = 10.0
"""Between two lines where standard error is no terminal."""


class ProgressBar:
    """One line, drawn anew on a terminal and now and then elsewhere."""

    def __init__(self) -> None:
        self._samples: list[tuple[float, float]] = []
        self._drawn_at = 0.0
        self._terminal = sys.stderr.isatty()

    def show(self, share: float, events: int) -> None:
        """`share` of so many events is done."""
        now = time.monotonic()
        self._samples = [one for one in self._samples if now - one[0] < WINDOW_S] + [(now, share)]
        if not self._terminal and share < 1 and now - self._drawn_at < SELDOM_S:
            return
        self._drawn_at = now
        filled = round(share * WIDTH)
        line = f"{'█' * filled}{'·' * (WIDTH - filled)} {share:6.1%} {self._speed(share, events)}"
        print(f"\r{line}" if self._terminal else line, end="" if self._terminal else "\n", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._terminal and self._samples:
            print(file=sys.stderr)

    def _speed(self, share: float, events: int) -> str:
        (begun, at_first), (now, at_last) = self._samples[0], self._samples[-1]
        if now <= begun or at_last <= at_first:
            return f"of {events:,} events"
        rate = (at_last - at_first) / (now - begun)
        return f"of {events:,} events, {rate * events:,.0f}/s, {(1 - share) / rate:,.0f} s left  "
