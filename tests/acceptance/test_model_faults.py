"""Whatever a model server does: a recorded failure or a verdict, never a stack trace, never PASS for what was not
understood, and always a session that ends (R7)."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"
HTML = b"<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"


class Ended(NamedTuple):
    """A session as a program sees it: exit status, the JSON object of `ask`, and of `session show`."""

    status: int
    told: dict[str, Any]
    shown: dict[str, Any]


# ---------------------------------------------------------------- servers that give no usable completion


def _status(status: int, message: str) -> Any:
    return lambda asked: asked.http(status, json.dumps({"error": {"message": message}}).encode())


def _half(asked: Any) -> Any:
    body = json.dumps(asked.usual()).encode()
    return asked.http(200, body[: len(body) // 2])


def _cut(asked: Any) -> Any:
    body = json.dumps(asked.usual()).encode()
    return asked.http(200, body[: len(body) // 2], promised=len(body))


USELESS = {
    "401": (_status(401, "invalid api key"), "auth", 1),
    "404": (_status(404, "no such model"), "bad_request", 1),
    "429 for ever": (_status(429, "slow down"), "rate_limited", 4),
    "500": (_status(500, "boom"), "server", 4),
    "HTML with 200": (lambda asked: asked.http(200, HTML, "text/html"), "not_a_completion", 4),
    "nothing, connection closed": (lambda _: None, "unreachable", 4),
    "an answer cut off": (_cut, "unreachable", 4),
    "half a JSON": (_half, "not_a_completion", 4),
    "JSON that is no completion": (lambda _: {"hello": "world"}, "not_a_completion", 4),
    "empty content": (lambda asked: asked.saying(""), "not_a_completion", 4),
}
"""What the server does, the recorded kind of failure, and how many attempts are made: only what may pass is retried."""


# ---------------------------------------------------------------- completions that are odd


def _limited_at_first(asked: Any) -> Any:
    limited = asked.http(429, b'{"error": {"message": "slow down"}}', headers={"Retry-After": "1"})
    return limited if asked.number == 1 else asked.usual()


def _executor_writes(change: Any) -> Any:
    """The offline model, but for the text of the Executor's last answer."""

    def script(asked: Any) -> Any:
        text = asked.usual_text()
        return asked.saying(change(text)) if asked.agent == "executor" and text is not None else asked.usual()

    return script


def _broken_arguments(asked: Any) -> Any:
    """The Executor's first tool calls have arguments that are no JSON object."""
    completion = asked.usual()
    made_before = any(message["role"] == "tool" for message in asked.request["messages"])
    for call in completion["choices"][0]["message"].get("tool_calls", ()) if not made_before else ():
        call["function"]["arguments"] = '{"service": "order-serv'
    return completion


def _agent_says(agent: str, text: str) -> Any:
    return lambda asked: asked.saying(text) if asked.agent == agent else asked.usual()


