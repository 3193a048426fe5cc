"""What no product is needed for: the worst lines of the named service, as the answer."""

from __future__ import annotations

from datetime import timedelta

from tests.long.incidents.asking import Reply
from tests.long.incidents.incident import Incident, Question

LINES = 8
WINDOW = timedelta(minutes=60)
WORST_FIRST = ("FATAL", "ERROR", "WARN", "INFO", "DEBUG")


def baseline(incident: Incident, question: Question) -> Reply:
    """The eight of the worst level in the last hour, the newest first; of all services where none is named."""
    heard = [
        entry
        for entry in incident.entries
        if incident.now - WINDOW <= entry.time <= incident.now and question.service in ("", entry.service)
    ]
    heard.sort(key=lambda entry: (WORST_FIRST.index(entry.level), incident.now - entry.time))
    return Reply("\n".join(f"- {entry.message}" for entry in heard[:LINES]), None, None)
