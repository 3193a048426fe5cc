"""The facts that can be recorded about a session (R50), one class each, in the past tense.

An event has two parts. `facts` are ids, classes, counts and statuses: no free text, no floats. `content` is everything
a person or a model wrote or a tool returned; it is sealed with the session's key, and stands as `Erased` once that key
is destroyed (R62). The topic is the storage format: it does not depend on where the class lives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal, TypeAlias, get_args
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from domain.contracts import (
    Agent,
    ComposedSentence,
    ComposerStatus,
    EvidenceStatus,
    Factor,
    GatekeeperResult,
    Message,
    Outcome,
    ParsedExecutorOutput,
    ParseState,
    PlannerPlan,
    RetrievalDetails,
    RetryContext,
    Route,
    Severity,
    Verdict,
    VerifierEvaluation,
)
from domain.language.tongues import Language
from domain.settings import SessionSettings


class Part(BaseModel):
    """Facts or content of an event. Unknown fields are refused: a changed shape needs a new version (R50)."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Erased(Part):
    """Stands where content was whose key has been destroyed (R62)."""

    erased: Literal[True] = True


ERASED = Erased()


class Event(BaseModel):
    """Base of all events. `TOPIC` and `VERSION` name the stored shape; a subclass declares `facts` and `content`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    TOPIC: ClassVar[str]
    VERSION: ClassVar[int] = 1

    facts: Part
    content: Part


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event as it stands in the log.

    `version` counts from 1 in its session; `position` is its sequence number in the whole log; `time` is UTC; `actor`
    is an opaque id; `hash` is the hex digest that the next event of the session chains to (R60).
    """

    session_id: UUID
    version: int
    position: int
    event_id: UUID
    commit_id: UUID
    correlation_id: UUID
    causation_id: UUID | None
    time: datetime
    actor: str
    hash: str
    event: AnyEvent


# ---------------------------------------------------------------- opening


SourceKind: TypeAlias = Literal["metrics", "logs", "knowledge", "skills"]


class Source(Part):
    """One place where tools of a kind look, as the session was opened with it (R18, R68).

    `services`: glob of paths below the folder, or label=value, -> the service it belongs to. `credential` says where a
    worker finds it (`env:NAME`, `file:PATH`), never what it is.
    """

    kind: SourceKind
    name: str
    address: str  # a URL or an absolute path
    zone: str | None = None  # of stamps that name none: IANA name or ±HH:MM; None: not told
    exclude: tuple[str, ...] = ()  # globs of inputs that the operator left out
    services: dict[str, str] = Field(default_factory=dict)
    service_labels: tuple[str, ...] = ()  # labels that name a service, besides the usual ones
    credential: str | None = None
    teams: tuple[str, ...] = ()  # that may use it; empty: every team (R78)


def sources_at(places: Mapping[SourceKind, str | None]) -> tuple[Source, ...]:
    """One source for each kind that has a place, named like its kind."""
    return tuple(Source(kind=kind, name=kind, address=place) for kind, place in places.items() if place)


class SessionOpenedFacts(Part):
    now: datetime  # the session's clock (R9)
    clock: Literal["wall", "given", "scenario"]
    settings: SessionSettings
    rule_version: str
    prompt_hashes: dict[Agent, str]  # sha256 of each agent's prompt file
    has_key: bool  # started with an idempotency key (R10)
    request_hash: str | None = None  # of the request as the caller gave it (R10); None: not recorded
    language: Language = "zh"  # of the answer (R83)
    template_version: str = "004"  # of the texts that code writes (R83)
    team: str = "default"  # that the session belongs to (R78)
    origin: Literal["own", "external"] = "own"  # external: reported by another system, which ran the tools (R87)
    follows: UUID | None = None  # the session whose question and answer are the history (R88)


class SessionOpenedContent(Part):
    question: str
    history: tuple[Message, ...] = ()
    sources: tuple[Source, ...] = ()
    agent: str = ""  # name and version of the external agent that was at work (R87)
    base_url: str | None = None  # model server; None for the extractive model


class SessionOpened(Event):
    TOPIC: ClassVar[str] = "SessionOpened"
    VERSION: ClassVar[int] = 2
    facts: SessionOpenedFacts
    content: SessionOpenedContent | Erased

    @staticmethod
    def upcast_v1_v2(parts: dict[str, Any]) -> None:
        """One place a kind, or none, became any number of named sources."""
        if content := parts["content"]:
            sources = sources_at(content.pop("sources", {}))
            content["sources"] = [source.model_dump(mode="json") for source in sources]


class RoundStartedFacts(Part):
    round: int


class RoundStartedContent(Part):
    retry_context: RetryContext | None = None


