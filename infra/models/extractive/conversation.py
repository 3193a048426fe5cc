"""Reading a chat completion request: whose turn it is, what was asked, and what the tools have answered so far."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Payload = dict[str, Any]


class UnknownTask(Exception):
    """The first user message is no JSON object of a known agent; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Ref:
    """One evidence ref of a tool answer. A summary ref stands for the whole answer and has no index in its path."""

    tool_name: str
    invocation_id: int
    path: str
    text: str

    @property
    def is_summary(self) -> bool:
        return "[" not in self.path


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: made or to be made."""

    tool_name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """A call and what came back. `status` is the evidence status, `failed` for an answer that cannot be read; `doubts`
    the kinds of doubt that its coverage tells, `unknown` the names that its source has never heard of."""

    call: Call
    status: str
    refs: tuple[Ref, ...]
    doubts: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()

    @property
    def items(self) -> tuple[Ref, ...]:
        return tuple(ref for ref in self.refs if not ref.is_summary)

    @property
    def summary(self) -> Ref | None:
        return next((ref for ref in self.refs if ref.is_summary), None)


def first_payload(messages: Sequence[Mapping[str, Any]]) -> Payload:
    """The JSON object of the first user message. Raises UnknownTask."""
    for message in messages:
        if message.get("role") == "user":
            payload = _object(message.get("content"))
            if payload is None:
                break
            return payload
    raise UnknownTask("the first user message must be one JSON object")


def must_answer(messages: Sequence[Mapping[str, Any]]) -> bool:
    """A user message after the first asks for the answer with what there is."""
    return len([message for message in messages if message.get("role") == "user"]) > 1


def answered_calls(messages: Sequence[Mapping[str, Any]]) -> list[Answered]:
    """Every tool call of the conversation with its answer, in order."""
    made = dict(_made_calls(messages))
    return [
        _answered(made[call_id], message.get("content"))
        for message in messages
        if message.get("role") == "tool" and (call_id := str(message.get("tool_call_id"))) in made
    ]


def _made_calls(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Call]]:
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call.get("function", {})
            yield str(call.get("id")), Call(str(function.get("name")), _object(function.get("arguments")) or {})


def _answered(call: Call, content: Any) -> Answered:
    answer = _object(content) or {}
    invocation_id, refs = answer.get("source_invocation_id"), answer.get("evidence_refs")
    if type(invocation_id) is not int:
        return Answered(call, "failed", ())
    return Answered(
        call=call,
        status=str(answer.get("evidence_status", "failed")),
        refs=tuple(
            Ref(call.tool_name, invocation_id, ref["raw_path"], ref["text"])
            for ref in (refs if isinstance(refs, list) else ())
            if isinstance(ref, dict) and isinstance(ref.get("raw_path"), str) and isinstance(ref.get("text"), str)
        ),
        doubts=frozenset(str(doubt.get("kind")) for doubt in _doubts(answer) if not doubt.get("unknown")),
        unknown=frozenset(str(doubt["unknown"]) for doubt in _doubts(answer) if doubt.get("unknown")),
    )


def _doubts(answer: Payload) -> list[Payload]:
    coverage = answer.get("coverage")
    doubts = coverage.get("doubts") if isinstance(coverage, dict) else None
    return [doubt for doubt in doubts if isinstance(doubt, dict)] if isinstance(doubts, list) else []


def _object(text: Any) -> Payload | None:
    try:
        found = json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
