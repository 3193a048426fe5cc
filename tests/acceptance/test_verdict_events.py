"""Verdicts as other systems get them (R52): CloudEvents with the subscriber's own credentials."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import nats
import pytest

QUESTION = "确认 inventory-service 是否存在 HikariCP 连接池耗尽。"


async def verdicts(url: str, user: str, password: str, subject: str) -> AsyncIterator[dict[str, Any]]:
    """The README's example."""
    client = await nats.connect(url, user=user, password=password, inbox_prefix=b"_INBOX_subscriber")
    subscription = await client.jetstream().pull_subscribe(
        subject,  # assay.verdict.REJECT.> for what was rejected, assay.verdict.> for everything
        durable="my-system",  # the server remembers how far this system has come
        stream="ASSAY_VERDICTS",
        inbox_prefix=b"_INBOX_subscriber.",
    )
    try:
        while True:
            try:
                messages = await subscription.fetch(10, timeout=5)
            except TimeoutError:
                continue
            for message in messages:
                yield json.loads(message.data)  # at least once: the event's `id` tells a repeated one
                await message.ack()
    finally:
        await client.close()


@pytest.fixture(scope="module")
def session_id(served: Any) -> str:
    told: str = served.ask(QUESTION)["session_id"]
    return told


def watched(served: Any, session_id: str, *arguments: str, expected: int = 2) -> list[str]:
    """Lines about one session that `verdict watch` prints, as many as are expected; it would go on for ever."""
    process = served.start("verdict", "watch", *arguments)
    lines: list[str] = []
    try:
        while len(lines) < expected:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            lines += [line] if session_id in line else []
    finally:
        process.kill()
        process.communicate()
    return lines


def test_a_verdict_and_the_end_are_cloud_events(served: Any, session_id: str) -> None:
    """R52: a public, versioned form with ids, classes and figures, and no texts."""
    issued, end = (json.loads(line) for line in watched(served, session_id, "--since", "1h", "--json"))
    for event in (issued, end):
        assert event["specversion"] == "1.0"
        assert (event["source"], event["subject"]) == ("/assay", session_id)
        assert event["datacontenttype"] == "application/json"
        assert "inventory-service" not in json.dumps(event)
    assert issued["type"] == "assay.verdict.issued.v1"
    assert issued["data"]["verdict"] == "PASS"
    assert (issued["data"]["round"], issued["data"]["final"], issued["data"]["groundedness_score"]) == (1, True, "1.0")
    assert end["type"] == "assay.session.ended.v1"
    assert (end["data"]["verdict"], end["data"]["outcome"], end["data"]["rounds"]) == ("PASS", "NORMAL", 1)
    assert issued["id"] != end["id"]


def test_watching_filters_by_verdict(served: Any, model_server: Any) -> None:
    """R52: a session without a verdict ends under NONE, and is not among the passed."""
    ran = served.here("ask", QUESTION, "--json", **model_server.plays(lambda asked: asked.http(401, b"{}")))
    failed = ran.document["session_id"]
    (line,) = watched(served, failed, "--since", "1h", "--verdict", "NONE", expected=1)
    assert "NONE" in line
    assert "reason model_auth" in line
    (end,) = watched(served, failed, "--since", "1h", "--verdict", "NONE", "--json", expected=1)
    assert json.loads(end)["data"] | {"version": 0} == {
        "session_id": failed,
        "version": 0,
        "verdict": None,
        "outcome": "DEGRADED",
        "groundedness_score": None,
        "rounds": None,
        "reason": "model_auth",
    }


def test_watching_without_an_age_shows_what_comes(served: Any, session_id: str) -> None:
    """R52: from now on, and nothing from before."""
    process = served.start("verdict", "watch", "--json")
    try:
        assert "watching" in process.stderr.readline()
        asked = served.ask(QUESTION)["session_id"]
        event = json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()
    assert event["subject"] == asked != session_id


@pytest.mark.usefixtures("session_id")
def test_another_program_subscribes_in_plain_nats(served: Any) -> None:
    """R52, R65: the README's example, with the subscriber's credentials alone."""
    folder: Path = served.folder / "data" / "servers" / "nats"
    subscriber = json.loads((folder / "credentials.json").read_text())["subscriber"]
    url = f"nats://127.0.0.1:{json.loads((folder / 'nats.json').read_text())['port']}"

    async def first_two() -> list[dict[str, Any]]:
        followed = verdicts(url, subscriber["user"], subscriber["password"], "assay.verdict.PASS.>")
        async with aclosing(followed) as events:
            return [await anext(events), await anext(events)]

    first, second = asyncio.run(first_two())
    assert (first["data"]["verdict"], second["data"]["verdict"]) == ("PASS", "PASS")
    assert first["type"] == "assay.verdict.issued.v1"
    assert first["id"] != second["id"]
