"""`read_skill` and the clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from domain.events import Source, sources_at
from infra.tools.clock import clock_tool
from infra.tools.contract import Tool, ToolContext, ToolResult
from infra.tools.skills import skill_catalog, skill_tool

CONTEXT = ToolContext(datetime(2031, 3, 4, 12, 0, tzinfo=UTC), 60, 7, "session")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    skills = tmp_path / "skills"
    for name, text in {
        "tape": "---\nname: tape-check\ndescription: |\n  检查\n  磁带库\n---\n# 步骤\n1. 看告警",
        "broken": "---\nname: [\n---\n正文",
        "bare": "没有头部",
    }.items():
        (skills / name).mkdir(parents=True)
        (skills / name / "SKILL.md").write_text(text)
    (skills / "empty").mkdir()
    (tmp_path / "SKILL.md").write_text("outside")
    return skills


def at(folder: Path) -> Sequence[Source]:
    return sources_at({"skills": str(folder)})


def run(tool: Tool, **arguments: Any) -> ToolResult:
    return asyncio.run(tool.run(arguments, CONTEXT))


def test_the_catalog_holds_names_and_descriptions_only(folder: Path) -> None:
    """R2: the planner sees no skill's text; broken front matter costs the description, not the skill."""
    assert asyncio.run(skill_catalog(at(folder)))[1] == [("bare", ""), ("broken", ""), ("tape-check", "检查 磁带库")]


def test_a_skill_is_read_by_its_name(folder: Path) -> None:
    """R3: `read_skill`."""
    result = run(skill_tool(at(folder)), name="tape-check")
    assert json.loads(result.output) == {
        "success": True,
        "name": "tape-check",
        "description": "检查 磁带库",
        "content": "# 步骤\n1. 看告警",
    }
    assert result.retrieval.source_documents == ("tape/SKILL.md",)


@pytest.mark.parametrize("name", ["..", "../", ".", "tape", "tape/../..", "/etc", "none", "tape-check\x00"])
def test_a_name_is_never_a_path(folder: Path, name: str) -> None:
    """Bad input: nothing outside the catalogue can be read; the answer lists what can."""
    result = run(skill_tool(at(folder)), name=name)
    assert (result.success, result.error_kind) == (False, "bad_arguments")
    assert "outside" not in result.output
    assert "bare、broken、tape-check" in result.error_message


def test_a_missing_folder_is_a_failure_that_names_it(tmp_path: Path) -> None:
    """R7: a clear failure, recorded like any other call."""
    result = run(skill_tool(at(tmp_path / "none")), name="x")
    assert result.error_kind == "source"
    assert str(tmp_path / "none") in result.error_message


def test_the_clock_tells_the_time_of_the_session() -> None:
    """R9: `getCurrentDateTime` uses the session's now."""
    result = run(clock_tool())
    assert json.loads(result.output) == {"success": True, "now": "2031-03-04T12:00:00Z", "timezone": "UTC"}
    assert run(clock_tool(), zone="x").error_kind == "bad_arguments"
