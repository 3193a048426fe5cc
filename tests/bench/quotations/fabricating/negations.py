"""Negations left out, put in, cut off or carried elsewhere."""

from __future__ import annotations

from random import Random

from tests.bench.quotations.corpus import Item, Kind, Mark
from tests.bench.quotations.fabricating.edits import FABRICATING, MIN_LENGTH, false_or_none, inserted, replacing


@replacing("negation left out", Kind.NEGATION)
def _no_negation(_: Mark, __: Item, ___: Random) -> str:
    return ""


@replacing("negation turned", Kind.NEGATION)
def _negation_turned(mark: Mark, _: Item, __: Random) -> str:
    turned = {
        "not": "now",
        "no": "some",
        "never": "ever",
        "没有": "已经",
        "未": "已",
        "不": "只",
        "无": "有",
        "拒绝": "接受",
    }
    return turned[mark.text]


@FABRICATING.operator("negation put in")
def _negation_added(item: Item, _: Item, random: Random) -> str | None:
    return inserted(item, "not" if item.language == "en" else "没有", random)


@FABRICATING.operator("begins behind a negation", weak=True)
def _behind_negation(item: Item, _: Item, random: Random) -> str | None:
    negations = item.of_kind(Kind.NEGATION)
    if not negations:
        return None
    mark = random.choice(negations)
    excerpt = item.text[mark.end : item.clauses[item.clause_of(mark)].end].strip(" ,;，；\n")
    return excerpt if len(excerpt) >= MIN_LENGTH else None


@FABRICATING.operator("value of a flag cut off", weak=True)
def _flag_cut(item: Item, _: Item, random: Random) -> str | None:
    flags = item.of_kind(Kind.FLAG)
    if not flags:
        return None
    mark = random.choice(flags)
    begin = item.clauses[random.randint(0, item.clause_of(mark))].start
    excerpt = item.text[begin : mark.start].rstrip('=":')
    return excerpt if len(excerpt) >= MIN_LENGTH else None


@FABRICATING.operator("state behind it cut off", weak=True)
def _state_cut(item: Item, _: Item, random: Random) -> str | None:
    states = [mark for mark in item.of_kind(Kind.STATE) if mark.text in {"resolved", "failed", "失败", "已恢复"}]
    if not states:
        return None
    mark = random.choice(states)
    begin = item.clauses[random.randint(0, item.clause_of(mark))].start
    excerpt = item.text[begin : mark.start].strip()
    return excerpt if len(excerpt) >= MIN_LENGTH else None


@FABRICATING.operator("a negated clause left out silently")
def _negated_clause(item: Item, _: Item, random: Random) -> str | None:
    inner = [
        number for mark in item.of_kind(Kind.NEGATION) if 0 < (number := item.clause_of(mark)) < len(item.clauses) - 1
    ]
    return _without_clause(item, random.choice(inner)) if inner else None


@FABRICATING.operator("a clause left out silently", weak=True)
def _clause_left_out(item: Item, _: Item, random: Random) -> str | None:
    negated = {item.clause_of(mark) for mark in item.of_kind(Kind.NEGATION)}
    ends = [item.text[clause.start : clause.end].rstrip(" ")[-1:] for clause in item.clauses]
    divided = [number for number in range(1, len(ends) - 1) if {ends[number - 1], ends[number]} <= set(",;，；\n")]
    inner = [number for number in divided if number not in negated]
    return _without_clause(item, random.choice(inner)) if inner and not item.records else None


def _without_clause(item: Item, number: int) -> str | None:
    before, behind = item.cut(number - 1, number - 1), item.cut(number + 1, number + 1)
    separator = "\n" if "\n" in item.text else "，" if item.language == "zh" else ", "
    return false_or_none(f"{before}{separator}{behind}", item)
