"""The shape of what other systems are sent (R52): the three CloudEvents of the verdict stream, by type.

A changed meaning is a new type (`….v2`) beside the old one; a new field may be added to a type, so readers ignore those
they do not know.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from domain.contracts import FactClass, Outcome, Verdict

Version = Annotated[int, Field(ge=1, description="Position of the recorded event in its session, from 1.")]
Round = Annotated[int, Field(ge=1, le=2)]
Score = Annotated[str, Field(pattern=r"^\d+(\.\d+)?$", description="Decimal number between 0 and 1, as text.")]


class PublicData(BaseModel):
    """Ids, classes, rules and figures of one session; no text that a person, a model or a tool wrote."""

    model_config = ConfigDict(frozen=True)

    session_id: UUID
    version: Version


class VerdictIssuedData(PublicData):
    """The verdict of one round. `final` is false where another round follows; `outcome` is then null."""

    round: Round
    final: bool
    verdict: Verdict
    outcome: Outcome | None
    groundedness_score: Score
    critical_fact_count: Annotated[int, Field(ge=0)]
    fact_classes: dict[FactClass, int] = Field(description="Number of critical facts of each class.")
    decided_by: Literal["model", "code"]
    reason: str | None = Field(description="Code of what decided instead of the facts, such as gatekeeper_reject.")
    adjusted_rules: list[str] = Field(description="Rules by which code lowered the model's judgement.")
    rule_version: str


class VerdictSupersededData(PublicData):
    """An auditor's verdict, which holds instead of the one recorded as `superseded_version`."""

    verdict: Verdict
    superseded_version: Version


class SessionEndedData(PublicData):
    """The end of a session. One that failed or was cancelled has no verdict, and a reason."""

    verdict: Verdict | None
    outcome: Outcome | None
    groundedness_score: Score | None
    rounds: Round | None
    reason: str | None


class CloudEvent(BaseModel):
    """CloudEvents 1.0 in structured JSON. `id` is the recorded event's own: the same event never has another."""

    model_config = ConfigDict(frozen=True)

    specversion: Literal["1.0"]
    id: UUID
    source: Literal["/assay"]
    subject: UUID = Field(description="The session.")
    time: datetime
    datacontenttype: Literal["application/json"]


class VerdictIssuedEvent(CloudEvent):
    """A round got its verdict."""

    type: Literal["assay.verdict.issued.v1"]
    data: VerdictIssuedData


class VerdictSupersededEvent(CloudEvent):
    """An auditor overrode a verdict."""

    type: Literal["assay.verdict.superseded.v1"]
    data: VerdictSupersededData


class SessionEndedEvent(CloudEvent):
    """A session ended, with or without a verdict."""

    type: Literal["assay.session.ended.v1"]
    data: SessionEndedData


PUBLIC_EVENTS: dict[str, type[CloudEvent]] = {
    "assay.verdict.issued.v1": VerdictIssuedEvent,
    "assay.verdict.superseded.v1": VerdictSupersededEvent,
    "assay.session.ended.v1": SessionEndedEvent,
}
"""Every public event by its type."""
