"""`session_headline`: in which language a session is answered, and what its verdict means for the reader (R83)."""

from __future__ import annotations

from typing import Any, assert_never

from domain.answer.headline import headline
from domain.contracts import VerifierEvaluation
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
from projections.read_model import CannotApply, Key, ReadModel, Row


def _key_of(recorded: Recorded) -> Key | None:
    match recorded.event:
        case SessionOpened() | VerdictIssued() | SessionCompleted() | SessionFailed() | SessionCancelled():
            return (recorded.session_id,)
        case (
            RoundStarted()
            | AgentStepRecorded()
            | PlanProduced()
            | ToolCallStarted()
            | ToolInvoked()
            | ExecutorAnswered()
            | GatekeeperChecked()
            | RuleEvaluated()
            | AnswerComposed()
            | FeedbackGiven()
            | VerdictOverridden()
            | SessionErased()
            | StepRepeated()
        ):
            return None
        case _:
            assert_never(recorded.event)


def _fold(row: Row | None, recorded: Recorded) -> Row:
    event = recorded.event
    if isinstance(event, SessionOpened):
        return {"language": event.facts.language, "template_version": event.facts.template_version}
    if row is None:
        raise CannotApply(recorded, "the session was never opened")
    if isinstance(event, VerdictIssued):
        return {"evaluations": [*(row["evaluations"] or ()), *_evaluation(event)]}
    evaluations = [VerifierEvaluation.model_validate(one) for one in row["evaluations"] or ()]
    said = headline(evaluations, row["language"], completed=isinstance(event, SessionCompleted))
    return {"headline": said, "evaluations": None}


def _evaluation(event: VerdictIssued) -> list[dict[str, Any]]:
    return [] if isinstance(event.content, Erased) else [event.content.evaluation.model_dump(mode="json")]


SESSION_HEADLINE = ReadModel(
    name="session_headline",
    version=1,
    key=("session_id",),
    facts={"session_id": "uuid", "language": "text", "template_version": "text"},
    content={"headline": "text", "evaluations": "jsonb"},  # those of the rounds so far, until there is a headline
    key_of=_key_of,
    fold=_fold,
)
