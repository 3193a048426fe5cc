"""Which expectations a session meets: given an observation, then these misses (R63)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from domain.contracts import ComposerStatus
from domain.events import Recorded
from handlers.evaluation.expectations import Expectations, misses
from handlers.evaluation.observation import Observation, observe

SEEN = Observation(
    status="completed",
    verdict="PASS",
    outcome="NORMAL",
    reason=None,
    rounds=1,
    score=Decimal("0.8"),
    parse_status="valid",
    gatekeeper_status="pass",
    gatekeeper_severity="none",
    failed_rules=("evidence.raw_path",),
    adjusted_rules=("claim.skipped", "verdict.recomputed"),
    warnings=("scope.claim_count",),
    composer=ComposerStatus.VALID,
    claims=("order-service 内存 91%",),
    claim_types=("observation",),
    binding_paths=("$.alerts[0]",),
    answer="order-service 内存使用率 91%",
    tools_called=("query_metrics", "query_logs"),
    agents_asked=("planner", "executor"),
)

MET: dict[str, Any] = {
    "status": "completed",
    "verdict": "PASS",
    "outcome": "NORMAL",
    "rounds": 1,
    "score_min": 0.8,
    "score_max": 0.8,
    "parse_status": "valid",
    "gatekeeper_status": "pass",
    "gatekeeper_severity": "none",
    "failed_rules": ["evidence.raw_path"],
    "adjusted_rules": ["claim.skipped"],
    "warnings": ["scope.claim_count"],
    "composer": "valid",
    "claims_min": 1,
    "claims_max": 1,
    "claim_types": ["observation", "documentation"],
    "claims_lack": ["泄漏"],
    "binding_paths": ["$.alerts[0]"],
    "answer_contains": ["91%", "order-service"],
    "answer_lacks": ["泄漏"],
    "tools_called": ["query_logs"],
    "agents_asked": ["executor", "planner"],
}

MISSED: dict[str, tuple[Any, str]] = {
    "status": ("failed", "completed"),
    "verdict": ("REJECT", "PASS"),
    "outcome": ("DEGRADED", "NORMAL"),
    "reason": ("verifier_malformed", "none"),
    "rounds": (2, "1"),
    "score_min": (0.81, "0.8"),
    "score_max": (0.79, "0.8"),
    "parse_status": ("malformed", "valid"),
    "gatekeeper_status": ("fail", "pass"),
    "gatekeeper_severity": ("reject", "none"),
    "failed_rules": (["evidence.raw_path", "evidence.tool_name"], "evidence.raw_path"),
    "adjusted_rules": (["claim.not_passed"], "claim.skipped, verdict.recomputed"),
    "warnings": (["scope.claim_type"], "scope.claim_count"),
    "composer": ("fallback", "valid"),
    "claims_min": (2, "1"),
    "claims_max": (0, "1"),
    "claim_types": (["negative_observation"], "observation"),
    "claims_lack": (["内存", "泄漏"], "内存 in: order-service 内存 91%"),
    "binding_paths": (["$.alerts[0]", "$.alerts"], "$.alerts[0]"),
    "answer_contains": (["91%", "firing"], "without firing: order-service 内存使用率 91%"),
    "answer_lacks": (["ORDER-service"], "ORDER-service in: order-service 内存使用率 91%"),
    "tools_called": (["read_skill"], "query_metrics, query_logs"),
    "agents_asked": (["planner", "executor", "verifier"], "planner, executor"),
}


def test_every_expectation_is_tried_here() -> None:
    assert MISSED.keys() == Expectations.model_fields.keys()
    assert MET.keys() == Expectations.model_fields.keys() - {"reason"}


@pytest.mark.parametrize("field", MET)
def test_an_expectation_that_is_met_is_no_miss(field: str) -> None:
    assert misses(Expectations.model_validate({field: MET[field]}), SEEN) == []


@pytest.mark.parametrize("field", MISSED)
def test_an_expectation_that_is_not_met_says_what_came_instead(field: str) -> None:
    wanted, got = MISSED[field]
    (miss,) = misses(Expectations.model_validate({field: wanted}), SEEN)
    assert (miss.field, miss.got) == (field, got)


def test_a_reason_is_compared_too() -> None:
    seen = replace(SEEN, verdict="LOW_CONFID", reason="verifier_malformed")
    assert misses(Expectations.model_validate({"reason": "verifier_malformed"}), seen) == []


def test_a_session_without_a_verdict_meets_only_none() -> None:
    seen = replace(SEEN, status="failed", verdict="NONE", score=None)
    assert misses(Expectations.model_validate({"verdict": "NONE"}), seen) == []
    (miss,) = misses(Expectations.model_validate({"score_max": 1}), seen)
    assert miss.got == "none"


def test_misses_come_in_the_order_of_the_fields() -> None:
    expected = Expectations.model_validate({"answer_contains": ["x"], "rounds": 2, "verdict": "REJECT"})
    assert [miss.field for miss in misses(expected, SEEN)] == ["verdict", "rounds", "answer_contains"]


def test_a_session_is_observed_from_its_events(diagnosis: Callable[..., list[Recorded]]) -> None:
    seen = observe(diagnosis()[:-1])  # up to its end, without the feedback
    assert (seen.status, seen.verdict, seen.outcome, seen.rounds) == ("completed", "PASS", "NORMAL", 1)
    assert (seen.score, seen.composer, seen.parse_status) == (Decimal(1), "valid", "valid")
    assert seen.answer == "order-service 内存使用率 91%"
    assert seen.tools_called == ("query_metrics",)
    assert seen.agents_asked == ("planner", "executor", "verifier", "composer")
