"""Values of expressions as items: at one time, or what they did in a window (R84)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from domain.evidence.alert_search import AlertsAsked
from domain.evidence.coverage import DoubtKind
from domain.evidence.trend import SeriesPoint, plain_number, trend_of
from domain.evidence.value_answer import INSTANT, RANGE, ValueSource
from domain.evidence.window import Window, duration_text, utc_text
from infra.tools.metric_answers import HistogramPoint, Sample, ScalarData, SeriesData

MOST_POINTS = 500  # of one series
_STEPS = (1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400)  # seconds

_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
_LABELS = re.compile(r"\{[^{}]*\}|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)", re.IGNORECASE)
_NAME = re.compile(r"(?<![\w:.])([A-Za-z_:][\w:]*)(?![\w:]|\s*\()")
_WORDS = frozenset(
    (
        *("and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "group_left", "group_right"),
        *("start", "end", "inf", "nan", "atan2"),
    )
)


def step_of(window: Window) -> int | None:
    """Seconds between two points, so that a series has MOST_POINTS at most, however long the window is; None for a
    moment."""
    if window.start is None or window.start == window.end:
        return None
    least = (window.end - window.start).total_seconds() / MOST_POINTS
    days = math.ceil(least / _STEPS[-1]) * _STEPS[-1]
    return next((step for step in _STEPS if step >= least), days)


def metrics_in(expr: str) -> list[str]:
    """The names of metrics in an expression, each once."""
    bare = _LABELS.sub(" ", _QUOTED.sub('""', expr))
    return list(dict.fromkeys(name for name in _NAME.findall(bare) if name.casefold() not in _WORDS))


def value_source(
    place: str, data: SeriesData | ScalarData, warnings: Sequence[str], asked: AlertsAsked, step_s: int | None
) -> ValueSource:
    """`step_s`: of a query over a window, None for one at one time."""
    kind = INSTANT if step_s is None else RANGE
    if isinstance(data, ScalarData):
        item = {"value": data.result[1], "timestamp": _time(data.result[0])}
        return ValueSource(place, kind, 1, [item], warnings=warnings)
    items: list[dict[str, Any]] = []
    points: list[dict[str, Any]] = []
    doubtful: list[str] = []
    excluded = 0
    for sample in data.result:
        objection = asked.service_objection(sample.metric)
        if objection is None:
            items.append(_item(sample, step_s))
            points.append(_labels(sample) | {"points": _points(sample)})
        elif isinstance(objection, DoubtKind):
            doubtful.append(",".join(f"{label}={value}" for label, value in sample.metric.items()))
        else:
            excluded += 1
    held = points if step_s is not None else []
    return ValueSource(place, kind, len(data.result), items, held, excluded, doubtful, warnings)


def _item(sample: Sample, step_s: int | None) -> dict[str, Any]:
    item = _labels(sample)
    if sample.value is not None:
        return item | {"value": sample.value[1], "timestamp": _time(sample.value[0])}
    if sample.histogram is not None:
        seconds, histogram = sample.histogram
        return item | {"count": histogram.count, "sum": histogram.sum, "timestamp": _time(seconds)}
    if step_s is None:  # a range selector in an instant query
        return item | {"values": _points(sample)}
    figures = _figures([SeriesPoint(_moment(at), text) for at, text in sample.values]) if sample.values else {}
    return item | figures | _histogram_figures(sample.histograms) | {"step": duration_text(timedelta(seconds=step_s))}


def _labels(sample: Sample) -> dict[str, Any]:
    labels = {label: value for label, value in sample.metric.items() if label != "__name__"}
    return {"name": sample.metric.get("__name__", ""), "labels": labels}


def _figures(points: Sequence[SeriesPoint]) -> dict[str, Any]:
    trend = trend_of(points)
    said: dict[str, Any] = {}
    for name, point in (
        *(("first", trend.first), ("last", trend.last), ("minimum", trend.minimum), ("maximum", trend.maximum)),
    ):
        if point is not None:
            said |= {name: point.text, f"{name}_at": utc_text(point.at)}
    if trend.mean is not None:
        said["mean"] = plain_number(trend.mean)
    if trend.direction is not None:
        said["direction"] = trend.direction.value
    return said | {"samples": trend.samples}


def _histogram_figures(points: Sequence[HistogramPoint]) -> dict[str, Any]:
    if not points:
        return {}
    (start, first), (end, last) = points[0], points[-1]
    return {
        "first_count": first.count,
        "first_sum": first.sum,
        "histogram_from": _time(start),
        "last_count": last.count,
        "last_sum": last.sum,
        "histogram_to": _time(end),
        "histograms": len(points),
    }


def _points(sample: Sample) -> list[str]:
    values = [(seconds, value) for seconds, value in sample.values]
    histograms = [(seconds, f"count={one.count} sum={one.sum}") for seconds, one in sample.histograms]
    return [f"{_time(seconds)} {text}" for seconds, text in sorted([*values, *histograms], key=lambda one: one[0])]


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _time(seconds: float) -> str:
    return utc_text(_moment(seconds))
