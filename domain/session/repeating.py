"""One counter of tries for each step, in the session's own events, so that all workers share it (R7, R72).

Counted is whatever begins a step again that left nothing behind: it failed, stood still, or took its worker down. A
worker that lacks the model's credentials begins none, and an outage counts once at most, since with the log away no try
can be recorded. Any event but a tool's start shows that the session moves, and ends the count.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain.events import ERASED, AnyEvent, StepRepeated, StepRepeatedContent, StepRepeatedFacts
from domain.session.ending import WORKER_LOST, failed
from domain.session.state import Open
from domain.session.steps import phase_of

MAX_TRIES = 8
"""More than one tool call is started (MAX_TOOL_ATTEMPTS): a call that takes its worker down is given up by itself."""


def repeated(state: Open) -> Sequence[AnyEvent]:
    """The try, or the end of the session behind the last one."""
    file, stage = state.file, phase_of(state)
    if file.tries >= MAX_TRIES:
        return failed(file, stage, WORKER_LOST, f"步骤 {stage} 已开始 {file.tries} 次，每次都没有留下结果")
    facts = StepRepeatedFacts(stage=stage, tries=file.tries + 1)
    return (StepRepeated(facts=facts, content=ERASED if file.erased else StepRepeatedContent()),)
