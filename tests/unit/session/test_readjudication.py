"""What today's rules would decide of recorded sessions (R59)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from domain.contracts import Agent, FactClass, RetrievalDetails
from domain.events import FeedbackGiven, FeedbackGivenContent, FeedbackGivenFacts
from domain.evidence import extraction, masking
from domain.model_reply import ModelReply
from domain.readjudication import Difference, Result, readjudicate
from domain.session.commands import (
    BeginNextRound,
    CancelSession,
    CloseByTemplate,
    FailSession,
    InterruptTool,
    JudgeByCode,
    StopExecutor,
)
from domain.session.ending import STEP_FAILED
from domain.session.tool_calls import failed_outcome, recorded_outcome
from domain.settings import Budgets, SessionSettings
from domain.verdict import judgement

CLAIM = "order-service 的 HighMemoryUsage 告警处于 firing 状态，current=91%"
COMPOSED = ModelReply(output=json.dumps([{"claim_ids": ["claim-1"], "sentence": f"{CLAIM}。"}], ensure_ascii=False))


def passed(given: Any) -> Any:
    """NORMAL: one claim, proven, worded by the Composer."""
    story = given().concluding()
    story.model(Agent.COMPOSER, COMPOSED)
    return story


def indirect(given: Any) -> Any:
    """LOW_CONFID with score 0.6 over the threshold 0.5: a template."""
    story = given().concluding("indirect_support")
    story.when(CloseByTemplate())
    return story


def retried(given: Any, say: Any) -> Any:
    """Score 0.0 in round 1; proven in round 2."""
    story = given().concluding("no_evidence")
    story.when(BeginNextRound())
    story.model(Agent.PLANNER, say.plan)
    story.answered(say.memory_claim(story.looked().id)).checked()
    story.verified(claim_1="direct_evidence")
    story.model(Agent.COMPOSER, COMPOSED)
    return story


def rejected(given: Any, say: Any) -> Any:
    """A quotation that stands nowhere: DEGRADED without a verifier."""
    story = given().executing()
    invented = say.claim(story.looked().id, "order-service 已 OOM", "OutOfMemoryError in order-service", "$.alerts[0]")
    story.answered(invented).checked()
    story.when(JudgeByCode())
    story.when(CloseByTemplate())
    return story


def misheard(given: Any, say: Any) -> Any:
    """The Verifier was not understood twice (R39)."""
    story = given().executing()
    story.answered(say.memory_claim(story.looked().id)).checked()
    for _ in range(2):
        story.model(Agent.VERIFIER, ModelReply(output="PASS"))
    story.when(CloseByTemplate())
    return story


def called_in_every_way(given: Any, say: Any) -> Any:
    """A duplicate, an unknown tool, arguments that are none, a tool's failures of two kinds, a crash; then a budget."""
    story = given(SessionSettings(budgets=Budgets(model_calls=9))).executing()
    for _ in range(2):
        story.asked_for(("query_metrics", {"query": "same"})).tool()
    story.asked_for(("drop_tables", {})).tool()
    story.asked_for(("query_logs", "{")).tool()
    story.asked_for(("query_logs", {"query": "a"})).tool(json.dumps({"success": False, "error": "no such index"}))
    story.asked_for(("query_logs", {"query": "b"})).tool(failed_outcome("timeout", "late"))
    story.asked_for(("query_logs", {"query": "c"})).started()
    story.tool(say.no_logs)
    story.asked_for(("query_logs", {"query": "d"})).started(read_only=False)
    story.when(InterruptTool(story.due.turn.step_index, story.due.call_index))
    story.asked_for(("query_logs", {"query": "e"}))
    story.when(StopExecutor(story.due.ended_by))
    story.checked()
    story.model(Agent.VERIFIER, say.judgement({}))
    story.when(BeginNextRound())
    story.when(FailSession("planner", STEP_FAILED, "步骤反复失败"))
    return story


