"""Whether an edited quotation is still a true one (R24): its words stand in the item, or its fields in one record.

Deliberately not the matcher's way: pieces between blanks and punctuation are compared as they are written, for the
generator edits nothing but words.
"""

from __future__ import annotations

import re

from tests.bench.quotations.corpus import Item

_PIECE = re.compile(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff，。；：、,;()\[\]{}\"']+")

_JSON_FIELD = re.compile(r'"(\w+)":"?([^",}]*)"?')
_BETWEEN_PARTS = re.compile(r", |，|; |  |(?<=\S) (?=\w+=)|\n|…+|\[?\.{3}\]?")


def is_still_true(excerpt: str, item: Item) -> bool:
    wanted, held = pieces(excerpt), pieces(item.text)
    if any(held[at : at + len(wanted)] == wanted for at in range(len(held) - len(wanted) + 1)):
        return True
    parts = [part for text in _BETWEEN_PARTS.split(excerpt) if (part := pieces(text))]
    return any(_is_part_of_record(parts, item, number) for number in range(len(item.records)))


def _is_part_of_record(parts: list[list[str]], item: Item, number: int) -> bool:
    """Whole fields stand in any order and with or without an ellipsis; what is no field keeps its order."""
    fields = [pieces(field) for field in item.fields(number)]
    others = [part for part in parts if part not in fields]
    prose = iter([pieces(item.cut(at, at)) for at in range(len(item.clauses))])
    return len(others) < len(parts) and all(part in prose for part in others)


def pieces(text: str) -> list[str]:
    """What is written between blanks and punctuation; a field of a JSON object is the same as `key=value`."""
    pairs = _JSON_FIELD.sub(r"\1=\2", text)
    return [piece.rstrip(".:") for piece in _PIECE.findall(pairs) if piece.rstrip(".:")]
