"""Which claims count as verified: what the answer may show as confirmed (R41, R47)."""

from __future__ import annotations

from collections.abc import Sequence, Set

from domain.contracts import (
    CheckedFact,
    Claim,
    ClaimType,
    EvidenceBinding,
    ExecutorOutput,
    FactClass,
    GatekeeperResult,
    VerifiedClaim,
    VerifierEvaluation,
)
from domain.verdict.claim_rules import STALE
from domain.verdict.grounds import BindingsByClaim, bindings_by_claim, item_text, passed_bindings
from domain.verdict.lowering import words_only


def allowed_claims(evaluations: Sequence[VerifierEvaluation]) -> tuple[VerifiedClaim, ...]:
    """The verified claims of all rounds, less what any round contradicted (R41, R47); ids are made unique.

    Verified: the gatekeeper passed it, the facts support it, and if merely indirectly a direct anchor stands beside it.
    """
    contradicted = [
        words
        for evaluation in evaluations
        for fact in evaluation.facts_checked
        if fact.verification is FactClass.CONTRADICTED and (words := words_only(fact.fact))
    ]
    allowed: dict[str, VerifiedClaim] = {}
    for evaluation in evaluations:
        for verified in _verified(evaluation):
            words = words_only(verified.claim.claim_text)
            if not any(words in other or other in words for other in contradicted):
                allowed[words] = verified
    return _with_unique_ids(list(allowed.values()))


def _verified(evaluation: VerifierEvaluation) -> list[VerifiedClaim]:
    structured = evaluation.executor_structured_output
    stale = {adjustment.subject for adjustment in evaluation.adjustments if adjustment.rule == STALE}
    classes = {FactClass.DIRECT}
    if structured and has_anchor(evaluation.facts_checked, structured.claims):
        classes.add(FactClass.INDIRECT)
    supported = claims_of_classes(classes, structured, evaluation.gatekeeper_result, evaluation.facts_checked)
    return [verified for verified in supported if verified.claim.claim_id not in stale]


def claims_of_classes(
    classes: Set[FactClass],
    structured: ExecutorOutput | None,
    gatekeeper: GatekeeperResult | None,
    facts: Sequence[CheckedFact],
) -> list[VerifiedClaim]:
    """The claims whose facts are of one of the classes, with the bindings that passed."""
    if structured is None or gatekeeper is None:
        return []
    bindings = bindings_by_claim(gatekeeper)
    return [
        _verified_claim(claim, fact, bindings)
        for claim in structured.claims
        for fact in facts
        if fact.claim_id == claim.claim_id and fact.fact == claim.claim_text and fact.verification in classes
    ]


def _verified_claim(claim: Claim, fact: CheckedFact, bindings: BindingsByClaim) -> VerifiedClaim:
    refs = tuple(
        EvidenceBinding(
            tool_name=binding.tool_name,
            source_invocation_id=binding.source_invocation_id,
            raw_path=binding.raw_path,
            evidence_excerpt=item_text(binding),
        )
        for binding in passed_bindings(claim, bindings)
    )
    return VerifiedClaim(claim=claim, verification=fact.verification, refs=refs)


def _with_unique_ids(claims: Sequence[VerifiedClaim]) -> tuple[VerifiedClaim, ...]:
    """Rounds number their claims independently: of two with one id the later is renamed."""
    taken: set[str] = set()
    unique = []
    for verified in claims:
        id, count = verified.claim.claim_id, 2
        while id in taken:
            id, count = f"{verified.claim.claim_id}-{count}", count + 1
        taken.add(id)
        unique.append(verified.model_copy(update={"claim": verified.claim.model_copy(update={"claim_id": id})}))
    return tuple(unique)


def has_anchor(facts: Sequence[CheckedFact], claims: Sequence[Claim]) -> bool:
    """A critical claim with direct evidence; a documented one only where nothing but documentation is claimed (R35).

    A fact outside the claims is no anchor: the gatekeeper has checked no quotation for it.
    """
    documented = {claim.claim_id for claim in claims if claim.claim_type is ClaimType.DOCUMENTATION}
    critical = [fact for fact in facts if fact.is_critical and fact.claim_id]
    only_documentation = all(fact.claim_id in documented for fact in critical)
    return any(
        fact.verification is FactClass.DIRECT and (only_documentation or fact.claim_id not in documented)
        for fact in critical
    )
