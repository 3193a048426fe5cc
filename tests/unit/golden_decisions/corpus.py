"""A fixed corpus of inputs, and what today's rules decide of each: evidence, quotations, verdict and answer.

`sessions.jsonl` is what models and tools said in the shipped cases; `inputs` are single claims over single outputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

from domain.events import (
    EVENTS,
    AnyEvent,
    Recorded,
    RoundStarted,
    RoundStartedContent,
    RoundStartedFacts,
)
from domain.session.again import decided_again
from handlers.cli.core import extraction_answer, gatekeeper_answer, verdict_answer
from tests.unit.golden_decisions.inputs import INPUTS, WINDOW, Input

HERE = Path(__file__).parent
SESSIONS = HERE / "sessions.jsonl"
SESSION = UUID("0198c0de-0000-7000-8000-000000000001")
FROM_OUTSIDE = {"SessionOpened", "AgentStepRecorded", "ToolCallStarted"}
"""Events of a course that nothing is decided in."""


def decisions() -> dict[str, Any]:
    """What is decided of each input, by its name."""
    return {**dict(_of_sessions()), **{one.name: _of_input(one) for one in INPUTS}}


def digest(decided: Any) -> str:
    """SHA-256 of the canonical JSON. A field without a value, and the version of the rules, decide nothing."""
    text = json.dumps(_plain(decided), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items() if inner is not None and key != "rule_version"}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


# ---------------------------------------------------------------- single claims


def _of_input(given: Input) -> dict[str, Any]:
    """From a tool's output to the answer, with a Verifier that believes everything."""
    case = {"tool_name": given.tool, "output": given.output, "coverage": given.coverage}
    extracted = extraction_answer(json.dumps(case), None)
    details = extracted | {"coverage": given.coverage, "window": WINDOW, "query": _query(given)}
    call = {"id": 7, "session_id": "s", "tool_name": given.tool, "success": True, "retrieval_details": details}
    calls = [call | {"output": given.output if isinstance(given.output, str) else json.dumps(given.output)}]
    claimed = {"claims": [_claim(given)]}
    checked = gatekeeper_answer(json.dumps({"session_id": "s", "invocations": calls, "executor_output": claimed}))
    judged = verdict_answer(json.dumps(_asked(given) | checked | {"invocations": calls}), window_minutes=60)
    return {"extracted": extracted, **checked, **judged}


def _query(given: Input) -> str:
    return "" if isinstance(given.output, str) else str(given.output.get("query", ""))


def _claim(given: Input) -> dict[str, Any]:
    quoted = {"tool_name": given.tool, "source_invocation_id": 7, "raw_path": given.path}
    bindings = [quoted | {"evidence_excerpt": given.excerpt}]
    kind = {"claim_id": "claim-1", "claim_type": given.kind}
    return {**kind, "claim_text": given.claim, "evidence_bindings": bindings}


def _asked(given: Input) -> dict[str, Any]:
    """Asked for just what is claimed; in the last round, so that every verdict has an answer."""
    ref = {"trace_ref": "trace-1", "tool_name": given.tool, "source_invocation_ids": [7]}
    fact = {"fact": given.claim, "claim_id": "claim-1", "is_critical": True, "verification": "direct_evidence"}
    verifier = {
        "verdict": "PASS",
        "groundedness_score": 1.0,
        "critical_fact_count": 1,
        "facts_checked": [fact | {"detail": "核对原文", "evidence_refs": [ref]}],
        "rationale": "逐条核对。",
    }
    asked = {"question": f"{given.claim}对吗？", "round": 2, "threshold": 0.5, "verifier_output": verifier}
    return asked | {"session_time": "2032-05-06T09:15:00Z"}


# ---------------------------------------------------------------- whole sessions


def _of_sessions() -> Iterator[tuple[str, Any]]:
    for line in SESSIONS.read_text("utf-8").splitlines():
        session = json.loads(line)
        course = decided_again(_history(session["told"]))
        decided = [_decided(event) for event in course.events if event.TOPIC not in FROM_OUTSIDE]
        yield session["name"], {"decided": decided, "missing": course.missing}


def _decided(event: AnyEvent) -> dict[str, Any]:
    return {"event": event.TOPIC, **event.model_dump(mode="json", exclude={"content": {"output"}})}


def _history(told: Sequence[dict[str, Any]]) -> list[Recorded]:
    """The opening, with its first round, and what came from outside, at the positions it had."""
    opening, *rest = [(parts["position"], _event(parts)) for parts in told]
    first = RoundStarted(facts=RoundStartedFacts(round=1), content=RoundStartedContent())
    return [_recorded(position, event) for position, event in (opening, (opening[0] + 1, first), *rest)]


def _event(parts: dict[str, Any]) -> AnyEvent:
    """Of the version that the file holds; what it leaves out is as by default."""
    cls = EVENTS[parts["topic"]]
    for version in range(parts["version"], cls.VERSION):
        getattr(cls, f"upcast_v{version}_v{version + 1}")(parts)
    left_out = {"prompt_hashes": {}} if cls.TOPIC == "SessionOpened" else {"prompt_hash": ""}
    facts = parts["facts"] | {name: value for name, value in left_out.items() if name in _facts_of(cls)}
    return cls.model_validate({"facts": facts, "content": parts["content"]})


def _facts_of(cls: type[AnyEvent]) -> Any:
    return cls.model_fields["facts"].annotation.model_fields  # type: ignore[union-attr]


def _recorded(position: int, event: AnyEvent) -> Recorded:
    moment = datetime(2026, 7, 8, 3, 0, tzinfo=UTC)
    return Recorded(
        session_id=SESSION,
        version=position,
        position=position,
        event_id=SESSION,
        commit_id=SESSION,
        correlation_id=SESSION,
        causation_id=None,
        time=moment,
        actor="worker-1",
        hash="",
        event=event,
    )
