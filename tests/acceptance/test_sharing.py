"""Processes on one data folder share its servers, and whoever ends leaves nothing behind that cannot go on."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from handlers.session_ids import session_id_for

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
    assert (first.status, second.status) == (0, 0), first.err + second.err
    assert (first.document["verdict"], second.document["verdict"]) == ("PASS", "PASS")
    assert first.document["session_id"] != second.document["session_id"]
    assert assay.servers() == []


def test_an_interrupted_ask_leaves_no_process_and_a_session_that_goes_on(assay: Any, model_server: Any) -> None:
    """R7: interrupted in the middle of a model call, by Ctrl-C and again by SIGTERM; asked once more with its key, the
    session is carried to its end and nothing finished is done again."""
    reached, go_on = Event(), Event()

    def slow_after_the_tools(asked: Any) -> Any:
        if asked.agent == "executor" and asked.usual_text() is not None and not go_on.is_set():
            reached.set()
            go_on.wait(100)
        return asked.usual()

    asking, model = ("ask", QUESTION, "--key", "interrupted"), model_server.plays(slow_after_the_tools)
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        process = assay.start(*asking, **model)
        assert reached.wait(100)
        interrupt(process, number)
        ran = assay.finished(process)
        assert (ran.status, ran.out) == (status, "")
        assert f"interrupted; session {session_id_for('interrupted')} goes on while `assay serve` runs" in ran.err
        assert assay.servers() == []
        reached.clear()
    go_on.set()

    done = assay.run(*asking, "--json", **model)
    assert (done.status, done.document["verdict"]) == (0, "PASS")
    assert done.document["session_id"] == str(session_id_for("interrupted"))
    for step in ("step      planner", "tool      query_metrics"):
        assert len([line for line in done.err.splitlines() if step in line and "started" not in line]) == 1


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
    assert "failed" not in (served.folder / "serve.log").read_text()
