"""Tool calls: started before they run, finished once, answered without a run where that will do (R3, R7, R17, R19)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domain.contracts import Agent, EvidenceStatus, RetrievalDetails
from domain.events import ToolCallStarted, ToolInvoked
from domain.session.commands import BeginNextRound, FinishTool, InterruptTool, StartTool
from domain.session.conversation import Surroundings, messages_for
from domain.session.steps import CallModel
from domain.session.tool_calls import (
    AnswerFrom,
    Refuse,
    Run,
    failed_outcome,
    prepare_call,
    read_arguments,
    recorded_outcome,
)
from domain.settings import Budgets, SessionSettings

OFFERED = {"query_logs", "query_metrics"}
LOGS = ("query_logs", {"service": "order-service"})


def prepared(session: Any) -> Any:
    return prepare_call(session.file, session.due, OFFERED)


def shown_last(session: Any) -> dict[str, Any]:
    return json.loads(messages_for(Agent.EXECUTOR, session.file, Surroundings())[-1]["content"])


# ---------------------------------------------------------------- start, run, finish


def test_a_call_is_recorded_as_started_before_it_runs(given: Any) -> None:
    """R7: with what the model asked for, as it wrote it."""
    session = given().executing().asked_for(LOGS)
    (started,) = session.when(StartTool(1, 0, attempt=1, read_only=True))
    assert isinstance(started, ToolCallStarted)
    assert (started.content.tool_name, started.content.arguments) == ("query_logs", '{"service": "order-service"}')


def test_the_invocation_id_is_the_position_of_the_start_in_the_log(given: Any, say: Any) -> None:
    """R17."""
    session = given().executing().asked_for(LOGS)
    done = session.tool(say.no_logs)
    start = next(entry for entry in session.history if isinstance(entry.event, ToolCallStarted))
    invoked = session.history[-1].event
    assert (done.id, invoked.facts.invocation_id) == (start.position, start.position)


def test_the_whole_output_is_recorded(given: Any) -> None:
    """R17."""
    output = json.dumps({"success": True, "logs": [{"message": "x" * 100_000}], "total": 1})
    session = given().executing().asked_for(LOGS)
    session.tool(output)
    invoked = session.history[-1].event
    assert (invoked.content.output, invoked.facts.output_length) == (output, len(output))


def test_only_the_worker_whose_start_was_recorded_may_finish(given: Any) -> None:
    """R7: after a second start the first worker comes too late."""
    session = given().executing().asked_for(LOGS)
    first = session.started()
    second = session.started()
    assert session.when(FinishTool(1, 0, first, Run({}))) == ()
    (invoked,) = session.when(FinishTool(1, 0, second, Run({}), failed_outcome("source", "坏了")))
    assert isinstance(invoked, ToolInvoked)


def test_a_start_that_another_worker_has_recorded_is_not_recorded_again(given: Any) -> None:
    """R7."""
    session = given().executing().asked_for(LOGS)
    session.started()
    assert session.when(StartTool(1, 0, attempt=1, read_only=True)) == ()


def test_a_finished_call_is_never_started_finished_or_interrupted_again(given: Any, say: Any) -> None:
    """R7."""
    session = given().executing().asked_for(LOGS)
    done = session.tool(say.no_logs)
    assert session.due == CallModel(Agent.EXECUTOR, attempt=1)
    assert session.when(StartTool(1, 0, attempt=2, read_only=True)) == ()
    assert session.when(FinishTool(1, 0, done.id, Run({}))) == ()
    assert session.when(InterruptTool(1, 0)) == ()


@pytest.mark.parametrize("where", [(9, 0), (1, 9), (1, -1), (0, 0)])
def test_a_call_nobody_asked_for_cannot_be_started(given: Any, where: tuple[int, int]) -> None:
    """R7."""
    assert given().executing().asked_for(LOGS).when(StartTool(*where, attempt=1, read_only=True)) == ()


def test_an_interrupted_call_is_recorded_as_failed(given: Any) -> None:
    """R7, R19."""
    session = given().executing().asked_for(("restart_pod", {"pod": "a"}))
    invocation_id = session.started(read_only=False)
    (invoked,) = session.when(InterruptTool(1, 0))
    assert invoked.facts.model_dump(include={"invocation_id", "success", "evidence_status", "error_kind"}) == {
        "invocation_id": invocation_id,
        "success": False,
        "evidence_status": "failed",
        "error_kind": "interrupted",
    }
    assert invoked.content.input_params == {"pod": "a"}


def test_a_call_that_was_never_started_cannot_have_been_interrupted(given: Any) -> None:
    """R7."""
    assert given().executing().asked_for(LOGS).when(InterruptTool(1, 0)) == ()


# ---------------------------------------------------------------- deduplication


def test_the_same_call_in_the_same_round_is_answered_from_the_first(given: Any, say: Any) -> None:
    """R3, R19: `deduplicated`, with the first call's id and refs; nothing is run."""
    session = given().executing().asked_for(("query_metrics", {"a": 1, "b": 2}))
    first = session.tool(say.alerts)
    session.asked_for(("query_metrics", '{"b": 2, "a": 1}'))
    assert prepared(session) == AnswerFrom(first, {"a": 1, "b": 2})
    repeated = session.tool("这个输出不会被记录")
    assert repeated.retrieval_details.evidence_status is EvidenceStatus.DEDUPLICATED
    assert repeated.retrieval_details.duplicate_of == first.id
    assert repeated.output == ""
    assert repeated.id != first.id
    shown = shown_last(session)
    assert (shown["source_invocation_id"], shown["evidence_status"]) == (first.id, "deduplicated")
    assert shown["evidence_refs"] == [ref.model_dump() for ref in first.retrieval_details.evidence_refs]
    assert str(first.id) in shown["note"]


