"""English claims are weighed as Chinese ones are: counts, absences, causes (R37, R70, R83)."""

from __future__ import annotations

import pytest

from domain.gatekeeper.not_found import says_not_found, stated_besides
from domain.values.numbers import values_in
from domain.values.units import COUNT
from domain.verdict.question_fit import _counts


@pytest.mark.parametrize(
    "claim",
    [
        "The logs of fees hold 2 entries: “x”.",
        "The logs of fees hold 1 entry on timeout: “x”.",
        "3 alerts in all are firing: A, B, C.",
        "1 alert in all is firing: A.",
        "There were 7 matches.",
    ],
)
def test_a_count_in_english_is_one(claim: str) -> None:
    """R70."""
    assert _counts(claim)


@pytest.mark.parametrize("claim", ["The logs of fees hold entries: “timeout after 2s”.", "fees shows ERROR at 10:00."])
def test_other_figures_are_none(claim: str) -> None:
    """R70."""
    assert not _counts(claim)


def test_entries_are_counted_things() -> None:
    """R37."""
    (value,) = values_in("2 entries")
    assert value.dimension == COUNT


@pytest.mark.parametrize(
    "claim",
    [
        "No HikariCP log entry of inventory-service found in the queried window.",
        'No "x509: certificate has expired" log entry of fees found in the queried window.',
        "No KubePodCrashLooping alert of namespace payments-production-europe-west-4 and container checkout-api"
        " found in the queried window.",
        "No ERROR log entry of fees found in the queried window. No timeout log entry of fees found.",
    ],
)
def test_an_english_absence_is_pure(claim: str) -> None:
    """R20, R48; what was searched for stands without its quotes where the gatekeeper looks."""
    bare = claim.replace('"x509: certificate has expired" ', "")
    assert says_not_found(claim)
    assert stated_besides(bare) is None


@pytest.mark.parametrize(
    "claim",
    [
        "No ERROR log entry of fees found, so the service is healthy.",
        "No ERROR log entry of fees found in the queried window. fees was restarted at noon.",
        "No OOM log entry found because the heap was raised.",
    ],
)
def test_what_rides_on_an_english_absence_is_seen(claim: str) -> None:
    """R20."""
    assert stated_besides(claim)
