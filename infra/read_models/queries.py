"""What the command line reads from the read models. Imports psycopg alone, so that a listing comes fast."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import class_row

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R", bound="DataclassInstance")


MOST_LISTED = 10
"""So many of the sessions that a short id fits are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """One session as it stands. Texts are None once erased, and where there are none yet."""

    session_id: UUID
    status: str
    round: int
    verdict: str | None
    verdict_override: str | None
    groundedness_score: Decimal | None
    outcome: str | None
    failed_stage: str | None
    reason_code: str | None
    step_count: int
    tool_call_count: int
    total_token_count: int
    total_duration_ms: int | None
    feedback: str | None
    source: str
    rule_version: str
    session_now: datetime
    created_at: datetime
    completed_at: datetime | None
    erased: bool
    query: str | None
    answer: str | None
    self_evaluation: dict[str, Any] | None
    end_reason: str | None
    feedback_text: str | None
    override_reason: str | None

    @property
    def verdict_in_force(self) -> str | None:
        """An auditor's verdict where there is one (R53)."""
        return self.verdict_override or self.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRow:
    """A session that has ended, and whether its content is erased."""

    session_id: UUID
    erased: bool


class AmbiguousSession(LookupError):
    """Several sessions begin with the given prefix; `sessions` are the newest of them."""

    def __init__(self, prefix: str, sessions: list[SessionRow]) -> None:
        super().__init__(f"more than one session begins with {prefix}: give more of its id")
        self.sessions = sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One model call. Texts are shortened, and None once erased."""

    id: int
    step_index: int
    round: int
    agent_name: str
    model: str
    attempt: int
    has_tool_call: bool
    error_kind: str | None
    duration_ms: int
    token_count: int
    recorded_at: datetime
    model_input: str | None
    model_output: str | None
    thought: str | None
    error_message: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRow:
    """One tool call; what only a finished call has is None while it is `started`."""

    id: int
    step_id: int
    step_index: int
    round: int
    attempt: int
    status: str
    success: bool | None
    evidence_status: str | None
    ref_count: int | None
    output_length: int | None
    is_truncated: bool | None
    duration_ms: int | None
    dedup_reason: str | None
    error_kind: str | None
    started_at: datetime
    tool_name: str | None
    input_params: dict[str, Any] | None
    output_preview: str | None
    retrieval_details: dict[str, Any] | None
    error_message: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRow:
    """The two slots of `self_evaluation`, each None until written and once erased."""

    evidence_score: int | None
    verdict: str | None
    groundedness_score: Decimal | None
    critical_fact_count: int | None
    fact_classes: dict[str, int] | None
    reason: str | None
    rule_evaluation: dict[str, Any] | None
    verifier_evaluation: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadlineRow:
    """How a session is answered (R83); `headline` is None until it has ended, and once erased."""

    session_id: UUID
    language: str
    template_version: str
    headline: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDetail:
    """Everything the read models hold of one session; `evaluation` is None before the first one, `headline` while the
    read model that has it is still to be made."""

    session: SessionRow
    steps: list[StepRow]
    tools: list[ToolRow]
    evaluation: EvaluationRow | None
    headline: HeadlineRow | None = None


def list_sessions(
    conn: psycopg.Connection[Any], limit: int, status: str | None = None, verdict: str | None = None
) -> list[SessionRow]:
    """The newest sessions first, at most `limit`, of one status and one verdict in force where given."""
    return _select(
        conn,
        SessionRow,
        """FROM assay.diagnosis_session
           WHERE (%(status)s::text IS NULL OR status = %(status)s)
             AND (%(verdict)s::text IS NULL OR coalesce(verdict_override, verdict) = %(verdict)s)
           ORDER BY created_at DESC, session_id DESC LIMIT %(limit)s""",
        {"limit": limit, "status": status, "verdict": verdict},
    )


def ended_sessions(conn: psycopg.Connection[Any], before: datetime, verdict: str | None = None) -> list[EndedRow]:
    """Those that ended before a time, oldest first, of one verdict in force where given; `NONE`: of those without."""
    return _select(
        conn,
        EndedRow,
        """FROM assay.diagnosis_session
           WHERE completed_at < %(before)s
             AND (%(verdict)s::text IS NULL OR coalesce(verdict_override, verdict, 'NONE') = %(verdict)s)
           ORDER BY completed_at, session_id""",
        {"before": before, "verdict": verdict},
    )


def headlines(conn: psycopg.Connection[Any], sessions: Sequence[SessionRow]) -> dict[UUID, HeadlineRow]:
    """Of these sessions, by their ids, as far as the projector has come."""
    ids = {"ids": [session.session_id for session in sessions]}
    found = _select(conn, HeadlineRow, "FROM assay.session_headline WHERE session_id = ANY(%(ids)s)", ids)
    return {row.session_id: row for row in found}


def show_session(conn: psycopg.Connection[Any], session_id: UUID | str) -> SessionDetail | None:
    """One session by its id or a prefix of it; None where there is none. Raises AmbiguousSession.

    All its rows are of one moment, so none is seen before a switch of read models and another after it (R56). `conn`
    must be outside a transaction.
    """
    if (ids := _id_range(str(session_id))) is None:
        return None
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        found = _select(
            conn,
            SessionRow,
            """FROM assay.diagnosis_session WHERE session_id BETWEEN %(low)s AND %(high)s
               ORDER BY created_at DESC, session_id DESC LIMIT %(limit)s""",
            {**ids, "limit": MOST_LISTED + 1},
        )
        if len(found) > 1:
            raise AmbiguousSession(str(session_id), found)
        return _detail(conn, found[0]) if found else None


def _detail(conn: psycopg.Connection[Any], session: SessionRow) -> SessionDetail:
    """The views are read in the order in which a switch takes them, so that neither waits for the other for ever."""
    its = {"id": session.session_id}
    steps = _select(conn, StepRow, "FROM assay.agent_step WHERE session_id = %(id)s ORDER BY step_index", its)
    tools = _select(conn, ToolRow, "FROM assay.tool_invocation WHERE session_id = %(id)s ORDER BY id", its)
    evaluations = _select(conn, EvaluationRow, "FROM assay.self_evaluation WHERE session_id = %(id)s", its)
    return SessionDetail(
        session=session,
        steps=steps,
        tools=tools,
        evaluation=evaluations[0] if evaluations else None,
        headline=headlines(conn, [session]).get(session.session_id),
    )


def _id_range(prefix: str) -> dict[str, UUID] | None:
    """The lowest and the highest id that begin so, or None if no id can: an index finds them, unlike a text prefix."""
    digits = prefix.replace("-", "").lower()
    if not re.fullmatch("[0-9a-f]{1,32}", digits):
        return None
    return {"low": UUID(digits.ljust(32, "0")), "high": UUID(digits.ljust(32, "f"))}


def _select(conn: psycopg.Connection[Any], row: type[R], tail: LiteralString, parameters: dict[str, Any]) -> list[R]:
    """The columns are the fields of `row`. Nothing is found before the first projector has made the read models."""
    names = sql.SQL(", ").join(sql.Identifier(field.name) for field in fields(row))
    query = sql.SQL("SELECT {} {}").format(names, sql.SQL(tail))
    try:
        with conn.transaction(), conn.cursor(row_factory=class_row(row)) as cursor:
            return cursor.execute(query, parameters).fetchall()
    except psycopg.errors.UndefinedTable:
        return []
