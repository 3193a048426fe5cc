"""What the Verifier is given, and how its answer is read (R5, R31, R33)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agents.verifier_io import VerifierAnswer, VerifierUnreadable, parse_verifier_output, verifier_payload
from domain.contracts import (
    CheckedBinding,
    CheckState,
    Claim,
    EvidenceLevel,
    ExecutorOutput,
    FactClass,
    GatekeeperResult,
    ParsedExecutorOutput,
    ParseState,
    ParseStatus,
    RetryContext,
    Severity,
    TraceEntry,
    Verdict,
)

NOW = datetime(2031, 3, 4, 7, 0, tzinfo=UTC)


def fact(**changes: Any) -> dict[str, Any]:
    return {
        "fact": "quote-api 返回 502",
        "is_critical": True,
        "verification": "direct_evidence",
        "detail": "原文写明",
        "evidence_refs": [{"trace_ref": "trace-1", "tool_name": "query_logs", "source_invocation_ids": [41]}],
        "claim_id": "claim-1",
        **changes,
    }


def output(**changes: Any) -> dict[str, Any]:
    return {
        "verdict": "PASS",
        "groundedness_score": 1.0,
        "critical_fact_count": 1,
        "facts_checked": [fact()],
        "rationale": "逐条核对",
        **changes,
    }


def unreadable(raw: object) -> bool:
    return isinstance(parse_verifier_output(raw), VerifierUnreadable)


def test_one_json_object_is_read() -> None:
    """R33."""
    reading = parse_verifier_output(json.dumps(output(groundedness_score=0.8)))
    assert isinstance(reading, VerifierAnswer)
    assert (reading.verdict, reading.groundedness_score, reading.critical_fact_count) == (
        Verdict.PASS,
        Decimal("0.8"),
        1,
    )
    assert reading.facts[0].verification is FactClass.DIRECT
    assert reading.facts[0].evidence_refs[0].source_invocation_ids == (41,)


def test_an_object_that_is_parsed_already_is_read() -> None:
    """R33."""
    assert isinstance(parse_verifier_output(output()), VerifierAnswer)


def test_one_fence_or_think_block_is_set_aside_and_noted() -> None:
    """R13, R33."""
    reading = parse_verifier_output(f"<think>PASS?</think>\n```json\n{json.dumps(output())}\n```")
    assert isinstance(reading, VerifierAnswer)
    assert reading.stripped == ("think block", "code fence")


@pytest.mark.parametrize(
    "raw",
    [
        None,
        "",
        "PASS",
        "[]",
        "我认为可以通过：" + json.dumps(output()),
        json.dumps(output()) + json.dumps(output()),
        json.dumps(output())[:-1],
        ["PASS"],
        7,
    ],
)
def test_anything_but_one_object_is_unreadable(raw: object) -> None:
    """R33, R39."""
    assert unreadable(raw)


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "MAYBE"},
        {"verdict": None},
        {"groundedness_score": "0.8"},
        {"groundedness_score": True},
        {"groundedness_score": 1.5},
        {"groundedness_score": float("nan")},
        {"critical_fact_count": 1.5},
        {"critical_fact_count": True},
        {"critical_fact_count": -1},
        {"facts_checked": None},
        {"facts_checked": [fact(is_critical="true")]},
        {"facts_checked": [fact(is_critical=1)]},
        {"facts_checked": [fact(verification="supported")]},
        {"facts_checked": [fact(fact="")]},
        {"facts_checked": [fact(detail=None)]},
        {"facts_checked": [fact(evidence_refs="trace-1")]},
        {"facts_checked": [fact(claim_id=1)]},
        {"facts_checked": ["quote-api 返回 502"]},
        {"rationale": None},
    ],
)
def test_a_field_of_another_type_is_unreadable(changes: dict[str, Any]) -> None:
    """R33: strict types and only the known classes."""
    assert unreadable(output(**changes))


@pytest.mark.parametrize(
    "field", ["verdict", "groundedness_score", "critical_fact_count", "facts_checked", "rationale"]
)
def test_a_missing_field_is_unreadable_and_named(field: str) -> None:
    """R33, R39: the one retry is shown what is wrong."""
    answer = output()
    del answer[field]
    reading = parse_verifier_output(json.dumps(answer))
    assert isinstance(reading, VerifierUnreadable)
    assert field in reading.problem


def test_numeric_strings_are_ids_and_notes_may_be_missing() -> None:
    """R33: refs are the model's notes, small slips in them cost nothing."""
    reading = parse_verifier_output(output(facts_checked=[fact(evidence_refs=[{"source_invocation_ids": ["41"]}])]))
    assert isinstance(reading, VerifierAnswer)
    assert reading.facts[0].evidence_refs[0].source_invocation_ids == (41,)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(output())), inner, max_size=5),
    max_leaves=12,
)


