"""Reading the bytes of a chat completion, whatever an OpenAI-compatible server made of them.

The official client passes many malformed answers through unnoticed, so nothing here trusts a shape. A body without a
usable reply is a `NotACompletion`; everything usable is kept as it came, above all the arguments of tool calls: they
stay text, and cut or broken ones are for the caller to refuse (R3).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.events import ToolRequest
from domain.model_reply import ModelReply
from infra.models.tokens import estimated_tokens

MOST_CALLS = 128  # that one reply may ask for: each is recorded, also where the budget refuses it
SHOWN_BODY = 200  # characters of a foreign body in an error message


class NotACompletion(Exception):
    """The body holds no usable reply; the message says what it holds instead."""


def read_completion(body: bytes, messages: Sequence[Mapping[str, Any]], duration_ms: int) -> ModelReply:
    """The reply in `body` to `messages`. Raises NotACompletion.

    Call ids that are missing, repeated or already used in `messages` are replaced by own ones, unique in the
    conversation. Where the server reports no usable token counts, they are estimated and marked.
    """
    completion = _json_object(body)
    choice = _first_choice(completion)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise NotACompletion("the first choice holds no message")
    output = _text(message.get("content")) or _text(message.get("refusal"))
    thought = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    requests = tuple(_tool_requests(message.get("tool_calls"), used=_call_ids(messages)))
    if len(requests) > MOST_CALLS:
        raise NotACompletion(f"the message asks for {len(requests)} tool calls at once, more than {MOST_CALLS}")
    if not output.strip() and not requests:
        raise NotACompletion("the message has neither content nor tool calls" + (", only thinking" if thought else ""))
    usage = _reported_usage(completion.get("usage"))
    counted = usage or _estimated_usage(messages, output, thought, requests)
    return ModelReply(
        output=output,
        thought=thought,
        tool_requests=requests,
        finish_reason=_text(choice.get("finish_reason")),
        input_tokens=counted[0],
        output_tokens=counted[1],
        usage_estimated=usage is None,
        duration_ms=duration_ms,
    )


def error_text(body: bytes) -> str:
    """What an error body says, in one short line: the JSON error message, or the beginning of the text."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return _described(body)
    error = found.get("error", found.get("message", found)) if isinstance(found, dict) else found
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        error = error["message"]
    return _shortened(error if isinstance(error, str) else json.dumps(error, ensure_ascii=False))


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotACompletion(_described(body)) from error
    if not isinstance(found, dict):
        raise NotACompletion(f"the body is a JSON {type(found).__name__}, not an object")
    return found


def _described(body: bytes) -> str:
    text = body.decode("utf-8", "replace").strip()
    if not text:
        return "the body is empty"
    if text[:100].lower().startswith(("<!doctype html", "<html", "<head", "<body")):
        return "the body is an HTML page"
    kind = "JSON cut short or malformed" if text[0] in "{[" else "not JSON"
    return f"the body is {kind}: {_shortened(text)}"


def _shortened(text: str) -> str:
    line = " ".join(text[: 4 * SHOWN_BODY].split())
    return line if len(line) <= SHOWN_BODY else line[:SHOWN_BODY] + "…"


def _first_choice(completion: dict[str, Any]) -> dict[str, Any]:
    choices = completion.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    if completion.get("error"):
        raise NotACompletion(f"the body is an error: {error_text(json.dumps(completion).encode())}")
    raise NotACompletion("the completion has no choices")


def _text(value: Any) -> str:
    """Text, or the text parts of a list of parts. Half surrogate pairs, which no store takes, become `?`."""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _tool_requests(calls: Any, *, used: set[str]) -> Iterator[ToolRequest]:
    for call in calls if isinstance(calls, list) else ():
        if not isinstance(call, dict):
            continue
        asked = call.get("function")
        function = asked if isinstance(asked, dict) else {}
        call_id = _unique_id(_text(call.get("id")), used)
        used.add(call_id)
        yield ToolRequest(
            call_id=call_id, tool_name=_text(function.get("name")), arguments=_arguments(function.get("arguments"))
        )


def _unique_id(given: str, used: set[str]) -> str:
    if given and given not in used:
        return given
    number = len(used) + 1
    while f"call-{number}" in used:
        number += 1
    return f"call-{number}"


def _call_ids(messages: Sequence[Mapping[str, Any]]) -> set[str]:
    return {str(call.get("id", "")) for message in messages for call in message.get("tool_calls") or ()}


def _arguments(value: Any) -> str:
    """As text: an object is written out, text that holds the JSON text of an object (encoded twice) is unwrapped."""
    if not isinstance(value, str):
        return "" if value is None else json.dumps(value, ensure_ascii=False)
    try:
        inner = json.loads(value) if value.lstrip().startswith('"') else None
        if isinstance(inner, str) and isinstance(json.loads(inner), dict):
            return _text(inner)
    except (ValueError, RecursionError):
        pass
    return _text(value)


def _reported_usage(usage: Any) -> tuple[int, int] | None:
    if not isinstance(usage, dict):
        return None
    sent, written = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    return (sent, written) if sent is not None and written is not None and sent + written > 0 else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _estimated_usage(
    messages: Sequence[Mapping[str, Any]], output: str, thought: str, requests: Sequence[ToolRequest]
) -> tuple[int, int]:
    sent = json.dumps(list(messages), ensure_ascii=False, default=str)
    written = output + thought + "".join(request.tool_name + request.arguments for request in requests)
    return estimated_tokens(sent), estimated_tokens(written)
