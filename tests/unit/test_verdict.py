"""The verdict matrix, its score and its route (R32, R35, R36, R39)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agents.verifier_io import VerifierAnswer, VerifierUnreadable
from domain.contracts import (
    CheckedBinding,
    CheckedFact,
    CheckedSubject,
    CheckState,
    Claim,
    ClaimType,
    EvidenceBinding,
    EvidenceLevel,
    ExecutorOutput,
    FactClass,
    FactRef,
    GatekeeperResult,
    ParseState,
    ParseStatus,
    Route,
    Severity,
    TraceEntry,
    Verdict,
    VerifierEvaluation,
)
from domain.verdict.judgement import Judgement, judge, written_score
from domain.verdict.routing import route_after
from domain.verdict.verified import allowed_claims

DIRECT, INDIRECT, UNPROVEN, CONTRADICTED = (
    FactClass.DIRECT,
    FactClass.INDIRECT,
    FactClass.NO_EVIDENCE,
    FactClass.CONTRADICTED,
)
VALID = ParseStatus(status=ParseState.VALID, detail="parsed executor evidence contract")
TRACE = [
    TraceEntry(
        trace_ref="trace-1", tool_name="query_logs", evidence_level=EvidenceLevel.DIRECT, source_invocation_ids=(41,)
    )
]
WORDS = ("甲", "乙", "丙", "丁", "戊", "己")


def claim(number: int, claim_type: ClaimType = ClaimType.OBSERVATION) -> Claim:
    path = f"$.logs[{number}]"
    binding = EvidenceBinding(
        tool_name="query_logs", source_invocation_id=41, raw_path=path, evidence_excerpt="队列积压"
    )
    return Claim(
        claim_id=f"claim-{number}",
        claim_type=claim_type,
        claim_text=f"{WORDS[number - 1]}组出现积压",
        evidence_bindings=(binding,),
    )


def gatekeeper(claims: Sequence[Claim], severity: Severity = Severity.NONE, **changes: Any) -> GatekeeperResult:
    checked = tuple(
        CheckedBinding(claim_id=claim.claim_id, status=CheckState.PASS, matched_text="队列积压", **binding.model_dump())
        for claim in claims
        for binding in claim.evidence_bindings
    )
    status = CheckState.PASS if severity is Severity.NONE else CheckState.FAIL
    return GatekeeperResult(status=status, severity=severity, **{"checked_bindings": checked, **changes})


def said(claim: Claim, verification: FactClass, **changes: Any) -> CheckedFact:
    fields = {"fact": claim.claim_text, "is_critical": True, "claim_id": claim.claim_id, "detail": "已核对"}
    return CheckedFact(verification=verification, **{**fields, **changes})


def answer(
    facts: Sequence[CheckedFact], verdict: Verdict = Verdict.PASS, score: str = "1", count: int = 1
) -> VerifierAnswer:
    return VerifierAnswer(tuple(facts), verdict, Decimal(score), count, "逐条核对")


def judged(claims: Sequence[Claim], classes: Sequence[FactClass], **changes: Any) -> Judgement:
    """The judgement of a round in which the verifier gave each claim one class."""
    facts = [said(claim, verification) for claim, verification in zip(claims, classes, strict=True)]
    inputs: dict[str, Any] = {
        "question": "队列有没有积压？",
        "round": 1,
        "threshold": "0.5",
        "structured": ExecutorOutput(claims=tuple(claims)),
        "parse_status": VALID,
        "gatekeeper": gatekeeper(claims),
        "trace": TRACE,
        "reading": answer(facts),
    }
    return judge(**{**inputs, **changes})


def outcome(judgement: Judgement) -> tuple[Verdict, str, Route]:
    return judgement.evaluation.verdict, judgement.evaluation.groundedness_score, judgement.route


def rules(judgement: Judgement) -> list[str]:
    return [change.rule for change in judgement.evaluation.adjustments if change.rule != "verdict.recomputed"]


@pytest.mark.parametrize(
    ("classes", "verdict", "score", "route"),
    [
        ((DIRECT,), Verdict.PASS, "1.0", Route.COMPOSE),
        ((DIRECT, INDIRECT), Verdict.PASS, "0.8", Route.COMPOSE),
        ((DIRECT, DIRECT, UNPROVEN), Verdict.LOW_CONFID, "0.6667", Route.DISCLAIMER),
        ((DIRECT, UNPROVEN), Verdict.LOW_CONFID, "0.5", Route.DISCLAIMER),
        ((DIRECT, UNPROVEN, UNPROVEN), Verdict.LOW_CONFID, "0.3333", Route.RETRY),
        ((INDIRECT, INDIRECT), Verdict.LOW_CONFID, "0.6", Route.DISCLAIMER),
        ((UNPROVEN,), Verdict.LOW_CONFID, "0.0", Route.RETRY),
        ((DIRECT, DIRECT, CONTRADICTED), Verdict.REJECT, "0.0", Route.DEGRADE),
    ],
)
def test_the_verdict_follows_from_the_classes(
    classes: tuple[FactClass, ...], verdict: Verdict, score: str, route: Route
) -> None:
    """R34, R35: 1, 0.6, 0, 0, averaged over the critical facts."""
    claims = [claim(number + 1) for number in range(len(classes))]
    assert outcome(judged(claims, classes)) == (verdict, score, route)


def test_a_score_of_exactly_the_threshold_is_shown_with_a_disclaimer() -> None:
    """Section 7, R35: 0.5 is not below 0.5, and six tenths is not below 0.6."""
    assert judged([claim(1), claim(2)], [DIRECT, UNPROVEN]).route is Route.DISCLAIMER
    assert judged([claim(1)], [INDIRECT], threshold="0.6").route is Route.DISCLAIMER
    assert judged([claim(1), claim(2), claim(3)], [DIRECT, DIRECT, UNPROVEN], threshold="0.6667").route is Route.RETRY


def test_the_second_round_is_the_last() -> None:
    """R40."""
    assert judged([claim(1)], [UNPROVEN], round=2).route is Route.DISCLAIMER


def test_several_facts_of_one_claim_count_once_with_the_worst_class() -> None:
    """R35."""
    one, two = claim(1), claim(2)
    reading = answer([said(one, DIRECT), said(one, UNPROVEN, fact="甲组的另一面"), said(two, DIRECT)], count=3)
    judgement = judged([one, two], [DIRECT, DIRECT], reading=reading)
    assert outcome(judgement) == (Verdict.LOW_CONFID, "0.5", Route.DISCLAIMER)
    assert judgement.evaluation.critical_fact_count == 2
    assert [fact.verification for fact in judgement.evaluation.facts_checked] == [UNPROVEN, DIRECT]
    assert rules(judgement) == ["claim.worst_of_several"]


def test_the_models_figures_are_kept_beside_the_recomputed_ones() -> None:
    """R35."""
    one, two = claim(1), claim(2)
    reading = answer([said(one, DIRECT), said(two, INDIRECT)], verdict=Verdict.LOW_CONFID, score="0.9", count=7)
    evaluation = judged([one, two], [DIRECT, INDIRECT], reading=reading).evaluation
    assert evaluation.verdict is Verdict.PASS
    assert evaluation.model_values == {"verdict": "LOW_CONFID", "groundedness_score": "0.9", "critical_fact_count": 7}
    recomputed = [(a.subject, a.before, a.after) for a in evaluation.adjustments if a.rule == "verdict.recomputed"]
    assert recomputed == [
        ("verdict", "LOW_CONFID", "PASS"),
        ("groundedness_score", "0.9", "0.8"),
        ("critical_fact_count", "7", "2"),
    ]


def test_a_claim_that_the_model_skipped_has_no_evidence() -> None:
    """R36."""
    one, two = claim(1), claim(2)
    judgement = judged([one, two], [DIRECT, DIRECT], reading=answer([said(one, DIRECT)]))
    assert outcome(judgement) == (Verdict.LOW_CONFID, "0.5", Route.DISCLAIMER)
    assert rules(judgement) == ["claim.skipped"]


def test_a_fact_without_claim_id_speaks_of_the_claim_whose_words_it_repeats() -> None:
    """R33: facts of the first contract carry no claim id."""
    one = claim(1)
    assert (
        judged(
            [one], [DIRECT], reading=answer([said(one, DIRECT, claim_id=None, fact="甲组出现积压。")])
        ).evaluation.verdict
        == "PASS"
    )


def test_a_risk_is_not_critical_whatever_the_model_says() -> None:
    """R36."""
    judgement = judged([claim(1), claim(2, ClaimType.RISK)], [DIRECT, UNPROVEN])
    assert outcome(judgement) == (Verdict.PASS, "1.0", Route.COMPOSE)
    assert judgement.evaluation.critical_fact_count == 1


def test_a_contradicted_uncritical_fact_blocks_pass_without_rejecting() -> None:
    """R35."""
    judgement = judged([claim(1), claim(2, ClaimType.RISK)], [DIRECT, CONTRADICTED])
    assert outcome(judgement) == (Verdict.LOW_CONFID, "1.0", Route.DISCLAIMER)


def test_without_a_critical_fact_nothing_is_proven() -> None:
    """R35."""
    judgement = judged([claim(1, ClaimType.RISK)], [DIRECT])
    assert outcome(judgement) == (Verdict.LOW_CONFID, "0.0", Route.RETRY)
    assert judgement.evaluation.reason == "no_critical_facts"


def test_documentation_is_no_anchor_beside_other_claims() -> None:
    """R35: a handbook does not prove what is happening now."""
    documented = claim(1, ClaimType.DOCUMENTATION)
    assert judged([documented, claim(2)], [DIRECT, INDIRECT]).evaluation.verdict is Verdict.LOW_CONFID
    assert judged([documented, claim(2)], [INDIRECT, DIRECT]).evaluation.verdict is Verdict.PASS
    assert judged([documented], [DIRECT]).evaluation.verdict is Verdict.PASS


def test_a_fact_outside_the_claims_is_no_anchor() -> None:
    """R35: nobody has checked a quotation for it."""
    other = CheckedFact(
        fact="日志显示数据库异常",
        is_critical=True,
        verification=DIRECT,
        evidence_refs=(FactRef(trace_ref="trace-1"),),
    )
    judgement = judged([], [], reading=answer([other]))
    assert outcome(judgement) == (Verdict.LOW_CONFID, "1.0", Route.DISCLAIMER)


# ---------------------------------------------------------------- caps by gatekeeper and parse status


def test_a_rejecting_gatekeeper_needs_no_model() -> None:
    """R32: REJECT by code, also where a model answered all the same."""
    claims = [claim(1)]
    rejecting = gatekeeper(claims, Severity.REJECT)
    for reading in (None, answer([said(claims[0], DIRECT)])):
        judgement = judged(claims, [DIRECT], gatekeeper=rejecting, reading=reading)
        assert outcome(judgement) == (Verdict.REJECT, "0.0", Route.DEGRADE)
        assert (judgement.evaluation.decided_by, judgement.evaluation.reason) == ("code", "gatekeeper_reject")


def test_a_weak_gatekeeper_caps_the_verdict() -> None:
    """R32."""
    claims = [claim(1)]
    judgement = judged(claims, [DIRECT], gatekeeper=gatekeeper(claims, Severity.LOW_CONFID))
    assert outcome(judgement) == (Verdict.LOW_CONFID, "1.0", Route.DISCLAIMER)


@pytest.mark.parametrize("state", [ParseState.MALFORMED, ParseState.MISSING])
def test_output_that_is_not_valid_never_passes(state: ParseState) -> None:
    """R14."""
    status = ParseStatus(status=state, detail="cut off")
    assert judged([claim(1)], [DIRECT], parse_status=status).evaluation.verdict is Verdict.LOW_CONFID


@pytest.mark.parametrize("reading", [None, VerifierUnreadable("no JSON value")])
@pytest.mark.parametrize("round", [1, 2])
def test_a_verifier_that_failed_is_never_a_reason_for_another_round(
    round: int, reading: VerifierUnreadable | None
) -> None:
    """R39: LOW_CONFID by code, score 0.0, with the reason."""
    judgement = judged([claim(1)], [DIRECT], reading=reading, round=round)
    assert outcome(judgement) == (Verdict.LOW_CONFID, "0.0", Route.DISCLAIMER)
    assert (judgement.evaluation.decided_by, judgement.evaluation.reason) == ("code", "verifier_malformed")
    assert [fact.verification for fact in judgement.evaluation.facts_checked] == [UNPROVEN]


def test_rules_without_input_are_named_and_lower_nothing() -> None:
    """R36, R37: `not_checked`."""
    judgement = judged([claim(1)], [DIRECT])
    assert judgement.evaluation.not_checked == (
        "claim.entity_invented",
        "claim.entity_unsupported",
        "answer.entity_invented",
        "answer.entity_unsupported",
        "evidence.stale",
        "answer.term_uncovered",
        "answer.cause_unfound",
    )
    assert rules(judgement) == []


# ---------------------------------------------------------------- support comes from passed bindings


def test_a_claim_without_a_passed_binding_has_no_evidence() -> None:
    """R36: whatever refs the model wrote."""
    one = claim(1)
    fact = said(one, DIRECT, evidence_refs=(FactRef(trace_ref="trace-1", source_invocation_ids=(41,)),))
    judgement = judged([one], [DIRECT], gatekeeper=gatekeeper([]), reading=answer([fact]))
    assert outcome(judgement) == (Verdict.LOW_CONFID, "0.0", Route.RETRY)
    assert rules(judgement) == ["claim.not_passed"]


def test_a_claim_that_the_gatekeeper_fails_has_no_evidence_although_a_binding_passed() -> None:
    """R26, R36: a runbook alone carries no observation."""
    one = claim(1)
    subject = CheckedSubject(id="claim-1", kind="claim", status=CheckState.FAIL, severity=Severity.LOW_CONFID)
    judgement = judged([one], [DIRECT], gatekeeper=gatekeeper([one], Severity.LOW_CONFID, subjects=(subject,)))
    assert rules(judgement) == ["claim.not_passed"]


def test_a_second_claim_under_the_same_id_does_not_borrow_the_bindings_of_the_first() -> None:
    """R36."""
    proven = claim(1)
    free_rider = Claim(claim_id="claim-1", claim_text="根本原因已经查明")
    judgement = judged([proven, free_rider], [DIRECT, DIRECT])
    assert [fact.verification for fact in judgement.evaluation.facts_checked] == [DIRECT, UNPROVEN]
    assert [verified.claim.claim_text for verified in allowed_claims([judgement.evaluation])] == ["甲组出现积压"]


# ---------------------------------------------------------------- figures


@pytest.mark.parametrize(
    ("score", "written"),
    [
        ("0", "0.0"),
        ("1", "1.0"),
        ("4/5", "0.8"),
        ("2/3", "0.6667"),
        ("1/3", "0.3333"),
        ("1/20000", "0.0"),
        ("3/20000", "0.0002"),
    ],
)
def test_scores_are_written_with_at_most_four_digits_rounded_half_even(score: str, written: str) -> None:
    assert written_score(Fraction(score)) == written


@given(st.lists(st.sampled_from(FactClass), min_size=1, max_size=6), st.integers(0, 100), st.integers(1, 2))
def test_the_score_is_the_exact_mean_and_decides_the_route(classes: list[FactClass], percent: int, round: int) -> None:
    """R35: PASS only without a gap, REJECT with any contradiction, and the threshold compared exactly."""
    threshold = f"{percent / 100:.2f}"
    judgement = judged([claim(n + 1) for n in range(len(classes))], classes, threshold=threshold, round=round)
    values = {DIRECT: Fraction(1), INDIRECT: Fraction(3, 5), UNPROVEN: Fraction(0), CONTRADICTED: Fraction(0)}
    score = Fraction(0) if CONTRADICTED in classes else sum((values[c] for c in classes), Fraction(0)) / len(classes)
    verdict = judgement.evaluation.verdict
    assert (verdict is Verdict.REJECT) == (CONTRADICTED in classes)
    assert (verdict is Verdict.PASS) == (set(classes) <= {DIRECT, INDIRECT} and DIRECT in classes)
    assert judgement.evaluation.groundedness_score == written_score(score)
    assert judgement.route is route_after(verdict, score, Fraction(threshold), round, False)


# ---------------------------------------------------------------- what may be shown as confirmed


def texts(*evaluations: VerifierEvaluation) -> list[str]:
    return [verified.claim.claim_text for verified in allowed_claims(evaluations)]


def test_verified_claims_carry_their_items() -> None:
    """R41: id, path and the system's text."""
    [verified] = allowed_claims([judged([claim(1)], [DIRECT]).evaluation])
    assert (verified.claim.claim_id, verified.verification) == ("claim-1", DIRECT)
    [ref] = verified.refs
    assert (ref.source_invocation_id, ref.raw_path, ref.evidence_excerpt) == (41, "$.logs[1]", "队列积压")


def test_an_indirect_claim_is_confirmed_only_beside_a_direct_anchor() -> None:
    """R47."""
    assert texts(judged([claim(1), claim(2)], [DIRECT, INDIRECT]).evaluation) == ["甲组出现积压", "乙组出现积压"]
    assert texts(judged([claim(1), claim(2)], [INDIRECT, INDIRECT]).evaluation) == []


def test_both_rounds_are_drawn_on_less_what_was_contradicted() -> None:
    """R41."""
    first = judged([claim(1), claim(2), claim(3)], [DIRECT, DIRECT, UNPROVEN]).evaluation
    second = judged([claim(3), claim(2)], [DIRECT, CONTRADICTED], round=2).evaluation
    assert texts(first, second) == ["甲组出现积压", "丙组出现积压"]


def test_ids_stay_unique_over_two_rounds() -> None:
    """R46: the Composer cites them."""
    other = claim(2).model_copy(update={"claim_id": "claim-1"})
    allowed = allowed_claims([judged([claim(1)], [DIRECT]).evaluation, judged([other], [DIRECT], round=2).evaluation])
    assert [verified.claim.claim_id for verified in allowed] == ["claim-1", "claim-1-2"]