@given(JSON | st.text(max_size=100) | st.builds(json.dumps, JSON))
def test_no_output_is_ever_an_error(raw: object) -> None:
    """R39: whatever a model writes, parsing does not raise."""
    parse_verifier_output(raw)


@given(JSON, st.sampled_from(sorted(output())))
def test_no_field_is_ever_an_error(value: object, field: str) -> None:
    """R39."""
    parse_verifier_output(output(**{field: value}))
    parse_verifier_output(output(facts_checked=[{**fact(), "claim_id": value, "evidence_refs": [{"note": value}]}]))


# ---------------------------------------------------------------- the payload


def payload(*, round: int = 1, retry_context: RetryContext | None = None, final_answer: str = "{}") -> dict[str, Any]:
    claim = Claim(claim_id="claim-1", claim_text="quote-api 返回 502")
    binding = CheckedBinding(claim_id="claim-1", status=CheckState.PASS, matched_text="06:44 quote-api 502")
    return verifier_payload(
        question="quote-api 怎么了？",
        parsed=ParsedExecutorOutput(
            status=ParseStatus(status=ParseState.VALID, detail="parsed executor evidence contract"),
            structured=ExecutorOutput(claims=(claim,)),
            final_answer=final_answer,
        ),
        gatekeeper=GatekeeperResult(status=CheckState.PASS, severity=Severity.NONE, checked_bindings=(binding,)),
        trace=[TraceEntry(trace_ref="trace-1", tool_name="query_logs", evidence_level=EvidenceLevel.DIRECT)],
        now=NOW,
        retry_context=retry_context,
        round=round,
    )


def test_the_payload_holds_the_explicit_inputs_and_nothing_else() -> None:
    """R5, R31."""
    assert set(payload()) == {
        "original_query",
        "language",
        "session_time",
        "executor_final_answer",
        "executor_structured_output",
        "executor_output_parse_status",
        "gatekeeper_result",
        "tool_trace_summary",
        "retry_context",
    }


def test_the_payload_is_json_with_the_matched_texts_and_the_session_time() -> None:
    """R9, R31."""
    sent = json.loads(json.dumps(payload(), ensure_ascii=False, allow_nan=False))
    assert sent["gatekeeper_result"]["checked_bindings"][0]["matched_text"] == "06:44 quote-api 502"
    assert sent["session_time"] == "2031-03-04T07:00:00+00:00"
    assert sent["executor_output_parse_status"]["status"] == "valid"


def test_no_think_block_reaches_the_verifier() -> None:
    """R5, R31."""
    assert (
        payload(final_answer="<think>secret plan</think>quote-api 返回 502")["executor_final_answer"]
        == "quote-api 返回 502"
    )


def test_the_retry_context_is_for_round_two_only() -> None:
    """R31."""
    context = RetryContext(round=1, missing_evidence_facts=("“根因”缺少直接证据",))
    assert payload(round=1, retry_context=context)["retry_context"] is None
    assert payload(round=2, retry_context=context)["retry_context"]["missing_evidence_facts"] == ["“根因”缺少直接证据"]
