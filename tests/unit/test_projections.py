"""The folds of the four read models, given events and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import events as e
from domain.contracts import Verdict
from domain.evidence.coverage import Coverage
from domain.settings import RULE_VERSION
from projections.agent_step import AGENT_STEP, step_id
from projections.diagnosis_session import DIAGNOSIS_SESSION
from projections.read_model import CannotApply, Key, ReadModel, Row, fold_page
from projections.registry import READ_MODELS
from projections.self_evaluation import SELF_EVALUATION
from projections.session_headline import SESSION_HEADLINE
from projections.tool_invocation import TOOL_INVOCATION

Diagnosis = Callable[..., list[e.Recorded]]
Record = Callable[..., e.Recorded]

# The fields of seed 004 section 9, word for word.
COLUMNS_OF_THE_CONTRACT = {
    "diagnosis_session": "session_id query status agent_flow total_duration_ms total_token_count step_count "
    "tool_call_count answer self_evaluation feedback",
    "agent_step": "session_id step_index agent_name model_input model_output thought has_tool_call duration_ms "
    "token_count",
    "tool_invocation": "id session_id step_id tool_name input_params output_preview output_length retrieval_layer "
    "l0_match_count l1_match_count is_truncated relevance_level dedup_reason retrieval_details duration_ms success "
    "error_message",
    "self_evaluation": "session_id rule_evaluation verifier_evaluation",
    "session_headline": "session_id language template_version headline",  # R83
}


def rows_after(model: ReadModel, events: Iterable[e.Recorded]) -> dict[Key, Row]:
    return fold_page(model, {}, events)


def row_after(model: ReadModel, events: Iterable[e.Recorded]) -> Row:
    (row,) = rows_after(model, events).values()
    return row


def with_content_gone(one: e.Recorded) -> e.Recorded:
    return replace(one, event=one.event.model_copy(update={"content": e.ERASED}))


def erasure(after: list[e.Recorded], recorded: Record) -> e.Recorded:
    return recorded(e.SessionErased(), len(after) + 1, after[-1].position + 1, after[0].session_id)


def verdict_of_round(number: int, verdict: Verdict, score: str, recorded: Record, diagnosis: Diagnosis) -> e.Recorded:
    (issued,) = (one.event for one in diagnosis() if isinstance(one.event, e.VerdictIssued))
    assert isinstance(issued.content, e.VerdictIssuedContent)
    change = {"round": number, "verdict": verdict, "groundedness_score": score}
    facts = issued.facts.model_copy(update=change)
    evaluation = issued.content.evaluation.model_copy(update=change)
    return recorded(e.VerdictIssued(facts=facts, content=e.VerdictIssuedContent(evaluation=evaluation)), 9 + number)


@pytest.mark.parametrize("model", READ_MODELS, ids=lambda model: model.name)
def test_a_read_model_has_every_column_of_the_contract(model: ReadModel) -> None:
    """R54: the columns of 004 section 9."""
    assert set(COLUMNS_OF_THE_CONTRACT[model.name].split()) <= model.columns.keys()


@pytest.mark.parametrize("model", READ_MODELS, ids=lambda model: model.name)
def test_a_row_has_a_value_for_every_column_and_no_other(model: ReadModel, diagnosis: Diagnosis) -> None:
    """R54: what the fold leaves out is null, and nothing is folded that has no column."""
    for row in rows_after(model, diagnosis()).values():
        assert row.keys() == model.columns.keys()


def test_a_completed_session_shows_its_course_and_its_answer(diagnosis: Diagnosis) -> None:
    """R54: diagnosis_session."""
    row = row_after(DIAGNOSIS_SESSION, diagnosis())
    assert row | {"self_evaluation": None} == {
        "session_id": diagnosis()[0].session_id,
        "status": "completed",
        "agent_flow": "CHAT",
        "round": 1,
        "verdict": "PASS",
        "verdict_override": None,
        "groundedness_score": Decimal(1),
        "outcome": "NORMAL",
        "failed_stage": None,
        "reason_code": None,
        "total_duration_ms": 15_000,
        "total_token_count": 210,
        "step_count": 5,
        "tool_call_count": 1,
        "feedback": "helpful",
        "source": "sample",
        "rule_version": RULE_VERSION,
        "session_now": datetime(2026, 7, 8, 3, 0, tzinfo=UTC),
        "actor": "actor-1",
        "created_at": datetime(2026, 7, 8, 3, 0, tzinfo=UTC),
        "completed_at": datetime(2026, 7, 8, 3, 0, 15, tzinfo=UTC),
        "updated_at": datetime(2026, 7, 8, 3, 0, 16, tzinfo=UTC),
        "version": 17,
        "erased": False,
        "query": "请排查 order-service 当前是否存在 HighMemoryUsage 告警",
        "answer": "order-service 内存使用率 91%",
        "self_evaluation": None,
        "end_reason": None,
        "feedback_text": "谢谢",
        "override_reason": None,
    }


def test_a_running_session_has_no_end_yet(diagnosis: Diagnosis) -> None:
    """R54: status before the terminal event."""
    row = row_after(DIAGNOSIS_SESSION, diagnosis()[:11])
    assert (row["status"], row["verdict"], row["answer"], row["completed_at"]) == ("running", None, None, None)


def test_a_failed_session_says_where_and_why(diagnosis: Diagnosis, recorded: Record) -> None:
    """R7, R54: the reason of a DEGRADED end is recorded."""
    failed = e.SessionFailed(
        facts=e.SessionFailedFacts(stage="planner", reason_code="model_auth"),
        content=e.SessionFailedContent(reason="401", answer="当前无法基于已获取证据生成可靠结论。"),
    )
    row = row_after(DIAGNOSIS_SESSION, [*diagnosis()[:2], recorded(failed, 3)])
    shown = ("status", "outcome", "failed_stage", "reason_code", "end_reason", "answer", "total_duration_ms")
    assert [row[column] for column in shown] == [
        "failed",
        "DEGRADED",
        "planner",
        "model_auth",
        "401",
        "当前无法基于已获取证据生成可靠结论。",
        2_000,
    ]


def test_a_cancelled_session_has_no_outcome(diagnosis: Diagnosis, recorded: Record) -> None:
    """R10: cancelling is a terminal event."""
    cancelled = e.SessionCancelled(content=e.SessionCancelledContent(reason="不再需要"))
    row = row_after(DIAGNOSIS_SESSION, [*diagnosis()[:2], recorded(cancelled, 3)])
    assert (row["status"], row["outcome"], row["end_reason"]) == ("cancelled", None, "不再需要")


def test_an_override_stands_beside_the_verdict_it_supersedes(diagnosis: Diagnosis, recorded: Record) -> None:
    """R53: an override changes no earlier verdict."""
    override = e.VerdictOverridden(
        facts=e.VerdictOverriddenFacts(verdict=Verdict.REJECT, superseded_version=12),
        content=e.VerdictOverriddenContent(reason="误判"),
    )
    row = row_after(DIAGNOSIS_SESSION, [*diagnosis(), recorded(override, 18)])
    assert (row["verdict"], row["verdict_override"], row["override_reason"]) == ("PASS", "REJECT", "误判")


def test_each_step_of_each_agent_is_a_row(diagnosis: Diagnosis) -> None:
    """R54: agents planner, executor, verifier, composer."""
    rows = rows_after(AGENT_STEP, diagnosis()).values()
    assert [(row["step_index"], row["agent_name"], row["has_tool_call"]) for row in rows] == [
        (0, "planner", False),
        (1, "executor", True),
        (2, "executor", False),
        (3, "verifier", False),
        (4, "composer", False),
    ]
    assert {(row["token_count"], row["duration_ms"], row["model"]) for row in rows} == {(42, 100, "extractive")}


def test_the_thought_of_a_verifier_step_is_short(diagnosis: Diagnosis) -> None:
    """R54: agent_step.thought is short for verifier steps."""
    rows = rows_after(AGENT_STEP, diagnosis())
    assert rows[diagnosis()[0].session_id, 3]["thought"] == "细" * 199 + "…"


def test_a_tool_call_is_a_row_from_its_start(diagnosis: Diagnosis) -> None:
    """R7, R17: recorded as started before it runs; its id is the position of its start."""
    row = row_after(TOOL_INVOCATION, diagnosis()[:6])
    assert (row["id"], row["status"], row["tool_name"], row["success"]) == (6, "started", "query_metrics", None)


def test_a_finished_tool_call_shows_a_bounded_preview(diagnosis: Diagnosis) -> None:
    """R17: the preview is bounded, the length is the whole output's."""
    row = row_after(TOOL_INVOCATION, diagnosis())
    assert (row["status"], row["success"], row["evidence_status"]) == ("finished", True, "supported")
    assert (len(row["output_preview"]), row["output_length"], row["is_truncated"]) == (2_000, 3_000, True)
    assert (row["retrieval_layer"], row["l0_match_count"], row["l1_match_count"]) == ("L0", 2, 3)
    assert row["retrieval_details"]["evidence_refs"] == [
        {"raw_path": "$.alerts[0]", "text": "HighMemoryUsage firing 91%"}
    ]


