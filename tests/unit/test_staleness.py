"""A claim about the present must not rest on old items alone (R9)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from domain.contracts import CheckedBinding, CheckState, EvidenceRef, RetrievalDetails, ToolInvocation
from domain.verdict.staleness import asked_window, is_stale

NOW = datetime(2031, 3, 4, 7, 0, tzinfo=UTC)
OLD, RECENT, WIDE = (
    "2031-03-04T04:00:00Z/2031-03-04T05:00:00Z",
    "2031-03-04T06:00:00Z/2031-03-04T07:00:00Z",
    "2031-03-03T07:00:00Z/2031-03-04T07:00:00Z",
)


def call(window: str, id: int = 41) -> ToolInvocation:
    details = RetrievalDetails(window=window)
    return ToolInvocation(id=id, session_id="s", tool_name="query_logs", success=True, retrieval_details=details)


def binding(text: str, path: str = "$.logs[0]", id: int = 41) -> CheckedBinding:
    return CheckedBinding(
        claim_id="claim-1", source_invocation_id=id, raw_path=path, status=CheckState.PASS, matched_text=text
    )


def stale(
    claim: str, *bindings: CheckedBinding, calls: tuple[ToolInvocation, ...], question: str = "quote-api 怎么了？"
) -> bool:
    return is_stale(claim, bindings, calls, question=question, now=NOW, window_minutes=60)


@pytest.mark.parametrize(
    ("claim", "text", "window", "expected"),
    [
        ("quote-api 当前报错", "2031-03-04 06:44:10 ERROR", RECENT, False),
        ("quote-api 当前报错", "2031-03-04 04:44:10 ERROR", OLD, True),
        ("quote-api 曾经报错", "2031-03-04 04:44:10 ERROR", OLD, False),
        ("quote-api 目前报错", "2031-03-04 04:44:10 ERROR", WIDE, True),
        ("quote-api 目前报错", "2031-03-04 06:44:10 ERROR", WIDE, False),
        ("quote-api 目前报错", "[05:59][ERROR]", WIDE, True),
        ("quote-api 目前报错", "ERROR", WIDE, False),
        ("quote-api 目前报错", "ERROR", "", False),
    ],
)
def test_a_present_claim_is_stale_when_its_items_are_older_than_the_window(
    claim: str, text: str, window: str, expected: bool
) -> None:
    """R9."""
    assert stale(claim, binding(text), calls=(call(window),)) is expected


def test_one_recent_binding_is_enough() -> None:
    """R9: flagged only if all passed bindings are older."""
    bindings = binding("ERROR"), binding("ERROR", id=42)
    assert not stale("当前报错", *bindings, calls=(call(OLD), call(RECENT, 42)))
    assert stale("当前报错", *bindings, calls=(call(OLD), call(OLD, 42)))


def test_an_alert_that_began_long_ago_and_still_fires_is_not_stale() -> None:
    """R9: its time is when it began."""
    alert = binding("DiskFull firing, activeAt=2031-03-01T00:00:00Z", "$.alerts[0]")
    assert not stale("当前存在 DiskFull 告警", alert, calls=(call(WIDE),))


def test_the_asked_window_goes_before_the_default() -> None:
    """R9."""
    assert asked_window("最近 6 小时 quote-api 怎么了？", 60) == timedelta(hours=6)
    assert asked_window("quote-api 怎么了？", 60) == timedelta(minutes=60)
    assert not stale("当前报错", binding("ERROR"), calls=(call(OLD),), question="最近 6 小时怎么了？")


@pytest.mark.parametrize(
    "question", ["昨天以来 quote-api 怎么了？", "since 4 am, any errors?", "历史上 quote-api 报过错吗？"]
)
def test_nothing_of_the_asked_period_is_old(question: str) -> None:
    """R9: the period is read as R70 reads it."""
    assert not stale("当前报错", binding("ERROR"), calls=(call(OLD),), question=question)
    assert stale("当前报错", binding("ERROR"), calls=(call(OLD),), question="since 6 am, any errors?")


@pytest.mark.parametrize(("time", "expected"), [("2031-03-04T04:44:10Z", True), ("2031-03-04T06:44:10Z", False)])
def test_a_change_before_the_window_of_a_survey_says_nothing_of_the_present(time: str, expected: bool) -> None:
    """R9, R90: a survey looks for changes further back than its window."""
    text = f"kind=change, change=deployment, time={time}, service=quote-api, count=0, example=deployed 4.2.0"
    details = RetrievalDetails(window=RECENT, evidence_refs=(EvidenceRef(raw_path="$.items[3]", text=text),))
    survey = ToolInvocation(id=41, session_id="s", tool_name="survey_logs", success=True, retrieval_details=details)
    cited = binding("example=deployed 4.2.0", "$.items[3]")
    assert stale("quote-api 当前 deployed 4.2.0", cited, calls=(survey,)) is expected
