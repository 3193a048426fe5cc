"""Given tool calls and what the models said, when the round is judged, then …: the vocabulary of the scenarios."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import pytest

from domain.agents.executor_output import parse_executor_output
from domain.agents.verifier_io import parse_verifier_output, verifier_payload
from domain.answer.answer import answer_after
from domain.contracts import (
    TOOL_CLASSES,
    EvidenceStatus,
    GatekeeperResult,
    ParsedExecutorOutput,
    RetrievalDetails,
    RetryContext,
    Route,
    ToolInvocation,
    TraceEntry,
    VerifierEvaluation,
)
from domain.evidence.extraction import extract_evidence
from domain.evidence.trace_summary import summarise_trace
from domain.gatekeeper.check import check_evidence
from domain.verdict.judgement import Judgement, judge

NOW = datetime(2026, 7, 8, 3, 20, tzinfo=UTC)
SESSION = "session-1"


@dataclass(frozen=True)
class Round:
    """One round as its parts were given; everything else follows from them."""

    calls: tuple[ToolInvocation, ...] = ()
    executor: str = ""
    verifier: str | None = None
    composer: str | None = None
    question: str = "order-service 现在怎么了？"
    number: int = 1
    retry_context: RetryContext | None = None

    @cached_property
    def parsed(self) -> ParsedExecutorOutput:
        return parse_executor_output(self.executor, question=self.question)

    @cached_property
    def gatekeeper(self) -> GatekeeperResult:
        return check_evidence(session_id=SESSION, invocations=self.calls, parsed=self.parsed, tool_classes=TOOL_CLASSES)

    @cached_property
    def trace(self) -> tuple[TraceEntry, ...]:
        return summarise_trace(self.calls, TOOL_CLASSES, answer_text=self.parsed.final_answer)

    @cached_property
    def payload(self) -> dict[str, Any]:
        """What the Verifier is sent."""
        return verifier_payload(
            question=self.question,
            parsed=self.parsed,
            gatekeeper=self.gatekeeper,
            trace=self.trace,
            now=NOW,
            retry_context=self.retry_context,
            round=self.number,
        )

    @cached_property
    def judgement(self) -> Judgement:
        return judge(
            question=self.question,
            round=self.number,
            threshold="0.5",
            structured=self.parsed.structured,
            parse_status=self.parsed.status,
            gatekeeper=self.gatekeeper,
            trace=self.trace,
            reading=parse_verifier_output(self.verifier),
            invocations=self.calls,
            now=NOW,
            executor_final_answer=self.parsed.final_answer,
        )

    @property
    def evaluation(self) -> VerifierEvaluation:
        return self.judgement.evaluation

    @property
    def outcome(self) -> tuple[str, str, str]:
        """Verdict, score and route."""
        return self.evaluation.verdict.value, self.evaluation.groundedness_score, self.judgement.route.value

    @property
    def classes(self) -> dict[str, str]:
        """The class of every fact, by claim id or, without one, by its words."""
        return {fact.claim_id or fact.fact: fact.verification.value for fact in self.evaluation.facts_checked}

    @property
    def answer(self) -> str:
        """What the user is shown, "" while another round follows."""
        if self.judgement.route is Route.RETRY:
            return ""
        composed = answer_after(
            self.judgement.route,
            question=self.question,
            evaluations=[self.evaluation],
            invocations=self.calls,
            composition=self.composer,
            tool_classes=TOOL_CLASSES,
        )
        return composed.answer

    def section(self, title: str) -> str:
        """The lines of one section of the answer."""
        return self.answer.split(f"{title}：\n", 1)[1].split("\n\n", 1)[0]


class Say:
    """What tools and models say."""

    ALERT = "HighMemoryUsage firing, service=order-service, current=91%, duration=15m"
    LOG = "2026-07-08T03:17:00Z WARN order-service memory usage high: 91.0%, gc count 128"
    RUNBOOK = "Memory runbook, source=memory.md; Restarting clears a leak for hours"

    @classmethod
    def alerts(cls, id: int = 41) -> ToolInvocation:
        alert = {
            "name": "HighMemoryUsage",
            "state": "firing",
            "service": "order-service",
            "current": "91%",
            "duration": "15m",
        }
        return cls.call(id, "query_metrics", {"success": True, "alerts": [alert], "total": 1})

    @classmethod
    def logs(cls, id: int = 42, more: int = 0) -> ToolInvocation:
        row = {"timestamp": "2026-07-08T03:17:00Z", "level": "WARN", "service": "order-service"}
        rows = [row | {"message": "memory usage high: 91.0%, gc count 128"}]
        rows += [row | {"message": f"heartbeat {'x' * 200} of shard {number}"} for number in range(more)]
        return cls.call(id, "query_logs", {"success": True, "logs": rows, "total": len(rows)})

    @classmethod
    def knowledge(cls, id: int = 43) -> ToolInvocation:
        block = {"title": "Memory runbook", "source": "memory.md", "content": "Restarting clears a leak for hours"}
        return cls.call(id, "lookup_knowledge", {"success": True, "evidence_blocks": [block], "total": 1})

    @classmethod
    def failed(cls, id: int = 44) -> ToolInvocation:
        return cls.call(id, "query_logs", {"success": False, "error": "backend timeout"}, error_message="timeout")

    @classmethod
    def repeated(cls, id: int, first: int, tool_name: str = "lookup_knowledge") -> ToolInvocation:
        details = RetrievalDetails(evidence_status=EvidenceStatus.DEDUPLICATED, duplicate_of=first)
        return cls.call(id, tool_name, {"success": True, "evidence_blocks": []}, base=details)

    @staticmethod
    def call(
        id: int, tool_name: str, output: Mapping[str, Any], *, base: RetrievalDetails | None = None, **fields: Any
    ) -> ToolInvocation:
        details = extract_evidence(tool_name, output, query="order-service", base=base)
        return ToolInvocation(
            id=id,
            session_id=SESSION,
            tool_name=tool_name,
            success=details.evidence_status is not EvidenceStatus.FAILED,
            input_params={"query": "order-service"},
            output=json.dumps(output),
            retrieval_details=details,
            **fields,
        )

    # ------------------------------------------------------------ the Executor

    @classmethod
    def binding(cls, id: int = 41, path: str = "$.alerts[0]", excerpt: str = ALERT, **fields: Any) -> dict[str, Any]:
        tools = {"alerts": "query_metrics", "logs": "query_logs", "evidence_blocks": "lookup_knowledge"}
        written = {
            "tool_name": tools[path[2:].split("[")[0]],
            "source_invocation_id": id,
            "raw_path": path,
            "evidence_excerpt": excerpt,
        }
        return written | fields

    @classmethod
    def claim(cls, id: str, text: str, *bindings: dict[str, Any], **fields: Any) -> dict[str, Any]:
        written = {"claim_id": id, "claim_type": "observation", "claim_text": text}
        return written | {"evidence_bindings": list(bindings)} | fields

    @classmethod
    def memory(cls, **fields: Any) -> dict[str, Any]:
        return cls.claim("memory", "order-service 的 HighMemoryUsage 告警已持续 15 分钟", cls.binding(), **fields)

    @classmethod
    def usage(cls, **fields: Any) -> dict[str, Any]:
        binding = cls.binding(42, "$.logs[0]", "memory usage high: 91.0%")
        return cls.claim("usage", "order-service 日志显示内存使用率 91%", binding, **fields)

    @classmethod
    def cause(cls, **fields: Any) -> dict[str, Any]:
        return cls.claim("cause", "根因是缓存没有上限", cls.binding(42, "$.logs[0]", "gc count 128"), **fields)

    @staticmethod
    def contract(*claims: dict[str, Any], **fields: Any) -> str:
        written = {"answer_version": "executor_evidence_v2", "diagnosis_summary": "内存偏高", "claims": list(claims)}
        lists = {"hypotheses": [], "missing_info": [], "recommended_actions": []}
        return json.dumps(written | lists | fields, ensure_ascii=False)

    # ------------------------------------------------------------ the Verifier and the Composer

    @classmethod
    def judging(cls, *facts: dict[str, Any], **fields: Any) -> str:
        written = {
            "verdict": "PASS",
            "groundedness_score": 1.0,
            "critical_fact_count": len(facts),
            "facts_checked": list(facts),
            "rationale": "逐条核对",
        }
        return json.dumps(written | fields, ensure_ascii=False)

    @staticmethod
    def fact(claim: Mapping[str, Any], verification: str = "direct_evidence", **fields: Any) -> dict[str, Any]:
        written = {"fact": claim["claim_text"], "is_critical": True, "detail": "见原文", "claim_id": claim["claim_id"]}
        return written | {"verification": verification} | fields

    @staticmethod
    def other_fact(text: str, verification: str = "direct_evidence", *trace_refs: str) -> dict[str, Any]:
        """A fact that checks no claim, with the refs it names."""
        refs = [{"trace_ref": ref} for ref in trace_refs]
        return {
            "fact": text,
            "is_critical": True,
            "verification": verification,
            "detail": "",
            "evidence_refs": refs,
        }

    @staticmethod
    def composing(sentence: str, *claim_ids: str) -> str:
        return json.dumps([{"claim_ids": claim_ids, "sentence": sentence}], ensure_ascii=False)


@pytest.fixture
def given() -> type[Round]:
    """`given(calls=…, executor=…, verifier=…)`: a round."""
    return Round


@pytest.fixture
def say() -> type[Say]:
    return Say
