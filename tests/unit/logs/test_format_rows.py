"""Every format that is a row of data reads its examples, and no other row takes them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from infra.log_reading.formats import Context, read_entries
from infra.log_reading.formats.clock import Clock
from infra.log_reading.formats.known import Formats
from infra.log_reading.formats.row import NOT_TAKEN, Example, Row
from infra.log_reading.formats.tables import ROWS

NOW = datetime(2024, 5, 31, 23, tzinfo=UTC)
CONTEXT = Context(NOW, UTC, False, NOW, "app.log")
EXAMPLES = [pytest.param(row, one, id=f"{row.name}: {one.line[:60]}") for row in ROWS for one in row.examples]


@pytest.mark.parametrize(("row", "example"), EXAMPLES)
def test_an_example_of_a_format_is_read_as_written_beside_it(row: Row, example: Example) -> None:
    """R18: stamp, level, names and message of each format."""
    reader = read_entries([(line, True) for line in example.line.split("\n")], CONTEXT)
    (entry,) = list(reader)
    header = entry.header
    assert (entry.stamp.at if entry.stamp else None) == (datetime.fromisoformat(example.at) if example.at else None)
    assert (header.level, header.names) == (example.level, example.names)
    assert example.message in (None, header.message)
    assert entry.stamp is None or entry.stamp.zone_known is example.zone
    assert (reader.format_name, entry.has_levels) == (row.name, row.has_levels)


@pytest.mark.parametrize(("row", "example"), EXAMPLES)
def test_no_other_format_takes_an_example(row: Row, example: Example) -> None:
    """R68: which format reads a line does not depend on the lines before it."""
    first = example.line.split("\n")[0]
    formats = Formats(CONTEXT, with_wrappings=True).all
    taking = [one.name for one in formats if one.stamp(first, Clock(CONTEXT)) is not NOT_TAKEN]
    assert taking == [row.name]


def test_every_format_has_an_example_and_a_name_of_its_own() -> None:
    """R18: a row without an example is not tested."""
    assert [row.name for row in ROWS if not row.examples] == []
    assert len({row.name for row in ROWS}) == len(ROWS)
