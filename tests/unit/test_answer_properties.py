"""No answer states as a fact what was not verified: generated sessions against an oracle of their own (R47, R49)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.agents.verifier_io import VerifierAnswer
from domain.answer.answer import answer_after
from domain.contracts import (
    TOOL_CLASSES,
    CheckedFact,
    Claim,
    ClaimType,
    EvidenceBinding,
    EvidenceRef,
    EvidenceStatus,
    ExecutorOutput,
    FactClass,
    ParsedExecutorOutput,
    ParseState,
    ParseStatus,
    RecommendedAction,
    RetrievalDetails,
    Route,
    ToolInvocation,
    Verdict,
    VerifierEvaluation,
)
from domain.gatekeeper.check import check_evidence
from domain.verdict.judgement import judge

ITEM = "KafkaLagHigh firing, service=fees-settle, value=57342, duration=19m"
VALID = ParseStatus(status=ParseState.VALID, detail="")
UNPROVEN_LINES = ("- 未能证实：", "- 仅有间接支持：")


class Quoted(Enum):
    TRULY, WRONGLY, NEARLY, NOT_AT_ALL = auto(), auto(), auto(), auto()


EXCERPTS = {
    Quoted.TRULY: ITEM,
    Quoted.WRONGLY: "KafkaLagHigh firing, service=fees-settle, value=99999",
    Quoted.NEARLY: "19m",
}


@dataclass(frozen=True)
class Made:
    """A claim as generated: how it quotes, and what the verifier says of it."""

    text: str
    quoted: Quoted
    said: FactClass
    type: ClaimType


TEXTS = st.sampled_from(["甲乙丙丁", "戊己庚辛", "壬癸甲丙", "甲乙丙丁戊", "庚辛壬癸", "乙丁己辛"])
CLAIMS = st.builds(
    Made,
    TEXTS,
    st.sampled_from([*Quoted, Quoted.TRULY, Quoted.TRULY]),
    st.sampled_from(FactClass),
    st.sampled_from([ClaimType.OBSERVATION, ClaimType.SYMPTOM, ClaimType.RISK]),
)
ROUNDS = st.lists(CLAIMS, min_size=1, max_size=4, unique_by=lambda made: made.text)


def evaluated(claims: list[Made], number: int) -> tuple[VerifierEvaluation, Route]:
    output = ExecutorOutput(
        claims=tuple(_claim(index, made) for index, made in enumerate(claims)),
        user_facing_answer="。".join(made.text for made in claims),
        recommended_actions=tuple(
            RecommendedAction(action_id=f"a{index}", action_text=f"{made.text}，请继续查询日志", reason=made.text)
            for index, made in enumerate(claims)
        ),
    )
    parsed = ParsedExecutorOutput(status=VALID, structured=output, final_answer="")
    gatekeeper = check_evidence(session_id="s", invocations=[CALL], parsed=parsed, tool_classes=TOOL_CLASSES)
    facts = tuple(
        CheckedFact(fact=made.text, is_critical=True, verification=made.said, claim_id=f"claim-{index}")
        for index, made in enumerate(claims)
    )
    judgement = judge(
        question="fees-settle 怎么了？",
        round=number,
        threshold="0.5",
        structured=output,
        parse_status=VALID,
        gatekeeper=gatekeeper,
        trace=None,
        reading=VerifierAnswer(facts, Verdict.PASS, Decimal(1), 1, ""),
        invocations=[CALL],
    )
    return judgement.evaluation, judgement.route


def _claim(index: int, made: Made) -> Claim:
    binding = EvidenceBinding(
        tool_name="query_metrics",
        source_invocation_id=41,
        raw_path="$.alerts[0]",
        evidence_excerpt=EXCERPTS.get(made.quoted, ""),
    )
    bindings = () if made.quoted is Quoted.NOT_AT_ALL else (binding,)
    return Claim(claim_id=f"claim-{index}", claim_type=made.type, claim_text=made.text, evidence_bindings=bindings)


CALL = ToolInvocation(
    id=41,
    session_id="s",
    tool_name="query_metrics",
    success=True,
    output=ITEM,
    input_params={"query": "甲乙丙丁"},
    retrieval_details=RetrievalDetails(
        evidence_status=EvidenceStatus.SUPPORTED, evidence_refs=(EvidenceRef(raw_path="$.alerts[0]", text=ITEM),)
    ),
)


def verified_in(rounds: list[list[Made]]) -> set[str]:
    """What may be stated, by the letter of R35 and R47 and not by the code under test."""
    stated = set[str]()
    contradicted = set[str]()
    for claims in rounds:
        if any(made.quoted is Quoted.WRONGLY for made in claims):
            continue  # the gatekeeper rejects, the verifier is not asked
        true = [made for made in claims if made.quoted is Quoted.TRULY]
        contradicted |= {made.text for made in claims if made.said is FactClass.CONTRADICTED}
        stated |= {made.text for made in true if made.said is FactClass.DIRECT}
        if any(made.said is FactClass.DIRECT and made.type is not ClaimType.RISK for made in true):
            stated |= {made.text for made in true if made.said is FactClass.INDIRECT}
    return {text for text in stated if not any(text in other or other in text for other in contradicted)}


@settings(deadline=None)
@given(st.lists(ROUNDS, min_size=1, max_size=2))
def test_no_answer_states_what_was_not_verified(rounds: list[list[Made]]) -> None:
    """R46, R47, R49: LOW_CONFID names it as unproven in its gaps alone, REJECT and PASS not at all."""
    evaluations, routes = zip(*(evaluated(claims, number) for number, claims in enumerate(rounds, 1)), strict=True)
    route = Route.DISCLAIMER if routes[-1] is Route.RETRY else routes[-1]
    answer = answer_after(
        route,
        question="fees-settle 怎么了？",
        evaluations=evaluations,
        invocations=[CALL],
        composition=None,
        tool_classes=TOOL_CLASSES,
    ).answer
    verified = verified_in(rounds)
    for line in answer.splitlines():
        if route is Route.DISCLAIMER and line.startswith(UNPROVEN_LINES):
            continue
        bare = line
        for text in sorted(verified, key=len, reverse=True):
            bare = bare.replace(text, "")
        for made in (made for claims in rounds for made in claims):
            assert made.text in verified or made.text not in bare


@settings(deadline=None)
@given(ROUNDS)
def test_what_was_verified_is_stated(claims: list[Made]) -> None:
    """R46, R47: under 已确认信息, or in the list of a PASS."""
    evaluation, route = evaluated(claims, 2)
    answer = answer_after(
        route,
        question="fees-settle 怎么了？",
        evaluations=[evaluation],
        invocations=[CALL],
        composition=None,
        tool_classes=TOOL_CLASSES,
    ).answer
    assert all(f"- {text}" in answer.splitlines() for text in verified_in([claims]))
