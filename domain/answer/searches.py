"""What searches say of themselves in an answer: why one could not decide, what was looked through (R48, R69)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domain.answer.speech import CHINESE, Speech
from domain.contracts import ClaimType, ToolInvocation, VerifiedClaim
from domain.evidence.coverage import Coverage, Doubt, DoubtKind, Unread
from domain.evidence.value_answer import QUERIES
from domain.evidence.window import EVER

_EXCLUDE = "exclude "
_MOST_NAMES = 5
_MEASURED = frozenset({"query_metrics"})
"""Tools whose entries are alerts and series."""
_DOCUMENTS = frozenset({"lookup_knowledge"})


@dataclass(frozen=True, slots=True)
class Gap:
    """A line of the gap section, and the evidence-collecting action that would close it."""

    text: str
    action: str


def doubt_gap(
    coverage: Coverage, *, tool_name: str = "query_logs", says_what: bool = True, speech: Speech = CHINESE
) -> Gap:
    """Why a search that found nothing proves no absence: its first doubt, and how to mend it.

    `says_what` False leaves out what was sought, where the words may not be shown.
    """
    doubt = next(iter(coverage.doubts))
    mend = _mend(doubt, coverage, speech)
    is_log = tool_name not in _MEASURED
    if doubt.unknown:
        return Gap(_unknown_name(doubt, coverage, tool_name, speech), mend)
    if tool_name in _DOCUMENTS:
        return _document_gap(doubt, coverage, speech, says_what=says_what)
    what = sought(coverage, "thing.log" if is_log else "thing.measure", speech)
    if not says_what:
        what = speech.text("thing.any_log" if is_log else "thing.measure")
    reason = _reason(doubt, coverage, speech) if is_log else _reason_of_measures(doubt, coverage, speech)
    return Gap(speech.text("doubt", what=what, reason=reason, mend=mend), mend)


def _document_gap(doubt: Doubt, coverage: Coverage, speech: Speech, *, says_what: bool) -> Gap:
    words = " ".join(coverage.sought.words)
    what = speech.text("thing.document_on", words=words) if says_what and words else speech.text("thing.document")
    mend = speech.text("mend.document")
    return Gap(speech.text("doubt", what=what, reason=_reason(doubt, coverage, speech), mend=mend), mend)


def sought(coverage: Coverage, thing: str = "thing.log", speech: Speech = CHINESE) -> str:
    """`order-service 的 ERROR OutOfMemoryError 日志`: what was looked for, in the words of the search."""
    said = coverage.sought
    words = " ".join([*said.levels[:1], *said.words])
    kind = f"{words} {speech.text(thing)}" if words else speech.text(thing)
    if not said.services:
        return kind
    return speech.text("sought", services=speech.joined("and", said.services), thing=kind)


def _unknown_name(doubt: Doubt, coverage: Coverage, tool_name: str, speech: Speech) -> str:
    names = speech.joined("and", doubt.nearest[:_MOST_NAMES])
    said = {"source": tool_name, "name": doubt.unknown, "kind": speech.text(f"kind.{kind_of_name(doubt, coverage)}")}
    if names:
        return speech.text("unknown_name", names=names, **said)
    return speech.text("unknown_name.alone", **said)


def kind_of_name(doubt: Doubt, coverage: Coverage) -> str:
    """What the name of a doubt is the name of: service, alert or metric."""
    if doubt.unknown in coverage.sought.services or not coverage.sought.words:
        return "service"
    formats = {one.format for one in coverage.inputs}
    return "alert" if "alerts" in formats else "metric" if formats & QUERIES else "service"


def _reason_of_measures(doubt: Doubt, coverage: Coverage, speech: Speech) -> str:
    if doubt.nearest:
        kind, names = (
            speech.text(f"kind.{kind_of_name(doubt, coverage)}"),
            speech.joined("and", doubt.nearest[:_MOST_NAMES]),
        )
        return speech.text("reason.near", kind=kind, names=names)
    if doubt.kind is DoubtKind.SERVICE:
        return speech.text("reason.alert_service", n=doubt.count, example=doubt.example)
    return _reason(doubt, coverage, speech)


def _reason(doubt: Doubt, coverage: Coverage, speech: Speech) -> str:
    if doubt.kind is DoubtKind.INPUT:
        first = _unread_first(doubt, coverage)
        others = [one.name for one in coverage.unread if one.could_match and first and one.reason is first.reason]
        names = list(dict.fromkeys([first.name if first else doubt.example, *others]))[:_MOST_NAMES]
        why = speech.text(f"why.{first.reason}") if first else ""
        return speech.text("reason.input", n=doubt.count, name=speech.joined("and", names), why=why)
    zones = {one.zone for one in coverage.inputs if one.zone_assumed}
    if doubt.yearless:
        reason = speech.text("reason.year", n=doubt.yearless)
    else:
        reason = speech.text(f"reason.{doubt.kind}", n=doubt.count, zone=speech.joined("and", sorted(zones)))
    return speech.text("reason.place", reason=reason, name=doubt.input) if doubt.input else reason


def _unread_first(doubt: Doubt, coverage: Coverage) -> Unread | None:
    """The unread input that the doubt names, with its reason."""
    left = [one for one in coverage.unread if one.could_match]
    return next((one for one in left if one.name == doubt.input), next(iter(left), None))


def _mend(doubt: Doubt, coverage: Coverage, speech: Speech) -> str:
    if doubt.unknown or doubt.nearest:
        return speech.text("mend.unknown")
    if doubt.kind is DoubtKind.INPUT:
        left = _unread_first(doubt, coverage)
        return speech.text(f"mend.{left.reason}" if left else "mend.error")
    return speech.text("mend.year" if doubt.yearless else f"mend.{doubt.kind}")


def search_notes(
    allowed: Sequence[VerifiedClaim], invocations: Sequence[ToolInvocation] | None, speech: Speech = CHINESE
) -> list[str]:
    """What stands below an answer: of absences where was looked, of any what the operator left out and what zone was
    assumed, of findings what year. Lines of code, from the coverage of the calls that the verified claims rest on."""
    calls = {call.id: call.retrieval_details.coverage for call in invocations or ()}
    notes: list[str] = []
    for verified in allowed:
        bound = (ref.source_invocation_id for ref in verified.refs)
        for coverage in (found for id in bound if id is not None and (found := calls.get(id))):
            if verified.claim.claim_type is ClaimType.NEGATIVE_OBSERVATION:
                notes += _looked_through(coverage, speech)
            if verified.claim.claim_type is ClaimType.DOCUMENTATION:
                notes += _unread_documents(coverage, speech)
            notes += _assumptions(coverage, speech)
    return list(dict.fromkeys(notes))


def _looked_through(coverage: Coverage, speech: Speech) -> Iterable[str]:
    counts = coverage.counts
    begin, _, ending = coverage.window.partition("/")
    if begin and begin == ending and not speech.as_recorded:
        yield speech.text("searched.at", time=speech.time(begin), inputs=counts.inputs, entries=counts.entries)
    else:
        start, end = speech.ends(coverage.window)
        yield speech.text("searched", start=start, end=end, inputs=counts.inputs, entries=counts.entries)
    newest = max((one.last for one in coverage.inputs if one.last), default="")
    if newest and begin != EVER and newest < begin:
        yield speech.text("all_older", time=speech.time(newest))
    oldest = min((one.first for one in coverage.inputs if one.first), default="")
    if oldest and ending and oldest > ending:
        yield speech.text("all_newer", time=speech.time(oldest))


def _unread_documents(coverage: Coverage, speech: Speech) -> Iterable[str]:
    """What a quotation may not know of: another document may say more, or otherwise."""
    left = [one for one in coverage.unread if one.could_match]
    named = [
        speech.text("document_unread", name=one.name, why=speech.text(f"why.{one.reason}"))
        for one in left[:_MOST_NAMES]
    ]
    if left:
        count = sum(doubt.count for doubt in coverage.doubts if doubt.kind is DoubtKind.INPUT)
        yield speech.text("documents_unread", n=count, names=speech.joined("and", named))


def _assumptions(coverage: Coverage, speech: Speech) -> Iterable[str]:
    left_out = [one for one in coverage.excluded if one.by.startswith(_EXCLUDE)]
    if left_out:
        names = speech.joined("and", [one.by.removeprefix(_EXCLUDE) for one in left_out])
        yield speech.text("excluded", names=names, n=sum(one.count for one in left_out))
    if zones := sorted({one.zone for one in coverage.inputs if one.zone_assumed}):
        yield speech.text("zone_assumed", zone=speech.joined("and", zones))
    if coverage.counts.matched and (years := _years_assumed(coverage)):
        yield speech.text("year_assumed", years=years)


def _years_assumed(coverage: Coverage) -> str:
    """`2031` or `2030–2031`; "" where every time has its year, or no time is known."""
    assumed = [one for one in coverage.inputs if one.year_assumed and one.first and one.last]
    years = sorted({time[:4] for one in assumed for time in (one.first, one.last)})
    return "–".join(dict.fromkeys([years[0], years[-1]])) if years else ""
