"""What each agent is sent: one JSON object, and for the Executor the turns so far (R2 to R6, R8).

Rebuilt from the state at every call, so that any worker can go on after a crash. The system prompt is put in front
by the caller.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from domain.agents.composer_io import composer_payload
from domain.agents.scope import narrow_scope
from domain.agents.verifier_io import VerifierUnreadable, parse_verifier_output, verifier_payload
from domain.contract import Contract
from domain.contracts import Agent, TraceEntry, VerifierEvaluation
from domain.evidence.trace_summary import summarise_trace
from domain.session.state import CaseFile, ModelTurn
from domain.session.tool_calls import read_arguments, shown_to_executor
from domain.verdict.verified import allowed_claims

ChatMessage = dict[str, Any]

MUST_ANSWER = "预算即将用尽，不能再调用工具。请立即依据已有证据输出最终的 JSON 对象。"


class Surroundings(Contract):
    """What the Planner sees of the tools' sources: names and descriptions only (R2)."""

    knowledge_domains: tuple[str, ...] = ()
    skills: tuple[tuple[str, str], ...] = ()  # (name, description)


def messages_for(
    agent: Agent, file: CaseFile, surroundings: Surroundings, *, must_answer: bool = False
) -> list[ChatMessage]:
    """The chat messages of the call that is due, without the system prompt."""
    match agent:
        case Agent.PLANNER:
            return [_user(_planner_payload(file, surroundings))]
        case Agent.EXECUTOR:
            messages = [_user(_executor_payload(file))]
            for turn in file.round.executor_turns:
                messages += _turn_messages(file, turn)
            return [*messages, {"role": "user", "content": MUST_ANSWER}] if must_answer else messages
        case Agent.VERIFIER:
            messages = [_user(_verifier_payload(file))]
            for turn in file.round.verifier_turns:
                messages += _correction(turn)
            return messages
        case Agent.COMPOSER:
            scope = narrow_scope(file.question)
            allowed = allowed_claims(evaluations_of(file))
            return [_user(composer_payload(file.question, allowed, scope, file.opened.language))]
        case _:
            assert_never(agent)


def already_recorded(agent: Agent, file: CaseFile) -> int:
    """How many of `messages_for` stand in earlier steps of this round: only the rest is recorded with the next."""
    turns = {Agent.EXECUTOR: file.round.executor_turns, Agent.VERIFIER: file.round.verifier_turns}.get(agent, ())
    if file.round.failed_attempts:
        return len(messages_for(agent, file, Surroundings()))
    if not turns:
        return 0
    return 1 + sum(1 + len(turn.calls) if agent is Agent.EXECUTOR else 2 for turn in turns[:-1])


def trace_of(file: CaseFile) -> tuple[TraceEntry, ...]:
    """The tool trace summary of the whole session so far (R43)."""
    parsed = file.round.parsed
    return summarise_trace(
        file.invocations,
        file.opened.settings.tool_classes,
        answer_text=parsed.final_answer if parsed else "",
        retry_context=file.round.retry_context,
    )


def evaluations_of(file: CaseFile) -> list[VerifierEvaluation]:
    """The evaluation of every judged round, in order."""
    return [done.evaluation for done in file.rounds if done.evaluation is not None]


def _planner_payload(file: CaseFile, surroundings: Surroundings) -> Mapping[str, Any]:
    return {
        "question": file.question,
        "now": file.opened.now.isoformat(),
        "timezone": file.opened.settings.zone,
        "language": file.opened.language,
        "history": _history(file),
        "available_knowledge_domains": list(surroundings.knowledge_domains),
        "skill_catalog": [{"name": name, "description": description} for name, description in surroundings.skills],
        "retry_context": _retry_context(file),
    }


def _executor_payload(file: CaseFile) -> Mapping[str, Any]:
    plan = file.round.plan
    return {
        "question": file.question,
        "now": file.opened.now.isoformat(),
        "timezone": file.opened.settings.zone,
        "language": file.opened.language,
        "window_minutes": file.opened.settings.window_minutes,
        "planner_plan": plan.model_dump(mode="json", exclude={"reasoning"}) if plan else file.round.plan_text,
        "history": _history(file),
        "retry_context": _retry_context(file),
    }


def _verifier_payload(file: CaseFile) -> Mapping[str, Any]:
    current = file.round
    if current.parsed is None or current.gatekeeper is None:
        return {}
    return verifier_payload(
        question=file.question,
        parsed=current.parsed,
        gatekeeper=current.gatekeeper,
        trace=trace_of(file),
        now=file.opened.now,
        retry_context=current.retry_context,
        round=current.number,
        language=file.opened.language,
    )


def _correction(turn: ModelTurn) -> list[ChatMessage]:
    """R39: one retry with the error shown."""
    reading = parse_verifier_output(turn.output)
    problem = reading.problem if isinstance(reading, VerifierUnreadable) else ""
    return [
        {"role": "assistant", "content": turn.output},
        {"role": "user", "content": f"上面的输出无法使用：{problem}。请只输出一个符合要求的 JSON 对象。"},
    ]


def _turn_messages(file: CaseFile, turn: ModelTurn) -> Sequence[ChatMessage]:
    answer: ChatMessage = {"role": "assistant", "content": turn.output}
    if not turn.calls:
        return [answer]
    answer["tool_calls"] = [
        {
            "id": call.request.call_id,
            "type": "function",
            "function": {"name": call.request.tool_name, "arguments": _echoed(call.request.arguments)},
        }
        for call in turn.calls
    ]
    results = [
        {"role": "tool", "tool_call_id": call.request.call_id, "content": shown_to_executor(file, call)}
        for call in turn.calls
    ]
    return [answer, *results]


def _echoed(arguments: str) -> str:
    """Servers refuse a history with arguments that are no JSON; the model is shown its text as a value."""
    if isinstance(read_arguments(arguments), dict):
        return arguments or "{}"
    return json.dumps({"malformed_arguments": arguments}, ensure_ascii=False)


def _history(file: CaseFile) -> list[dict[str, str]]:
    return [message.model_dump() for message in file.brief.history] if file.brief else []


def _retry_context(file: CaseFile) -> dict[str, Any] | None:
    context = file.round.retry_context
    return context.model_dump(mode="json") if context else None


def _user(payload: Mapping[str, Any]) -> ChatMessage:
    return {"role": "user", "content": json.dumps(payload, ensure_ascii=False, default=str)}
