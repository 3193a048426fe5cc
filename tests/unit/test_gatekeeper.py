"""R23 to R28: what the gatekeeper says of bindings, claims, actions and the whole output."""

from typing import Any

import pytest

from domain.contracts import (
    TOOL_CLASSES,
    CheckState,
    EvidenceStatus,
    ExecutorOutput,
    GatekeeperResult,
    MatchKind,
    ParsedExecutorOutput,
    ParseState,
    ParseStatus,
    Severity,
    ToolInvocation,
)
from domain.gatekeeper.check import check_evidence

HEAP = "HighMemoryUsage firing, service=order-service, current=91%, duration=15m"
DISK = "NodeDiskPressure pending, node=nd-41, used=92.6%, duration=4m"
LINE = "2031-03-04 15:22:41 WARN 对账平台 渠道流水缺失 9 笔"
RUNBOOK = "内存告警处置：先导出堆 dump，再看最近的发布记录。"
SUMMARY = (
    "source=alert-hub query={} window=06:00/06:30 total=2: HighMemoryUsage(order-service), NodeDiskPressure(nd-41)"
)
NOTHING = 'source=app-logs query="HikariCP inventory-service" window=06:00/07:00 total=0'


def call(number: int, tool: str, refs: dict[str, str] | None, **more: Any) -> ToolInvocation:
    details: dict[str, Any] = {"evidence_status": EvidenceStatus.SUPPORTED}
    if refs is not None:
        details["evidence_refs"] = [{"raw_path": path, "text": text} for path, text in refs.items()]
    given = {"session_id": "s1", "success": True, "retrieval_details": details} | more
    return ToolInvocation(id=number, tool_name=tool, **given)


FAILED = {"evidence_status": EvidenceStatus.FAILED, "evidence_refs": []}
CALLS = (
    call(11, "query_metrics", {"$.alerts[0]": HEAP, "$.alerts[1]": DISK, "$.alerts": SUMMARY}),
    call(12, "query_logs", {"$.logs[0]": LINE}),
    call(13, "lookup_knowledge", {"$.evidence_blocks[0]": RUNBOOK}),
    call(14, "getCurrentDateTime", {}),
    call(15, "query_logs", {}, success=False, retrieval_details=FAILED),
    call(16, "query_order", None),
    call(17, "query_logs", {"$.logs": NOTHING}),
    call(18, "query_logs", {"$.logs[0]": LINE}, session_id="s2"),
)


def binding(
    excerpt: str = HEAP, path: str | None = "$.alerts[0]", number: int | None = 11, tool: str = "query_metrics"
) -> dict[str, Any]:
    return {
        "tool_name": tool,
        "source_invocation_id": number,
        "raw_path": path,
        "evidence_excerpt": excerpt,
    }


def claim(
    *bindings: dict[str, Any], kind: str = "observation", text: str = "内存使用率过高", name: str = "c1"
) -> dict[str, Any]:
    return {"claim_id": name, "claim_type": kind, "claim_text": text, "evidence_bindings": bindings}


def action(*bindings: dict[str, Any]) -> dict[str, Any]:
    return {"action_id": "a1", "action_text": "继续查看 GC 日志", "reason": "证据不足", "evidence_bindings": bindings}


def check(*claims: dict[str, Any], actions: tuple[dict[str, Any], ...] = (), calls: Any = CALLS) -> GatekeeperResult:
    output = ExecutorOutput.model_validate({"claims": claims, "recommended_actions": actions})
    status = ParseStatus(status=ParseState.VALID, detail="parsed executor evidence contract")
    parsed = ParsedExecutorOutput(status=status, structured=output, final_answer="")
    return check_evidence(session_id="s1", invocations=calls, parsed=parsed, tool_classes=TOOL_CLASSES)


