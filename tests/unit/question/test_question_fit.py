"""An answer fits its question, or what it leaves open is a fact without evidence: honest_pairs.jsonl (R70)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from domain.agents.verifier_io import VerifierAnswer
from domain.answer.answer import answer_after
from domain.contracts import (
    TOOL_CLASSES,
    CheckedFact,
    Claim,
    ExecutorOutput,
    FactClass,
    ParsedExecutorOutput,
    ParseState,
    ParseStatus,
    RetrievalDetails,
    Route,
    ToolInvocation,
    Verdict,
    VerifiedClaim,
)
from domain.evidence.extraction import extract_evidence
from domain.evidence.trace_summary import summarise_trace
from domain.gatekeeper.check import check_evidence
from domain.question.question import TermKind
from domain.question.reading import read_question
from domain.verdict.judgement import Judgement, judge
from domain.verdict.retry import retry_context_after
from domain.verdict.verified import allowed_claims

PAIRS = [json.loads(line) for line in (Path(__file__).parent / "honest_pairs.jsonl").read_text("utf-8").splitlines()]
VALID = ParseStatus(status=ParseState.VALID)
LOGS = "2031-05-14T09:30:00Z/2031-05-14T10:30:00Z"


def recorded(told: dict[str, Any]) -> ToolInvocation:
    output = json.dumps(told["output"], ensure_ascii=False)
    asked = RetrievalDetails(query=told.get("query", ""), window=told.get("window", ""))
    details = extract_evidence(told["tool_name"], output, query=asked.query, window=asked.window, base=asked)
    return ToolInvocation(
        id=told["id"],
        session_id="s",
        tool_name=told["tool_name"],
        success=True,
        input_params=told["input_params"],
        output=output,
        retrieval_details=details,
    )


def judged(
    pair: dict[str, Any], verification: FactClass = FactClass.DIRECT, held: tuple[VerifiedClaim, ...] = ()
) -> Judgement:
    """The judgement of a round whose claims the verifier takes to be of one class."""
    calls = [recorded(told) for told in pair["invocations"]]
    claims = tuple(Claim.model_validate(claim) for claim in pair["claims"])
    structured = ExecutorOutput(claims=claims)
    parsed = ParsedExecutorOutput(status=VALID, structured=structured, final_answer="{}")
    facts = tuple(
        CheckedFact(fact=claim.claim_text, is_critical=True, verification=verification, claim_id=claim.claim_id)
        for claim in claims
    )
    return judge(
        question=pair["question"],
        round=1,
        threshold="0.5",
        structured=structured,
        parse_status=VALID,
        gatekeeper=check_evidence(session_id="s", invocations=calls, parsed=parsed, tool_classes=TOOL_CLASSES),
        trace=summarise_trace(calls, TOOL_CLASSES, answer_text="", retry_context=None),
        reading=VerifierAnswer(facts, Verdict.PASS, Decimal(1), len(facts), ""),
        invocations=calls,
        now=datetime.fromisoformat(pair["now"]),
        window_minutes=pair.get("window_minutes", 60),
        held=held,
    )


@pytest.mark.parametrize("pair", PAIRS, ids=[f"{pair['name']}: {pair['about']}" for pair in PAIRS])
def test_honest_pairs_pass_and_the_others_do_not(pair: dict[str, Any]) -> None:
    """R70."""
    verdict = judged(pair).evaluation.verdict
    assert (verdict == "PASS") is (pair["expected"] == "PASS")


def test_a_hundred_honest_pairs_are_held_against_as_many_others() -> None:
    assert sum(pair["expected"] == "PASS" for pair in PAIRS) >= 100
    assert sum(pair["expected"] != "PASS" for pair in PAIRS) >= 50


FRAMES = (
    ("请问，{}", "Could you please tell me: {}"),
    ("{}，谢谢", "{} Thanks!"),
    ("因为昨天发布了 v3.1，{}", "We deployed v3.1 yesterday. {}"),
    ("JIRA-77：{}", "JIRA-77: {}"),
    ("听说 zebra-service 挂了，{}", "I was told that zebra-service is down. {}"),
    ("你好，麻烦帮忙确认：{}", "Hi, {}"),
    ("{}（见工单 INC0042）", "{} (see INC0042)"),
)


@pytest.mark.parametrize(("number", "pair"), list(enumerate(PAIRS)), ids=[pair["name"] for pair in PAIRS])
def test_what_is_said_in_passing_changes_no_verdict(number: int, pair: dict[str, Any]) -> None:
    """R70: politeness, reasons, tickets and versions are no terms."""
    chinese, english = FRAMES[number % len(FRAMES)]
    frame = english if pair["question"].isascii() else chinese
    verdict = judged(pair | {"question": frame.format(pair["question"])}).evaluation.verdict
    assert (verdict == "PASS") is (pair["expected"] == "PASS")


OTHERS = {
    TermKind.SERVICE: "zebra-service",
    TermKind.ALERT: "ZebraTooLoud",
    TermKind.METRIC: "zebra_stripes_total",
    TermKind.CODE: "ERR_ZEBRA_9",
    TermKind.ADDRESS: "198.51.100.99",
    TermKind.ID: "99887766",
    TermKind.PHRASE: '"zebra crossing lost"',
    TermKind.TOPIC: '"zebra crossing lost"',
}
HONEST = [pair for pair in PAIRS if pair["expected"] == "PASS"]


@pytest.mark.parametrize("pair", HONEST, ids=[pair["name"] for pair in HONEST])
def test_an_honest_answer_fits_no_question_about_something_else(pair: dict[str, Any]) -> None:
    """R70: whichever term of the question is exchanged."""
    read = read_question(pair["question"], datetime.fromisoformat(pair["now"]), UTC)
    for term in read.terms:
        asked = pair["question"].replace(term.text, OTHERS.get(term.kind, term.text))
        if asked != pair["question"]:
            assert judged(pair | {"question": asked}).evaluation.verdict != "PASS", asked


# ---------------------------------------------------------------- what is said of an open point


def logs(
    query: str, *messages: str, service: str = "order-service", id: int = 41, window: str = LOGS
) -> dict[str, Any]:
    rows = [
        {"timestamp": "2031-05-14T10:05:00Z", "level": "ERROR", "service": service, "message": message}
        for message in messages
    ]
    output = {"success": True, "source": "logs", "logs": rows, "total": len(rows), "query": query, "window": window}
    asked = {"service": service, "query": query}
    return {
        "id": id,
        "tool_name": "query_logs",
        "input_params": asked,
        "output": output,
        "query": query,
        "window": window,
    }


def claim(
    text: str, quotation: str, *paths: str, id: int = 41, claim_type: str = "observation", number: int = 1
) -> Any:
    bindings = [
        {"tool_name": "query_logs", "source_invocation_id": id, "raw_path": path, "evidence_excerpt": quotation}
        for path in paths
    ]
    return {
        "claim_id": f"claim-{number}",
        "claim_type": claim_type,
        "claim_text": text,
        "evidence_bindings": bindings,
    }


def pair(question: str, calls: list[Any], claims: list[Any]) -> dict[str, Any]:
    return {"question": question, "now": "2031-05-14T10:30:00Z", "invocations": calls, "claims": claims}


TIMEOUT = pair(
    "order-service 有没有 deadlock 和 timeout？",
    [logs("timeout", "read timeout after 3000ms")],
    [claim("order-service 出现 read timeout after 3000ms。", "read timeout after 3000ms", "$.logs[0]")],
)


def test_an_uncovered_term_is_a_critical_fact_with_a_rule_of_its_own() -> None:
    """R70: it enters score, gaps and retry_context by the rules there are."""
    done = judged(TIMEOUT)
    evaluation = done.evaluation
    fact = evaluation.facts_checked[-1]
    assert (fact.fact, fact.is_critical, fact.verification, fact.claim_id) == (
        "问题中的 deadlock 未得到查证。",
        True,
        FactClass.NO_EVIDENCE,
        None,
    )
    rules = [(change.rule, change.subject, change.after) for change in evaluation.adjustments]
    assert ("answer.term_uncovered", fact.fact, "no_evidence") in rules
    assert (evaluation.verdict, evaluation.groundedness_score, done.route) == ("LOW_CONFID", "0.5", Route.DISCLAIMER)
    context = retry_context_after(evaluation, gatekeeper=evaluation.gatekeeper_result, invocations=())
    assert context.missing_evidence_facts == ("问题中的 deadlock 未得到查证。",)


def shown(done: Judgement, calls: list[Any]) -> str:
    return answer_after(
        done.route,
        question=TIMEOUT["question"],
        evaluations=[done.evaluation],
        invocations=[recorded(call) for call in calls],
        composition=None,
        tool_classes=TOOL_CLASSES,
    ).answer


def test_the_gap_says_the_open_point_in_a_sentence() -> None:
    """R70: not as an unproven claim."""
    answer = shown(judged(TIMEOUT), TIMEOUT["invocations"])
    assert "当前缺口：\n- 问题中的 deadlock 未得到查证。" in answer


def test_a_term_that_only_an_unproven_claim_speaks_of_is_said_once() -> None:
    """R35, R70: the claim's own fact says it."""
    done = judged(TIMEOUT, FactClass.NO_EVIDENCE)
    assert [fact.fact for fact in done.evaluation.facts_checked] == [
        "order-service 出现 read timeout after 3000ms。",
        "问题中的 deadlock 未得到查证。",
    ]


