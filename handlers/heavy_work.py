"""What takes long over bulky texts is done in processes apart, within limits (R72); the event loop does the rest.

All of it raises ReadingLimit and OSError, and what the domain raises as ReadingError, where it was done apart.

The domain is pure, so it gives the same there as here; what comes back is JSON, read by the types that read the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from domain.contracts import Agent, ToolClass
from domain.events import EVENTS, AnyEvent
from domain.model_reply import ModelFailure, ModelReply
from domain.session.commands import FailSession, FinishTool, RecordModelCall, RepeatStep, StepCommand
from domain.session.conversation import ChatMessage, Surroundings, already_recorded, messages_for
from domain.session.decide import decide
from domain.session.entrance import masked_outcome, masked_surroundings
from domain.session.state import CaseFile, Open
from domain.session.tool_calls import ToolOutcome, recorded_outcome
from infra.reading.processes import working_processes
from infra.tools.contract import Tool, ToolResult

LIGHT = 40_000
"""Characters that are worked through at once, within tens of milliseconds."""

Asked = tuple[list[ChatMessage], int]
"""The messages of a model call, and how many of them are recorded already."""


async def outcome_of(tool: Tool, result: ToolResult, mask_patterns: Mapping[str, str], duration_ms: int) -> ToolOutcome:
    arguments = (tool.name, tool.tool_class, result, dict(mask_patterns), duration_ms)
    if len(result.output) + len(result.error_message) <= LIGHT:
        return _outcome(*arguments)
    return _OUTCOME.validate_python(await _apart("outcome", *arguments))


async def decided(state: Open, command: StepCommand | RepeatStep | FailSession) -> Sequence[AnyEvent]:
    if state.file.erased or _weight_of(state.file) + _weight_of_command(command) <= LIGHT:
        return decide(state, command)
    found = await _apart("decision", state, command)
    return [EVENTS[topic].model_validate({"facts": facts, "content": content}) for topic, facts, content in found]


async def messages_of(agent: Agent, file: CaseFile, surroundings: Surroundings, *, must_answer: bool) -> Asked:
    """Surroundings are masked here; all else was when it came."""
    told = sum(map(len, surroundings.knowledge_domains)) + sum(len(n) + len(d) for n, d in surroundings.skills)
    if _weight_of(file) + told <= LIGHT:
        return _asked(agent, file, surroundings, must_answer)
    messages, recorded = await _apart("asked", agent, file, surroundings, must_answer)
    return messages, recorded


async def masked_reply(
    outcome: ModelReply | ModelFailure, mask_patterns: Mapping[str, str], messages: Sequence[ChatMessage]
) -> ModelReply | ModelFailure:
    if _length_of(outcome) <= LIGHT:
        return masked_outcome(outcome, mask_patterns, messages)
    found = await _apart("masked", outcome, dict(mask_patterns), list(messages))
    kind: Any = _FAILURE if "kind" in found else _REPLY
    return kind.validate_python(found)  # type: ignore[no-any-return]


async def _apart(function: str, *arguments: Any) -> Any:
    return await working_processes().run(f"handlers.heavy_work:{function}", *arguments)


# ---------------------------------------------------------------- how much there is


def _weight_of(file: CaseFile) -> int:
    """The texts that a step looks through; a question counts more, since each of its words is sought in the others."""
    outputs = sum(len(done.output) + len(done.error_message) for done in file.invocations)
    current = file.round
    turns = sum(len(turn.output) for turn in (*current.executor_turns, *current.verifier_turns))
    asked = sum(len(call.request.arguments) for turn in current.executor_turns for call in turn.calls)
    return outputs + turns + asked + len(current.plan_text) + 20 * len(file.question)


def _weight_of_command(command: StepCommand | RepeatStep | FailSession) -> int:
    match command:
        case RecordModelCall(outcome=outcome):
            return _length_of(outcome)
        case FinishTool(outcome=ToolOutcome(output=output, error_message=message)):
            return len(output) + len(message)
        case _:
            return 0


def _length_of(outcome: ModelReply | ModelFailure) -> int:
    if isinstance(outcome, ModelFailure):
        return len(outcome.message)
    asked = sum(len(one.arguments) + len(one.tool_name) + len(one.call_id) for one in outcome.tool_requests)
    return len(outcome.output) + len(outcome.thought) + asked


# ---------------------------------------------------------------- in the process

_OUTCOME: TypeAdapter[ToolOutcome] = TypeAdapter(ToolOutcome)
_REPLY: TypeAdapter[ModelReply] = TypeAdapter(ModelReply)
_FAILURE: TypeAdapter[ModelFailure] = TypeAdapter(ModelFailure)


def outcome(*arguments: Any) -> Any:
    return _OUTCOME.dump_python(_outcome(*arguments), mode="json")


def decision(state: Open, command: StepCommand | RepeatStep | FailSession) -> Any:
    return [
        (event.TOPIC, event.facts.model_dump(mode="json"), event.content.model_dump(mode="json"))
        for event in decide(state, command)
    ]


def asked(*arguments: Any) -> Any:
    return _asked(*arguments)


def masked(outcome: ModelReply | ModelFailure, patterns: dict[str, str], messages: list[ChatMessage]) -> Any:
    found = masked_outcome(outcome, patterns, messages)
    if isinstance(found, ModelReply):
        return _REPLY.dump_python(found, mode="json")
    return _FAILURE.dump_python(found, mode="json")


def _outcome(
    name: str, tool_class: ToolClass, result: ToolResult, mask_patterns: dict[str, str], duration_ms: int
) -> ToolOutcome:
    return recorded_outcome(
        name,
        mask_patterns=mask_patterns,
        output=result.output,
        success=result.success,
        error_kind=result.error_kind,
        error_message=result.error_message,
        retrieval=result.retrieval,
        duration_ms=duration_ms,
        tool_classes={name: tool_class},
    )


def _asked(agent: Agent, file: CaseFile, surroundings: Surroundings, must_answer: bool) -> Asked:
    seen = masked_surroundings(surroundings, file.opened.settings.mask_patterns)
    return messages_for(agent, file, seen, must_answer=must_answer), already_recorded(agent, file)
