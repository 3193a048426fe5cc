"""Structured items: any subset of a record's fields, in any order, each whole, from one record (R24)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from domain.quotation import lexicon
from domain.quotation.tokens import CJK, Reading

_BOUNDARY = re.compile(
    r'"[^"\n]*"|\[[^\[\]\n]*\]|\([^()\n]*\)'
    r"|(?P<cut>(?:(?<!\d),|,(?!\d)|[;、|])\s*|\s{2,}|(?<=\])\s+|\s+(?=[\w.\-/]+=))"
)
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)  # numbers as they are written
_MAX_DEPTH = 4
_BARE_VALUE = re.compile(r'(?P<field>(?P<key>[\w.\-/]+)=[^\s"]+)\s+(?P<rest>\S.*)', re.DOTALL)
_NUMBER_AND_MEASURE = re.compile(rf"\d\s+[{CJK}]")
_LIST = re.compile(r"total=\d+: ")  # of a summary: one field, no name is left out
_KEY = re.compile(r"[\w.\-/]+=")
_KEYED = re.compile(r'[\w.\-/)\]]"?\s*(?:=|:(?=\s|"))')


@dataclass(frozen=True, slots=True)
class Field:
    """The words of one whole field; `key` is None for a piece of plain text, which keeps its place."""

    key: tuple[str, ...] | None
    words: tuple[str, ...]


def is_record_subset(excerpt: Reading, item: Reading, *, fold: bool) -> bool:
    """Whether each field of the excerpt is a whole field of one and the same record of the item."""
    readings = [_fields_of_excerpt(excerpt.text, fold=fold), _fields(_one_line(excerpt.text), fold=fold, apart=False)]
    readings = [wanted for wanted in readings if any(field.key for field in wanted)]
    if not readings:
        return False
    return any(_is_subset(wanted, record) for record in _records(item.text, fold=fold) for wanted in readings)


def mixes_records(excerpt: Reading, item: Reading) -> bool:
    """Whether the excerpt, known to be of no single record, quotes fields of an item that holds several."""
    keyed = [field for field in _fields_of_excerpt(excerpt.text, fold=True) if field.key]
    return len(keyed) > 1 and len(list(islice(_records(item.text, fold=True), 2))) > 1


def _is_subset(wanted: Sequence[Field], record: Sequence[Field]) -> bool:
    """Fields with a key may be left out and change places; plain pieces stay in order, with none left out between
    two that stand side by side."""
    keyed = {field.words for field in record if field.key}
    places = ((at, field.words) for at, field in enumerate(record) if not field.key)
    last: int | None = None
    for field in wanted:
        if field.key:
            if field.words not in keyed:
                return False
            continue
        at = next((place for place, words in places if words == field.words), None)
        if at is None or (last is not None and _leaves_prose_out(record, last, at)):
            return False
        last = at
    return True


def _leaves_prose_out(record: Sequence[Field], start: int, end: int) -> bool:
    between = record[start + 1 : end]
    return bool(between) and not any(field.key for field in between)


def _fields_of_excerpt(text: str, *, fold: bool) -> list[Field]:
    for candidate in (text.strip(), "{" + text.strip().strip("{},") + "}") if '"' in text else ():
        value = _whole_object(candidate)
        if value:
            return list(_leaves(value, (), fold=fold))
    return _fields(_one_line(text), fold=fold)


def _one_line(text: str) -> str:
    return text.replace("\n", " ")


def _records(text: str, *, fold: bool) -> Iterator[list[Field]]:
    """Every JSON object of the item, or every line; a line begins a new record where a key comes again."""
    if '{"' in text:
        for found in _objects(list(_embedded(text))):
            yield list(_leaves(found, (), fold=fold))
        return
    for line in text.split("\n"):
        for record in _split_at_repeated_key(_fields(line, fold=fold)):
            if sum(field.key is not None for field in record) >= 2:
                yield record


def _split_at_repeated_key(fields: list[Field]) -> Iterator[list[Field]]:
    record: list[Field] = []
    keys: set[tuple[str, ...]] = set()
    for field in fields:
        if field.key in keys:
            yield record
            record, keys = [], set()
        record.append(field)
        keys |= {field.key} if field.key else set()
    yield record


def _fields(line: str, *, fold: bool, apart: bool = True) -> list[Field]:
    """The fields of one line of `key=value`, `key: value` and plain pieces. A negation stays with what follows it.
    `apart`: bare values end at a blank."""
    fields: list[Field] = []
    begin = 0
    cuts = [cut.span() for cut in _BOUNDARY.finditer(line) if cut["cut"] is not None]
    for start, end in [*cuts, (len(line), len(line))]:
        if end < len(line) and _LIST.match(line, begin) and not _KEY.match(line, end):
            continue
        reading = Reading.of(line[begin:start])
        if reading.words and not (end < len(line) and reading.is_negation(len(reading.words) - 1)):
            piece = line[begin:start]
            fields += [_field(part, fold=fold) for part in (_apart(piece) if apart else [piece])]
            begin = end
    return fields


def _apart(piece: str) -> list[str]:
    """A bare value ends at a blank (`lvl=debug span closed`), unless it is prose, or its unit or what turns its sense
    follows."""
    bare = _BARE_VALUE.fullmatch(piece.strip())
    if not bare or bare["key"].casefold() in lexicon.TEXT_KEYS or _cuts_value(bare):
        return [piece]
    rest = Reading.of(bare["rest"])
    turns = not rest.words or rest.is_polarity(0) or Reading.of(bare["field"]).is_negation(-1)
    return [piece] if turns else [bare["field"], bare["rest"]]


def _cuts_value(bare: re.Match[str]) -> bool:
    """Whether the blank stands inside the value: before a unit or measure word (`wait=64 s`, `积压=57 万条`), or behind
    a colon (`total=3: a, b`)."""
    words = Reading.of(bare["field"]).words
    is_cut = bare["field"].endswith(":") or Reading.of(bare.string).words[: len(words)] != words
    return is_cut or bool(_NUMBER_AND_MEASURE.match(bare.string, bare.end("field") - 1))


def _field(text: str, *, fold: bool) -> Field:
    reading = Reading.of(text)
    words = tuple(reading.folded if fold else reading.words)
    keyed = _KEYED.search(text)
    key = Reading.of(text[: keyed.end()]) if keyed else None
    return Field(tuple(key.folded) if key else None, words)


def _whole_object(text: str) -> dict[str, Any] | None:
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _embedded(text: str) -> Iterator[Any]:
    """The JSON objects that stand in a text, up to the first that is none."""
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield value
        at = text.find("{", end)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            yield current
            pending.extend(current.values())
        elif isinstance(current, list):
            pending.extend(current)


def _leaves(value: dict[str, Any], path: tuple[str, ...], *, fold: bool) -> Iterator[Field]:
    """The fields of an object and of the objects right inside it. Objects in a list are records of their own."""
    for name, member in value.items():
        key = (*path, name)
        if isinstance(member, dict) and len(key) < _MAX_DEPTH:
            yield from _leaves(member, key, fold=fold)
        elif not _holds_containers(member):
            named = Reading.of(" ".join(key))
            held = Reading.of(member if isinstance(member, str) else json.dumps(member, ensure_ascii=False))
            words = [*named.folded, *held.folded] if fold else [*named.words, *held.words]
            yield Field(tuple(named.folded), tuple(words))


def _holds_containers(member: Any) -> bool:
    return isinstance(member, dict) or (isinstance(member, list) and any(isinstance(m, (dict, list)) for m in member))