def test_what_the_first_round_has_proven_covers_in_the_second() -> None:
    """R41, R70."""
    deadlock = pair(
        TIMEOUT["question"],
        [*TIMEOUT["invocations"], logs("deadlock", "deadlock detected", id=42)],
        [claim("order-service 出现 deadlock detected。", "deadlock detected", "$.logs[0]", id=42)],
    )
    first = allowed_claims([judged(TIMEOUT).evaluation])
    assert judged(deadlock, held=first).evaluation.verdict == "PASS"
    assert judged(deadlock).evaluation.verdict == "LOW_CONFID"


def test_a_period_that_was_not_understood_is_said_with_the_window_that_was_searched() -> None:
    """R70."""
    vague = TIMEOUT | {"question": "order-service 前阵子有没有 timeout？"}
    facts = [fact.fact for fact in judged(vague).evaluation.facts_checked]
    assert facts[-1] == "未能识别时间范围“前阵子”，检索的是 2031-05-14 09:30:00–10:30:00 UTC。"


def test_a_cause_that_was_not_found_is_said_to_be_so() -> None:
    """R70, R90: critical where nothing but the cause is asked."""
    why = judged(TIMEOUT | {"question": "order-service 为什么 timeout？"})
    assert why.evaluation.verdict == "LOW_CONFID"
    assert "未找到能证实原因的证据。" in shown(why, TIMEOUT["invocations"])
    both = judged(TIMEOUT | {"question": "order-service 有没有 timeout？为什么？"})
    assert both.evaluation.verdict == "PASS"
    assert "未找到能证实原因的证据。" in shown(both, TIMEOUT["invocations"])


