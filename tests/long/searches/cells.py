"""One value of each axis for a case: what is drawn, and what goes together."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.long.searches.layouts import Layout
from tests.long.searches.levels import SAYS_FATAL, is_understood
from tests.long.searches.names import COMPRESSIONS, ENCODINGS, ROTATIONS
from tests.long.searches.periods import PERIODS
from tests.long.searches.record_layouts import RECORDS
from tests.long.searches.request_layouts import REQUESTS
from tests.long.searches.server_layouts import SERVERS
from tests.long.searches.stamps import FORMS
from tests.long.searches.text_layouts import INNER, PROGRAMS
from tests.long.searches.unseen_layouts import UNSEEN
from tests.long.searches.wrappers import WRAPPERS, Wrapper

LAYOUTS = (*PROGRAMS, *SERVERS, *RECORDS, *REQUESTS, *UNSEEN)
BY_NAME = {layout.name: layout for layout in LAYOUTS}
ZONES = ("Asia/Shanghai", "America/New_York", "Europe/Berlin", "UTC")
BESIDE = ("nothing", "another service", "picture", "program", "database", "empty file", "copy", "broken archive")
RECORD_NAMES = {layout.name for layout in RECORDS}


@dataclass(frozen=True, slots=True)
class Cell:
    """The values of a case. `level`: the one asked for, "" where none is. `log_zone`: what the setting tells, or "".
    `written_zone`: what the stamps are written in. `unknown_service`: the question names one of which nothing in the
    folder is, though all of it names its own."""

    layout: Layout
    wrapper: Wrapper | None
    kind: str
    level: str
    stamp: str
    spelling: str
    zone: str
    written_zone: str
    log_zone: str
    place: str
    service_spelling: str
    encoding: str
    compression: str
    rotation: str
    position: str
    language: str
    frame: str
    period: str
    beside: str
    asks_service: bool
    unknown_service: bool
    planted: bool

    @property
    def stands_in(self) -> str:
        if self.unknown_service:
            return "nowhere"
        return self.place if self.asks_service else "not asked"

    def axes(self) -> dict[str, str]:
        """What the table counts by."""
        spelling = self.spelling if self.level else "not asked"
        return {
            "format": self.wrapper.name if self.wrapper else self.layout.name,
            "level spelling": spelling or "no levels",
            "service stands in": self.stands_in,
            "service spelling": self.service_spelling if self.asks_service else "not asked",
            "stamp": self.stamp,
            "zone": self.zone,
            "encoding": self.encoding,
            "compression": self.compression,
            "rotation": self.rotation,
            "position": self.position,
            "question": self.kind,
            "language": self.language,
            "frame": self.frame,
            "period": self.period,
            "beside": self.beside,
            "planted": "planted" if self.planted else "absent",
        }


def _kind(rng: Random, layout: Layout) -> str:
    if layout.access:
        return rng.choice(("status", "status", "address")) if layout.name != "django runserver" else "status"
    return rng.choice(("level", "level", "word", "word", "phrase", "code", "address"))


def _level(rng: Random, layout: Layout, spelling: str) -> str:
    """The level asked for: one that the format can write, FATAL only where its last word surely says so."""
    asked = ["ERROR", "ERROR", "WARN"]
    if spelling in SAYS_FATAL and layout.worst == 4:
        asked.append("FATAL")
    return "WARN" if layout.worst < 3 else rng.choice(asked)


def _place(rng: Random, layout: Layout, wrapper: Wrapper | None) -> str:
    files = ("file", "file", "folder", "pod folder", "container file", "none")
    if wrapper:
        return "prefix" if wrapper.prefix else rng.choice(files)
    if layout.always:
        return rng.choice(layout.services)
    if layout.names:
        return rng.choice(("format", "format", *files[:-1]))
    if layout in SERVERS:  # its format may say whose it is
        return rng.choice(files[:-1])
    return rng.choice((*layout.services, *layout.services, *files))


def _service_spelling(rng: Random, place: str) -> str:
    by_place = {
        "field": ("exact", "exact", "pod", "replica", "camel", "underscores", "unit", "capitals"),
        "program": ("exact", "exact", "camel", "underscores"),
        "file": ("exact", "exact", "pod", "replica", "camel", "underscores"),
        "folder": ("exact", "exact", "pod", "replica", "camel", "underscores"),
    }
    return rng.choice(by_place.get(place, ("exact",)))


def _zone(rng: Random, own: bool) -> tuple[str, str, str]:
    """How the zone is known, the one that is written, and the setting."""
    if own:
        return "own", rng.choice(ZONES), rng.choice(("", "", "Asia/Shanghai"))
    kind = rng.choice(("setting", "setting", "setting", "assumed right", "assumed right", "assumed wrong"))
    if kind == "setting":
        zone = rng.choice(ZONES)
        return kind, zone, zone
    return kind, "UTC" if kind == "assumed right" else rng.choice(ZONES[:3]), ""


def _position(rng: Random, layout: Layout, wrapper: Wrapper | None, kind: str) -> str:
    positions = ["first", "middle", "last"]
    if layout.traces and wrapper is None:
        positions.append("behind a trace")
        if kind != "level":
            positions.append("within a trace")
    return rng.choice(positions)


def drawn(rng: Random) -> Cell:
    """A cell by chance; wrappers are as frequent as single formats of their kind."""
    index = rng.randrange(len(LAYOUTS) + 2 * len(WRAPPERS))
    wrapper = WRAPPERS[(index - len(LAYOUTS)) % len(WRAPPERS)] if index >= len(LAYOUTS) else None
    layout = BY_NAME[rng.choice(INNER)] if wrapper else LAYOUTS[index]
    kind = _kind(rng, layout)
    spelling = rng.choice(layout.levels) if layout.levels else ""
    stamp = rng.choice(layout.stamps)
    zone, written, setting = _zone(rng, FORMS[stamp].own_zone or bool(wrapper and wrapper.stamps))
    if wrapper and wrapper.stamps:
        written = "UTC"
    place = _place(rng, layout, wrapper)
    unknown = place in ("file", "folder") and rng.random() < 0.06
    of_pods = place in ("pod folder", "container file")
    plain_text = wrapper is None and layout.name not in RECORD_NAMES and layout.name != "journal export"
    return Cell(
        layout=layout,
        wrapper=wrapper,
        kind=kind,
        level=_level(rng, layout, spelling) if kind == "level" else "",
        stamp=stamp,
        spelling=spelling,
        zone=zone,
        written_zone=written,
        log_zone=setting,
        place=place,
        service_spelling=_service_spelling(rng, place),
        encoding=rng.choice(("utf-8", *ENCODINGS)) if plain_text else rng.choice(("utf-8", "utf-8", "utf-8-sig")),
        compression=rng.choice(COMPRESSIONS) if rng.random() < 0.5 else "none",
        rotation=rng.choice(("plain", "dated with dots") if of_pods else ROTATIONS),
        position=_position(rng, layout, wrapper, kind),
        language=rng.choice(("zh", "en")),
        frame=rng.choice(("plain", "plain", "plain", "polite", "ticket", "version")),
        period=rng.choice(tuple(PERIODS)),
        beside=rng.choice(BESIDE if rng.random() < 0.5 else BESIDE[:2]),
        asks_service=place in ("field", "program", "prefix", "format") or unknown or rng.random() < 0.85,
        unknown_service=unknown,
        planted=not unknown and rng.random() < 0.5,
    )


assert all(is_understood(name) for name in SAYS_FATAL)
