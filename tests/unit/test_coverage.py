"""The account of a search, and what it lets a summary ref prove (R20, R69)."""

from __future__ import annotations

import json

import pytest

from domain.contracts import RetrievalDetails
from domain.evidence.coverage import (
    Coverage,
    Doubt,
    DoubtKind,
    Excluded,
    InputRead,
    Sought,
    Unread,
    UnreadReason,
    coverage_of,
)
from domain.evidence.extraction import extract_evidence
from domain.evidence.masking import masked_details

NOTHING = json.dumps({"success": True, "logs": [], "total": 0})


def covered(*, unread: list[Unread] | None = None, doubts: list[Doubt] | None = None, inputs: int = 1) -> Coverage:
    return coverage_of(
        window="2031-05-01T10:00:00Z/2031-05-01T11:00:00Z",
        sought=Sought(services=("till-api",), words=("deadlock",)),
        inputs=[InputRead(name=f"till-{n}.log", format="iso", entries=40) for n in range(inputs)],
        unread=unread or [],
        excluded=[Excluded(by="time", count=40), Excluded(by="words", count=0)],
        doubts=doubts or [],
        entries=40 * inputs,
        matched=0,
        returned=0,
    )


def summaries(coverage: Coverage | None) -> list[str]:
    details = extract_evidence("query_logs", NOTHING, base=RetrievalDetails(coverage=coverage))
    return [ref.text for ref in details.evidence_refs or ()]


def test_a_search_without_doubts_proves_an_absence_and_says_how_much_it_looked_at() -> None:
    """R20, R69."""
    assert covered().complete
    assert summaries(covered()) == ['source=query_logs query="" scanned=40 total=0']


@pytest.mark.parametrize("kind", DoubtKind)
def test_any_doubt_takes_the_summary_ref_away(kind: DoubtKind) -> None:
    """R69: then the answer is a gap."""
    coverage = covered(doubts=[Doubt(kind=kind, count=1, example="?")])

    assert not coverage.complete
    assert summaries(coverage) == []


@pytest.mark.parametrize("reason", UnreadReason)
def test_an_unread_input_that_could_match_is_a_doubt_that_names_it(reason: UnreadReason) -> None:
    """R69."""
    coverage = covered(unread=[Unread(name="old.bin", reason=reason, could_match=True)])

    assert coverage.doubts == (Doubt(kind=DoubtKind.INPUT, count=1, example="old.bin", input="old.bin"),)
    assert summaries(coverage) == []


def test_an_unread_input_that_could_not_match_leaves_the_proof_whole() -> None:
    """R69: its content shows that it is no log, or it is older than the window."""
    coverage = covered(unread=[Unread(name="wtmp", reason=UnreadReason.BINARY, could_match=False)])

    assert coverage.complete
    assert [one.name for one in coverage.unread] == ["wtmp"]


def test_lists_hold_twenty_names_of_a_kind_and_the_counts_hold_all() -> None:
    """R69."""
    unread = [Unread(name=f"{n}.db", reason=UnreadReason.BINARY, could_match=n == 29) for n in range(30)]
    coverage = covered(inputs=25, unread=unread)

    assert (len(coverage.inputs), coverage.counts.inputs, coverage.counts.entries) == (20, 25, 1000)
    assert len(coverage.unread) == 20
    assert coverage.unread[0].name == "29.db", "what could match stands first"
    assert coverage.excluded == (Excluded(by="time", count=40),)


def test_without_a_recorded_coverage_the_tools_own_statement_counts() -> None:
    """R69: of older sessions and declared tools."""
    assert summaries(None) == ['source=query_logs query="" total=0']


def test_names_and_examples_in_a_coverage_are_masked() -> None:
    """R22: they come from outside."""
    secret = "password=hunter2hunter2"
    coverage = covered(doubts=[Doubt(kind=DoubtKind.TEXT, count=1, example=secret)])

    assert "hunter2" not in masked_details(RetrievalDetails(coverage=coverage)).model_dump_json()
