"""Saying that somebody waits for a newer release (R89): once for each kind of event, for it may be every session's."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from infra.event_log.errors import NewerEvent

LOGGER = "assay.newer"
"""Its warnings are shown whatever the level of the log: nothing is wrong, but nothing moves either."""

log = logging.getLogger(LOGGER)


@dataclass(frozen=True, slots=True)
class Told:
    """What one reader of the log has said so far."""

    _shapes: set[str] = field(default_factory=set)

    def say(self, who: str, newer: NewerEvent) -> None:
        log.log(logging.INFO if newer.shape in self._shapes else logging.WARNING, "%s waits: %s", who, newer)
        self._shapes.add(newer.shape)
