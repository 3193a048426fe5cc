"""The table: each measure with its share and its aim, and the cases that fail it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tests.long.incidents.judging import Judged

MOST_STATEMENTS = 10


@dataclass(frozen=True, slots=True)
class Measure:
    """`hits` of `count`. With `at_most` the aim is a number not to be exceeded, else the least share."""

    name: str
    hits: int
    count: int
    least: float = 0.0
    at_most: int | None = None
    failing: tuple[str, ...] = ()

    @property
    def is_met(self) -> bool:
        return self.hits <= self.at_most if self.at_most is not None else self.hits >= self.least * self.count

    @property
    def row(self) -> str:
        aim = f"{self.at_most}" if self.at_most is not None else f">= {self.least:.0%}"
        share = f"{self.hits / self.count:.0%}" if self.count else "-"
        return f"| {self.name} | {self.hits} of {self.count} | {share} | {aim} | {'yes' if self.is_met else 'NO'} |"


def _label(one: Judged) -> str:
    return f"{one.incident.seed} {one.incident.kind}"


def _share(name: str, cases: Sequence[Judged], least: float, is_good: Callable[[Judged], bool]) -> Measure:
    failing = tuple(_label(one) for one in cases if not is_good(one))
    return Measure(name, len(cases) - len(failing), len(cases), least, failing=failing)


def _never(name: str, cases: Sequence[Judged], is_fault: Callable[[Judged], bool]) -> Measure:
    failing = tuple(_label(one) for one in cases if is_fault(one))
    return Measure(name, len(failing), len(cases), at_most=0, failing=failing)


def of_kind(results: Iterable[Judged], kind: str) -> list[Judged]:
    return [one for one in results if one.question.kind == kind]


def why_measures(whys: Sequence[Judged]) -> list[Measure]:
    """Those that a baseline can be held against, too."""
    told, all_of_them = sum(len(one.told) for one in whys), sum(len(one.incident.decisive) for one in whys)
    short = [f"{_label(one)} ({len(one.told)} of {len(one.incident.decisive)})" for one in whys if not _is_whole(one)]
    return [
        _share("why: one decisive text or more", whys, 0.95, lambda one: bool(one.told)),
        _share("why: all decisive texts", whys, 0.5, _is_whole),
        Measure("why: decisive texts", told, all_of_them, 0.7, failing=tuple(short)),
        _never("why: more than ten statements", whys, lambda one: one.statements > MOST_STATEMENTS),
        _never("why: red herrings alone", whys, lambda one: "red herrings alone" in one.faults),
    ]


def _is_whole(one: Judged) -> bool:
    return len(one.told) == len(one.incident.decisive)


def measures(results: Sequence[Judged]) -> list[Measure]:
    whys, absents, planteds = (of_kind(results, kind) for kind in ("why", "absent", "planted"))
    return [
        _share("narrow: evidence stated", of_kind(results, "narrow"), 0.95, lambda one: one.outcome == "stated"),
        *why_measures(whys),
        _never("why: PASS without a cause quoted", whys, lambda one: "PASS without a cause" in one.faults),
        _share("why: a useful next step", whys, 0.8, lambda one: one.useful_step),
        _share("planted: found", planteds, 0.95, lambda one: one.outcome == "found"),
        _never("planted: denied", planteds, lambda one: one.outcome == "denied"),
        _share("absent: proven", absents, 0.9, lambda one: one.outcome == "proven"),
        _never("absent: said to be there", absents, lambda one: one.outcome == "false"),
        _never("false confirmed causes", results, lambda one: "false cause" in one.faults),
    ]


def table(name: str, rows: Iterable[Measure]) -> str:
    head = f"| {name} | n | share | aim | met |\n|---|---|---|---|---|\n"
    return head + "\n".join(row.row for row in rows)


def missed_by_part(whys: Sequence[Judged]) -> str:
    """Which decisive texts are told, by what they are and by the kind of log they stand in."""
    told: dict[str, Counter[bool]] = defaultdict(Counter)
    for one in whys:
        for decisive in one.incident.decisive:
            told[f"{decisive.part} ({decisive.role})"][decisive in one.told] += 1
    rows = (f"| {part} | {found[True]} of {found.total()} |" for part, found in sorted(told.items()))
    return "| decisive texts | told |\n|---|---|\n" + "\n".join(rows)


def failures(rows: Iterable[Measure]) -> str:
    failing = (row for row in rows if row.failing)
    return "\n".join(f"{row.name}: {', '.join(row.failing)}" for row in failing)


def missed_texts(whys: Sequence[Judged]) -> str:
    """Each decisive text that no answer told, to be read beside the answer."""
    missed = ((one, each) for one in whys for each in one.incident.decisive if each not in one.told)
    rows = (
        f"missed {_label(one)}: {each.part} of {each.service} ({each.role}): {each.telling}" for one, each in missed
    )
    return "\n".join(rows)
