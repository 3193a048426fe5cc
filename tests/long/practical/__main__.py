"""`python -m tests.long.practical [--as-root] [--cases N] [--ask N]`: the table, and exit 1 if an aim is missed.

Without `--as-root` the server's logs are also asked as a user outside the group adm, with and without `--exclude`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp

from tests.long.practical.asking import ask_all, logs_at
from tests.long.practical.commanding import outcomes
from tests.long.practical.host_questions import HOST
from tests.long.practical.judging import GOOD, Judged, Outcome, counts, false_ones, judged, names_and_mends
from tests.long.practical.pods_questions import PODS
from tests.long.practical.question import Folder, Question
from tests.long.practical.reader import NOBODY, ask_as, closed_to
from tests.long.practical.spring_questions import SERVICE
from tests.long.practical.tree import remove

FOLDERS = (HOST, PODS, SERVICE)
LEAST_PROVEN = 0.8
EXCLUDED = ("按配置排除", "Excluded by configuration")
UNKNOWN = ("没有名为", "knows no")


def chosen(folder: Folder, cases: int) -> list[Question]:
    """So many planted ones and as many absent ones."""
    planted = [one for one in folder.questions if one.is_planted]
    return [*planted[:cases], *[one for one in folder.questions if not one.is_planted][:cases]]


def told(name: str, results: Sequence[Judged]) -> list[Judged]:
    """A row of the table a side, and what is false."""
    for planted in (True, False):
        found = counts(results, planted=planted)
        share = found[GOOD[planted]] / max(1, sum(found.values()))
        row = ", ".join(f"{count} {outcome}" for outcome, count in sorted(found.items()))
        print(f"| {name} | {'planted' if planted else 'absent'} | {sum(found.values())} | {share:.0%} | {row} |")
    return false_ones(results)


def with_rights(folder: Folder, cases: int, ask: int) -> list[str]:
    """`ask`: so many of the questions also by the command, whose answers must come to the same."""
    root = place()
    try:
        folder.write(root)
        questions = chosen(folder, cases)
        answers = ask_all([one.text for one in questions], logs_at(str(root), folder.zone), folder.now, folder.zone)
        results = judged(questions, answers)
        asked = outcomes(folder, root, questions[:: max(1, len(questions) // ask)]) if ask else []
    finally:
        remove(root.parent.parent)
    missed = [f"{one.outcome}: {one.question.text}" for one in told(folder.name, results)]
    absent = counts(results, planted=False)
    if absent[Outcome.PROVEN] < LEAST_PROVEN * sum(absent.values()):
        missed.append(f"{folder.name}: {absent[Outcome.PROVEN]} of {sum(absent.values())} absences are proven")
    same = [one.outcome for one in results][:: max(1, len(results) // ask)] if ask else []
    return missed + [f"by the command {got}, else {want}" for got, want in zip(asked, same, strict=True) if got != want]


def without_rights(cases: int) -> list[str]:
    """As a user for whom most is closed: each gap names an input and mends it; without what is closed, absences are."""
    is_root = os.geteuid() == 0
    root, prefix = place(), NOBODY if is_root else ()
    try:
        HOST.write(root, as_others_see=True, keeps_owners=is_root)
        questions = chosen(HOST, cases)
        results = judged(questions, ask_as(prefix, HOST, root, questions))
        missed = [f"{one.outcome}: {one.question.text}" for one in told(f"{HOST.name}, unprivileged", results)]
        missed += [f"names nothing: {one.question.text}" for one in results if not is_mended(one)]
        absent = [one for one in questions if not one.is_planted]
        excluded = judged(absent, ask_as(prefix, HOST, root, absent, ["README", *closed_to(prefix, root)]))
    finally:
        remove(root.parent.parent)
    missed += [f"{one.outcome}: {one.question.text}" for one in told(f"{HOST.name}, without what is closed", excluded)]
    return missed + [f"says not what was excluded: {one.question.text}" for one in excluded if not says_excluded(one)]


def is_mended(one: Judged) -> bool:
    """What is closed could hold what was asked for: then a gap names it and how it is mended."""
    return one.outcome is not Outcome.GAP or names_and_mends(one.answered)


def says_excluded(one: Judged) -> bool:
    """Or that the service is not known in what is left (R71)."""
    said = EXCLUDED if one.outcome is Outcome.PROVEN else (*EXCLUDED, *UNKNOWN)
    return any(words in one.answered.answer for words in said)


def place() -> Path:
    """A folder of a name of its own, which everybody may pass through."""
    above = Path(mkdtemp(prefix="practical-"))
    above.chmod(0o755)
    return above / "var" / "log"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.long.practical", description=__doc__)
    parser.add_argument("--as-root", action="store_true", help="only with every right to read")
    parser.add_argument("--cases", type=int, default=30, help="so many planted and so many absent of each folder")
    parser.add_argument("--ask", type=int, default=0, help="so many of each by `assay ask`, too")
    arguments = parser.parse_args()
    print("| folder | | questions | found or proven | outcomes |\n|---|---|---|---|---|")
    missed = [fault for folder in FOLDERS for fault in with_rights(folder, arguments.cases, arguments.ask)]
    if not arguments.as_root:
        missed += without_rights(arguments.cases)
    print("\n".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
