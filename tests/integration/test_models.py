"""The model client against a real server on loopback that misbehaves, and against the offline model."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import SecretStr

from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from infra.models.client import build_client, extractive_client

KEY = "sk-test-not-a-real-key"
GOOD = {"choices": [{"message": {"content": "好"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}


class MisbehavingServer(ThreadingHTTPServer):
    """Answers every request with what the test has put into `answer`; keeps what it was asked."""

    daemon_threads = True
    answer: Callable[[BaseHTTPRequestHandler], None]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Quiet: clients that give up are what some tests are about."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def answers(self, status: int, body: bytes, **headers: str) -> None:
        def send(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

        self.answer = send


class _Handler(BaseHTTPRequestHandler):
    server: MisbehavingServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append(json.loads(body))
        self.server.keys.append(self.headers["Authorization"])
        self.server.answer(self)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def ask(
    url: str, *, timeout_s: float = 20.0, tools: Any = None, content: str = "问", key: str | None = KEY
) -> ModelReply | ModelFailure:
    async def once() -> ModelReply | ModelFailure:
        client = build_client(url, SecretStr(key) if key else None, timeout_s=timeout_s)
        try:
            return await client.complete(model="m", messages=[{"role": "user", "content": content}], tools=tools)
        finally:
            await client.aclose()

    return asyncio.run(once())


def failure_of(reply: ModelReply | ModelFailure) -> ModelFailure:
    assert isinstance(reply, ModelFailure)
    return reply


def test_a_good_answer_comes_back_and_the_request_holds_only_what_was_given(server: MisbehavingServer) -> None:
    server.answers(200, json.dumps(GOOD).encode())
    tools = [{"type": "function", "function": {"name": "query_logs", "parameters": {"type": "object"}}}]
    reply = ask(server.url, tools=tools)
    assert isinstance(reply, ModelReply)
    assert reply.output == "好"
    assert server.requests == [{"model": "m", "messages": [{"role": "user", "content": "问"}], "tools": tools}]
    assert server.keys == [f"Bearer {KEY}"]


def test_a_server_without_keys_is_asked_without_one(server: MisbehavingServer) -> None:
    server.answers(200, json.dumps(GOOD).encode())
    assert isinstance(ask(server.url, key=None), ModelReply)
    assert server.requests[0].keys() == {"model", "messages"}


@pytest.mark.parametrize(
    ("status", "kind", "transient"),
    [
        (400, ErrorKind.BAD_REQUEST, False),
        (401, ErrorKind.AUTH, False),
        (403, ErrorKind.AUTH, False),
        (404, ErrorKind.BAD_REQUEST, False),
        (408, ErrorKind.TIMEOUT, True),
        (429, ErrorKind.RATE_LIMITED, True),
        (500, ErrorKind.SERVER, True),
        (503, ErrorKind.SERVER, True),
    ],
)
def test_an_error_status_is_one_attempt_with_its_kind_and_message(
    server: MisbehavingServer, status: int, kind: ErrorKind, transient: bool
) -> None:
    """R7: the library's own retries are off, so that every attempt is recorded by us."""
    server.answers(status, b'{"error": {"message": "no luck"}}')
    failure = failure_of(ask(server.url))
    assert (failure.kind, failure.kind.is_transient) == (kind, transient)
    assert failure.message == f"HTTP {status}: no luck"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("header", "seconds"), [("7", 7.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), ("-3", None)]
)
def test_a_rate_limit_tells_when_to_come_back(server: MisbehavingServer, header: str, seconds: float | None) -> None:
    server.answers(429, b"{}", Retry_After=header)
    assert failure_of(ask(server.url)).retry_after_s == seconds


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>Sign in</html>", "the body is an HTML page"),
        (b"", "the body is empty"),
        (b'{"choices": [{"mes', 'the body is JSON cut short or malformed: {"choices": [{"mes'),
        (b'{"choices": []}', "the completion has no choices"),
        (b'{"choices": [{"message": {"content": ""}}]}', "the message has neither content nor tool calls"),
    ],
)
def test_a_success_that_is_no_completion_is_a_failure(server: MisbehavingServer, body: bytes, message: str) -> None:
    """R7: never a stack trace, never a PASS."""
    server.answers(200, body, Content_Type="application/json")
    failure = failure_of(ask(server.url))
    assert (failure.kind, failure.message) == (ErrorKind.NOT_A_COMPLETION, message)


def test_an_error_page_is_told_as_such(server: MisbehavingServer) -> None:
    server.answers(502, b"<html>Bad gateway</html>")
    failure = failure_of(ask(server.url))
    assert (failure.kind, failure.message) == (ErrorKind.SERVER, "HTTP 502: the body is an HTML page")


def test_a_server_that_complains_of_our_header_does_not_get_the_key_into_the_message(server: MisbehavingServer) -> None:
    """R22"""
    server.answers(401, json.dumps({"error": {"message": f"bad header: Authorization: Bearer {KEY}"}}).encode())
    assert failure_of(ask(server.url)).message == "HTTP 401: bad header: Authorization: Bearer ***"