def test_a_true_quotation_at_its_place_passes() -> None:
    """R23: invocation, session, tool, path and words are real."""
    result = check(claim(binding()))
    assert (result.status, result.severity, result.failed_rules) == (CheckState.PASS, Severity.NONE, ())
    checked = result.checked_bindings[0]
    assert (checked.claim_id, checked.index, checked.status) == ("c1", 0, CheckState.PASS)
    assert (checked.match_kind, checked.matched_text, checked.rule) == (MatchKind.EXACT, HEAP, None)


def test_the_result_has_a_status_for_every_claim_and_action() -> None:
    """R23: a status per binding, per claim and per action."""
    result = check(claim(binding()), claim(binding(DISK, "$.alerts[1]"), name="c2"), actions=(action(binding()),))
    assert [(s.kind, s.id, s.status) for s in result.subjects] == [
        ("claim", "c1", CheckState.PASS),
        ("claim", "c2", CheckState.PASS),
        ("action", "a1", CheckState.PASS),
    ]


@pytest.mark.parametrize(
    ("cited", "rule"),
    [
        pytest.param(binding(number=99), "evidence.invocation_ref", id="unknown invocation"),
        pytest.param(binding(LINE, "$.logs[0]", 18, "query_logs"), "evidence.session", id="another session's"),
        pytest.param(binding(tool="query_logs"), "evidence.tool_name", id="wrong tool"),
        pytest.param(binding(path="$.alerts[9]"), "evidence.raw_path", id="unknown path"),
        pytest.param(binding(path="$.alerts[0].state"), "evidence.raw_path", id="deeper path"),
        pytest.param(binding(HEAP.replace("91", "97")), "evidence.excerpt_mismatch", id="mismatch"),
        pytest.param(binding(LINE, "$.logs[0]", 15, "query_logs"), "evidence.failed_invocation", id="failed call"),
        pytest.param(
            binding("HikariCP active=50/50", None), "evidence.excerpt_mismatch", id="no path and nowhere there"
        ),
    ],
)
def test_a_false_binding_rejects_the_result(cited: dict[str, Any], rule: str) -> None:
    """R25: reject."""
    result = check(claim(cited))
    assert (result.status, result.severity, result.failed_rules) == (CheckState.FAIL, Severity.REJECT, (rule,))
    assert [(error.rule, error.subject) for error in result.errors] == [(rule, "c1")]
    assert result.checked_bindings[0].severity is Severity.REJECT


@pytest.mark.parametrize(
    ("cited", "rule"),
    [
        pytest.param(binding(path=None), "evidence.raw_path_missing", id="path missing, text there"),
        pytest.param(binding(path=""), "evidence.raw_path_missing", id="path empty, text there"),
        pytest.param(binding("", None, 12, "query_logs"), "evidence.raw_path_missing", id="no path, no words"),
        pytest.param(binding(DISK), "evidence.raw_path_mislocated", id="text at another path of the call"),
        pytest.param(binding(HEAP.replace(" firing", " is firing")), "evidence.excerpt_near_miss", id="near miss"),
        pytest.param(binding("91%"), "evidence.excerpt_uncheckable", id="uncheckable"),
        pytest.param(binding(""), "evidence.excerpt_uncheckable", id="nothing quoted"),
        pytest.param(binding("paid", "$.items[0]", 16, "query_order"), "evidence.legacy_invocation", id="legacy"),
        pytest.param(binding("06:44", "$.items[0]", 14, "getCurrentDateTime"), "evidence.helper_tool", id="helper"),
        pytest.param(binding(number=None, tool="query_logs"), "evidence.invocation_missing", id="no id"),
        pytest.param(binding(number=None, tool=""), "evidence.invocation_missing", id="no id, no tool"),
        pytest.param(binding(tool=""), "evidence.tool_name_missing", id="no tool name"),
        pytest.param(binding("total=2", "$.alerts"), "evidence.absence", id="summary bound by an observation"),
    ],
)
def test_a_weak_binding_is_low_confid(cited: dict[str, Any], rule: str) -> None:
    """R25: low_confid."""
    result = check(claim(cited))
    assert (result.status, result.severity, result.failed_rules) == (CheckState.FAIL, Severity.LOW_CONFID, (rule,))
    assert result.checked_bindings[0].rule == rule


