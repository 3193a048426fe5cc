"""What the command line reads from the read models."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest

from domain import events as e
from domain.contracts import Verdict
from infra.read_models.projector import catch_up
from infra.read_models.queries import AmbiguousSession, list_sessions, show_session

FIRST = UUID("aaaaaaaa-0000-7000-8000-000000000001")
SECOND = UUID("aaaaaaaa-0000-7000-8000-0000000000f2")

Connection = psycopg.Connection[Any]


@pytest.fixture
def conn(
    postgres: str,
    diagnosis: Callable[..., list[e.Recorded]],
    recorded: Callable[..., e.Recorded],
    log_of: Callable[[Sequence[e.Recorded]], Any],
) -> Iterator[Connection]:
    """A database with two sessions: the first completed with PASS and overridden, the second still running."""
    override = e.VerdictOverridden(
        facts=e.VerdictOverriddenFacts(verdict=Verdict.REJECT, superseded_version=12),
        content=e.VerdictOverriddenContent(reason="误判"),
    )
    events = [
        *diagnosis(FIRST),
        recorded(override, 18, 18, FIRST),
        *diagnosis(SECOND, range(19, 36))[:6],
    ]
    asyncio.run(catch_up(log_of(events), postgres, events[-1].position))
    with psycopg.connect(postgres, autocommit=True) as conn:
        yield conn


def test_sessions_are_listed_by_status(conn: Connection) -> None:
    """R10: sessions are listed."""
    assert {session.session_id for session in list_sessions(conn, 10)} == {FIRST, SECOND}
    assert [session.session_id for session in list_sessions(conn, 10, status="running")] == [SECOND]
    assert list_sessions(conn, 10, status="failed") == []


def test_sessions_are_listed_by_the_verdict_in_force(conn: Connection) -> None:
    """R53: an auditor's verdict counts, the issued one is still shown."""
    (session,) = list_sessions(conn, 10, verdict="REJECT")
    assert (session.verdict_in_force, session.verdict, session.groundedness_score) == ("REJECT", "PASS", Decimal(1))
    assert list_sessions(conn, 10, verdict="PASS") == []


def test_a_listing_is_bounded(conn: Connection) -> None:
    """R10: the caller says how many."""
    assert len(list_sessions(conn, 1)) == 1


def test_a_session_is_shown_with_all_that_happened(conn: Connection) -> None:
    """R54: steps, tool calls and both evaluations."""
    detail = show_session(conn, FIRST)
    assert detail is not None
    assert detail.session.answer == "order-service 内存使用率 91%"
    assert [step.agent_name for step in detail.steps] == ["planner", "executor", "executor", "verifier", "composer"]
    assert [(call.id, call.tool_name, call.step_id) for call in detail.tools] == [
        (6, "query_metrics", detail.steps[1].id)
    ]
    assert detail.evaluation is not None
    assert (detail.evaluation.evidence_score, detail.evaluation.verdict) == (80, "PASS")


def test_a_session_without_an_evaluation_has_none(conn: Connection) -> None:
    """R54: nothing is invented before the first verdict."""
    detail = show_session(conn, SECOND)
    assert detail is not None
    assert (detail.evaluation, [call.status for call in detail.tools]) == (None, ["started"])


def test_a_unique_prefix_is_enough(conn: Connection) -> None:
    """R10: with or without hyphens, in either case."""
    for prefix in ("aaaaaaaa-0000-7000-8000-0000000000f", "AAAAAAAA000070008000000000 0000F".replace(" ", "")):
        detail = show_session(conn, prefix)
        assert detail is not None
        assert detail.session.session_id == SECOND


def test_a_prefix_of_several_sessions_is_refused(conn: Connection) -> None:
    """R10: rather than showing one of them."""
    with pytest.raises(AmbiguousSession, match="more than one session begins with aaaa"):
        show_session(conn, "aaaa")


@pytest.mark.parametrize("given", ["bbbb", "", "%", "not-an-id", "a" * 33])
def test_what_names_no_session_shows_none(given: str, conn: Connection) -> None:
    """R10: bad input is no error of the database."""
    assert show_session(conn, given) is None


def test_a_database_without_read_models_has_no_sessions(postgres: str) -> None:
    """R10: asked before the first worker has run."""
    with psycopg.connect(postgres) as empty:
        assert list_sessions(empty, 10) == []
        assert show_session(empty, FIRST) is None


def test_queries_are_light_to_import() -> None:
    """R10: a listing does not load models, brokers or contracts."""
    heavy = {"pydantic", "nats", "openai", "faststream"}
    program = f"import sys, infra.read_models.queries; print({heavy} & sys.modules.keys())"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "set()\n"
    )
