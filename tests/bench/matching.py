"""One check of a quotation against an item of 300 characters, beside rapidfuzz's `partial_ratio` on the same pair.

    python -m tests.bench.matching [--runs 5] [--pairs 500]

Each pair is checked once a run, so that nothing is remembered from one check to the next. `partial_ratio` only gives a
score, which could not accept a quotation (a digit more or less hardly changes it); it is here as a yardstick of speed.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence

from rapidfuzz.fuzz import partial_ratio

from domain.quotation import match_quotation
from tests.bench.figures import Ratio, Row, table

ITEM_LENGTH = 300
KINDS = ("true quotation", "a number differs", "not there at all")

Pair = tuple[str, str]
"""Excerpt and item."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=500, help="of each kind")
    arguments = parser.parse_args()
    rows: list[Row] = []
    for kind in KINDS:
        ours, theirs = [], []
        for _ in range(arguments.runs):
            pairs = [_pair(kind) for _ in range(arguments.pairs)]
            theirs.append(_microseconds(partial_ratio, pairs))
            ours.append(_microseconds(match_quotation, pairs))
        yardstick = f"{kind}: partial_ratio"
        rows += [Row(f"{kind}: check", ours, (Ratio(yardstick, 5, at_most=True),)), Row(yardstick, theirs)]
    print(table(f"Microseconds to check one quotation against {ITEM_LENGTH} characters", rows))


def _microseconds(check: Callable[[str, str], object], pairs: Sequence[Pair]) -> float:
    """Of one check, on average."""
    started = time.perf_counter()
    for excerpt, item in pairs:
        check(excerpt, item)
    return (time.perf_counter() - started) / len(pairs) * 1e6


def _pair(kind: str) -> Pair:
    """A log item, and an excerpt of about a third of it."""
    waiting, item = random.randrange(100, 1_000), ""
    while len(item) < ITEM_LENGTH:
        item += (
            f"2026-07-08T11:{random.randrange(60):02}:07Z ERROR order-service HikariPool-1 connection not available, "
            f"request timed out after {random.randrange(10_000, 99_999)}ms active=50/50 waiting={waiting}; "
        )
    item = item[:ITEM_LENGTH]
    start = item.index("HikariPool-1")
    excerpt = item[start : item.index(";")]
    match kind:
        case "true quotation":
            return excerpt, item
        case "a number differs":
            return excerpt.replace(f"waiting={waiting}", f"waiting={waiting + 1}"), item
        case _:
            return f"payment-service OutOfMemoryError: Java heap space, {waiting} requests were rejected at once", item


if __name__ == "__main__":
    main()
