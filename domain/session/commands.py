"""What can be asked of a session, in the imperative. Clocks, ids and model output come in with the command."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, assert_never
from uuid import UUID

from domain.contracts import Agent, Message, Verdict
from domain.events import Source
from domain.language.tongues import Language
from domain.model_reply import ModelFailure, ModelReply
from domain.session.conversation import ChatMessage
from domain.session.steps import (
    Budget,
    CheckEvidence,
    Conclude,
    EndExecutor,
    GiveUp,
    IssueVerdict,
    RecordInterrupted,
    StartRound,
)
from domain.session.tool_calls import Preparation, ToolOutcome
from domain.settings import SessionSettings


@dataclass(frozen=True, slots=True)
class OpenSession:
    """What a session is opened with; the fields are those of SessionOpened, where they are explained."""

    question: str
    now: datetime
    clock: Literal["wall", "given", "scenario"]
    settings: SessionSettings
    prompt_hashes: dict[Agent, str]
    sources: tuple[Source, ...] = ()
    base_url: str | None = None
    history: tuple[Message, ...] = ()
    has_key: bool = False
    request_hash: str | None = None
    language: Language | None = None  # None: the question's
    team: str = "default"
    origin: Literal["own", "external"] = "own"
    agent: str = ""
    follows: UUID | None = None


@dataclass(frozen=True, slots=True)
class RecordModelCall:
    """A model was asked and answered, or failed. `messages` are the new ones since the agent's last step."""

    agent: Agent
    attempt: int
    model: str
    prompt_hash: str
    messages: tuple[ChatMessage, ...]
    outcome: ModelReply | ModelFailure


@dataclass(frozen=True, slots=True)
class StartTool:
    """A tool is about to run, or to be answered without a run (R7). A call is named by its step and place in it."""

    step_index: int
    call_index: int
    attempt: int
    read_only: bool


@dataclass(frozen=True, slots=True)
class FinishTool:
    """The started call has its result: of a run, or by its preparation alone (duplicate, refused)."""

    step_index: int
    call_index: int
    invocation_id: int
    preparation: Preparation
    outcome: ToolOutcome | None = None


@dataclass(frozen=True, slots=True)
class InterruptTool:
    """The started call will have no result."""

    step_index: int
    call_index: int


@dataclass(frozen=True, slots=True)
class StopExecutor:
    """A budget of the round is used up."""

    ended_by: Budget


@dataclass(frozen=True, slots=True)
class RunGatekeeper:
    """Check the Executor's citations."""


@dataclass(frozen=True, slots=True)
class JudgeByCode:
    """Issue the verdict that needs no model."""


@dataclass(frozen=True, slots=True)
class BeginNextRound:
    """Look for the evidence that is missing."""


@dataclass(frozen=True, slots=True)
class CloseByTemplate:
    """Answer with sections that code assembles."""


@dataclass(frozen=True, slots=True)
class FailSession:
    """`stage` names the reaction that could not go on; `reason` is for auditors, not for the user."""

    stage: str
    reason_code: str
    reason: str


@dataclass(frozen=True, slots=True)
class RepeatStep:
    """The due step was begun before, and is begun once more. After the last try the session ends instead (R72)."""


@dataclass(frozen=True, slots=True)
class CancelSession:
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GiveFeedback:
    rating: Literal["helpful", "wrong"]
    text: str = ""


@dataclass(frozen=True, slots=True)
class OverrideVerdict:
    """An auditor's verdict in place of the one in force (R53)."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class EraseSession:
    """Record that the session's content is to be gone; whoever records it destroys the key afterwards (R62)."""


StepCommand: TypeAlias = (
    RecordModelCall
    | StartTool
    | FinishTool
    | InterruptTool
    | StopExecutor
    | RunGatekeeper
    | JudgeByCode
    | BeginNextRound
    | CloseByTemplate
)
"""What a worker records of the step that was due."""

AfterwardsCommand: TypeAlias = GiveFeedback | OverrideVerdict | EraseSession
"""What can be asked of a session that has ended."""

Command: TypeAlias = OpenSession | StepCommand | RepeatStep | FailSession | CancelSession | AfterwardsCommand


def command_for(
    step: RecordInterrupted | EndExecutor | CheckEvidence | IssueVerdict | StartRound | Conclude | GiveUp,
) -> StepCommand | FailSession:
    """What is recorded of a due step that asks nothing of a model or a tool."""
    match step:
        case RecordInterrupted():
            return InterruptTool(step.turn.step_index, step.call_index)
        case EndExecutor():
            return StopExecutor(step.ended_by)
        case CheckEvidence():
            return RunGatekeeper()
        case IssueVerdict():
            return JudgeByCode()
        case StartRound():
            return BeginNextRound()
        case Conclude():
            return CloseByTemplate()
        case GiveUp():
            return FailSession(step.stage, step.reason_code, step.reason)
        case _:
            assert_never(step)
