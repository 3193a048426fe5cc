"""The public contract for other systems: CloudEvents 1.0 of facts alone (R52)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from domain.contracts import Outcome, Route, Verdict, VerifierEvaluation
from domain.events import (
    Erased,
    Event,
    FeedbackGiven,
    FeedbackGivenContent,
    FeedbackGivenFacts,
    SessionCancelled,
    SessionCancelledContent,
    SessionCompleted,
    SessionCompletedContent,
    SessionCompletedFacts,
    SessionFailed,
    SessionFailedContent,
    SessionFailedFacts,
    VerdictIssued,
    VerdictIssuedContent,
    VerdictIssuedFacts,
    VerdictOverridden,
    VerdictOverriddenContent,
    VerdictOverriddenFacts,
)
from domain.public_events import public_event

SECRET = "这句话是用户的内容"
Record = Callable[..., Any]


def issued(verdict: Verdict, route: Route, round: int = 1) -> VerdictIssued:
    return VerdictIssued(
        facts=VerdictIssuedFacts(
            round=round,
            rule_version="2026-11",
            verdict=verdict,
            groundedness_score="0.6667",
            critical_fact_count=3,
            fact_classes={"direct_evidence": 2, "no_evidence": 1},
            route=route,
            decided_by="model",
            reason=None,
            adjusted_rules=("claim.value_unsupported",),
            traceability_version="v2",
        ),
        content=VerdictIssuedContent(
            evaluation=VerifierEvaluation(
                verdict=verdict, groundedness_score="0.6667", critical_fact_count=3, rationale=SECRET
            )
        ),
    )


COMPLETED = SessionCompleted(
    facts=SessionCompletedFacts(outcome=Outcome.NORMAL, verdict=Verdict.PASS, groundedness_score="1.0", rounds=1),
    content=SessionCompletedContent(answer=SECRET),
)
FAILED = SessionFailed(
    facts=SessionFailedFacts(stage="planner", reason_code="model_auth"),
    content=SessionFailedContent(reason=SECRET, answer=SECRET),
)
CANCELLED = SessionCancelled(content=SessionCancelledContent(reason=SECRET))
OVERRIDDEN = VerdictOverridden(
    facts=VerdictOverriddenFacts(verdict=Verdict.REJECT, superseded_version=14),
    content=VerdictOverriddenContent(reason=SECRET),
)
PUBLISHED = [issued(Verdict.LOW_CONFID, Route.DISCLAIMER), COMPLETED, FAILED, CANCELLED, OVERRIDDEN]


@pytest.mark.parametrize("event", PUBLISHED, ids=lambda event: event.TOPIC)
def test_a_public_event_has_the_attributes_of_cloudevents_1_0(recorded: Record, event: Event) -> None:
    """R52: required and optional attributes by the CloudEvents 1.0 specification."""
    entry = recorded(event, version=7)
    attributes = public_event(entry).attributes
    assert {name: attributes[name] for name in ("specversion", "id", "source", "subject", "datacontenttype")} == {
        "specversion": "1.0",
        "id": str(entry.event_id),
        "source": "/assay",
        "subject": str(entry.session_id),
        "datacontenttype": "application/json",
    }
    assert re.fullmatch(r"assay\.(verdict|session)\.[a-z]+\.v1", attributes["type"])
    assert datetime.fromisoformat(attributes["time"]) == entry.time
    assert all(re.fullmatch(r"[a-z0-9]{1,20}", name) for name in attributes)
    assert (attributes["data"]["session_id"], attributes["data"]["version"]) == (str(entry.session_id), 7)
    json.dumps(attributes)


@pytest.mark.parametrize("event", PUBLISHED, ids=lambda event: event.TOPIC)
def test_a_public_event_carries_no_text_of_the_session(recorded: Record, event: Event) -> None:
    """R52: texts are read from the read models, where they can be erased. So it is the same without any content."""
    whole = public_event(recorded(event))
    assert SECRET not in json.dumps(whole.attributes, ensure_ascii=False)
    assert public_event(recorded(event.model_copy(update={"content": Erased()}))) == whole


def test_a_verdict_is_published_with_its_figures(recorded: Record) -> None:
    """R52: ids, classes, rules and figures."""
    event = public_event(recorded(issued(Verdict.LOW_CONFID, Route.RETRY)))
    assert (event.verdict_token, event.attributes["type"]) == ("LOW_CONFID", "assay.verdict.issued.v1")
    assert event.attributes["data"] | {"session_id": ""} == {
        "session_id": "",
        "version": 1,
        "round": 1,
        "final": False,
        "verdict": "LOW_CONFID",
        "outcome": None,
        "groundedness_score": "0.6667",
        "critical_fact_count": 3,
        "fact_classes": {"direct_evidence": 2, "no_evidence": 1},
        "decided_by": "model",
        "reason": None,
        "adjusted_rules": ["claim.value_unsupported"],
        "rule_version": "2026-11",
    }


@pytest.mark.parametrize(
    ("verdict", "route", "final", "outcome"),
    [
        (Verdict.PASS, Route.COMPOSE, True, "NORMAL"),
        (Verdict.LOW_CONFID, Route.DISCLAIMER, True, "LOW_CONFID_WITH_DISCLAIMER"),
        (Verdict.LOW_CONFID, Route.RETRY, False, None),
        (Verdict.REJECT, Route.DEGRADE, True, "DEGRADED"),
    ],
)
def test_a_verdict_says_whether_it_is_final_and_what_the_user_is_shown(
    recorded: Record, verdict: Verdict, route: Route, final: bool, outcome: str | None
) -> None:
    """R52, section 7."""
    data = public_event(recorded(issued(verdict, route))).attributes["data"]
    assert (data["final"], data["outcome"]) == (final, outcome)


@pytest.mark.parametrize(
    ("event", "token", "verdict", "outcome", "reason"),
    [
        (COMPLETED, "PASS", "PASS", "NORMAL", None),
        (FAILED, "NONE", None, "DEGRADED", "model_auth"),
        (CANCELLED, "NONE", None, None, "cancelled"),
    ],
)
def test_the_end_of_a_session_is_published_with_or_without_a_verdict(
    recorded: Record, event: Event, token: str, verdict: str | None, outcome: str | None, reason: str | None
) -> None:
    """R52: verdict null, subject token NONE and the reason."""
    public = public_event(recorded(event))
    data = public.attributes["data"]
    assert (public.verdict_token, public.attributes["type"]) == (token, "assay.session.ended.v1")
    assert (data["verdict"], data["outcome"], data["reason"]) == (verdict, outcome, reason)


def test_an_override_is_published_as_a_superseding_verdict(recorded: Record) -> None:
    """R52, R53."""
    public = public_event(recorded(OVERRIDDEN))
    assert (public.verdict_token, public.attributes["type"]) == ("REJECT", "assay.verdict.superseded.v1")
    assert public.attributes["data"]["superseded_version"] == 14


def test_nothing_else_is_public(recorded: Record, diagnosis: Callable[..., list[Any]]) -> None:
    """R52."""
    feedback = FeedbackGiven(facts=FeedbackGivenFacts(rating="wrong"), content=FeedbackGivenContent(text=SECRET))
    assert public_event(recorded(feedback)) is None
    published = {entry.event.TOPIC for entry in diagnosis() if public_event(entry)}
    assert published == {"VerdictIssued", "SessionCompleted"}
