"""R50: an event that is new somewhere is decided everywhere: mypy proves every `match` over events, and the sets of
topics are complete. Nothing that is recorded is swallowed because nobody thought of it.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.events import EVENTS, TERMINAL_TOPICS
from handlers.audit.head_writer import PROMPT_TOPICS
from infra.streams import REACTIONS

ROOT = Path(__file__).parents[2]
NAMES = {cls.__name__ for cls in EVENTS.values()}
MAPPINGS = {
    "domain/public_events.py public_event",
    "domain/readjudication.py _document",
    "domain/readjudication.py _grounds",
    "domain/readjudication.py _key",
    "domain/session/again.py _ended_from_outside",
    "domain/session/again.py _note",
    "domain/session/evolve.py _advanced",
    "domain/session/evolve.py _verdict_given",
    "handlers/cli/progress.py _told",
    "projections/agent_step.py _key_of",
    "projections/diagnosis_session.py _changed",
    "projections/self_evaluation.py _key_of",
    "projections/session_headline.py _key_of",
    "projections/tool_invocation.py _key_of",
}
"""What is decided of every event: the state it leads to, the row it concerns, what others hear of it."""


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for package in ("domain", "projections", "handlers", "infra"):
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef):
                    yield f"{file.relative_to(ROOT)} {node.name}", node


def matches_over_events() -> Iterator[tuple[str, ast.Match]]:
    for name, function in functions():
        for node in ast.walk(function):
            if isinstance(node, ast.Match) and any(patterns_of(case) & NAMES for case in node.cases):
                yield name, node


def patterns_of(case: ast.match_case) -> set[str]:
    classes = (node.cls for node in ast.walk(case.pattern) if isinstance(node, ast.MatchClass))
    return {cls.id for cls in classes if isinstance(cls, ast.Name)}


def last_statement(match: ast.Match) -> str:
    return ast.unparse(match.cases[-1].body[-1])


@pytest.mark.parametrize(("name", "match"), list(matches_over_events()))
def test_no_match_over_events_swallows_one(name: str, match: ast.Match) -> None:
    """It ends in `assert_never`, so that mypy finds an event without a case, or it raises."""
    assert last_statement(match).startswith(("assert_never(", "raise ")), name


def test_what_is_decided_of_every_event_names_each_of_them() -> None:
    """The mappings stay where they are, or this list says where they have gone."""
    named = {name: set().union(*map(patterns_of, match.cases)) for name, match in matches_over_events()}

    assert {name for name, classes in named.items() if classes >= NAMES} == MAPPINGS


INCOMPLETE = """
from typing import assert_never
from domain.events import AnyEvent, {names}

def told(event: AnyEvent) -> str:
    match event:
        case {cases}:
            return "told"
        case _:
            assert_never(event)
"""


@pytest.mark.parametrize(("left_out", "errors"), [("", ""), ("FeedbackGiven", "FeedbackGiven")])
def test_mypy_finds_the_event_that_a_match_leaves_out(tmp_path: Path, left_out: str, errors: str) -> None:
    """R50: guards the guard: `AnyEvent` is closed, and mypy knows all of it."""
    names = sorted(NAMES - {left_out})
    snippet = INCOMPLETE.format(names=", ".join(names), cases=" | ".join(f"{name}()" for name in names))
    (tmp_path / "told.py").write_text(snippet)
    run = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(tmp_path / "told.py")]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, errors in done.stdout) == (bool(errors), True), done.stdout + done.stderr
    assert ("assert_never" in done.stdout) == bool(errors)


def test_every_topic_ends_a_session_or_does_not() -> None:
    """R7: whether a session is finished is told from topics alone, without opening an event."""
    assert EVENTS.keys() - TERMINAL_TOPICS == {
        "SessionOpened",
        "RoundStarted",
        "AgentStepRecorded",
        "PlanProduced",
        "ToolCallStarted",
        "ToolInvoked",
        "ExecutorAnswered",
        "GatekeeperChecked",
        "VerdictIssued",
        "RuleEvaluated",
        "AnswerComposed",
        "FeedbackGiven",
        "VerdictOverridden",
        "SessionErased",
        "StepRepeated",
    }


def test_every_topic_is_signed_at_once_or_waits_for_the_next_head() -> None:
    """R60."""
    assert EVENTS.keys() - PROMPT_TOPICS == {
        "SessionOpened",
        "RoundStarted",
        "AgentStepRecorded",
        "PlanProduced",
        "ToolCallStarted",
        "ToolInvoked",
        "ExecutorAnswered",
        "GatekeeperChecked",
        "VerdictIssued",
        "RuleEvaluated",
        "AnswerComposed",
        "StepRepeated",
    }


def test_every_topic_triggers_a_reaction_or_nothing_waits_for_it() -> None:
    """R1, R52."""
    assert EVENTS.keys() - set(REACTIONS.values()) == {
        "SessionOpened",
        "AgentStepRecorded",
        "ToolCallStarted",
        "ToolInvoked",
        "RuleEvaluated",
        "AnswerComposed",
        "FeedbackGiven",
        "SessionErased",
        "StepRepeated",
    }
