"""`python -m tests.long.searches --cases 20000 --seed 1 [--workers 2]`: the table, and exit 1 if an aim is missed."""

from __future__ import annotations

import argparse
import sys

from tests.long.searches.commanding import run_commands
from tests.long.searches.run import run_many
from tests.long.searches.tally import Table


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.long.searches", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1, help="the first seed; each case has one of its own")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--ask", action="store_true", help="by `assay ask`, seconds a case, one after the other")
    parser.add_argument("--without-reading", action="store_true", help="search for what is meant, not for what is read")
    parser.add_argument("--show", type=int, default=20, help="how many faults and misses to name")
    return parser.parse_args()


def _told(table: Table, show: int) -> None:
    print(table.markdown())
    print()
    for name, count in sorted(table.kinds.items()):
        print(f"{name}: {count}")
    print(f"proven where the table says gap: {len(table.by_luck)} {table.by_luck[:show]}")
    print(f"counted twice: {len(table.twice)} {table.twice[:show]}")
    for result in table.false[:show]:
        print(f"FALSE seed {result.seed} {result.kind}: {result.said} {dict(result.cell)}")
    for result in table.missed[:show]:
        print(f"missed seed {result.seed}: {result.said} {dict(result.cell)}")


def main() -> int:
    arguments = _arguments()
    table = Table()
    if arguments.ask:
        results = run_commands(arguments.seed, arguments.cases)
    else:
        results = run_many(arguments.seed, arguments.cases, arguments.workers, reads=not arguments.without_reading)
    for number, result in enumerate(results, 1):
        table.add(result)
        if number % 1_000 == 0:
            print(f"{number} of {arguments.cases}, false {len(table.false)}", file=sys.stderr)
    _told(table, arguments.show)
    return 0 if not table.false and table.all.percent >= 95 and table.worst()[2] >= 80 else 1


if __name__ == "__main__":
    sys.exit(main())
