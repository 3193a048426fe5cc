from typing import Any

import pytest

from domain.contracts import (
    TOOL_CLASSES,
    EvidenceLevel,
    EvidenceRef,
    EvidenceStatus,
    RetrievalDetails,
    RetryContext,
    ToolInvocation,
)
from domain.evidence.trace_summary import slim, summarise_trace

SUPPORTED, NO_EVIDENCE = EvidenceStatus.SUPPORTED, EvidenceStatus.NO_EVIDENCE
DEDUPLICATED, FAILED = EvidenceStatus.DEDUPLICATED, EvidenceStatus.FAILED


def call(
    id: int,
    tool: str = "query_logs",
    texts: tuple[str, ...] = (),
    status: EvidenceStatus = SUPPORTED,
    list_name: str = "logs",
    round: int = 1,
    details: dict[str, Any] | None = None,
    **fields: Any,
) -> ToolInvocation:
    refs = tuple(EvidenceRef(raw_path=f"$.{list_name}[{i}]", text=text) for i, text in enumerate(texts))
    retrieval = {"evidence_status": status, "evidence_refs": refs} | (details or {})
    return ToolInvocation(
        id=id,
        session_id="s",
        tool_name=tool,
        success=status is not FAILED,
        round=round,
        retrieval_details=RetrievalDetails(**retrieval),
        **fields,
    )


def summary(*calls: ToolInvocation, **asked: Any) -> str:
    (entry,) = summarise_trace(calls, TOOL_CLASSES, **asked)
    return entry.output_summary


def test_calls_of_one_tool_topic_and_round_are_one_entry():
    """R44: first effective hit and counts of failed, no-hit and repeated calls."""
    calls = [
        call(11, status=NO_EVIDENCE, input_params={"query": "Hikari"}),
        call(12, texts=("11:17 WARN order-service slow",), input_params={"query": "slow"}),
        call(13, status=FAILED, error_message="timeout"),
        call(14, status=DEDUPLICATED, details={"duplicate_of": 12}),
        call(15, tool="getCurrentDateTime"),
        call(16, texts=("11:20 WARN order-service slow",), round=2),
    ]
    first, second = summarise_trace(calls, TOOL_CLASSES)
    assert (first.trace_ref, first.source_invocation_ids, first.success) == ("trace-1", (11, 12, 13, 14), True)
    assert (first.invocation_count, first.failed_invocation_count, first.no_hit_invocation_count) == (4, 1, 2)
    assert (first.input_summary, first.query_samples) == ("query=slow", ("query=Hikari", "query=slow"))
    assert (second.trace_ref, second.source_invocation_ids) == ("trace-2", (16,))
    assert summarise_trace(calls[:5], TOOL_CLASSES) == (first,)


def test_helper_and_unknown_tools_are_left_out():
    """R43: evidence tools only."""
    assert summarise_trace([call(1, tool="read_skill"), call(2, tool="unheard_of")], TOOL_CLASSES) == ()


@pytest.mark.parametrize(
    ("invocation", "level"),
    [
        (call(1, texts=("x",)), EvidenceLevel.DIRECT),
        (call(1, "lookup_knowledge", ("x",), details={"retrieval_layer": "L0"}), EvidenceLevel.DIRECT),
        (call(1, "lookup_knowledge", ("x",), details={"retrieval_layer": "L1"}), EvidenceLevel.INDIRECT),
        (call(1, status=NO_EVIDENCE), EvidenceLevel.NONE),
        (call(1, status=DEDUPLICATED), EvidenceLevel.NONE),
        (call(1, status=FAILED), EvidenceLevel.NONE),
    ],
)
def test_only_hits_are_evidence(invocation, level):
    """R43: failed, no-hit and deduplicated calls stay, with level none."""
    (entry,) = summarise_trace([invocation], TOOL_CLASSES)
    assert entry.evidence_level is level