def test_a_third_call_points_at_the_first_and_not_at_the_second(given: Any, say: Any) -> None:
    """R3."""
    session = given().executing().asked_for(LOGS, LOGS, LOGS)
    first = session.tool(say.no_logs)
    assert [session.tool().retrieval_details.duplicate_of for _ in range(2)] == [first.id, first.id]


def test_a_repeated_helper_is_told_where_its_answer_stands(given: Any) -> None:
    """R3, R4."""
    session = given().executing().asked_for(("getCurrentDateTime", {}), ("getCurrentDateTime", {}))
    first = session.tool('{"now": "2026-07-08T03:00:00Z"}')
    session.tool()
    assert shown_last(session)["source_invocation_id"] == first.id
    assert "请引用该 id" in shown_last(session)["output"]


def test_a_failed_call_is_never_such_a_first(given: Any) -> None:
    """R3: it is run again."""
    session = given().executing().asked_for(LOGS, LOGS)
    session.tool(failed_outcome("source", "连不上"))
    assert prepared(session) == Run({"service": "order-service"})


@pytest.mark.parametrize(
    "other", [("query_logs", {"n": True}), ("query_logs", {"n": 1.0}), ("query_metrics", {"n": 1})]
)
def test_another_call_is_run(given: Any, say: Any, other: tuple[str, dict[str, Any]]) -> None:
    """R3: another tool, or arguments that are only alike."""
    session = given().executing().asked_for(("query_logs", {"n": 1}), other)
    session.tool(say.no_logs)
    assert isinstance(prepared(session), Run)


def test_the_next_round_runs_the_same_call_again(given: Any, say: Any) -> None:
    """R3."""
    session = given().concluding("no_evidence")
    same = session.file.invocations[0]
    session.when(BeginNextRound())
    session.model(Agent.PLANNER, say.plan)
    session.asked_for((same.tool_name, same.input_params))
    assert isinstance(prepared(session), Run)


# ---------------------------------------------------------------- refusals


def test_an_unknown_tool_is_answered_with_the_names_there_are(given: Any) -> None:
    """R3, R7."""
    session = given().executing().asked_for(("drop_tables", {}))
    refusal = prepared(session)
    assert isinstance(refusal, Refuse)
    assert (refusal.error_kind, "query_logs, query_metrics" in refusal.message) == ("unknown_tool", True)
    done = session.tool()
    assert (done.success, done.retrieval_details.evidence_status) == (False, EvidenceStatus.FAILED)


@pytest.mark.parametrize(
    "arguments",
    [
        "{oops",
        '["a"]',
        "1",
        '{"a": NaN}',
        '{"a": 1, "a": 2}',
        '{"a": ' * 60 + "1" + "}" * 60,
        '{"a": ' * 50_000,
        '{"a": 1' + "0" * 400 + "}",
    ],
)
def test_malformed_arguments_are_refused_and_never_guessed(given: Any, arguments: str) -> None:
    """R3: also what could be recorded but not read back."""
    refusal = prepared(given().executing().asked_for(("query_logs", arguments)))
    assert isinstance(refusal, Refuse)
    assert refusal.error_kind == "bad_arguments"


@pytest.mark.parametrize(
    ("raw", "read"), [("", {}), (" ", {}), ('{"a": 1}', {"a": 1}), ('"{\\"a\\": 1}"', {"a": 1}), ("{}", {})]
)
def test_arguments_that_servers_encode_in_other_ways_are_read(raw: str, read: dict[str, Any]) -> None:
    """R3."""
    assert read_arguments(raw) == read


def test_half_a_surrogate_pair_in_the_arguments_can_be_recorded() -> None:
    """R7: no UTF-8 text can hold one."""
    assert read_arguments('{"q": "\\ud800"}') == {"q": "\ufffd"}


def test_a_call_beyond_the_budget_is_refused(given: Any, say: Any) -> None:
    """R3: tool calls."""
    session = given(SessionSettings(budgets=Budgets(tool_calls=1))).executing()
    session.asked_for(LOGS, ("query_metrics", {}))
    session.tool(say.no_logs)
    refusal = prepared(session)
    assert isinstance(refusal, Refuse)
    assert refusal.error_kind == "budget"


