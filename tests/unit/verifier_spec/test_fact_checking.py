"""Scenarios of seed 001: the Verifier fact-checks the Executor, in strict JSON, with classes that decide the score."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domain.agents.verifier_io import VerifierUnreadable, parse_verifier_output


def test_pass_when_all_claims_have_evidence(given: Any, say: Any) -> None:
    """R35: all critical facts direct or indirect, one of them direct, none contradicted."""
    claims = [say.memory(), say.cause(claim_type="root_cause")]
    judged = say.judging(say.fact(claims[0]), say.fact(claims[1], "indirect_support"))
    round = given(calls=(say.alerts(), say.logs()), executor=say.contract(*claims), verifier=judged)
    assert round.outcome == ("PASS", "0.8", "compose")


def test_low_confid_with_partial_evidence(given: Any, say: Any) -> None:
    """R35: nothing contradicts, but a critical fact has no evidence."""
    claims = [say.memory(), say.cause()]
    judged = say.judging(say.fact(claims[0]), say.fact(claims[1], "no_evidence"))
    round = given(calls=(say.alerts(), say.logs()), executor=say.contract(*claims), verifier=judged)
    assert round.outcome == ("LOW_CONFID", "0.5", "disclaimer")


def test_low_confid_with_only_indirect_support(given: Any, say: Any) -> None:
    """R35: no direct anchor."""
    judged = say.judging(say.fact(say.memory(), "indirect_support"))
    round = given(calls=(say.alerts(),), executor=say.contract(say.memory()), verifier=judged)
    assert round.outcome == ("LOW_CONFID", "0.6", "disclaimer")


@pytest.mark.parametrize(
    ("text", "verification"),
    [
        ("order-service 没有内存告警", "contradicted"),
        ("order-service 报出错误码 ERR_HEAP_77", "direct_evidence"),
    ],
    ids=["contradicts the tool results", "names a code that is in no tool output"],
)
def test_reject_when_claims_contradict_evidence(given: Any, say: Any, text: str, verification: str) -> None:
    """R34, R37: by the model's word, or found by code whatever the model says."""
    claim = say.claim("c", text, say.binding())
    judged = say.judging(say.fact(claim, verification))
    round = given(calls=(say.alerts(),), executor=say.contract(claim), verifier=judged)
    assert round.outcome == ("REJECT", "0.0", "degrade")


def test_structured_executor_claims_are_verified_first(given: Any, say: Any) -> None:
    """R36: each claim is a fact, whatever the model lists; one without a binding is no direct evidence."""
    claims = [say.memory(), say.claim("unbound", "order-service 内存泄漏")]
    judged = say.judging(say.fact(claims[0]), say.fact(claims[1]))
    round = given(calls=(say.alerts(),), executor=say.contract(*claims), verifier=judged)
    assert round.classes == {"memory": "direct_evidence", "unbound": "no_evidence"}
    assert round.outcome == ("LOW_CONFID", "0.5", "disclaimer")


def test_a_fabricated_evidence_reference_is_rejected_by_code(given: Any, say: Any) -> None:
    """R25, R32: an id that no call has; the model is not asked, so no fact is direct evidence."""
    claim = say.claim("c", "order-service 内存告警", say.binding(999))
    round = given(calls=(say.alerts(),), executor=say.contract(claim), verifier=say.judging(say.fact(claim)))
    assert round.outcome == ("REJECT", "0.0", "degrade")
    assert round.classes == {"c": "no_evidence"}


def test_extra_confirmed_sounding_answer_facts_are_still_checked(given: Any, say: Any) -> None:
    """R38: what the answer says beside the claims is a fact too, and lowers the verdict."""
    executor = say.contract(say.memory(), user_facing_answer="已确认数据库连接 77 个全部耗尽。")
    round = given(calls=(say.alerts(),), executor=executor, verifier=say.judging(say.fact(say.memory())))
    assert round.classes == {"memory": "direct_evidence", "已确认数据库连接 77 个全部耗尽": "no_evidence"}
    assert round.outcome == ("LOW_CONFID", "0.5", "disclaimer")


def test_natural_language_fallback_remains_available(given: Any, say: Any) -> None:
    """R14: facts come from the answer as it was written; the classes decide as ever, but it cannot pass."""
    prose = "order-service 内存使用率 91%，告警仍在触发。"
    judged = say.judging(say.other_fact(prose, "direct_evidence", "trace-1"))
    round = given(calls=(say.alerts(),), executor=prose, verifier=judged)
    assert round.payload["executor_final_answer"] == prose
    assert round.payload["executor_structured_output"] is None
    assert round.classes == {prose: "direct_evidence"}
    assert round.outcome == ("LOW_CONFID", "1.0", "disclaimer")


