"""The command `assay` run as a user runs it, and a model server that answers as a test tells it to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest

from infra.models.extractive.app import complete
from tests.commands import in_process

AT_ONCE = 3
PATIENCE_S = 120
API_KEY = "sk-acceptance-1234567890"


# ---------------------------------------------------------------- the command


@dataclass(frozen=True, slots=True)
class Ran:
    """What a finished command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        (line,) = self.out.splitlines()
        found: dict[str, Any] = json.loads(line)
        return found

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The JSON objects on standard output, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True, slots=True)
class Assay:
    """`assay` on a data folder of its own, free of the caller's settings. No run may ever show a stack trace."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "OPENAI_"))}
        own = {"ASSAY_DATA_DIR": "data", "ASSAY_KEY_DIR": "keys", "XDG_CONFIG_HOME": "config"}
        return kept | {name: str(self.folder / folder) for name, folder in own.items()}

    def run(self, *arguments: str, **environment: str) -> Ran:
        process = self.start(*arguments, **environment)
        try:
            return self.finished(process)
        finally:
            process.kill()

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """A running command; in a process group of its own, as a shell would start it."""
        return subprocess.Popen(
            [sys.executable, "-m", "handlers", *arguments],
            env=self.environment | environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    @staticmethod
    def finished(process: subprocess.Popen[str]) -> Ran:
        out, err = process.communicate(timeout=PATIENCE_S)
        assert "Traceback" not in out + err, err
        return Ran(process.returncode, out, err)

    def here(self, *arguments: str, **environment: str) -> Ran:
        """The same command in this process."""
        with chdir(self.folder):
            return Ran(*in_process(arguments, self.environment | environment))

    def ask(self, question: str, *arguments: str, **environment: str) -> dict[str, Any]:
        """The JSON object of an `ask`, in this process, that ends with a verdict."""
        ran = self.here("ask", question, *arguments, "--json", **environment)
        assert ran.status == 0, ran.err
        return ran.document

    def ask_all(self, questions: Sequence[str]) -> list[Ran]:
        """Several `ask --json` at once, each a process."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(lambda question: self.run("ask", question, "--json"), questions))

    def show(self, session_id: str) -> dict[str, Any]:
        ran = self.here("session", "show", session_id, "--json")
        assert ran.status == 0, ran.err
        return ran.document

    def servers(self) -> list[psutil.Process]:
        """The embedded servers of this folder that run now."""
        return [process for process in psutil.process_iter() if _mentions(process, str(self.folder))]


def _mentions(process: psutil.Process, folder: str) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE and any(folder in part for part in process.cmdline())
    except psutil.Error:
        return False


@pytest.fixture(scope="session")
def new_assay(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Assay]:
    """Makes an `Assay` whose data and key folders do not exist yet."""

    def make() -> Assay:
        return Assay(tmp_path_factory.mktemp("assay"))

    return make


@pytest.fixture(scope="session")
def served(new_assay: Callable[[], Assay], model_server: ModelServer) -> Iterator[Assay]:
    """An `assay serve` in the background, which also knows the scripted model server; all its asks share it."""
    assay = new_assay()
    with (assay.folder / "serve.log").open("w") as log:
        serve = subprocess.Popen(
            [sys.executable, "-m", "handlers", "serve"],
            env=assay.environment | model_server.settings,
            stderr=log,
        )
    try:
        wait_for(lambda: "working" in (assay.folder / "serve.log").read_text())
        yield assay
    finally:
        serve.terminate()
        status = serve.wait(PATIENCE_S)
    assert "Traceback" not in (assay.folder / "serve.log").read_text()
    assert (status, assay.servers()) == (0, [])


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """`until(condition)` waits for something that is on its way."""
    return wait_for


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


# ---------------------------------------------------------------- the model server


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer. `promised`: a length that the body does not reach before the connection closes."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    promised: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: whose turn it is, and the how manieth request of its script it is, from 1."""

    agent: str
    number: int
    request: dict[str, Any]
    authorization: str

    def usual(self) -> dict[str, Any]:
        """The chat completion that the offline model gives."""
        return complete(self.request)

    def usual_text(self) -> str | None:
        """The text of that completion; None where it calls tools."""
        content: str | None = self.usual()["choices"][0]["message"]["content"]
        return content

    def http(self, status: int, body: bytes, content_type: str = "application/json", **more: Any) -> Answer:
        """Any other HTTP answer."""
        return Answer(body, status, content_type, **more)

    def saying(self, text: str) -> dict[str, Any]:
        """A chat completion that says this."""
        message = {"role": "assistant", "content": text}
        return self.usual() | {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


Script = Callable[[Asked], "dict[str, Any] | Answer | None"]
"""A chat completion, or any other HTTP answer, or None to close the connection without one."""

_AGENTS = {
    "planner_plan": "executor",
    "gatekeeper_result": "verifier",
    "skill_catalog": "planner",
    "claims": "composer",
}


class ModelServer:
    """An OpenAI-compatible server on loopback; the model's name says which script answers."""

    def __init__(self) -> None:
        self._scripts: dict[str, Script] = {}
        self._requests: dict[str, count[int]] = {}
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def plays(self, script: Script) -> dict[str, str]:
        """The settings with which a session's models are this script."""
        name = f"script-{len(self._scripts)}"
        self._scripts[name], self._requests[name] = script, count(1)
        return self.settings | {"ASSAY_MODEL": name}

    @property
    def settings(self) -> dict[str, str]:
        return {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": API_KEY}

    def _answer(self, body: bytes, authorization: str) -> Answer | None:
        request = json.loads(body)
        name = request["model"]
        usual = request | {"model": "extractive"}
        asked = Asked(_agent(request), next(self._requests[name]), usual, authorization)
        answer = self._scripts[name](asked)
        return Answer(json.dumps(answer, ensure_ascii=False).encode()) if isinstance(answer, dict) else answer

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer_to = self._answer

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                answer = answer_to(self.rfile.read(int(self.headers["Content-Length"])), self.headers["Authorization"])
                if answer is None:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(answer.promised or len(answer.body)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *arguments: Any) -> None:
                """Says nothing."""

        return Handler


def _agent(request: dict[str, Any]) -> str:
    """Whose turn it is: the keys of the first user message tell."""
    payload = json.loads(next(message["content"] for message in request["messages"] if message["role"] == "user"))
    return next(agent for key, agent in _AGENTS.items() if key in payload)


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    """`model_server.plays(script)`: settings for an `ask` whose model answers as the script says."""
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def other_model_server() -> Iterator[ModelServer]:
    """Another model server, which `served` does not know."""
    server = ModelServer()
    yield server
    server.close()