class RoundStarted(Event):
    TOPIC: ClassVar[str] = "RoundStarted"
    facts: RoundStartedFacts
    content: RoundStartedContent | Erased


# ---------------------------------------------------------------- agents


class ToolRequest(Part):
    """A tool call as the model asked for it. `arguments` is the raw text: it may be no JSON at all."""

    call_id: str
    tool_name: str
    arguments: str


class AgentStepRecordedFacts(Part):
    round: int
    step_index: int  # counts from 0 over the whole session (R54)
    agent: Agent
    model: str
    prompt_hash: str
    attempt: int  # of the same call, from 1
    duration_ms: int
    input_tokens: int = 0
    output_tokens: int = 0
    finish_reason: str = ""
    tool_call_count: int = 0
    error_kind: str | None = None  # see `domain.model_reply.ErrorKind`; None for a reply


class AgentStepRecordedContent(Part):
    input: tuple[dict[str, Any], ...] = ()  # messages added since the agent's previous step of this round
    output: str = ""
    thought: str = ""
    tool_requests: tuple[ToolRequest, ...] = ()
    error_message: str = ""


class AgentStepRecorded(Event):
    TOPIC: ClassVar[str] = "AgentStepRecorded"
    facts: AgentStepRecordedFacts
    content: AgentStepRecordedContent | Erased


class PlanProducedFacts(Part):
    round: int
    parsed: bool


class PlanProducedContent(Part):
    plan: PlannerPlan | None
    raw: str


class PlanProduced(Event):
    TOPIC: ClassVar[str] = "PlanProduced"
    facts: PlanProducedFacts
    content: PlanProducedContent | Erased


class ToolCallStartedFacts(Part):
    round: int
    step_index: int  # the executor step that asked for it
    call_index: int  # among the calls of that step, from 0
    attempt: int  # from 1; a second one only for read-only tools (R7)
    read_only: bool


class ToolCallStartedContent(Part):
    tool_name: str  # as the model wrote it
    call_id: str
    arguments: str


class ToolCallStarted(Event):
    """Recorded before the tool runs; its position in the log is the invocation id (R7, R17)."""

    TOPIC: ClassVar[str] = "ToolCallStarted"
    facts: ToolCallStartedFacts
    content: ToolCallStartedContent | Erased


class ToolInvokedFacts(Part):
    round: int
    step_index: int
    call_index: int
    invocation_id: int
    success: bool
    evidence_status: EvidenceStatus
    ref_count: int
    output_length: int  # characters
    duration_ms: int
    duplicate_of: int | None = None
    error_kind: str | None = None  # bad_arguments, unknown_tool, interrupted, timeout, source, budget, crash


class ToolInvokedContent(Part):
    tool_name: str
    input_params: dict[str, Any]
    output: str
    retrieval_details: RetrievalDetails
    error_message: str = ""
    note: str = ""


class ToolInvoked(Event):
    TOPIC: ClassVar[str] = "ToolInvoked"
    VERSION: ClassVar[int] = 2
    facts: ToolInvokedFacts
    content: ToolInvokedContent | Erased

    @staticmethod
    def upcast_v1_v2(parts: dict[str, Any]) -> None:
        """A search's account of itself was not recorded: it stays absent (R69)."""


class ExecutorAnsweredFacts(Part):
    round: int
    parse_state: ParseState
    ended_by: Literal["answer", "model_calls", "tool_calls", "tokens", "seconds"]
    claim_count: int


class ExecutorAnsweredContent(Part):
    raw: str
    parsed: ParsedExecutorOutput


class ExecutorAnswered(Event):
    TOPIC: ClassVar[str] = "ExecutorAnswered"
    facts: ExecutorAnsweredFacts
    content: ExecutorAnsweredContent | Erased


# ---------------------------------------------------------------- checks and verdict


class GatekeeperCheckedFacts(Part):
    round: int
    rule_version: str
    severity: Severity
    failed_rules: tuple[str, ...]
    binding_count: int
    failed_binding_count: int


class GatekeeperCheckedContent(Part):
    result: GatekeeperResult


class GatekeeperChecked(Event):
    TOPIC: ClassVar[str] = "GatekeeperChecked"
    facts: GatekeeperCheckedFacts
    content: GatekeeperCheckedContent | Erased


class VerdictIssuedFacts(Part):
    round: int
    rule_version: str
    verdict: Verdict
    groundedness_score: str
    critical_fact_count: int
    fact_classes: dict[str, int]  # class -> number of critical facts
    route: Route
    decided_by: Literal["model", "code"]
    reason: str | None
    adjusted_rules: tuple[str, ...]
    traceability_version: str


class VerdictIssuedContent(Part):
    evaluation: VerifierEvaluation


