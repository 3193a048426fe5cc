"""What came back from a model call, good or bad, as the domain sees it (R7; notes on providers)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from domain.events import ToolRequest


class ErrorKind(StrEnum):
    """Why a model call gave no usable reply. Only transient kinds are tried again."""

    AUTH = "auth"  # 401, 403
    BAD_REQUEST = "bad_request"  # other 4xx: unknown model, context too long
    RATE_LIMITED = "rate_limited"  # 429
    SERVER = "server"  # 5xx
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    NOT_A_COMPLETION = "not_a_completion"  # HTML, half a JSON, no choices, empty content without tool calls

    @property
    def is_transient(self) -> bool:
        return self not in {ErrorKind.AUTH, ErrorKind.BAD_REQUEST}


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A chat completion. `thought` is separate thinking text; think blocks inside `output` are left where they are."""

    output: str
    thought: str = ""
    tool_requests: tuple[ToolRequest, ...] = ()
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    duration_ms: int = 0
    usage_estimated: bool = False  # the server reported no token counts; these are estimates


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """A call without a usable reply. `message` says what was wrong, for people; it holds no secret."""

    kind: ErrorKind
    message: str
    duration_ms: int = 0
    retry_after_s: float | None = None
