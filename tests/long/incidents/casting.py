"""Who takes part in an incident, how each is written down, and when it all happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tests.long.incidents.draw import Draw
from tests.long.incidents.layouts import STYLES, Shelf
from tests.long.incidents.names import NAMESPACES, apps, infrastructure, lowered
from tests.long.incidents.story import Kind

MOST_SERVICES = 8
BESIDE = ("postgres", "redis", "edge", "kube", "node", "rabbit")


@dataclass(frozen=True, slots=True)
class Cast:
    """`names` of the parts of the story; `roles` and `shelves` of all services, those that only stand by included.
    `values`: what fills the texts."""

    names: Mapping[str, str]
    roles: Mapping[str, str]
    shelves: Mapping[str, Shelf]
    values: Mapping[str, str]

    def said(self, text: str) -> str:
        return text.format_map(self.values)

    def of_role(self, *roles: str) -> list[str]:
        return [name for name, role in self.roles.items() if role in roles]

    @property
    def bystanders(self) -> list[str]:
        return [name for name in self.of_role("app") if name not in self.names.values()]


@dataclass(frozen=True, slots=True)
class Clock:
    """`first`: when the logs begin, hours before the onset."""

    first: datetime
    onset: datetime
    now: datetime

    def at(self, minutes: float) -> datetime:
        return self.onset + timedelta(minutes=minutes)


def cast_of(draw: Draw, kind: Kind) -> Cast:
    """The parts of the story and bystanders, three to eight services in all."""
    wanted = [part for part, role in kind.parts.items() if role == "app"]
    more = draw.randint(max(3, len(kind.parts)), MOST_SERVICES) - len(kind.parts)
    free = [role for role in BESIDE if role not in kind.parts.values()]
    beside = [role for role in draw.sample(free, min(more, 2)) if draw.chance(0.5)]
    drawn = apps(draw, len(wanted) + more - len(beside))
    names = dict(zip(wanted, drawn, strict=False))
    names |= {part: infrastructure(draw, role) for part, role in kind.parts.items() if role != "app"}
    roles = {names[part]: role for part, role in kind.parts.items()}
    roles |= dict.fromkeys(drawn[len(wanted) :], "app")
    roles |= {infrastructure(draw, role): role for role in beside}
    style, namespace = draw.of(STYLES), draw.of(NAMESPACES)
    host = next((name for name, role in roles.items() if role == "node"), infrastructure(draw, "node"))
    shelves = {name: Shelf(draw, name, role, style, host, namespace) for name, role in roles.items()}
    values = {**names, "ns": namespace, "ip": draw.ip(), "node": host}
    for part in wanted:
        values |= {f"pod_{part}": shelves[names[part]].pods[0], f"pod_{part}_base": lowered(names[part])}
    return Cast(names, roles, shelves, values)


def clock_of(draw: Draw, zone: str) -> Clock:
    """On a day of half a year, the onset 16 to 50 minutes before now."""
    day = datetime(2026, 1, 5, tzinfo=ZoneInfo(zone)) + timedelta(days=draw.randint(0, 200))
    onset = day + timedelta(hours=draw.randint(7, 22), minutes=draw.randint(0, 59), seconds=draw.randint(0, 59))
    now = onset + timedelta(minutes=draw.uniform(16, 50))
    return Clock(onset - timedelta(hours=draw.uniform(2.5, 6)), onset, now.replace(microsecond=0))
