"""Given events, when a command comes, then events: the vocabulary of the session's tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.contracts import Agent, EvidenceStatus, RetrievalDetails, ToolInvocation
from domain.events import Erased, Event, Recorded, ToolRequest
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from domain.session.commands import Command, FinishTool, OpenSession, RecordModelCall, RunGatekeeper, StartTool
from domain.session.decide import decide
from domain.session.evolve import fold
from domain.session.state import CaseFile, Closed, SessionState, Unopened
from domain.session.steps import RunTool, Step, next_step
from domain.session.tool_calls import Run, ToolOutcome, prepare_call, recorded_outcome
from domain.settings import SessionSettings

SESSION = UUID("01900000-0000-7000-8000-000000000001")
STARTED = datetime(2026, 7, 8, 3, 0, tzinfo=UTC)
TOOLS = frozenset({"query_metrics", "query_logs", "lookup_knowledge", "read_skill", "getCurrentDateTime"})
PROMPT = "0" * 64
QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警"

ALERT = {
    "labels": {"alertname": "HighMemoryUsage", "service": "order-service"},
    "state": "firing",
    "annotations": {"current": "91%", "description": "JVM heap usage 3.8GB/4GB"},
    "duration": "15m",
}
ALERTS = json.dumps({"success": True, "alerts": [ALERT], "total": 1})
NO_LOGS = json.dumps({"success": True, "logs": [], "total": 0, "truncated": False})


class Given:
    """A session with a history; `when` records what a command makes of it."""

    def __init__(self, settings: SessionSettings | None = None) -> None:
        self.settings = settings or SessionSettings()
        self.history: tuple[Recorded, ...] = ()
        self.now = STARTED

    @property
    def state(self) -> SessionState:
        return fold(self.history)

    @property
    def file(self) -> CaseFile:
        state = self.state
        assert not isinstance(state, Unopened)
        return state.file

    @property
    def due(self) -> Step | None:
        state = self.state
        return None if isinstance(state, Unopened | Closed) else next_step(state, self.now)

    def happened(self, *events: Event) -> Given:
        for event in events:
            version = len(self.history) + 1
            entry = Recorded(
                session_id=SESSION,
                version=version,
                position=100 + version,
                event_id=uuid4(),
                commit_id=uuid4(),
                correlation_id=SESSION,
                causation_id=None,
                time=self.now,
                actor="test",
                hash=f"hash-{version}",
                event=event,
            )
            self.history = (*self.history, entry)
        return self

    def when(self, command: Command) -> Sequence[Event]:
        events = decide(self.state, command)
        self.happened(*events)
        return events

    def erased(self) -> Given:
        """The same session after its key was destroyed: every content reads as erased."""
        plain = self.history
        self.history = ()
        return self.happened(*(entry.event.model_copy(update={"content": Erased()}) for entry in plain))

    # ------------------------------------------------------------ the story

    def opened(self, question: str = QUESTION, **changes: Any) -> Given:
        prompts = dict.fromkeys(Agent, PROMPT)
        command: dict[str, Any] = {"now": STARTED, "clock": "wall", "settings": self.settings, "prompt_hashes": prompts}
        self.when(OpenSession(question=question, **(command | changes)))
        return self

    def model(self, agent: Agent, outcome: ModelReply | ModelFailure) -> Sequence[Event]:
        """The agent's model was asked, as is due, and this came back."""
        attempt = self.file.round.failed_attempts + 1
        return self.when(RecordModelCall(agent, attempt, "test", PROMPT, (), outcome))

    def executing(self) -> Given:
        self.opened()
        self.model(Agent.PLANNER, PLAN)
        return self

    def asked_for(self, *requests: tuple[str, dict[str, Any] | str], tokens: int = 110) -> Given:
        """The Executor's model asked for these tools."""
        asked = tuple(
            ToolRequest(
                call_id=f"call-{index}",
                tool_name=name,
                arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
            )
            for index, (name, arguments) in enumerate(requests)
        )
        self.model(Agent.EXECUTOR, ModelReply(output="", tool_requests=asked, input_tokens=tokens))
        return self

    def started(self, *, read_only: bool = True) -> int:
        """The tool call that is due is started; its invocation id."""
        step = self.due
        assert isinstance(step, RunTool)
        self.when(StartTool(step.turn.step_index, step.call_index, step.attempt, read_only))
        return self.history[-1].position

    def tool(self, output: str | ToolOutcome = ALERTS) -> ToolInvocation:
        """The tool call that is due is started and finished, with this output if it is run at all."""
        step = self.due
        assert isinstance(step, RunTool)
        preparation = prepare_call(self.file, step, TOOLS)
        invocation_id = self.started()
        outcome = returned(step.call.request.tool_name, output) if isinstance(preparation, Run) else None
        self.when(FinishTool(step.turn.step_index, step.call_index, invocation_id, preparation, outcome))
        return self.file.invocations[-1]

    def looked(self, output: str = ALERTS, name: str = "query_metrics") -> ToolInvocation:
        """The Executor looked once: asked for a tool and got its output."""
        return self.asked_for((name, {"query": str(len(self.history))})).tool(output)

    def answered(self, *claims: dict[str, Any], **fields: Any) -> Given:
        self.model(Agent.EXECUTOR, ModelReply(output=contract(*claims, **fields)))
        return self

    def checked(self) -> Sequence[Event]:
        return self.when(RunGatekeeper())

    def verified(self, **classes: str) -> Sequence[Event]:
        """The Verifier gave each claim of the round, by its id with `_` for `-`, a class."""
        parsed = self.file.round.parsed
        assert parsed is not None
        assert parsed.structured is not None
        texts = {claim.claim_id: claim.claim_text for claim in parsed.structured.claims}
        judged = {id.replace("_", "-"): verification for id, verification in classes.items()}
        return self.model(Agent.VERIFIER, judgement({id: (texts[id], judged[id]) for id in judged}))

    def concluding(self, verification: str = "direct_evidence") -> Given:
        """One claim about the alert, looked up, cited, checked and judged."""
        self.executing()
        done = self.looked()
        self.answered(memory_claim(done.id)).checked()
        self.verified(claim_1=verification)
        return self

    def later(self, seconds: float) -> Given:
        self.now += timedelta(seconds=seconds)
        return self


