"""Whether what was searched, or found, lies in the period that the question asks about (R70)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from domain.contracts import ToolInvocation
from domain.evidence.window import EVER
from domain.question.question import Period
from domain.values.times import times_in

SLACK = timedelta(minutes=1)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)

Span = tuple[datetime, datetime]


def searched_span(call: ToolInvocation) -> Span | None:
    """The window of a call, without a beginning for "ever"; None for a call that has no window."""
    details = call.retrieval_details
    window = details.window or (details.coverage.window if details.coverage else "")
    start, slash, end = window.partition("/")
    if not slash:
        return None
    begins = _FIRST if start in ("", EVER) else _moment(start)
    ends = _LAST if end in ("", EVER) else _moment(end)
    return (begins, ends) if begins is not None and ends is not None else None


def _moment(written: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(written.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def asked_span(period: Period, now: datetime) -> Span:
    """The period with its open ends filled: from the beginning, and up to `now`."""
    return period.start or _FIRST, min(period.end or now, now)


def contains(spans: Iterable[Span], asked: Span) -> bool:
    """Whether the spans together hold all of what was asked, up to a minute at each end and between them."""
    reached = asked[0]
    for start, end in sorted(spans):
        if start > reached and start - reached > SLACK:
            break
        reached = max(reached, end)
    return reached >= asked[1] or asked[1] - reached <= SLACK


def lies_in(asked: Span, moment: datetime) -> bool:
    before = asked[0] > moment and asked[0] - moment > SLACK
    after = moment > asked[1] and moment - asked[1] > SLACK
    return not before and not after


def item_moments(items: Sequence[str], now: datetime) -> list[datetime]:
    """When log lines were written: the full stamp that each begins with, of those that have one with its zone."""
    first = (next(iter(times_in(item[:48])), None) for item in items)
    moments = [m.moment(now) for m in first if m and m.year is not None and m.hour is not None and m.zone]
    return [moment for moment in moments if moment is not None]
