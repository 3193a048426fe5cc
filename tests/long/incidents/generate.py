"""An incident from a seed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tests.long.incidents import kinds_changes, kinds_data, kinds_network, kinds_resources
from tests.long.incidents.alerts import alert_file, alert_of, lasting
from tests.long.incidents.casting import Cast, Clock, cast_of, clock_of
from tests.long.incidents.draw import Draw
from tests.long.incidents.incident import Alert, Entry, Incident, Question
from tests.long.incidents.noise import Background, old_change, refused_at_the_edge
from tests.long.incidents.questions import absent, narrow, planted, why
from tests.long.incidents.rare import WRITERS, Rare, rare_line
from tests.long.incidents.runbooks import runbooks
from tests.long.incidents.story import AlertSketch, Happening, Kind, Story, constant_parts, decisive_of, plain
from tests.long.incidents.writing import Files, cause_texts, decisive_texts, files_of, traced_texts

KINDS: tuple[Kind, ...] = (*kinds_changes.KINDS, *kinds_resources.KINDS, *kinds_network.KINDS, *kinds_data.KINDS)
ZONES = ("UTC", "UTC", "Asia/Shanghai", "Asia/Shanghai", "Europe/Berlin", "America/New_York")


def generate(seed: int, number: int = 0) -> Incident:
    """The incident of this seed and number; kinds take turns, so that twenty in a row show all of them."""
    draw, kind = Draw(f"incident {seed} {number}"), _kind(seed, number)
    story, zone = kind.tell(draw), draw.of(ZONES)
    cast, clock = cast_of(draw, kind), clock_of(draw, zone)
    backgrounds = _backgrounds(draw, cast, clock)
    rares = _rares(draw, cast)
    written = [
        *((entry, ()) for one in backgrounds for entry in one.entries()),
        *((_entry(draw, cast, one, at), one.tail) for one, times in _stretched(draw, story, clock) for at in times),
        *((_rare_entry(draw, rare, service, clock), ()) for rare, service in rares),
        *((entry, ()) for entry in refused_at_the_edge(draw, cast.of_role("edge"), clock.onset, clock.now)),
        *((entry, ()) for entry in old_change(draw, cast.bystanders, clock.first, clock.onset)),
    ]
    files = files_of(cast, written, clock.onset - timedelta(minutes=draw.uniform(1, 90)))
    own = [_alert(draw, cast, clock, sketch) for sketch in story.alerts]
    alerts = [*own, *lasting(draw, draw.randint(0, 6), clock.onset)]
    decisive, guided = decisive_texts(cast, story, files), draw.of(own)
    causes = cause_texts(cast, story)
    errors = [one.telling for one in decisive if one.part == "neighbour" and one.text not in causes]
    guide, documents = runbooks(draw, guided, errors, *([cast.said(one) for one in some] for some in _commands(story)))
    bare = Incident(
        seed=f"{seed}/{number}",
        kind=kind.name,
        zone=zone,
        onset=clock.onset,
        now=clock.now,
        services=tuple(cast.roles),
        files=files.contents,
        changed=files.changed,
        owners=files.owners,
        alerts=tuple(alerts),
        alert_file=alert_file(draw, alerts, clock.now, guided.name if draw.chance(0.5) else ""),
        runbooks=documents,
        guide=guide,
        decisive=decisive,
        causes=causes,
        traced=traced_texts(story),
        new_texts=tuple(dict.fromkeys(part for one in story.happenings for part in constant_parts(_shown(cast, one)))),
        old_texts=tuple(dict.fromkeys(part for one in backgrounds for part in one.old_texts)),
        planted=tuple(one.text for one, _ in rares),
        questions=(),
        entries=tuple(entry for entry, _ in sorted(written, key=lambda one: one[0].time)),
    )
    return replace(bare, questions=_questions(draw, bare, cast, story, own, rares, files))


def _kind(seed: int, number: int) -> Kind:
    kinds = Draw(f"kinds {seed}").sample(KINDS, len(KINDS))
    return kinds[number % len(kinds)]


def _backgrounds(draw: Draw, cast: Cast, clock: Clock) -> list[Background]:
    last = clock.now - timedelta(seconds=2)
    return [Background(draw, name, role, clock.first, last) for name, role in cast.roles.items()]


def _rares(draw: Draw, cast: Cast) -> list[tuple[Rare, str]]:
    """One to three lines, each in a service of its own choice."""
    taken: set[str] = set()
    found = []
    for _ in range(draw.randint(1, 3)):
        others = cast.of_role(*(role for role in WRITERS if role != "app")) if draw.chance(0.25) else []
        service = draw.of(others or cast.of_role("app"))
        if cast.roles[service] == "app" or not taken:
            found.append((rare_line(draw, cast.roles[service], taken), service))
    return found


def _questions(
    draw: Draw,
    incident: Incident,
    cast: Cast,
    story: Story,
    own: list[Alert],
    rares: list[tuple[Rare, str]],
    files: Files,
) -> tuple[Question, ...]:
    asked = cast.names["front"] if draw.chance(0.75) else cast.names["mid"]
    alert = next((one for one in own if one.service == asked), own[0])
    clock = incident.onset - timedelta(minutes=draw.randint(0, 3))
    everything = "\n".join([*map(files.text, files.contents), incident.alert_file, *incident.runbooks.values()]).lower()
    elsewhere = next(one.telling for one in incident.decisive if one.part != "change" and '"' not in one.telling)
    return (
        narrow(draw, draw.of(own)),
        why(draw, asked, alert, story.asks, f"{clock:%H:%M}"),
        absent(draw, cast.of_role("app"), cast.bystanders, everything, elsewhere),
        planted(draw, *draw.of(rares)),
    )


def _commands(story: Story) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return story.diagnosis, story.mitigation


def _alert(draw: Draw, cast: Cast, clock: Clock, sketch: AlertSketch) -> Alert:
    """Firing since some minutes after the onset."""
    name, values = cast.names[sketch.who], {**cast.values, "v": f"{sketch.value:g}"}
    texts = sketch.summary.format_map(values), sketch.description.format_map(values)
    said = AlertSketch(sketch.name, name, sketch.severity, *texts, sketch.value)
    since = clock.at(draw.uniform(1, 8))
    return alert_of(draw, said, name, cast.roles[name], cast.values["ns"], cast.shelves[name].pods[0], since)


def _stretched(draw: Draw, story: Story, clock: Clock) -> list[tuple[Happening, list[datetime]]]:
    """When each line is written: what follows the onset lasts till now, what stands before it may be a while before."""
    span = (clock.now - clock.onset).total_seconds() / 60 - 0.3
    later = span / max(one.until or one.at for one in story.happenings)
    earlier = draw.uniform(1, 2)
    found = []
    for one in story.happenings:
        start = one.at * (earlier if one.at < 0 else later)
        end = start if one.until is None else one.until * later
        times = sorted(draw.uniform(start, end) for _ in range(one.count - 1))
        found.append((one, [clock.at(minutes) for minutes in (start, *times)]))
    return found


def _entry(draw: Draw, cast: Cast, one: Happening, at: datetime) -> Entry:
    message = draw.filled(plain(cast.said(one.text)))
    return Entry(at, cast.names[one.who], one.level, message, noise=False, origin=one.text)


def _rare_entry(draw: Draw, rare: Rare, service: str, clock: Clock) -> Entry:
    at = clock.now - timedelta(minutes=draw.uniform(3, 50))
    return Entry(at, service, rare.level, rare.text, noise=False, origin=rare.text)


def _shown(cast: Cast, one: Happening) -> str:
    """The text as readers show it: of what is decisive, that alone."""
    said = cast.said(one.text)
    found = decisive_of(said)
    return found[1] if found else said
