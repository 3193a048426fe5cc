"""`query_logs` over real folders of log files."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from domain.events import Source
from infra.tools.contract import ToolContext, ToolResult
from infra.tools.logs import logs_tool

CONTEXT = ToolContext(
    now=datetime(2031, 3, 4, 12, 0, tzinfo=UTC), window_minutes=60, invocation_id=7, session_id="session"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three formats, one service each; a fourth service in a file of another name."""
    (tmp_path / "tape-service.jsonl").write_text(
        '{"ts":"2031-03-04T10:59:59Z","level":"WARN","msg":"drive 1 is warm"}\n'
        '{"ts":"2031-03-04T11:00:00Z","level":"WARN","msg":"drive 2 is warm"}\n'
        '{"ts":"2031-03-04T11:40:00Z","level":"ERROR","msg":"drive 2 is hot","celsius":71}\n'
    )
    (tmp_path / "print-service.log").write_text(
        "2031-03-04T11:30:00Z [INFO] [print-service] queue drained\n"
        "2031-03-04T11:31:00Z [ERROR] [print-service] queue stuck\n"
        "    at queue.Worker.run(Worker.java:9)\n"
        "2031-03-04T12:00:01Z [INFO] [print-service] from the future\n"
    )
    (tmp_path / "all.log").write_text(
        "time=2031-03-04T11:20:00Z level=info service=fax-service msg=idle\n"
        "time=2031-03-04T11:21:00Z level=info service=print-service msg=checked\n"
    )
    return tmp_path


def run(folder: Path, **arguments: Any) -> ToolResult:
    source = Source(kind="logs", name="logs", address=str(folder))
    return asyncio.run(logs_tool([source]).run(arguments, CONTEXT))


def ask(folder: Path, **arguments: Any) -> dict[str, Any]:
    result = run(folder, **arguments)
    assert result.success, result.error_message
    return json.loads(result.output)


def messages(answer: dict[str, Any]) -> list[str]:
    return [row["message"] for row in answer["logs"]]


def test_the_default_window_is_the_hour_before_the_sessions_now(folder: Path) -> None:
    """R9: both ends belong to it; the window stands in the payload and in the retrieval details."""
    result = run(folder, service="tape-service")
    answer = json.loads(result.output)
    assert answer["window"] == result.retrieval.window == "2031-03-04T11:00:00Z/2031-03-04T12:00:00Z"
    assert answer["logs"] == [
        {"timestamp": "2031-03-04T11:00:00Z", "level": "WARN", "service": "tape-service", "message": "drive 2 is warm"},
        {
            "timestamp": "2031-03-04T11:40:00Z",
            "level": "ERROR",
            "service": "tape-service",
            "message": "drive 2 is hot celsius=71",
        },
    ]


def test_a_service_is_found_in_every_file_that_names_it(folder: Path) -> None:
    """R18: plain and logfmt lines together, in order of time, a stack trace with its error."""
    assert messages(ask(folder, service="PRINT-service")) == [
        "checked",
        "queue drained",
        "queue stuck\n    at queue.Worker.run(Worker.java:9)",
    ]


def test_level_words_and_time_narrow_together(folder: Path) -> None:
    """R18: service, level, words and window are conditions that all hold."""
    assert messages(ask(folder, level="error")) == [
        "queue stuck\n    at queue.Worker.run(Worker.java:9)",
        "drive 2 is hot celsius=71",
    ]
    assert messages(ask(folder, level="warn,ERROR", query="drive")) == ["drive 2 is warm", "drive 2 is hot celsius=71"]
    assert messages(ask(folder, query="drive", minutes=70)) == [
        "drive 1 is warm",
        "drive 2 is warm",
        "drive 2 is hot celsius=71",
    ]
    assert messages(ask(folder, since="2031-03-04T11:31:00", until="2031-03-04T19:35:00+08:00")) == [
        "queue stuck\n    at queue.Worker.run(Worker.java:9)"
    ]


def test_nothing_found_is_a_success_without_filler(folder: Path) -> None:
    """003: logs=[] and total=0, never a placeholder row."""
    result = run(folder, service="tape-service", query="HikariCP 连接池耗尽")
    answer = json.loads(result.output)
    assert result.success
    assert (answer["logs"], answer["total"], answer["truncated"]) == ([], 0, False)
    assert answer["message"] == "未找到匹配的日志"
    assert answer["query"] == "service=tape-service, words=HikariCP 连接池耗尽"


def test_beyond_the_limit_the_newest_rows_are_kept_and_the_total_counts_all(tmp_path: Path) -> None:
    """R20: an answer cut by a limit says so."""
    lines = [f"2031-03-04T11:{minute:02d}:00Z [INFO] [tape-service] row {minute}\n" for minute in range(50)]
    (tmp_path / "tape-service.log").write_text("".join(reversed(lines)))
    answer = ask(tmp_path, limit=2)
    assert messages(answer) == ["row 48", "row 49"]
    assert (answer["total"], answer["limit"], answer["truncated"]) == (50, 2, True)


