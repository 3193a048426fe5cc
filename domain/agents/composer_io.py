"""What the Composer is given, and how its answer is read (R6, R46)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from domain.agents.scope import Scope, mentions_excluded
from domain.answer.documentation import parted
from domain.contracts import ComposedSentence, VerifiedClaim
from domain.json_objects import find_array
from domain.language.tongues import Language

_SENTENCES = TypeAdapter(tuple[ComposedSentence, ...])


def composer_payload(
    question: str, allowed: Sequence[VerifiedClaim], scope: Scope, language: Language = "zh"
) -> dict[str, Any]:
    """The whole input of the Composer, ready for JSON: the verified claims in scope, with their items; those that quote
    a document are shown as they stand."""
    return {
        "question": question,
        "language": language,
        "claims": [
            {
                "claim_id": verified.claim.claim_id,
                "claim_type": verified.claim.claim_type,
                "claim_text": verified.claim.claim_text,
                "verification": verified.verification,
                "items": [ref.evidence_excerpt for ref in verified.refs],
            }
            for verified in parted(within_scope(allowed, scope))[0]
        ],
        "excluded": list(scope.excluded),
    }


def within_scope(allowed: Sequence[VerifiedClaim], scope: Scope) -> tuple[VerifiedClaim, ...]:
    """The claims that speak of nothing the user excluded (R16)."""
    return tuple(verified for verified in allowed if mentions_excluded(verified.claim.claim_text, scope) is None)


def parse_composition(raw: str) -> tuple[ComposedSentence, ...] | str:
    """The sentences of a Composer's answer, or what is wrong with it."""
    found = find_array(raw)
    if found.value is None:
        return found.problem
    try:
        return _SENTENCES.validate_python(found.value)
    except ValidationError as error:
        return f"not a list of sentences with claim ids: {error.error_count()} errors"
