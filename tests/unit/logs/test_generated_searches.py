"""Five hundred searches made by chance, in process: the question read, `query_logs` asked, the refs extracted.

Twenty thousand, and the table by axis and value: `python -m tests.long.searches --cases 20000 --seed 1 --workers 2`.
"""

from __future__ import annotations

import pytest

from tests.long.searches.run import run_seeds
from tests.long.searches.tally import Kind, Result, Table, table_of


@pytest.fixture(scope="module")
def table() -> Table:
    return table_of(run_seeds(range(1, 501)))


def told(results: list[Result]) -> list[str]:
    return [f"seed {one.seed}: {one.said} {dict(one.cell)}" for one in results]


def test_no_planted_line_is_said_not_to_be_there(table: Table) -> None:
    """R68, R69: an absence is cited only where everything was understood."""
    assert told([one for one in table.false if one.kind is Kind.FALSE_NOT_FOUND]) == []


def test_nothing_is_found_that_was_not_asked_for(table: Table) -> None:
    """R68: what is known to be another thing is excluded."""
    assert told([one for one in table.false if one.kind is Kind.FALSE_FOUND]) == []


def test_most_of_what_can_be_known_is_found_or_proven(table: Table) -> None:
    """R68: at least 95 in a hundred of the cases that the table does not leave to a gap."""
    assert table.all.percent >= 95, told(table.missed)


def test_an_entry_in_a_file_and_its_copy_counts_once(table: Table) -> None:
    """R69: a file and its .gz are one."""
    assert table.twice == []


def test_no_absence_of_a_service_that_nothing_is_of_is_proven(table: Table) -> None:
    """R71: a name that is never heard of is unknown there, and not an absent thing."""
    assert "unknown service" not in {rule for _, rule in table.by_luck}
