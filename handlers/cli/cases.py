"""The inputs of the core commands: one case each, as another pipeline writes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field, ValidationError

from domain.agents.executor_contract import normalise
from domain.contract import Contract, violations
from domain.contracts import (
    ExecutorOutput,
    GatekeeperResult,
    ParseStatus,
    ToolClass,
    ToolInvocation,
    TraceEntry,
)
from domain.evidence.coverage import Coverage
from domain.json_objects import load_strict
from domain.language.tongues import Language
from domain.settings import Share
from domain.verdict.routing import LAST_ROUND


class UnusableCase(ValueError):
    """The input is no case of the command; the message says what is wrong and where."""


def _without_nulls(value: Any) -> Any:
    """Rows of a database hold null for what a call does not have."""
    return {name: part for name, part in value.items() if part is not None} if isinstance(value, dict) else value


def _normalised(value: Any) -> Any:
    return normalise(value)[0] if isinstance(value, dict) else value


def _as_text(value: Any) -> str | None:
    """What a model or a tool gave may be written as its text or as the JSON value in it."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


Call: TypeAlias = Annotated[ToolInvocation, BeforeValidator(_without_nulls)]
ModelText: TypeAlias = Annotated[str | None, BeforeValidator(_as_text)]


class GatekeeperCase(Contract):
    """`tool_classes` adds the caller's own tools to the known ones: `live`, `reference` or `helper` (R21)."""

    session_id: str
    invocations: tuple[Call, ...]
    executor_output: ModelText
    tool_classes: dict[str, ToolClass] = Field(default_factory=dict)


class ExtractionCase(Contract):
    """Without a `tool_name` of its own a line is an output of the tool that the command names."""

    tool_name: str | None = None
    output: Annotated[str, BeforeValidator(_as_text)]
    coverage: Coverage | None = None  # the search's account of itself (R69)


class VerdictCase(Contract):
    """What judges a round (R35). A part that is not given is None: the rules that need it do not run."""

    question: str
    round: int = Field(ge=1, le=LAST_ROUND, strict=True)
    threshold: Annotated[Share, BeforeValidator(str)]
    executor_structured_output: Annotated[ExecutorOutput | None, BeforeValidator(_normalised)] = None
    executor_output_parse_status: ParseStatus
    gatekeeper_result: GatekeeperResult
    tool_trace_summary: tuple[TraceEntry, ...] | None = None
    verifier_output: ModelText = None
    invocations: tuple[Call, ...] | None = None
    session_time: datetime | None = None
    language: Language | None = None  # of the answer (R83); None: the question's
    executor_final_answer: str | None = None
    composer_output: ModelText = None
    tool_classes: dict[str, ToolClass] = Field(default_factory=dict)


Case = TypeVar("Case", bound=Contract)


def read_gatekeeper_case(text: str) -> GatekeeperCase:
    """Raises UnusableCase, as the others do."""
    return _case(_json_object(text), GatekeeperCase)


def read_extraction_case(text: str) -> ExtractionCase:
    """The numbers of the output keep the form they are written in."""
    return _case(_json_object(text, fraction=str), ExtractionCase)


def read_verdict_case(text: str) -> VerdictCase:
    """The threshold is taken as it is written: its boundary must not depend on floating point (R35)."""
    written = _json_object(text, fraction=str)
    return _case(_json_object(text) | {"threshold": written.get("threshold")}, VerdictCase)


def _json_object(text: str, *, fraction: Callable[[str], Any] | None = None) -> dict[str, Any]:
    try:
        document = load_strict(text, fraction=fraction)
    except ValueError as error:
        raise UnusableCase(f"no JSON: {error}") from None
    if not isinstance(document, dict):
        raise UnusableCase("no JSON object")
    return document


def _case(document: dict[str, Any], kind: type[Case]) -> Case:
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        raise UnusableCase(violations(error)) from None
