"""A round as a document of few words, and round 1 against round 2 (R58)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from domain.contracts import CheckedBinding, CheckedFact, Claim
from domain.differences import Change, changes
from domain.session.state import CaseFile, Round
from domain.verdict.lowering import words_only

Picture: TypeAlias = dict[str, Any]
"""Plain values by name, ready for JSON."""

ERASED_TEXT = "erased"

_SAME_IDS: Mapping[str, str] = MappingProxyType({})


def picture_of_round(done: Round, *, erased: bool, ids: Mapping[str, str] = _SAME_IDS) -> Picture:
    """What the round has planned, claimed, quoted and been told so far. Of an erased session the verdict's figures
    remain. `ids`: other names for its claims.
    """
    judged = done.verdict
    known = {
        **({"content": ERASED_TEXT} if erased else _content(done, ids)),
        "verdict": judged.verdict if judged else None,
        "groundedness_score": judged.groundedness_score if judged else None,
        "route": judged.route if judged else None,
    }
    return {name: value for name, value in known.items() if value not in (None, {}, [], "")}


def round_changes(file: CaseFile) -> Sequence[Change] | None:
    """From round 1 to round 2, or None where there was only one. What was added was None before, what was dropped is
    None afterwards.
    """
    if len(file.rounds) == 1:
        return None
    first, second = file.rounds
    return changes(
        picture_of_round(first, erased=file.erased),
        picture_of_round(second, erased=file.erased, ids=_ids_of_round_1(first, second)),
    )


def _content(done: Round, ids: Mapping[str, str]) -> Picture:
    checked = done.gatekeeper.checked_bindings if done.gatekeeper else ()
    names = {claim.claim_id: ids.get(claim.claim_id, claim.claim_id) for claim in _claims(done)}
    facts = done.evaluation.facts_checked if done.evaluation else ()
    return {
        "missing_evidence_facts": list(done.retry_context.missing_evidence_facts) if done.retry_context else None,
        "plan": list(done.plan.plan) if done.plan else done.plan_text,
        "claims": {names[claim.claim_id]: _claim(claim) for claim in _claims(done)},
        "bindings": {_name(binding, names): _binding(binding) for binding in checked},
        "severity": done.gatekeeper.severity if done.gatekeeper else None,
        "facts": {names.get(fact.claim_id or "", fact.fact): _fact(fact) for fact in facts},
    }


def _claims(done: Round) -> Sequence[Claim]:
    return done.parsed.structured.claims if done.parsed and done.parsed.structured else ()


def _claim(claim: Claim) -> Picture:
    return {"claim_type": claim.claim_type, "claim_text": claim.claim_text}


def _name(binding: CheckedBinding, names: Mapping[str, str]) -> str:
    """Claims and actions are numbered apart, and both from 0."""
    subject = names.get(binding.claim_id, binding.claim_id) if binding.claim_id else f"action {binding.action_id}"
    return f"{subject} {binding.index}"


def _binding(binding: CheckedBinding) -> Picture:
    return {
        "cited": f"{binding.tool_name} #{binding.source_invocation_id} {binding.raw_path}",
        "evidence_excerpt": binding.evidence_excerpt,
        "status": binding.status,
        "match_kind": binding.match_kind,
        "rule": binding.rule,
    }


def _fact(fact: CheckedFact) -> Picture:
    return {"fact": fact.fact, "verification": fact.verification, "is_critical": fact.is_critical}


def _ids_of_round_1(first: Round, second: Round) -> dict[str, str]:
    """Rounds number their claims independently: a claim of round 2 goes by the id that its words had in round 1.

    Any other keeps its own and counts as the changed claim of that id, unless that one has been found again.
    """
    known = {words_only(claim.claim_text): claim.claim_id for claim in _claims(first)}
    same = {claim.claim_id: known.get(words_only(claim.claim_text)) for claim in _claims(second)}
    found = set(same.values())
    return {id: again or (f"{id} of round 2" if id in found else id) for id, again in same.items()}
