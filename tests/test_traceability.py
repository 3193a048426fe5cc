"""Every requirement and every scenario has a test that names it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SCENARIO = re.compile(r"^\| .*?\| (?P<name>.*?)\| `(?P<file>\w+\.py)::(?P<test>\w+)` \|", re.MULTILINE)
REQUIREMENTS = [8, 9, *range(11, 51), 53, *range(56, 72), 83, 89]
"""Evidence rules (sections 3 to 9), planted instructions, time, events, overrides, rebuilds, rules, audit, harness,
operation."""


def _tests_in(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def _named(text: str) -> set[int]:
    """The numbers of the requirements that a docstring names: `R9, R11 to R13`."""
    ranges = re.findall(r"R(\d+) to R(\d+)", text)
    return {int(number) for number in re.findall(r"\bR(\d+)\b", text)} | {
        number for first, last in ranges for number in range(int(first), int(last) + 1)
    }


@pytest.fixture(scope="module")
def named_requirements() -> set[int]:
    tests = (test for path in TESTS.rglob("test_*.py") for test in _tests_in(path))
    return {number for test in tests for number in _named(ast.get_docstring(test) or "")}


@pytest.mark.parametrize("number", REQUIREMENTS, ids="R{}".format)
def test_a_requirement_is_named_by_a_test(number: int, named_requirements: set[int]) -> None:
    assert number in named_requirements


def test_every_scenario_has_the_test_that_the_table_names() -> None:
    """The 49 scenarios of the first specification, each with a test that exists; a test may stand only once."""
    rows = [row.groupdict() for row in SCENARIO.finditer((TESTS / "scenarios_001.md").read_text())]
    folder = TESTS / "unit" / "verifier_spec"
    written = {f"{path.name}::{test.name}" for path in folder.glob("test_*.py") for test in _tests_in(path)}
    listed = [f"{row['file']}::{row['test']}" for row in rows]
    assert set(listed) == written
    assert len(listed) == len(set(listed))
    assert len([row for row in rows if row["name"].strip()]) == 49
