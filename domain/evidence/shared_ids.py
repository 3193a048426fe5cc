"""The same request, pod or address in entries of several services that tell of trouble (R90)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from domain.evidence.input_survey import IdTally
from domain.evidence.window import utc_text

MOST_SERVICES = 10  # named of one id
_LATEST = datetime.max.replace(tzinfo=UTC)


def shared_ids(tallies: Iterable[tuple[str, IdTally]]) -> list[dict[str, Any]]:
    """The items of ids that several services name; those that most do first."""
    by_id: dict[str, dict[str, IdTally]] = defaultdict(dict)
    for service, tally in tallies:
        known = by_id[tally.id].get(service)
        by_id[tally.id][service] = _together(known, tally) if known else tally
    shared = [(name, services) for name, services in by_id.items() if len(services) > 1]
    shared.sort(key=lambda one: (-len(one[1]), -sum(tally.count for tally in one[1].values()), one[0]))
    return [_id_item(name, services) for name, services in shared]


def _together(one: IdTally, other: IdTally) -> IdTally:
    firsts = [time for time in (one.first, other.first) if time]
    lasts = [time for time in (one.last, other.last) if time]
    return IdTally(
        one.id, one.service, one.count + other.count, min(firsts, default=None), max(lasts, default=None), one.example
    )


def _id_item(name: str, services: Mapping[str, IdTally]) -> dict[str, Any]:
    first = min(services.values(), key=lambda one: one.first or _LATEST)
    lasts = [one.last for one in services.values() if one.last]
    return known_fields(
        kind="shared id",
        id=name,
        services=list(services)[:MOST_SERVICES],
        count=sum(one.count for one in services.values()),
        first=utc_text(first.first) if first.first else "",
        last=utc_text(max(lasts)) if lasts else "",
        example=first.example,
    )


def known_fields(**fields: Any) -> dict[str, Any]:
    """The fields of an item without those that are not known."""
    return {name: value for name, value in fields.items() if value not in ("", None)}
