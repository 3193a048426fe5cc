"""Ids of sessions: the same for the same key, and in order of time without one (R10)."""

from __future__ import annotations

from uuid import UUID

import pytest

from handlers.session_ids import session_id_for


def test_the_same_key_is_the_same_session() -> None:
    """R10: the id is part of what is stored, so it may never change."""
    assert session_id_for("工单 42") == session_id_for("工单 42") != session_id_for("工单 43")
    assert session_id_for("ticket-42") == UUID("840bcb59-ae3d-5a95-84f2-1cbfed1f3d6a")


@pytest.mark.parametrize("key", ["a\udce4", "x" * 100_000, " ", "\x00"])
def test_any_text_is_a_key(key: str) -> None:
    """R10: also what a terminal hands over that is no UTF-8."""
    assert session_id_for(key) == session_id_for(key)


@pytest.mark.parametrize("key", [None, ""])
def test_without_a_key_ids_are_new_and_in_order_of_time(key: str | None) -> None:
    """R10: UUIDs of version 7 (RFC 9562)."""
    ids = [session_id_for(key) for _ in range(1_000)]
    assert len(set(ids)) == 1_000
    assert {(id.version, id.variant) for id in ids} == {(7, "specified in RFC 4122")}
    moments = [id.int >> 80 for id in ids]
    assert moments == sorted(moments)
