"""What a scripted model replies: given a script and a conversation, then these replies."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import ValidationError

from domain.contracts import Agent
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from infra.models.client import extractive_client
from infra.models.scripted import Script, ScriptedReply


def said(
    *replies: Any, messages: list[dict[str, Any]] | None = None, times: int = 1
) -> list[ModelReply | ModelFailure]:
    """What the Executor of a script says, asked so often."""
    script = Script({Agent.EXECUTOR: [ScriptedReply.model_validate(reply) for reply in replies]}, extractive_client())
    return [asyncio.run(_asked(script, Agent.EXECUTOR, messages or [])) for _ in range(times)]


async def _asked(script: Script, agent: Agent, messages: list[dict[str, Any]]) -> ModelReply | ModelFailure:
    return await script.model_for(agent).complete(model="scripted", messages=messages)


def text_of(reply: ModelReply | ModelFailure) -> str:
    assert isinstance(reply, ModelReply), reply
    return reply.output


def conversation(*results: tuple[str, int, dict[str, str]]) -> list[dict[str, Any]]:
    """Finished tool calls: (tool, invocation id, texts by path)."""
    messages: list[dict[str, Any]] = []
    for index, (tool, number, texts) in enumerate(results):
        refs = [{"raw_path": path, "text": text} for path, text in texts.items()]
        content = json.dumps({"source_invocation_id": number, "evidence_status": "supported", "evidence_refs": refs})
        messages += [
            {"role": "assistant", "tool_calls": [{"id": f"c{index}", "function": {"name": tool, "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": f"c{index}", "content": content},
        ]
    return messages


LOOKED = conversation(
    ("query_metrics", 6, {"$.alerts[0]": 'firing, "91%"'}), ("query_logs", 8, {}), ("query_logs", 9, {})
)


def test_replies_come_in_order_and_a_text_may_stand_for_itself() -> None:
    assert [text_of(reply) for reply in said("one", {"text": "two"}, times=2)] == ["one", "two"]


def test_a_json_value_is_written_out() -> None:
    assert json.loads(text_of(said({"json": {"claims": ["断言"]}})[0])) == {"claims": ["断言"]}


def test_a_text_may_hold_the_json_value_as_often_as_it_likes() -> None:
    """R13: two objects, a fence, a cut."""
    assert text_of(said({"text": "```{{json}}{{json}}```", "json": 7})[0]) == "```77```"


def test_a_call_has_arguments_as_given() -> None:
    (reply,) = said({"calls": [{"tool": "query_logs", "arguments": {"service": "a"}}, {"tool": "x", "arguments": "{"}]})
    assert isinstance(reply, ModelReply)
    assert [(one.tool_name, one.arguments) for one in reply.tool_requests] == [
        ("query_logs", '{"service": "a"}'),
        ("x", "{"),
    ]
    assert len({one.call_id for one in reply.tool_requests}) == 2


def test_an_error_is_a_failure_of_that_kind() -> None:
    (failure,) = said({"error": "rate_limited"})
    assert isinstance(failure, ModelFailure)
    assert failure.kind is ErrorKind.RATE_LIMITED


def test_empty_content_is_no_completion_as_from_any_server() -> None:
    (failure,) = said("  ")
    assert isinstance(failure, ModelFailure)
    assert failure.kind is ErrorKind.NOT_A_COMPLETION


@pytest.mark.parametrize(
    ("placeholder", "value"),
    [
        ("{{query_metrics.id}}", 6),
        ("{{query_logs.id}}", 8),
        ("{{query_logs#2.id}}", 9),
        ("{{query_metrics.$.alerts[0]}}", 'firing, "91%"'),
        ("id {{query_metrics.id}}.0", "id 6.0"),
    ],
)
def test_a_placeholder_stands_for_what_the_agents_were_shown(placeholder: str, value: object) -> None:
    (reply,) = said({"json": [{"x": placeholder}]}, messages=LOOKED)
    assert json.loads(text_of(reply)) == [{"x": value}]


def test_what_one_agent_was_shown_another_may_cite() -> None:
    script = Script(
        {
            Agent.EXECUTOR: [ScriptedReply.model_validate("seen")],
            Agent.VERIFIER: [ScriptedReply.model_validate("{{query_metrics.id}}")],
        },
        extractive_client(),
    )
    asyncio.run(_asked(script, Agent.EXECUTOR, LOOKED))
    assert text_of(asyncio.run(_asked(script, Agent.VERIFIER, []))) == "6"


@pytest.mark.parametrize("placeholder", ["{{query_logs#3.id}}", "{{query_order.id}}", "{{query_metrics.$.alerts[7]}}"])
def test_a_placeholder_for_nothing_is_a_fault_that_quotes_it(placeholder: str) -> None:
    script = Script({Agent.EXECUTOR: [ScriptedReply.model_validate(placeholder)]}, extractive_client())
    failure = asyncio.run(_asked(script, Agent.EXECUTOR, LOOKED))
    assert isinstance(failure, ModelFailure)
    assert not failure.kind.is_transient
    assert placeholder in script.faults[0]


def test_a_script_that_has_run_out_is_a_fault() -> None:
    script = Script({Agent.COMPOSER: []}, extractive_client())
    assert isinstance(asyncio.run(_asked(script, Agent.COMPOSER, [])), ModelFailure)
    assert script.faults == ["the script holds no further reply of the composer"]


def test_what_the_script_leaves_open_the_offline_model_says() -> None:
    payload = {"question": "只确认 HighCPUUsage", "skill_catalog": []}
    messages = [{"role": "user", "content": json.dumps(payload)}]
    script = Script({Agent.EXECUTOR: [ScriptedReply.model_validate({"extractive": True})]}, extractive_client())
    unscripted = asyncio.run(script.model_for(Agent.PLANNER).complete(model="extractive", messages=messages))
    assert "selected_skill" in json.loads(text_of(unscripted))
    assert text_of(asyncio.run(_asked(script, Agent.EXECUTOR, messages))) == text_of(unscripted)


@pytest.mark.parametrize(
    "reply", [{}, {"text": "a", "error": "auth"}, {"json": 1, "calls": []}, {"say": "a"}, {"error": "bored"}, 7]
)
def test_a_reply_is_one_thing(reply: object) -> None:
    with pytest.raises(ValidationError):
        ScriptedReply.model_validate(reply)
