"""What round 2 is told of round 1 (R29, R41)."""

from __future__ import annotations

from collections.abc import Sequence

from domain.answer.speech import CHINESE, Speech
from domain.contracts import (
    CheckedBinding,
    CheckedFact,
    CheckState,
    EvidenceBinding,
    FactClass,
    GatekeeperResult,
    RetryContext,
    ToolInvocation,
    VerifierEvaluation,
)
from domain.verdict.grounds import item_text
from domain.verdict.question_fit import RULES as FIT_RULES
from domain.verdict.verified import allowed_claims, has_anchor

MOST_HELD_REFS = 40


def retry_context_after(
    evaluation: VerifierEvaluation,
    *,
    gatekeeper: GatekeeperResult | None,
    invocations: Sequence[ToolInvocation] | None,
    speech: Speech = CHINESE,
) -> RetryContext:
    """The gaps of a round, and the ledger of what it proved and holds: ids, paths and the system's texts."""
    verified = allowed_claims([evaluation])
    shown = {(ref.source_invocation_id, ref.raw_path) for claim in verified for ref in claim.refs}
    return RetryContext(
        round=evaluation.round,
        missing_evidence_facts=(*_fact_gaps(evaluation, speech), *_citation_gaps(gatekeeper, speech)),
        instruction=speech.text("retry.instruction"),
        verified_claims=verified,
        held_refs=_held_refs(gatekeeper, invocations or (), shown),
    )


def _fact_gaps(evaluation: VerifierEvaluation, speech: Speech) -> list[str]:
    structured = evaluation.executor_structured_output
    anchored = has_anchor(evaluation.facts_checked, structured.claims if structured else ())
    open_points = {change.subject for change in evaluation.adjustments if change.rule in FIT_RULES}
    gaps = [
        fact.fact if fact.fact in open_points else _gap(fact, anchored, speech)
        for fact in evaluation.facts_checked
        if fact.is_critical
    ]
    return [gap for gap in gaps if gap]


def _gap(fact: CheckedFact, anchored: bool, speech: Speech) -> str:
    if fact.verification is FactClass.NO_EVIDENCE:
        return speech.text("retry.no_evidence", fact=fact.fact)
    if fact.verification is FactClass.INDIRECT and not anchored:
        return speech.text("retry.indirect", fact=fact.fact)
    return ""


def _citation_gaps(gatekeeper: GatekeeperResult | None, speech: Speech) -> list[str]:
    """Slips of form are named, so that round 2 can mend them."""
    failing = [b for b in gatekeeper.checked_bindings if b.status is CheckState.FAIL] if gatekeeper else []
    gaps = [_citation_gap(binding, speech) for binding in failing]
    bound = {binding.claim_id for binding in gatekeeper.checked_bindings} if gatekeeper else set()
    unbound = [s for s in gatekeeper.subjects if s.kind == "claim" and s.id not in bound] if gatekeeper else []
    gaps += [
        speech.text(
            "retry.unbound",
            subject=speech.text("retry.claim", id=subject.id),
            rules=speech.joined("and", subject.rules),
        )
        for subject in unbound
        if subject.rules
    ]
    return list(dict.fromkeys(gaps))


def _citation_gap(binding: CheckedBinding, speech: Speech) -> str:
    kind, id = ("claim", binding.claim_id) if binding.claim_id else ("action", binding.action_id)
    path = binding.raw_path or speech.text("retry.no_path")
    said = speech.text(
        "retry.cited",
        subject=speech.text(f"retry.{kind}", id=id),
        place=f"{binding.tool_name} #{binding.source_invocation_id} {path}",
        rule=binding.rule,
        message=binding.message,
    )
    return speech.text("retry.nearest", said=said, nearest=binding.nearest_text) if binding.nearest_text else said


def _held_refs(
    gatekeeper: GatekeeperResult | None,
    invocations: Sequence[ToolInvocation],
    shown: set[tuple[int | None, str | None]],
) -> tuple[EvidenceBinding, ...]:
    """The passed items that no verified claim shows already, each once, whole where the call is at hand."""
    whole = {
        (call.id, ref.raw_path): ref.text for call in invocations for ref in call.retrieval_details.evidence_refs or ()
    }
    held: dict[tuple[int | None, str | None], EvidenceBinding] = {}
    for binding in gatekeeper.checked_bindings if gatekeeper else ():
        place = (binding.source_invocation_id, binding.raw_path)
        if binding.status is not CheckState.PASS or place in shown or place in held:
            continue
        held[place] = EvidenceBinding(
            tool_name=binding.tool_name,
            source_invocation_id=binding.source_invocation_id,
            raw_path=binding.raw_path,
            evidence_excerpt=whole.get((binding.source_invocation_id or 0, binding.raw_path or ""), item_text(binding)),
        )
    return tuple(held.values())[:MOST_HELD_REFS]
