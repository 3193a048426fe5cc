"""What came of a case."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from handlers.evaluation.case import Case
from handlers.evaluation.expectations import Miss
from handlers.evaluation.observation import Observation


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case that was run, what its session came to, and every expectation that it missed."""

    case: Case
    session_id: UUID
    seen: Observation
    misses: tuple[Miss, ...]
    seconds: float
