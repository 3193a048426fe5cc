"""The account of a search for people (R69): what was read, what was not and why, what could not be decided."""

from __future__ import annotations

from collections.abc import Iterator

from domain.evidence.coverage import Coverage, Doubt, InputRead, Sought, Unread
from handlers.cli.plain import plain


def summary(coverage: Coverage) -> str:
    """`complete; 1234 entries of 3 inputs, 2 matched; window 2031-03-04T11:00:00Z/…; sought order-service ERROR`."""
    counts, sought = coverage.counts, _sought(coverage.sought)
    said = "complete" if coverage.complete else "not complete"
    said += f"; {counts.entries} entries of {counts.inputs} inputs, {counts.matched} matched"
    said += f"; window {coverage.window}" if coverage.window else ""
    return plain(said + (f"; sought {sought}" if sought else ""))


def coverage_lines(coverage: Coverage, most: int) -> list[str]:
    """A line each for what was doubted, excluded, left unread and read; of the last two at most so many."""
    return [plain(line) for line in _lines(coverage, most)]


def _lines(coverage: Coverage, most: int) -> Iterator[str]:
    yield from map(_doubt, coverage.doubts)
    for one in coverage.excluded:
        yield f"excluded  {one.count} by {one.by}"
    left = sorted(coverage.unread, key=lambda one: not one.could_match)
    yield from map(_unread, left[:most])
    if (more := len(left) - most) > 0:
        yield f"unread    {more} more"
    yield from map(_read, coverage.inputs[:most])
    if (more := coverage.counts.inputs - min(most, len(coverage.inputs))) > 0:
        yield f"read      {more} more"


def _doubt(one: Doubt) -> str:
    where = f" in {one.input}" if one.input else ""
    example = f": {one.example}" if one.example not in ("", one.input) else ""
    year = f" ({one.yearless} without a year)" if one.yearless else ""
    return f"doubt     {one.kind}, {one.count}{year}{where}{example}"


def _unread(one: Unread) -> str:
    return f"unread    {one.name}: {one.reason}{', could match' if one.could_match else ''}"


def _read(one: InputRead) -> str:
    if one.format == "markdown":
        return f"read      {one.name}: {one.format}, {one.entries} documents"
    when = f"{one.first} to {one.last}{', year assumed' if one.year_assumed else ''}" if one.first else "none dated"
    zone = f", zone {one.zone}{' (assumed)' if one.zone_assumed else ''}" if one.zone else ""
    return f"read      {one.name}: {one.format}, {one.entries} entries, {when}{zone}"


def _sought(sought: Sought) -> str:
    words = (f'"{word}"' for word in sought.words)
    return " ".join(filter(None, [", ".join(sought.services), "/".join(sought.levels), *words]))
