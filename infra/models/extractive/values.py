"""Reading refs of values, and the claims that state them: of now, or what they did in a window."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from domain.answer.texts import joined
from domain.language.directions import IN_CHINESE
from domain.language.tongues import Language
from infra.models.extractive.claims import Draft
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.texts import text
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

    def called(self, language: Language) -> str:
        """Its name and labels."""
        told = [f"{key}={value}" for key, value in self.fields.items() if self._is_label(key)]
        if not told:
            return f"{self.name} "
        return text("labelled", language, name=self.name, labels=joined("comma", told[:MAX_LABELS], language))

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
                if not inquiry.excludes(ref.text) and (told := _told(_read(ref, expr), inquiry.language)):
                    yield Draft("observation", f"{told}{text('stop', inquiry.language)}", (ref,))


def _read(ref: Ref, expr: str) -> Series:
    name = _NAME.match(ref.text)
    return Series(ref, name[0] if name else expr, dict(_FIELD.findall(ref.text)))


def _told(series: Series, language: Language) -> str:
    fields, what = series.fields, series.called(language)
    if "value" in fields:
        said = text("value.now", language, series=what, value=plain(fields["value"]))
        return _at(said, fields.get("timestamp"), language)
    if "first" in fields:
        return text("value.trend", language, series=what, trend=_trend(fields, language))
    if "count" in fields and "sum" in fields:
        return text("value.histogram", language, series=what, count=fields["count"], sum=fields["sum"])
    return ""


def _trend(fields: dict[str, str], language: Language) -> str:
    """From the first value to the last, with the extremes, the mean and which way it went."""
    said = [
        _at(text(f"trend.{key}", language, value=plain(fields[key])), fields.get(f"{key}_at"), language)
        for key in ("first", "last", "minimum", "maximum", "mean")
        if key in fields
    ]
    if direction := fields.get("direction"):
        told = IN_CHINESE.get(direction, direction)
        said.append(text("value.direction", language, said=told, direction=direction))
    return joined("comma", said, language)


def _at(said: str, time: str | None, language: Language) -> str:
    return text("at", language, said=said, time=time) if time else said


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