def test_a_tool_of_no_class_is_a_helper() -> None:
    """R21: evidence-bearing tools are configured."""
    calls = (call(21, "render_table", {"$.items[0]": HEAP}),)
    result = check(claim(binding(HEAP, "$.items[0]", 21, "render_table")), calls=calls)
    assert result.failed_rules == ("evidence.helper_tool",)


def test_a_text_of_the_echoed_query_stands_nowhere() -> None:
    """R18: a tool that repeats the query does not become evidence for it."""
    result = check(claim(binding("HikariCP inventory-service", None, 17, "query_logs")))
    assert result.failed_rules == ("evidence.excerpt_mismatch",)


def test_a_call_of_an_earlier_round_may_be_cited() -> None:
    """R41: round 2 may bind the refs of round 1."""
    calls = (call(11, "query_metrics", {"$.alerts[0]": HEAP}, round=1), call(31, "query_logs", {}, round=2))
    assert check(claim(binding()), calls=calls).status is CheckState.PASS


def test_a_deduplicated_call_may_be_cited_with_the_refs_it_repeats() -> None:
    """R3: deduplicated calls repeat the first call's refs."""
    repeated = {
        "evidence_status": EvidenceStatus.DEDUPLICATED,
        "duplicate_of": 11,
        "evidence_refs": [{"raw_path": "$.alerts[0]", "text": HEAP}],
    }
    calls = (*CALLS, call(19, "query_metrics", {}, retrieval_details=repeated))
    assert check(claim(binding(number=19)), calls=calls).status is CheckState.PASS


def test_one_good_binding_carries_a_claim_and_the_weak_one_is_a_warning() -> None:
    """R26: a claim passes if at least one binding passes and none is reject."""
    result = check(claim(binding(), binding(DISK, None)))
    assert (result.status, result.severity, result.errors) == (CheckState.PASS, Severity.NONE, ())
    assert [(warning.rule, warning.subject) for warning in result.warnings] == [("evidence.raw_path_missing", "c1")]
    assert [checked.status for checked in result.checked_bindings] == [CheckState.PASS, CheckState.FAIL]
    assert result.subjects[0].rules == ("evidence.raw_path_missing",)


def test_one_false_binding_rejects_a_claim_with_a_good_one() -> None:
    """R26: none is reject."""
    result = check(claim(binding(), binding(number=99)))
    assert (result.severity, result.subjects[0].severity) == (Severity.REJECT, Severity.REJECT)


def test_a_claim_without_bindings_is_low_confid() -> None:
    """R26: a claim without a passed binding is low_confid."""
    result = check(claim())
    assert (result.severity, result.failed_rules) == (Severity.LOW_CONFID, ("evidence.no_bindings",))


def test_reference_sources_alone_prove_no_observation() -> None:
    """R26: a runbook cannot prove what is happening now."""
    result = check(claim(binding(RUNBOOK, "$.evidence_blocks[0]", 13, "lookup_knowledge")))
    assert (result.severity, result.failed_rules) == (Severity.LOW_CONFID, ("evidence.source_class",))
    assert result.checked_bindings[0].status is CheckState.PASS


def test_live_sources_alone_prove_no_documentation() -> None:
    """R11, R21, R26: what the knowledge base says is shown by the knowledge base."""
    result = check(claim(binding(), kind="documentation", text="知识库指出内存使用率 91%"))
    assert (result.severity, result.failed_rules) == (Severity.LOW_CONFID, ("evidence.source_class",))


def test_a_live_binding_beside_a_reference_one_is_enough() -> None:
    """R26: a passed live binding."""
    cited = binding(RUNBOOK, "$.evidence_blocks[0]", 13, "lookup_knowledge")
    assert check(claim(cited, binding())).status is CheckState.PASS


def test_documentation_may_rest_on_the_knowledge_base() -> None:
    """R26: a claim that is not documentation needs a live binding."""
    cited = binding(RUNBOOK, "$.evidence_blocks[0]", 13, "lookup_knowledge")
    assert check(claim(cited, kind="documentation")).status is CheckState.PASS


