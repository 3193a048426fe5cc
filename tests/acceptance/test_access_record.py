"""Who looked at a session stands in a log of its own (R64)."""

from __future__ import annotations

import re
from typing import Any

import pytest

QUESTION = "请排查 payment-service 当前是否存在 HighCPUUsage 告警，只确认 CPU 使用率过高这一件事。"


@pytest.fixture(scope="module")
def session_id(served: Any) -> str:
    told: str = served.ask(QUESTION)["session_id"]
    return told


def accesses(served: Any, *arguments: str) -> list[tuple[str, str, str]]:
    listed = served.here("access", "list", *arguments, "--json")
    assert listed.status == 0, listed.err
    return [(one["actor"], one["action"], one["session_id"]) for one in listed.documents]


def test_who_looked_at_a_session_is_recorded(served: Any, session_id: str) -> None:
    """R64: who, when, what, which session; listed for people and for programs, of one session or of all."""
    for verb in ("show", "tail"):
        assert served.here("session", verb, session_id[:13], ASSAY_ACTOR="auditor-7").status == 0
    expected = [("auditor-7", "show", session_id), ("auditor-7", "tail", session_id)]
    assert accesses(served, session_id) == expected
    assert accesses(served, session_id[:20], "--since", "1h") == expected
    assert [one for one in accesses(served) if one[2] == session_id] == expected
    first, _ = served.here("access", "list", session_id).out.splitlines()
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d  auditor-7  show          {session_id}", first)


def test_a_session_nobody_looked_at_has_no_record(served: Any) -> None:
    """R64."""
    listed = served.here("access", "list", "00000000-0000-7000-8000-000000000000")
    assert (listed.status, listed.out, listed.err) == (0, "", "no accesses\n")


def test_what_cannot_be_recorded_is_not_shown(served: Any, session_id: str) -> None:
    """R64: here PostgreSQL, which holds the page, is there, and the log is not."""
    away = {"ASSAY_NATS_URL": "nats://127.0.0.1:1", "ASSAY_NATS_SERVICE_PASSWORD": "x"}
    shown = served.here("session", "show", session_id, **away)
    assert (shown.status, shown.out) == (1, "")
    assert "NATS at nats://127.0.0.1:1 cannot be reached" in shown.err


def test_who_asked_stands_in_the_first_event(served: Any, session_id: str) -> None:
    """R50: an opaque id, the same for one account of one machine; what a worker recorded bears the worker's."""
    opened, *_, ended = served.here("session", "tail", session_id, "--json").documents
    assert re.fullmatch("user-[0-9a-f]{16}", opened["actor"])
    (shown, *_) = accesses(served, session_id, "--since", "1h")[::-1]
    assert shown == (opened["actor"], "tail", session_id)
    assert ended["actor"].startswith("worker-")


@pytest.mark.parametrize("actor", ["two words", "名", "x" * 129])
def test_an_actor_that_is_no_opaque_id_is_refused(served: Any, actor: str) -> None:
    """R64."""
    listed = served.here("session", "list", ASSAY_ACTOR=actor)
    assert (listed.status, listed.out) == (2, "")
    assert listed.err.startswith("assay: ASSAY_ACTOR: ")
