"""The events of one model call: the step itself, and what follows from its reply or failure (R3, R7, R39)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, assert_never

from domain.agents.executor_output import parse_executor_output
from domain.agents.plan import parse_plan
from domain.agents.verifier_io import VerifierUnreadable, parse_verifier_output
from domain.contracts import Agent, ParseStatus
from domain.events import (
    AgentStepRecorded,
    AgentStepRecordedContent,
    AgentStepRecordedFacts,
    AnyEvent,
    ExecutorAnswered,
    ExecutorAnsweredContent,
    ExecutorAnsweredFacts,
    PlanProduced,
    PlanProducedContent,
    PlanProducedFacts,
)
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from domain.session.commands import RecordModelCall
from domain.session.ending import completed, failed
from domain.session.judging import verdict_issued
from domain.session.state import CaseFile, Open
from domain.session.steps import Budget, due_agent, forcing_budget

MAX_VERIFIER_TURNS = 2  # R39: one retry with the error shown


def model_called(state: Open, command: RecordModelCall) -> Sequence[AnyEvent]:
    """The step, and what follows from it in the same commit. None for a call that is not, or no longer, due."""
    file = state.file
    if command.agent is not due_agent(state) or command.attempt != file.round.failed_attempts + 1:
        return ()
    step = _agent_step(file, command)
    if isinstance(command.outcome, ModelFailure):
        return step, *_after_failure(file, command.agent, command.attempt, command.outcome)
    return step, *_after_reply(file, command.agent, command.outcome)


def _agent_step(file: CaseFile, command: RecordModelCall) -> AgentStepRecorded:
    outcome = command.outcome
    reply = outcome if isinstance(outcome, ModelReply) else ModelReply(output="", duration_ms=outcome.duration_ms)
    failure = outcome if isinstance(outcome, ModelFailure) else None
    return AgentStepRecorded(
        facts=AgentStepRecordedFacts(
            round=file.round.number,
            step_index=file.step_count,
            agent=command.agent,
            model=command.model,
            prompt_hash=command.prompt_hash,
            attempt=command.attempt,
            duration_ms=reply.duration_ms,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            finish_reason=reply.finish_reason,
            tool_call_count=len(reply.tool_requests),
            error_kind=failure.kind if failure else None,
        ),
        content=AgentStepRecordedContent(
            input=command.messages,
            output=reply.output,
            thought=reply.thought,
            tool_requests=reply.tool_requests,
            error_message=file.masked(failure.message) if failure else "",
        ),
    )


def _after_failure(file: CaseFile, agent: Agent, attempt: int, failure: ModelFailure) -> Sequence[AnyEvent]:
    """Transient failures are tried again; then the session ends, but a PASS keeps its answer (R7, R46)."""
    if failure.kind.is_transient and attempt < file.opened.settings.max_model_attempts:
        return ()
    if agent is Agent.COMPOSER:
        return completed(file)
    if agent is Agent.VERIFIER and failure.kind is ErrorKind.NOT_A_COMPLETION:  # a silent verifier is R39's affair
        return (verdict_issued(file, VerifierUnreadable(file.masked(failure.message))),)
    return failed(file, agent, f"model_{failure.kind}", failure.message)


def _after_reply(file: CaseFile, agent: Agent, reply: ModelReply) -> Sequence[AnyEvent]:
    match agent:
        case Agent.PLANNER:
            plan = parse_plan(reply.output)
            facts = PlanProducedFacts(round=file.round.number, parsed=plan is not None)
            return (PlanProduced(facts=facts, content=PlanProducedContent(plan=plan, raw=reply.output)),)
        case Agent.EXECUTOR:
            if reply.tool_requests:
                return ()
            return (_executor_answered(file, reply.output, forcing_budget(file) or "answer"),)
        case Agent.VERIFIER:
            reading = parse_verifier_output(reply.output)
            again = isinstance(reading, VerifierUnreadable) and len(file.round.verifier_turns) + 1 < MAX_VERIFIER_TURNS
            return () if again else (verdict_issued(file, reading),)
        case Agent.COMPOSER:
            return completed(file, reply.output)
        case _:
            assert_never(agent)


def executor_stopped(file: CaseFile, ended_by: Budget) -> Sequence[AnyEvent]:
    """R3: at a budget the Executor ends with what it has."""
    turns = file.round.executor_turns
    return (_executor_answered(file, turns[-1].output if turns else "", ended_by),)


def _executor_answered(file: CaseFile, raw: str, ended_by: Budget | Literal["answer"]) -> ExecutorAnswered:
    parsed = parse_executor_output(raw, question=file.question)
    if ended_by != "answer":
        detail = f"{parsed.status.detail}; the round's budget of {ended_by} is used up"
        parsed = parsed.model_copy(update={"status": ParseStatus(status=parsed.status.status, detail=detail)})
    facts = ExecutorAnsweredFacts(
        round=file.round.number,
        parse_state=parsed.status.status,
        ended_by=ended_by,
        claim_count=len(parsed.structured.claims) if parsed.structured else 0,
    )
    return ExecutorAnswered(facts=facts, content=ExecutorAnsweredContent(raw=raw, parsed=parsed))
