"""Reading chat completions as servers really send them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.models.completion import NotACompletion, error_text, read_completion
from infra.models.tokens import estimated_tokens


def read(message: dict[str, Any], *, messages: list[dict[str, Any]] | None = None, **completion: Any) -> Any:
    body = {"choices": [{"message": message, "finish_reason": "stop"}], **completion}
    return read_completion(json.dumps(body).encode(), messages or [], duration_ms=7)


def call(arguments: Any, call_id: Any = "a", name: str = "query_logs") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_plain_answer_keeps_its_text_and_its_counts() -> None:
    reply = read({"content": "好"}, usage={"prompt_tokens": 11, "completion_tokens": 2})
    assert (reply.output, reply.input_tokens, reply.output_tokens, reply.usage_estimated) == ("好", 11, 2, False)
    assert (reply.finish_reason, reply.duration_ms) == ("stop", 7)


def test_separate_thinking_becomes_the_thought() -> None:
    """R5: thinking must stay apart from what the Verifier may see."""
    reply = read({"content": "答", "reasoning_content": "先想"})
    assert (reply.output, reply.thought) == ("答", "先想")


def test_content_in_parts_is_joined() -> None:
    assert read({"content": [{"type": "text", "text": "未"}, {"type": "text", "text": "检索到"}]}).output == "未检索到"


def test_a_refusal_is_an_answer() -> None:
    assert read({"content": None, "refusal": "不能回答"}).output == "不能回答"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('{"service": "a"}', '{"service": "a"}'),
        ({"service": "订单"}, '{"service": "订单"}'),
        (json.dumps('{"service": "a"}'), '{"service": "a"}'),
        ('{"service": "ord', '{"service": "ord'),
        ("service=a", "service=a"),
        ('"just a text"', '"just a text"'),
        ([1], "[1]"),
        ("", ""),
        (None, ""),
    ],
)
def test_tool_arguments_stay_text_and_never_become_an_empty_object(given: Any, kept: str) -> None:
    """R3: malformed arguments are refused by the caller, not executed as `{}`."""
    assert read({"tool_calls": [call(given)]}).tool_requests[0].arguments == kept


def test_arguments_cut_by_the_token_limit_are_kept_as_they_came() -> None:
    body = {"choices": [{"message": {"tool_calls": [call('{"query": "Hik')]}, "finish_reason": "tool_calls"}]}
    reply = read_completion(json.dumps(body).encode(), [], 0)
    assert (reply.finish_reason, reply.tool_requests[0].arguments) == ("tool_calls", '{"query": "Hik')


def test_missing_and_repeated_call_ids_get_own_ones() -> None:
    reply = read({"tool_calls": [call("{}", None), call("{}", "x"), call("{}", "x"), call("{}", "")]})
    assert [request.call_id for request in reply.tool_requests] == ["call-1", "x", "call-3", "call-4"]


def test_a_call_id_of_an_earlier_turn_is_not_used_again() -> None:
    earlier = [{"role": "assistant", "tool_calls": [call("{}", "call-1")]}]
    reply = read({"tool_calls": [call("{}", "call-1")]}, messages=earlier)
    assert reply.tool_requests[0].call_id == "call-2"


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "9", "completion_tokens": 1}, {"prompt_tokens": -1}])
def test_missing_counts_are_estimated_and_marked(usage: Any) -> None:
    """R3: a token budget works on servers that do not count."""
    reply = read({"content": "内存使用率过高"}, messages=[{"role": "user", "content": "a" * 300}], usage=usage)
    assert (reply.output_tokens, reply.usage_estimated) == (7, True)
    assert reply.input_tokens > 100


def test_an_estimate_counts_a_chinese_character_as_one_token() -> None:
    assert (estimated_tokens("连接池耗尽"), estimated_tokens("abcd"), estimated_tokens("")) == (5, 2, 0)


def test_half_a_surrogate_pair_does_not_reach_the_log() -> None:
    body = b'{"choices": [{"message": {"content": "ok \\ud83d"}}]}'
    assert read_completion(body, [], 0).output == "ok ?"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "the body is empty"),
        (b"<html><body>login</body></html>", "the body is an HTML page"),
        (b"  <!DOCTYPE html><title>x", "the body is an HTML page"),
        (b'{"choices": [{"mess', 'the body is JSON cut short or malformed: {"choices": [{"mess'),
        (b"upstream gone", "the body is not JSON: upstream gone"),
        (b"\xff\xfe\xfa", "the body is not JSON"),
        (b"[]", "the body is a JSON list, not an object"),
        (b"[" * 100_000, "the body is JSON cut short or malformed"),
        (b'{"choices": []}', "the completion has no choices"),
        (b'{"choices": null}', "the completion has no choices"),
        (b'{"error": {"message": "overloaded"}}', "the body is an error: overloaded"),
        (b'{"choices": [{"text": "legacy"}]}', "the first choice holds no message"),
        (b'{"choices": [{"message": {"content": null}}]}', "the message has neither content nor tool calls"),
        (b'{"choices": [{"message": {"content": " \\n"}}]}', "the message has neither content nor tool calls"),
        (
            b'{"choices": [{"message": {"content": null, "reasoning_content": "hm"}}]}',
            "the message has neither content nor tool calls, only thinking",
        ),
    ],
)
def test_a_body_without_a_usable_reply_is_told_apart(body: bytes, problem: str) -> None:
    """R7: HTML, nothing, half a JSON and empty answers are failures with a reason."""
    with pytest.raises(NotACompletion) as caught:
        read_completion(body, [], 0)
    assert str(caught.value).startswith(problem)


def test_a_long_foreign_body_is_shown_in_short() -> None:
    with pytest.raises(NotACompletion) as caught:
        read_completion(b"x" * 1_000_000, [], 0)
    assert len(str(caught.value)) < 300


def test_an_error_body_is_told_by_its_message() -> None:
    assert error_text(b'{"error": {"message": "model not found", "code": 7}}') == "model not found"
    assert error_text(b'{"error": "bad key"}') == "bad key"
    assert error_text(b'{"detail": "x"}') == '{"detail": "x"}'
    assert error_text(b"") == "the body is empty"
