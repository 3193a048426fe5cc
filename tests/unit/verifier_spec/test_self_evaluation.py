"""Scenarios of seed 001: verdict and rule evaluation stand side by side in one container, with what they rest on."""

from __future__ import annotations

from typing import Any

import pytest

from domain.contracts import Verdict
from domain.events import (
    Recorded,
    RuleEvaluated,
    SessionOpened,
    VerdictIssued,
    VerdictIssuedContent,
)
from projections.diagnosis_session import DIAGNOSIS_SESSION
from projections.read_model import fold_page

RULE_SCORE = 80


@pytest.fixture
def container(diagnosis: Any) -> Any:
    """`container(VerdictIssued, RuleEvaluated)`: `self_evaluation` after these events of a session, in this order."""

    def make(*kinds: type) -> dict[str, Any]:
        (opened,) = _events_of(SessionOpened, diagnosis())
        rows = fold_page(
            DIAGNOSIS_SESSION, {}, [opened, *(one for kind in kinds for one in _events_of(kind, diagnosis()))]
        )
        (row,) = rows.values()
        evaluation: dict[str, Any] = row["self_evaluation"]
        return evaluation

    return make


def _events_of(kind: type, events: list[Recorded]) -> list[Recorded]:
    return [one for one in events if isinstance(one.event, kind)]


def test_the_verdict_is_written_to_self_evaluation(container: Any) -> None:
    """R54: under verifier_evaluation; the rule evaluation that stood there stays."""
    evaluation = container(RuleEvaluated, VerdictIssued)
    assert evaluation["verifier_evaluation"]["verdict"] == "PASS"
    assert evaluation["rule_evaluation"]["evidence_score"] == RULE_SCORE


def test_the_rule_evaluation_is_stored_separately(container: Any) -> None:
    """R54, R57: under rule_evaluation; the verdict that stood there stays."""
    before, after = container(VerdictIssued), container(VerdictIssued, RuleEvaluated)
    assert after["rule_evaluation"]["evidence_score"] == RULE_SCORE
    assert after["verifier_evaluation"] == before["verifier_evaluation"]


def test_the_verifier_evaluation_is_stored_separately(container: Any) -> None:
    """R54: it writes its own slot alone."""
    before, after = container(RuleEvaluated), container(RuleEvaluated, VerdictIssued)
    assert before.keys() == {"rule_evaluation"}
    assert after["rule_evaluation"] == before["rule_evaluation"]


def test_there_is_no_whole_object_overwrite_after_initialization(container: Any) -> None:
    """R54: both orders end in one and the same container."""
    assert container(RuleEvaluated, VerdictIssued) == container(VerdictIssued, RuleEvaluated)


def test_the_verifier_evaluation_persists_a_traceability_snapshot(
    given: Any, say: Any, recorded: Any, diagnosis: Any
) -> None:
    """R54: traceability_version, and the summary that the Verifier was given."""
    round = given(
        calls=(say.alerts(),), executor=say.contract(say.memory()), verifier=say.judging(say.fact(say.memory()))
    )
    (opened,), (issued,) = _events_of(SessionOpened, diagnosis()), _events_of(VerdictIssued, diagnosis())
    content = VerdictIssuedContent(evaluation=round.evaluation)
    verdict = recorded(VerdictIssued(facts=issued.event.facts, content=content), issued.version, issued.position)
    (row,) = fold_page(DIAGNOSIS_SESSION, {}, [opened, verdict]).values()
    stored = row["self_evaluation"]["verifier_evaluation"]
    assert stored["verdict"] == Verdict.PASS
    assert stored["traceability_version"] == "v2"
    assert [entry["trace_ref"] for entry in stored["tool_trace_summary"]] == ["trace-1"]
    assert stored["tool_trace_summary"][0]["output_summary"] == f"metric_evidence: {say.ALERT}"
