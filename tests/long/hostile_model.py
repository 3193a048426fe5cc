"""A model server that answers like the offline model, until a question names what it is to do instead."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from infra.models.extractive.app import RequestError, complete

ASKED = re.compile(r"poison ([a-z_]+)=([a-z0-9_]+)")
"""`poison act=NAME`: the executor calls the hostile tool; `poison AGENT=NAME`: that agent's reply is that body."""
PAYLOADS = {"skill_catalog": "planner", "planner_plan": "executor", "gatekeeper_result": "verifier"}


def executor_output(claims: list[dict[str, Any]]) -> str:
    output = {"answer_version": "executor_evidence_v2", "claims": claims, "user_facing_answer": "order-service 故障"}
    return json.dumps(output, ensure_ascii=False)


def claim(number: int, text: str, quoted: str = "x", bindings: int = 1) -> dict[str, Any]:
    bound = [
        {"source_invocation_id": index, "raw_path": f"$.logs[{index}]", "excerpt": quoted, "evidence_type": "direct"}
        for index in range(bindings)
    ]
    return {"claim_id": f"c{number}", "text": text, "evidence_bindings": bound, "is_critical": True}


REPLIES: dict[str, Callable[[], str]] = {
    "fifty_mb": lambda: "x" * 50_000_000,
    "four_mb": lambda: "order-service failed. " * 190_000,
    "secrets": lambda: "password=hunter2 token: abcdef " * 100_000,
    "claim_10_mb": lambda: executor_output([claim(1, "order-service 故障 " * 600_000)]),
    "claim_2_mb": lambda: executor_output([claim(1, "order-service 在 12:30 有 3 个错误 " * 60_000)]),
    "claims_10000": lambda: executor_output([claim(n, f"order-service 有 {n} 个错误") for n in range(10_000)]),
    "bindings_10000": lambda: executor_output([claim(1, "order-service 故障", bindings=10_000)]),
    "excerpt_5_mb": lambda: executor_output([claim(1, "order-service 故障", "order-service failed " * 240_000)]),
    "deep": lambda: '{"claims":' + "[" * 100_000 + "]" * 100_000 + "}",
    "open_braces": lambda: "{" * 2_000_000,
    "half_objects": lambda: '{"a":"' * 300_000,
    "fences": lambda: "```json\n" * 250_000,
    "digits": lambda: executor_output([claim(1, "9" * 1_000_000)]),
    "escapes": lambda: "\x1b]52;c;eA==\x07\u202e\u200b" * 200_000,
}
WHOLE = ("drip", "packed", "calls_5000", "arguments_5_mb")
"""What is more than the text of a message."""


@contextmanager
def hostile_model() -> Iterator[str]:
    """Its base URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with suppress(BrokenPipeError, ConnectionResetError):
                self._answer(request)

        def _answer(self, request: dict[str, Any]) -> None:
            first = json.loads(request["messages"][1]["content"])
            agent = next((name for key, name in PAYLOADS.items() if key in first), "composer")
            asked = ASKED.search(str(first.get("question", "")))
            what, name = asked.groups() if asked else ("", "")
            if what == agent and name in WHOLE:
                getattr(self, f"_{name}")()
            elif what == agent:
                self._say({"role": "assistant", "content": REPLIES[name]()})
            elif what == "act" and agent == "executor":
                done = any(message["role"] == "tool" for message in request["messages"])
                quoted = executor_output([claim(1, "order-service 发生故障", "order-service failed")])
                call = {"name": "hostile", "arguments": json.dumps({"act": name})}
                made = {"id": "call-1", "type": "function", "function": call}
                message = {"content": quoted} if done else {"content": None, "tool_calls": [made]}
                self._say({"role": "assistant"} | message)
            else:
                self._answer_as_usual(request)

        def _answer_as_usual(self, request: dict[str, Any]) -> None:
            try:
                self._send(json.dumps(complete(request | {"model": "extractive"})).encode())
            except RequestError as error:
                self._send(json.dumps({"error": {"message": str(error)}}).encode(), error.status)

        def _say(self, message: dict[str, Any]) -> None:
            self._send(json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode())

        def _calls_5000(self) -> None:
            call = {"name": "hostile", "arguments": '{"act":"returns_nothing"}'}
            calls = [{"id": f"c{n}", "type": "function", "function": call} for n in range(5_000)]
            self._say({"role": "assistant", "content": None, "tool_calls": calls})

        def _arguments_5_mb(self) -> None:
            call = {"name": "hostile", "arguments": json.dumps({"act": "x" * 5_000_000})}
            made = {"id": "c1", "type": "function", "function": call}
            self._say({"role": "assistant", "content": None, "tool_calls": [made]})

        def _packed(self) -> None:
            self._send(gzip.compress(b" " * 400_000_000), headers={"Content-Encoding": "gzip"})

        def _drip(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            for _ in range(600):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.5)

        def _send(self, body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