@pytest.mark.parametrize(
    ("line", "doubt"),
    [
        (b"11:17:05 [main] ERROR paper jam\n", "time"),
        (b'{"level":"ERROR","msg":"paper jam"}\n', "time"),
        (b"2031-03-04T11:30:00Z [INFO] [print-service] \xc3( \x81\xff\xc0\n", "text"),
        (b"2031-03-04T11:30:00Z [INFO] [print-service] " + b"x" * 100_000 + b" paper jam\n", "text"),
    ],
)
def test_lines_that_may_hide_a_match_make_an_absence_incomplete(tmp_path: Path, line: bytes, doubt: str) -> None:
    """R20, R68: undated, undecodable or cut lines are no proof that something is not there."""
    file = tmp_path / "app.log"
    file.write_bytes("2031-03-04T11:10:00Z [INFO] [print-service] 启动\n".encode() + line if doubt == "text" else line)
    os.utime(file, (CONTEXT.now.timestamp(), CONTEXT.now.timestamp()))
    result = run(tmp_path, service="print-service" if b"print" in line else "", query="jam")
    answer, coverage = json.loads(result.output), result.retrieval.coverage

    assert (answer["total"], answer["truncated"]) == (0, True)
    assert coverage is not None
    assert [(one.kind, one.count) for one in coverage.doubts] == [(doubt, 1)]


def test_what_is_undated_in_a_file_last_changed_before_the_window_is_excluded(tmp_path: Path) -> None:
    """R68: whatever stands there was written before its last change."""
    file = tmp_path / "app.log"
    file.write_text("paper jam\n")
    os.utime(file, (0, CONTEXT.now.timestamp() - 7_200))

    assert ask(tmp_path, query="jam")["truncated"] is False


def test_unrelated_lines_without_a_time_leave_an_absence_complete(folder: Path) -> None:
    """R20: only a line that could match casts doubt."""
    (folder / "print-service.out").write_text("a banner\nof two lines\n")
    assert ask(folder, service="print-service", query="jam")["truncated"] is False


def test_rotated_compressed_and_nested_files_are_read(tmp_path: Path) -> None:
    """R18: names of services survive rotation."""
    line = "2031-03-04T11:{}:00Z INFO started\n"
    (tmp_path / "tape-service-2031-03-04.log").write_text(line.format("01"))
    (tmp_path / "tape-service.log.1").write_text(line.format("02"))
    (tmp_path / "tape-service").mkdir()
    (tmp_path / "tape-service" / "app.log").write_text(line.format("03"))
    with gzip.open(tmp_path / "tape-service.2031-03-04.log.gz", "wt") as file:
        file.write(line.format("04"))
    assert ask(tmp_path, service="tape-service")["total"] == 4


def test_a_broken_archive_is_named_and_makes_the_answer_incomplete(folder: Path) -> None:
    """R20, R69: a file that was not read to its end proves no absence."""
    old = folder / "old.log.gz"
    old.write_bytes(gzip.compress(b"2031-03-04T11:01:00Z INFO service=fax-service idle\n" * 9_999)[:200])
    os.utime(old, (CONTEXT.now.timestamp(), CONTEXT.now.timestamp()))
    result = run(folder, service="cart-service", query="jam")
    coverage = result.retrieval.coverage

    assert coverage is not None
    assert [(one.name, one.reason, one.could_match) for one in coverage.unread] == [("old.log.gz", "compression", True)]
    assert not coverage.complete


@pytest.mark.parametrize("packing", ["plain", "zone told", "two sources"])
def test_sources_zones_and_exclusions_are_accounted_for(tmp_path: Path, packing: str) -> None:
    """R68, R69: a told zone is known; what the operator leaves out is counted; several folders are one search."""
    for name in ("east", "west"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "till-api.log").write_text("2031-03-04 19:30:00 ERROR paper jam\n")
        (tmp_path / name / "till-api.old").write_text("2031-03-04 19:30:00 ERROR paper jam\n")
    zone = "Asia/Shanghai" if packing == "zone told" else None
    names = ("east", "west") if packing == "two sources" else ("east",)
    sources = [
        Source(kind="logs", name=name, address=str(tmp_path / name), zone=zone, exclude=("*.old",)) for name in names
    ]
    result = asyncio.run(logs_tool(sources).run({"service": "till-api", "query": "jam"}, CONTEXT))
    coverage = result.retrieval.coverage
    assert coverage is not None

    assert [(one.by, one.count) for one in coverage.excluded if "exclude" in one.by] == [("exclude *.old", len(names))]
    match packing:
        case "zone told":
            assert (json.loads(result.output)["total"], coverage.complete) == (1, True)
            assert [(one.zone, one.zone_assumed) for one in coverage.inputs] == [("Asia/Shanghai", False)]
        case "two sources":
            assert [one.name for one in coverage.inputs] == ["east/till-api.log", "west/till-api.log"]
            assert [(one.kind, one.count, one.input) for one in coverage.doubts] == [("zone", 2, "east/till-api.log")]
        case _:
            assert [(one.zone, one.zone_assumed) for one in coverage.inputs] == [("UTC", True)]
            assert not coverage.complete


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"servce": "x"}, "servce"),
        ({"limit": 201}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"since": "yesterday"}, "since"),
        ({"since": "2031-03-04T11:00:00Z", "minutes": 5}, "minutes"),
        ({"since": "2031-03-04T11:00:00Z", "until": "2031-03-04T10:00:00Z"}, "empty"),
        ({"minutes": 10**15}, "minutes"),
        ({"level": "LOUD"}, "LOUD"),
        ({"service": ["a"]}, "service"),
        ({"query": "\ud83d"}, "query"),
    ],
)
def test_wrong_arguments_are_refused_by_name(folder: Path, arguments: dict[str, Any], named: str) -> None:
    """R7: the model is told what is wrong; nothing is guessed."""
    result = run(folder, **arguments)
    assert (result.success, result.error_kind) == (False, "bad_arguments")
    assert named in result.error_message