ODD = {
    "429, then recovered": (_limited_at_first, "PASS", "valid"),
    "fenced JSON": (_executor_writes(lambda text: f"```json\n{text}\n```"), "PASS", "valid"),
    "think block before JSON": (_executor_writes(lambda text: f"<think>{{}}</think>\n{text}"), "PASS", "valid"),
    "two objects": (_executor_writes(lambda text: f"{text}\n{text}"), "LOW_CONFID", "malformed"),
    "half an object": (_executor_writes(lambda text: text[: len(text) // 2]), "LOW_CONFID", "malformed"),
    "prose": (_executor_writes(lambda _: "内存确实很高，91%。"), "LOW_CONFID", "malformed"),
    "malformed tool arguments": (_broken_arguments, "PASS", "valid"),
    "an unreadable plan": (_agent_says("planner", "先看看再说"), "PASS", "valid"),
    "an unreadable judgement": (_agent_says("verifier", '{"verdict": "PASS"'), "LOW_CONFID", "valid"),
    "an unreadable composition": (_agent_says("composer", "已确认内存泄漏！"), "PASS", "valid"),
}
"""What the server does, the verdict that follows, and the status of the Executor's output."""


@pytest.fixture(scope="module")
def ended(served: Any, model_server: Any) -> dict[str, Ended]:
    """Every session of USELESS and ODD, by its name."""
    scripts = USELESS | ODD
    return {name: asked_of(served, model_server.plays(script)) for name, (script, *_) in scripts.items()}


def asked_of(served: Any, model: dict[str, str]) -> Ended:
    ran = served.here("ask", QUESTION, "--json", **model)
    return Ended(ran.status, ran.document, served.show(ran.document["session_id"]))


@pytest.mark.parametrize("name", USELESS)
def test_a_server_that_gives_nothing_usable_ends_the_session_with_the_reason(
    ended: dict[str, Ended], name: str
) -> None:
    """R7: every attempt is a recorded step; the session fails, exit 1."""
    _, kind, attempts = USELESS[name]
    status, told, shown = ended[name]
    assert (status, told["status"], told["verdict"], told["outcome"]) == (1, "failed", None, "DEGRADED")
    assert told["reason_code"] == f"model_{kind}"
    assert told["reason"]
    assert [(step["agent_name"], step["attempt"], step["error_kind"]) for step in shown["steps"]] == [
        ("planner", attempt, kind) for attempt in range(1, attempts + 1)
    ]
    assert (shown["session"]["status"], shown["session"]["outcome"]) == ("failed", "DEGRADED")


@pytest.mark.parametrize("name", USELESS)
def test_the_user_is_told_in_chinese_and_sees_nothing_of_the_servers_text(ended: dict[str, Ended], name: str) -> None:
    """R49."""
    said = ended[name].told["answer"]
    assert "模型服务" in said
    for words in ("<html", "boom", "slow down", "{", "Traceback"):
        assert words not in said


@pytest.mark.parametrize("name", ODD)
def test_an_odd_completion_leads_to_a_verdict(ended: dict[str, Ended], name: str) -> None:
    """R13, R14, R39: what is understood may pass, what is not never does."""
    _, verdict, parsed = ODD[name]
    status, told, shown = ended[name]
    assert (status, told["status"]) == (0, "completed")
    assert told["verdict"] == verdict
    assert shown["evaluation"]["verifier_evaluation"]["executor_output_parse_status"]["status"] == parsed


def test_a_rate_limit_that_passes_costs_one_recorded_attempt(ended: dict[str, Ended]) -> None:
    """R7."""
    first, second, *_ = ended["429, then recovered"].shown["steps"]
    assert (first["agent_name"], first["attempt"], first["error_kind"]) == ("planner", 1, "rate_limited")
    assert (second["agent_name"], second["attempt"], second["error_kind"]) == ("planner", 2, None)


def test_malformed_tool_arguments_are_a_recorded_failure(ended: dict[str, Ended]) -> None:
    """R3, R7: the call is refused and recorded, the Executor is told and may correct it."""
    tools = ended["malformed tool arguments"].shown["tools"]
    assert (tools[0]["success"], tools[0]["evidence_status"]) == (False, "failed")
    assert tools[0]["error_kind"] == "bad_arguments"
    assert tools[0]["error_message"]


def test_a_refused_composition_becomes_the_plain_list_of_claims(ended: dict[str, Ended]) -> None:
    """R46: a PASS keeps its answer, and no word of the refused one."""
    told = ended["an unreadable composition"].told
    assert told["outcome"] == "NORMAL"
    assert "泄漏" not in told["answer"]
    assert "HighMemoryUsage" in told["answer"]


def test_an_unreadable_judgement_is_asked_for_once_more(ended: dict[str, Ended]) -> None:
    """R39: one retry, then LOW_CONFID by code with score 0.0, and no second round."""
    _, told, shown = ended["an unreadable judgement"]
    assert [step["agent_name"] for step in shown["steps"]].count("verifier") == 2
    assert (told["groundedness_score"], told["rounds"]) == (0.0, 1)


def test_the_api_key_is_neither_shown_nor_stored(served: Any, model_server: Any) -> None:
    """R22: a server that echoes the key back does not get it into the log."""

    def echo(asked: Any) -> Any:
        return asked.http(401, json.dumps({"error": {"message": f"not valid: {asked.authorization}"}}).encode())

    model = model_server.plays(echo)
    ran = served.here("ask", QUESTION, "--json", **model)
    assert ran.status == 1
    shown = served.here("session", "show", ran.document["session_id"], "--json")
    for text in (ran.out, ran.err, shown.out):
        assert "not valid: Bearer" in text
        assert model["OPENAI_API_KEY"] not in text
