"""Words put in, left out or exchanged for others."""

from __future__ import annotations

import re
from random import Random

from tests.bench.quotations.corpus import Item, Kind, Mark
from tests.bench.quotations.fabricating.edits import FABRICATING, inserted, replacing, spoken
from tests.bench.quotations.operators import clauses
from tests.bench.quotations.vocabulary import WORDS

_FUNCTION = set("的了着地得之其该此这那也就都还又便则而且与和及并在于把被所以为因对向从由给让使个后上下时仍尚")
_SMALL_WORDS = {
    "the", "was", "are", "for", "and", "from", "with", "into", "after", "since", "because", "its", "that", "does",
}  # fmt: skip
_NEIGHBOURS = re.compile(r"(?<![\w=-])([A-Za-z]{3,}) ([A-Za-z]{3,})(?![\w=-])|([\u4e00-\u9fff])([\u4e00-\u9fff])")


@FABRICATING.operator("a content word put in")
def _word_added(item: Item, _: Item, random: Random) -> str | None:
    return inserted(item, random.choice(WORDS["en" if item.language == "en" else "zh"]), random)


@FABRICATING.operator("a conclusion put behind it")
def _conclusion(item: Item, _: Item, random: Random) -> str:
    tails = (", causing a memory leak", " caused by database overload", "，已确认内存泄漏", "，根因为连接池耗尽")
    return clauses(item, random) + random.choice(tails)


@replacing("a number or name left out in a clause", Kind.NUMBER, Kind.NAME)
def _left_out(mark: Mark, item: Item, _: Random) -> str | None:
    clause = item.clauses[item.clause_of(mark)]
    before, behind = item.text[clause.start : mark.start], item.text[mark.end : clause.end]
    is_inside = all(len(re.findall(r"\w", side)) > 2 for side in (before, behind))
    return "" if is_inside and item.text.count(mark.text) == 1 else None


@FABRICATING.operator("two neighbouring words exchanged")
def _neighbours(item: Item, _: Item, random: Random) -> str | None:
    found = [pair for pair in _NEIGHBOURS.finditer(item.text) if not {*pair.groups("")} & (_FUNCTION | _SMALL_WORDS)]
    if not found:
        return None
    pair = random.choice(found)
    blank = " " if pair[1] else ""
    first, second = (pair[1], pair[2]) if pair[1] else (pair[3], pair[4])
    mark = Mark(pair.start(), pair.end(), Kind.WORD, pair[0])
    return None if first == second else spoken(item, mark, second + blank + first, random)


@FABRICATING.operator("a Chinese character replaced")
def _character(item: Item, _: Item, random: Random) -> str | None:
    places = [i for i, c in enumerate(item.text) if "\u4e00" <= c <= "\u9fff" and c not in _FUNCTION]
    if not places:
        return None
    at = random.choice(places)
    said = random.choice([c for c in "增减开关升降主备" if c != item.text[at]])
    return spoken(item, Mark(at, at + 1, Kind.WORD, item.text[at]), said, random)
