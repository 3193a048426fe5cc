"""`assay` of a newer release: this one with a further version of one event. `python newer_release.py serve`."""

from __future__ import annotations

import sys
from typing import Any

from domain.events import RoundStarted
from handlers.cli import main


def unchanged(_: dict[str, Any]) -> None:
    """The way from version 1."""


if __name__ == "__main__":
    RoundStarted.VERSION = 2
    RoundStarted.upcast_v1_v2 = staticmethod(unchanged)  # type: ignore[attr-defined]
    sys.exit(main(sys.argv[1:]))
