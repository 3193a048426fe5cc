"""A recorded session taken through its steps again, by today's rules (R59).

`next_step` says what is due and `decide` what follows from it, as they do while a session runs. What models and tools
said is taken from the record: nothing is asked or run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import assert_never

from domain.events import (
    AgentStepRecorded,
    AgentStepRecordedContent,
    AnswerComposed,
    AnyEvent,
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
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from domain.session.commands import (
    CancelSession,
    Command,
    FailSession,
    FinishTool,
    RecordModelCall,
    StartTool,
    command_for,
)
from domain.session.decide import decide
from domain.session.ending import GIVEN_UP
from domain.session.evolve import evolve
from domain.session.state import CaseFile, Closed, Open, SessionState, Unopened
from domain.session.steps import MAX_RETRY_DELAY_S, CallModel, RunTool, Wait, next_step
from domain.session.tool_calls import Preparation, Refuse, Run, judged_again, prepare_call


@dataclass(frozen=True, slots=True)
class Course:
    """The events that today's rules make. `missing`: what they need that no model or tool ever gave; "" at the end."""

    events: Sequence[AnyEvent]
    missing: str


def decided_again(history: Sequence[Recorded], *, threshold: str | None = None) -> Course:
    """The course of an ended session whose content is readable, under its recorded settings or another threshold."""
    again = _Again(history, threshold)
    missing = again.run()
    return Course(again.events, missing)


class _Again:
    """The session so far: it takes the place of the log, and the record that of models and tools."""

    def __init__(self, history: Sequence[Recorded], threshold: str | None) -> None:
        self.events: list[AnyEvent] = []
        self._said = _Said(history)
        self._state: SessionState = Unopened()
        self._head = history[0]
        for recorded in history[:2]:  # its opening is an input as well
            self._record(_under(threshold, recorded.event), recorded)

    def run(self) -> str:
        """Take every step. What is missing for the next one, or "" at the end."""
        while not isinstance(self._state, Unopened | Closed):
            if end := self._said.end_after(self.events):
                return self._decide(self._state, end)
            if missing := self._step(self._state):
                return missing
        return "the moment at which somebody would have ended it" if self._said.is_ended_from_outside else ""

    def _step(self, state: Open) -> str:
        step = next_step(state, state.file.head.time + timedelta(seconds=MAX_RETRY_DELAY_S))
        match step:
            case CallModel():
                return self._ask_model(state, step)
            case RunTool():
                return self._run_tool(state, step)
            case Wait():
                return f"a pause of {step.seconds:g} s"  # never: the longest one is over
            case _:
                return self._decide(state, command_for(step))

    def _ask_model(self, state: Open, step: CallModel) -> str:
        current = state.file.round.number
        reply = self._said.replies.get((current, state.file.step_count))
        if reply is None or reply.agent is not step.agent:
            return f"an answer of the {step.agent} in round {current}"
        return self._decide(state, replace(reply, attempt=step.attempt))

    def _run_tool(self, state: Open, step: RunTool) -> str:
        name, where = step.call.request.tool_name, (step.turn.step_index, step.call_index)
        start = self._said.starts.get((*where, step.attempt))
        if start is None:
            return f"a run of {name}, attempt {step.attempt}"
        result = self._said.results.get(start.recorded.position)
        preparation = _prepared(state.file, step, result)
        missing = self._decide(state, StartTool(*where, step.attempt, start.read_only), start.recorded)
        if missing or result is None or result.facts.error_kind == "interrupted":
            return missing
        tool_classes = state.file.opened.settings.tool_classes
        outcome = judged_again(result, tool_classes) if isinstance(preparation, Run) else None
        if isinstance(preparation, Run) and outcome is None:
            return f"an output of {name}"
        return self._decide(self._state, FinishTool(*where, start.recorded.position, preparation, outcome))

    def _decide(self, state: SessionState, command: Command, at: Recorded | None = None) -> str:
        events = decide(state, command)
        for event in events:
            self._record(event, at)
        return "" if events else f"an event of {type(command).__name__}"

    def _record(self, event: AnyEvent, at: Recorded | None) -> None:
        """`at`: the recorded event whose place in the log it takes, a start above all: that is its id (R17)."""
        self._head = replace(at or self._head, event=event, version=len(self.events) + 1)
        state = evolve(self._state, self._head)
        if not isinstance(state, Unopened):
            state = replace(state, file=replace(state.file, as_recorded=True))
        self._state = state
        self.events.append(event)


@dataclass(frozen=True, slots=True)
class _Start:
    recorded: Recorded
    read_only: bool


