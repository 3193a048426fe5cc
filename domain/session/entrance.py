"""What a session takes from its model and its folders is masked at the door (R22), before it is seen or recorded.

Not where events are decided: a recorded session is decided again from its record (R59), which later patterns must not
change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.events import ToolRequest
from domain.evidence.masking import mask, patterns_with
from domain.model_reply import ModelFailure, ModelReply
from domain.session.conversation import Surroundings


def masked_surroundings(surroundings: Surroundings, mask_patterns: Mapping[str, str]) -> Surroundings:
    """Names, headings and descriptions of knowledge and skills."""
    patterns = patterns_with(mask_patterns)
    return Surroundings(
        knowledge_domains=tuple(mask(line, patterns)[0] for line in surroundings.knowledge_domains),
        skills=tuple((mask(name, patterns)[0], mask(told, patterns)[0]) for name, told in surroundings.skills),
    )


def masked_outcome(
    outcome: ModelReply | ModelFailure, mask_patterns: Mapping[str, str], messages: Sequence[Mapping[str, Any]]
) -> ModelReply | ModelFailure:
    """A model's answer to `messages`. What it repeats of them stays as it is: they hold masked texts alone, and a
    quotation must stay a quotation."""
    patterns, shown = patterns_with(mask_patterns), "\n".join(map(_text, messages))

    def masked(text: str) -> str:
        return mask(text, patterns, shown=shown)[0] if text else text

    if isinstance(outcome, ModelFailure):
        return replace(outcome, message=masked(outcome.message))
    return replace(
        outcome,
        output=masked(outcome.output),
        thought=masked(outcome.thought),
        finish_reason=masked(outcome.finish_reason),
        tool_requests=tuple(
            ToolRequest(
                call_id=masked(asked.call_id), tool_name=masked(asked.tool_name), arguments=masked(asked.arguments)
            )
            for asked in outcome.tool_requests
        ),
    )


def _text(message: Mapping[str, Any]) -> str:
    calls = message.get("tool_calls") or ()
    return "\n".join([str(message.get("content") or ""), *(str(call.get("function", "")) for call in calls)])
