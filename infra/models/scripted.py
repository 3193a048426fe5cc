"""A model that replies as a script says: how the chain holds against models that misbehave can be written down (R63).

What the script leaves open, the offline model `extractive` fills in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from domain.contracts import Agent
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from infra.models.client import ModelClient
from infra.models.completion import NotACompletion, read_completion
from infra.models.extractive import MODEL_NAME

SCRIPTED = "scripted"
"""Name under which a scripted agent's model is recorded."""


class ScriptedCall(BaseModel):
    """A tool call. `arguments` as a text is sent as it is, whether JSON or not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    arguments: dict[str, JsonValue] | str = {}


class ScriptedReply(BaseModel):
    """One reply of one agent: a text, a JSON value, a text around one, tool calls, an error, or the offline model's.

    Alone, a text may stand for `{text: …}`. In every text, also inside `json`, `{{query_metrics.id}}` is the id of the
    tool's first call in the session, `{{query_metrics#2.id}}` of its second, and `{{query_metrics.$.alerts[0]}}` the
    text of that evidence ref. `{{json}}` in `text` is the JSON value, as often as it stands there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str | None = None
    document: JsonValue = Field(None, alias="json")
    calls: tuple[ScriptedCall, ...] | None = None
    error: ErrorKind | None = None
    extractive: Literal[True] | None = None

    @model_validator(mode="before")
    @classmethod
    def _bare_text(cls, value: Any) -> Any:
        return {"text": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if len(self.model_fields_set) != 1 and self.model_fields_set != {"text", "document"}:
            raise ValueError("a reply is one of text, json, text with json, calls, error, extractive")
        return self


Replies = Mapping[Agent, Sequence[ScriptedReply]]


class UnknownPlaceholder(ValueError):
    """A placeholder for a tool call or evidence ref that there is not; the message quotes it."""


class Script:
    """The replies of one session's agents; the others are the `offline` model (`infra.models.client`).

    `faults` says where the session asked for more than the script holds.
    """

    def __init__(self, replies: Replies, offline: ModelClient) -> None:
        self._seen = _Seen()
        self._offline = offline
        self.faults: list[str] = []
        self._models = {agent: ScriptedModel(agent, iter(lines), self) for agent, lines in replies.items()}

    def model_for(self, agent: Agent) -> ScriptedModel | ModelClient:
        return self._models.get(agent, self._offline)

    async def reply(
        self,
        agent: Agent,
        line: ScriptedReply | None,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None,
    ) -> ModelReply | ModelFailure:
        self._seen.read(messages)
        if line is None:
            return self._fault(f"the script holds no further reply of the {agent}")
        if line.error is not None:
            return ModelFailure(line.error, "as the script says")
        if line.extractive:
            return await self._offline.complete(model=MODEL_NAME, messages=messages, tools=tools)
        try:
            return read_completion(_completion(line, self._seen), messages, duration_ms=0)
        except UnknownPlaceholder as error:
            return self._fault(f"{agent}: {error}")
        except NotACompletion as error:
            return ModelFailure(ErrorKind.NOT_A_COMPLETION, str(error))

    def _fault(self, message: str) -> ModelFailure:
        self.faults.append(message)
        return ModelFailure(ErrorKind.BAD_REQUEST, message)


@dataclass(frozen=True, slots=True)
class ScriptedModel:
    """One agent's lines, said in order, whatever is asked."""

    agent: Agent
    lines: Iterator[ScriptedReply]
    script: Script

    async def complete(
        self,
        *,
        model: str,  # noqa: ARG002 - a server is told it; a script has no other model
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
    ) -> ModelReply | ModelFailure:
        return await self.script.reply(self.agent, next(self.lines, None), messages, tools)


# ---------------------------------------------------------------- what the agents have been shown


@dataclass(slots=True)
class _Seen:
    """The tool results in the conversations so far: invocation id -> tool and texts by path."""

    results: dict[int, tuple[str, dict[str, str]]] = field(default_factory=dict)

    def read(self, messages: Sequence[Mapping[str, Any]]) -> None:
        names = {
            call["id"]: call["function"]["name"] for message in messages for call in message.get("tool_calls") or ()
        }
        for message in messages:
            if message.get("role") == "tool":
                result = json.loads(message["content"])
                texts = {ref["raw_path"]: ref["text"] for ref in result.get("evidence_refs", ())}
                self.results.setdefault(result["source_invocation_id"], (names[message["tool_call_id"]], texts))

    def value_of(self, placeholder: re.Match[str]) -> int | str:
        """Raises UnknownPlaceholder."""
        calls = [(number, texts) for number, (tool, texts) in self.results.items() if tool == placeholder["tool"]]
        place = int(placeholder["number"] or 1)
        if not 1 <= place <= len(calls):
            raise UnknownPlaceholder(f"{placeholder[0]}: the session has {len(calls)} such calls")
        number, texts = calls[place - 1]
        if placeholder["what"] == "id":
            return number
        if placeholder["what"] not in texts:
            raise UnknownPlaceholder(f"{placeholder[0]}: the call returned {', '.join(texts) or 'no evidence'}")
        return texts[placeholder["what"]]


# ---------------------------------------------------------------- what is said

_PLACEHOLDER = re.compile(r"\{\{(?P<tool>[\w-]+)(?:#(?P<number>\d{1,9}))?\.(?P<what>id|\$[^{}]*)\}\}")


def _completion(line: ScriptedReply, seen: _Seen) -> bytes:
    """The reply as a server would send it."""
    message: dict[str, Any] = {"role": "assistant", "content": _text(line, seen)}
    if line.calls is not None:
        message["tool_calls"] = [
            {"type": "function", "function": {"name": call.tool, "arguments": _arguments(call, seen)}}
            for call in line.calls
        ]
    return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()


def _text(line: ScriptedReply, seen: _Seen) -> str:
    if "document" not in line.model_fields_set:
        return str(_filled(line.text or "", seen))
    document = json.dumps(_filled(line.document, seen), ensure_ascii=False, indent=1)
    return document if line.text is None else str(_filled(line.text, seen)).replace("{{json}}", document)


def _arguments(call: ScriptedCall, seen: _Seen) -> str:
    filled = _filled(call.arguments, seen)
    return filled if isinstance(filled, str) else json.dumps(filled, ensure_ascii=False)


def _filled(value: Any, seen: _Seen) -> Any:
    """The value with its placeholders replaced; a text that is nothing but one takes its type."""
    if isinstance(value, dict):
        return {key: _filled(part, seen) for key, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, seen) for part in value]
    if not isinstance(value, str):
        return value
    if whole := _PLACEHOLDER.fullmatch(value):
        return seen.value_of(whole)
    return _PLACEHOLDER.sub(lambda found: str(seen.value_of(found)), value)
