"""What operators that edit one marked part of an item share."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.bench.quotations.corpus import Item, Kind, Mark
from tests.bench.quotations.honest import fair_places
from tests.bench.quotations.operators import Catalogue
from tests.bench.quotations.truth import is_still_true

FABRICATING = Catalogue()
MIN_LENGTH = 10

Edit = Callable[[Mark, Item, Random], str | None]


def replacing(name: str, *kinds: Kind) -> Callable[[Edit], None]:
    """An operator that writes something else in place of one marked part of a run of whole clauses."""

    def enlist(edit: Edit) -> None:
        @FABRICATING.operator(name)
        def make(item: Item, _: Item, random: Random) -> str | None:
            marks = item.of_kind(*kinds)
            if not marks:
                return None
            mark = random.choice(marks)
            said = edit(mark, item, random)
            return None if said is None or said == mark.text else spoken(item, mark, said, random)

    return enlist


def spoken(item: Item, mark: Mark, said: str, random: Random) -> str | None:
    """A run of whole clauses with `said` where the mark stands; None if its clause is true, too."""
    number = item.clause_of(mark)
    clause = item.clauses[number]
    changed = item.text[clause.start : mark.start] + said + item.text[mark.end : clause.end]
    if is_still_true(changed, item):
        return None
    begin = item.clauses[random.randint(0, number)].start
    end = item.clauses[random.randint(number, len(item.clauses) - 1)].end
    excerpt = item.text[begin : clause.start] + changed + item.text[clause.end : end]
    return false_or_none(excerpt.strip(" ,;，；\n\t"), item)


def false_or_none(excerpt: str, item: Item) -> str | None:
    return excerpt if len(excerpt) >= MIN_LENGTH and not is_still_true(excerpt, item) else None


def changed_digit(text: str, random: Random) -> str | None:
    places = [i for i, c in enumerate(text) if c.isdigit() and c.isascii()]
    if not places:
        return None
    at = random.choice(places)
    return text[:at] + random.choice([d for d in "123456789" if d != text[at]]) + text[at + 1 :]


def inserted(item: Item, word: str, random: Random) -> str | None:
    """Whole clauses with a word put in between two of their words."""
    number = random.randrange(len(item.clauses))
    clause = item.clauses[number]
    places = [
        at
        for at in fair_places(item)
        if all(re.search(r"\w", s) for s in (item.text[clause.start : at], item.text[at : clause.end]))
    ]
    if not places:
        return None
    at = random.choice(places)
    excerpt = f"{item.text[clause.start : at]} {word} {item.text[at : clause.end]}".strip(" ,;，；\n")
    return false_or_none(excerpt, item)
