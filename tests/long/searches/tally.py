"""What came of the cases: one kind each, and the table by axis and value.

Counted against the search, and must be nought: a planted line that is said not to be there (false "not found"), and an
entry given that matches nothing asked (false "found"). Over the cases that need not be gaps, the share that is found or
proven; a gap there is honest, but a miss. A gap where the table says so, and a planted line found there all the same,
are as they should be; an absence proven there is proven by luck, and is listed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tests.long.searches.case import Case, Outcome


class Kind(StrEnum):
    """What a run came to."""

    FOUND = "found"
    PROVEN = "proven"
    GAP = "gap"
    FALSE_NOT_FOUND = "false not found"
    FALSE_FOUND = "false found"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search gave: the texts of the entries that it selected, whether an absence may be cited, and why not."""

    texts: tuple[str, ...]
    complete: bool
    said: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A case and what came of it. `by_luck`: an absence proven where the table says that it cannot be. `twice`: the
    planted line counted more than once."""

    seed: int
    cell: Mapping[str, str]
    must: Outcome
    rule: str
    kind: Kind
    by_luck: bool = False
    twice: bool = False
    said: str = ""

    @property
    def is_required(self) -> bool:
        return self.must is not Outcome.GAP

    @property
    def is_good(self) -> bool:
        return self.kind in (Kind.FOUND, Kind.PROVEN)


def result_of(case: Case, answer: Answer) -> Result:
    """The kind of a run."""
    mine = [text for text in answer.texts if case.marker and case.marker in text]
    if len(mine) < len(answer.texts):
        kind = Kind.FALSE_FOUND
    elif mine:
        kind = Kind.FOUND
    elif not answer.complete:
        kind = Kind.GAP
    else:
        kind = Kind.FALSE_NOT_FOUND if case.marker else Kind.PROVEN
    by_luck = kind is Kind.PROVEN and case.expected.must is Outcome.GAP
    return Result(
        case.seed, case.cell, case.expected.must, case.expected.rule, kind, by_luck, len(mine) > 1, answer.said
    )


@dataclass(slots=True)
class Share:
    """Counts of one value of an axis."""

    cases: int = 0
    required: int = 0
    good: int = 0
    false: int = 0

    @property
    def percent(self) -> float:
        return 100.0 * self.good / self.required if self.required else 100.0

    def add(self, result: Result) -> None:
        self.cases += 1
        self.required += result.is_required
        self.good += result.is_required and result.is_good
        self.false += result.kind in (Kind.FALSE_FOUND, Kind.FALSE_NOT_FOUND)


@dataclass(slots=True)
class Table:
    """All results, by axis and value."""

    all: Share = field(default_factory=Share)
    axes: dict[str, dict[str, Share]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(Share)))
    kinds: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    by_luck: list[tuple[int, str]] = field(default_factory=list)
    twice: list[int] = field(default_factory=list)
    false: list[Result] = field(default_factory=list)
    missed: list[Result] = field(default_factory=list)

    def add(self, result: Result) -> None:
        self.all.add(result)
        for axis, value in result.cell.items():
            self.axes[axis][value].add(result)
        self.kinds[f"{result.must}: {result.kind}"] += 1
        if result.by_luck:
            self.by_luck.append((result.seed, result.rule))
        if result.twice:
            self.twice.append(result.seed)
        if result.kind in (Kind.FALSE_FOUND, Kind.FALSE_NOT_FOUND):
            self.false.append(result)
        elif result.is_required and not result.is_good:
            self.missed.append(result)

    def worst(self) -> tuple[str, str, float]:
        """The value of an axis with the least share."""
        shares = [(axis, value, one.percent) for axis, values in self.axes.items() for value, one in values.items()]
        return min(shares, key=lambda one: one[2], default=("", "", 100.0))

    def markdown(self) -> str:
        """The table by axis and value, the lowest shares first."""
        lines = ["| axis | value | cases | need not be gaps | found or proven | false |", "|---|---|---|---|---|---|"]
        for axis, values in self.axes.items():
            for value, one in sorted(values.items(), key=lambda pair: (pair[1].percent, pair[0])):
                lines.append(f"| {axis} | {value} | {one.cases} | {one.required} | {one.percent:.1f} % | {one.false} |")
        every = self.all
        lines.append(f"| all | | {every.cases} | {every.required} | {every.percent:.1f} % | {every.false} |")
        return "\n".join(lines)


def table_of(results: Iterable[Result]) -> Table:
    table = Table()
    for result in results:
        table.add(result)
    return table
