"""Reading refs of values, and the claims that state them: of now, or what they did in a window."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from domain.language.directions import IN_CHINESE
from infra.models.extractive.claims import Draft
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.tool_names import METRICS

MAX_TOLD = 8  # series of one answer
MAX_LABELS = 4
_FIELD = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{0,60})=(\"[^\"]{0,200}\"|[^,;\s]{1,200})", re.ASCII)
_NAME = re.compile(r"[A-Za-z_:][\w:]{0,200}(?=,|$)", re.ASCII)
_FIGURES = ("first", "last", "minimum", "maximum", "mean", "direction", "samples", "step", "value", "timestamp")
_HISTOGRAM = ("count", "sum", "first_count", "first_sum", "last_count", "last_sum", "histograms")
_NO_LABELS = frozenset((*_FIGURES, *_HISTOGRAM, "histogram_from", "histogram_to", "source"))


@dataclass(frozen=True, slots=True)
class Series:
    """A series as its ref tells it: its name, its labels and its figures."""

    ref: Ref
    name: str
    fields: dict[str, str]

    @property
    def labels(self) -> str:
        told = [f"{key}={value}" for key, value in self.fields.items() if self._is_label(key)]
        return f"（{'，'.join(told[:MAX_LABELS])}）" if told else " "

    @staticmethod
    def _is_label(key: str) -> bool:
        return key not in _NO_LABELS and not key.endswith("_at")


def asks_value(done: Answered) -> bool:
    """Whether a call asked for the value of an expression."""
    return done.call.tool_name == METRICS and bool(done.call.arguments.get("expr"))


def value_claims(inquiry: Inquiry, answered: Sequence[Answered]) -> Iterator[Draft]:
    """One claim for each series of each expression that was asked for."""
    for done in answered:
        if asks_value(done):
            expr = str(done.call.arguments["expr"])
            for ref in done.items[:MAX_TOLD]:
                if not inquiry.excludes(ref.text) and (told := _told(_read(ref, expr))):
                    yield Draft("observation", f"{told}。", (ref,))


def _read(ref: Ref, expr: str) -> Series:
    name = _NAME.match(ref.text)
    return Series(ref, name[0] if name else expr, dict(_FIELD.findall(ref.text)))


def _told(series: Series) -> str:
    fields, what = series.fields, f"{series.name}{series.labels}"
    if "value" in fields:
        at = f"（{fields['timestamp']}）" if "timestamp" in fields else ""
        return f"{what}的值为 {plain(fields['value'])}{at}"
    if "first" in fields:
        return f"{what}的值{_trend(fields)}"
    if "count" in fields and "sum" in fields:
        return f"{what}的直方图：count={fields['count']}，sum={fields['sum']}"
    return ""


def _trend(fields: dict[str, str]) -> str:
    """From the first value to the last, with the extremes, the mean and which way it went."""
    said = []
    for key, word in (("first", "起始"), ("last", "最后"), ("minimum", "最小"), ("maximum", "最大"), ("mean", "平均")):
        if key in fields:
            at = fields.get(f"{key}_at")
            said.append(f"{word} {plain(fields[key])}" + (f"（{at}）" if at else ""))
    if direction := fields.get("direction"):
        said.append(f"走向：{IN_CHINESE.get(direction, direction)}（direction={direction}）")
    return "，".join(said)


def plain(value: str) -> str:
    """A number as people write it, with all its digits: 100861 and not 1.00861e+05; NaN and ±Inf as they are."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    if not number.is_finite() or abs(number.adjusted()) > 20:
        return value
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