@pytest.mark.parametrize("make", [lambda path: path / "missing", lambda path: path])
def test_a_missing_or_empty_folder_is_a_failure_and_no_absence(tmp_path: Path, make: Any) -> None:
    """R19: a source that is not there has found nothing out."""
    result = run(make(tmp_path))
    assert (result.success, result.error_kind) == (False, "source")
    assert str(make(tmp_path)) in result.error_message
    assert json.loads(result.output) == {"success": False, "error": result.error_message}


def test_a_status_is_sought_where_each_format_has_it(tmp_path: Path) -> None:
    """R68: in the column of that name, a field, a sentence; never among sizes and timers."""
    fields = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip sc-status time-taken"
    lines = {
        "iis": f"#Fields: {fields}\n2031-03-04 11:30:00 10.0.0.4 GET /x - 443 - 10.0.0.2 507 12\n"
        "2031-03-04 11:30:00 10.0.0.4 GET /x - 443 - 10.0.0.2 200 507\n",
        "ltsv": "time:04/Mar/2031:19:30:00 +0800\tstatus:507\tsize:1\n"
        "time:04/Mar/2031:19:30:00 +0800\tstatus:200\tsize:507\n",
        "rails": "I, [2031-03-04T19:30:00.000000 #1]  INFO -- : Completed 507 in 12ms\n"
        "I, [2031-03-04T19:30:01.000000 #1]  INFO -- : Completed 200 OK in 507ms\n",
        "json": '{"time":"2031-03-04T11:30:00Z","status":507,"bytes":1}\n'
        '{"time":"2031-03-04T11:30:00Z","status":200,"bytes":507}\n',
        "haproxy": 'Mar  4 19:30:00 l haproxy[1]: 10.0.0.1:4 [04/Mar/2031:19:30:00.1] f b/s 0/0/1/12/14 507 5 - - "G"\n'
        'Mar  4 19:30:00 l haproxy[1]: 10.0.0.1:4 [04/Mar/2031:19:30:00.1] f b/s 0/0/1/507/14 200 507 - - "G"\n',
    }
    for name, text in lines.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.log").write_text(text)
        os.utime(tmp_path / name / "a.log", (1930391999, 1930391999))
    source = Source(kind="logs", name="logs", address=str(tmp_path), zone="Asia/Shanghai")

    result = asyncio.run(logs_tool([source]).run({"query": '"HTTP 507"'}, CONTEXT))

    answer = json.loads(result.output)
    assert [row["timestamp"][:19] for row in answer["logs"]] == ["2031-03-04T11:30:00"] * len(lines)
    assert result.retrieval.coverage is not None
    assert result.retrieval.coverage.doubts == ()
    assert result.retrieval.coverage.complete


def test_lines_that_name_no_service_are_of_the_folders_and_no_doubt_for_another(tmp_path: Path) -> None:
    """R68: a framework's name, a part of the folder's name or an id in the file's name tells nothing beside it."""
    for path in (
        "ferry-booking/django.log",
        "customs-bridge/bridge.log",
        "dec-json/3f2a-json.log",
        "gatekeep/ltsv.log",
    ):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text('{"time":"2031-03-04T11:30:00Z","level":"ERROR","msg":"it broke"}\n')
    for service in ("ferry-booking", "customs-bridge", "dec-json", "gatekeep"):
        result = run(tmp_path, service=service, query="broke")
        answer = json.loads(result.output)
        assert [row["service"] for row in answer["logs"]] == [service]
        assert result.retrieval.coverage is not None
        assert (result.retrieval.coverage.doubts, result.retrieval.coverage.complete) == ((), True)
