"""How far a long command is: a bar on standard error, with its rate and the time left."""

from __future__ import annotations

import sys
import time

from handlers.cli.plain import raw

WIDTH = 30
WINDOW_S = 10.0
"""The rate is that of the last seconds: what an earlier try did does not count."""
SELDOM_S = 10.0
"""Between two lines where standard error is no terminal."""


class ProgressBar:
    """One line, drawn anew on a terminal and now and then elsewhere; nothing of what is done within `quiet_s`."""

    def __init__(self, unit: str = "events", quiet_s: float = 0.0) -> None:
        self._unit = unit
        self._quiet_until = time.monotonic() + quiet_s
        self._samples: list[tuple[float, float]] = []
        self._drawn_at = 0.0
        self._terminal = sys.stderr.isatty()

    def show(self, share: float, total: int) -> None:
        """`share` of so many is done."""
        now = time.monotonic()
        self._samples = [one for one in self._samples if now - one[0] < WINDOW_S] + [(now, share)]
        is_soon = not self._terminal and share < 1 and now - self._drawn_at < SELDOM_S
        if is_soon or now < self._quiet_until:
            return
        self._drawn_at = now
        filled = round(share * WIDTH)
        line = f"{'█' * filled}{'·' * (WIDTH - filled)} {share:6.1%} {self._speed(share, total)}"
        begin, end = ("\r", "") if self._terminal else ("", "\n")
        print(f"{begin}{line}", end=end, file=raw(sys.stderr), flush=True)

    def end(self) -> None:
        if self._terminal and self._drawn_at:
            print(file=sys.stderr)

    def _speed(self, share: float, total: int) -> str:
        (begun, at_first), (now, at_last) = self._samples[0], self._samples[-1]
        if now <= begun or at_last <= at_first:
            return f"of {total:,} {self._unit}"
        rate = (at_last - at_first) / (now - begun)
        return f"of {total:,} {self._unit}, {rate * total:,.0f}/s, {(1 - share) / rate:,.0f} s left  "
