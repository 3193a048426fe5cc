"""Other names, levels, states and flags."""

from __future__ import annotations

import re
from random import Random

from tests.bench.quotations.corpus import Item, Kind, Mark
from tests.bench.quotations.fabricating.edits import FABRICATING, changed_digit, false_or_none, replacing
from tests.bench.quotations.vocabulary import LEVELS, SERVICES

_STATES = {
    "firing": "resolved", "resolved": "firing", "pending": "firing", "paused": "resumed", "failed": "succeeded",
    "opened": "closed", "aborted": "completed", "失败": "成功", "已恢复": "未恢复",
}  # fmt: skip
_LOOK_ALIKE = str.maketrans("aeopcx", "аеорсх")


@replacing("another name", Kind.NAME)
def _name(mark: Mark, item: Item, random: Random) -> str:
    same_shape = [other for other in item.of_kind(Kind.NAME) if other.text != mark.text]
    return random.choice(same_shape).text if same_shape and random.random() < 0.5 else random.choice(SERVICES)


@replacing("a digit of a name changed", Kind.NAME)
def _name_digit(mark: Mark, _: Item, random: Random) -> str | None:
    return changed_digit(mark.text, random)


@replacing("a name made longer", Kind.NAME)
def _name_longer(mark: Mark, _: Item, random: Random) -> str | None:
    return (
        random.choice((f"{mark.text}-v2", f"legacy-{mark.text}", f"{mark.text}-canary"))
        if mark.text.isascii()
        else None
    )


@FABRICATING.operator("a name with digits cut at its head")
def _name_cut(item: Item, _: Item, random: Random) -> str | None:
    return _from_inside(item, [mark for mark in item.of_kind(Kind.NAME) if re.match(r"[^(]*\d", mark.text)], random)


@FABRICATING.operator("a name without digits cut at its head", weak=True)
def _plain_name_cut(item: Item, _: Item, random: Random) -> str | None:
    return _from_inside(
        item, [mark for mark in item.of_kind(Kind.NAME) if re.fullmatch(r"[a-z]+-[a-z]+", mark.text)], random
    )


def _from_inside(item: Item, marks: list[Mark], random: Random) -> str | None:
    """From the second part of a name to the end of its clause or of a later one."""
    joined = [mark for mark in marks if re.search(r"\w[-./]\w", mark.text) and _stands_alone(item, mark)]
    if not joined:
        return None
    mark = random.choice(joined)
    shorter = re.split(r"(?<=\w)[-./]+(?=\w)", mark.text, maxsplit=1)[1]
    number = item.clause_of(mark)
    end = item.clauses[random.randint(number, len(item.clauses) - 1)].end
    return false_or_none((shorter + item.text[mark.end : end]).strip(" ,;，；\n"), item)


def _stands_alone(item: Item, mark: Mark) -> bool:
    around = item.text[mark.start - 1 : mark.start] + item.text[mark.end : mark.end + 1]
    return item.text.count(mark.text) == 1 and not any(c in "-_./:" for c in around)


@replacing("case of a unit", Kind.NUMBER)
def _unit_case(mark: Mark, _: Item, __: Random) -> str | None:
    return mark.text[:-1] + "b" if mark.text.endswith("B") else None


@replacing("a digit changed in another form", Kind.NUMBER)
def _disguised(mark: Mark, _: Item, random: Random) -> str | None:
    changed = changed_digit(mark.text, random)
    return changed and random.choice(("**{}**", "`{}`", "\u200b{}", "{}\u200b")).format(changed)


@replacing("look-alike letters", Kind.NAME, Kind.LEVEL, Kind.STATE)
def _look_alike(mark: Mark, _: Item, __: Random) -> str:
    return mark.text.translate(_LOOK_ALIKE)


@replacing("another level", Kind.LEVEL)
def _level(_: Mark, __: Item, random: Random) -> str:
    return random.choice(LEVELS)


@replacing("another state", Kind.STATE)
def _state(mark: Mark, _: Item, __: Random) -> str:
    return _STATES[mark.text]


@replacing("a flag turned", Kind.FLAG)
def _flag(mark: Mark, _: Item, __: Random) -> str:
    return {"true": "false", "false": "true"}[mark.text]
