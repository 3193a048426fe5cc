"""The cells of one row of a table."""

from __future__ import annotations

import csv


def row_of(text: str, mark: str = ",") -> list[str]:
    """The cells of one row, which may have several lines; none where it is no row."""
    try:
        return next(csv.reader([text], delimiter=mark, skipinitialspace=True), [])
    except csv.Error:
        return []
