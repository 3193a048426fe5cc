"""Honest operators: the same words in another form, a part of them, or marked omissions (R24)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from random import Random

from tests.bench.quotations.corpus import Item, Kind, Span
from tests.bench.quotations.operators import Catalogue, clauses

HONEST = Catalogue()
MIN_LENGTH = 12
_WIDE = str.maketrans("，；：（）", ",;:()")
_NARROW = str.maketrans(",;()", "，；（）")
_ASCII_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_CHINESE = r"[\u4e00-\u9fff]"


def restyled(name: str) -> Callable[[Callable[[str, Random], str]], None]:
    """An operator that only changes the form of a run of whole clauses."""

    def enlist(change: Callable[[str, Random], str]) -> None:
        @HONEST.operator(name)
        def make(item: Item, _: Item, random: Random) -> str | None:
            plain = clauses(item, random)
            changed = change(plain, random) if len(plain) >= MIN_LENGTH else plain
            return changed if changed != plain else None

    return enlist


# ---------------------------------------------------------------- parts


@HONEST.operator("the whole item")
def _whole(item: Item, _: Item, __: Random) -> str:
    return item.text


@HONEST.operator("some whole clauses")
def _clauses(item: Item, _: Item, random: Random) -> str | None:
    excerpt = clauses(item, random)
    return excerpt if len(excerpt) >= MIN_LENGTH else None


@HONEST.operator("a run of whole words")
def _run(item: Item, _: Item, random: Random) -> str | None:
    places = fair_places(item)
    start, end = sorted(random.choices(places, k=2))
    excerpt = item.text[start:end].strip()
    return excerpt if len(excerpt) >= MIN_LENGTH and cuts_no_sense(item, start, end) else None


@HONEST.operator("one line")
def _line(item: Item, _: Item, random: Random) -> str | None:
    lines = [line for line in item.text.split("\n") if len(line) >= MIN_LENGTH]
    return random.choice(lines).strip() if len(lines) > 1 else None


@HONEST.operator("one whole field")
def _field(item: Item, _: Item, random: Random) -> str | None:
    if not item.records:
        return None
    field = random.choice(item.fields(random.randrange(len(item.records))))
    return field if len(field) >= MIN_LENGTH or re.fullmatch(r"[\w.]+=\S+", field) else None


@HONEST.operator("fields left out")
def _fields_left_out(item: Item, _: Item, random: Random) -> str | None:
    fields = _fields(item, random)
    chosen = sorted(random.sample(range(len(fields)), random.randint(2, len(fields) - 1))) if len(fields) > 2 else []
    return _joined(item, [fields[number] for number in chosen])


@HONEST.operator("fields in another order")
def _fields_shuffled(item: Item, _: Item, random: Random) -> str | None:
    fields = _fields(item, random)
    shuffled = random.sample(fields, len(fields))
    return _joined(item, shuffled) if shuffled != fields else None


@HONEST.operator("JSON fields as key=value")
def _json_as_pairs(item: Item, _: Item, random: Random) -> str | None:
    if not item.text.startswith("{"):
        return None
    fields = random.sample(_fields(item, random), 2)
    return ", ".join(f"{key}={value}" for key, value in (field.replace('"', "").split(":", 1) for field in fields))


def _fields(item: Item, random: Random) -> list[str]:
    return item.fields(random.randrange(len(item.records))) if item.records else []


def _joined(item: Item, fields: list[str]) -> str | None:
    if not fields:
        return None
    return "{" + ",".join(fields) + "}" if item.text.startswith("{") else ", ".join(fields)


def fair_places(item: Item) -> list[int]:
    """Offsets between whole words, inside no marked part and inside no field."""
    atoms = [*item.marks, *(span for record in item.records for span in record)]
    between = (found.start() for found in re.finditer(rf"(?={_CHINESE})|(?<={_CHINESE})|(?<=\s)|(?=\s)|$", item.text))
    return [at for at in between if not any(atom.start < at < atom.end for atom in atoms)]


def cuts_no_sense(item: Item, start: int, end: int) -> bool:
    """Neither a negation or count before the run nor a state or negation behind it is cut off within its clause."""
    first, last = item.clauses[item.clause_of(Span(start, end))], item.clauses[item.clause_of(Span(end - 1, end))]
    turned = any(first.start <= mark.start < start for mark in item.of_kind(Kind.NEGATION))
    counted = item.text[first.start : start].rstrip()[-1:].isdigit()
    behind = (mark for mark in item.of_kind(Kind.NEGATION, Kind.STATE, Kind.FLAG) if end <= mark.start < last.end)
    return not (turned or counted or any(not item.text[end : mark.start].strip() for mark in behind))


# ---------------------------------------------------------------- marked omissions


@HONEST.operator("an ellipsis", elided=True)
def _one_ellipsis(item: Item, _: Item, random: Random) -> str | None:
    return elided(item, random, 2)


@HONEST.operator("two ellipses", elided=True)
def _two_ellipses(item: Item, _: Item, random: Random) -> str | None:
    return elided(item, random, 3)


@HONEST.operator("ellipses around it", elided=True)
def _outer_ellipses(item: Item, _: Item, random: Random) -> str | None:
    excerpt = clauses(item, random)
    return f"...{excerpt}…" if len(excerpt) >= MIN_LENGTH else None


def elided(item: Item, random: Random, fragments: int) -> str | None:
    """Fragments of the item with nothing that turns the sense in the gaps between them."""
    places = fair_places(item)
    if len(places) < 2 * fragments:
        return None
    cuts = sorted(random.sample(places, 2 * fragments))
    kept = list(zip(cuts[::2], cuts[1::2], strict=True))
    turning = item.of_kind(Kind.NEGATION, Kind.STATE, Kind.FLAG)
    gaps = [Span(end, start) for (_, end), (start, _) in pairwise(kept)]
    if any(gap.holds(mark) for gap in gaps for mark in turning) or not all(cuts_no_sense(item, *cut) for cut in kept):
        return None
    texts = [item.text[start:end].strip() for start, end in kept]
    if not all(item.text[gap.start : gap.end].strip() for gap in gaps) or min(map(_word_count, texts)) < 3:
        return None
    return random.choice((" ... ", "…", "……", " [...] ")).join(texts)


def _word_count(text: str) -> int:
    """Blanks and Chinese characters part words; a number is one word with its unit, or with the whole it is part of."""
    counted = re.sub(r"(?<=\d) of (?=\d)|(?<=\d) (?=[a-z]{1,3}\b)", "/", text)
    return len(re.findall(rf"{_CHINESE}|\w[^\s\u4e00-\u9fff]*", counted))


# ---------------------------------------------------------------- another form


@restyled("more white space")
def _white_space(text: str, random: Random) -> str:
    return re.sub(r"\s+", lambda _: random.choice(("  ", "\n", "\t", " \n ")), text)


@restyled("no-break and ideographic blanks")
def _blanks(text: str, random: Random) -> str:
    return text.replace(" ", random.choice("\u00a0\u3000\u2009\u202f"))


@restyled("soft line breaks")
def _wrapped(text: str, random: Random) -> str:
    return re.sub(r"(?<=[a-z]) (?=[a-z])", lambda _: random.choice((" ", "\n")), text)


@restyled("zero-width characters")
def _invisible(text: str, random: Random) -> str:
    at = random.randrange(1, len(text))
    return text[:at] + random.choice("\u200b\u200d\ufeff\u00ad\u2060") + text[at:]


@restyled("half-width punctuation")
def _half_width(text: str, _: Random) -> str:
    return text.translate(_WIDE)


@restyled("full-width punctuation")
def _full_width(text: str, _: Random) -> str:
    return re.sub(r"(?<!\d)[,;()]|[,;()](?!\d)", lambda found: found[0].translate(_NARROW), text)


@restyled("full-width letters and digits")
def _full_width_words(text: str, random: Random) -> str:
    return re.sub(
        r"[A-Za-z0-9]+", lambda found: found[0].translate(_ASCII_WIDE) if random.random() < 0.3 else found[0], text
    )


@restyled("curly quotes")
def _curly(text: str, random: Random) -> str:
    opening, closing = random.choice(("“”", "「」", "„“", "『』"))
    return re.sub(r'"([^"\n]*)"', rf"{opening}\1{closing}", text)


@restyled("typographic hyphens and dashes")
def _dashes(text: str, random: Random) -> str:
    return text.replace("-", random.choice("‐‑–"))


@restyled("outer quotes")
def _quoted(text: str, random: Random) -> str:
    opening, closing = random.choice(('""', "''", "“”", "「」", "《》", "【】"))
    return f"{opening}{text}{closing}"


@restyled("bold")
def _bold(text: str, random: Random) -> str:
    words = r"^\S+" if random.random() < 0.5 else r"(?s)^.+$"
    return re.sub(words, r"**\g<0>**", text)


@restyled("code span or fence")
def _code(text: str, random: Random) -> str:
    return random.choice(("`{}`", "```\n{}\n```")).format(text)


@restyled("list item")
def _bullet(text: str, random: Random) -> str:
    return random.choice(("- ", "* ", "• ", "· ")) + text


@restyled("block quote")
def _block_quote(text: str, _: Random) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


@restyled("JSON escapes")
def _escaped(text: str, _: Random) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


@restyled("JSON escapes of Chinese")
def _escaped_characters(text: str, _: Random) -> str:
    return json.dumps(text)[1:-1]


@restyled("other case of words")
def _other_case(text: str, random: Random) -> str:
    change = random.choice((str.lower, str.upper, str.capitalize))
    return re.sub(r"(?<![\w.,%-])[A-Za-z]{3,}(?![\w.-])", lambda found: change(found[0]), text)


@restyled("blanks around Chinese")
def _chinese_blanks(text: str, random: Random) -> str:
    if random.random() < 0.5:
        return re.sub(rf"(?<={_CHINESE}) (?=\w)|(?<=\w) (?={_CHINESE})", "", text)
    return re.sub(rf"(?<={_CHINESE})(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?={_CHINESE})", " ", text)


@restyled("a blank before a unit")
def _unit_apart(text: str, _: Random) -> str:
    return re.sub(r"(?<=\d)(?=(?:ms|MB|GB|%)(?!\w))", " ", text)


@restyled("a full stop at its end")
def _stopped(text: str, random: Random) -> str:
    return text + random.choice(".。；,")