@pytest.mark.parametrize("key", ["ollama", "x", "1", "order", "firing"])
def test_what_a_key_is_called_changes_nothing_that_is_said(server: MisbehavingServer, key: str) -> None:
    """R22: a key may be a word; the reply, and an error, keep it wherever it is none."""
    said = "ollama: order 1 of order-service is firing, x=1"
    server.answers(200, json.dumps({"choices": [{"message": {"content": said}}]}).encode())
    client = build_client(server.url, SecretStr(key))
    assert asyncio.run(client.complete(model="m", messages=[])).output == said  # type: ignore[union-attr]
    server.answers(400, json.dumps({"error": {"message": said}}).encode())
    assert failure_of(asyncio.run(client.complete(model="m", messages=[]))).message == f"HTTP 400: {said}"


def test_a_silent_server_is_a_timeout(server: MisbehavingServer) -> None:
    server.answer = lambda _: time.sleep(2)
    failure = failure_of(ask(server.url, timeout_s=0.3))
    assert (failure.kind, failure.message) == (ErrorKind.TIMEOUT, "no answer within 0.3 s")


def test_a_server_that_drips_bytes_is_a_timeout_too(server: MisbehavingServer) -> None:
    """R7: nothing hangs. Each byte comes well within the timeout between two reads."""

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        for _ in range(30):
            handler.wfile.write(b" ")
            time.sleep(0.1)

    server.answer = drip
    assert failure_of(ask(server.url, timeout_s=0.5)).kind is ErrorKind.TIMEOUT


def test_a_connection_cut_in_the_body_is_unreachable(server: MisbehavingServer) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b'{"choices"')

    server.answer = cut
    failure = failure_of(ask(server.url))
    assert failure.kind is ErrorKind.UNREACHABLE
    assert failure.message.startswith("the model server cannot be reached: ")


def test_a_refused_connection_is_unreachable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    assert failure_of(ask(f"http://127.0.0.1:{port}/v1")).kind is ErrorKind.UNREACHABLE


def test_text_that_no_request_can_carry_is_a_bad_request(server: MisbehavingServer) -> None:
    server.answers(200, json.dumps(GOOD).encode())
    failure = failure_of(ask(server.url, content="half a pair: \ud83d"))
    assert failure.kind is ErrorKind.BAD_REQUEST


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "ftp://host/v1", "http://", "http://[::1", "http://host:99999/v1"]
)
def test_a_url_of_no_usable_form_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="must look like https://host/v1"):
        build_client(url)


@pytest.mark.parametrize("key", ["sk-密钥", "sk-a\nX-Evil: 1"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ValueError, match="API key holds characters") as caught:
        build_client("http://127.0.0.1:1/v1", SecretStr(key))
    assert "sk-" not in str(caught.value)


# ---------------------------------------------------------------- the offline model behind the same client


def ask_extractive(payload: Any, *, model: str = "extractive", tools: Any = None) -> ModelReply | ModelFailure:
    async def once() -> ModelReply | ModelFailure:
        client = extractive_client()
        content = payload if isinstance(payload, str) else json.dumps(payload)
        try:
            return await client.complete(model=model, messages=[{"role": "user", "content": content}], tools=tools)
        finally:
            await client.aclose()

    return asyncio.run(once())


def test_the_offline_model_plans_without_a_port_and_counts_its_tokens() -> None:
    """R2"""
    payload = {"question": "请排查 a-service 当前是否存在 HighCPUUsage 告警", "skill_catalog": []}
    reply = ask_extractive(payload)
    assert isinstance(reply, ModelReply)
    assert json.loads(reply.output)["plan"] == ["用 query_metrics 查询 a-service 的 HighCPUUsage 告警"]
    assert reply.input_tokens > 0
    assert not reply.usage_estimated
    again = ask_extractive(payload)
    assert isinstance(again, ModelReply)
    assert again.output == reply.output


def test_the_offline_model_calls_tools_in_the_protocol() -> None:
    """R3"""
    parameters = {"type": "object", "properties": {"alert_name": {}, "service": {}}}
    tools = [{"type": "function", "function": {"name": "query_metrics", "parameters": parameters}}]
    reply = ask_extractive({"question": "只确认 HighCPUUsage", "planner_plan": None}, tools=tools)
    assert isinstance(reply, ModelReply)
    assert reply.finish_reason == "tool_calls"
    assert [(r.call_id, r.tool_name, r.arguments) for r in reply.tool_requests] == [
        ("call-1", "query_metrics", '{"alert_name": "HighCPUUsage"}')
    ]


@pytest.mark.parametrize(
    ("payload", "model", "message"),
    [
        ("你好", "extractive", "HTTP 400: the first user message must be one JSON object"),
        ({"hello": 1}, "extractive", "HTTP 400: the first user message is the task of no agent of Assay"),
        ({"question": "q"}, "gpt-x", "HTTP 404: the model 'gpt-x' does not exist; there is 'extractive'"),
    ],
)
def test_the_offline_model_refuses_what_is_not_for_it(payload: Any, model: str, message: str) -> None:
    failure = failure_of(ask_extractive(payload, model=model))
    assert (failure.kind, failure.message) == (ErrorKind.BAD_REQUEST, message)
