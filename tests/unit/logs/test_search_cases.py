"""The generated searches are what they say: without this, a count of faults would count the generator's own."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest
from backports import zstd

from tests.long.searches import Case, Outcome, generate
from tests.long.searches.cells import LAYOUTS
from tests.long.searches.expectation import MUST_BE_GAP

CASES = [generate(seed) for seed in range(2_000)]


def contents(case: Case) -> list[bytes]:
    """The contents of all files that can be unpacked."""
    found = []
    for path, data in case.files.items():
        if path.endswith(".9.gz"):
            continue  # the broken archive
        if path.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                found += [archive.read(name) for name in archive.namelist()]
        elif path.endswith((".tar", ".tar.gz")):
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                found += [archive.extractfile(member).read() for member in archive]  # type: ignore[union-attr]
        else:
            unpack = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress, "zst": zstd.decompress}
            found.append(unpack.get(path.rsplit(".", 1)[-1], bytes)(data))
    return found


def test_a_seed_gives_the_same_case() -> None:
    """Faults are named by their seed."""
    assert generate(4711) == generate(4711)


def test_a_planted_line_stands_in_one_file_and_in_its_copy_alone() -> None:
    """The marker finds the line, whatever the encoding and the packing."""
    for case in CASES:
        wide = [case.marker.encode(one) for one in ("utf-8", "utf-16-le", "utf-16-be")]
        holding = [data for data in contents(case) if case.marker and any(mark in data for mark in wide)]
        assert len(holding) in ((1, 2) if case.cell["beside"] == "copy" else (1,)) or not case.marker, case.seed


def test_what_must_come_of_a_case_fits_what_is_planted() -> None:
    """R68: an absence is never to be found, a planted line never to be proven absent."""
    for case in CASES:
        assert case.expected.must is not (Outcome.PROVEN if case.marker else Outcome.FOUND), case.seed
        assert (case.expected.rule in MUST_BE_GAP) == (case.expected.must is Outcome.GAP), case.seed


def test_a_planted_line_lies_in_the_period_that_is_asked_for() -> None:
    """R9: and its file was not changed after the question."""
    for case in CASES:
        if case.planted_at and case.sought.start:
            assert case.sought.start < case.planted_at < case.sought.end <= case.now, case.seed
        assert all(changed <= case.now for changed in case.changed.values()), case.seed


@pytest.mark.parametrize("rule", MUST_BE_GAP)
def test_each_row_of_the_table_of_gaps_has_cases(rule: str) -> None:
    """R68, R69, R71: no row stands there for nothing."""
    assert any(case.expected.rule == rule for case in CASES)


def test_formats_of_the_list_are_drawn_and_so_are_those_in_no_list() -> None:
    """At least eight formats that no parser has a row for."""
    drawn = {case.cell["format"] for case in CASES}
    assert {layout.name for layout in LAYOUTS} <= drawn
    assert sum(layout.unseen for layout in LAYOUTS) >= 8


def test_most_cases_need_not_be_gaps() -> None:
    """A table of gaps that held everything would prove nothing."""
    assert sum(case.expected.must is not Outcome.GAP for case in CASES) > len(CASES) / 2
