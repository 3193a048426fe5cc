"""What stands above an answer: "PASS" alone would read as "healthy" where something was only not found."""

from __future__ import annotations

import pytest

from domain.answer.headline import headline
from domain.contracts import (
    CheckedFact,
    CheckState,
    Claim,
    ClaimType,
    ExecutorOutput,
    FactClass,
    GatekeeperResult,
    Severity,
    Verdict,
    VerifierEvaluation,
)


def evaluation(verdict: Verdict, *types: ClaimType) -> VerifierEvaluation:
    """With one verified claim of each type."""
    claims = tuple(
        Claim(claim_id=f"c{number}", claim_type=kind, claim_text=f"断言 {number}") for number, kind in enumerate(types)
    )
    facts = tuple(
        CheckedFact(fact=claim.claim_text, is_critical=True, verification=FactClass.DIRECT, claim_id=claim.claim_id)
        for claim in claims
    )
    return VerifierEvaluation(
        verdict=verdict,
        groundedness_score="1",
        critical_fact_count=len(facts),
        facts_checked=facts,
        executor_structured_output=ExecutorOutput(claims=claims),
        gatekeeper_result=GatekeeperResult(status=CheckState.PASS, severity=Severity.NONE),
    )


OBSERVED, ABSENT = ClaimType.OBSERVATION, ClaimType.NEGATIVE_OBSERVATION


@pytest.mark.parametrize(
    ("verdict", "types", "zh", "en"),
    [
        (Verdict.PASS, (OBSERVED,), "已证实", "Confirmed"),
        (Verdict.PASS, (OBSERVED, ABSENT), "已证实", "Confirmed"),
        (Verdict.PASS, (ABSENT,), "已检索，未发现", "Searched, not found"),
        (Verdict.PASS, (ABSENT, ABSENT), "已检索，未发现", "Searched, not found"),
        (Verdict.LOW_CONFID, (ABSENT,), "部分证实", "Partly confirmed"),
        (Verdict.REJECT, (OBSERVED,), "无可靠结论", "No reliable conclusion"),
    ],
)
def test_the_headline_says_what_the_verdict_means(
    verdict: Verdict, types: tuple[ClaimType, ...], zh: str, en: str
) -> None:
    """R46, R83: in both languages; an absence never says that a system is well."""
    assert headline([evaluation(verdict, *types)]) == zh
    assert headline([evaluation(verdict, *types)], "en") == en


def test_the_last_round_decides() -> None:
    """R40: the first one's verdict was not the answer's."""
    assert headline([evaluation(Verdict.LOW_CONFID, OBSERVED), evaluation(Verdict.PASS, OBSERVED)]) == "已证实"


def test_without_a_verdict_or_an_answer_it_is_not_completed() -> None:
    """R7: cancelled or failed, also behind a verdict."""
    assert headline([]) == "未完成"
    assert headline([evaluation(Verdict.PASS, OBSERVED)], "en", completed=False) == "Not completed"
