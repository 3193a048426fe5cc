"""An open question looks around: what is new, where else, what changed before; a cause is not made of order (R90)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

NOW = datetime(2026, 7, 8, 12, 0, tzinfo=UTC)


def rows(service: str, level: str, message: str, minutes: range) -> list[str]:
    """So many minutes before now, oldest first; `{}` is the minute."""
    times = [(ago, (NOW - timedelta(minutes=ago)).isoformat()) for ago in minutes]
    return [f"{time} {level} [{service}] {message.format(ago)}\n" for ago, time in times]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Carts fail because stock's pool was made small an hour before the window; mail bounces as ever."""
    folder = tmp_path / "logs"
    folder.mkdir()
    every = range(300, 0, -1)
    (folder / "cart-service.log").write_text(
        "".join(
            rows("cart-service", "INFO", "GET /cart/{} took 7ms", every)
            + rows("cart-service", "ERROR", "call to stock-service failed: read timed out trace={}", range(30, 0, -1))
        )
    )
    (folder / "stock-service.log").write_text(
        "".join(
            rows("stock-service", "INFO", "reserved {} items", range(300, 95, -1))
            + rows("stock-service", "INFO", "configuration reloaded: pool.max 50 -> 5", range(95, 94, -1))
            + rows("stock-service", "ERROR", "Connection is not available, active=5, waiting={}", range(31, 0, -1))
        )
    )
    (folder / "mail-service.log").write_text(
        "".join(rows("mail-service", "ERROR", "mail bounced for customer {}", range(290, 0, -30)))
    )
    return folder


def ask(served: Any, question: str, logs: Path) -> dict[str, Any]:
    return served.ask(question, "--logs", str(logs), "--now", "2026-07-08T12:00:00Z")


def test_what_is_wrong_is_answered_with_what_is_new_in_all_services(served: Any, logs: Path) -> None:
    """R70, R90: also where nobody asked, and the change that stands before the window; nothing that is usual."""
    done = ask(served, "cart-service 怎么了？", logs)
    for said in ("read timed out", "其他服务 stock-service 新出现 ERROR", "active=5", "pool.max 50 -> 5"):
        assert said in done["answer"], said
    assert "mail bounced" not in done["answer"]
    assert done["answer"].count("read timed out") == 1


def test_why_without_a_quotation_that_states_a_cause_is_not_confirmed(served: Any, logs: Path) -> None:
    """R70, R90: what stood before is told by its time, and no cause."""
    done = ask(served, "cart-service 为什么报错？", logs)
    assert done["verdict"] == "LOW_CONFID"
    assert "未找到能证实原因的证据" in done["answer"]
    assert "2026-07-08T10:25:00Z stock-service 有变更记录" in done["answer"]
    assert not any(word in done["answer"] for word in ("导致", "根因", "造成"))


def test_a_narrow_question_about_the_same_logs_is_answered_by_a_search_alone(served: Any, logs: Path) -> None:
    """R16, R90"""
    done = ask(served, "只确认 cart-service 是否存在 ERROR 日志。", logs)
    events = served.here("session", "tail", done["session_id"], "--json").documents
    assert {one["content"]["tool_name"] for one in events if one["type"] == "ToolInvoked"} == {"query_logs"}
    assert "stock-service 新出现" not in done["answer"]
