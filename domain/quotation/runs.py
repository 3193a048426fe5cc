"""A quotation as a run of whole tokens, or as fragments joined by ellipses (R24)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from domain.contracts import MatchKind
from domain.quotation.tokens import JOINERS, SEPARATOR, Reading, has_digit, is_number

MAX_OCCURRENCES = 200
MAX_LOOK_BACK = 60  # tokens of the same clause
MAX_FRAGMENTS = 3
MIN_FRAGMENT = 3  # tokens, unless they are a key=value
MAX_GAP = 60  # tokens swallowed by one ellipsis

_ELLIPSIS = re.compile(r"\[ *\.{3,} *\]|\( *\.{3,} *\)|< *\.{3,} *>|\.{3,}")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text that stands in the item proves less than it says."""

    reason: str
    difference: str  # the item's words concerned
    kind: MatchKind = MatchKind.NEAR_MISS


@dataclass(frozen=True, slots=True)
class Found:
    """Words `start` to `end` (exclusive) of the item."""

    start: int
    end: int
    fault: Fault | None = None


def find_run(excerpt: Reading, item: Reading, *, fold: bool) -> Found | None:
    """The first faultless place of the excerpt as a run of whole tokens, else the first place at all."""
    first: Found | None = None
    for start in _occurrences(excerpt, item, fold=fold):
        end = start + len(excerpt.words)
        fault = _fault_at_edges(item, start, end) or _moved_clause(excerpt, item, start)
        found = Found(start, end, fault)
        if fault is None:
            return found
        first = first or found
    return first


def find_elided(excerpt: Reading, item: Reading, *, fold: bool) -> Found | None:
    """The place of an excerpt whose parts are joined by explicit ellipses: in order, of one item."""
    fragments = _fragments(excerpt)
    if len(fragments) < 2:
        return None
    first: Found | None = None
    for start in _occurrences(fragments[0], item, fold=fold):
        found = _place(fragments, item, start, fold=fold)
        if found is None:
            break
        if found.fault is None:
            return found
        first = first or found
    return first


def find_inside_compounds(excerpt: Reading, item: Reading) -> Found | None:
    """A place where the excerpt, or a fragment of it beside an ellipsis, begins or ends inside a compound without
    digits."""
    pieces = _fragments(excerpt)
    at, start, cut = 0, None, list[str]()
    for piece in pieces if len(pieces) <= MAX_FRAGMENTS else ():
        place = _place_of_piece(SEPARATOR.join(piece.folded), item.joined_folded, at, whole=len(pieces) > 1)
        if place is None:
            return None
        first, at, cuts = place
        start = first if start is None else start
        cut += cuts
    if start is None or not cut:
        return None
    fault = Fault("it begins or ends inside a compound", ", ".join(cut))
    words = item.joined_folded.count(SEPARATOR, 0, start) - 1
    return Found(words, min(words + len(excerpt.words), len(item.words)), fault)


def _fragments(excerpt: Reading) -> list[Reading]:
    if not _ELLIPSIS.search(excerpt.text):
        return [excerpt]
    return [piece for piece in map(Reading.of, _ELLIPSIS.split(excerpt.text)) if piece.words]


def _place_of_piece(needle: str, joined: str, start: int, *, whole: bool) -> tuple[int, int, list[str]] | None:
    """Where a piece stands that is cut inside compounds, or with `whole` is made of whole words; and the compounds."""
    at = joined.find(needle, start)
    for _ in range(MAX_OCCURRENCES):
        if at < 0:
            return None
        end = at + len(needle)
        is_whole = joined[at - 1] == joined[end] == SEPARATOR
        cut = [] if is_whole else _cut_compounds(joined, at, end)
        if cut or (whole and is_whole):
            return at, end, cut
        at = joined.find(needle, at + 1)
    return None


def _occurrences(excerpt: Reading, item: Reading, *, fold: bool, start: int = 0) -> Iterator[int]:
    """Indexes of the words where the excerpt begins, at most MAX_OCCURRENCES."""
    if not excerpt.words:
        return
    text = item.joined_folded if fold else item.joined
    needle = excerpt.joined_folded if fold else excerpt.joined
    position, index = 0, 0
    if start:
        position = len(SEPARATOR.join((item.folded if fold else item.words)[:start])) + 1
        index = start
    for _ in range(MAX_OCCURRENCES):
        found = text.find(needle, position)
        if found < 0:
            return
        index += text.count(SEPARATOR, position, found)
        yield index
        position, index = found + 1, index + 1