def test_a_search_whose_coverage_was_not_recorded_has_the_row_of_then(diagnosis: Diagnosis) -> None:
    """R55, R69: else a table that the release before has folded would differ from one that is rebuilt."""
    events = diagnosis()
    assert "coverage" not in row_after(TOOL_INVOCATION, events)["retrieval_details"]
    searched = [_with_coverage(recorded) for recorded in events]
    assert row_after(TOOL_INVOCATION, searched)["retrieval_details"]["coverage"]["complete"] is True


def _with_coverage(recorded: e.Recorded) -> e.Recorded:
    event = recorded.event
    if not isinstance(event, e.ToolInvoked) or isinstance(event.content, e.Erased):
        return recorded
    details = event.content.retrieval_details.model_copy(update={"coverage": Coverage(complete=True)})
    content = event.content.model_copy(update={"retrieval_details": details})
    return replace(recorded, event=event.model_copy(update={"content": content}))


def test_a_tool_call_names_the_step_that_asked_for_it(diagnosis: Diagnosis) -> None:
    """R54: tool_invocation.step_id is the id of an agent_step."""
    step = rows_after(AGENT_STEP, diagnosis())[diagnosis()[0].session_id, 1]
    assert row_after(TOOL_INVOCATION, diagnosis())["step_id"] == step["id"]


