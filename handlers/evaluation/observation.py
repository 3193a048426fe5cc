"""What a recorded session came to, read from its events alone (R63)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeVar

from domain.contracts import (
    Claim,
    ComposerStatus,
    GatekeeperResult,
    ParsedExecutorOutput,
    VerifierEvaluation,
)
from domain.events import (
    AgentStepRecorded,
    AnswerComposed,
    Erased,
    Event,
    ExecutorAnswered,
    GatekeeperChecked,
    Recorded,
    RoundStarted,
    SessionCompleted,
    SessionFailed,
    ToolInvoked,
    VerdictIssued,
)

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Observation:
    """Of several rounds the last counts. What the session never came to is None or empty."""

    status: Literal["completed", "failed", "cancelled"]
    verdict: str  # "NONE" without one
    outcome: str | None
    reason: str | None
    rounds: int
    score: Decimal | None
    parse_status: str | None
    gatekeeper_status: str | None
    gatekeeper_severity: str | None
    failed_rules: tuple[str, ...]
    adjusted_rules: tuple[str, ...]
    warnings: tuple[str, ...]
    composer: ComposerStatus | None
    claims: tuple[str, ...]
    claim_types: tuple[str, ...]
    binding_paths: tuple[str, ...]
    answer: str
    tools_called: tuple[str, ...]
    agents_asked: tuple[str, ...]


def observe(history: Sequence[Recorded]) -> Observation:
    """Read a session that has ended."""
    events = [entry.event for entry in history]
    end = events[-1]
    parsed, gatekeeper, evaluation = _parsed(events), _gatekeeper(events), _evaluation(events)
    claims = parsed.structured.claims if parsed and parsed.structured else ()
    return Observation(
        status=_status(end),
        verdict=evaluation.verdict if evaluation else "NONE",
        outcome=end.facts.outcome if isinstance(end, SessionCompleted | SessionFailed) else None,
        reason=end.facts.reason_code if isinstance(end, SessionFailed) else evaluation.reason if evaluation else None,
        rounds=len(_all(events, RoundStarted)),
        score=Decimal(evaluation.groundedness_score) if evaluation else None,
        parse_status=parsed.status.status if parsed else None,
        gatekeeper_status=gatekeeper.status if gatekeeper else None,
        gatekeeper_severity=gatekeeper.severity if gatekeeper else None,
        failed_rules=gatekeeper.failed_rules if gatekeeper else (),
        adjusted_rules=_distinct(adjustment.rule for adjustment in evaluation.adjustments) if evaluation else (),
        warnings=_distinct(_warnings(parsed, gatekeeper)),
        composer=next((event.facts.status for event in _all(events, AnswerComposed)), None),
        claims=tuple(claim.claim_text for claim in claims),
        claim_types=_distinct(claim.claim_type for claim in claims),
        binding_paths=_distinct(_paths(claims)),
        answer="" if isinstance(end.content, Erased) else str(getattr(end.content, "answer", "")),
        tools_called=_distinct(_tools(events)),
        agents_asked=_distinct(event.facts.agent for event in _all(events, AgentStepRecorded)),
    )


def _status(end: Event) -> Literal["completed", "failed", "cancelled"]:
    if isinstance(end, SessionCompleted):
        return "completed"
    return "failed" if isinstance(end, SessionFailed) else "cancelled"


def _all(events: Sequence[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def _parsed(events: Sequence[Event]) -> ParsedExecutorOutput | None:
    contents = [event.content for event in _all(events, ExecutorAnswered)[-1:]]
    return next((content.parsed for content in contents if not isinstance(content, Erased)), None)


def _gatekeeper(events: Sequence[Event]) -> GatekeeperResult | None:
    contents = [event.content for event in _all(events, GatekeeperChecked)[-1:]]
    return next((content.result for content in contents if not isinstance(content, Erased)), None)


def _evaluation(events: Sequence[Event]) -> VerifierEvaluation | None:
    contents = [event.content for event in _all(events, VerdictIssued)[-1:]]
    return next((content.evaluation for content in contents if not isinstance(content, Erased)), None)


def _warnings(parsed: ParsedExecutorOutput | None, gatekeeper: GatekeeperResult | None) -> Iterator[str]:
    for findings in (parsed.warnings if parsed else (), gatekeeper.warnings if gatekeeper else ()):
        yield from (finding.rule for finding in findings)


def _paths(claims: Sequence[Claim]) -> Iterator[str]:
    return (binding.raw_path or "" for claim in claims for binding in claim.evidence_bindings)


def _tools(events: Sequence[Event]) -> Iterator[str]:
    contents = (event.content for event in _all(events, ToolInvoked))
    return (content.tool_name for content in contents if not isinstance(content, Erased))


def _distinct(values: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
