"""A digest of a window over all inputs: what is said in it, what of that is new, what changed near its onset (R90).

Order in time is told as such; nothing here tells a cause.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from domain.evidence.input_survey import REST, InputDigest, Sighting, Tally
from domain.evidence.log_answer import SearchedInput
from domain.evidence.shared_ids import known_fields, shared_ids
from domain.evidence.window import Window, utc_text
from domain.language.levels import Level

BASELINE_TIMES = 3
"""The time before the window that it is compared with is so many times as long …"""
LEAST_BASELINE, MOST_BASELINE = timedelta(hours=2), timedelta(days=3)  # … within these bounds
MULTIPLIED = 3.0
"""A shape has multiplied if it is so many times as frequent as before, and there are LEAST_MULTIPLIED of it."""
LEAST_MULTIPLIED = 5
FIRST = 8
"""So many messages come before the changes."""
AFTER_ONSET = timedelta(minutes=5)
"""A change that stands so shortly after the onset is still near it: clocks differ."""
RECURRING = 3
"""A message that is there so often tells more than one that is there once."""
BURST = 4
ROUTINE = 3
"""What was seen so often before the window is no news when it is seen near the onset."""
BEFORE_ONSET = timedelta(minutes=15)
"""What is said for the first time so shortly before the onset is told, whatever its level."""
_LEAST_WINDOW_S = 60.0
_LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Surveyed:
    """One input with what it holds."""

    searched: SearchedInput
    digest: InputDigest


@dataclass(slots=True)
class Shape:
    """The entries of one shape, service and level in all inputs. `is_new` None: what stood before is not known."""

    tally: Tally
    input: str
    is_new: bool | None = None
    times: float | None = None
    """How many times as frequent as before; None where that is not known or it is new."""

    @property
    def has_multiplied(self) -> bool:
        return self.times is not None and self.times >= MULTIPLIED and self.tally.count >= LEAST_MULTIPLIED

    @property
    def rank(self) -> tuple[float, bool, int]:
        """What is new and worst comes first; of it what recurs, or tells of a change, before what stands alone."""
        tally = self.tally
        if tally.level is None:
            weight = 3.0 if tally.fails else 0.0
        else:
            weight = _WEIGHTS.get(tally.level, 0.5 if tally.fails else 0.0)
        novelty = 2.0 if self.is_new else 1.0 if self.has_multiplied or self.is_new is None else 0.0
        stands_out = (1.5 if tally.count >= RECURRING else 0.0) + (1.0 if tally.change else 0.0)
        return weight + novelty + (stands_out if novelty and not self.has_multiplied else 0.0), tally.own, tally.count


_WEIGHTS: dict[int, float] = {Level.WARN: 2.0, Level.ERROR: 4.0, Level.FATAL: 5.0}


@dataclass(frozen=True, slots=True)
class Survey:
    """`items`: as a tool shows them: the most telling messages, then changes and ids, then the other messages. `total`:
    how many there are besides. `unlisted`: entries in the window that stand in no shape that was told apart."""

    items: tuple[dict[str, Any], ...]
    total: int
    onset: datetime | None
    baseline: Window
    unlisted: int


def baseline_of(window: Window) -> Window:
    """The time before a window with a beginning that it is compared with."""
    assert window.start is not None
    length = min(max(BASELINE_TIMES * (window.end - window.start), LEAST_BASELINE), MOST_BASELINE)
    try:
        return Window(window.start - length, window.start)
    except OverflowError:
        return Window(datetime.min.replace(tzinfo=UTC), window.start)


def survey_of(window: Window, inputs: Sequence[Surveyed], *, onset: datetime | None, limit: int) -> Survey:
    """At most `limit` items: shapes of messages, changes near the onset and ids that several services name.

    `onset` None: when the first entry of a new shape was written that is ERROR or worse and frequent. Of
    other services than the one asked for only what is new, has multiplied or tells of a change is told.
    """
    baseline = baseline_of(window)
    shapes = _judged(window, baseline, inputs)
    begun = onset or _onset(shapes)
    counted = [one for one in shapes if one.tally.count and (_is_told(one) or _is_news(one, begun))]
    counted.sort(
        key=lambda one: (_negated(one.rank), one.tally.first or window.end, one.tally.service, one.tally.shape)
    )
    changes = _changes(shapes, begun, window, baseline)
    shared = shared_ids((one.service or of.searched.family, one) for of in inputs for one in of.digest.ids)
    most_changes, most_shared = max(1, limit // 4), max(1, limit // 8)
    told_changes, told_ids = changes[:most_changes], shared[:most_shared]
    room = max(1, limit - len(told_changes) - len(told_ids))
    messages = [_message_item(one) for one in _by_turns(counted)[:room]]
    items = [*messages[:FIRST], *told_changes, *told_ids, *messages[FIRST:]][:limit]
    return Survey(
        items=tuple(items),
        total=len(counted) + len(changes) + len(shared),
        onset=begun,
        baseline=baseline,
        unlisted=sum(one.digest.unlisted for one in inputs),
    )


# ---------------------------------------------------------------- shapes over all inputs


@dataclass(slots=True)
class _Before:
    """What is known of the time before the window."""

    services: set[str] = field(default_factory=set)
    families: dict[str, datetime] = field(default_factory=dict)  # the first entry, if it lies before the window
    full: set[str] = field(default_factory=set)
    heard: set[tuple[str, str]] = field(default_factory=set)  # shapes by the family of inputs they stood in


def _judged(window: Window, baseline: Window, inputs: Sequence[Surveyed]) -> list[Shape]:
    assert window.start is not None
    before = _before(window.start, inputs)
    shapes: list[Shape] = []
    for tallies in _alike(inputs).values():
        tally = _sum([one for _, one in tallies])
        families = {surveyed.searched.family for surveyed, _ in tallies}
        shape = Shape(tally, tallies[0][0].searched.account.name)
        reaches = tally.service in before.services or bool(families & before.families.keys())
        is_known = reaches and not families & before.full and tally.shape != REST
        shape.is_new = tally.before == 0 if is_known else (False if tally.before else None)
        if not tally.tells_trouble and any((family, tally.shape) in before.heard for family in families):
            shape.is_new = False  # another pod, job or client says what others did before
        if tally.before and is_known:
            first = min((before.families[one] for one in families if one in before.families), default=window.start)
            shape.times = _times(tally, window, Window(max(first, baseline.start or first), window.start))
        shapes.append(shape)
    return shapes


def _before(start: datetime, inputs: Iterable[Surveyed]) -> _Before:
    known = _Before()
    for one in inputs:
        family, first = one.searched.family, one.searched.account.first
        known.services.update(filter(None, one.digest.services_before))
        known.heard.update((family, tally.shape) for tally in one.digest.tallies if tally.before)
        if first is not None and first < start:
            known.families[family] = min(first, known.families.get(family, first))
        if one.digest.is_full:
            known.full.add(family)
    return known


def _alike(inputs: Iterable[Surveyed]) -> dict[tuple[object, ...], list[tuple[Surveyed, Tally]]]:
    """The tallies of one shape together; the same entries in a copy of an input count once."""
    found: dict[tuple[object, ...], list[tuple[Surveyed, Tally]]] = defaultdict(list)
    seen: set[tuple[object, ...]] = set()
    for one in inputs:
        for tally in one.digest.tallies:
            key = (tally.service or one.searched.family, tally.level, tally.level_text, tally.shape, tally.own)
            entries = (one.searched.family, *key, tally.count, tally.before, tally.first, tally.last, tally.digest)
            if entries not in seen:
                seen.add(entries)
                found[key].append((one, tally))
    return found


def _sum(tallies: Sequence[Tally]) -> Tally:
    best = min(tallies, key=lambda one: (not one.count, one.first is None, one.first or _LATEST))
    return Tally(
        service=best.service,
        shape=best.shape,
        own=best.own,
        level=best.level,
        level_text=best.level_text,
        fails=any(one.fails for one in tallies),
        change=best.change,
        count=sum(one.count for one in tallies),
        before=sum(one.before for one in tallies),
        first=min((one.first for one in tallies if one.first), default=None),
        last=max((one.last for one in tallies if one.last), default=None),
        example=best.example,
        cause=best.cause,
        sightings=sorted((one for tally in tallies for one in tally.sightings), key=lambda one: one.at),
    )


def _times(tally: Tally, window: Window, before: Window) -> float | None:
    seconds, earlier = _length(window), _length(before)
    return (tally.count / seconds) / (tally.before / earlier) if tally.before else None


def _length(window: Window) -> float:
    assert window.start is not None
    return max((window.end - window.start).total_seconds(), _LEAST_WINDOW_S)


def _is_told(shape: Shape) -> bool:
    is_different = shape.is_new is not False or shape.has_multiplied
    return shape.tally.own or (is_different and (shape.tally.tells_trouble or bool(shape.tally.change)))


def _is_news(shape: Shape, onset: datetime | None) -> bool:
    """Whether it is said for the first time around the onset."""
    if not shape.is_new or onset is None or shape.tally.first is None:
        return False
    return onset - BEFORE_ONSET <= shape.tally.first <= onset + AFTER_ONSET


def _negated(rank: tuple[float, bool, int]) -> tuple[float, bool, int]:
    return -rank[0], not rank[1], -rank[2]


def _by_turns(shapes: Sequence[Shape]) -> list[Shape]:
    """Of equal rank, the services by turns: a talkative one leaves room for the others."""
    turns: dict[tuple[float, str], int] = defaultdict(int)
    placed: list[tuple[tuple[float, int, int], Shape]] = []
    for number, shape in enumerate(shapes):
        weight = -shape.rank[0]
        turn = turns[weight, shape.tally.service]
        turns[weight, shape.tally.service] += 1
        placed.append(((weight, turn, number), shape))
    return [shape for _, shape in sorted(placed, key=lambda one: one[0])]


# ---------------------------------------------------------------- the onset, and what stood near it


def _onset(shapes: Iterable[Shape]) -> datetime | None:
    bad = [one for one in shapes if one.tally.count and one.tally.is_bad and one.is_new is not False]
    most = max((one.tally.count for one in bad), default=0)
    firsts = (one.tally.first for one in bad if is_of_the_burst(one.tally.count, most))
    return min(filter(None, firsts), default=None)


def is_of_the_burst(count: int, most: int) -> bool:
    """Whether a message is there about as often as the most frequent of those that are new and bad: an incident begins
    with such a one, not with what goes wrong now and then."""
    return BURST * count >= most


def _changes(shapes: Iterable[Shape], onset: datetime | None, window: Window, baseline: Window) -> list[dict[str, Any]]:
    """What is no routine first, of it the nearest to the onset; without an onset the newest. Sought from the baseline's
    beginning on."""
    until = min(onset + AFTER_ONSET, window.end) if onset else window.end
    near: list[tuple[Sighting, Shape]] = []
    for shape in shapes:
        told = [one for one in shape.tally.sightings if one.at <= until and (baseline.start or one.at) <= one.at]
        if told and not (shape.tally.tells_trouble and shape.is_new is False):
            near.append((told[-1], shape))
    near.sort(
        key=lambda one: (
            one[1].tally.before >= ROUTINE,
            until - one[0].at,
            one[1].tally.service,
            one[1].tally.shape,
        )
    )
    return [_change_item(sighting, shape) for sighting, shape in near]


def _change_item(sighting: Sighting, shape: Shape) -> dict[str, Any]:
    tally = shape.tally
    return known_fields(
        kind="change",
        change=tally.change,
        time=utc_text(sighting.at),
        level=tally.level_text,
        **_where(shape),
        count=tally.count,
        before=tally.before if tally.before or shape.is_new is not None else None,
        message_shape=tally.shape,
        example=sighting.example,
    )


# ---------------------------------------------------------------- items


def _message_item(shape: Shape) -> dict[str, Any]:
    tally = shape.tally
    return known_fields(
        kind="message" if tally.shape != REST else "other messages",
        level=tally.level_text,
        **_where(shape),
        count=tally.count,
        first=utc_text(tally.first) if tally.first else "",
        last=utc_text(tally.last) if tally.last else "",
        new=shape.is_new,
        multiplied=True if shape.has_multiplied else None,
        before=tally.before if tally.before or shape.is_new is not None else None,
        change=tally.change,
        message_shape=tally.shape,
        cause=tally.cause,
        example=tally.example,
    )


def _where(shape: Shape) -> dict[str, Any]:
    return {
        "service": shape.tally.service,
        "input": "" if shape.tally.service else shape.input,
        "elsewhere": None if shape.tally.own else True,
    }
