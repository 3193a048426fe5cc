"""Processes on one data folder share its servers, and whoever ends leaves nothing behind that cannot go on."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"


@pytest.fixture(scope="module")
def assay(new_assay: Callable[[], Any]) -> Any:
    """One without `serve`: every command starts the servers unless they run."""
    return new_assay()


def interrupt(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """As a terminal does it: the whole process group gets the signal."""
    os.killpg(process.pid, number)


def test_two_asks_at_once_share_the_servers(assay: Any) -> None:
    """Two `assay ask` at once both succeed; the last user stops the servers."""
    first, second = assay.ask_all([QUESTION, QUESTION])
    assert (first.status, second.status) == (0, 0)
    assert (first.document["verdict"], second.document["verdict"]) == ("PASS", "PASS")
    assert first.document["session_id"] != second.document["session_id"]
    assert assay.servers() == []


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_ask_leaves_no_process_and_a_session_that_goes_on(
    assay: Any, model_server: Any, number: signal.Signals, status: int
) -> None:
    """R7: interrupted in the middle of a model call; asked again with its key, the session is carried to its end and
    no finished tool call is run again."""
    reached, go_on = Event(), Event()

    def slow_after_the_tools(asked: Any) -> Any:
        if asked.agent == "executor" and asked.usual_text() is not None and not go_on.is_set():
            reached.set()
            go_on.wait(100)
        return asked.usual()

    key, model = f"interrupted by {number.name}", model_server.plays(slow_after_the_tools)
    process = assay.start("ask", QUESTION, "--key", key, **model)
    assert reached.wait(100)
    interrupt(process, number)
    interrupted = assay.finished(process)
    go_on.set()
    assert (interrupted.status, interrupted.out) == (status, "")
    assert "interrupted" in interrupted.err
    assert assay.servers() == []

    resumed = assay.ask(QUESTION, "--key", key, **model)
    assert resumed["verdict"] == "PASS"
    assert resumed["session_id"] in interrupted.err
    shown = assay.show(resumed["session_id"])
    assert [tool["attempt"] for tool in shown["tools"]] == [1] * len(shown["tools"])
    planned = [step for step in shown["steps"] if step["agent_name"] == "planner"]
    assert len(planned) == 1


def test_an_ask_interrupted_while_servers_start_leaves_no_process(new_assay: Callable[[], Any], until: Any) -> None:
    """Ctrl-C at the worst time: the cluster is being made."""
    assay = new_assay()
    process = assay.start("ask", QUESTION)
    until(lambda: (assay.folder / "data" / "servers" / "nats" / "pid").exists())
    interrupt(process, signal.SIGINT)
    assert assay.finished(process).status == 130
    assert assay.servers() == []


def test_serve_stops_its_servers_when_told_to(assay: Any) -> None:
    """Ctrl-C of `assay serve` is its regular end."""
    process = assay.start("serve")
    assert "working" in process.stderr.readline()
    assert {server.name() for server in assay.servers()} >= {"nats-server", "postgres"}
    interrupt(process, signal.SIGINT)
    assert assay.finished(process).status == 0
    assert assay.servers() == []


def test_an_ask_beside_serve_uses_its_servers(served: Any) -> None:
    """One `assay ask` while `assay serve` runs."""
    running = {server.pid for server in served.servers() if server.name() == "nats-server"}
    assert served.ask(QUESTION)["verdict"] == "PASS"
    assert {server.pid for server in served.servers() if server.name() == "nats-server"} == running
    assert len(running) == 1


def test_an_ask_may_bring_a_model_server_that_serve_does_not_know(served: Any, other_model_server: Any) -> None:
    """R42: a session keeps its model server; a worker without it leaves the work to one that has it."""
    told = served.ask(QUESTION, **other_model_server.plays(lambda asked: asked.usual()))
    assert told["verdict"] == "PASS"
    assert {step["error_kind"] for step in served.show(told["session_id"])["steps"]} == {None}
