"""Words of the item, or of another, in an order that says something else."""

from __future__ import annotations

import re
from random import Random

from tests.bench.quotations.corpus import Item, Kind, Mark
from tests.bench.quotations.fabricating.edits import FABRICATING, false_or_none
from tests.bench.quotations.operators import clauses
from tests.bench.quotations.vocabulary import SERVICES


@FABRICATING.operator("two clauses exchanged")
def _clauses_exchanged(item: Item, _: Item, random: Random) -> str | None:
    if len(item.clauses) < 2:
        return None
    first = random.randrange(len(item.clauses) - 1)
    separator = "，" if item.language == "zh" else ", "
    return false_or_none(separator.join([item.cut(first + 1, first + 1), item.cut(first, first)]), item)


@FABRICATING.operator("two numbers exchanged")
def _numbers_exchanged(item: Item, _: Item, random: Random) -> str | None:
    return exchanged(item, item.of_kind(Kind.NUMBER), random)


@FABRICATING.operator("two names exchanged")
def _names_exchanged(item: Item, _: Item, random: Random) -> str | None:
    return exchanged(item, item.of_kind(Kind.NAME), random)


def exchanged(item: Item, marks: list[Mark], random: Random) -> str | None:
    if len(marks) < 2:
        return None
    a, b = sorted(random.sample(marks, 2), key=lambda mark: mark.start)
    begin, end = item.clauses[item.clause_of(a)].start, item.clauses[item.clause_of(b)].end
    excerpt = item.text[begin : a.start] + b.text + item.text[a.end : b.start] + a.text + item.text[b.end : end]
    return false_or_none(excerpt.strip(" ,;，；\n"), item)


@FABRICATING.operator("two items stitched")
def _stitched(item: Item, other: Item, random: Random) -> str | None:
    excerpt = random.choice((" ", ", ", "，", "\n")).join([clauses(item, random), clauses(other, random)])
    return false_or_none(excerpt, item)


@FABRICATING.operator("a clause of another item")
def _elsewhere(item: Item, other: Item, random: Random) -> str | None:
    return false_or_none(clauses(other, random), item)


@FABRICATING.operator("a summary's total changed")
def _total(item: Item, _: Item, random: Random) -> str | None:
    found = re.search(r"total=(\d+)", item.text)
    totals = [str(n) for n in range(10) if found and str(n) != found[1]]
    return f"total={random.choice(totals)}{item.text[found.end() :]}" if found else None


@FABRICATING.operator("a name put into a summary's list")
def _listed(item: Item, _: Item, random: Random) -> str | None:
    at = item.text.find("total=")
    return false_or_none(f"{item.text[at:]}, {random.choice(SERVICES)}", item) if at >= 0 else None


@FABRICATING.operator("a name left out of a summary's list", weak=True)
def _unlisted(item: Item, _other: Item, random: Random) -> str | None:
    before, _, listed = item.text.partition(": ")
    names = listed.split(", ")
    if not before.startswith("source=") or len({name.split(" ")[0] for name in names}) < 3:
        return None
    del names[random.randrange(1, len(names) - 1)]
    return f"{before}: {', '.join(names)}"
