"""What stands above an answer: a verdict alone would read as "healthy" where something was only not found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from domain.answer.texts import text
from domain.contracts import ClaimType, Verdict, VerifierEvaluation
from domain.language.tongues import Language
from domain.verdict.verified import allowed_claims


def headline(evaluations: Sequence[VerifierEvaluation], language: Language = "zh", *, completed: bool = True) -> str:
    """Of a session with these evaluations, of all rounds in order; `completed` False: it ended without an answer."""
    if not (completed and evaluations):
        return text("headline.unfinished", language)
    match evaluations[-1].verdict:
        case Verdict.PASS:
            types = {verified.claim.claim_type for verified in allowed_claims(evaluations)}
            found = "absent" if types == {ClaimType.NEGATIVE_OBSERVATION} else "found"
            return text(f"headline.{found}", language)
        case Verdict.LOW_CONFID:
            return text("headline.partly", language)
        case Verdict.REJECT:
            return text("headline.none", language)
        case verdict:
            assert_never(verdict)