def model_gone(given: Any, say: Any) -> Any:
    story = given(SessionSettings(max_model_attempts=2)).executing()
    for _ in range(2):
        story.model(Agent.EXECUTOR, say.failure())
    return story


def cancelled(given: Any, _: Any) -> Any:
    story = given().executing()
    story.asked_for(("query_metrics", {})).started()
    story.when(CancelSession("不需要了"))
    return story


STORIES = (retried, rejected, misheard, called_in_every_way, model_gone, cancelled)


def places(result: Any) -> list[tuple[str, str]]:
    return [(difference.event, difference.where) for difference in result.differences]


# ---------------------------------------------------------------- nothing has changed


@pytest.mark.parametrize("story", STORIES)
def test_unchanged_rules_decide_the_same(given: Any, say: Any, story: Any) -> None:
    """R59: whatever became of a session, nothing of it differs."""
    told = story(given, say)
    result = readjudicate(told.history)
    assert (result.result, result.differences, result.missing) == (Result.SAME, (), "")


def test_what_comes_after_the_end_plays_no_part(given: Any) -> None:
    """R59."""
    story = passed(given)
    story.happened(FeedbackGiven(facts=FeedbackGivenFacts(rating="wrong"), content=FeedbackGivenContent(text="不对")))
    assert readjudicate(story.history).result is Result.SAME


def test_a_session_that_has_not_ended_is_not_decided(given: Any) -> None:
    """R59."""
    assert readjudicate(given().concluding().history).result is Result.RUNNING
    assert readjudicate(given().opened().history[:1]).result is Result.RUNNING


def test_an_erased_session_is_erased_and_not_different(given: Any) -> None:
    """R59, R62."""
    result = readjudicate(passed(given).erased().history, threshold="1")
    assert (result.result, result.differences) == (Result.ERASED, ())


# ---------------------------------------------------------------- another threshold


def test_a_lower_threshold_changes_the_route_and_needs_no_more(given: Any, say: Any) -> None:
    """R59: round 2 would not take place; the answer is the template of round 1."""
    result = readjudicate(retried(given, say).history, threshold="0")
    assert result.result is Result.DIFFERS
    route = Difference("VerdictIssued", 1, 12, "route", "retry", "disclaimer", "score 0.0, verdict.recomputed")
    assert route in result.differences
    assert Difference("RoundStarted", 2, 13, "", "recorded", None) in result.differences
    assert ("SessionCompleted", "outcome") in places(result)
    assert {difference.round for difference in result.differences if difference.event == "VerdictIssued"} == {1}


def test_a_higher_threshold_would_need_a_round_that_never_was(given: Any) -> None:
    """R59: the route is reported, the rest is undetermined."""
    result = readjudicate(indirect(given).history, threshold="0.7")
    assert (result.result, result.missing) == (Result.UNDETERMINED, "an answer of the planner in round 2")
    assert [(d.event, d.where, d.recorded, d.today) for d in result.differences] == [
        ("VerdictIssued", "route", "disclaimer", "retry"),
        ("RoundStarted", "", None, "recorded"),
    ]


def test_a_threshold_that_changes_no_route_changes_nothing(given: Any, say: Any) -> None:
    """R59."""
    assert readjudicate(passed(given).history, threshold="1").result is Result.SAME
    assert readjudicate(indirect(given).history, threshold="0.6").result is Result.SAME
    assert readjudicate(retried(given, say).history, threshold="0.4").result is Result.SAME


# ---------------------------------------------------------------- changed rules


