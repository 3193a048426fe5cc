"""Several sources of a kind as one answer: one that fails leaves the others' standing, and is a doubt (R20, R69)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from domain.evidence.coverage import Coverage, InputRead, Sought, Unread, UnreadReason, coverage_of
from infra.tools.contract import ToolError


class Failed(NamedTuple):
    """A source that could not be asked, and why."""

    name: str
    error: Fault


Fault: TypeAlias = ToolError | OSError


def all_failed(failed: Sequence[Failed]) -> Fault:
    """What to raise when none could be asked: the one fault as it is, several in one sentence each."""
    first = failed[0].error
    if len(failed) == 1:
        return first
    said = "; ".join(f"{one.name}: {one.error}" for one in failed)
    return ToolError(first.kind if isinstance(first, ToolError) else "source", said)


def partial_coverage(
    failed: Iterable[Failed], read: Iterable[InputRead], *, window: str, query: str, matched: int, returned: int
) -> Coverage | None:
    """The account of an answer that some sources are missing from; None where none is."""
    unread = [Unread(name=one.name, reason=UnreadReason.ERROR, could_match=True) for one in failed]
    if not unread:
        return None
    inputs = list(read)
    return coverage_of(
        window=window,
        sought=Sought(words=(query,) if query else ()),
        inputs=inputs,
        unread=unread,
        excluded=(),
        doubts=(),
        entries=sum(one.entries for one in inputs),
        matched=matched,
        returned=returned,
    )


def said_failed(failed: Iterable[Failed]) -> list[str]:
    """For the model: which sources are missing from the answer."""
    return [f"{one.name} 无法查询（{one.error}），结果不完整" for one in failed]