def test_alerts_are_not_answered_by_logs_alone() -> None:
    """R70."""
    done = judged(TIMEOUT | {"question": "order-service 有哪些告警？"})
    assert [fact.fact for fact in done.evaluation.facts_checked][1:] == ["问题中的 告警 未得到查证。"]


@pytest.mark.parametrize(
    ("question", "message", "text", "verdict"),
    [
        (
            "order-service 的 timeout 是多少？",
            "read timeout after 3000ms",
            "order-service 的 timeout 为 3000ms。",
            "PASS",
        ),
        ("order-service 的延迟是多少？", "latency too high", "order-service 出现 latency too high。", "LOW_CONFID"),
        ("order-service 有多少条 timeout？", "read timeout", "order-service 有 1 条 read timeout 日志。", "PASS"),
        ("order-service 有多少条 timeout？", "read timeout", "order-service 出现 read timeout。", "LOW_CONFID"),
        ("How many timeouts in order-service?", "read timeout", "order-service logged 1 timeout entry.", "PASS"),
    ],
)
def test_how_many_and_how_much_are_answered_with_a_number(question: str, message: str, text: str, verdict: str) -> None:
    """R70."""
    call = logs("timeout", message)
    done = judged(pair(question, [call], [claim(text, message, "$.logs[0]")]))
    assert done.evaluation.verdict == verdict


