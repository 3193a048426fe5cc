"""The model as a server: one ASGI callable that speaks `POST /v1/chat/completions` and `GET /v1/models`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from hashlib import sha256
from typing import Any

from infra.models.extractive import MODEL_NAME
from infra.models.extractive.composer import compose
from infra.models.extractive.conversation import Call, Payload, UnknownTask, first_payload
from infra.models.extractive.executor import execute
from infra.models.extractive.planner import plan
from infra.models.extractive.verifier import verify
from infra.models.tokens import estimated_tokens
from infra.reading.limits import ReadingLimit
from infra.reading.processes import working_processes

AsgiMessage = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]


AT_HAND = 100_000
"""Bytes of a request that is answered at once; a longer one is in a process apart (R72)."""


class RequestError(Exception):
    """A request that a model server refuses."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def app(scope: AsgiMessage, receive: Receive, send: Send) -> None:
    """Answers like any OpenAI-compatible server, errors included."""
    if scope["type"] != "http":
        return
    try:
        body = await _body(receive)
        where = scope["method"], scope["path"]
        status, answer = 200, _route(*where, body) if len(body) <= AT_HAND else await _routed_apart(*where, body)
    except RequestError as error:
        status, answer = error.status, {"error": {"message": str(error), "type": "invalid_request_error"}}
    content = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": content})


async def _body(receive: Receive) -> bytes:
    chunks, more = [], True
    while more:
        message = await receive()
        chunks.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(chunks)


def _route(method: str, path: str, body: bytes) -> dict[str, Any]:
    if (method, path) == ("GET", "/v1/models"):
        return {"object": "list", "data": [{"id": MODEL_NAME, "object": "model", "owned_by": "assay"}]}
    if (method, path) != ("POST", "/v1/chat/completions"):
        raise RequestError(404, f"no such endpoint: {method} {path}")
    return complete(_request(body))


async def _routed_apart(method: str, path: str, body: bytes) -> dict[str, Any]:
    try:
        status, answer = await working_processes().run("infra.models.extractive.app:routed", method, path, body)
    except ReadingLimit as limit:
        raise RequestError(413, f"the conversation is too long: {limit}") from None
    if status != 200:
        raise RequestError(status, answer)
    return answer  # type: ignore[no-any-return]


def routed(method: str, path: str, body: bytes) -> tuple[int, dict[str, Any] | str]:
    """Status and answer, or what is wrong with the request: in the process apart."""
    try:
        return 200, _route(method, path, body)
    except RequestError as error:
        return error.status, str(error)


def _request(body: bytes) -> dict[str, Any]:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError(400, "the request is no JSON") from None
    if not isinstance(request, dict) or not isinstance(request.get("messages"), list):
        raise RequestError(400, "the request needs a list of messages")
    if request.get("model") != MODEL_NAME:
        raise RequestError(404, f"the model {request.get('model')!r} does not exist; there is {MODEL_NAME!r}")
    return request


def complete(request: dict[str, Any]) -> dict[str, Any]:
    """The chat completion for a request. Raises RequestError."""
    messages = [message for message in request["messages"] if isinstance(message, dict)]
    try:
        reply = _reply(first_payload(messages), messages, request.get("tools"))
    except UnknownTask as error:
        raise RequestError(400, str(error)) from None
    sent = json.dumps(request, ensure_ascii=False)
    made = sum(len(message.get("tool_calls") or ()) for message in messages)
    message = _tool_message(reply, made) if isinstance(reply, list) else _text_message(reply)
    prompt_tokens, completion_tokens = estimated_tokens(sent), estimated_tokens(json.dumps(message, ensure_ascii=False))
    return {
        "id": f"chatcmpl-{sha256(sent.encode('utf-8', 'replace')).hexdigest()[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL_NAME,
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if "tool_calls" in message else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }


def _reply(payload: Payload, messages: Sequence[AsgiMessage], tools: Any) -> list[Call] | str:
    """Tool calls, or the text of the answer. The keys of the payload tell whose turn it is."""
    answer: Any
    if "planner_plan" in payload:
        answer = execute(payload, messages, tools)
        if isinstance(answer, list):
            return answer
    elif "gatekeeper_result" in payload:
        answer = verify(payload)
    elif "skill_catalog" in payload:
        answer = plan(payload)
    elif "claims" in payload:
        answer = compose(payload)
    else:
        raise UnknownTask("the first user message is the task of no agent of Assay")
    return json.dumps(answer, ensure_ascii=False)


def _text_message(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _tool_message(calls: Sequence[Call], made: int) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"call-{number}",
                "type": "function",
                "function": {
                    "name": call.tool_name,
                    "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
                },
            }
            for number, call in enumerate(calls, start=made + 1)
        ],
    }
