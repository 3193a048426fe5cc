"""`python -m tests.long.incidents --seed 1 [--cases 20] [--workers 2]`: the table, and exit 1 if an aim is missed.

The offline model answers. `--verbose` prints questions and answers, `--folder` keeps what was read.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.long.incidents.judging import Judged
from tests.long.incidents.run import run_many
from tests.long.incidents.tally import failures, measures, missed_by_part, missed_texts, of_kind, table, why_measures


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.long.incidents", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=20, help="incidents of four questions each (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print questions and answers")
    parser.add_argument("--folder", type=Path, help="keep logs, alerts and runbooks below it")
    return parser.parse_args()


def told(one: Judged) -> str:
    """A question, its answer, and what the judge found."""
    incident, reply = one.incident, one.reply
    head = f"=== {incident.seed} {incident.kind} [{one.question.kind}] {one.question.text}"
    found = [f"{one.outcome or ''} {reply.verdict} {reply.headline} {reply.seconds:.1f} s {', '.join(one.faults)}"]
    if one.question.kind == "why":
        found += [
            f"[{'x' if each in one.told else ' '}] {each.part} {each.service}: {each.text}"
            for each in incident.decisive
        ]
    elif one.question.kind == "planted":
        found.append(f"planted: {one.question.shows[0]}")
    given = f"assay ask … --now {incident.now.isoformat()} --log-zone {incident.zone}"
    return "\n".join([head, given, reply.answer, "---", *found])


def main() -> int:
    arguments = _arguments()
    results: list[Judged] = []
    beside: list[Judged] = []
    for answers, simple in run_many(
        arguments.seed, arguments.cases, arguments.workers, arguments.folder, arguments.first
    ):
        results += answers
        beside += simple
        if arguments.verbose:
            print("\n\n".join(map(told, answers)), end="\n\n", flush=True)
    rows = measures(results)
    print(table(f"seed {arguments.seed}", rows))
    print(f"\n{missed_by_part(of_kind(results, 'why'))}")
    print(f"\n{table('worst lines of the named service', why_measures(beside))}\n")
    print(failures(rows))
    print(missed_texts(of_kind(results, "why")))
    traced = [one.incident.seed for one in results if "PASS on a trace" in one.faults]
    print(f"why, PASS on nothing but the 'Caused by' of a stack trace (no aim): {', '.join(traced) or 'none'}")
    guided = sum(one.tells_guide for one in of_kind(results, "why"))
    print(f"why, the document about it is named or quoted (no aim): {guided} of {arguments.cases}")
    slowest = max(results, key=lambda one: one.reply.seconds)
    print(f"slowest: {slowest.reply.seconds:.1f} s, {slowest.incident.seed} {slowest.question.kind}")
    return 0 if all(row.is_met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
