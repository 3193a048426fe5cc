"""`assay eval` as a user and a pipeline run it (R63)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

CASES = """
- name: own logs
  question: 确认 cart-api 是否存在 CheckoutError 日志。
  sources: {logs: logs}
  now: 2031-03-04T06:30:00Z
  expect:
    verdict: PASS
    answer_contains: [CheckoutError]
    tools_called: [query_logs]

- name: wrong on purpose
  question: &memory 请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。
  expect:
    verdict: REJECT
    answer_lacks: [91%]

- name: verifier out of order
  question: *memory
  model: scripted
  replies: {verifier: [PASS, PASS]}
  expect:
    verdict: LOW_CONFID
    reason: verifier_malformed

- name: live
  question: *memory
  model: live
  expect:
    verdict: PASS
"""


@pytest.fixture(scope="module")
def assay(new_assay: Callable[[], Any]) -> Any:
    made = new_assay()
    (made.folder / "cases" / "logs").mkdir(parents=True)
    (made.folder / "cases" / "cases.yaml").write_text(CASES, "utf-8")
    line = "2031-03-04T06:10:00Z ERROR cart-api CheckoutError: payment refused\n"
    (made.folder / "cases" / "logs" / "cart-api.log").write_text(line, "utf-8")
    return made


@pytest.fixture(scope="module")
def ran(assay: Any, model_server: Any) -> Any:
    """One run over cases of one's own, with a model server for the live one."""
    environment = model_server.plays(lambda asked: asked.usual())
    return assay.run("eval", "cases", "--json", "--junit", "junit.xml", "--keep", "kept", **environment)


def test_a_miss_ends_with_3_and_is_told_by_case_and_field(ran: Any) -> None:
    assert ran.status == 3, ran.err
    cases = {case["name"]: case for case in ran.document["cases"]}
    assert {name: case["ok"] for name, case in cases.items()} == {
        "own logs": True,
        "wrong on purpose": False,
        "verifier out of order": True,
        "live": True,
    }
    verdict, words = cases["wrong on purpose"]["misses"]
    assert verdict == {"field": "verdict", "expected": "REJECT", "got": "PASS"}
    assert words["field"] == "answer_lacks"
    assert ran.document["verdicts"]["baselines"] == {"always LOW_CONFID": 1, "always PASS": 2}


@pytest.mark.usefixtures("ran")
def test_junit_holds_the_same(assay: Any) -> None:
    suite = ElementTree.parse(assay.folder / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("4", "1")
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["wrong on purpose"]


def test_each_case_is_a_recorded_session_that_can_be_shown(assay: Any, ran: Any) -> None:
    """R58: kept apart from the user's own data, which an evaluation does not touch."""
    session_id = next(case["session_id"] for case in ran.document["cases"] if case["name"] == "verifier out of order")
    kept = {
        name: str(assay.folder / "kept" / part)
        for name, part in (("ASSAY_DATA_DIR", "data"), ("ASSAY_KEY_DIR", "keys"))
    }
    shown = assay.run("session", "show", session_id, "--json", **kept)
    assert shown.status == 0, shown.err
    assert {step["model"] for step in json.loads(shown.out)["steps"]} == {"extractive", "scripted"}
    assert not (assay.folder / "data").exists()
    assert not (assay.folder / "keys").exists()


def test_without_a_folder_the_shipped_matrix_is_run(assay: Any) -> None:
    """Section 15. A key in the environment does not send offline cases to a server."""
    name = "HikariCP on inventory-service, nothing found"
    ran = assay.run("eval", "--only", name, "--keep", "kept", OPENAI_API_KEY="sk-none")
    assert ran.status == 0, ran.err
    heading, row, summary = ran.out.splitlines()
    assert heading.split() == ["CASE", "EXPECTED", "GOT", "OK", "SECONDS"]
    assert row.removeprefix(name).split()[:3] == ["PASS", "PASS", "yes"]
    assert summary == "1 of 1 cases as expected; verdicts: assay 1/1, always LOW_CONFID 0/1, always PASS 1/1"


# ---------------------------------------------------------------- what cannot be used


def refused(ran: Any, *named: str) -> None:
    assert ran.status == 2, ran.err
    assert ran.out == ""
    (line,) = ran.err.splitlines()
    assert [words for words in ("assay: ", *named) if words not in line] == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("nowhere",), ("nowhere",)),
        (("--only", "no such case"), ("--only", "no such case")),
        (("cases", "--only", "live"), ("live", "OPENAI_BASE_URL")),
        (("--live", "--only", "Unknown path"), ("--live", "scripted")),
        (("--junit", "no/such/folder/junit.xml"), ("--junit", "no/such/folder")),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_named_before_any_server_starts(assay: Any, arguments: Any, named: Any) -> None:
    refused(assay.run("eval", *arguments), *named)


def test_a_source_that_holds_nothing_is_named_with_its_case(assay: Any, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("{name: a, question: 一, sources: {logs: none}, expect: {rounds: 1}}", "utf-8")
    refused(assay.run("eval", str(tmp_path)), "case a", "logs", "none")


def test_a_broken_case_is_named_by_file_and_field(assay: Any, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("{name: a, question: 一, expect: {verdict: MAYBE}}", "utf-8")
    refused(assay.run("eval", str(tmp_path)), "a.yaml", "expect.verdict")
