"""Where a refused quotation comes closest, and where it first differs. For people: nothing here accepts (R24)."""

from __future__ import annotations

from bisect import bisect_left

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio_alignment

from domain.quotation.normalise import normalise
from domain.quotation.tokens import Reading, token_spans

WINDOW = 2_000  # characters of an item that are shown
_MAX_EXCERPT = 400
_MAX_ITEM = 8_000
_BLOCK = 1_000


def window(text: str, centre: int) -> str:
    """The whole text, or WINDOW characters of it around `centre`."""
    start = max(0, min(centre - WINDOW // 2, len(text) - WINDOW))
    return text[start : start + WINDOW]


def window_at(text: str, reading: Reading, index: int) -> str:
    """The whole text, or a window of it around word `index` of its reading."""
    if len(text) <= WINDOW:
        return text
    offset = reading.offset_of(index)
    if len(reading.text) != len(text):
        offset = _offset_in(text, offset)
    return window(text, offset)


def _offset_in(text: str, offset: int) -> int:
    """Where `offset` of the normalised text lies in the text itself; blocks keep it linear."""
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK]
        length = len(normalise(block))
        if offset < length:
            return start + bisect_left(range(len(block)), offset, key=lambda end: len(normalise(block[:end])))
        offset -= length
    return len(text)


def nearest(excerpt: Reading, item: Reading) -> tuple[str, str]:
    """The stretch of the item most like the excerpt, and the first difference between the two."""
    wanted = excerpt.text[:_MAX_EXCERPT]
    region = _region(excerpt, item)
    alignment = partial_ratio_alignment(wanted, region)
    if alignment is None:
        return "", ""
    touched = [
        (start, end) for start, end in token_spans(region) if start < alignment.dest_end and end > alignment.dest_start
    ]
    if not touched:
        return "", ""
    text = region[touched[0][0] : touched[-1][1]]
    said = excerpt if wanted == excerpt.text else Reading.of(wanted)
    return " ".join(text.split())[:WINDOW], _first_difference(said.words, Reading.of(text).words)


def _region(excerpt: Reading, item: Reading) -> str:
    """The part of a large item around the longest word that it shares with the excerpt."""
    if len(item.text) <= _MAX_ITEM:
        return item.text
    shared = {word for word in excerpt.words[:_MAX_EXCERPT] if word in item.vocabulary}
    anchor = max(sorted(shared), key=len, default="")
    at = max(0, item.text.find(anchor) - _MAX_ITEM // 2)
    return item.text[at : at + _MAX_ITEM]


def _first_difference(excerpt: list[str], item: list[str]) -> str:
    for step in Levenshtein.opcodes(item, excerpt):
        if step.tag != "equal":
            return _difference(
                " ".join(excerpt[step.dest_start : step.dest_end]), " ".join(item[step.src_start : step.src_end])
            )
    return ""


def _difference(said: str, held: str) -> str:
    if not said:
        return f"left out: {held[:80]}"
    if not held:
        return f"added: {said[:80]}"
    return f"quoted: {said[:80]}, held: {held[:80]}"
