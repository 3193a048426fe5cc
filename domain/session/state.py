"""What is known of a session: a case file, and the phase it is in (a tagged union, never flags that can contradict)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from domain.answer.speech import Speech
from domain.contracts import (
    GatekeeperResult,
    ParsedExecutorOutput,
    PlannerPlan,
    RetryContext,
    Route,
    ToolInvocation,
    Verdict,
    VerifierEvaluation,
)
from domain.events import (
    Recorded,
    SessionCancelled,
    SessionCompleted,
    SessionFailed,
    SessionOpenedContent,
    SessionOpenedFacts,
    ToolRequest,
    VerdictIssuedFacts,
)
from domain.evidence.masking import mask, patterns_with


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call of one executor step: how often it was started, and its result once there is one (R7)."""

    request: ToolRequest
    attempts: int = 0
    started_at: int | None = None  # position of the latest start: the invocation id (R17)
    started: datetime | None = None  # when that was
    read_only: bool = True
    unknown: bool = False  # it ended without telling what it did, and it was not read-only: it counts as made (R7)
    finished: ToolInvocation | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """A recorded reply of a model, with the tool calls it asked for (executor only)."""

    step_index: int
    output: str
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """One pass Planner → Executor → Gatekeeper → Verifier."""

    number: int
    retry_context: RetryContext | None = None
    failed_attempts: int = 0  # of the model call that is due, in a row
    plan: PlannerPlan | None = None
    plan_text: str = ""
    executor_turns: tuple[ModelTurn, ...] = ()
    verifier_turns: tuple[ModelTurn, ...] = ()
    model_calls: int = 0  # of the executor, failed ones included (R3)
    tokens: int = 0  # of the executor
    last_call_tokens: int = 0  # of its latest reply: the next call takes about as many, or more
    spent_ms: int = 0  # by its model calls and tool calls; time in which no worker was at it does not count
    parsed: ParsedExecutorOutput | None = None
    gatekeeper: GatekeeperResult | None = None
    evaluation: VerifierEvaluation | None = None
    verdict: VerdictIssuedFacts | None = None

    @property
    def route(self) -> Route | None:
        """Where the verdict sends the session; None before there is one."""
        return self.verdict.route if self.verdict else None

    @property
    def tool_calls(self) -> int:
        return sum(1 for turn in self.executor_turns for call in turn.calls if call.attempts)


@dataclass(frozen=True, slots=True)
class VerdictInForce:
    """The last verdict of a round, or an auditor's in its place (R53). `version`: of the event that gave it."""

    version: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class CaseFile:
    """Everything recorded about one session so far."""

    session_id: UUID
    head: Recorded  # the last event
    opened: SessionOpenedFacts
    brief: SessionOpenedContent | None  # question, history, sources; None once erased
    rounds: tuple[Round, ...]  # never empty
    step_count: int = 0
    tries: int = 1  # of the step that is due, with the next one, as far as they are recorded (R72)
    invocations: tuple[ToolInvocation, ...] = ()
    verdict_in_force: VerdictInForce | None = None
    erased: bool = False  # there is content that cannot be read any more
    erasure_recorded: bool = False
    as_recorded: bool = False  # decided again from its record, whose texts were masked when they came (R59)

    @property
    def round(self) -> Round:
        return self.rounds[-1]

    @property
    def question(self) -> str:
        return self.brief.question if self.brief else ""

    @property
    def speech(self) -> Speech:
        """How its texts are written (R83)."""
        opened = self.opened
        return Speech.of_version(opened.template_version, opened.language, opened.settings.zone)

    def masked(self, text: str) -> str:
        """A text as this session may record it (R22)."""
        if self.as_recorded:
            return text
        return mask(text, patterns_with(self.opened.settings.mask_patterns))[0]

    def with_round(self, changed: Round) -> CaseFile:
        return replace(self, rounds=(*self.rounds[:-1], changed))


@dataclass(frozen=True, slots=True)
class Unopened:
    """No event yet."""


@dataclass(frozen=True, slots=True)
class Planning:
    file: CaseFile


@dataclass(frozen=True, slots=True)
class Executing:
    file: CaseFile


@dataclass(frozen=True, slots=True)
class Checking:
    """The Executor has answered; the gatekeeper is due."""

    file: CaseFile


@dataclass(frozen=True, slots=True)
class Verifying:
    file: CaseFile


@dataclass(frozen=True, slots=True)
class Concluding:
    """A verdict stands; the answer or another round is due."""

    file: CaseFile


@dataclass(frozen=True, slots=True)
class Closed:
    """A terminal event stands (R7)."""

    file: CaseFile
    end: SessionCompleted | SessionFailed | SessionCancelled = field(repr=False)


Open: TypeAlias = Planning | Executing | Checking | Verifying | Concluding
SessionState: TypeAlias = Unopened | Open | Closed