def _place(fragments: list[Reading], item: Reading, start: int, *, fold: bool) -> Found | None:
    """The fragments with the first at `start` and each other at its next occurrence; None if one has none."""
    fault = _fault_of_fragments(fragments)
    end = start + len(fragments[0].words)
    for fragment in fragments[1:]:
        following = next(_occurrences(fragment, item, fold=fold, start=end), None)
        if following is None:
            return None
        fault = fault or _fault_of_number(item, end) or _fault_of_gap(item, end, following)
        end = following + len(fragment.words)
    return Found(start, end, fault or _fault_at_edges(item, start, end))


def _fault_of_fragments(fragments: list[Reading]) -> Fault | None:
    if len(fragments) > MAX_FRAGMENTS:
        return Fault(f"ellipses join {len(fragments)} fragments, more than {MAX_FRAGMENTS}", "")
    short = next((f for f in fragments if len(f.words) < MIN_FRAGMENT and "=" not in "".join(f.gaps[1:-1])), None)
    return Fault(f"a fragment has fewer than {MIN_FRAGMENT} words", short.text.strip()) if short else None


def _fault_of_gap(item: Reading, start: int, end: int) -> Fault | None:
    if end - start > MAX_GAP:
        return Fault(f"an ellipsis swallows {end - start} words, more than {MAX_GAP}", "")
    swallowed = (i for i in range(start, end) if item.is_negation(i) or item.is_failure(i))
    turned = next(swallowed, None)
    return None if turned is None else Fault("an ellipsis swallows a negation or failure", item.words[turned])


def _fault_at_edges(item: Reading, start: int, end: int) -> Fault | None:
    """What the cut before `start` or behind `end` takes away from the sense of the run."""
    return _fault_of_number(item, end) or _fault_before(item, start) or _fault_behind(item, end)


def _fault_of_number(item: Reading, end: int) -> Fault | None:
    if not item.cuts_number(end):
        return None
    return Fault("a number is cut short", item.words[end - 1] + item.words[end], MatchKind.MISMATCH)


def _fault_before(item: Reading, start: int) -> Fault | None:
    if start == 0:
        return None
    before = start - 1
    if item.is_zero(before) and not item.starts_clause(start):
        return Fault("a zero stands right before it", item.words[before])
    if item.gaps[start].rstrip("\"' ").endswith("=") and (is_number(item.words[start]) or item.is_polarity(start)):
        return Fault("a value is quoted without its key", item.words[before])
    at = start
    while not item.starts_clause(at) and start - at < MAX_LOOK_BACK:
        at -= 1
        if item.is_negation(at):
            return Fault("a negation stands before it in the same clause", item.words[at])
    return None


def _fault_behind(item: Reading, end: int) -> Fault | None:
    if end == len(item.words):
        return None
    if item.is_key(end - 1):
        return Fault("a key is quoted without its value", item.words[end])
    if item.words[end] == "?":
        return Fault("it is a question there", "?")
    if item.has_punctuation_before(end) or "\n" in item.gaps[end]:
        return None
    if item.is_polarity(end) or (":" in item.gaps[end] and item.is_zero(end)):
        return Fault("a polarity right behind it is cut off", item.words[end])
    return None


def _moved_clause(excerpt: Reading, item: Reading, start: int) -> Fault | None:
    """Punctuation put in or taken out changes what a negation in the run refers to."""
    inner = range(1, len(excerpt.words))
    moved = (i for i in inner if excerpt.has_punctuation_before(i) != item.has_punctuation_before(start + i))
    at = next(moved, None)
    if at is None or not any(map(excerpt.is_negation, range(len(excerpt.words)))):
        return None
    return Fault("clauses with a negation are joined or divided otherwise", item.words[start + at])


def _cut_compounds(joined: str, start: int, end: int) -> list[str]:
    """The compounds cut at either end of `joined[start:end]`; empty if a plain word or a number is cut."""
    edges = [(joined[start - 1], start), (joined[end], end - 1)]
    cut = [at for character, at in edges if character != SEPARATOR]
    if any(character != SEPARATOR and character not in JOINERS for character, _ in edges):
        return []
    compounds = [joined[joined.rfind(SEPARATOR, 0, at) + 1 : joined.find(SEPARATOR, at)] for at in cut]
    return [] if any(map(has_digit, compounds)) else compounds
