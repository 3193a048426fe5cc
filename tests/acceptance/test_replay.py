"""Replay, the comparison of rounds, and what today's rules would decide, on the command line (R58, R59)."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from domain.contracts import FactClass
from domain.verdict import judgement

QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"
UNKNOWN = "01900000-0000-7000-8000-0000000000ff"


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
    [
        ("0", "must be a whole number from 1, not '0'"),
        ("1000", "events, not 1000"),
        ("x", "must be a whole number from 1, not 'x'"),
    ],
)
def test_an_event_that_is_not_there_is_named(served: Any, asked: str, at: str, message: str) -> None:
    """R58."""
    ran = served.here("session", "replay", asked, "--at", at)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_an_unknown_session_cannot_be_replayed(served: Any) -> None:
    """R58."""
    ran = served.here("session", "replay", UNKNOWN)
    assert (ran.status, ran.err) == (2, f"assay: there is no session {UNKNOWN}\n")


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


# ---------------------------------------------------------------- today's rules


@pytest.fixture(scope="module")
def half_proven(served: Any, model_server: Any) -> str:
    """Id of a session whose Verifier finds indirect support alone: LOW_CONFID, score 0.6, one round."""

    def supported(asked: Any) -> Any:
        if asked.agent != "verifier":
            return asked.usual()
        judged = json.loads(asked.usual_text())
        facts = [fact | {"verification": "indirect_support"} for fact in judged["facts_checked"]]
        return asked.saying(json.dumps(judged | {"facts_checked": facts}))

    session_id: str = served.ask(QUESTION, **model_server.plays(supported))["session_id"]
    return session_id


def test_todays_rules_decide_the_recorded_sessions_the_same(
    served: Any, asked: str, asked_twice: str, half_proven: str
) -> None:
    """R59: every session of the log; nothing is printed of those that come out the same, and nothing is recorded."""
    recorded = served.here("session", "tail", asked, "--json").out
    ran = served.here("readjudicate", "--all", "--json")
    assert ran.status == 0, ran.out + ran.err
    counts = ran.documents[-1]
    assert (counts["differs"], counts["undetermined"], counts["broken"]) == (0, 0, 0)
    assert counts["same"] >= 3
    assert served.here("session", "tail", asked, "--json").out == recorded
    named = served.here("readjudicate", asked, asked_twice[:13], half_proven)
    assert (named.status, named.out) == (0, "3 sessions: 3 same\n")
    assert served.here("readjudicate", "--all", "--since", "2999-01-01").out == "0 sessions\n"


def test_another_threshold_changes_routes(served: Any, asked: str, asked_twice: str, half_proven: str) -> None:
    """R59: lower, round 2 would not take place; higher, one would be needed whose answers were never given."""
    lower = served.here("readjudicate", asked, asked_twice, half_proven, "--threshold", "0", "--json")
    told, counts = lower.documents
    assert (lower.status, told["session_id"], told["result"]) == (3, asked_twice, "differs")
    (route,) = [one for one in told["differences"] if one["where"] == "route"]
    assert (route["recorded"], route["today"], route["round"]) == ("retry", "disclaimer", 1)
    assert counts == {
        "sessions": 3,
        "same": 2,
        "differs": 1,
        "undetermined": 0,
        "erased": 0,
        "running": 0,
        "newer": 0,
        "broken": 0,
    }
    higher = served.here("readjudicate", asked, half_proven, "--threshold", "0.7")
    assert higher.status == 3
    assert f"{half_proven}  undetermined  needs an answer of the planner in round 2\n" in higher.out
    assert "~ route: disclaimer -> retry\n" in higher.out
    assert higher.out.endswith("2 sessions: 1 same, 1 undetermined\n")


def test_a_changed_rule_concerns_the_sessions_that_rest_on_it(
    served: Any, asked: str, asked_twice: str, half_proven: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R59: indirect support counts for more than it did."""
    monkeypatch.setitem(judgement.CLASS_VALUES, FactClass.INDIRECT, Fraction(4, 5))
    told, counts = served.here("readjudicate", asked, asked_twice, half_proven, "--json").documents
    assert (told["session_id"], counts["same"], counts["differs"]) == (half_proven, 2, 1)
    scores = [one for one in told["differences"] if one["where"] == "groundedness_score"]
    assert {(one["event"], one["recorded"], one["today"]) for one in scores} == {
        ("VerdictIssued", "0.6", "0.8"),
        ("SessionCompleted", "0.6", "0.8"),
    }


def test_what_was_shown_of_a_session_is_recorded(served: Any, asked: str, half_proven: str) -> None:
    """R58, R59, R64: a replay and a comparison always, deciding again where differences were shown."""
    served.here("session", "replay", asked)
    served.here("session", "diff", asked)
    served.here("readjudicate", asked, half_proven, "--threshold", "0.7")
    actions = [done["action"] for done in served.here("access", "list", asked, "--json").documents]
    assert actions[-2:] == ["replay", "diff"]
    assert served.here("access", "list", half_proven, "--json").documents[-1]["action"] == "readjudicate"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name the sessions by their ids, or give --all"),
        (("--all", "01a2"), "name the sessions by their ids, or give --all"),
        (("01a2", "--since", "1h"), "--since goes with --all"),
        (("--all", "--since", "yesterday"), "--since: 'yesterday' is no age and no time"),
        (("--all", "--threshold", "1.5"), "--threshold: '1.5' is no decimal number between 0 and 1"),
        (("--all", "--threshold", "half"), "--threshold: 'half' is no decimal number between 0 and 1"),
        ((UNKNOWN,), f"there is no session {UNKNOWN}"),
    ],
)
def test_what_cannot_be_decided_again_is_named(served: Any, arguments: tuple[str, ...], message: str) -> None:
    """R59."""
    ran = served.here("readjudicate", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