@pytest.mark.parametrize("weak", [(), (binding(path=None),)])
def test_a_weak_risk_does_not_cap_the_result(weak: tuple[dict[str, Any], ...]) -> None:
    """R27: low_confid if any critical claim is; a risk is not critical."""
    result = check(claim(binding()), claim(*weak, kind="risk", name="c2"))
    assert (result.status, result.severity) == (CheckState.PASS, Severity.NONE)
    assert (result.subjects[1].severity, result.warnings[0].subject) == (Severity.LOW_CONFID, "c2")


def test_a_false_binding_of_a_risk_rejects_the_result() -> None:
    """R27: reject if any binding anywhere is."""
    result = check(claim(binding()), claim(binding(number=99), kind="risk", name="c2"))
    assert (result.severity, result.failed_rules) == (Severity.REJECT, ("evidence.invocation_ref",))


def test_one_weak_critical_claim_caps_the_result() -> None:
    """R27: low_confid if any critical claim is."""
    result = check(claim(binding()), claim(binding(path=None), name="c2"))
    assert (result.status, result.severity) == (CheckState.FAIL, Severity.LOW_CONFID)


def test_failed_rules_stand_once_in_order_of_appearance() -> None:
    """R30: why it was stopped."""
    claims = [claim(binding(path=None)), claim(binding(number=99), name="c2"), claim(binding(path=None), name="c3")]
    assert check(*claims).failed_rules == ("evidence.raw_path_missing", "evidence.invocation_ref")


def test_an_action_needs_no_binding() -> None:
    """R11: optional bindings."""
    result = check(claim(binding()), actions=(action(),))
    assert (result.status, result.subjects[1].dropped) == (CheckState.PASS, False)


def test_an_action_with_a_weak_binding_is_dropped_with_a_warning() -> None:
    """R26: an action with a bad binding is dropped with a warning."""
    result = check(claim(binding()), actions=(action(binding(path=None)),))
    assert (result.status, result.subjects[1].dropped) == (CheckState.PASS, True)
    assert [(w.rule, w.subject) for w in result.warnings] == [("evidence.raw_path_missing", "a1")]


def test_an_action_with_a_false_binding_rejects_the_result() -> None:
    """R26: unless the binding is reject."""
    result = check(claim(binding()), actions=(action(binding(number=99)),))
    assert (result.severity, result.errors[0].subject, result.subjects[1].dropped) == (Severity.REJECT, "a1", True)
    assert (result.checked_bindings[1].claim_id, result.checked_bindings[1].action_id) == (None, "a1")


def test_a_missing_id_is_filled_in_from_the_only_call_of_the_tool() -> None:
    """R28: always a warning, at best low_confid."""
    result = check(claim(binding(number=None)))
    assert (result.severity, result.failed_rules) == (Severity.LOW_CONFID, ("evidence.invocation_auto_backfill",))
    assert result.checked_bindings[0].source_invocation_id == 11
    assert [warning.rule for warning in result.warnings] == ["evidence.invocation_auto_backfill"]


def test_a_false_excerpt_is_rejected_although_the_id_was_filled_in() -> None:
    """R28: such a binding is at best low_confid."""
    result = check(claim(binding("HikariCP active=50/50", number=None)))
    assert (result.severity, result.failed_rules) == (Severity.REJECT, ("evidence.excerpt_mismatch",))


def test_a_path_is_never_filled_in() -> None:
    """R28: never the path."""
    result = check(claim(binding(number=None, path=None)))
    assert result.failed_rules == ("evidence.raw_path_missing",)
    assert result.checked_bindings[0].raw_path is None


def test_a_call_of_another_session_is_no_candidate_for_filling_in() -> None:
    """R28: exactly one invocation of that tool in the session."""
    calls = (call(11, "query_metrics", {"$.alerts[0]": HEAP}), call(41, "query_metrics", {}, session_id="s2"))
    assert check(claim(binding(number=None)), calls=calls).checked_bindings[0].source_invocation_id == 11


