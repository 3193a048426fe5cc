"""Verdicts as other systems get them (R52, R53): CloudEvents with the subscriber's own credentials."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import nats
import pytest

from domain.public_contract import PUBLIC_EVENTS

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


# ---------------------------------------------------------------- an auditor's override


def test_an_override_supersedes_the_verdict_for_everybody(served: Any) -> None:
    """R53, R64: an event behind the recorded ones, a public event that names the one it supersedes, the read models."""
    session_id = served.ask(QUESTION)["session_id"]
    before = served.here("session", "tail", session_id, "--json").documents
    (issued,) = [event for event in before if event["type"] == "VerdictIssued"]
    override = ("verdict", "override", session_id, "REJECT", "--reason", "看错了服务", "--json")
    done = served.here(*override, ASSAY_ACTOR="auditor-7")
    assert (done.status, done.document) == (
        0,
        {
            "session_id": session_id,
            "version": len(before) + 1,
            "verdict_in_force": "REJECT",
            "superseded_version": issued["version"],
            "reason_kept": True,
        },
    )
    first, _, superseding = (
        json.loads(line) for line in watched(served, session_id, "--since", "1h", "--json", expected=3)
    )
    assert (superseding["type"], superseding["subject"]) == ("assay.verdict.superseded.v1", session_id)
    assert superseding["data"] == {
        "session_id": session_id,
        "version": len(before) + 1,
        "verdict": "REJECT",
        "superseded_version": first["data"]["version"],
    }
    PUBLIC_EVENTS[superseding["type"]].model_validate(superseding)
    session = served.show(session_id)["session"]
    assert (session["verdict_in_force"], session["verdict"], session["override_reason"]) == (
        "REJECT",
        "PASS",
        "看错了服务",
    )
    listed = served.here("session", "list", "--verdict", "REJECT", "--limit", "100", "--json").documents
    assert session_id in {row["session_id"] for row in listed}
    assert "override  in place of PASS: 看错了服务\n" in served.here("session", "show", session_id).out
    replayed = served.here("session", "replay", session_id, "--json").documents
    assert [{**event, "changes": None} for event in replayed[:-1]] == [{**event, "changes": None} for event in before]
    assert (replayed[-1]["actor"], replayed[-1]["changes"]) == (
        "auditor-7",
        [{"where": "verdict_in_force", "before": "PASS", "after": "REJECT"}],
    )
    accesses = served.here("access", "list", session_id, "--json").documents
    assert ("auditor-7", "override") in {(access["actor"], access["action"]) for access in accesses}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("PASS", "--reason", "x"), "the verdict in force is PASS already"),
        (("REJECT", "--reason", " "), "an override needs a reason"),
        (("REJECT",), "--reason"),
        (("NORMAL", "--reason", "x"), "invalid choice"),
    ],
)
def test_an_override_that_cannot_be_made_is_refused(
    served: Any, session_id: str, arguments: tuple[str, ...], message: str
) -> None:
    """R53."""
    ran = served.here("verdict", "override", session_id, *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert served.show(session_id)["session"]["verdict_in_force"] == "PASS"
