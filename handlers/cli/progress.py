"""A line for each recorded event: what `ask` shows on standard error, `session tail` and `session replay` on standard
output.
"""

from __future__ import annotations

from typing import Any, assert_never

from domain.events import (
    AgentStepRecorded,
    AnswerComposed,
    Erased,
    ExecutorAnswered,
    FeedbackGiven,
    GatekeeperChecked,
    PlanProduced,
    Recorded,
    RoundStarted,
    RuleEvaluated,
    SessionCancelled,
    SessionCompleted,
    SessionErased,
    SessionFailed,
    SessionOpened,
    StepRepeated,
    ToolCallStarted,
    ToolInvoked,
    VerdictIssued,
    VerdictOverridden,
)
from handlers.cli.plain import plain


def line_for(recorded: Recorded) -> str:
    """`12:30:01   7 tool  query_logs #41 supported, 4 refs, 12 ms`."""
    return plain(f"{recorded.time:%H:%M:%S} {recorded.version:>3} {_told(recorded)}")


def _told(recorded: Recorded) -> str:
    event = recorded.event
    match event:
        case SessionOpened():
            models = sorted(set(event.facts.settings.models.values())) or ["extractive"]
            return (
                f"open      {recorded.session_id} (source: {event.facts.settings.source}, model: {', '.join(models)})"
            )
        case RoundStarted():
            return f"round     {event.facts.round}"
        case AgentStepRecorded():
            step = event.facts
            if step.error_kind:
                message = "" if isinstance(event.content, Erased) else f": {event.content.error_message}"
                return f"step      {step.agent}, attempt {step.attempt} failed ({step.error_kind}){message}"
            tokens = step.input_tokens + step.output_tokens
            return f"step      {step.agent}, {step.duration_ms} ms, {tokens} tokens"
        case PlanProduced():
            return f"plan      {'as agreed' if event.facts.parsed else 'unreadable, handed on as text'}"
        case ToolCallStarted():
            name = "?" if isinstance(event.content, Erased) else event.content.tool_name
            return f"tool      {name} #{recorded.position} started"
        case ToolInvoked():
            return f"tool      {_invoked(event)}"
        case ExecutorAnswered():
            return f"executor  {event.facts.claim_count} claims, output {event.facts.parse_state}"
        case GatekeeperChecked():
            done = event.facts
            rules = f" ({', '.join(done.failed_rules)})" if done.failed_rules else ""
            passed = done.binding_count - done.failed_binding_count
            return f"gate      {passed}/{done.binding_count} quotations hold, severity {done.severity}{rules}"
        case VerdictIssued():
            return f"verdict   {event.facts.verdict}, score {event.facts.groundedness_score}, then {event.facts.route}"
        case RuleEvaluated():
            return f"rules     evidence score {event.facts.evidence_score}"
        case AnswerComposed():
            return f"answer    {event.facts.status}"
        case SessionCompleted():
            return f"end       {event.facts.outcome}"
        case SessionFailed():
            reason = "" if isinstance(event.content, Erased) else f": {event.content.reason}"
            return f"end       failed in {event.facts.stage} ({event.facts.reason_code}){reason}"
        case SessionCancelled():
            return "end       cancelled"
        case FeedbackGiven():
            return f"feedback  {event.facts.rating}"
        case VerdictOverridden():
            return (
                f"override  {event.facts.verdict} in place of the verdict of version {event.facts.superseded_version}"
            )
        case SessionErased():
            return "erased"
        case StepRepeated():
            return f"again     {event.facts.stage} begins its step for the {event.facts.tries}. time"
        case _:
            assert_never(event)


def _invoked(event: ToolInvoked) -> str:
    done = event.facts
    name = "?" if isinstance(event.content, Erased) else event.content.tool_name
    text = f"{name} #{done.invocation_id} {done.evidence_status}, {done.ref_count} refs, {done.duration_ms} ms"
    if not done.success and not isinstance(event.content, Erased):
        return f"{text}: {event.content.error_message}"
    return text


def as_json(recorded: Recorded) -> dict[str, Any]:
    """One recorded event as `session tail --json` prints it."""
    return {
        "session_id": str(recorded.session_id),
        "version": recorded.version,
        "position": recorded.position,
        "type": recorded.event.TOPIC,
        "time": recorded.time.isoformat(),
        "actor": recorded.actor,
        "hash": recorded.hash,
        **recorded.event.model_dump(mode="json"),
    }
