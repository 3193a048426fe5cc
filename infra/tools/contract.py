"""What a tool is to the rest of the service, and how the shipped ones are made from a checked function."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from domain.contracts import RetrievalDetails, ToolClass

ErrorKind = Literal["bad_arguments", "source", "timeout"]


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may know about the session. `now` is the session's clock, aware, in UTC (R9); `zone` is that of times
    that name none."""

    now: datetime
    window_minutes: int
    invocation_id: int
    session_id: str
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A finished call. `retrieval` holds query, window, layers and documents; code adds refs and status later."""

    output: str
    success: bool
    error_message: str = ""
    error_kind: ErrorKind | None = None
    retrieval: RetrievalDetails = RetrievalDetails()


class Tool(Protocol):
    """Something a model may call. It never raises for bad arguments or a broken source: it answers with a failure."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    @property
    def tool_class(self) -> ToolClass: ...
    @property
    def read_only(self) -> bool: ...
    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult: ...


class ToolError(Exception):
    """A call that cannot be answered; the message names what is wrong and where."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind


class Arguments(BaseModel):
    """Base of a tool's arguments. Unknown names are refused: a misspelt filter must not silently widen a query."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, values: Any) -> Any:
        return {k: v for k, v in values.items() if v is not None} if isinstance(values, dict) else values


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class FunctionTool(Generic[A]):
    """A tool made of a function over checked arguments, which raises ToolError or OSError where it cannot answer."""

    name: str
    description: str
    arguments: type[A]
    tool_class: ToolClass
    call: Callable[[A, ToolContext], Awaitable[ToolResult]]
    read_only: bool = True

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON schema of the arguments, without titles and null alternatives, which only cost tokens."""
        return _schema_of(self.arguments)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Checks the arguments and calls the function; every foreseeable fault becomes a failed result."""
        try:
            return await self.call(self.arguments.model_validate(arguments), context)
        except ValidationError as error:
            return failure("bad_arguments", f"{self.name}: {_faults(error)}")
        except ToolError as error:
            return failure(error.kind, f"{self.name}: {error}")
        except TimeoutError as error:
            return failure("timeout", f"{self.name}: {error}")
        except OSError as error:
            return failure("source", f"{self.name}: {error}")


def failure(kind: ErrorKind, message: str) -> ToolResult:
    """A failed result whose output says the same as its error message."""
    said = encodable(message)
    return ToolResult(json_text({"success": False, "error": said}), False, said, kind)


def json_text(value: Any) -> str:
    """Compact JSON with Chinese left readable."""
    return encodable(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def encodable(text: str) -> str:
    """The text with what UTF-8 cannot hold replaced: names of files may be any bytes."""
    return text.encode("utf-8", "replace").decode()


@cache
def _schema_of(arguments: type[Arguments]) -> dict[str, Any]:
    schema = arguments.model_json_schema()
    properties = schema.get("properties", {})
    return {
        "type": "object",
        "properties": {name: _parameter(described) for name, described in properties.items()},
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _parameter(described: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in described.items() if key not in {"title", "anyOf", "default"}}
    choices = [choice for choice in described.get("anyOf", []) if choice != {"type": "null"}]
    default = described.get("default")
    return (
        kept | (choices[0] if len(choices) == 1 else {}) | ({"default": default} if default not in (None, "") else {})
    )


def _faults(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_context=False)
    )
