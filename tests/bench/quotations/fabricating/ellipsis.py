"""What an ellipsis may not join, hide or swallow."""

from __future__ import annotations

import re
from random import Random

from tests.bench.quotations.corpus import Item, Kind
from tests.bench.quotations.fabricating.edits import FABRICATING, changed_digit, false_or_none
from tests.bench.quotations.honest import elided
from tests.bench.quotations.operators import clauses
from tests.bench.quotations.truth import is_still_true
from tests.bench.quotations.vocabulary import WORDS


def fragments(excerpt: str | None) -> list[str]:
    return re.split(r"\s*(?:…+|\[?\.\.\.\]?)\s*", excerpt) if excerpt else []


@FABRICATING.operator("ellipsis: the fragments in another order", elided=True)
def _reversed(item: Item, _: Item, random: Random) -> str | None:
    parts = fragments(elided(item, random, 2))[::-1]
    if len(parts) != 2 or re.search(".+".join(map(re.escape, parts)), item.text, re.DOTALL):
        return None
    return false_or_none(" ... ".join(parts), item)


@FABRICATING.operator("ellipsis: a digit changed", elided=True)
def _elided_digit(item: Item, _: Item, random: Random) -> str | None:
    excerpt = elided(item, random, 2)
    changed = changed_digit(excerpt, random) if excerpt else None
    return changed if changed and not is_still_true(changed, item) else None


@FABRICATING.operator("ellipsis: into another item", elided=True)
def _elided_stitch(item: Item, other: Item, random: Random) -> str | None:
    tail = clauses(other, random)
    return None if is_still_true(tail, item) else f"{clauses(item, random)} … {tail}"


@FABRICATING.operator("ellipsis: a content word put in", elided=True)
def _elided_word(item: Item, _: Item, random: Random) -> str | None:
    parts = fragments(elided(item, random, 2))
    word = random.choice(WORDS["en" if item.language == "en" else "zh"])
    return f"{parts[0]} {word} … {parts[1]}" if len(parts) == 2 else None


@FABRICATING.operator("ellipsis: a negation swallowed", elided=True, weak=True)
def _swallowed(item: Item, _: Item, random: Random) -> str | None:
    marks = item.of_kind(Kind.NEGATION)
    if not marks:
        return None
    mark = random.choice(marks)
    number = item.clause_of(mark)
    first, last = random.randint(0, number), random.randint(number, len(item.clauses) - 1)
    head = item.text[item.clauses[first].start : mark.start].strip()
    tail = item.text[mark.end : item.clauses[last].end].strip(" ,;，；\n")
    is_long = all(len(re.findall(r"[A-Za-z]+|[\u4e00-\u9fff]", part)) >= 3 for part in (head, tail))
    return f"{head} … {tail}" if is_long else None


@FABRICATING.operator("ellipsis: the end of a number swallowed", elided=True)
def _elided_number(item: Item, _: Item, random: Random) -> str | None:
    marks = [mark for mark in item.of_kind(Kind.NUMBER) if re.match(r"\d\d", mark.text)]
    if not marks or len(item.clauses) < 2:
        return None
    mark = random.choice(marks)
    number = item.clause_of(mark)
    if number == len(item.clauses) - 1:
        return None
    head = item.text[item.clauses[number].start : mark.start] + mark.text[0]
    return f"{head}… {item.cut(number + 1, len(item.clauses) - 1)}"