class _Said:
    """What came from outside in a recorded session, by the step that asked for it."""

    def __init__(self, history: Sequence[Recorded]) -> None:
        self.replies: dict[tuple[int, int], RecordModelCall] = {}  # by round and step
        self.starts: dict[tuple[int, int, int], _Start] = {}  # by step, place in it, and attempt
        self.results: dict[int, ToolInvoked] = {}  # by invocation id
        decided = [recorded for recorded in history if not isinstance(recorded.event, StepRepeated)]
        for recorded in decided:
            self._note(recorded)
        ends = (_ended_from_outside(recorded, place) for place, recorded in enumerate(decided))
        self._end = next(filter(None, ends), None)
        self._topics = [recorded.event.TOPIC for recorded in decided]

    def _note(self, recorded: Recorded) -> None:
        match recorded.event:
            case AgentStepRecorded(facts=facts) as step:
                self.replies[facts.round, facts.step_index] = _call(step)
            case ToolCallStarted(facts=started):
                place = (started.step_index, started.call_index, started.attempt)
                self.starts[place] = _Start(recorded, started.read_only)
            case ToolInvoked(facts=invoked) as result:
                self.results[invoked.invocation_id] = result
            case (
                SessionOpened()
                | RoundStarted()
                | PlanProduced()
                | ExecutorAnswered()
                | GatekeeperChecked()
                | VerdictIssued()
                | RuleEvaluated()
                | AnswerComposed()
                | SessionCompleted()
                | SessionFailed()
                | SessionCancelled()
                | FeedbackGiven()
                | VerdictOverridden()
                | SessionErased()
                | StepRepeated()
            ):
                pass  # it follows from these, or ends the session
            case _:
                assert_never(recorded.event)

    @property
    def is_ended_from_outside(self) -> bool:
        return self._end is not None

    def end_after(self, events: Sequence[AnyEvent]) -> Command | None:
        """The command that ended the session from outside, if it came after these events."""
        if self._end is None or len(events) != self._end.place:
            return None
        is_same = [event.TOPIC for event in events] == self._topics[: len(events)]
        return self._end.command if is_same else None


@dataclass(frozen=True, slots=True)
class _End:
    place: int  # how many events lie before it, tries left out
    command: Command


def _ended_from_outside(recorded: Recorded, place: int) -> _End | None:
    """A user cancelled, or a worker gave up (R7, R10); every other end follows from what was recorded before."""
    match recorded.event:
        case SessionCancelled(content=content) if not isinstance(content, Erased):
            return _End(place, CancelSession(content.reason))
        case SessionFailed(facts=facts, content=content) if not isinstance(content, Erased):
            given_up = FailSession(facts.stage, facts.reason_code, content.reason)
            return _End(place, given_up) if facts.reason_code in GIVEN_UP else None
        case (
            SessionOpened()
            | RoundStarted()
            | AgentStepRecorded()
            | PlanProduced()
            | ToolCallStarted()
            | ToolInvoked()
            | ExecutorAnswered()
            | GatekeeperChecked()
            | VerdictIssued()
            | RuleEvaluated()
            | AnswerComposed()
            | SessionCompleted()
            | SessionFailed()
            | SessionCancelled()
            | FeedbackGiven()
            | VerdictOverridden()
            | SessionErased()
            | StepRepeated()
        ):
            return None
        case _:
            assert_never(recorded.event)


def _under(threshold: str | None, event: AnyEvent) -> AnyEvent:
    """The opening as it would be with another threshold."""
    if threshold is None or not isinstance(event, SessionOpened):
        return event
    settings = event.facts.settings.model_copy(update={"threshold": threshold})
    return event.model_copy(update={"facts": event.facts.model_copy(update={"settings": settings})})


def _call(step: AgentStepRecorded) -> RecordModelCall:
    facts = step.facts
    content = AgentStepRecordedContent() if isinstance(step.content, Erased) else step.content
    outcome: ModelReply | ModelFailure = ModelReply(
        output=content.output,
        thought=content.thought,
        tool_requests=content.tool_requests,
        finish_reason=facts.finish_reason,
        input_tokens=facts.input_tokens,
        output_tokens=facts.output_tokens,
        duration_ms=facts.duration_ms,
    )
    if facts.error_kind:
        outcome = ModelFailure(ErrorKind(facts.error_kind), content.error_message, facts.duration_ms)
    return RecordModelCall(facts.agent, facts.attempt, facts.model, facts.prompt_hash, content.input, outcome)


def _prepared(file: CaseFile, step: RunTool, result: ToolInvoked | None) -> Preparation:
    """Today's, but for which tools were offered, which is known of the recorded calls alone."""
    if result and result.facts.error_kind == "unknown_tool" and not isinstance(result.content, Erased):
        return Refuse("unknown_tool", result.content.error_message)
    return prepare_call(file, step, {step.call.request.tool_name})
