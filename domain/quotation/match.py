"""The decision on one quotation (R24): it passes, is a near miss, or is false. No similarity score decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from domain.contracts import MatchKind, Severity
from domain.quotation.alignment import is_near_miss
from domain.quotation.explain import nearest, window_at
from domain.quotation.records import is_record_subset
from domain.quotation.runs import Found, find_elided, find_inside_compounds, find_run
from domain.quotation.tokens import Passage, Reading

MIN_LENGTH = 8  # normalised characters of a quotation that can be checked

_SEVERITIES = {
    MatchKind.NEAR_MISS: Severity.LOW_CONFID,
    MatchKind.UNCHECKABLE: Severity.LOW_CONFID,
    MatchKind.MISMATCH: Severity.REJECT,
}


@dataclass(frozen=True, slots=True)
class QuotationMatch:
    """What became of a quotation. `matched_text` is the item (or 2,000 characters around the match) of a pass;
    `nearest_text` and `first_difference` explain everything else."""

    kind: MatchKind
    case_folded: bool = False
    matched_text: str | None = None
    nearest_text: str | None = None
    first_difference: str | None = None
    reason: str = ""

    @property
    def severity(self) -> Severity:
        """What the match costs its binding (R24, R25)."""
        return _SEVERITIES.get(self.kind, Severity.NONE)


def match_quotation(excerpt: str, item: str) -> QuotationMatch:
    """Whether `excerpt` is really in `item`, one evidence ref's text (R24). Never raises; near-linear time."""
    return match(Passage(excerpt), Passage(item))


def match(excerpt: Passage, item: Passage) -> QuotationMatch:
    """`match_quotation` for texts that are compared more than once."""
    return recognise(excerpt, item) or _refuse(excerpt, item)


def recognise(excerpt: Passage, item: Passage) -> QuotationMatch | None:
    """The match of a text that stands in the item, or nearly so; None for a mismatch, unexplained and so cheap."""
    return find(excerpt, item) or _forgive(excerpt, item)


def find(excerpt: Passage, item: Passage) -> QuotationMatch | None:
    """The match of a text that stands in the item, be it at a faulty place; None where it does not."""
    if not excerpt.plain.words:
        return _without_words(excerpt, item)
    first: QuotationMatch | None = None
    for wanted, held in _readings(excerpt, item):
        if not _could_hold(held, wanted):
            continue
        for fold in (False, True):
            found = _find_in(wanted, held, excerpt, item, fold=fold)
            if found and found.severity is Severity.NONE:
                return found
            first = first or found
    return first


def _could_hold(held: Reading, wanted: Reading) -> bool:
    """A cheap test that refuses most false quotations at once."""
    return all(word in held.vocabulary for word in wanted.folded)


def _readings(excerpt: Passage, item: Passage) -> Iterator[tuple[Reading, Reading]]:
    """The two texts in the forms in which they may agree, one difference of form at a time."""
    yield excerpt.plain, item.plain
    if excerpt.unescaped and excerpt.unescaped.words:
        yield excerpt.unescaped, item.plain
    if item.unescaped:
        yield excerpt.plain, item.unescaped
    if item.unembedded:
        yield excerpt.plain, item.unembedded
    if excerpt.unquoted:
        yield excerpt.unquoted, item.plain
    if excerpt.colons_apart is not excerpt.plain or item.colons_apart is not item.plain:
        yield excerpt.colons_apart, item.colons_apart


def _find_in(wanted: Reading, held: Reading, excerpt: Passage, item: Passage, *, fold: bool) -> QuotationMatch | None:
    run = find_run(wanted, held, fold=fold)
    if run:
        is_exact = not fold and wanted is excerpt.plain and excerpt.text.strip() in item.text
        return _found(MatchKind.EXACT if is_exact else MatchKind.NORMALISED, run, wanted, held, item, fold=fold)
    elided = find_elided(wanted, held, fold=fold)
    if elided:
        return _found(MatchKind.ELIDED, elided, wanted, held, item, fold=fold)
    if is_record_subset(wanted, held, fold=fold):
        start = held.folded.index(wanted.folded[0])
        return QuotationMatch(MatchKind.RECORD, fold, window_at(item.text, held, start))
    return None


def _found(
    kind: MatchKind, found: Found, wanted: Reading, held: Reading, item: Passage, *, fold: bool
) -> QuotationMatch:
    near = held.around(found.start, found.end)
    is_false = found.fault is not None and found.fault.kind is MatchKind.MISMATCH
    if not is_false and len(" ".join(wanted.text.split())) < MIN_LENGTH and not _is_whole_field(wanted, held, found):
        reason = f"fewer than {MIN_LENGTH} characters are too few to be checked"
        return QuotationMatch(MatchKind.UNCHECKABLE, fold, None, near, None, reason)
    if found.fault:
        difference = found.fault.difference or None
        return QuotationMatch(found.fault.kind, fold, None, near, difference, found.fault.reason)
    return QuotationMatch(kind, fold, window_at(item.text, held, found.start))


def _is_whole_field(wanted: Reading, held: Reading, found: Found) -> bool:
    """Whether a short quotation is a whole `key=value`: `up=1`."""
    ends_field = found.end == len(held.words) or held.gaps[found.end] != ""
    return "=" in "".join(wanted.gaps[1:-1]) and held.starts_clause(found.start) and ends_field


def _without_words(excerpt: Passage, item: Passage) -> QuotationMatch:
    text = excerpt.plain.text.strip()
    if len(text) >= MIN_LENGTH and text == item.plain.text.strip():
        return QuotationMatch(MatchKind.EXACT, matched_text=window_at(item.text, item.plain, 0))
    return QuotationMatch(MatchKind.UNCHECKABLE, reason="the quotation holds no words")


def _forgive(excerpt: Passage, item: Passage) -> QuotationMatch | None:
    """A near miss of a text that stands nowhere as it is quoted."""
    for wanted, held in _readings(excerpt, item):
        cut = find_inside_compounds(wanted, held)
        if cut and cut.fault:
            return QuotationMatch(
                MatchKind.NEAR_MISS,
                nearest_text=held.around(cut.start, cut.end),
                first_difference=cut.fault.difference,
                reason=cut.fault.reason,
            )
        if is_near_miss(wanted, held):
            return _explained(MatchKind.NEAR_MISS, wanted, held, "uncritical words or whole clauses differ")
    return _forgive_order(excerpt, item)


def _forgive_order(excerpt: Passage, item: Passage) -> QuotationMatch | None:
    """A near miss of a text that differs in the commas of its numbers or the order of its labels."""
    wanted, held = excerpt.regrouped, item.regrouped
    if (wanted is excerpt.plain and held is item.plain) or not _could_hold(held, wanted):
        return None
    run = find_run(wanted, held, fold=True)
    if run is None or (run.fault and run.fault.kind is MatchKind.MISMATCH):
        return None
    return _explained(MatchKind.NEAR_MISS, wanted, held, "commas in numbers or the order of labels differ")


def _refuse(excerpt: Passage, item: Passage) -> QuotationMatch:
    return _explained(MatchKind.MISMATCH, excerpt.plain, item.plain, "the quotation is not in the item")


def _explained(kind: MatchKind, wanted: Reading, held: Reading, reason: str) -> QuotationMatch:
    text, difference = nearest(wanted, held)
    return QuotationMatch(kind, nearest_text=text or None, first_difference=difference or None, reason=reason)
