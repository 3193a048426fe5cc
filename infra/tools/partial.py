"""Several sources of a kind as one answer: one that fails leaves the others' standing, and is a doubt (R20, R69)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

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


def said_failed(failed: Iterable[Failed]) -> list[str]:
    """For the model: which sources are missing from the answer."""
    return [f"{one.name} 无法查询（{one.error}），结果不完整" for one in failed]