def test_a_negative_observation_proves_an_absence_by_the_summary() -> None:
    """R20: a correctly bound 未检索到 may pass."""
    cited = binding(NOTHING, "$.logs", 17, "query_logs")
    text = "窗口内未检索到 inventory-service 的 HikariCP 日志"
    assert check(claim(cited, kind="negative_observation", text=text)).status is CheckState.PASS


def test_an_absence_of_what_another_call_returned_is_void() -> None:
    """R20: misuse is low_confid, evidence.absence."""
    found = call(42, "query_logs", {"$.logs[0]": "ERROR inventory-service HikariCP active=50/50"})
    cited = binding("total=0", "$.logs", 17, "query_logs")
    text = "窗口内未检索到 inventory-service 的 HikariCP 日志"
    result = check(claim(cited, kind="negative_observation", text=text), calls=(*CALLS, found))
    assert (result.severity, result.failed_rules) == (Severity.LOW_CONFID, ("evidence.absence",))


def test_a_false_total_is_a_mismatch() -> None:
    """R25: mismatch."""
    cited = binding("source=alert-hub query={} window=06:00/06:30 total=0", "$.alerts")
    result = check(claim(cited, kind="negative_observation", text="未检索到告警"))
    assert (result.severity, result.failed_rules) == (Severity.REJECT, ("evidence.excerpt_mismatch",))


def test_an_action_may_bind_a_summary_by_its_total() -> None:
    """R20: only a negative_observation (or an action) may bind it."""
    good, bad = binding("total=2", "$.alerts"), binding("source=alert-hub", "$.alerts")
    assert not check(claim(binding()), actions=(action(good),)).subjects[1].dropped
    assert check(claim(binding()), actions=(action(bad),)).subjects[1].rules == ("evidence.absence",)


@pytest.mark.parametrize(
    ("state", "rule"),
    [(ParseState.MALFORMED, "executor.output_malformed"), (ParseState.MISSING, "executor.output_missing")],
)
def test_output_that_was_not_understood_is_low_confid(state: ParseState, rule: str) -> None:
    """R14: the gatekeeper says low_confid."""
    status = ParseStatus(status=state, detail="two objects")
    parsed = ParsedExecutorOutput(status=status, structured=None, final_answer="原文")
    result = check_evidence(session_id="s1", invocations=CALLS, parsed=parsed, tool_classes=TOOL_CLASSES)
    assert (result.status, result.severity, result.failed_rules) == (CheckState.FAIL, Severity.LOW_CONFID, (rule,))
    assert [error.message for error in result.errors] == ["two objects"]


def test_valid_output_without_claims_proves_nothing() -> None:
    """R27: nothing is proven, and its actions are still checked."""
    result = check(actions=(action(binding(path=None)),))
    assert (result.severity, result.failed_rules) == (Severity.LOW_CONFID, ("evidence.no_claims",))
    assert result.subjects[0].dropped


def test_a_checked_binding_shows_what_was_cited_and_what_the_system_holds() -> None:
    """R30: what was cited, what the system holds there, why it was stopped."""
    checked = check(claim(binding("HighMemoryUsage firing, service=order-service, current=97%"))).checked_bindings[0]
    assert checked.evidence_excerpt == "HighMemoryUsage firing, service=order-service, current=97%"
    assert checked.nearest_text == "HighMemoryUsage firing, service=order-service, current=91%"
    assert checked.first_difference == "quoted: 97%, held: 91%"
    assert checked.matched_text is None


def test_an_absence_is_not_proven_by_quoting_the_very_thing() -> None:
    """R20: 未检索到 rests on the summary of a complete answer, whatever item is quoted truly beside it."""
    result = check(claim(binding(), kind="negative_observation", text="未检索到内存告警"))

    assert (result.status, result.severity) == (CheckState.FAIL, Severity.LOW_CONFID)
    assert result.failed_rules == ("evidence.absence",)
