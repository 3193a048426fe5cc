"""What the record holds, against which the model's word about a fact is weighed (R36, R37)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from domain.contracts import (
    CheckedBinding,
    CheckedFact,
    CheckState,
    Claim,
    ClaimType,
    EvidenceLevel,
    EvidenceRef,
    EvidenceStatus,
    ExecutorOutput,
    FactRef,
    GatekeeperResult,
    Severity,
    ToolClass,
    ToolInvocation,
    TraceEntry,
)
from domain.gatekeeper.services import services_in, services_of, speaks_of
from domain.values.entities import RecordedWording, Wording
from domain.values.measurements import Measurements
from domain.values.times import spans
from domain.verdict.staleness import asked_window, is_stale


@dataclass(frozen=True)
class Grounds:
    """Everything of one round but the model's judgement. A part that is None was not given: its rules do not run."""

    question: str
    structured: ExecutorOutput | None
    gatekeeper: GatekeeperResult
    trace: Sequence[TraceEntry] | None
    invocations: Sequence[ToolInvocation] | None
    now: datetime | None
    window_minutes: int
    tool_classes: Mapping[str, ToolClass]

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.structured.claims if self.structured else ()

    def passes(self, claim: Claim) -> bool:
        """Whether the gatekeeper lets the claim stand (R26)."""
        if not self.passed(claim):
            return False
        if states := self._states_of_claims.get(claim.claim_id):
            return all(state is CheckState.PASS for state in states)
        return not any(binding.severity is Severity.REJECT for binding in self._bindings.get(claim.claim_id, ()))

    def passed(self, claim: Claim) -> tuple[CheckedBinding, ...]:
        """The claim's own bindings that were found true."""
        return passed_bindings(claim, self._bindings)

    @cached_property
    def _bindings(self) -> BindingsByClaim:
        return bindings_by_claim(self.gatekeeper)

    @cached_property
    def _states_of_claims(self) -> Mapping[str, list[CheckState]]:
        states: dict[str, list[CheckState]] = {}
        for subject in self.gatekeeper.subjects:
            if subject.kind == "claim":
                states.setdefault(subject.id, []).append(subject.status)
        return states

    def items_of(self, claim: Claim) -> Measurements:
        """The numbers of the items that the claim rests on."""
        return self._measured(self.passed(claim))

    def proving_texts(self, claim: Claim) -> tuple[str, ...]:
        """What may prove the claim: documents speak for documentation alone, live items for what is happening (R21)."""
        return tuple(map(item_text, self._proving(claim)))

    def _proving(self, claim: Claim) -> list[CheckedBinding]:
        wanted = ToolClass.REFERENCE if claim.claim_type is ClaimType.DOCUMENTATION else ToolClass.LIVE
        return [b for b in self.passed(claim) if self.tool_classes.get(b.tool_name, wanted) is wanted]

    def subjects_missing(self, claim: Claim) -> tuple[str, ...]:
        """The services that the claim speaks of and none of its items does, however far from the quotation."""
        items = [
            self._whole_items.get((b.source_invocation_id, b.raw_path), item_text(b)) for b in self._proving(claim)
        ]
        said = services_in(claim.claim_text, self._services)
        return tuple(service for service in said if not any(speaks_of(item, service) for item in items))

    @cached_property
    def _whole_items(self) -> Mapping[tuple[int | None, str | None], str]:
        """The items in full: a passed binding shows no more than a window of one."""
        return {(call.id, ref.raw_path): ref.text for call in self.invocations or () for ref in _refs(call)}

    @cached_property
    def _services(self) -> tuple[str, ...]:
        return services_of(self.invocations or ())

    def items_behind(self, fact: CheckedFact) -> Measurements:
        """For a fact outside the claims: all passed items, and what the calls it refers to returned."""
        cited = {id for ref in fact.evidence_refs for id in self._supported(ref)}
        texts = [
            *(item.text for call in self.invocations or () if call.id in cited for item in _refs(call)),
            *(entry.output_summary for entry in self.trace or () if cited & set(entry.source_invocation_ids)),
        ]
        return self._measured(self.all_passed, texts)

    @cached_property
    def answer_items(self) -> Measurements:
        """For the Executor's own answer: all passed items, and the claims, which are judged for themselves."""
        return self._measured(self.all_passed, [claim.claim_text for claim in self.claims], count=len(self.claims))

    @cached_property
    def claim_wording(self) -> Wording:
        return Wording([claim.claim_text for claim in self.claims])

    @cached_property
    def all_passed(self) -> tuple[CheckedBinding, ...]:
        return tuple(b for b in self.gatekeeper.checked_bindings if b.claim_id and b.status is CheckState.PASS)

    @cached_property
    def question_values(self) -> Measurements:
        return Measurements([self.question])

    @cached_property
    def windows(self) -> frozenset[Fraction]:
        """Lengths, in seconds, of the windows that were asked, searched or are the default (R9)."""
        searched = [length for call in self.invocations or () for length in spans(call.retrieval_details.window)]
        lengths = [asked_window(self.question, self.window_minutes), *searched]
        return frozenset({Fraction(self.window_minutes * 60), *(Fraction(int(x.total_seconds())) for x in lengths)})

    @cached_property
    def recorded(self) -> RecordedWording | None:
        return None if self.invocations is None else RecordedWording(self.question, self.invocations)

    @cached_property
    def clock(self) -> datetime | None:
        """The session's now, in UTC where it names no zone."""
        return self.now if self.now is None or self.now.tzinfo else self.now.replace(tzinfo=UTC)

    def is_stale(self, claim: Claim) -> bool:
        if self.clock is None or self.invocations is None:
            return False
        return is_stale(
            claim.claim_text,
            self.passed(claim),
            self.invocations,
            question=self.question,
            now=self.clock,
            window_minutes=self.window_minutes,
        )

    def _measured(self, bindings: Sequence[CheckedBinding], texts: Sequence[str] = (), count: int = 0) -> Measurements:
        """Counts of the items, in all and by tool, are measurements too: "2 条日志"."""
        items = {(b.source_invocation_id, b.raw_path): b.tool_name for b in bindings}
        counts = {len(items), count, *Counter(items.values()).values()} - {0}
        return Measurements([*dict.fromkeys(map(item_text, bindings)), *texts], counts, self.clock)

    def has_supported_ref(self, fact: CheckedFact) -> bool:
        """Whether one of the refs the model wrote exists and points at a call that yielded evidence (R36)."""
        return any(self._supported(ref) for ref in fact.evidence_refs)

    def _supported(self, ref: FactRef) -> set[int]:
        entries = [entry for entry in self.trace or () if entry.trace_ref == ref.trace_ref]
        in_entries = {id for entry in entries for id in entry.source_invocation_ids}
        named = set(ref.source_invocation_ids) or in_entries
        return named & self._evidence_calls & (in_entries or named)

    @cached_property
    def _evidence_calls(self) -> frozenset[int]:
        if self.invocations is None:
            levels = [entry for entry in self.trace or () if entry.evidence_level is not EvidenceLevel.NONE]
            return frozenset(id for entry in levels for id in entry.source_invocation_ids)
        return frozenset(
            call.id
            for call in self.invocations
            if call.retrieval_details.evidence_status is EvidenceStatus.SUPPORTED
            and self.tool_classes.get(call.tool_name, ToolClass.HELPER) is not ToolClass.HELPER
        )


BindingsByClaim: TypeAlias = Mapping[str, Sequence[CheckedBinding]]


def bindings_by_claim(gatekeeper: GatekeeperResult) -> BindingsByClaim:
    found: dict[str, list[CheckedBinding]] = {}
    for binding in gatekeeper.checked_bindings:
        if binding.claim_id is not None:
            found.setdefault(binding.claim_id, []).append(binding)
    return found


def passed_bindings(claim: Claim, bindings: BindingsByClaim) -> tuple[CheckedBinding, ...]:
    """The claim's own bindings that were found true; one cited by another claim of the same id does not count."""
    own = {(binding.source_invocation_id, binding.raw_path) for binding in claim.evidence_bindings}
    return tuple(
        checked
        for checked in bindings.get(claim.claim_id, ())
        if checked.status is CheckState.PASS and (checked.source_invocation_id, checked.raw_path) in own
    )


def item_text(binding: CheckedBinding) -> str:
    """The system's text of a passed binding; the excerpt was found in it, so it can stand for it."""
    return binding.matched_text or binding.evidence_excerpt


def _refs(call: ToolInvocation) -> Sequence[EvidenceRef]:
    return call.retrieval_details.evidence_refs or ()
