"""Reading cases: what a file says, and how one that cannot be used is refused (R63)."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from domain.contracts import Agent
from domain.settings import SessionSettings
from handlers.evaluation.case import SHIPPED, CaseError, load_cases

GOOD = """
name: memory
question: 内存如何？
expect: {verdict: PASS}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def write(folder: Path, text: str, name: str = "case.yaml") -> Path:
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def refusal(place: Path) -> str:
    with pytest.raises(CaseError) as caught:
        load_cases(place)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_file_holds_one_case_or_a_list_and_a_folder_many_files(folder: Path) -> None:
    write(folder, GOOD, "b.yaml")
    write(
        folder,
        "- {name: one, question: 一, expect: {rounds: 1}}\n- {name: two, question: 二, expect: {rounds: 2}}",
        "a.yml",
    )
    write(folder, "no case", "readme.txt")
    assert [case.name for case in load_cases(folder)] == ["one", "two", "memory"]
    assert [case.name for case in load_cases(folder / "b.yaml")] == ["memory"]


def test_without_sources_the_sample_scenario_and_the_offline_model_answer(folder: Path) -> None:
    (case,) = load_cases(write(folder, GOOD))
    assert (case.sources, case.now, case.model) == (None, None, "extractive")


def test_paths_of_sources_are_relative_to_the_file_and_urls_are_kept(folder: Path) -> None:
    write(folder, GOOD + "sources: {logs: my/logs, metrics: http://127.0.0.1:9090}")
    (case,) = load_cases(folder)
    assert case.sources == {
        "logs": str(folder.resolve() / "my" / "logs"),
        "metrics": "http://127.0.0.1:9090",
    }


def test_settings_of_a_case_replace_only_what_they_name(folder: Path) -> None:
    (case,) = load_cases(write(folder, GOOD + "settings: {threshold: 0.6, budgets: {model_calls: 3}}"))
    applied = case.settings.applied_to(SessionSettings(window_minutes=30))
    assert Decimal(applied.threshold) == Decimal("0.6")
    assert (applied.budgets.model_calls, applied.budgets.tool_calls, applied.window_minutes) == (3, 24, 30)


def test_replies_are_a_list_for_each_scripted_agent(folder: Path) -> None:
    (case,) = load_cases(write(folder, GOOD + "model: scripted\nreplies: {verifier: [PASS, {error: auth}]}"))
    assert [reply.text for reply in case.replies[Agent.VERIFIER]] == ["PASS", None]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("name: [", ["case.yaml", "line 1"]),
        ("", ["case.yaml", "case 1 is no mapping"]),
        ("[]", ["case.yaml", "no case"]),
        ("- 7", ["case.yaml", "case 1 is no mapping"]),
        ("question: 一\nexpect: {rounds: 1}", ["case 1", "name", "Field required"]),
        ("name: ''\nquestion: 一\nexpect: {rounds: 1}", ["case 1", "name"]),
        ('name: "a\\nb"\nquestion: 一\nexpect: {rounds: 1}', ["name"]),
        ("name: a\nquestion: ' '\nexpect: {rounds: 1}", ["case a", "question", "empty"]),
        ("name: a\nquestion: 一\nexpect: {}", ["case a", "expect", "nothing is expected"]),
        ("name: a\nquestion: 一\nexpect: {verdict: MAYBE}", ["case a", "expect.verdict", "LOW_CONFID"]),
        ("name: a\nquestion: 一\nexpect: {rounds: 3}", ["case a", "expect.rounds"]),
        ("name: a\nquestion: 一\nexpect: {answer_lack: [b]}", ["case a", "expect.answer_lack", "not permitted"]),
        ("name: a\nquestion: 一\nexpect: {answer_lacks: ['']}", ["case a", "expect.answer_lacks.0"]),
        (GOOD + "settings: {threshold: 2}", ["case memory", "settings.threshold"]),
        (
            GOOD + "settings: {budgets: {model_cals: 2}}",
            ["case memory", "settings.budgets", "model_cals", "model_calls"],
        ),
        (GOOD + "settings: {budgets: {model_calls: 0}}", ["case memory", "settings.budgets"]),
        (GOOD + "now: yesterday", ["case memory", "now"]),
        (GOOD + "now: 2026-07-08 11:20:00", ["case memory", "now", "timezone"]),
        (GOOD + "sources: {traces: here}", ["case memory", "sources.traces"]),
        (GOOD + "model: gpt", ["case memory", "model", "scripted"]),
        (GOOD + "model: scripted", ["case memory", "replies"]),
        (GOOD + "replies: {planner: [PASS]}", ["case memory", "replies"]),
        (GOOD + "model: scripted\nreplies: {judge: [PASS]}", ["case memory", "replies.judge"]),
        (GOOD + "model: scripted\nreplies: {planner: [{text: a, error: auth}]}", ["case memory", "replies.planner.0"]),
        (GOOD + "model: scripted\nreplies: {planner: [{json: &a [*a]}]}", ["case memory", "replies.planner.0.json"]),
    ],
)
def test_a_case_that_cannot_be_used_is_refused_by_file_case_and_field(
    folder: Path, text: str, named: list[str]
) -> None:
    message = refusal(write(folder, text).parent)
    assert [words for words in ["case.yaml", *named] if words not in message] == []


def test_bytes_that_are_no_text_are_refused_by_file(folder: Path) -> None:
    (folder / "bytes.yaml").write_bytes(b"name: \xff\xfe")
    assert "bytes.yaml" in refusal(folder)


def test_a_nesting_without_end_is_refused_by_file(folder: Path) -> None:
    assert "case.yaml" in refusal(write(folder, "[" * 5_000))


def test_a_folder_without_cases_and_a_place_that_is_none_are_named(folder: Path) -> None:
    assert refusal(folder).endswith(f"{folder}: no file *.yaml or *.yml")
    assert refusal(folder / "nowhere").endswith("nowhere: no such file or folder")


def test_two_cases_of_one_name_are_refused_with_both_files(folder: Path) -> None:
    write(folder, GOOD, "a.yaml")
    write(folder, GOOD, "b.yaml")
    message = refusal(folder)
    assert "'memory'" in message
    assert "a.yaml" in message
    assert "b.yaml" in message


def test_the_matrix_ships_with_models_that_misbehave() -> None:
    """R63, section 15: every row of the matrix, and a scripted case of every agent."""
    cases = load_cases(SHIPPED)
    named = {case.name for case in cases}
    assert named >= {
        "HighCPUUsage",
        "HighMemoryUsage",
        "SlowResponse, alert and logs",
        "HikariCP on order-service",
        "HikariCP on inventory-service, nothing found",
        "Narrow, with exclusions",
        "Unknown path",
        "Real id with an invented excerpt",
    }
    assert {agent for case in cases for agent in case.replies} == set(Agent)
    assert Counter(case.expect.verdict for case in cases).keys() >= {"PASS", "LOW_CONFID", "REJECT", "NONE"}
