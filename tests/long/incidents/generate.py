"""An incident from a seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tests.long.incidents import kinds_changes, kinds_data, kinds_network, kinds_resources
from tests.long.incidents.alerts import alert_file, alert_of, lasting
from tests.long.incidents.draw import Draw
from tests.long.incidents.incident import Alert, Decisive, Entry, Incident
from tests.long.incidents.layouts import STYLES, Shelf
from tests.long.incidents.names import NAMESPACES, apps, infrastructure, lowered
from tests.long.incidents.noise import Background
from tests.long.incidents.questions import Rare, absent, narrow, planted, rare_lines, why
from tests.long.incidents.runbooks import runbooks
from tests.long.incidents.story import AlertSketch, Happening, Kind, Story, constant_parts, decisive_of, plain

KINDS: tuple[Kind, ...] = (*kinds_changes.KINDS, *kinds_resources.KINDS, *kinds_network.KINDS, *kinds_data.KINDS)
ZONES = ("UTC", "UTC", "Asia/Shanghai", "Asia/Shanghai", "Europe/Berlin", "America/New_York")
MOST_SERVICES = 8


@dataclass(frozen=True, slots=True)
class Cast:
    """Who takes part: `names` of the parts, `roles` of all services, bystanders included."""

    names: Mapping[str, str]
    roles: Mapping[str, str]
    shelves: Mapping[str, Shelf]
    values: Mapping[str, str]

    def said(self, text: str) -> str:
        return text.format_map(self.values)


@dataclass(frozen=True, slots=True)
class Clock:
    first: datetime
    onset: datetime
    now: datetime

    def at(self, minutes: float) -> datetime:
        return self.onset + timedelta(minutes=minutes)


def generate(seed: int, number: int = 0) -> Incident:
    """The incident of this seed and number; kinds take turns, so that twenty in a row show all of them."""
    draw = Draw(f"incident {seed} {number}")
    kinds = Draw(f"kinds {seed}").sample(KINDS, len(KINDS))
    kind = kinds[number % len(kinds)]
    story = kind.tell(draw)
    cast, zone = _cast(draw, kind), draw.of(ZONES)
    clock = _clock(draw, zone)
    alerts = [_alert(draw, cast, clock, sketch) for sketch in story.alerts]
    names, backgrounds = list(cast.roles), {}
    for name, role in cast.roles.items():
        backgrounds[name] = Background(draw, name, role, clock.first, clock.now - timedelta(seconds=2))
    written = [(entry, ()) for one in backgrounds.values() for entry in one.entries()]
    stretched = _stretched(draw, story, clock)
    happened = [(_entry(draw, cast, one, at), one.tail) for one, times in stretched for at in times]
    services = [name for name, role in cast.roles.items() if role == "app"]
    rares = [(rare, draw.of(services)) for rare in draw.sample(rare_lines(draw), draw.randint(1, 3))]
    rare = [(_rare_entry(draw, one, service, clock), ()) for one, service in rares]
    written += [*happened, *rare]
    files, changed, owners = _files(cast, written)
    all_alerts = [*alerts, *lasting(draw, draw.randint(0, 6), clock.onset)]
    told = alert_file(draw, all_alerts, clock.now)
    documents = runbooks(
        draw, draw.of(alerts), [cast.said(one) for one in story.diagnosis], [cast.said(one) for one in story.mitigation]
    )
    everything = "\n".join([*(content.decode() for content in files.values()), told, *documents.values()]).lower()
    asked = draw.of(rares)
    start = clock.onset - timedelta(minutes=draw.randint(0, 3))
    front = next((one for one in alerts if one.service == cast.names["front"]), alerts[0])
    return Incident(
        seed=f"{seed}/{number}",
        kind=kind.name,
        zone=zone,
        onset=clock.onset,
        now=clock.now,
        services=tuple(names),
        files=files,
        changed=changed,
        owners=owners,
        alerts=tuple(all_alerts),
        alert_file=told,
        runbooks=documents,
        decisive=_decisive(cast, story, files, owners),
        causes=tuple(_cause_texts(cast, story)),
        new_texts=tuple(dict.fromkeys(part for one in story.happenings for part in constant_parts(_shown(cast, one)))),
        old_texts=tuple(dict.fromkeys(part for one in backgrounds.values() for part in one.old_texts)),
        planted=tuple(one.text for one, _ in rares),
        questions=(
            narrow(draw, draw.of(alerts)),
            why(draw, cast.names["front"], front, story.asks, f"{start:%H:%M}"),
            absent(draw, services, everything),
            planted(draw, *asked),
        ),
        entries=tuple(entry for entry, _ in sorted(written, key=lambda one: one[0].time)),
    )


def _cast(draw: Draw, kind: Kind) -> Cast:
    """The parts of the story and bystanders, three to eight services in all."""
    wanted = [part for part, role in kind.parts.items() if role == "app"]
    total = draw.randint(max(3, len(kind.parts)), MOST_SERVICES)
    drawn = apps(draw, len(wanted) + total - len(kind.parts))
    names = dict(zip(wanted, drawn, strict=False))
    names |= {part: infrastructure(draw, role) for part, role in kind.parts.items() if role != "app"}
    roles = {names[part]: role for part, role in kind.parts.items()}
    roles |= dict.fromkeys(drawn[len(wanted) :], "app")
    style, namespace, host = draw.of(STYLES), draw.of(NAMESPACES), infrastructure(draw, "node")
    host = names.get("node", host)
    shelves = {name: Shelf(draw, name, role, style, host, namespace) for name, role in roles.items()}
    values = {**names, "ns": namespace, "ip": draw.ip(), "node": host}
    for part in wanted:
        values |= {f"pod_{part}": shelves[names[part]].pods[0], f"pod_{part}_base": lowered(names[part])}
    return Cast(names, roles, shelves, values)


def _clock(draw: Draw, zone: str) -> Clock:
    day = datetime(2026, 1, 5, tzinfo=ZoneInfo(zone)) + timedelta(days=draw.randint(0, 200))
    onset = day + timedelta(hours=draw.randint(7, 22), minutes=draw.randint(0, 59), seconds=draw.randint(0, 59))
    now = onset + timedelta(minutes=draw.uniform(16, 50))
    return Clock(onset - timedelta(hours=draw.uniform(2.5, 6)), onset, now.replace(microsecond=0))


def _alert(draw: Draw, cast: Cast, clock: Clock, sketch: AlertSketch) -> Alert:
    name = cast.names[sketch.who]
    value = sketch.value
    said = AlertSketch(
        sketch.name,
        name,
        sketch.severity,
        sketch.summary.format_map({**cast.values, "v": f"{value:g}"}),
        sketch.description.format_map({**cast.values, "v": f"{value:g}"}),
        value,
    )
    since = clock.at(draw.uniform(1, 8))
    return alert_of(draw, said, name, cast.roles[name], str(cast.values["ns"]), cast.shelves[name].pods[0], since)


def _stretched(draw: Draw, story: Story, clock: Clock) -> list[tuple[Happening, list[datetime]]]:
    """When each line is written: what follows the onset lasts till now, what stands before it may be a while before."""
    span = (clock.now - clock.onset).total_seconds() / 60 - 0.3
    last = max(one.until or one.at for one in story.happenings)
    later, earlier = span / last, draw.uniform(1, 2)
    found = []
    for one in story.happenings:
        start = one.at * (earlier if one.at < 0 else later)
        end = (one.until if one.until is not None else one.at) * later if one.until is not None else start
        times = sorted(draw.uniform(start, end) for _ in range(one.count - 1))
        found.append((one, [clock.at(minutes) for minutes in (start, *times)]))
    return found


def _entry(draw: Draw, cast: Cast, one: Happening, at: datetime) -> Entry:
    return Entry(
        at, cast.names[one.who], one.level, draw.filled(plain(cast.said(one.text))), noise=False, origin=one.text
    )


def _rare_entry(draw: Draw, rare: Rare, service: str, clock: Clock) -> Entry:
    at = clock.now - timedelta(minutes=draw.uniform(3, 50))
    return Entry(at, service, rare.level, rare.text, noise=False, origin=rare.text)


def _shown(cast: Cast, one: Happening) -> str:
    """The text as readers show it: of what is decisive, that alone."""
    said = cast.said(one.text)
    found = decisive_of(said)
    return found[1] if found else said


def _cause_texts(cast: Cast, story: Story) -> list[str]:
    found = [decisive_of(cast.said(one.text)) for one in story.happenings if one.cause]
    return [one[0] for one in found if one]


def _files(
    cast: Cast, written: list[tuple[Entry, tuple[str, ...]]]
) -> tuple[dict[str, bytes], dict[str, datetime], dict[str, str]]:
    lines: dict[str, list[str]] = defaultdict(list)
    changed, owners = {}, {}
    for entry, tail in sorted(written, key=lambda one: one[0].time):
        shelf = cast.shelves[entry.service]
        path = shelf.file_of(entry)
        lines[path].append(shelf.text_of(entry, tail))
        changed[path], owners[path] = entry.time, entry.service
    return {path: ("\n".join(rows) + "\n").encode() for path, rows in lines.items()}, changed, owners


def _decisive(cast: Cast, story: Story, files: Mapping[str, bytes], owners: Mapping[str, str]) -> tuple[Decisive, ...]:
    found = []
    for one in story.happenings:
        parts = decisive_of(cast.said(one.text))
        if parts is None:
            continue
        service = cast.names[one.who]
        rows = [
            row for path, content in files.items() if owners[path] == service for row in content.decode().splitlines()
        ]
        longest = max((len(row) for row in rows if parts[1] in row or _escaped(parts[1]) in row), default=0)
        found.append(Decisive(_part(one), service, cast.roles[service], parts[0], parts[1], longest))
    return tuple(found)


def _part(one: Happening) -> str:
    """What stands before the onset is a change, or what came first."""
    if one.at < 0:
        return "change"
    return "symptom" if one.who == "front" else "neighbour"


def _escaped(text: str) -> str:
    """As it stands within a string of JSON or logfmt."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
