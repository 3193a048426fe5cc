"""Section 7's table, row by row."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from domain.contracts import Route, Verdict
from domain.verdict.routing import route_after

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("verdict", "score", "round", "verifier_failed", "route"),
    [
        (Verdict.PASS, "1.0", 1, False, Route.COMPOSE),
        (Verdict.PASS, "1.0", 2, False, Route.COMPOSE),
        (Verdict.PASS, "0.2", 1, False, Route.COMPOSE),
        (Verdict.LOW_CONFID, "0.6", 1, False, Route.DISCLAIMER),
        (Verdict.LOW_CONFID, "0.6", 2, False, Route.DISCLAIMER),
        (Verdict.LOW_CONFID, "0.4", 1, False, Route.RETRY),
        (Verdict.LOW_CONFID, "0.4", 2, False, Route.DISCLAIMER),
        (Verdict.LOW_CONFID, "0", 1, True, Route.DISCLAIMER),
        (Verdict.LOW_CONFID, "0", 2, True, Route.DISCLAIMER),
        (Verdict.REJECT, "0", 1, False, Route.DEGRADE),
        (Verdict.REJECT, "0", 2, False, Route.DEGRADE),
    ],
)
def test_every_row_of_the_table(verdict: Verdict, score: str, round: int, verifier_failed: bool, route: Route) -> None:
    """R39, R40."""
    assert route_after(verdict, Decimal(score), HALF, round, verifier_failed) is route


@pytest.mark.parametrize(
    ("score", "threshold", "route"),
    [
        (Fraction(1, 2), Fraction(1, 2), Route.DISCLAIMER),
        (Fraction(1, 2) - Fraction(1, 10**9), Fraction(1, 2), Route.RETRY),
        (Fraction(1, 2) + Fraction(1, 10**9), Fraction(1, 2), Route.DISCLAIMER),
        (Fraction(3, 5), Fraction("0.6"), Route.DISCLAIMER),
        (Fraction(2, 3), Fraction("0.6667"), Route.RETRY),
        (Fraction(0), Fraction(0), Route.DISCLAIMER),
    ],
)
def test_the_threshold_is_met_exactly(score: Fraction, threshold: Fraction, route: Route) -> None:
    """R35: the boundary depends neither on floating point nor on rounding."""
    assert route_after(Verdict.LOW_CONFID, score, threshold, 1, False) is route
