"""Every operator on texts drawn from a seed: what the matcher says, beside what two baselines say."""

from __future__ import annotations

import argparse
import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from rapidfuzz.fuzz import partial_ratio

from domain.contracts import MatchKind
from domain.quotation import match_quotation
from tests.bench.quotations.corpus import Item, draw
from tests.bench.quotations.fabricating import FABRICATING
from tests.bench.quotations.honest import HONEST
from tests.bench.quotations.operators import Operator

PASSED = {MatchKind.EXACT, MatchKind.NORMALISED, MatchKind.ELIDED, MatchKind.RECORD}
ITEMS = 40  # for one quotation of each operator
MOST_TRIES = 2_000  # for one quotation
ELIDED_ACCEPTED = 0.005
HONEST_REFUSED = 0.005
HONEST_NEAR_MISS = 0.02
Z_95 = 1.959964


@dataclass(frozen=True, slots=True)
class Case:
    excerpt: str
    item: Item


@dataclass(slots=True)
class Tally:
    """What became of one operator's quotations."""

    operator: Operator
    cases: int = 0
    passed: int = 0
    near: int = 0
    refused: int = 0
    substring: int = 0  # accepted by the baselines
    ratio: int = 0
    missed: list[Case] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Evaluation:
    honest: Sequence[Tally]
    fabricating: Sequence[Tally]

    @property
    def broken_gates(self) -> list[str]:
        return [
            *(gate for tally in self.fabricating if (gate := _broken_by_fabrication(tally))),
            *(gate for tally in self.honest for gate in _broken_by_honesty(tally)),
        ]


def evaluate(seed: int, per_operator: int) -> Evaluation:
    dice = Random(seed)
    items = [draw(dice) for _ in range(ITEMS * per_operator)]
    return Evaluation(
        [_tally(operator, items, seed, per_operator, is_miss=_is_not_passed) for operator in HONEST],
        [_tally(operator, items, seed, per_operator, is_miss=_miss_of(operator)) for operator in FABRICATING],
    )


def cases(operator: Operator, items: Sequence[Item], seed: int, count: int) -> Iterator[Case]:
    """So many different quotations of one operator; the same ones for the same seed."""
    random = Random(f"{seed}/{operator.name}")
    seen: set[tuple[str, str]] = set()
    for _ in range(count * MOST_TRIES):
        item, other = random.choice(items), random.choice(items)
        excerpt = operator.make(item, other, random)
        if excerpt is not None and (excerpt, item.text) not in seen:
            seen.add((excerpt, item.text))
            yield Case(excerpt, item)
        if len(seen) == count:
            return
    raise RuntimeError(f"the operator {operator.name!r} finds too few texts to work on")


def _tally(
    operator: Operator, items: Sequence[Item], seed: int, count: int, is_miss: Callable[[MatchKind], bool]
) -> Tally:
    tally = Tally(operator)
    for case in cases(operator, items, seed, count):
        kind = match_quotation(case.excerpt, case.item.text).kind
        tally.cases += 1
        tally.passed += kind in PASSED
        tally.refused += kind is MatchKind.MISMATCH
        tally.near += kind in {MatchKind.NEAR_MISS, MatchKind.UNCHECKABLE}
        tally.substring += plain(case.excerpt) in plain(case.item.text)
        tally.ratio += partial_ratio(plain(case.excerpt).casefold(), plain(case.item.text).casefold()) >= 90
        tally.missed += [case] if is_miss(kind) else []
    return tally


def plain(text: str) -> str:
    """What the baselines compare: NFKC, one blank for any white space."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _is_not_passed(kind: MatchKind) -> bool:
    return kind not in PASSED


def _miss_of(operator: Operator) -> Callable[[MatchKind], bool]:
    return lambda kind: kind is not (MatchKind.NEAR_MISS if operator.weak else MatchKind.MISMATCH)


# ---------------------------------------------------------------- gates


def _broken_by_fabrication(tally: Tally) -> str | None:
    allowed = ELIDED_ACCEPTED * tally.cases if tally.operator.elided else 0
    return f"{tally.operator.name}: {tally.passed} accepted" if tally.passed > allowed else None


def _broken_by_honesty(tally: Tally) -> Iterator[str]:
    if tally.refused > HONEST_REFUSED * tally.cases:
        yield f"{tally.operator.name}: {tally.refused} refused"
    if tally.near > HONEST_NEAR_MISS * tally.cases:
        yield f"{tally.operator.name}: {tally.near} near misses"


# ---------------------------------------------------------------- output


def interval(hits: int, cases: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate."""
    rate, weight = hits / cases, Z_95**2 / cases
    middle = (rate + weight / 2) / (1 + weight)
    half = Z_95 * math.sqrt(rate * (1 - rate) / cases + weight / cases / 4) / (1 + weight)
    return max(0.0, middle - half), min(1.0, middle + half)


def tables(evaluation: Evaluation) -> str:
    honest = [_row(t, t.refused, t.cases - t.substring, t.cases - t.ratio) for t in evaluation.honest]
    fabricated = [_row(t, t.passed, t.substring, t.ratio) for t in evaluation.fabricating]
    return "\n\n".join(
        [
            _table("honest operator", "refused", honest),
            _table("fabricating operator", "accepted", fabricated),
        ]
    )


def _row(tally: Tally, wrong: int, substring: int, ratio: int) -> str:
    low, high = interval(wrong, tally.cases)
    cells = [
        tally.operator.name + (" ¹" if tally.operator.weak else ""),
        str(tally.cases),
        str(wrong),
        f"{_percent(wrong / tally.cases)} ({_percent(low)}–{_percent(high)})",
        _percent(tally.near / tally.cases),
        _percent(substring / tally.cases),
        _percent(ratio / tally.cases),
    ]
    return f"| {' | '.join(cells)} |"


def _table(name: str, wrong: str, rows: Sequence[str]) -> str:
    head = f"| {name} | cases | {wrong} | rate (95 %) | near miss | substring: {wrong} | ratio ≥ 90: {wrong} |"
    return "\n".join([head, "|---|--:|--:|--:|--:|--:|--:|", *rows])


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-operator", type=int, default=400)
    parser.add_argument("--misses", type=int, default=0, help="show so many misses of each operator")
    arguments = parser.parse_args()
    evaluation = evaluate(arguments.seed, arguments.per_operator)
    print(tables(evaluation))
    for tally in [*evaluation.honest, *evaluation.fabricating]:
        for case in tally.missed[: arguments.misses]:
            found = match_quotation(case.excerpt, case.item.text)
            print(f"\n{tally.operator.name}: {found.kind}, {found.reason}")
            print(f"  said {case.excerpt!r}\n  item {case.item.text!r}")
    for gate in evaluation.broken_gates:
        print(f"\ngate broken: {gate}")
    return 3 if evaluation.broken_gates else 0
