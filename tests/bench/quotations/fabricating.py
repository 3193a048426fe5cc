"""Fabricating operators: quotations of words that the item does not hold, or that say there something else (R24).

Edits that leave a true quotation behind are dropped (truth.py), but for the weak operators: what they leave stands in
the item, and deceives nevertheless by what it leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.bench.quotations.corpus import Item, Kind, Mark
from tests.bench.quotations.honest import elided, fair_places
from tests.bench.quotations.operators import Catalogue, clauses
from tests.bench.quotations.truth import is_still_true
from tests.bench.quotations.vocabulary import LEVELS, SERVICES, WORDS

FABRICATING = Catalogue()
MIN_LENGTH = 10
_UNITS = (
    {"ms": "s", " s": " min", "MB": "GB", "GB": "MB", "%": "", "m": "h", " 天": " 周"}
    | {" 秒": " 分钟", " 毫秒": " 秒", " 分钟": " 小时", " 条": " 万条", " 万": " 亿", " 元": " 万元", "℃": "℉"}
)  # fmt: skip
_STATES = {
    "firing": "resolved", "resolved": "firing", "pending": "firing", "paused": "resumed", "failed": "succeeded",
    "opened": "closed", "aborted": "completed", "失败": "成功", "已恢复": "未恢复",
}  # fmt: skip
_LOOK_ALIKE = str.maketrans("aeopcx", "аеорсх")
_FUNCTION = set("的了着地得之其该此这那也就都还又便则而且与和及并在于把被所以为因对向从由给让使个后上下时仍尚")
_SMALL_WORDS = {
    "the", "was", "are", "for", "and", "from", "with", "into", "after", "since", "because", "its", "that", "does",
}  # fmt: skip
_NEIGHBOURS = re.compile(r"(?<![\w=-])([A-Za-z]{3,}) ([A-Za-z]{3,})(?![\w=-])|([\u4e00-\u9fff])([\u4e00-\u9fff])")

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


# ---------------------------------------------------------------- numbers


@replacing("one digit changed", Kind.NUMBER)
def _digit(mark: Mark, _: Item, random: Random) -> str | None:
    return _changed_digit(mark.text, random)


def _changed_digit(text: str, random: Random) -> str | None:
    places = [i for i, c in enumerate(text) if c.isdigit() and c.isascii()]
    if not places:
        return None
    at = random.choice(places)
    return text[:at] + random.choice([d for d in "123456789" if d != text[at]]) + text[at + 1 :]


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


# ---------------------------------------------------------------- names, levels, states


@replacing("another name", Kind.NAME)
def _name(mark: Mark, item: Item, random: Random) -> str:
    same_shape = [other for other in item.of_kind(Kind.NAME) if other.text != mark.text]
    return random.choice(same_shape).text if same_shape and random.random() < 0.5 else random.choice(SERVICES)


@replacing("a digit of a name changed", Kind.NAME)
def _name_digit(mark: Mark, _: Item, random: Random) -> str | None:
    return _changed_digit(mark.text, random)


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
    changed = _changed_digit(mark.text, random)
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


# ---------------------------------------------------------------- negations


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


# ---------------------------------------------------------------- words


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


# ---------------------------------------------------------------- order and origin


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


# ---------------------------------------------------------------- records


@FABRICATING.operator("fields of two records mixed")
def _mixed_records(item: Item, _: Item, random: Random) -> str | None:
    if len(item.records) < 2:
        return None
    first, second = item.fields(0), item.fields(1)
    at = random.randrange(1, len(first))
    fields = [*first[:at], *second[at:]]
    excerpt = "{" + ",".join(fields) + "}" if item.text.startswith("{") else ", ".join(fields)
    is_one_record = any(all(field in item.fields(number) for field in fields) for number in range(2))
    return None if is_one_record else excerpt


@FABRICATING.operator("a value under another key")
def _other_key(item: Item, _: Item, random: Random) -> str | None:
    if not item.records:
        return None
    fields = [re.split(r"(?<=[=:]) ?", field, maxsplit=1) for field in item.fields(0)]
    a, b = random.sample(range(len(fields)), 2)
    separator = ":" if item.text.startswith("{") else "="
    if fields[a][1] == fields[b][1] or not fields[a][0].endswith(separator):
        return None
    said = f"{fields[a][0]}{fields[b][1]}"
    return (
        None if said in item.fields(0) else ", ".join([said, "".join(fields[b])] if random.random() < 0.5 else [said])
    )


@FABRICATING.operator("a field of its own making")
def _invented_field(item: Item, _: Item, random: Random) -> str | None:
    if not item.records:
        return None
    invented = random.choice(("errors=0", "status=healthy", "leak=true", "oom_killed=1"))
    return ", ".join([*item.fields(0)[: random.randint(1, 3)], invented])


# ---------------------------------------------------------------- under an ellipsis


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
    changed = _changed_digit(excerpt, random) if excerpt else None
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
