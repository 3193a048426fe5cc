"""What searches say of themselves in an answer: why one could not decide, what was looked through (R48, R69)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domain.answer.texts import text
from domain.contracts import ClaimType, ToolInvocation, VerifiedClaim
from domain.evidence.coverage import Coverage, Doubt, DoubtKind, Unread
from domain.evidence.value_answer import QUERIES
from domain.evidence.window import EVER
from domain.language.tongues import Language

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
    coverage: Coverage, *, tool_name: str = "query_logs", says_what: bool = True, language: Language = "zh"
) -> Gap:
    """Why a search that found nothing proves no absence: its first doubt, and how to mend it.

    `says_what` False leaves out what was sought, where the words may not be shown.
    """
    doubt = next(iter(coverage.doubts))
    mend = _mend(doubt, coverage, language)
    is_log = tool_name not in _MEASURED
    if doubt.unknown:
        return Gap(_unknown_name(doubt, coverage, tool_name, language), mend)
    if tool_name in _DOCUMENTS:
        return _document_gap(doubt, coverage, language, says_what=says_what)
    what = sought(coverage, "thing.log" if is_log else "thing.measure", language)
    if not says_what:
        what = text("thing.any_log" if is_log else "thing.measure", language)
    reason = _reason(doubt, coverage, language) if is_log else _reason_of_measures(doubt, coverage, language)
    return Gap(text("doubt", language, what=what, reason=reason, mend=mend), mend)


def _document_gap(doubt: Doubt, coverage: Coverage, language: Language, *, says_what: bool) -> Gap:
    what = sought(coverage, "thing.document", language) if says_what else text("thing.document", language)
    mend = text("mend.document", language)
    return Gap(text("doubt", language, what=what, reason=_reason(doubt, coverage, language), mend=mend), mend)


def sought(coverage: Coverage, thing: str = "thing.log", language: Language = "zh") -> str:
    """`order-service 的 ERROR OutOfMemoryError 日志`: what was looked for, in the words of the search."""
    said = coverage.sought
    words = " ".join([*said.levels[:1], *said.words])
    if language == "en":
        of = f" of {', '.join(said.services)}" if said.services else ""
        return " ".join(filter(None, [words, text(thing, "en")])) + of
    of = f"{'、'.join(said.services)} 的 " if said.services else ""
    return f"{of}{words} {text(thing)}".strip() if words else f"{of}{text(thing)}"


def _unknown_name(doubt: Doubt, coverage: Coverage, tool_name: str, language: Language) -> str:
    names = _listed(doubt.nearest[:_MOST_NAMES], language)
    said = {"source": tool_name, "name": doubt.unknown, "kind": text(f"kind.{kind_of_name(doubt, coverage)}", language)}
    if names:
        return text("unknown_name", language, names=names, **said)
    return text("unknown_name.alone", language, **said)


def kind_of_name(doubt: Doubt, coverage: Coverage) -> str:
    """What the name of a doubt is the name of: service, alert or metric."""
    if doubt.unknown in coverage.sought.services or not coverage.sought.words:
        return "service"
    formats = {one.format for one in coverage.inputs}
    return "alert" if "alerts" in formats else "metric" if formats & QUERIES else "service"


def _reason_of_measures(doubt: Doubt, coverage: Coverage, language: Language) -> str:
    if doubt.nearest:
        kind, names = (
            text(f"kind.{kind_of_name(doubt, coverage)}", language),
            _listed(doubt.nearest[:_MOST_NAMES], language),
        )
        return text("reason.near", language, kind=kind, names=names)
    if doubt.kind is DoubtKind.SERVICE:
        return text("reason.alert_service", language, n=doubt.count, example=doubt.example)
    return _reason(doubt, coverage, language)


def _reason(doubt: Doubt, coverage: Coverage, language: Language) -> str:
    if doubt.kind is DoubtKind.INPUT:
        first = _unread_first(doubt, coverage)
        others = [one.name for one in coverage.unread if one.could_match and first and one.reason is first.reason]
        names = list(dict.fromkeys([first.name if first else doubt.example, *others]))[:_MOST_NAMES]
        why = text(f"why.{first.reason}", language) if first else ""
        return text("reason.input", language, n=doubt.count, name=_listed(names, language), why=why)
    zones = {one.zone for one in coverage.inputs if one.zone_assumed}
    reason = text(f"reason.{doubt.kind}", language, n=doubt.count, zone=_listed(sorted(zones), language))
    return text("reason.place", language, reason=reason, name=doubt.input) if doubt.input else reason


def _unread_first(doubt: Doubt, coverage: Coverage) -> Unread | None:
    """The unread input that the doubt names, with its reason."""
    left = [one for one in coverage.unread if one.could_match]
    return next((one for one in left if one.name == doubt.input), next(iter(left), None))


def _listed(names: Sequence[str], language: Language) -> str:
    return ("、" if language == "zh" else ", ").join(names)


def _mend(doubt: Doubt, coverage: Coverage, language: Language) -> str:
    if doubt.unknown or doubt.nearest:
        return text("mend.unknown", language)
    if doubt.kind is DoubtKind.INPUT:
        left = _unread_first(doubt, coverage)
        return text(f"mend.{left.reason}" if left else "mend.error", language)
    return text(f"mend.{doubt.kind}", language)


def search_notes(
    allowed: Sequence[VerifiedClaim], invocations: Sequence[ToolInvocation] | None, language: Language = "zh"
) -> list[str]:
    """What stands below an answer: of absences where was looked, of any what the operator left out and what zone was
    assumed. Lines of code, from the coverage of the calls that the verified claims rest on."""
    calls = {call.id: call.retrieval_details.coverage for call in invocations or ()}
    notes: list[str] = []
    for verified in allowed:
        bound = (ref.source_invocation_id for ref in verified.refs)
        for coverage in (found for id in bound if id is not None and (found := calls.get(id))):
            if verified.claim.claim_type is ClaimType.NEGATIVE_OBSERVATION:
                notes += _looked_through(coverage, language)
            if verified.claim.claim_type is ClaimType.DOCUMENTATION:
                notes += _unread_documents(coverage, language)
            notes += _assumptions(coverage, language)
    return list(dict.fromkeys(notes))


def _looked_through(coverage: Coverage, language: Language) -> Iterable[str]:
    counts = coverage.counts
    start, _, end = coverage.window.partition("/")
    yield text("searched", language, start=start, end=end, inputs=counts.inputs, entries=counts.entries)
    newest = max((one.last for one in coverage.inputs if one.last), default="")
    if newest and start != EVER and newest < start:
        yield text("all_older", language, time=newest)


def _unread_documents(coverage: Coverage, language: Language) -> Iterable[str]:
    """What a quotation may not know of: another document may say more, or otherwise."""
    left = [one for one in coverage.unread if one.could_match]
    named = [
        text("document_unread", language, name=one.name, why=text(f"why.{one.reason}", language))
        for one in left[:_MOST_NAMES]
    ]
    if left:
        count = sum(doubt.count for doubt in coverage.doubts if doubt.kind is DoubtKind.INPUT)
        yield text("documents_unread", language, n=count, names=_listed(named, language))


def _assumptions(coverage: Coverage, language: Language) -> Iterable[str]:
    left_out = [one for one in coverage.excluded if one.by.startswith(_EXCLUDE)]
    if left_out:
        names = _listed([one.by.removeprefix(_EXCLUDE) for one in left_out], language)
        yield text("excluded", language, names=names, n=sum(one.count for one in left_out))
    if zones := sorted({one.zone for one in coverage.inputs if one.zone_assumed}):
        yield text("zone_assumed", language, zone=_listed(zones, language))
