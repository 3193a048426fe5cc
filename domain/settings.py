"""The settings in force for one session, recorded in its first event (R42)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from domain.contract import Contract
from domain.contracts import TOOL_CLASSES, Agent, ToolClass

RULE_VERSION = "2026-12"
"""Version of the evidence rules; stands in every check and verdict (R42). Change it when a rule decides differently."""


_MOST_DECIMALS = 50  # an exponent without a limit costs unlimited time in exact arithmetic


def _share(value: str) -> str:
    try:
        share = Decimal(value)
        if 0 <= share <= 1 and int(share.as_tuple().exponent) >= -_MOST_DECIMALS:
            return value
    except InvalidOperation:  # no number, or NaN
        pass
    raise ValueError("must be a decimal number between 0 and 1")


Share = Annotated[str, AfterValidator(_share)]
"""A decimal string between 0 and 1: a boundary must not depend on floating point (R35)."""


class Budgets(Contract):
    """Limits of one round (R3)."""

    model_calls: int = Field(12, ge=1)
    tool_calls: int = Field(24, ge=0)
    tokens: int = Field(60_000, ge=1)
    seconds: int = Field(600, ge=1)


class SessionSettings(Contract):
    """What decides the course of a session. Nothing here is free text of a user."""

    threshold: Share = "0.5"
    budgets: Budgets = Budgets()
    zone: str = "UTC"  # of words of time in a question: an IANA name or ±HH:MM (R70)
    window_minutes: int = Field(60, ge=1, le=527_040)  # default query window (R9)
    max_model_attempts: int = Field(4, ge=1)  # of one model call, the first included (R7)
    max_refs_shown: int = Field(40, ge=1)  # of one tool call to the Executor (R4)
    models: dict[Agent, str] = Field(default_factory=dict)  # model name of each agent
    mask_patterns: dict[str, str] = Field(default_factory=dict)  # kind of secret -> RE2, besides the built-in (R22)
    tool_classes: dict[str, ToolClass] = Field(default_factory=lambda: dict(TOOL_CLASSES))
    source: Literal["sample", "given"] = "given"
