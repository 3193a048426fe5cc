"""What a benchmark prints: a Markdown table of several runs, with ratios that come from the same runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

HEADER = ("", "min", "median", "max", "compared")


@dataclass(frozen=True, slots=True)
class Ratio:
    """How a row stands to another: the median, over the runs, of this row's figure divided by the other's.

    `aim`: what the ratio should reach, or with `at_most` not exceed; None where nothing was aimed at.
    """

    to: str
    aim: float | None = None
    at_most: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One contender: a figure for each run, in the order of the runs."""

    name: str
    figures: Sequence[float]
    ratios: tuple[Ratio, ...] = ()


def table(title: str, rows: Sequence[Row], *notes: str) -> str:
    """Markdown: a heading, the rows, and what must be known to read them."""
    figures = {row.name: row.figures for row in rows}
    lines = [_line(HEADER), _line(["---", *["---:"] * 3, "---"]), *(_line(_cells(row, figures)) for row in rows)]
    return "\n\n".join([f"#### {title}", "\n".join(lines), *notes])


def plain_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], *notes: str) -> str:
    """Markdown of cells that are text already."""
    lines = [_line(header), _line(["---", *["---:"] * (len(header) - 1)]), *map(_line, rows)]
    return "\n\n".join([f"#### {title}", "\n".join(lines), *notes])


def shown(value: float) -> str:
    """Three significant digits, and whole numbers from 100 on."""
    if value == 0:
        return "0"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` of all values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def _cells(row: Row, figures: dict[str, Sequence[float]]) -> list[str]:
    spread = (min(row.figures), median(row.figures), max(row.figures))
    return [row.name, *map(shown, spread), "; ".join(_compared(row, ratio, figures[ratio.to]) for ratio in row.ratios)]


def _compared(row: Row, ratio: Ratio, others: Sequence[float]) -> str:
    value = median(ours / theirs for ours, theirs in zip(row.figures, others, strict=True))
    text = f"{shown(value)} × {ratio.to}"
    if ratio.aim is None:
        return text
    met = value <= ratio.aim if ratio.at_most else value >= ratio.aim
    return f"{text} (aim {'≤' if ratio.at_most else '≥'} {ratio.aim:g}: {'met' if met else '**missed**'})"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
