"""What is known of an input besides its lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

FIRST_CHANGE = datetime(2000, 1, 1, tzinfo=UTC)
"""Files are given dates before this one only by tools that write none: such a last change tells nothing."""

Lines = Iterator[tuple[str, bool]]
"""Physical lines without their end, each with whether it is whole."""


@dataclass(frozen=True, slots=True)
class Context:
    """`zone` is for stamps that name none; `zone_known`: a setting told it. `last_change` is in UTC.

    `again` gives the lines from the beginning once more, where that is possible: only a whole file shows in which year
    its first line without one was written.
    """

    now: datetime
    zone: tzinfo
    zone_known: bool
    last_change: datetime
    file_name: str
    again: Callable[[], Lines] | None = None
