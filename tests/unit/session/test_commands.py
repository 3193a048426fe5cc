"""Commands from outside: open, cancel, feedback, override; bad ones, late ones, repeated ones (R10, R53)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from domain.contracts import Agent, Message, Verdict
from domain.events import Erased, SessionOpened, Source
from domain.session.commands import (
    CancelSession,
    EraseSession,
    FailSession,
    GiveFeedback,
    OverrideVerdict,
    RunGatekeeper,
)
from domain.session.decide import InvalidCommand
from domain.settings import SessionSettings


def test_a_session_opens_with_its_first_round(given: Any) -> None:
    """R1, R10: one commit, so that no session is without the event that triggers its first step."""
    session = given().opened(has_key=True)
    assert [entry.event.TOPIC for entry in session.history] == ["SessionOpened", "RoundStarted"]
    assert session.history[0].event.facts.has_key is True
    assert session.history[1].event.facts.round == 1


def test_a_question_that_would_be_read_in_part_only_is_refused(given: Any) -> None:
    """R70: the rest would be dropped in silence."""
    given().opened("慢" * 8_000)
    with pytest.raises(InvalidCommand, match="the question is longer than 8000 characters"):
        given().opened("慢" * 8_001)


@pytest.mark.parametrize("question", ["", "  \n", "\u3000", "？？！…", "\U0001f642" * 40])
def test_an_empty_question_is_refused(given: Any, question: str) -> None:
    """R10."""
    with pytest.raises(InvalidCommand, match="the question is empty"):
        given().opened(question)


def test_opening_again_with_the_same_question_is_harmless(given: Any) -> None:
    """R10: same key and question, same session."""
    session = given().opened("慢")
    before = session.history
    session.opened(" 慢 ")
    assert session.history == before


def test_the_same_key_with_another_question_is_an_error(given: Any) -> None:
    """R10."""
    with pytest.raises(InvalidCommand, match="about another question: 慢"):
        given().opened("慢").opened("快")


def test_a_key_whose_session_was_erased_cannot_be_used_again(given: Any) -> None:
    """R10, R62."""
    with pytest.raises(InvalidCommand, match="whose content has been erased"):
        given().opened("慢").erased().opened("慢")


def test_question_and_history_are_masked_before_they_are_recorded(given: Any) -> None:
    """R22."""
    session = given().opened("password=hunter2 为什么被拒", history=(Message(role="user", content="token=abc123def"),))
    opened = session.history[0].event
    assert isinstance(opened, SessionOpened)
    assert opened.content.question == "password=[masked:password] 为什么被拒"
    assert opened.content.history[0].content == "token=[masked:secret]"
    before = session.history
    session.opened("password=hunter2 为什么被拒")
    assert session.history == before


def test_a_session_records_what_it_was_opened_with(given: Any) -> None:
    """R42, R78, R83, R87, R88: from its first event on, and whatever the settings say later."""
    earlier, logs = UUID(int=7), Source(kind="logs", name="shop", address="/var/log/shop", zone="+08:00")
    session = given().opened(
        sources=(logs,), language="en", team="payments", origin="external", follows=earlier, request_hash="ab" * 32
    )
    facts, content = session.history[0].event.facts, session.history[0].event.content
    assert (facts.language, facts.team, facts.origin) == ("en", "payments", "external")
    assert (facts.follows, facts.request_hash, content.sources) == (earlier, "ab" * 32, (logs,))


def test_half_a_surrogate_pair_in_a_question_can_be_recorded(given: Any) -> None:
    """R7: a terminal may hand over bytes that are no UTF-8."""
    assert given().opened("慢\udce4").history[0].event.content.question == "慢\ufffd"


def test_cancelling_ends_a_session_in_any_phase_once(given: Any) -> None:
    """R10."""
    for prepare in ("opened", "executing", "concluding"):
        session = getattr(given(), prepare)()
        (cancelled,) = session.when(CancelSession("问错了，密码=hunter2"))
        assert cancelled.content.reason == "问错了，密码=[masked:password]"
        assert session.due is None
        assert session.when(CancelSession()) == ()


def test_what_a_worker_records_after_the_cancellation_makes_no_event(given: Any, say: Any) -> None:
    """R7, R10."""
    session = given().executing()
    session.when(CancelSession())
    assert session.model(Agent.EXECUTOR, say.failure()) == ()
    assert session.when(RunGatekeeper()) == ()
    assert session.when(FailSession("executor", "step_failed", "")) == ()


def test_feedback_is_given_to_an_ended_session_as_often_as_wanted(given: Any) -> None:
    """R10, R53."""
    session = given().executing()
    session.when(CancelSession())
    for rating in ("wrong", "helpful"):
        (given_feedback,) = session.when(GiveFeedback(rating, "联系 a@b.com"))
        assert (given_feedback.facts.rating, given_feedback.content.text) == (rating, "联系 [masked:email]")
    assert session.due is None


def test_feedback_on_a_running_session_is_refused(given: Any) -> None:
    """R10."""
    with pytest.raises(InvalidCommand, match="the session has not ended yet"):
        given().opened().when(GiveFeedback("helpful"))


def test_an_override_takes_the_place_of_the_verdict_in_force(given: Any) -> None:
    """R53: of the round's first, then of the auditor's own; nothing that was recorded changes."""
    session = given().concluding("no_evidence")
    session.when(CancelSession())
    before = session.history
    (first,) = session.when(OverrideVerdict(Verdict.REJECT, " 误判，联系 a@b.com "))
    assert (first.facts.verdict, first.facts.superseded_version) == ("REJECT", 12)
    assert first.content.reason == "误判，联系 [masked:email]"
    (second,) = session.when(OverrideVerdict(Verdict.PASS, "又看了一遍"))
    assert (second.facts.verdict, second.facts.superseded_version) == ("PASS", len(before) + 1)
    assert session.history[: len(before)] == before
    assert session.file.verdict_in_force.verdict == "PASS"


def test_what_cannot_be_overridden_is_refused(given: Any) -> None:
    """R53: a session that runs, one without a verdict, the same verdict again, no reason."""
    judged = given().concluding("no_evidence")
    with pytest.raises(InvalidCommand, match="the session has not ended yet"):
        judged.when(OverrideVerdict(Verdict.REJECT, "误判"))
    judged.when(CancelSession())
    with pytest.raises(InvalidCommand, match="the verdict in force is LOW_CONFID already"):
        judged.when(OverrideVerdict(Verdict.LOW_CONFID, "同意"))
    with pytest.raises(InvalidCommand, match="an override needs a reason"):
        judged.when(OverrideVerdict(Verdict.REJECT, " "))
    unjudged = given().executing()
    unjudged.when(CancelSession())
    with pytest.raises(InvalidCommand, match="the session has no verdict that could be overridden"):
        unjudged.when(OverrideVerdict(Verdict.REJECT, "误判"))


@pytest.mark.parametrize("command", [CancelSession(), GiveFeedback("wrong"), OverrideVerdict(Verdict.REJECT, "误判")])
def test_a_session_that_does_not_exist_cannot_be_changed(given: Any, command: Any) -> None:
    """R10."""
    with pytest.raises(InvalidCommand, match="there is no such session"):
        given().when(command)


def test_on_an_erased_session_only_what_is_no_text_is_recorded(given: Any) -> None:
    """R62: there is no key to seal a text with."""
    session = given().opened().erased()
    assert session.when(CancelSession("为什么"))[0].content == Erased()
    (feedback,) = session.when(GiveFeedback("wrong", "为什么"))
    assert (feedback.facts.rating, feedback.content) == ("wrong", Erased())
    judged = given().concluding("no_evidence")
    judged.when(CancelSession())
    (override,) = judged.erased().when(OverrideVerdict(Verdict.REJECT, "误判"))
    assert (override.facts.verdict, override.content) == ("REJECT", Erased())


def test_a_configured_kind_of_secret_is_masked_in_the_question_as_in_tool_output(given: Any) -> None:
    """R22: further patterns are settings of the session, in force from its first event on."""
    session = given(SessionSettings(mask_patterns={"badge": r"BDG-[0-9]{6}"})).opened("工牌 BDG-204881 的告警")

    assert session.state.file.question == "工牌 [masked:badge] 的告警"


# ---------------------------------------------------------------- erasing


def test_an_ended_session_is_erased_once_by_an_event_that_holds_no_text(given: Any) -> None:
    """R62: erased again, nothing is recorded again; also after its key is gone."""
    session = given().opened()
    session.when(CancelSession("secret"))
    (erased,) = session.when(EraseSession())
    assert (erased.TOPIC, erased.facts.reason_code, erased.content) == ("SessionErased", "request", Erased())
    assert session.when(EraseSession()) == ()
    assert session.erased().when(EraseSession()) == ()


def test_a_session_whose_key_is_lost_can_still_be_recorded_as_erased(given: Any) -> None:
    """R62: a lost key is no recorded erasure."""
    session = given().opened()
    session.when(CancelSession())
    assert [event.TOPIC for event in session.erased().when(EraseSession())] == ["SessionErased"]


def test_a_running_or_unknown_session_is_not_erased(given: Any) -> None:
    """R62: somebody may still be writing of it."""
    with pytest.raises(InvalidCommand, match="has not ended yet: cancel it first"):
        given().opened().when(EraseSession())
    with pytest.raises(InvalidCommand, match="no such session"):
        given().when(EraseSession())


def test_a_rating_of_an_erased_session_keeps_no_text(given: Any) -> None:
    """R62: there is no key to seal it with."""
    session = given().opened()
    session.when(CancelSession())
    session.when(EraseSession())
    (rated,) = session.when(GiveFeedback("wrong", "那是昨天的告警"))
    assert (rated.facts.rating, rated.content) == ("wrong", Erased())