def test_a_changed_value_of_a_class_concerns_the_sessions_that_have_it(
    given: Any, say: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R59: exactly those, with score and answer; the Planner of round 2 was never asked."""
    stories = {"passed": passed(given), "indirect": indirect(given), "rejected": rejected(given, say)}
    monkeypatch.setitem(judgement.CLASS_VALUES, FactClass.INDIRECT, judgement.CLASS_VALUES[FactClass.NO_EVIDENCE])
    results = {name: readjudicate(story.history) for name, story in stories.items()}
    assert {name: result.result for name, result in results.items()} == {
        "passed": "same",
        "indirect": "undetermined",
        "rejected": "same",
    }
    assert ("VerdictIssued", "groundedness_score") in places(results["indirect"])


def test_another_extraction_is_followed_through_to_the_answer(given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """R59: the recorded output is extracted anew, and what was cited of it is checked against that."""
    story = passed(given)
    monkeypatch.setitem(extraction._TEXTS, "alerts", lambda _: "HighMemoryUsage resolved")
    result = readjudicate(story.history)
    assert result.result is Result.DIFFERS
    (text,) = [d for d in result.differences if d.where == "retrieval_details.evidence_refs[$.alerts[0]].text"]
    assert (text.event, text.version, text.today) == ("ToolInvoked", 7, "HighMemoryUsage resolved")
    (severity,) = [d for d in result.differences if d.where == "severity"]
    assert (severity.recorded, severity.today) == ("none", "reject")
    assert "evidence.excerpt_mismatch" in severity.why
    (verdict,) = [d for d in result.differences if d.event == "VerdictIssued" and d.where == "verdict"]
    assert (verdict.recorded, verdict.today, verdict.why) == ("PASS", "REJECT", "score 0.0, gatekeeper_reject")
    (outcome,) = [d for d in result.differences if d.event == "SessionCompleted" and d.where == "outcome"]
    assert (outcome.recorded, outcome.today) == ("NORMAL", "DEGRADED")


def test_a_verifier_that_was_never_asked_is_missing(given: Any, say: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """R59: the gatekeeper rejected then and would not today."""
    story = rejected(given, say)
    monkeypatch.setitem(extraction._TEXTS, "alerts", lambda _: "OutOfMemoryError in order-service")
    result = readjudicate(story.history)
    assert (result.result, result.missing) == (Result.UNDETERMINED, "an answer of the verifier in round 1")
    assert ("GatekeeperChecked", "severity") in places(result)
    assert "VerdictIssued" not in {difference.event for difference in result.differences}


def test_a_call_that_would_be_run_today_has_no_output(given: Any, say: Any) -> None:
    """R59: it was answered from an earlier one, which today's rules would not take for the same."""
    story = called_in_every_way(given, say)
    first = next(entry for entry in story.history if entry.event.TOPIC == "ToolInvoked")
    other = first.event.content.model_copy(update={"output": json.dumps({"success": False})})
    changed = [
        entry if entry is not first else replace(entry, event=first.event.model_copy(update={"content": other}))
        for entry in story.history
    ]
    result = readjudicate(changed)
    assert (result.result, result.missing) == (Result.UNDETERMINED, "an output of query_metrics")


def test_that_a_tool_failed_is_an_input(given: Any, say: Any) -> None:
    """R59: and not found in its output, also where the tool gave no reason."""
    silent = recorded_outcome(
        "query_metrics",
        mask_patterns={},
        output=say.alerts,
        success=False,
        error_kind=None,
        error_message="",
        retrieval=RetrievalDetails(),
        duration_ms=1,
    )
    story = given().executing()
    assert story.looked(silent).error_message == "工具报告失败，没有说明原因。"
    story.when(FailSession("executor", STEP_FAILED, "步骤反复失败"))
    assert readjudicate(story.history).result is Result.SAME


def test_a_record_is_never_masked_anew(given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """R59, R22: patterns that know more than those of its day change nothing of a session that was recorded before."""
    story = given().concluding()
    story.when(FailSession("composer", STEP_FAILED, "badge 77 was refused"))
    monkeypatch.setattr(masking, "DEFAULT_PATTERNS", (masking.MaskPattern("badge", "badge [0-9]+"),))
    assert readjudicate(story.history).result is Result.SAME
