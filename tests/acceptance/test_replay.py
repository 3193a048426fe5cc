"""Replay, the comparison of rounds, and what today's rules would decide, on the command line (R58, R59)."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"


@pytest.fixture(scope="module")
def asked(served: Any) -> str:
    """Id of a session of one round that ended with PASS."""
    session_id: str = served.ask(QUESTION)["session_id"]
    return session_id


@pytest.fixture(scope="module")
def asked_twice(served: Any, model_server: Any) -> str:
    """Id of a session whose Verifier finds no proof in round 1, and what the offline model finds in round 2."""

    def unproven(asked: Any) -> Any:
        if asked.agent != "verifier" or json.loads(asked.request["messages"][-1]["content"])["retry_context"]:
            return asked.usual()
        judged = json.loads(asked.usual_text())
        facts = [fact | {"verification": "no_evidence"} for fact in judged["facts_checked"]]
        return asked.saying(json.dumps(judged | {"facts_checked": facts}))

    session_id: str = served.ask(QUESTION, **model_server.plays(unproven))["session_id"]
    return session_id


# ---------------------------------------------------------------- replay


def test_a_session_is_replayed_event_by_event(served: Any, asked: str) -> None:
    """R58: the recorded events, each with what it changed, without any read model."""
    events = served.here("session", "tail", asked, "--json").documents
    replayed = served.here("session", "replay", asked, "--json", ASSAY_POSTGRES_DSN="postgresql://127.0.0.1:9/none")
    assert replayed.status == 0, replayed.err
    assert [{**event, "changes": None} for event in replayed.documents] == [{**e, "changes": None} for e in events]
    changed = {change["where"]: change["after"] for event in replayed.documents for change in event["changes"]}
    assert (changed["verdict_in_force"], changed["end"]) == ("PASS", "completed, NORMAL")
    lines = served.here("session", "replay", asked[:13]).out
    assert "    ~ phase: planner -> executor\n" in lines
    assert "    + rounds.1.route: compose\n" in lines


def test_the_state_as_of_an_event_is_shown(served: Any, asked: str) -> None:
    """R58."""
    told = served.here("session", "replay", asked, "--at", "4", "--json").document
    assert (told["version"], told["state"]["phase"], told["state"]["due"]) == (
        4,
        "executor",
        "ask the executor, attempt 1",
    )
    assert "    phase: planner\n" in served.here("session", "replay", asked, "--at", "2").out


@pytest.mark.parametrize(
    ("at", "message"),
    [("0", "must be at least 1, not 0"), ("1000", "events, not 1000"), ("x", "invalid")],
)
def test_an_event_that_is_not_there_is_named(served: Any, asked: str, at: str, message: str) -> None:
    """R58."""
    ran = served.here("session", "replay", asked, "--at", at)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_an_unknown_session_cannot_be_replayed(served: Any) -> None:
    """R58."""
    unknown = str(uuid4())
    ran = served.here("session", "replay", unknown)
    assert (ran.status, ran.err) == (2, f"assay: there is no session {unknown}\n")


# ---------------------------------------------------------------- two rounds


def test_a_session_of_one_round_says_so(served: Any, asked: str) -> None:
    """R58."""
    ran = served.here("session", "diff", asked)
    assert (ran.status, ran.out) == (
        0,
        f"session {asked} has one round: there is nothing to compare it with\n",
    )
    assert served.here("session", "diff", asked, "--json").document == {
        "session_id": asked,
        "rounds": 1,
        "changes": [],
    }


def test_two_rounds_are_compared(served: Any, asked_twice: str) -> None:
    """R58: claims, bindings, facts, score and verdict of round 1 and of round 2."""
    lines = served.here("session", "diff", asked_twice).out
    assert "~ facts.claim-1.verification: no_evidence -> direct_evidence\n" in lines
    assert "~ verdict: LOW_CONFID -> PASS\n" in lines
    told = served.here("session", "diff", asked_twice, "--json").document
    assert told["rounds"] == 2
    assert {"where": "groundedness_score", "before": "0.0", "after": "1.0"} in told["changes"]
