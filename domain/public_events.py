"""The public contract for other systems (R52): CloudEvents 1.0 made of facts alone, apart from the internal events.

Types: `assay.verdict.issued.v1` for each verdict of a round, `assay.verdict.superseded.v1` for an auditor's override,
`assay.session.ended.v1` when a session ends, with or without a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

from domain.contracts import Outcome, Route, Verdict
from domain.events import (
    AgentStepRecorded,
    AnswerComposed,
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
from domain.verdict.routing import OUTCOMES

NO_VERDICT = "NONE"


@dataclass(frozen=True, slots=True)
class PublicEvent:
    """A CloudEvent and the verdict token of its subject: `PASS`, `LOW_CONFID`, `REJECT` or `NONE`."""

    verdict_token: str
    attributes: dict[str, Any]  # the CloudEvent in structured JSON form


def public_event(recorded: Recorded) -> PublicEvent | None:
    """The public event of a recorded one, or None where it concerns nobody outside. Its id is the event's own."""
    event = recorded.event
    match event:
        case VerdictIssued():
            facts = event.facts
            data = {
                "round": facts.round,
                "final": facts.route is not Route.RETRY,
                "verdict": facts.verdict,
                "outcome": OUTCOMES.get(facts.route),
                "groundedness_score": facts.groundedness_score,
                "critical_fact_count": facts.critical_fact_count,
                "fact_classes": facts.fact_classes,
                "decided_by": facts.decided_by,
                "reason": facts.reason,
                "adjusted_rules": list(facts.adjusted_rules),
                "rule_version": facts.rule_version,
            }
            return _cloud_event(recorded, "assay.verdict.issued.v1", facts.verdict, data)
        case VerdictOverridden():
            superseded = {"verdict": event.facts.verdict, "superseded_version": event.facts.superseded_version}
            return _cloud_event(recorded, "assay.verdict.superseded.v1", event.facts.verdict, superseded)
        case SessionCompleted():
            done = event.facts
            ended = {
                "verdict": done.verdict,
                "outcome": done.outcome,
                "groundedness_score": done.groundedness_score,
                "rounds": done.rounds,
                "reason": None,
            }
            return _cloud_event(recorded, "assay.session.ended.v1", done.verdict, ended)
        case SessionFailed():
            return _cloud_event(recorded, "assay.session.ended.v1", None, _without_verdict(event.facts.reason_code))
        case SessionCancelled():
            return _cloud_event(recorded, "assay.session.ended.v1", None, _without_verdict("cancelled"))
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
            | FeedbackGiven()
            | SessionErased()
            | StepRepeated()
        ):
            return None
        case _:
            assert_never(event)


def _without_verdict(reason: str) -> dict[str, Any]:
    return {
        "verdict": None,
        "outcome": None if reason == "cancelled" else Outcome.DEGRADED,
        "groundedness_score": None,
        "rounds": None,
        "reason": reason,
    }


def _cloud_event(recorded: Recorded, type_: str, verdict: Verdict | None, data: dict[str, Any]) -> PublicEvent:
    attributes = {
        "specversion": "1.0",
        "id": str(recorded.event_id),
        "source": "/assay",
        "type": type_,
        "subject": str(recorded.session_id),
        "time": recorded.time.isoformat(),
        "datacontenttype": "application/json",
        "data": {"session_id": str(recorded.session_id), "version": recorded.version, **data},
    }
    return PublicEvent(verdict or NO_VERDICT, attributes)
