"""What every document that passes between agents, code and readers is made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError


class Contract(BaseModel):
    """Base of all documents: immutable; unknown fields of a newer writer are dropped, not refused."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def violations(error: ValidationError) -> str:
    """The first faults of a document in JSON's terms, each with the place where it stands, without its own text."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)[:3]
    return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {_fault(fault['type'], fault['msg'])}" for fault in faults)


def _fault(kind: str, message: str) -> str:
    expected = {"tuple_type": "Input should be a valid list", "model_type": "Input should be a valid object"}
    return expected.get(kind, message.removeprefix("Value error, "))
