"""Next steps that code writes: where to look, in which window; they only collect evidence (R15, R48, R90)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domain.agents.remediation import is_remediation
from domain.agents.scope import narrow_scope
from domain.answer.next_steps import MOST_STEPS, next_steps
from domain.answer.speech import CHINESE, Speech
from domain.contracts import RetrievalDetails, ToolInvocation
from domain.evidence.coverage import Coverage, Doubt, DoubtKind

CHANGE = {"kind": "change", "change": "configuration", "time": "2031-03-04T05:10:30Z", "service": "stock-api"}
NEW = {"kind": "message", "new": True, "first": "2031-03-04T06:09:00Z", "service": "till-api"}
NEWER = {"kind": "message", "new": True, "first": "2031-03-04T06:11:00Z", "service": "mail-api"}
USUAL = {"kind": "message", "new": False, "first": "2031-03-04T05:00:00Z", "service": "calm-api"}
SHARED = {"kind": "shared id", "id": "req-77", "services": ["till-api", "stock-api"], "first": "2031-03-04T06:09:30Z"}


def survey(*items: dict[str, Any]) -> ToolInvocation:
    return ToolInvocation(
        id=1, session_id="s", tool_name="survey_logs", success=True, output=json.dumps({"items": list(items)})
    )


def steps(*items: dict[str, Any], question: str = "till-api 怎么了？") -> list[str]:
    return next_steps([survey(*items)], narrow_scope(question))


def test_the_change_and_the_component_that_was_new_first_are_looked_at_around_their_time() -> None:
    """R90: given a change, two components with something new and one as ever, the first two are named."""
    told = steps(NEWER, NEW, USUAL, CHANGE)
    assert len(told) == 2
    assert "stock-api" in told[0]
    assert "2031-03-04 04:55:00–05:25:00 UTC" in told[0]
    assert "till-api" in told[1]
    assert "2031-03-04 05:54:00–06:24:00 UTC" in told[1]


def test_a_change_that_is_routine_is_no_step() -> None:
    """R90"""
    assert steps(CHANGE | {"before": 40}) == []


def test_an_id_of_several_services_is_sought_in_them() -> None:
    """R90"""
    assert [("req-77" in one, "till-api、stock-api" in one) for one in steps(SHARED)] == [(True, True)]


def test_what_the_question_excludes_is_no_next_step() -> None:
    """R16"""
    assert not any("stock-api" in one for one in steps(CHANGE, NEW, question="till-api 怎么了？不要分析 stock-api。"))


def test_a_search_that_could_not_decide_is_mended() -> None:
    """R48, R69: but a name that is not known there is no step, the gap says it."""
    doubts = (Doubt(kind=DoubtKind.ZONE, count=2, example="x"),)
    call = ToolInvocation(
        id=2,
        session_id="s",
        tool_name="query_logs",
        success=True,
        output="{}",
        retrieval_details=RetrievalDetails(coverage=Coverage(window="a/b", doubts=doubts, complete=False)),
    )
    assert next_steps([call, call], narrow_scope("x")) == ["用 --log-zone 指定时区。"]


@pytest.mark.parametrize("output", ["", "[]", "nonsense", '{"items": 7}', '{"items": ["x", {"kind": "change"}]}'])
def test_an_output_of_another_form_gives_no_step(output: str) -> None:
    """R48"""
    call = ToolInvocation(id=1, session_id="s", tool_name="survey_logs", success=True, output=output)
    assert next_steps([call], narrow_scope("x")) == []


def test_there_are_few_steps_and_all_collect_evidence() -> None:
    """R15"""
    many = [CHANGE | {"service": f"a{n}"} for n in range(9)] + [NEW, SHARED]
    for speech in (CHINESE, Speech("en")):
        told = next_steps([survey(*many)] * 3, narrow_scope("x"), speech)
        assert 0 < len(told) <= MOST_STEPS
        assert not any(is_remediation(one) for one in told)


def test_a_runbook_is_named_by_the_section_that_tells_what_to_look_at() -> None:
    """R48, ANSWERS.md: not by what it says of mitigation."""
    blocks = [
        {"title": "Pool full / Mitigation", "source": "pool.md", "content": "Restart it."},
        {"title": "Pool full / Diagnosis", "source": "pool.md", "content": "Look at the waiters."},
    ]
    call = ToolInvocation(
        id=1,
        session_id="s",
        tool_name="lookup_knowledge",
        success=True,
        output=json.dumps({"evidence_blocks": blocks}),
    )
    assert next_steps([call], narrow_scope("x")) == ["按《Pool full》“Diagnosis”一节收集证据（pool.md）。"]
    assert (
        next_steps([call.model_copy(update={"output": json.dumps({"evidence_blocks": blocks[:1]})})], narrow_scope("x"))
        == []
    )
