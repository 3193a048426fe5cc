"""`assay tool run`: what a model would be given of one call, without a server and without a trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"


@pytest.fixture(scope="module")
def assay(new_assay: Callable[[], Any]) -> Any:
    """One that no server runs for."""
    return new_assay()


def run(assay: Any, name: str, *flags: str, **arguments: Any) -> Any:
    return assay.here("tool", "run", name, "--arguments", json.dumps(arguments), *flags)


def test_it_shows_what_a_session_s_executor_is_given(served: Any, assay: Any) -> None:
    """R4: the same refs, status, note and coverage, but with an id that nothing can cite."""
    session_id = served.ask(QUESTION)["session_id"]
    events = served.here("session", "tail", session_id, "--json").documents
    called = next(one["content"] for one in events if one["type"] == "ToolInvoked" and one["facts"]["ref_count"])
    inputs = [part for one in events if one["type"] == "AgentStepRecorded" for part in one["content"]["input"]]
    given = [json.loads(part["content"]) for part in inputs if part["role"] == "tool"]
    (in_session,) = [message for message in given if message.get("evidence_refs")]
    alone = run(assay, called["tool_name"], "--json", **called["input_params"])
    assert alone.status == 0
    assert alone.document == in_session | {"source_invocation_id": 0}


def test_nothing_is_started_and_nothing_is_recorded(assay: Any) -> None:
    """The data folder is not even made."""
    assert run(assay, "lookup_knowledge", query="连接池").status == 0
    assert assay.servers() == []
    assert not (assay.folder / "data").exists()


def test_people_read_it_as_a_page(assay: Any) -> None:
    ran = run(assay, "query_metrics", service="order-service")
    first, *page = ran.out.splitlines()
    assert first.startswith("query_metrics  supported  ")
    assert "  $.alerts[0]" in page
    assert page[2].startswith("    HighMemoryUsage firing, service=order-service")
    assert "source: sample" in ran.err


def test_secrets_are_masked_as_they_would_be_recorded(assay: Any, tmp_path: Path) -> None:
    """R22: what the model sees, what is stored and what is shown here are one text."""
    (tmp_path / "tape.md").write_text("# 磁带\n登录口令 password=hunter2-hunter2，密钥 BDG-123456。")
    (assay.folder / "mask.json").write_text('{"badge": "BDG-[0-9]{6}"}')
    arguments = ["tool", "run", "lookup_knowledge", "--arguments", '{"query": "磁带"}', "--knowledge", str(tmp_path)]
    ran = assay.here(*arguments, "--json", ASSAY_MASK_FILE=str(assay.folder / "mask.json"))
    (ref, _) = ran.document["evidence_refs"]
    assert "hunter2" not in ran.out
    assert "BDG-123456" not in ran.out
    assert "[masked:badge]" in ref["text"]


def test_the_clock_may_be_given(assay: Any) -> None:
    """R9: durations and windows are those of a session at that time."""
    refs = run(assay, "query_metrics", "--now", "2026-07-08T19:23:00+08:00", "--json", service="order-service")
    assert "duration=18m" in refs.document["evidence_refs"][0]["text"]
    clock = run(assay, "getCurrentDateTime", "--now", "2031-03-04T12:00:00Z", "--json").document
    assert json.loads(clock["output"])["now"] == "2031-03-04T12:00:00Z"


def test_a_call_that_fails_says_so_and_why(assay: Any) -> None:
    """R19: exit 1; the model would be told the same."""
    ran = run(assay, "query_logs", "--json", levle="ERROR")
    assert (ran.status, ran.document["evidence_status"], ran.document["evidence_refs"]) == (1, "failed", [])
    assert "levle" in ran.document["note"]


def test_an_unknown_tool_is_refused_with_those_there_are(assay: Any, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# a\nb")
    ran = run(assay, "query_log", "--knowledge", str(tmp_path))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "assay: there is no tool 'query_log'; with these sources there are getCurrentDateTime, lookup_knowledge\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("[1", "--arguments: no JSON: "),
        ('{"a": 1, "a": 2}', "--arguments: no JSON: "),
        ("[1]", "--arguments: must be a JSON object"),
        ('{"a": 99999999999999999999999}', "--arguments: nested too deeply, or with whole numbers beyond 64 bits"),
        ('{"a": ' + "[" * 60 + "]" * 60 + "}", "--arguments: nested too deeply"),
    ],
    ids=["cut", "repeated", "list", "number", "nested"],
)
def test_arguments_that_are_no_object_are_refused(assay: Any, arguments: str, said: str) -> None:
    """Bad input: as strictly as a model's."""
    ran = assay.here("tool", "run", "query_logs", "--arguments", arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"assay: {said}")


def test_text_from_outside_does_nothing_to_the_terminal(assay: Any, tmp_path: Path) -> None:
    """R73: an escape in a document shows as what it is."""
    (tmp_path / "a.md").write_text("# 磁带\n\x1b[2J\u202eolleh")
    out = run(assay, "lookup_knowledge", "--knowledge", str(tmp_path), query="磁带").out
    assert "\x1b" not in out
    assert "\\u001b[2J\\u202eolleh" in out
