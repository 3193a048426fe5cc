"""A case from a seed: the same seed gives the same folder, question and expectation."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

from tests.long.searches.case import Case, Entry, Outcome, Sought
from tests.long.searches.cells import Cell, drawn
from tests.long.searches.expectation import expected_of
from tests.long.searches.folder import SECOND, filled, judgement, known_of
from tests.long.searches.levels import SPELLINGS
from tests.long.searches.names import SERVICES
from tests.long.searches.periods import PERIODS
from tests.long.searches.questions import LEVEL_NAMES, THINGS, Thing, sentence, worded
from tests.long.searches.telling import Teller

NOWS = tuple(
    datetime(year, month, day, hour, minute, tzinfo=UTC)
    for year, month, day, hour, minute in (
        (2031, 5, 14, 15, 20),
        (2031, 1, 23, 10, 30),
        (2030, 7, 8, 18, 45),
        (2031, 6, 26, 9, 40),
        (2029, 12, 19, 13, 5),
        (2031, 2, 4, 16, 30),
    )
)
"""Days after the 12th and before, so that day and month can or cannot be told apart; none near a clock change."""


def _arranged(entries: list[Entry], planted: Entry | None, cell: Cell, teller: Teller) -> list[Entry]:
    """The entries in their order, the planted one where the cell wants it."""
    entries = sorted(entries, key=lambda one: one.at)
    if planted is None:
        return entries
    before = [one for one in entries if one.at < planted.at]
    after = [one for one in entries if one.at >= planted.at]
    match cell.position:
        case "first":
            before = []
        case "last":
            after = []
        case "behind a trace":
            before.append(teller.with_trace(planted.at - timedelta(milliseconds=40)))
    return [*before, planted, *after]


def _thing(rng: Random, cell: Cell) -> Thing | None:
    if cell.kind == "level":
        return None
    things = THINGS[cell.kind]
    return things[0] if cell.layout.access and cell.kind == "address" else rng.choice(things)


def _name(rng: Random, cell: Cell, thing: Thing | None) -> str:
    """What the question calls the thing it asks for."""
    return rng.choice((thing.asked if thing else LEVEL_NAMES[cell.level])[cell.language])


def _encodable(cell: Cell, thing: Thing | None) -> Cell:
    """UTF-8 where the encoding of the cell has no sign for what is written."""
    text = "".join(SPELLINGS[cell.spelling] if cell.spelling else ()) + "".join(
        (*thing.written, *thing.near) if thing else ()
    )
    text += "年月日时分秒【】：某服务" if cell.layout.name == "chinese date" else ""
    try:
        text.encode(cell.encoding)
    except UnicodeEncodeError:
        return replace(cell, encoding="utf-8")
    return cell


def _without_other_finds(
    entries: list[Entry], planted: Entry | None, cell: Cell, sought: Sought, now: datetime
) -> list[Entry]:
    """The entries less those that may be found themselves, as in a zone that is assumed wrongly."""
    changed = min(now, max(one.at for one in entries) + SECOND)
    known = known_of(cell, entries, changed)
    at_best = replace(known, form="all", unseen=False, bare=False, service=True)
    return [
        one
        for one in entries
        if one is planted or not any(judgement(one, cell, how, sought).selected for how in (known, at_best))
    ]


def generate(seed: int) -> Case:
    """The case of this seed."""
    rng = Random(seed)
    cell = drawn(rng)
    thing = _thing(rng, cell)
    cell = _encodable(cell, thing)
    now = rng.choice(NOWS)
    period = PERIODS[cell.period](now)
    service, *others = rng.sample(SERVICES, 4)
    if cell.place == "format":
        service = cell.layout.names
    asked = service if cell.asks_service else ""
    if cell.unknown_service:
        asked = others.pop()
    sought = Sought(cell.kind, _name(rng, cell, thing), asked, cell.level, period.start, period.end)
    marker = f"zq{seed:x}k" if cell.planted else ""
    start = period.start or now - timedelta(days=20)
    teller = Teller(rng, cell, thing, service if cell.place != "none" else "", others, start, period.end)
    planted = teller.matching(teller.between(start, period.end), "planted", marker) if cell.planted else None
    entries = _arranged(teller.body(now), planted, cell, teller)
    entries = _without_other_finds(entries, planted, cell, sought, now)
    folder = filled(rng, cell, sought, service, entries, teller, now)
    expected = expected_of(
        next((is_ for one, is_ in folder.judged if one is planted), None),
        [is_ for one, is_ in folder.judged if one is not planted],
        names_service=not cell.unknown_service,
        all_readable=cell.beside != "broken archive",
    )
    assert expected.must is not Outcome.FOUND or marker
    return Case(
        seed=seed,
        cell=cell.axes(),
        files=folder.files,
        changed=folder.changed,
        question=sentence(rng, cell.language, cell.frame, asked, period, worded(cell.kind, sought.name, cell.language)),
        now=now,
        log_zone=cell.log_zone,
        marker=marker,
        planted_at=planted.at if planted else None,
        sought=sought,
        expected=expected,
    )
