"""The answer of a query for values over all its sources: the items, and the coverage (R69, R71, R84)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.evidence.coverage import (
    Coverage,
    Doubt,
    DoubtKind,
    Excluded,
    InputRead,
    Sought,
    Unread,
    coverage_of,
)
from domain.language.services import nearest

INSTANT, RANGE = "instant query", "range query"
QUERIES = frozenset({INSTANT, RANGE})
"""The formats of inputs that are asked for values."""
_EXAMPLE = 200  # characters


@dataclass(frozen=True, slots=True)
class ValueSource:
    """The values of one source. `series`: how many it gave; `items`: those of the service asked for; `points`: theirs
    over a window, as the source wrote them; `excluded`: how many are of another service; `doubtful`: labels of those
    that may be of it. `warnings`: what it says of its own answer."""

    place: str
    format: str
    series: int
    items: Sequence[Mapping[str, Any]]
    points: Sequence[Mapping[str, Any]] = ()
    excluded: int = 0
    doubtful: Sequence[str] = ()
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ValueAnswer:
    """`items` and `points`: at most as many as asked for; `total` counts all."""

    items: tuple[Mapping[str, Any], ...]
    points: tuple[Mapping[str, Any], ...]
    total: int
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Listing:
    """The names of all metrics of a source."""

    place: str
    names: Sequence[str]


def answer_of_values(
    sources: Sequence[ValueSource],
    unread: Sequence[Unread],
    listings: Sequence[Listing],
    *,
    expr: str,
    metrics: Sequence[str],
    service: str,
    window: str,
    limit: int,
    named: bool,
) -> ValueAnswer:
    """`metrics`: the names in the expression. `named`: each item says which source it is of."""
    rows = [
        (item | {"source": one.place} if named else item, one.points[at] if one.points else None)
        for one in sources
        for at, item in enumerate(map(dict, one.items))
    ]
    shown = rows[:limit]
    coverage = coverage_of(
        window=window,
        sought=Sought(services=(service,) if service else (), words=(expr,) if expr else ()),
        inputs=[InputRead(name=one.place, format=one.format, entries=one.series) for one in sources],
        unread=unread,
        excluded=[Excluded(by="service", count=sum(one.excluded for one in sources))],
        doubts=[*_doubts(sources), *_unknown(metrics, listings)],
        entries=sum(one.series for one in sources),
        matched=len(rows),
        returned=len(shown),
    )
    points = tuple(points for _, points in shown if points is not None)
    return ValueAnswer(tuple(item for item, _ in shown), points, len(rows), coverage)


def _doubts(sources: Sequence[ValueSource]) -> list[Doubt]:
    found = []
    for one in sources:
        if one.doubtful:
            example = one.doubtful[0][:_EXAMPLE]
            found.append(Doubt(kind=DoubtKind.SERVICE, count=len(one.doubtful), example=example, input=one.place))
        if one.warnings:
            example = one.warnings[0][:_EXAMPLE]
            found.append(Doubt(kind=DoubtKind.PARTIAL, count=len(one.warnings), example=example, input=one.place))
    return found


def _unknown(metrics: Sequence[str], listings: Sequence[Listing]) -> list[Doubt]:
    """A metric that no server has ever heard of is unknown there, and has no value that is missing (R71)."""
    known = {name for listing in listings for name in listing.names}
    return [
        Doubt(
            kind=DoubtKind.SERVICE,
            count=1,
            input=listings[0].place,
            unknown=metric,
            nearest=nearest(metric, known),
        )
        for metric in metrics
        if listings and metric not in known
    ]