class VerdictIssued(Event):
    TOPIC: ClassVar[str] = "VerdictIssued"
    facts: VerdictIssuedFacts
    content: VerdictIssuedContent | Erased


class RuleEvaluatedFacts(Part):
    evidence_score: int
    factor_points: dict[str, int]


class RuleEvaluatedContent(Part):
    factors: tuple[Factor, ...]


class RuleEvaluated(Event):
    TOPIC: ClassVar[str] = "RuleEvaluated"
    facts: RuleEvaluatedFacts
    content: RuleEvaluatedContent | Erased


# ---------------------------------------------------------------- the answer and the end


class AnswerComposedFacts(Part):
    status: ComposerStatus
    outcome: Outcome
    sentence_count: int


class AnswerComposedContent(Part):
    answer: str
    sentences: tuple[ComposedSentence, ...] = ()
    reason: str = ""


class AnswerComposed(Event):
    TOPIC: ClassVar[str] = "AnswerComposed"
    facts: AnswerComposedFacts
    content: AnswerComposedContent | Erased


class StepRepeatedFacts(Part):
    stage: str  # the reaction whose step it is
    tries: int  # with this one: how often the step was begun


class StepRepeatedContent(Part):
    pass


class StepRepeated(Event):
    """A step that was begun and left no event is begun once more: it failed, or its worker was lost (R7, R72)."""

    TOPIC: ClassVar[str] = "StepRepeated"
    facts: StepRepeatedFacts
    content: StepRepeatedContent | Erased = Field(default_factory=StepRepeatedContent)


class SessionCompletedFacts(Part):
    outcome: Outcome
    verdict: Verdict
    groundedness_score: str
    rounds: int


class SessionCompletedContent(Part):
    answer: str


class SessionCompleted(Event):
    TOPIC: ClassVar[str] = "SessionCompleted"
    facts: SessionCompletedFacts
    content: SessionCompletedContent | Erased


class SessionFailedFacts(Part):
    outcome: Literal[Outcome.DEGRADED] = Outcome.DEGRADED
    stage: str  # the reaction that could not go on
    reason_code: str


class SessionFailedContent(Part):
    reason: str
    answer: str


class SessionFailed(Event):
    TOPIC: ClassVar[str] = "SessionFailed"
    facts: SessionFailedFacts
    content: SessionFailedContent | Erased


class SessionCancelledFacts(Part):
    pass


class SessionCancelledContent(Part):
    reason: str = ""


class SessionCancelled(Event):
    TOPIC: ClassVar[str] = "SessionCancelled"
    facts: SessionCancelledFacts = SessionCancelledFacts()
    content: SessionCancelledContent | Erased


# ---------------------------------------------------------------- afterwards


class FeedbackGivenFacts(Part):
    rating: Literal["helpful", "wrong"]


class FeedbackGivenContent(Part):
    text: str = ""


class FeedbackGiven(Event):
    TOPIC: ClassVar[str] = "FeedbackGiven"
    facts: FeedbackGivenFacts
    content: FeedbackGivenContent | Erased


class VerdictOverriddenFacts(Part):
    verdict: Verdict
    superseded_version: int  # the version of the verdict it takes the place of


class VerdictOverriddenContent(Part):
    reason: str


class VerdictOverridden(Event):
    TOPIC: ClassVar[str] = "VerdictOverridden"
    facts: VerdictOverriddenFacts
    content: VerdictOverriddenContent | Erased


class SessionErasedFacts(Part):
    reason_code: str = "request"


class SessionErasedContent(Part):
    pass


class SessionErased(Event):
    TOPIC: ClassVar[str] = "SessionErased"
    facts: SessionErasedFacts = SessionErasedFacts()
    content: SessionErasedContent | Erased = Field(default_factory=SessionErasedContent)


AnyEvent: TypeAlias = (
    SessionOpened
    | RoundStarted
    | AgentStepRecorded
    | PlanProduced
    | ToolCallStarted
    | ToolInvoked
    | ExecutorAnswered
    | GatekeeperChecked
    | VerdictIssued
    | RuleEvaluated
    | AnswerComposed
    | SessionCompleted
    | SessionFailed
    | SessionCancelled
    | FeedbackGiven
    | VerdictOverridden
    | SessionErased
    | StepRepeated
)
"""Whatever can be recorded. A `match` over events names each and ends in `assert_never`: none is swallowed unseen."""

EVENTS: dict[str, type[AnyEvent]] = {cls.TOPIC: cls for cls in get_args(AnyEvent)}
"""Every event by its topic."""

TERMINAL_TOPICS = frozenset({SessionCompleted.TOPIC, SessionFailed.TOPIC, SessionCancelled.TOPIC})
"""A session with one of these takes no further step (R7)."""
