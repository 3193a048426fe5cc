"""The answer of a search for alerts over all its sources: the worst first, and the coverage (R69 to R71)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.evidence.alert_search import AlertsAsked, AlertView, service_names
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
from domain.language.services import Kinship, is_generic, kinship, nearest

SILENCE_FIELDS = ("silenced_by", "silenced_until", "silence_comment", "inhibited_by", "status")
"""What an Alertmanager knows of an alert, as fields of its row."""
_DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert as it is read, and as it is handed on."""

    view: AlertView
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RuleView:
    """A rule that a source has. `fault`: why it cannot tell whether it fires, "" if it can."""

    name: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class AlertSource:
    """What one source holds. `rules` None: it cannot list which alerts there could be, or was not asked.

    `warnings`: what it says of its own answer. `services`: what the labels of its series call services, where that was
    asked. `tells_who`: an Alertmanager, which knows who silenced an alert.
    """

    place: str
    asked: AlertsAsked
    alerts: Sequence[Alert]
    rules: Sequence[RuleView] | None = None
    warnings: Sequence[str] = ()
    services: Sequence[str] = ()
    tells_who: bool = False


@dataclass(frozen=True, slots=True)
class AlertAnswer:
    """`rows`: the worst, at most as many as asked for; `total` counts all that match, `states` those of each state."""

    rows: tuple[Mapping[str, Any], ...]
    total: int
    coverage: Coverage
    states: Mapping[str, int]


def answer_of_alerts(
    sources: Sequence[AlertSource], unread: Sequence[Unread], *, window: str, limit: int, named: bool
) -> AlertAnswer:
    """`sources`: at least one, all asked for the same. `named`: each row says which source it is of."""
    found: list[_Found] = []
    excluded: Counter[str] = Counter()
    doubtful: list[tuple[Alert, str]] = []
    for source in sources:
        for alert in source.alerts:
            objection = source.asked.objection(alert.view)
            if objection is None:
                found.append(_Found(alert.view, {**alert.row, "source": source.place} if named else alert.row, source))
            elif isinstance(objection, DoubtKind):
                doubtful.append((alert, source.place))
            else:
                excluded[objection] += 1
    found, doubles = _joined(found)
    excluded[_DUPLICATE] += doubles
    found.sort(key=lambda one: one.view.sorted_by())
    rows = tuple(one.row for one in found[:limit])
    asked = sources[0].asked
    coverage = coverage_of(
        window=window,
        sought=Sought(services=tuple(filter(None, (asked.service,))), words=tuple(filter(None, (asked.name,)))),
        inputs=_inputs(sources),
        unread=unread,
        excluded=[Excluded(by=by, count=count) for by, count in sorted(excluded.items())],
        doubts=[
            *_of_another_name(doubtful),
            *_unknown_name(asked, sources),
            *(() if found else _unknown_service(asked, sources)),
            *_of_the_sources(asked, sources),
        ],
        entries=sum(one.entries for one in _inputs(sources)),
        matched=len(found),
        returned=len(rows),
    )
    return AlertAnswer(rows, len(found), coverage, Counter(one.view.state for one in found))


@dataclass(frozen=True, slots=True)
class _Found:
    view: AlertView
    row: Mapping[str, Any]
    source: AlertSource


def _inputs(sources: Sequence[AlertSource]) -> list[InputRead]:
    read = [InputRead(name=one.place, format="alerts", entries=len(one.alerts)) for one in sources]
    ruled = [one for one in sources if one.rules is not None]
    return read + [InputRead(name=f"{one.place} rules", format="rules", entries=len(one.rules or ())) for one in ruled]


def _joined(found: Sequence[_Found]) -> tuple[list[_Found], int]:
    """An alert that a Prometheus and an Alertmanager both have is one: it fires, and may be silenced (R84)."""
    told: dict[str, list[_Found]] = {}
    for one in found:
        if one.source.tells_who:
            told.setdefault(one.view.name, []).append(one)
    joined: list[_Found] = []
    used: set[int] = set()
    for one in found:
        if not one.source.tells_who:
            same = [other for other in told.get(one.view.name, ()) if _is_same(one.view, other.view)]
            used |= set(map(id, same))
            joined.append(replace(one, row=_with_silence(one.row, same[0].row)) if same else one)
    return [*joined, *(one for one in found if one.source.tells_who and id(one) not in used)], len(used)


def _is_same(alert: AlertView, told: AlertView) -> bool:
    """A Prometheus adds labels of its own to what it sends (external labels)."""
    return alert.state != "pending" and alert.labels.items() <= told.labels.items()


def _with_silence(row: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    sources = [one["source"] for one in (row, told) if "source" in one]
    said = {key: told[key] for key in SILENCE_FIELDS if key in told}
    return {**row, **said, **({"source": ", ".join(sources)} if sources else {})}


# ---------------------------------------------------------------- doubts


def _of_another_name(doubtful: Sequence[tuple[Alert, str]]) -> Iterator[Doubt]:
    """Alerts that may be of the service: of a name like it, or named in their text alone."""
    if doubtful:
        alert, place = doubtful[0]
        yield Doubt(kind=DoubtKind.SERVICE, count=len(doubtful), example=alert.view.name, input=place)


def _unknown_name(asked: AlertsAsked, sources: Sequence[AlertSource]) -> Iterator[Doubt]:
    """A name that no rule has is unknown there; where none can be listed, a name like it is a doubt (R71)."""
    if not asked.name:
        return
    present = {alert.view.name for source in sources for alert in source.alerts}
    listed = [rule.name for source in sources for rule in source.rules or ()]
    if any(map(asked.is_named, (*present, *listed))):
        return
    near = nearest(asked.name, (*present, *listed))
    ruled = [source for source in sources if source.rules is not None]
    if ruled or near:
        yield Doubt(
            kind=DoubtKind.SERVICE,
            count=1 if ruled else len(near),
            example="" if ruled else near[0],
            input=(ruled or sources)[0].place,
            unknown=asked.name if ruled else "",
            nearest=near,
        )


def _unknown_service(asked: AlertsAsked, sources: Sequence[AlertSource]) -> Iterator[Doubt]:
    """Where no label is of the service but one is of a name like it, the service may be misspelt (R71)."""
    if not asked.service:
        return
    named = {name for one in sources for alert in one.alerts for name in service_names(alert.view.labels)}
    known = {*named, *(name for one in sources for name in one.services)}
    if any(kinship(name, asked.service) is not Kinship.OTHER and not is_generic(name) for name in known):
        return
    if near := nearest(asked.service, known):
        yield Doubt(kind=DoubtKind.SERVICE, count=1, unknown=asked.service, nearest=near, input=sources[0].place)


def _of_the_sources(asked: AlertsAsked, sources: Sequence[AlertSource]) -> Iterator[Doubt]:
    """Rules that could not be evaluated prove nothing, nor does an answer that says it is not whole."""
    for source in sources:
        faulty = [r for r in source.rules or () if r.fault and (not asked.name or asked.is_named(r.name))]
        if faulty:
            example = f"{faulty[0].name}: {faulty[0].fault}"
            yield Doubt(kind=DoubtKind.PARTIAL, count=len(faulty), example=example[:200], input=source.place)
        if source.warnings:
            said = source.warnings[0][:200]
            yield Doubt(kind=DoubtKind.PARTIAL, count=len(source.warnings), example=said, input=source.place)
