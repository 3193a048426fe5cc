"""What the Verifier is given, and how its answer is read (R31, R33)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from domain.contract import violations
from domain.contracts import (
    CheckedFact,
    FactClass,
    FactRef,
    GatekeeperResult,
    ParsedExecutorOutput,
    RetryContext,
    TraceEntry,
    Verdict,
)
from domain.evidence.trace_summary import slim
from domain.json_objects import find_object, strip_think
from domain.language.tongues import Language


def verifier_payload(
    *,
    question: str,
    parsed: ParsedExecutorOutput,
    gatekeeper: GatekeeperResult,
    trace: Sequence[TraceEntry],
    now: datetime,
    retry_context: RetryContext | None,
    round: int,
    language: Language = "zh",
) -> dict[str, Any]:
    """The whole input of the Verifier, ready for JSON: no conversation, no reasoning, no think block (R5, R31)."""
    return {
        "original_query": question,
        "language": language,
        "session_time": now.isoformat(),
        "executor_final_answer": strip_think(parsed.final_answer),
        "executor_structured_output": parsed.structured.model_dump(mode="json") if parsed.structured else None,
        "executor_output_parse_status": parsed.status.model_dump(mode="json"),
        "gatekeeper_result": gatekeeper.model_dump(mode="json"),
        "tool_trace_summary": slim(trace),
        "retry_context": retry_context.model_dump(mode="json") if retry_context and round > 1 else None,
    }


@dataclass(frozen=True, slots=True)
class VerifierAnswer:
    """The model's judgement as it gave it; `domain.verdict.judgement` recomputes every figure (R35)."""

    facts: tuple[CheckedFact, ...]
    verdict: Verdict
    groundedness_score: Decimal
    critical_fact_count: int
    rationale: str
    stripped: tuple[str, ...] = ()  # what stood around the object: a code fence, a think block


@dataclass(frozen=True, slots=True)
class VerifierUnreadable:
    """`problem` says, for people and for the one retry, what is wrong (R39)."""

    problem: str


VerifierReading: TypeAlias = VerifierAnswer | VerifierUnreadable


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Ref(_Strict):
    trace_ref: str | None = None
    tool_name: str | None = None
    topic_domain: str | None = None
    source_invocation_ids: list[int] | None = None
    note: str | None = None

    @field_validator("source_invocation_ids", mode="before")
    @classmethod
    def _numeric_strings_are_ids(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [int(item) if isinstance(item, str) and item.isdecimal() and len(item) < 20 else item for item in value]


class _Fact(_Strict):
    fact: str = Field(min_length=1)
    is_critical: bool
    verification: Annotated[FactClass, Field(strict=False)]
    detail: str
    evidence_refs: list[_Ref] = []
    claim_id: str | None = None


class _Answer(_Strict):
    verdict: Annotated[Verdict, Field(strict=False)]
    groundedness_score: float = Field(ge=0, le=1, allow_inf_nan=False)
    critical_fact_count: int = Field(ge=0)
    facts_checked: list[_Fact]
    rationale: str


def parse_verifier_output(raw: object) -> VerifierReading:
    """Read a text, or an object that is already parsed. Never raises: whatever does not fit is unreadable (R33).

    Around the one object a code fence or a think block is tolerated and noted, prose is not.
    """
    if raw is None:
        return VerifierUnreadable("the verifier gave no output")
    stripped: tuple[str, ...] = ()
    if isinstance(raw, str):
        found = find_object(raw)
        if found.problem or "prose" in found.stripped:
            return VerifierUnreadable(found.problem or "there is text around the JSON object")
        raw, stripped = found.value, found.stripped
    if not isinstance(raw, Mapping):
        return VerifierUnreadable(f"the output is not one JSON object but {type(raw).__name__}")
    try:
        return _reading(_Answer.model_validate(dict(raw)), stripped)
    except ValidationError as error:
        return VerifierUnreadable(violations(error))


def _reading(answer: _Answer, stripped: tuple[str, ...]) -> VerifierAnswer:
    return VerifierAnswer(
        facts=tuple(_fact(fact) for fact in answer.facts_checked),
        verdict=answer.verdict,
        groundedness_score=Decimal(str(answer.groundedness_score)),
        critical_fact_count=answer.critical_fact_count,
        rationale=answer.rationale,
        stripped=stripped,
    )


def _fact(fact: _Fact) -> CheckedFact:
    refs = tuple(
        FactRef(
            trace_ref=ref.trace_ref or "",
            tool_name=ref.tool_name or "",
            topic_domain=ref.topic_domain or "",
            source_invocation_ids=tuple(ref.source_invocation_ids or ()),
            note=ref.note or "",
        )
        for ref in fact.evidence_refs
    )
    return CheckedFact(
        fact=fact.fact,
        is_critical=fact.is_critical,
        verification=fact.verification,
        detail=fact.detail,
        evidence_refs=refs,
        claim_id=fact.claim_id,
    )
