"""Scenarios of seed 001: the Verifier is given explicit inputs, made by code from the recorded tool calls."""

from __future__ import annotations

import json
from typing import Any

from domain.contracts import RetryContext


def test_explicit_input_blocks_are_available_to_the_verifier(given: Any, say: Any) -> None:
    """R31: the contract where there is one, else the status that says why not; retry_context in round 2 only."""
    context = RetryContext(round=1, missing_evidence_facts=("“根因”缺少直接证据",))
    first = given(calls=(say.alerts(),), executor=say.contract(say.memory()), retry_context=context)
    assert first.payload["original_query"] == "order-service 现在怎么了？"
    assert first.payload["executor_final_answer"] == first.executor
    assert [entry["trace_ref"] for entry in first.payload["tool_trace_summary"]] == ["trace-1"]
    assert first.payload["executor_structured_output"]["claims"][0]["claim_id"] == "memory"
    assert first.payload["retry_context"] is None
    second = given(calls=(say.alerts(),), executor="内存告警。", number=2, retry_context=context)
    assert second.payload["executor_structured_output"] is None
    assert second.payload["executor_output_parse_status"]["status"] == "malformed"
    assert second.payload["retry_context"]["missing_evidence_facts"] == ["“根因”缺少直接证据"]


def test_the_verifier_remains_isolated_from_intermediate_reasoning(given: Any, say: Any) -> None:
    """R5, R31: the payload holds these blocks and nothing else, and no think block."""
    executor = f"<think>也许应该先查日志</think>{say.contract(say.memory())}"
    round = given(calls=(say.alerts(),), executor=executor)
    assert round.payload.keys() == {
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
    assert "也许应该先查日志" not in json.dumps(round.payload, ensure_ascii=False)


def test_the_tool_trace_summary_is_derived_from_tool_facts(given: Any, say: Any) -> None:
    """R43: whatever the Executor says of its calls."""
    round = given(calls=(say.alerts(), say.failed()), executor="我没有调用任何工具。")
    assert [
        (entry.tool_name, entry.success, entry.input_summary, entry.output_summary, entry.evidence_level)
        for entry in round.trace
    ] == [
        ("query_metrics", True, "query=order-service", f"metric_evidence: {say.ALERT}", "direct"),
        ("query_logs", False, "query=order-service", "log_evidence: none. call 44 failed: timeout", "none"),
    ]


def test_the_tool_trace_summary_preserves_invocation_references(given: Any, say: Any) -> None:
    """R43: stable trace_refs, the ids of all calls, and what is known of the retrieval."""
    calls = (say.alerts(41), say.knowledge(43), say.knowledge(45))
    before, after = given(calls=calls).trace, given(calls=(*calls, say.logs(46))).trace
    assert [(entry.trace_ref, entry.source_invocation_ids) for entry in after] == [
        ("trace-1", (41,)),
        ("trace-2", (43, 45)),
        ("trace-3", (46,)),
    ]
    assert after[:2] == before
    assert after[1].query_samples == ("query=order-service",)
    assert after[1].source_documents == ("memory.md",)


def test_only_evidence_bearing_tools_are_included(given: Any, say: Any) -> None:
    """R21, R43: a clock and a skill are no evidence."""
    clock = say.call(7, "getCurrentDateTime", {"now": "2026-07-08T03:20:00Z"})
    skill = say.call(8, "read_skill", {"items": [{"name": "memory"}]})
    assert [entry.tool_name for entry in given(calls=(clock, skill, say.alerts())).trace] == ["query_metrics"]


def test_failed_evidence_calls_are_preserved_as_evidence_gaps(given: Any, say: Any) -> None:
    """R43: they stay in the summary, unsuccessful and with evidence level none."""
    nothing = say.call(45, "lookup_knowledge", {"success": True, "evidence_blocks": [], "total": 0})
    trace = given(calls=(say.failed(), nothing)).trace
    assert [(entry.success, entry.evidence_level) for entry in trace] == [(False, "none"), (False, "none")]
    assert [(entry.failed_invocation_count, entry.no_hit_invocation_count) for entry in trace] == [(1, 0), (0, 1)]


def test_repeated_tool_calls_are_compacted(given: Any, say: Any) -> None:
    """R44: the first effective hit, and the counts of repeated, failed and no-hit calls."""
    empty = say.call(51, "query_logs", {"success": True, "logs": [], "total": 0})
    calls = (empty, say.logs(52), say.failed(53), say.repeated(54, 52, "query_logs"))
    (entry,) = given(calls=calls).trace
    assert entry.output_summary == f"log_evidence: {say.LOG}"
    assert (entry.invocation_count, entry.failed_invocation_count, entry.no_hit_invocation_count) == (4, 1, 2)
    assert entry.source_invocation_ids == (51, 52, 53, 54)


def test_raw_outputs_are_not_passed_through_in_full(given: Any, say: Any) -> None:
    """R45: of a large output the Verifier gets a few sentences."""
    round = given(calls=(say.logs(more=500),), executor="内存偏高。")
    assert len(round.calls[0].output) > 100_000
    assert len(json.dumps(round.payload, ensure_ascii=False)) < 2_000


def test_noise_is_all_that_is_taken_out_of_the_messages(given: Any, say: Any) -> None:
    """R31: there is no hook over messages; the inputs come from the record, and of the answer only thoughts are cut."""
    contract = say.contract(say.memory())
    with_noise = given(calls=(say.alerts(),), executor=f"<think>推理</think>{contract}").payload
    assert with_noise["executor_final_answer"] == contract
    without = given(calls=(say.alerts(),), executor=contract).payload
    assert with_noise["executor_structured_output"] == without["executor_structured_output"]
    assert with_noise["tool_trace_summary"] == without["tool_trace_summary"]


# ---------------------------------------------------------------- hardened no-evidence semantics


def test_failed_evidence_remains_a_verifier_visible_gap(given: Any, say: Any) -> None:
    """R43, R48: the failure stands in the payload and in the answer, and the round ends as any other."""
    executor = say.contract(say.memory(), say.claim("logs", "日志中没有异常"))
    judged = say.judging(say.fact(say.memory()))
    round = given(calls=(say.alerts(), say.failed()), executor=executor, verifier=judged)
    assert round.payload["tool_trace_summary"][1]["output_summary"] == "log_evidence: none. call 44 failed: timeout"
    assert round.outcome == ("LOW_CONFID", "0.5", "disclaimer")
    assert "- 查询失败，未取得匹配的日志（query_logs，查询：query=order-service）" in round.section("当前缺口")


def test_deduped_retrievals_do_not_count_as_fresh_support(given: Any, say: Any) -> None:
    """R19, R36: such an entry is no new evidence, and a fact that refers to it alone is unsupported."""
    calls = (say.repeated(61, 43),)
    judged = say.judging(say.other_fact("重启可以缓解内存泄漏", "direct_evidence", "trace-1"))
    round = given(calls=calls, executor="重启可以缓解内存泄漏。", verifier=judged)
    assert [(entry.evidence_level, entry.no_hit_invocation_count) for entry in round.trace] == [("none", 1)]
    assert round.classes == {"重启可以缓解内存泄漏": "no_evidence"}
    assert round.evaluation.adjustments[0].rule == "fact.no_supported_ref"


# ---------------------------------------------------------------- concrete supporting facts


def test_log_evidence_contains_a_concrete_matching_message(given: Any, say: Any) -> None:
    """R45, R36: the message stands in the summary, and its call can be referred to as direct evidence."""
    fact = say.other_fact("内存使用率 91.0%", "direct_evidence", "trace-1")
    round = given(calls=(say.logs(),), executor="内存使用率 91.0%。", verifier=say.judging(fact))
    assert "memory usage high: 91.0%, gc count 128" in round.trace[0].output_summary
    assert round.classes == {"内存使用率 91.0%": "direct_evidence"}


def test_metrics_evidence_contains_concrete_alert_fields(given: Any, say: Any) -> None:
    """R45: name, service, value and duration; no alert that is not in the output, though the answer names one."""
    (entry,) = given(calls=(say.alerts(),), executor="HighCPUUsage 也在触发。").trace
    assert entry.output_summary == f"metric_evidence: {say.ALERT}"
    assert "HighCPUUsage" not in entry.model_dump_json()


def test_the_summary_remains_bounded(given: Any, say: Any) -> None:
    """R45: at most 600 characters, what the answer is about before boilerplate."""
    (entry,) = given(calls=(say.logs(more=500),), executor="memory usage high: 91.0%, gc count 128").trace
    assert len(entry.output_summary) <= 600
    assert entry.output_summary.startswith(f"log_evidence: {say.LOG}; ")