# ---------------------------------------------------------------- what models and tools say

PLAN = ModelReply(
    output=json.dumps(
        {"selected_skill": None, "selection_reason": "", "plan": ["查指标"], "reasoning": "规划者的思路"},
        ensure_ascii=False,
    ),
    thought="规划者的隐藏思考",
)


def contract(*claims: dict[str, Any], **fields: Any) -> str:
    written = {"answer_version": "executor_evidence_v2", "diagnosis_summary": "", "claims": list(claims), **fields}
    return json.dumps(written, ensure_ascii=False)


def claim(invocation_id: int, text: str, excerpt: str, path: str, **fields: Any) -> dict[str, Any]:
    binding = {
        "tool_name": "query_metrics",
        "source_invocation_id": invocation_id,
        "raw_path": path,
        "evidence_excerpt": excerpt,
    }
    written = {"claim_id": "claim-1", "claim_type": "observation", "claim_text": text, "evidence_bindings": [binding]}
    return written | fields


def memory_claim(invocation_id: int, **fields: Any) -> dict[str, Any]:
    text = "order-service 的 HighMemoryUsage 告警处于 firing 状态，current=91%"
    return claim(
        invocation_id, text, "HighMemoryUsage firing, service=order-service, current=91%", "$.alerts[0]", **fields
    )


def judgement(facts: dict[str, tuple[str, str]], verdict: str = "PASS") -> ModelReply:
    checked = [
        {"fact": text, "is_critical": True, "verification": verification, "detail": "", "claim_id": claim_id}
        for claim_id, (text, verification) in facts.items()
    ]
    written = {
        "verdict": verdict,
        "groundedness_score": 1.0,
        "critical_fact_count": len(checked),
        "facts_checked": checked,
        "rationale": "",
    }
    return ModelReply(output=json.dumps(written, ensure_ascii=False))


def returned(tool_name: str, output: str | ToolOutcome) -> ToolOutcome:
    if isinstance(output, ToolOutcome):
        return output
    return recorded_outcome(
        tool_name,
        mask_patterns={},
        output=output,
        success=True,
        error_kind=None,
        error_message="",
        retrieval=RetrievalDetails(evidence_status=EvidenceStatus.NO_EVIDENCE, query="HighMemoryUsage"),
        duration_ms=5,
    )


class Say:
    """What the tests' models and tools say."""

    plan = PLAN
    alerts = ALERTS
    no_logs = NO_LOGS
    contract = staticmethod(contract)
    claim = staticmethod(claim)
    memory_claim = staticmethod(memory_claim)
    judgement = staticmethod(judgement)

    @staticmethod
    def failure(kind: ErrorKind = ErrorKind.SERVER) -> ModelFailure:
        return ModelFailure(kind, "HTTP 500: broken")


@pytest.fixture
def given() -> Callable[..., Given]:
    return Given


@pytest.fixture
def say() -> Say:
    return Say()