def test_an_absence_beside_a_finding_is_no_count_of_it() -> None:
    """R70."""
    found, none = logs("timeout", "read timeout"), logs("deadlock", id=42)
    quoted = recorded(none).retrieval_details.evidence_refs or ()
    claims = [
        claim("order-service 出现 read timeout。", "read timeout", "$.logs[0]"),
        claim(
            "未检索到 order-service 的 deadlock 日志。",
            quoted[-1].text,
            "$.logs",
            id=42,
            claim_type="negative_observation",
            number=2,
        ),
    ]
    asked = pair("order-service 有多少条 timeout 和 deadlock？", [found, none], claims)
    assert [fact.fact for fact in judged(asked).evaluation.facts_checked][2:] == ["问题中的 数量 未得到查证。"]


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("order-service 有没有 OOM？", "LOW_CONFID"),
        ("OOM 怎么处理？", "PASS"),
        ("手册里有没有 OOM 的处理办法？", "PASS"),
    ],
)
def test_documents_do_not_tell_whether_something_is_so(question: str, verdict: str) -> None:
    """R26, R70."""
    block = {"title": "OOM", "source": "runbook.md", "content": "order-service OOM: raise the heap."}
    output = {"success": True, "evidence_blocks": [block], "total": 1}
    call = {"id": 41, "tool_name": "lookup_knowledge", "input_params": {"query": "OOM"}, "output": output}
    binding = {
        "tool_name": "lookup_knowledge",
        "source_invocation_id": 41,
        "raw_path": "$.evidence_blocks[0]",
        "evidence_excerpt": "order-service OOM: raise the heap.",
    }
    told = {
        "claim_id": "claim-1",
        "claim_type": "documentation",
        "claim_text": "手册写道：order-service OOM: raise the heap.",
        "evidence_bindings": [binding],
    }
    assert judged(pair(question, [call], [told])).evaluation.verdict == verdict


def absence(text: str, call: dict[str, Any]) -> Any:
    quotation = recorded(call).retrieval_details.evidence_refs or ()
    return claim(text, quotation[-1].text, "$.logs", claim_type="negative_observation")


@pytest.mark.parametrize(
    ("question", "asked", "text", "verdict"),
    [
        ("order-service 有没有 deadlock？", {"query": "deadlock"}, "未检索到 order-service 的 deadlock 日志。", "PASS"),
        (
            "order-service 有没有 deadlock？",
            {"query": "deadlock", "level": "FATAL"},
            "未检索到 order-service 的 FATAL 级别 deadlock 日志。",
            "LOW_CONFID",
        ),
        ("有没有 deadlock？", {"query": "deadlock"}, "未检索到 order-service 的 deadlock 日志。", "LOW_CONFID"),
        (
            "order-service 有没有 ERROR？",
            {"query": "HikariCP", "level": "ERROR"},
            "未检索到 order-service 的 HikariCP ERROR 日志。",
            "LOW_CONFID",
        ),
        ("order-service 有没有内存问题？", {"query": "OOM"}, "未检索到 order-service 的 OOM 日志。", "LOW_CONFID"),
    ],
)
def test_an_absence_answers_no_more_than_was_searched(
    question: str, asked: dict[str, str], text: str, verdict: str
) -> None:
    """R20, R70: a search for less than was asked leaves the question open."""
    call = logs(", ".join(f"{key}={value}" for key, value in asked.items()))
    call["input_params"] = {"service": "order-service", **asked}
    done = judged(pair(question, [call], [absence(text, call)]))
    assert done.evaluation.verdict == verdict


