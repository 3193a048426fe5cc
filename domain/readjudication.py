"""What today's rules would decide of a recorded session, against what was decided (R59)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias, assert_never
from uuid import UUID

from domain.differences import changes
from domain.events import (
    TERMINAL_TOPICS,
    AgentStepRecorded,
    AnswerComposed,
    AnswerComposedContent,
    AnyEvent,
    Erased,
    ExecutorAnswered,
    ExecutorAnsweredContent,
    FeedbackGiven,
    GatekeeperChecked,
    GatekeeperCheckedContent,
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
    VerdictIssuedContent,
    VerdictOverridden,
)
from domain.session.again import decided_again

Key: TypeAlias = tuple[Any, ...]

_SAID_BEFORE = {"executor_output_parse_status", "executor_structured_output", "gatekeeper_result"}
"""What a verdict repeats of the events before it."""


class Result(StrEnum):
    """`undetermined`: from some step on, an answer would be needed that no model or tool ever gave. `newer`: a newer
    release wrote some of it (R89)."""

    SAME = "same"
    DIFFERS = "differs"
    UNDETERMINED = "undetermined"
    ERASED = "erased"
    RUNNING = "running"
    NEWER = "newer"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place of one event; `recorded` or `today` is None where there is nothing. `why`: today's grounds.

    `version` is None where an event would be recorded today that was not.
    """

    event: str
    round: int | None
    version: int | None
    where: str
    recorded: Any
    today: Any
    why: str = ""


@dataclass(frozen=True, slots=True)
class Readjudication:
    """One session. `missing`: the answer without which it is undetermined, or the release that could decide it."""

    session_id: UUID
    result: Result
    differences: Sequence[Difference] = ()
    missing: str = ""


def readjudicate(history: Sequence[Recorded], *, threshold: str | None = None) -> Readjudication:
    """Decide a session again, under its recorded settings or with another threshold. `history`: all its events.

    One that has not ended is not decided, nor one whose content is erased.
    """
    session_id = history[0].session_id
    if any(isinstance(recorded.event.content, Erased) for recorded in history):
        return Readjudication(session_id, Result.ERASED)
    if not any(recorded.event.TOPIC in TERMINAL_TOPICS for recorded in history):
        return Readjudication(session_id, Result.RUNNING)
    course = decided_again(history, threshold=threshold)
    differences = tuple(_differences(history, course.events, is_whole=not course.missing))
    if course.missing:
        return Readjudication(session_id, Result.UNDETERMINED, differences, course.missing)
    return Readjudication(session_id, Result.DIFFERS if differences else Result.SAME, differences)


def _differences(history: Iterable[Recorded], events: Iterable[AnyEvent], *, is_whole: bool) -> Iterator[Difference]:
    """In the order of today's events, then what was recorded and would not be today, as far as that is known."""
    recorded = {key: entry for entry in history if (key := _key(entry.event))}
    today = {key: event for event in events if (key := _key(event))}
    for key, event in today.items():
        yield from _of_event(recorded.get(key), event)
    rounds = sum(isinstance(event, RoundStarted) for event in today.values())
    for key, entry in recorded.items() if is_whole else ():
        if key not in today and (_round(entry.event) or 0) <= rounds + isinstance(entry.event, RoundStarted):
            event_name = entry.event.TOPIC
            yield Difference(event_name, _round(entry.event), entry.version, "", "recorded", None)


def _of_event(recorded: Recorded | None, today: AnyEvent) -> Iterator[Difference]:
    named = (today.TOPIC, _round(today))
    if recorded is None:
        yield Difference(*named, None, "", None, "recorded", _grounds(today))
        return
    for change in changes(_document(recorded.event), _document(today)):
        yield Difference(*named, recorded.version, change.where, change.before, change.after, _grounds(today))


# ---------------------------------------------------------------- what is compared of an event


def _key(event: AnyEvent) -> Key | None:
    """What an event decides, for finding its counterpart; None for one that came from outside."""
    match event:
        case ToolInvoked():
            return event.TOPIC, event.facts.step_index, event.facts.call_index
        case RoundStarted() | PlanProduced() | ExecutorAnswered() | GatekeeperChecked() | VerdictIssued():
            return event.TOPIC, event.facts.round
        case RuleEvaluated() | AnswerComposed():
            return (event.TOPIC,)
        case SessionCompleted() | SessionFailed() | SessionCancelled():
            return ("end",)
        case (
            SessionOpened()
            | AgentStepRecorded()
            | ToolCallStarted()
            | FeedbackGiven()
            | VerdictOverridden()
            | SessionErased()
            | StepRepeated()
        ):
            return None
        case _:
            assert_never(event)


def _round(event: AnyEvent) -> int | None:
    return getattr(event.facts, "round", None)


def _document(event: AnyEvent) -> dict[str, Any]:
    """Facts and content as one, without what came from outside, what another event says, and the rules' version."""
    facts = event.facts.model_dump(mode="json", exclude={"rule_version"})
    match event:
        case ToolInvoked(content=content):
            return facts | content.model_dump(mode="json", exclude={"output"})
        case ExecutorAnswered(content=ExecutorAnsweredContent() as content):
            return facts | content.parsed.model_dump(mode="json")
        case GatekeeperChecked(content=GatekeeperCheckedContent() as content):
            return facts | content.result.model_dump(mode="json")
        case VerdictIssued(content=VerdictIssuedContent() as content):
            return facts | content.evaluation.model_dump(mode="json", exclude=_SAID_BEFORE)
        case SessionCompleted():
            return facts | {"end": event.TOPIC}
        case SessionFailed() | SessionCancelled():
            return facts | event.content.model_dump(mode="json") | {"end": event.TOPIC}
        case (
            SessionOpened()
            | RoundStarted()
            | AgentStepRecorded()
            | PlanProduced()
            | ToolCallStarted()
            | ExecutorAnswered()
            | GatekeeperChecked()
            | VerdictIssued()
            | RuleEvaluated()
            | AnswerComposed()
            | FeedbackGiven()
            | VerdictOverridden()
            | SessionErased()
            | StepRepeated()
        ):
            return facts | event.content.model_dump(mode="json")
        case _:
            assert_never(event)


def _grounds(event: AnyEvent) -> str:
    """Why it is so today: the rules that were broken, or the score and what lowered it."""
    match event:
        case GatekeeperChecked(content=GatekeeperCheckedContent(result=result)):
            found = (*result.errors, *result.warnings)
            return "; ".join(f"{finding.rule}: {finding.message}" for finding in found) or "every quotation holds"
        case VerdictIssued(facts=facts):
            grounds = [f"score {facts.groundedness_score}", *facts.adjusted_rules, facts.reason]
            return ", ".join(filter(None, grounds))
        case AnswerComposed(content=AnswerComposedContent(reason=reason)):
            return reason
        case (
            SessionOpened()
            | RoundStarted()
            | AgentStepRecorded()
            | PlanProduced()
            | ToolCallStarted()
            | ToolInvoked()
            | ExecutorAnswered()
            | GatekeeperChecked()
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
            return ""
        case _:
            assert_never(event)