@pytest.mark.parametrize(
    ("invocation", "text"),
    [
        (
            call(7, status=FAILED, error_message="timeout after 30s"),
            "log_evidence: none. call 7 failed: timeout after 30s",
        ),
        (call(7, status=NO_EVIDENCE), "log_evidence: none. call 7 found nothing"),
        (call(7, status=DEDUPLICATED, details={"duplicate_of": 3}), "log_evidence: none. call 7 repeats call 3"),
        (
            call(
                7,
                status=NO_EVIDENCE,
                details={"evidence_refs": (EvidenceRef(raw_path="$.logs", text='source=app query="x" total=0'),)},
            ),
            'log_evidence: none. source=app query="x" total=0',
        ),
    ],
)
def test_an_entry_without_evidence_says_why(invocation, text):
    """R43, R45: gaps stay visible."""
    assert summary(invocation) == text


def test_every_firing_alert_comes_first_by_name_service_value_and_duration():
    """R45: and never an alert that is not in the output."""
    alerts = (
        "DiskFull resolved, service=a-service, value=97%",
        "HighMemoryUsage firing, severity=page, service=order-service, current=91%, duration=15m; JVM heap 3.8GB/4GB",
        "SlowResponse firing, service=user-service, value=4.2s, duration=10m",
    )
    assert summary(call(1, "query_metrics", alerts, list_name="alerts")) == (
        "metric_evidence: HighMemoryUsage firing, service=order-service, current=91%, duration=15m; "
        "SlowResponse firing, service=user-service, value=4.2s, duration=10m; "
        "DiskFull resolved, service=a-service, value=97%"
    )


def test_many_firing_alerts_are_rather_all_named_than_a_few_told_in_full():
    """R45: bounded, and every firing alert by name and service."""
    alerts = tuple(f"Alert{n} firing, service=svc-{n}, value=123456789, duration=15m" for n in range(15))
    text = summary(call(1, "query_metrics", alerts, list_name="alerts"))
    assert all(f"Alert{n} firing, service=svc-{n}" in text for n in range(15))
    assert len(text) <= 600


def test_samples_of_one_message_become_first_last_and_count():
    """R45: the trend of 003's memory case survives the summary, and repeats do not push out other messages."""
    rows = tuple(f"11:1{n} WARN order-service 内存使用率过高: {v}%" for n, v in enumerate(("86.2", "87.4", "91.0")))
    assert summary(call(1, texts=(*rows, "11:17 INFO order-service Full GC"))) == (
        "log_evidence: 11:10 WARN order-service 内存使用率过高: 86.2% -> "
        "11:12 WARN order-service 内存使用率过高: 91.0% (3 samples); 11:17 INFO order-service Full GC"
    )


def test_a_series_becomes_first_last_and_count():
    """R45: also of a range query."""
    item = "heap, service=order-service, values=[86.2 | 87.4 | 91.0]"
    assert summary(call(1, "query_metrics", (item,), list_name="items")) == (
        "metric_evidence: heap, service=order-service, values=86.2 -> 91.0 (3 samples)"
    )


def test_cited_facts_come_before_causes_fixes_and_gaps():
    """R45: what the answer cites, then root cause, then fixes, then retry gaps."""
    rows = ("other noise", "gateway trace-id kept", "请先回滚版本", "根因是索引缺失", "orders-api timed out twice")
    text = summary(
        call(1, texts=rows),
        answer_text="orders-api timed out twice",
        retry_context=RetryContext(round=1, missing_evidence_facts=("gateway trace-id 未知",)),
    )
    assert text == (
        "log_evidence: orders-api timed out twice; 根因是索引缺失; 请先回滚版本; gateway trace-id kept; other noise"
    )


def test_a_large_output_is_bounded_and_says_what_is_hidden():
    """R45: 1-3 sentences an entry."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    text = summary(call(1, texts=tuple(f"message {letter * 150}" for letter in letters)))
    assert len(text) <= 600
    assert text.endswith(". 23 more facts.")


def test_the_verifiers_form_has_the_fields_of_003():
    """R43: 003 section 5."""
    assert slim(summarise_trace([call(12, texts=("slow",))], TOOL_CLASSES)) == [
        {
            "trace_ref": "trace-1",
            "tool_name": "query_logs",
            "source_invocation_ids": [12],
            "evidence_level": "direct",
            "output_summary": "log_evidence: slow",
            "invocation_count": 1,
            "no_hit_invocation_count": 0,
        }
    ]