def test_a_rule_that_has_nothing_to_hold_against_the_question_is_named() -> None:
    """R14, R70: without claims, or without the recorded calls."""
    evaluation = judge(
        question="order-service 有没有 OOM？",
        round=1,
        threshold="0.5",
        structured=None,
        parse_status=ParseStatus(status=ParseState.MISSING),
        gatekeeper=judged(TIMEOUT).evaluation.gatekeeper_result,  # type: ignore[arg-type]
        trace=(),
        reading=VerifierAnswer((), Verdict.PASS, Decimal(1), 0, ""),
        invocations=(),
        now=datetime.fromisoformat("2031-05-14T10:30:00+00:00"),
    ).evaluation
    assert {"answer.term_uncovered", "answer.cause_unfound"} <= set(evaluation.not_checked)


# ---------------------------------------------------------------- answers beside the point


def rows(*told: tuple[str, str], total: int = 0, query: str = "timeout") -> dict[str, Any]:
    """A call that returned lines with their time of day; `total`: how many matched, where that is more."""
    call = logs(query, *(message for _, message in told))
    for row, (at, _) in zip(call["output"]["logs"], told, strict=True):
        row["timestamp"] = f"2031-05-14T{at}:00Z"
    is_cut = total > len(told)
    call["output"] |= {"total": total, "truncated": True} if is_cut else {}
    return call


def fitting(question: str, call: dict[str, Any], text: str, quotation: str, path: str) -> tuple[str, list[str]]:
    evaluation = judged(pair(question, [call], [claim(text, quotation, path)])).evaluation
    return evaluation.verdict, [fact.fact for fact in evaluation.facts_checked[1:]]


EARLY, LATE = ("09:35", "read timeout 1"), ("10:05", "read timeout 2")
BEGINNING = (
    "问题中的 开始时间 未得到查证。",
    "order-service 从什么时候开始 timeout 的？",
    "Since when does order-service have timeouts?",
)


@pytest.mark.parametrize("question", BEGINNING[1:])
@pytest.mark.parametrize(
    ("call", "told", "verdict"),
    [
        (rows(EARLY, LATE), 0, "PASS"),
        (rows(EARLY, LATE), 1, "LOW_CONFID"),
        (rows(EARLY, LATE, total=50), 0, "LOW_CONFID"),
    ],
)
def test_a_beginning_is_told_by_the_first_of_all_that_matched(
    question: str, call: dict[str, Any], told: int, verdict: str
) -> None:
    """R70: the last ones, and the first of a list that is cut, tell of no beginning."""
    at, message = (EARLY, LATE)[told]
    text = f"order-service 在 {at} 出现 {message}。"
    assert fitting(question, call, text, message, f"$.logs[{told}]") == (
        verdict,
        [BEGINNING[0]] if verdict != "PASS" else [],
    )


def test_when_it_was_last_is_told_by_the_last() -> None:
    """R70."""
    asked = "order-service 最近一次 timeout 是什么时候？"
    cut = rows(EARLY, LATE, total=50)
    assert fitting(asked, cut, "order-service 在 10:05 出现 read timeout 2。", LATE[1], "$.logs[1]") == ("PASS", [])


@pytest.mark.parametrize(("total", "open_points"), [(1, []), (50, ["问题中的 deadlock 未得到查证。"])])
def test_a_list_that_is_cut_tells_of_no_other_word_of_its_search(total: int, open_points: list[str]) -> None:
    """R70: the deadlocks may be among those that did not come back."""
    call = rows(LATE, total=total, query="deadlock timeout")
    found = fitting(TIMEOUT["question"], call, "order-service 出现 read timeout 2。", LATE[1], "$.logs[0]")
    assert found == ("LOW_CONFID" if open_points else "PASS", open_points)


@pytest.mark.parametrize(
    ("question", "open_points"),
    [
        ("哪些服务没有报错？", ["问题中的 没有报错 未得到查证。"]),
        ("Which services have no errors?", ["问题中的 have no errors 未得到查证。"]),
        ("哪些服务有没有报错？", []),
        ("哪些服务有报错？", []),
        ("Which services have errors?", []),
    ],
)
def test_those_with_errors_are_no_answer_to_which_have_none(question: str, open_points: list[str]) -> None:
    """R70."""
    call = logs("", "ERROR read timeout") | {"input_params": {}}
    found = fitting(question, call, "order-service 出现 ERROR read timeout。", "ERROR read timeout", "$.logs[0]")
    assert found[1] == open_points
