"""Where a session goes after a verdict (SPEC section 7)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from domain.contracts import Outcome, Route, Verdict

LAST_ROUND = 2
"""No session has more rounds (R40)."""


def route_after(
    verdict: Verdict, score: Fraction | Decimal, threshold: Fraction | Decimal, round: int, verifier_failed: bool
) -> Route:
    """The row and column of section 7's table. `score` is exact: a rounded one could cross the threshold (R35)."""
    match verdict:
        case Verdict.PASS:
            return Route.COMPOSE
        case Verdict.REJECT:
            return Route.DEGRADE
        case Verdict.LOW_CONFID:
            may_retry = round < LAST_ROUND and not verifier_failed
            return Route.RETRY if may_retry and Fraction(score) < Fraction(threshold) else Route.DISCLAIMER
        case _:
            assert_never(verdict)


OUTCOMES = {
    Route.COMPOSE: Outcome.NORMAL,
    Route.DISCLAIMER: Outcome.LOW_CONFID_WITH_DISCLAIMER,
    Route.DEGRADE: Outcome.DEGRADED,
}
"""What the user is shown on a route; none while another round follows."""
