"""Which tools a session has, and what is found wrong with its sources before it starts."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from domain.contracts import TOOL_CLASSES, ToolClass
from domain.events import Source, sources_at
from infra.scenario.scenario import sample_scenario
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolResult
from infra.tools.registry import ToolLoadError, build_tools, check_sources, load_tools


class OrderArguments(Arguments):
    order: str


def query_order() -> list[Tool]:
    async def call(arguments: OrderArguments, _: ToolContext) -> ToolResult:
        return ToolResult(json.dumps({"success": True, "items": [{"order": arguments.order}], "total": 1}), True)

    return [FunctionTool("query_order", "查询订单", OrderArguments, ToolClass.LIVE, call, read_only=False)]


def fails() -> list[Tool]:
    raise RuntimeError("no database")


def no_tools() -> list[object]:
    return [object()]


def test_a_tool_without_a_source_is_absent() -> None:
    """R3: the model is offered only what can answer."""
    assert list(build_tools(())) == ["getCurrentDateTime"]
    assert list(build_tools(sources_at({"logs": "x"}))) == ["getCurrentDateTime", "query_logs", "survey_logs"]


def test_the_shipped_tools_are_read_only_and_of_the_configured_classes() -> None:
    """R7, R21: a started call of theirs may run again after a crash."""
    tools = build_tools(sample_scenario().sources)
    assert {name: tool.tool_class for name, tool in tools.items()} == {
        name: tool_class for name, tool_class in TOOL_CLASSES.items() if name != "query_order"
    }
    assert all(tool.read_only for tool in tools.values())


def test_parameters_are_schemas_that_refuse_unknown_names() -> None:
    """R3: what the model is told about a tool comes from what is checked."""
    schema = build_tools(sample_scenario().sources)["query_logs"].parameters
    assert schema["additionalProperties"] is False
    assert schema["properties"]["since"]["format"] == "date-time"
    assert schema["properties"]["limit"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 200,
        "default": 20,
        "description": "最多返回的条数；超出时保留最新的，total 为全部命中数",
    }


def test_an_operators_tools_are_loaded_and_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """R3, R21: injected tools, declared with class and whether they only read."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    (tool,) = load_tools("test_tools_registry:query_order")
    assert (tool.name, tool.tool_class, tool.read_only) == ("query_order", ToolClass.LIVE, False)
    context = ToolContext(datetime(2031, 3, 4, tzinfo=UTC), 60, 1, "session")
    assert json.loads(asyncio.run(tool.run({"order": "K-15"}, context)).output)["items"] == [{"order": "K-15"}]
    assert asyncio.run(tool.run({}, context)).error_kind == "bad_arguments"
    assert list(build_tools((), [tool])) == ["getCurrentDateTime", "query_order"]


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("tools", "module:factory"),
        ("no_such_module:make", "no_such_module"),
        ("test_tools_registry:missing", "missing"),
        ("test_tools_registry:fails", "no database"),
        ("test_tools_registry:no_tools", "without name"),
    ],
)
def test_tools_that_cannot_be_loaded_are_a_clear_error(monkeypatch: pytest.MonkeyPatch, spec: str, named: str) -> None:
    """Bad input: the message names the setting's value and what is wrong with it."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    with pytest.raises(ToolLoadError, match=named):
        load_tools(spec)


def test_no_spec_means_no_further_tools() -> None:
    """R3: the setting is optional."""
    assert load_tools("") == []


def test_two_tools_of_one_name_are_refused() -> None:
    """R21: a name has one class."""
    with pytest.raises(ToolLoadError, match="query_order"):
        build_tools((), [*query_order(), *query_order()])


def test_good_sources_have_no_problems() -> None:
    """Bad input: the sample scenario passes its own check."""
    assert asyncio.run(check_sources(sample_scenario().sources)) == {}


def test_every_problem_of_the_sources_is_named_before_a_session_starts(tmp_path: Path) -> None:
    """Bad input: a missing folder, a file that is no alert response, a folder with nothing to read."""
    (tmp_path / "alerts.json").write_text("<html>")
    places = {"metrics": "alerts.json", "logs": "none", "knowledge": "", "skills": ""}
    sources = tuple(Source(kind=kind, name=kind, address=str(tmp_path / place)) for kind, place in places.items())
    problems = asyncio.run(check_sources(sources))
    assert problems.pop("metrics").startswith(f"{tmp_path}/alerts.json: no answer of Prometheus or Alertmanager")
    assert problems == {
        "logs": f"{tmp_path}/none is not a folder",
        "knowledge": f"{tmp_path} holds nothing to read",
        "skills": f"{tmp_path} holds nothing to read",
    }
