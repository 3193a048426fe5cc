"""Sessions on the command line: asked twice, cancelled, rated, listed, shown and followed (R10)."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from handlers.session_ids import session_id_for

QUESTION = "请排查 payment-service 当前是否存在 HighCPUUsage 告警，只确认 CPU 使用率过高这一件事。"


@pytest.fixture(scope="module")
def done(served: Any) -> dict[str, Any]:
    """A session that has ended with PASS, asked with the key `known`."""
    told: dict[str, Any] = served.run("ask", QUESTION, "--key", "known", "--json").document
    return told


class Slow:
    """The offline model, which keeps its first request waiting until it is let go."""

    def __init__(self) -> None:
        self.reached, self.go_on = Event(), Event()

    def __call__(self, asked: Any) -> Any:
        self.reached.set()
        assert self.go_on.wait(100)
        return asked.usual()


def test_the_same_key_and_question_give_the_same_session(served: Any, done: dict[str, Any]) -> None:
    """R10: asked again, nothing is done again, and the answer is the recorded one."""
    assert served.ask(QUESTION, "--key", "known") == done
    assert len(served.show(done["session_id"])["steps"]) == done_steps(served, done)


def done_steps(served: Any, done: dict[str, Any]) -> int:
    events = served.here("session", "tail", done["session_id"], "--json").documents
    return sum(event["type"] == "AgentStepRecorded" for event in events)


def test_without_a_key_each_ask_is_a_session_of_its_own(served: Any, done: dict[str, Any]) -> None:
    """R10."""
    assert served.ask(QUESTION)["session_id"] != done["session_id"]


def test_the_answer_alone_is_on_standard_output(served: Any, done: dict[str, Any]) -> None:
    """Progress, and that the sample scenario answers, go to standard error."""
    ran = served.here("ask", QUESTION, "--key", "known")
    assert (ran.status, ran.out) == (0, done["answer"] + "\n")
    for words in (
        "source: sample",
        "step      planner",
        "tool      query_metrics",
        "verdict   PASS",
        "end       NORMAL",
    ):
        assert words in ran.err


def test_a_clock_may_be_given(served: Any) -> None:
    """R9: at another time, durations differ; the session's now stands in its record."""
    told = served.ask(QUESTION, "--now", "2026-07-08T19:23:00+08:00")
    assert "15m" in told["answer"]
    assert served.show(told["session_id"])["session"]["session_now"] == "2026-07-08 11:23:00+00:00"


# ---------------------------------------------------------------- cancelling


def test_a_running_session_is_listed_and_cancelled(served: Any, model_server: Any, until: Any) -> None:
    """R10: a terminal event; whoever waits for the answer is told, exit 1."""
    slow = Slow()
    process = served.start("ask", QUESTION, "--key", "to cancel", "--json", **model_server.plays(slow))
    assert slow.reached.wait(100)
    session_id = str(session_id_for("to cancel"))
    until(lambda: session_id in served.here("session", "list", "--status", "running", "--json").out)
    cancelled = served.here("session", "cancel", session_id, "--reason", "no longer needed", "--json")
    assert (cancelled.status, cancelled.document["ended_by"]) == (0, "SessionCancelled")
    asked = served.finished(process)
    slow.go_on.set()
    assert (asked.status, asked.document["status"], asked.document["verdict"]) == (1, "cancelled", None)
    session = served.show(session_id)["session"]
    assert (session["status"], session["end_reason"]) == ("cancelled", "no longer needed")


def test_cancelling_what_has_ended_changes_nothing(served: Any, done: dict[str, Any]) -> None:
    """R10: repeating a command is harmless."""
    session_id = done["session_id"]
    told = served.here("session", "cancel", session_id, "--json").document
    assert (told["ended_by"], told["recorded"]) == ("SessionCompleted", False)
    said = served.here("session", "cancel", session_id).out
    assert said == f"{session_id}  had ended before (SessionCompleted): nothing was recorded\n"
    assert served.show(done["session_id"])["session"]["status"] == "completed"


# ---------------------------------------------------------------- feedback


def test_feedback_stands_in_the_read_models(served: Any) -> None:
    """R10, R53: the last word counts."""
    session_id = served.ask(QUESTION)["session_id"]
    for rating, text in (("helpful", ""), ("wrong", "那是昨天的告警")):
        assert served.here("session", "feedback", session_id, rating, text).status == 0
    session = served.show(session_id)["session"]
    assert (session["feedback"], session["feedback_text"]) == ("wrong", "那是昨天的告警")
    listed = {row["session_id"]: row["feedback"] for row in served.here("session", "list", "--json").documents}
    assert listed[session_id] == "wrong"
    assert "feedback  wrong: 那是昨天的告警\n" in served.here("session", "show", session_id).out


# ---------------------------------------------------------------- reading


def test_sessions_are_listed_newest_first(served: Any, done: dict[str, Any]) -> None:
    """R54: as a table for people, one JSON object a line for programs."""
    rows = served.here("session", "list", "--json", "--limit", "3").documents
    assert len(rows) <= 3
    assert [row["created_at"] for row in rows] == sorted((row["created_at"] for row in rows), reverse=True)
    table = served.here("session", "list", "--verdict", "PASS", "--status", "completed", "--limit", "100").out
    (line,) = [line for line in table.splitlines() if line.startswith(done["session_id"])]
    assert "completed  PASS" in line
    assert "payment-service" in line


def test_an_empty_list_is_said_to_be_empty(served: Any) -> None:
    ran = served.here("session", "list", "--status", "failed", "--verdict", "PASS")
    assert (ran.status, ran.out, ran.err) == (0, "", "no sessions\n")