def test_the_second_attempt_of_the_last_call_is_still_within_the_budget(given: Any) -> None:
    """R3, R7: a crash takes nothing from the budget."""
    session = given(SessionSettings(budgets=Budgets(tool_calls=1))).executing().asked_for(LOGS)
    session.started()
    assert prepared(session) == Run({"service": "order-service"})


# ---------------------------------------------------------------- what is recorded of a result


def outcome_of(output: str, *, success: bool = True, error_message: str = "") -> Any:
    return recorded_outcome(
        "query_logs",
        mask_patterns={},
        output=output,
        success=success,
        error_kind=None if success else "source",
        error_message=error_message,
        retrieval=RetrievalDetails(),
        duration_ms=1,
    )


def test_secrets_are_masked_before_anything_is_recorded_or_shown(given: Any) -> None:
    """R22: what the model sees, what is checked and what is stored are one text."""
    secret = "hunter2-geheim"
    output = json.dumps({"success": True, "logs": [{"message": f"password={secret} rejected"}], "total": 1})
    session = given().executing().asked_for(LOGS)
    done = session.tool(output)
    recorded = "".join(entry.event.model_dump_json() for entry in session.history)
    sent = json.dumps(messages_for(Agent.EXECUTOR, session.file, Surroundings()))
    assert secret not in recorded + sent
    assert "[masked:password]" in done.output
    assert "[masked:password]" in shown_last(session)["evidence_refs"][0]["text"]
    assert done.retrieval_details.masked == {"password": 1}


def test_error_messages_are_masked_too() -> None:
    """R22."""
    failed = outcome_of("", success=False, error_message="401 for postgres://app:hunter2@db/x")
    assert failed.error_message == "401 for postgres://app:[masked:password]@db/x"


@pytest.mark.parametrize(
    ("output", "success", "status"),
    [
        ('{"success": true, "logs": [{"message": "a"}], "total": 1}', True, EvidenceStatus.SUPPORTED),
        ('{"success": true, "logs": [], "total": 0}', True, EvidenceStatus.NO_EVIDENCE),
        ('{"success": false, "error": "down"}', True, EvidenceStatus.FAILED),
        ("", False, EvidenceStatus.FAILED),
    ],
)
def test_the_status_says_what_a_call_yielded(output: str, success: bool, status: EvidenceStatus) -> None:
    """R19."""
    outcome = outcome_of(output, success=success)
    assert outcome.details.evidence_status is status
    assert outcome.success is (status is not EvidenceStatus.FAILED)


def test_a_late_or_broken_tool_has_failed_and_found_nothing_out() -> None:
    """R19: a call without a result is no proof of absence."""
    details = failed_outcome("timeout", "没有返回").details
    assert (details.evidence_status, details.evidence_refs) == (EvidenceStatus.FAILED, ())


# ---------------------------------------------------------------- what changes something, and its unknown outcome


@pytest.mark.parametrize("ended", ["interrupted", "timeout", "crash"])
def test_a_call_of_unknown_outcome_is_not_made_again(given: Any, ended: str) -> None:
    """R7: it counts as made, however its arguments are spelled; another call is another."""
    session = given().executing().asked_for(LOGS)
    first = session.started(read_only=False)
    if ended == "interrupted":
        session.when(InterruptTool(1, 0))
    else:
        session.when(FinishTool(1, 0, first, Run(LOGS[1]), failed_outcome(ended, "?")))
    session.asked_for(("query_logs", '{ "service":"order-service" }'))
    refused = prepared(session)
    assert isinstance(refused, Refuse)
    assert (refused.error_kind, str(first) in refused.message) == ("unknown_outcome", True)
    session.tool()
    assert shown_last(session)["evidence_status"] == "failed"
    session.asked_for(("query_logs", {"service": "other"}))
    assert isinstance(prepared(session), Run)


def test_it_is_refused_in_the_second_round_too(given: Any, say: Any) -> None:
    session = given().executing().asked_for(LOGS)
    session.started(read_only=False)
    session.when(InterruptTool(1, 0))
    session.answered(say.memory_claim(session.looked().id)).checked()
    session.verified(claim_1="no_evidence")
    session.when(BeginNextRound())
    session.model(Agent.PLANNER, say.plan)
    session.asked_for(LOGS)
    assert isinstance(prepared(session), Refuse)


def test_a_failure_that_says_so_may_be_tried_again(given: Any) -> None:
    """The tool answered: its outcome is known."""
    session = given().executing().asked_for(LOGS)
    first = session.started(read_only=False)
    session.when(FinishTool(1, 0, first, Run(LOGS[1]), failed_outcome("source", "坏了")))
    session.asked_for(LOGS)
    assert isinstance(prepared(session), Run)


def test_a_read_only_call_of_unknown_outcome_may_be_made_again(given: Any) -> None:
    session = given().executing().asked_for(LOGS)
    first = session.started()
    session.when(FinishTool(1, 0, first, Run(LOGS[1]), failed_outcome("timeout", "?")))
    session.asked_for(LOGS)
    assert isinstance(prepared(session), Run)