def test_step_ids_are_the_same_in_every_rebuild() -> None:
    """R56: computed from the session and the index alone."""
    assert step_id(UUID(int=1), 0) == 7_140_731_027_709_373
    assert step_id(UUID(int=1), 1) != step_id(UUID(int=1), 0)


def test_a_repeated_call_says_which_one_it_repeats(diagnosis: Diagnosis) -> None:
    """R3, R19: dedup_reason."""
    *before, finished = diagnosis()[:7]
    assert isinstance(finished.event, e.ToolInvoked)
    facts = finished.event.facts.model_copy(update={"duplicate_of": 3})
    repeated = replace(finished, event=finished.event.model_copy(update={"facts": facts}))
    row = row_after(TOOL_INVOCATION, [*before, repeated])
    assert row["dedup_reason"] == "same tool and arguments as invocation 3 in this round"


def test_a_result_without_a_start_cannot_be_applied(diagnosis: Diagnosis) -> None:
    """R55: an event that does not fit is refused, not skipped."""
    with pytest.raises(CannotApply, match="no started call 6"):
        rows_after(TOOL_INVOCATION, diagnosis()[6:7])


def test_an_event_of_a_session_never_opened_cannot_be_applied(diagnosis: Diagnosis) -> None:
    """R55: an event that does not fit is refused, not skipped."""
    with pytest.raises(CannotApply, match="never opened"):
        rows_after(DIAGNOSIS_SESSION, diagnosis()[1:])


@pytest.mark.parametrize("rule_first", [True, False])
def test_neither_evaluation_overwrites_the_other(rule_first: bool, diagnosis: Diagnosis) -> None:
    """R54: two slots, whatever the order of events, also as one JSON object in diagnosis_session."""
    opened, verdict, rule = (diagnosis()[index] for index in (0, 11, 12))
    events = [opened, rule, verdict] if rule_first else [opened, verdict, rule]
    evaluation, session = row_after(SELF_EVALUATION, events), row_after(DIAGNOSIS_SESSION, events)
    assert evaluation["rule_evaluation"] == {
        "evidence_score": 80,
        "source": "rule",
        "factors": [{"name": "live", "points": 80, "detail": ""}],
    }
    assert evaluation["verifier_evaluation"]["verdict"] == "PASS"
    assert session["self_evaluation"] == {
        "rule_evaluation": evaluation["rule_evaluation"],
        "verifier_evaluation": evaluation["verifier_evaluation"],
    }


def test_the_verifier_slot_keeps_the_facts_of_every_round(diagnosis: Diagnosis, recorded: Record) -> None:
    """R54: the last round in full, the facts of all."""
    first = verdict_of_round(1, Verdict.LOW_CONFID, "0.3", recorded, diagnosis)
    second = verdict_of_round(2, Verdict.PASS, "1", recorded, diagnosis)
    row = row_after(SELF_EVALUATION, [first, second])
    slot = row["verifier_evaluation"]
    assert (row["round"], slot["round"], slot["verdict"], slot["traceability_version"]) == (2, 2, "PASS", "v2")
    assert [(each["round"], each["groundedness_score"]) for each in slot["rounds"]] == [(1, "0.3"), (2, "1")]
    assert [each["facts_checked"][0]["fact"] for each in slot["rounds"]] == ["内存使用率 91%", "内存使用率 91%"]


