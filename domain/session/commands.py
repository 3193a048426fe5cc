"""What can be asked of a session, in the imperative. Clocks, ids and model output come in with the command."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from domain.contracts import Agent, Message
from domain.events import Sources
from domain.model_reply import ModelFailure, ModelReply
from domain.session.conversation import ChatMessage
from domain.session.steps import Budget
from domain.session.tool_calls import Preparation, ToolOutcome
from domain.settings import SessionSettings


@dataclass(frozen=True, slots=True)
class OpenSession:
    """`key` is the idempotency key the session's id was made from, if there is one (R10)."""

    question: str
    now: datetime
    clock: Literal["wall", "given", "scenario"]
    settings: SessionSettings
    prompt_hashes: dict[Agent, str]
    sources: Sources = Sources()
    base_url: str | None = None
    history: tuple[Message, ...] = ()
    has_key: bool = False


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
    step_index: int
    call_index: int


@dataclass(frozen=True, slots=True)
class StopExecutor:
    ended_by: Budget


@dataclass(frozen=True, slots=True)
class RunGatekeeper:
    pass


@dataclass(frozen=True, slots=True)
class JudgeByCode:
    pass


@dataclass(frozen=True, slots=True)
class BeginNextRound:
    pass


@dataclass(frozen=True, slots=True)
class CloseByTemplate:
    pass


@dataclass(frozen=True, slots=True)
class FailSession:
    stage: str
    reason_code: str
    reason: str


@dataclass(frozen=True, slots=True)
class CancelSession:
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GiveFeedback:
    rating: Literal["helpful", "wrong"]
    text: str = field(default="")


Command: TypeAlias = (
    OpenSession
    | RecordModelCall
    | StartTool
    | FinishTool
    | InterruptTool
    | StopExecutor
    | RunGatekeeper
    | JudgeByCode
    | BeginNextRound
    | CloseByTemplate
    | FailSession
    | CancelSession
    | GiveFeedback
)
