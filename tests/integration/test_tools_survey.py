"""`survey_logs` over real folders of log files (R90)."""

from __future__ import annotations

import asyncio
import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from domain.events import Source
from infra.tools.contract import ToolContext, ToolResult
from infra.tools.survey import survey_tool

CONTEXT = ToolContext(
    now=datetime(2031, 3, 4, 12, 0, tzinfo=UTC), window_minutes=60, invocation_id=7, session_id="session"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three formats; something new in one of them, a change before the window in another."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "tape-service.jsonl").write_text(
        '{"ts":"2031-03-04T09:59:59Z","level":"WARN","msg":"drive 1 is warm"}\n'
        '{"ts":"2031-03-04T11:10:00Z","level":"WARN","msg":"drive 2 is warm"}\n'
        '{"ts":"2031-03-04T11:40:00Z","level":"ERROR","msg":"drive 2 is hot","celsius":71}\n'
    )
    (logs / "print-service.log").write_text(
        "2031-03-04T10:30:00Z [INFO] [print-service] deployed version 7.1.0\n"
        "2031-03-04T11:31:00Z [ERROR] [print-service] queue stuck\n"
        "    at queue.Worker.run(Worker.java:9)\n"
        "2031-03-04T12:00:01Z [INFO] [print-service] from the future\n"
    )
    (logs / "all.log").write_text("time=2031-03-04T11:20:00Z level=info service=fax-service msg=idle\n")
    return logs


def run(folder: Path, **arguments: Any) -> ToolResult:
    source = Source(kind="logs", name="logs", address=str(folder))
    return asyncio.run(survey_tool([source]).run(arguments, CONTEXT))


def ask(folder: Path, **arguments: Any) -> dict[str, Any]:
    result = run(folder, **arguments)
    assert result.success, result.error_message
    return json.loads(result.output)


def test_all_services_are_surveyed_the_new_and_worst_first(folder: Path) -> None:
    """R90"""
    answer = ask(folder)
    assert [(item["kind"], item["service"], item["example"].split("\n")[0]) for item in answer["items"]] == [
        ("message", "print-service", "queue stuck"),
        ("message", "tape-service", "drive 2 is hot celsius=71"),
        ("message", "tape-service", "drive 2 is warm"),
        ("message", "fax-service", "idle"),
        ("change", "print-service", "deployed version 7.1.0"),
    ]
    assert answer["onset"] == "2031-03-04T11:31:00Z"
    assert answer["window"] == "2031-03-04T11:00:00Z/2031-03-04T12:00:00Z"
    assert answer["baseline"] == "2031-03-04T08:00:00Z/2031-03-04T11:00:00Z"


def test_a_survey_has_the_coverage_of_a_search_of_its_window(folder: Path) -> None:
    """R69, R90"""
    (folder / "broken.log.gz").write_bytes(gzip.compress(b"")[:10] + b"\xff" * 40)
    coverage = run(folder).retrieval.coverage
    assert coverage is not None
    assert (coverage.counts.inputs, coverage.counts.entries, coverage.counts.matched) == (3, 7, 4)
    assert coverage.counts.returned == 5
    assert {(one.by, one.count) for one in coverage.excluded} == {("time", 3)}
    assert [one.name for one in coverage.unread] == ["broken.log.gz"]
    assert not coverage.complete


def test_one_service_is_surveyed_with_what_is_new_elsewhere(folder: Path) -> None:
    """R90"""
    told = [(item["service"], item.get("elsewhere", False)) for item in ask(folder, service="tape-service")["items"]]
    assert told == [("tape-service", False), ("print-service", True), ("tape-service", False), ("print-service", True)]


def test_a_service_that_no_input_knows_is_said_to_be_unknown(folder: Path) -> None:
    """R71, R90"""
    (folder / "all.log").unlink()
    assert "没有名为 loom-service 的服务" in ask(folder, service="loom-service")["message"]


def test_a_window_that_is_given_wrongly_is_refused(folder: Path) -> None:
    """R3: a survey has a beginning, and one only."""
    assert run(folder, ever=True).error_kind == "bad_arguments"
    assert run(folder, minutes=5, since="2031-03-04T11:00:00Z").error_kind == "bad_arguments"
    assert run(folder, until="2031-03-04T11:00:00Z", since="2031-03-04T11:30:00Z").error_kind == "bad_arguments"


def test_the_limit_holds_and_what_is_left_out_is_counted(folder: Path) -> None:
    """R90"""
    answer = ask(folder, limit=2)
    assert (len(answer["items"]), answer["total"]) == (2, 5)


def test_a_window_of_a_year_is_bounded_in_what_it_is_compared_with(folder: Path) -> None:
    """R90"""
    answer = ask(folder, minutes=525_600)
    assert answer["baseline"] == "2030-03-01T12:00:00Z/2030-03-04T12:00:00Z"


def test_an_empty_window_proves_that_nothing_was_logged(folder: Path) -> None:
    """R20, R90"""
    answer = ask(folder, since="2031-03-02T11:45:00Z", until="2031-03-02T11:50:00Z")
    assert (answer["items"], answer["total"], answer["truncated"]) == ([], 0, False)


def test_what_names_no_service_is_of_that_of_its_folder(tmp_path: Path) -> None:
    """R68, R90: not of the framework, the part of a name or the id that its file is called after."""
    for number, path in enumerate(
        ("ferry-booking/django.log", "customs-bridge/bridge.log", "dec-json/3f2a-json.log", "octopus/tasks.log")
    ):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(f"2031-03-04T11:3{number}:00Z ERROR it broke\n")
    items = ask(tmp_path)["items"]
    assert [item["service"] for item in items] == ["ferry-booking", "customs-bridge", "dec-json", "octopus"]
