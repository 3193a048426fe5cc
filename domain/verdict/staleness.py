"""A claim about the present must not rest on old items alone (R9)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from domain.contracts import CheckedBinding, ToolInvocation
from domain.question.period import lengths_back, read_period
from domain.values.phrases import CURRENT_WORDS
from domain.values.times import times_in


def asked_window(question: str, window_minutes: int) -> timedelta:
    """The length back from now that the question names (the widest of several), else that of the default window."""
    return max(lengths_back(question), default=timedelta(minutes=window_minutes))


def _asked_since(question: str, window_minutes: int, now: datetime) -> datetime | None:
    """Since when the question looks: the start of its period (昨天, since 9 am), else of the window; None: ever."""
    period = read_period(question, now, now.tzinfo or UTC).period
    return period.start if period else now - asked_window(question, window_minutes)


def is_stale(
    claim_text: str,
    bindings: Sequence[CheckedBinding],
    invocations: Sequence[ToolInvocation],
    *,
    question: str,
    now: datetime,
    window_minutes: int,
) -> bool:
    """Whether a claim about 当前 has passed bindings, and all of them are older than the asked or default window.

    A binding whose time is not known is not taken as old.
    """
    if not bindings or not any(word in claim_text.casefold() for word in CURRENT_WORDS):
        return False
    oldest = _asked_since(question, window_minutes, now)
    if oldest is None:
        return False
    calls = {invocation.id: invocation for invocation in invocations}
    return all(_is_older(binding, calls.get(binding.source_invocation_id or 0), oldest, now) for binding in bindings)


def _is_older(binding: CheckedBinding, call: ToolInvocation | None, oldest: datetime, now: datetime) -> bool:
    last = _last_of_survey(binding, call, now)
    if last is not None and last < oldest:
        return True
    start, end = _query_window(call, now)
    if end is not None and end < oldest:
        return True
    if start is not None and start >= oldest:
        return False
    observed = _item_time(binding, now)
    return observed is not None and observed < oldest


def _query_window(call: ToolInvocation | None, now: datetime) -> tuple[datetime | None, datetime | None]:
    window = call.retrieval_details.window if call else ""
    moments = [moment for mention in times_in(window) if (moment := mention.moment(now))]
    return (moments[0], moments[-1]) if len(moments) > 1 else (None, None)


def _last_of_survey(binding: CheckedBinding, call: ToolInvocation | None, now: datetime) -> datetime | None:
    """A survey tells of changes before its window, too: when an item of it was last seen (R90)."""
    if call is None or call.tool_name != "survey_logs":
        return None
    refs = call.retrieval_details.evidence_refs or ()
    text = next((ref.text for ref in refs if ref.raw_path == binding.raw_path), "")
    times = (field for field in text.split(", ") if field.startswith(("time=", "last=")))
    field = next(times, "")
    return next((moment for mention in times_in(field) if (moment := mention.moment(now))), None)


def _item_time(binding: CheckedBinding, now: datetime) -> datetime | None:
    """When a log line was written. An alert's time is when it began, which says nothing against its firing now."""
    if not (binding.raw_path or "").startswith("$.logs["):
        return None
    moments = [mention.moment(now) for mention in times_in(binding.matched_text or binding.evidence_excerpt)]
    return next((moment for moment in moments if moment is not None), None)
