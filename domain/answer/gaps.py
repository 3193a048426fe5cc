"""What a round left unproven, in words for the user (R47, R48): LOW_CONFID names the fact, REJECT does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.answer.searches import Gap, doubt_gap
from domain.answer.texts import TEXTS, text
from domain.contracts import (
    CheckedFact,
    CheckState,
    EvidenceLevel,
    EvidenceStatus,
    FactClass,
    ParseState,
    Severity,
    ToolClass,
    ToolInvocation,
    TraceEntry,
    VerifierEvaluation,
)
from domain.evidence.coverage import Coverage
from domain.gatekeeper.citations import (
    EXCERPT_MISMATCH,
    FAILED_INVOCATION,
    INVOCATION_REF,
    RAW_PATH,
    SESSION,
    TOOL_NAME,
)
from domain.verdict.claim_rules import ENTITY_INVENTED, STALE
from domain.verdict.judgement import NO_CRITICAL_FACTS, VERIFIER_MALFORMED
from domain.verdict.question_fit import RULES as FIT_RULES


@dataclass(frozen=True, slots=True)
class EmptyCall:
    """An evidence call without evidence. `query` is the Executor's text, `window` the system's."""

    tool_name: str
    failed: bool
    query: str
    window: str
    coverage: Coverage | None = None


CITATION_GAPS = {
    INVOCATION_REF: "引用的工具调用不属于本次会话",
    SESSION: "引用的工具调用不属于本次会话",
    TOOL_NAME: "引用的工具与实际调用不一致",
    FAILED_INVOCATION: "引用了一次失败的工具调用",
    RAW_PATH: "引用的位置在工具输出中找不到",
    EXCERPT_MISMATCH: "引用的原文与工具输出不一致",
}
OTHER_CITATION_GAP = "引用的证据未通过核对"
RECITE = "按工具返回的调用编号和路径重新引用原文"

NOUNS = {
    "query_logs": "匹配的日志",
    "survey_logs": "日志",
    "query_metrics": "匹配的告警或指标",
    "query_order": "匹配的订单信息",
    "lookup_knowledge": "匹配的知识库内容",
}


# ---------------------------------------------------------------- LOW_CONFID: the fact is named as unproven


def state_gaps(evaluation: VerifierEvaluation) -> list[Gap]:
    """Why the round as a whole could not pass."""
    gaps = []
    status = evaluation.executor_output_parse_status
    if status is not None and status.status is not ParseState.VALID:
        gaps.append(Gap("执行结果未按约定格式给出，无法逐条核对引用", "按约定格式重新给出断言与证据引用"))
    if evaluation.reason == VERIFIER_MALFORMED:
        gaps.append(Gap("核验未能完成，各条断言均未经核验", "重新发起核验"))
    if evaluation.reason == NO_CRITICAL_FACTS:
        gaps.append(Gap("没有得到可以核验的关键事实", "补充与问题直接相关的日志或指标"))
    if any(fact.verification is FactClass.CONTRADICTED and not fact.is_critical for fact in evaluation.facts_checked):
        gaps.append(Gap("有陈述与已核对的证据不符，已剔除", "重新查询相关工具并核对原文"))
    return gaps


def named_gap(fact: CheckedFact, evaluation: VerifierEvaluation) -> str | None:
    """The line for a critical fact that is not confirmed; `{}` stands for its text."""
    match fact.verification:
        case FactClass.NO_EVIDENCE:
            return "未能证实：{}"
        case FactClass.INDIRECT if fact.claim_id in _stale_subjects(evaluation):
            return "仅有间接支持：{}（证据早于所问时间窗）"
        case FactClass.INDIRECT:
            return "仅有间接支持：{}"
        case FactClass.DIRECT if fact.claim_id is None:
            return "仅有间接支持：{}（没有经过核对的引用）"
        case _:
            return None


def open_points(evaluation: VerifierEvaluation) -> list[str]:
    """What the question asks and no claim answers, in sentences of code; the terms not checked in one (R70)."""
    said = [adjustment.subject for adjustment in evaluation.adjustments if adjustment.rule in FIT_RULES]
    before, _, behind = TEXTS["term_uncovered"][0].partition("{term}")
    terms = [one for one in said if one.startswith(before) and one.endswith(behind)]
    named = "、".join(one.removeprefix(before).removesuffix(behind) for one in terms)
    return [*([text("term_uncovered", term=named)] if terms else []), *(one for one in said if one not in terms)]


def is_open_point(fact: CheckedFact, evaluation: VerifierEvaluation) -> bool:
    return any(change.rule in FIT_RULES and change.subject == fact.fact for change in evaluation.adjustments)


def _stale_subjects(evaluation: VerifierEvaluation) -> set[str]:
    return {adjustment.subject for adjustment in evaluation.adjustments if adjustment.rule == STALE}


# ---------------------------------------------------------------- REJECT: written from rule and subject


def rejection_gaps(evaluation: VerifierEvaluation) -> list[Gap]:
    """No text of a claim, and no id either: the model wrote that too."""
    return [
        *_citation_gaps(evaluation),
        *(gap for fact in evaluation.facts_checked if (gap := _fact_gap(fact, evaluation))),
        *(Gap(said, text("mend.uncovered")) for said in open_points(evaluation)),
    ]


def _citation_gaps(evaluation: VerifierEvaluation) -> list[Gap]:
    bindings = evaluation.gatekeeper_result.checked_bindings if evaluation.gatekeeper_result else ()
    return [
        Gap(
            f"{_subject(binding.claim_id, evaluation)}{CITATION_GAPS.get(binding.rule or '', OTHER_CITATION_GAP)}",
            RECITE,
        )
        for binding in bindings
        if binding.status is CheckState.FAIL and binding.severity is Severity.REJECT
    ]


def _fact_gap(fact: CheckedFact, evaluation: VerifierEvaluation) -> Gap | None:
    subject = _subject(fact.claim_id, evaluation)
    invented = {adjustment.subject for adjustment in evaluation.adjustments if adjustment.rule == ENTITY_INVENTED}
    match fact.verification:
        case FactClass.CONTRADICTED if (fact.claim_id or fact.fact) in invented:
            return Gap(f"{subject}含有任何工具输出中都没有的标识", "按工具输出中实际出现的名称和错误码重新检索")
        case FactClass.CONTRADICTED:
            return Gap(f"{subject}与已核对的证据相矛盾", "重新查询相关工具，按原文逐条核对")
        case FactClass.NO_EVIDENCE if is_open_point(fact, evaluation):
            return None
        case FactClass.NO_EVIDENCE if fact.is_critical and evaluation.decided_by == "model":
            return Gap(f"{subject}缺少直接证据", "补充能直接证明结论的日志或指标")
        case _:
            return None


def _subject(claim_id: str | None, evaluation: VerifierEvaluation) -> str:
    claims = evaluation.executor_structured_output.claims if evaluation.executor_structured_output else ()
    for number, claim in enumerate(claims, start=1):
        if claim.claim_id == claim_id:
            return f"第 {number} 条断言"
    return "答案中的陈述" if claim_id is None else "一条断言"


# ---------------------------------------------------------------- calls that yielded nothing


def empty_calls(
    invocations: Sequence[ToolInvocation] | None, trace: Sequence[TraceEntry], tool_classes: Mapping[str, ToolClass]
) -> list[EmptyCall]:
    """Failed and no-hit calls of evidence tools, from the record or, where there is none, from the trace."""
    if invocations is None:
        return [_empty_entry(entry) for entry in trace if entry.evidence_level is EvidenceLevel.NONE]
    evidence = [c for c in invocations if tool_classes.get(c.tool_name, ToolClass.HELPER) is not ToolClass.HELPER]
    worked = {_search(c) for c in evidence if c.retrieval_details.evidence_status is not EvidenceStatus.FAILED}
    found = []
    for call in evidence:
        status = call.retrieval_details.evidence_status
        if status is EvidenceStatus.NO_EVIDENCE or (status is EvidenceStatus.FAILED and _search(call) not in worked):
            window = call.retrieval_details.window
            failed = status is EvidenceStatus.FAILED
            found.append(EmptyCall(call.tool_name, failed, _query(call), window, call.retrieval_details.coverage))
    return found


def _empty_entry(entry: TraceEntry) -> EmptyCall:
    failed = entry.failed_invocation_count >= entry.invocation_count
    query = "；".join(entry.query_samples) or entry.input_summary
    return EmptyCall(entry.tool_name, failed, query, "")


def _search(call: ToolInvocation) -> tuple[str, str]:
    return call.tool_name, _query(call)


def _query(call: ToolInvocation) -> str:
    arguments = "，".join(
        f"{name}={value}" for name, value in call.input_params.items() if isinstance(value, str | int)
    )
    return call.retrieval_details.query or arguments


def empty_call_gap(call: EmptyCall, query: str) -> Gap:
    """Says what was looked for and where; never that it does not exist (R48). `query` "" leaves the query out."""
    noun = NOUNS.get(call.tool_name, "匹配的记录")
    parts = [call.tool_name, f"查询：{query}" if query else "", f"时间窗：{call.window}" if call.window else ""]
    place = "，".join(part for part in parts if part)
    if call.coverage and not call.coverage.complete and not call.failed:
        return doubt_gap(call.coverage, tool_name=call.tool_name, says_what=bool(query))
    if call.failed:
        return Gap(f"查询失败，未取得{noun}（{place}）", f"待 {call.tool_name} 可用后重新查询")
    return Gap(f"未检索到{noun}（{place}）", f"更换关键词或扩大时间窗，再次查询 {call.tool_name}")