def test_a_session_is_shown_by_a_beginning_of_its_id(served: Any, done: dict[str, Any]) -> None:
    """R54: steps, tool calls and answer on one page."""
    page = served.here("session", "show", done["session_id"][:13]).out
    for words in (done["session_id"], QUESTION, "verdict   PASS", "planner", "executor", "verifier", "composer"):
        assert words in page
    assert "query_metrics" in page
    assert page.rstrip().endswith(done["answer"])


def test_what_is_shown_gives_claims_with_their_quotations(served: Any, done: dict[str, Any]) -> None:
    """R26, R30, R69: each round, what it claimed, where each quotation stands, in which window was looked."""
    page = served.here("session", "show", done["session_id"]).out.splitlines()
    round_1 = page[page.index("round 1  PASS  score 1.0") :]
    assert round_1[1].startswith("  claim-1  observation, direct_evidence  payment-service 当前存在 HighCPUUsage 告警")
    (call,) = served.show(done["session_id"])["tools"][1:]
    assert round_1[2] == f"      pass  exact, query_metrics #{call['id']} $.alerts[0]"
    assert round_1[3].startswith("        quoted   HighCPUUsage firing, service=payment-service")
    told = [line.strip() for line in page if line.startswith("      coverage") or line.startswith("      window")]
    assert [line for line in told if line.startswith("coverage  complete; ") and "2026-07-08T11:20:00Z" in line]


def test_the_headline_says_what_a_verdict_means(served: Any, done: dict[str, Any]) -> None:
    """R46: PASS for what was only not found does not read as healthy."""
    assert (done["verdict"], done["headline"]) == ("PASS", "已证实")
    absent = served.ask("请排查 inventory-service 当前是否存在 HighCPUUsage 告警，只确认这一件事。")
    assert (absent["verdict"], absent["headline"]) == ("PASS", "已检索，未发现")
    assert [call["tool_name"] for call in absent["coverage"]] == ["query_metrics"]


def test_the_language_is_asked_for_set_or_told_by_the_question(served: Any) -> None:
    """R83: the flag wins over the question's own, the setting is for what is of no language; the record keeps it."""
    names = "HighCPUUsage payment-service"
    told = {
        "question": served.ask("Does the HighCPUUsage alert fire on payment-service?"),
        "flag": served.ask(QUESTION, "--lang", "en", ASSAY_LANGUAGE="zh"),
        "setting": served.ask(names, ASSAY_LANGUAGE="en"),
        "default": served.ask(names),
        "Chinese all the same": served.ask(QUESTION, ASSAY_LANGUAGE="en"),
    }
    found = {name: (one["language"], one["headline"], one["template_version"]) for name, one in told.items()}
    assert found == {
        **dict.fromkeys(("question", "flag", "setting"), ("en", "Confirmed", "2026-12")),
        **dict.fromkeys(("default", "Chinese all the same"), ("zh", "已证实", "2026-12")),
    }
    shown = served.show(told["flag"]["session_id"])["session"]
    assert (shown["headline"], shown["language"], shown["template_version"]) == ("Confirmed", "en", "2026-12")
    page = served.here("session", "show", told["flag"]["session_id"]).out
    assert "headline  Confirmed  language en  texts 2026-12" in page.splitlines()
    listed = served.here("session", "list", "--limit", "5", "--json").documents
    assert [one["headline"] for one in listed] == ["已证实", "已证实", *["Confirmed"] * 3]
    assert "  Confirmed " in served.here("session", "list", "--limit", "5").out


def test_an_unknown_language_is_refused(served: Any) -> None:
    """R83."""
    flag = served.run("ask", QUESTION, "--lang", "fr")
    assert (flag.status, "--lang" in flag.err, "'zh', 'en'" in flag.err) == (2, True, True)
    setting = served.run("ask", QUESTION, ASSAY_LANGUAGE="english")
    assert (setting.status, "ASSAY_LANGUAGE" in setting.err) == (2, True)


def test_what_is_shown_names_what_was_in_force(served: Any, done: dict[str, Any]) -> None:
    """R42: settings, rule version and prompt hashes stand in the session's events."""
    opened, *events = served.here("session", "tail", done["session_id"], "--json").documents
    facts = opened["facts"]
    assert facts["settings"]["threshold"] == "0.5"
    assert facts["settings"]["models"] == dict.fromkeys(("planner", "executor", "verifier", "composer"), "extractive")
    steps = [event["facts"] for event in events if event["type"] == "AgentStepRecorded"]
    assert {step["prompt_hash"] for step in steps} == set(facts["prompt_hashes"].values())
    checked = [event["facts"] for event in events if event["type"] in ("GatekeeperChecked", "VerdictIssued")]
    assert [one["rule_version"] for one in checked] == [facts["rule_version"]] * 2


def test_a_session_is_followed_to_its_end(served: Any, done: dict[str, Any]) -> None:
    """R50: every event in order, one a line, the last one the end."""
    events = served.here("session", "tail", done["session_id"], "--json").documents
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))
    assert [event["type"] for event in events][:2] == ["SessionOpened", "RoundStarted"]
    assert events[-1]["type"] == "SessionCompleted"
    lines = served.here("session", "tail", done["session_id"]).out.splitlines()
    assert len(lines) == len(events)
    assert lines[-1].endswith("end       NORMAL")


def test_a_reader_that_goes_away_is_no_error(served: Any, done: dict[str, Any]) -> None:
    """`assay session tail … | head -1`."""
    process = served.start("session", "tail", done["session_id"], "--json")
    process.stdout.close()
    process.stdout = None
    assert "Traceback" not in process.communicate(timeout=60)[1]