@pytest.mark.parametrize(
    "changes",
    [
        *({field: ...} for field in ("verdict", "groundedness_score", "facts_checked", "rationale")),
        {"groundedness_score": 1.2},
        {"groundedness_score": -0.1},
        {"verdict": "MAYBE"},
    ],
    ids=lambda changes: json.dumps(changes, default=str),
)
def test_output_format_validation(say: Any, changes: dict[str, Any]) -> None:
    """R33: all four fields, a score between 0 and 1, one of three verdicts; else the output is unusable."""
    whole = json.loads(say.judging(say.fact(say.memory())))
    broken = {key: value for key, value in (whole | changes).items() if value is not ...}
    assert not isinstance(parse_verifier_output(json.dumps(whole)), VerifierUnreadable)
    assert isinstance(parse_verifier_output(json.dumps(broken)), VerifierUnreadable)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda whole: f"核验如下：{json.dumps(whole)}",
        lambda whole: json.dumps(whole) * 2,
        lambda whole: json.dumps({k: v for k, v in whole.items() if k != "critical_fact_count"}),
        *(
            lambda whole, field=field: json.dumps(
                whole | {"facts_checked": [{k: v for k, v in whole["facts_checked"][0].items() if k != field}]}
            )
            for field in ("fact", "is_critical", "verification", "detail")
        ),
    ],
    ids=["prose", "two objects", "no critical_fact_count", "no fact", "no is_critical", "no verification", "no detail"],
)
def test_strict_schema_output(given: Any, say: Any, spoil: Any) -> None:
    """R33, R39: exactly one object in full; else LOW_CONFID by code, score 0.0, never a reason for round 2."""
    whole = json.loads(say.judging(say.fact(say.memory())))
    round = given(calls=(say.alerts(),), executor=say.contract(say.memory()), verifier=spoil(whole))
    assert round.outcome == ("LOW_CONFID", "0.0", "disclaimer")
    assert (round.evaluation.decided_by, round.evaluation.reason) == ("code", "verifier_malformed")


def test_a_code_fence_or_a_think_block_around_the_object_is_noted(given: Any, say: Any) -> None:
    """R33, section 14: stripped, and said so."""
    judged = f"<think>先核对。</think>```json\n{say.judging(say.fact(say.memory()))}\n```"
    round = given(calls=(say.alerts(),), executor=say.contract(say.memory()), verifier=judged)
    assert round.outcome == ("PASS", "1.0", "compose")
    assert round.evaluation.model_values["stripped"] == ["think block", "code fence"]


@pytest.mark.parametrize("verification", ["direct_evidence", "indirect_support", "no_evidence", "contradicted"])
def test_fact_classification_values(say: Any, verification: str) -> None:
    """R34: four classes and no fifth."""
    read = parse_verifier_output(say.judging(say.fact(say.memory(), verification)))
    assert not isinstance(read, VerifierUnreadable)
    assert read.facts[0].verification == verification
    fifth = parse_verifier_output(say.judging(say.fact(say.memory(), verification.upper())))
    assert isinstance(fifth, VerifierUnreadable)


def test_a_contradicted_fact_forces_reject(given: Any, say: Any) -> None:
    """R35: REJECT with score 0.0, whatever verdict and score the model wrote."""
    claims = [say.memory(), say.usage()]
    judged = say.judging(say.fact(claims[0]), say.fact(claims[1], "contradicted"), groundedness_score=0.9)
    round = given(calls=(say.alerts(), say.logs()), executor=say.contract(*claims), verifier=judged)
    assert round.outcome == ("REJECT", "0.0", "degrade")


def test_the_score_is_derived_from_supported_facts(given: Any, say: Any) -> None:
    """R34, R35: (1.0 + 0.6 + 0.0) / 3, whatever score the model wrote."""
    claims = [say.memory(), say.usage(), say.cause()]
    classes = ("direct_evidence", "indirect_support", "no_evidence")
    facts = [say.fact(claim, verification) for claim, verification in zip(claims, classes, strict=True)]
    round = given(calls=(say.alerts(), say.logs()), executor=say.contract(*claims), verifier=say.judging(*facts))
    assert round.evaluation.groundedness_score == "0.5333"
    assert round.evaluation.model_values["groundedness_score"] == "1.0"


def test_facts_checked_contains_evidence_refs(given: Any, say: Any) -> None:
    """R33, R36: refs and invocation ids are kept; a fact beside the claims needs one ref that exists."""
    refs = [{"trace_ref": "trace-1", "tool_name": "query_metrics", "source_invocation_ids": [41]}]
    real = say.other_fact("内存告警已触发 15 分钟", "direct_evidence", "trace-1")
    made_up = say.other_fact("内存占用 91%", "direct_evidence", "trace-9")
    judged = say.judging(say.fact(say.memory(), evidence_refs=refs), real, made_up)
    round = given(calls=(say.alerts(),), executor=say.contract(say.memory()), verifier=judged)
    (kept,) = round.evaluation.facts_checked[0].evidence_refs
    assert (kept.trace_ref, kept.source_invocation_ids) == ("trace-1", (41,))
    assert round.classes["内存告警已触发 15 分钟"] == "direct_evidence"
    assert round.classes["内存占用 91%"] == "no_evidence"
