"""Numbers, signs, comparisons and units that the item does not hold."""

from __future__ import annotations

import re
from random import Random

from tests.bench.quotations.corpus import Item, Kind, Mark
from tests.bench.quotations.fabricating.edits import (
    FABRICATING,
    MIN_LENGTH,
    changed_digit,
    false_or_none,
    replacing,
)

_UNITS = (
    {"ms": "s", " s": " min", "MB": "GB", "GB": "MB", "%": "", "m": "h", " 天": " 周"}
    | {" 秒": " 分钟", " 毫秒": " 秒", " 分钟": " 小时", " 条": " 万条", " 万": " 亿", " 元": " 万元", "℃": "℉"}
)  # fmt: skip


@replacing("one digit changed", Kind.NUMBER)
def _digit(mark: Mark, _: Item, random: Random) -> str | None:
    return changed_digit(mark.text, random)


@replacing("two digits exchanged", Kind.NUMBER)
def _digits_exchanged(mark: Mark, _: Item, random: Random) -> str | None:
    pairs = [found.start() for found in re.finditer(r"(?=[0-9][0-9])", mark.text)]
    at = random.choice(pairs) if pairs else None
    return None if at is None else mark.text[:at] + mark.text[at + 1] + mark.text[at] + mark.text[at + 2 :]


@replacing("a digit put in or left out", Kind.NUMBER)
def _digit_count(mark: Mark, _: Item, random: Random) -> str | None:
    places = [i for i, c in enumerate(mark.text) if c.isdigit() and c.isascii()]
    if not places:
        return None
    at = random.choice(places)
    added = mark.text[:at] + random.choice("123456789") + mark.text[at:]
    dropped = mark.text[:at] + mark.text[at + 1 :]
    return random.choice((added, dropped)) if re.match(r"\D*\d\d", mark.text) else added


@FABRICATING.operator("a number cut at its head")
def _cut_head(item: Item, _: Item, random: Random) -> str | None:
    cut = _inside_number(item, random)
    if not cut:
        return None
    mark, at = cut
    end = item.clauses[random.randint(item.clause_of(mark), len(item.clauses) - 1)].end
    return false_or_none(item.text[at:end].strip(" .,:/;，；\n"), item)


@FABRICATING.operator("a number cut at its end")
def _cut_end(item: Item, _: Item, random: Random) -> str | None:
    cut = _inside_number(item, random)
    if not cut:
        return None
    mark, at = cut
    begin = item.clauses[random.randint(0, item.clause_of(mark))].start
    return false_or_none(item.text[begin:at].rstrip(".,:/"), item)


def _inside_number(item: Item, random: Random) -> tuple[Mark, int] | None:
    """A number of several digits, and an offset between two of them."""
    found = [(mark, digits) for mark in item.of_kind(Kind.NUMBER) if (digits := re.search(r"\d[\d.,/:]*\d", mark.text))]
    if not found:
        return None
    mark, digits = random.choice(found)
    return mark, mark.start + random.randint(digits.start() + 1, digits.end() - 1)


@replacing("decimal point moved or dropped", Kind.NUMBER)
def _point(mark: Mark, _: Item, random: Random) -> str | None:
    found = re.search(r"(\d+)\.(\d)(\d)", mark.text)
    if not found:
        return None
    moved = random.choice((f"{found[1]}{found[2]}.{found[3]}", f"{found[1]}{found[2]}{found[3]}"))
    return mark.text.replace(found[0], moved)


@replacing("sign put in or left out", Kind.NUMBER)
def _sign(mark: Mark, item: Item, _: Random) -> str | None:
    if mark.text.startswith("-"):
        return mark.text[1:]
    is_signable = mark.text[0].isdigit() and item.text[mark.start - 1 : mark.start] in {"", " ", "="}
    return "-" + mark.text if is_signable and ":" not in mark.text else None


@replacing("comparison turned or dropped", Kind.NUMBER)
def _comparison(mark: Mark, _: Item, random: Random) -> str | None:
    return random.choice(("<", "", ">=")) + mark.text[1:] if mark.text.startswith(">") else None


@replacing("another unit", Kind.NUMBER)
def _unit(mark: Mark, _: Item, __: Random) -> str | None:
    unit = _unit_of(mark)
    return mark.text.removesuffix(unit) + _UNITS[unit] if unit in _UNITS else None


@FABRICATING.operator("unit cut off at the end")
def _unit_cut(item: Item, _: Item, random: Random) -> str | None:
    marks = [mark for mark in item.of_kind(Kind.NUMBER) if _unit_of(mark) in _UNITS and _unit_of(mark) != " 条"]
    if not marks:
        return None
    mark = random.choice(marks)
    begin = item.clauses[random.randint(0, item.clause_of(mark))].start
    excerpt = item.text[begin : mark.end].removesuffix(_unit_of(mark))
    return (
        excerpt
        if len(excerpt) >= MIN_LENGTH and excerpt not in item.text.replace(item.text[begin : mark.end], "")
        else None
    )


@replacing("superscript as a digit", Kind.NUMBER)
def _superscript(mark: Mark, _: Item, __: Random) -> str | None:
    return mark.text.translate(str.maketrans("²³", "23"))


def _unit_of(mark: Mark) -> str:
    return re.sub(r"^.*\d", "", mark.text)