@pytest.mark.parametrize("model", READ_MODELS, ids=lambda model: model.name)
def test_an_erased_session_keeps_its_facts_and_loses_its_texts(
    model: ReadModel, diagnosis: Diagnosis, recorded: Record
) -> None:
    """R62: content columns are null, facts stay."""
    events = diagnosis()
    before, after = rows_after(model, events), rows_after(model, [*events, erasure(events, recorded)])
    assert before.keys() == after.keys()
    for key, row in after.items():
        assert {row[column] for column in model.content} == {None}
        assert row["erased"] is True
        assert all(row[column] == before[key][column] for column in model.facts)


@pytest.mark.parametrize("model", READ_MODELS, ids=lambda model: model.name)
def test_a_rebuild_after_an_erasure_gives_the_same_rows(
    model: ReadModel, diagnosis: Diagnosis, recorded: Record
) -> None:
    """R56, R62: events read with their content gone fold to what the erasure left."""
    events = diagnosis()
    last = erasure(events, recorded)
    assert rows_after(model, [*map(with_content_gone, events), last]) == rows_after(model, [*events, last])


def test_an_erasure_leaves_other_sessions_alone(interleaved: Diagnosis, recorded: Record) -> None:
    """R62: one session's content."""
    events = interleaved(2)
    rows = rows_after(AGENT_STEP, [*events, erasure(events, recorded)])
    assert {(row["session_id"], row["erased"]) for row in rows.values()} == {
        (events[0].session_id, True),
        (events[1].session_id, False),
    }


@given(st.lists(st.integers(0, 51), max_size=8))
def test_rows_do_not_depend_on_where_pages_end(interleaved: Diagnosis, recorded: Record, cuts: list[int]) -> None:
    """R55, R56: live pages of one event and rebuilt pages of many fold to the same rows."""
    events = interleaved(3)
    events = [*events, erasure(events, recorded)]
    ends = [0, *sorted(cuts), len(events)]
    for model in READ_MODELS:
        rows: dict[Key, Row] = {}
        for start, end in pairwise(ends):
            rows |= fold_page(model, rows, events[start:end])
        assert rows == rows_after(model, events)


def test_a_changed_shape_has_another_fingerprint() -> None:
    """R56: a column more, another type or another key is found."""
    changes = [
        {"facts": {**AGENT_STEP.facts, "cost": "numeric"}},
        {"content": {**AGENT_STEP.content, "thought": "jsonb"}},
        {"key": ("id",)},
        {"indexes": ("model",)},
        {"version": 2},
    ]
    fingerprints = {replace(AGENT_STEP, **change).fingerprint for change in changes}
    assert len(fingerprints | {AGENT_STEP.fingerprint}) == 6


def test_a_fold_does_not_change_the_row_it_is_given(diagnosis: Diagnosis) -> None:
    """R55: pure, so that a page whose transaction fails can be folded again."""
    rows = rows_after(DIAGNOSIS_SESSION, diagnosis()[:11])
    before = {key: dict(row) for key, row in rows.items()}
    fold_page(DIAGNOSIS_SESSION, rows, diagnosis()[11:])
    assert rows == before


def test_the_headline_of_a_session_stands_beside_its_language(diagnosis: Diagnosis) -> None:
    """R83: there once it has ended; what it was made of is then let go."""
    events = diagnosis()
    end = next(at for at, one in enumerate(events) if isinstance(one.event, e.SessionCompleted))
    under_way, ended = row_after(SESSION_HEADLINE, events[:end]), row_after(SESSION_HEADLINE, events)
    assert (under_way["headline"], len(under_way["evaluations"])) == (None, 1)
    assert (ended["language"], ended["template_version"]) == ("zh", "004")
    assert (ended["headline"], ended["evaluations"]) == ("已证实", None)


def test_a_cancelled_session_was_not_completed(diagnosis: Diagnosis, recorded: Record) -> None:
    """R83."""
    opened = diagnosis()[0]
    cancelled = recorded(
        e.SessionCancelled(content=e.SessionCancelledContent(reason="")), 2, opened.position + 1, opened.session_id
    )
    assert row_after(SESSION_HEADLINE, [opened, cancelled])["headline"] == "未完成"


def test_an_erased_session_keeps_its_language_and_loses_its_headline(diagnosis: Diagnosis, recorded: Record) -> None:
    """R62, R83: the headline tells of the claims."""
    events = diagnosis()
    row = row_after(SESSION_HEADLINE, [*events, erasure(events, recorded)])
    assert (row["language"], row["headline"], row["erased"]) == ("zh", None, True)
