"""R89: what the release before wrote works on: a backup is restored, an unfinished session ends, and all that was
recorded is shown, verified, decided again and rebuilt. `data/before-2026-12/README.md` says how it was made.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from handlers.application import worker
from infra.embedded import running_servers
from infra.settings import Settings

BEFORE = Path(__file__).parent / "data" / "before-2026-12"
PASSED = "01a22f32-19d4-7068-b212-e6f93dc26854"
NOTHING_FOUND = "01a22f32-375c-7a19-8340-352c86d6ac2b"
ERASED = "01a22f32-49b3-729e-a8c2-4a9a6c19f8d5"
LEFT = "01a22f32-6db2-7496-84a1-0d0bec1c5364"
SHOWN = [json.loads(line) for line in (BEFORE / "shown.jsonl").read_text("utf-8").splitlines()]
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def restored(new_assay: Callable[[], Any]) -> Any:
    """The backup on new servers, once a worker has run until the session that was left has ended."""
    assay = new_assay()
    ran = assay.here("restore", str(BEFORE / "backup"), "--without-erasures", "--json")
    assert ran.status == 0, ran.err
    settings = Settings.load(assay.environment)

    def wait_for_its_end() -> None:
        deadline = time.monotonic() + PATIENCE_S
        while LEFT not in assay.here("session", "list", "--status", "completed").out:
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.2)

    async def work() -> None:
        with running_servers(settings) as servers:
            async with worker(settings, servers):
                await asyncio.to_thread(wait_for_its_end)

    asyncio.run(work())
    return assay


def test_a_session_that_was_left_half_done_comes_to_its_end(restored: Any) -> None:
    """R7, R89: its events of both releases are one session."""
    shown = restored.show(LEFT)["session"]
    assert (shown["status"], shown["verdict"], shown["outcome"]) == ("completed", "PASS", "NORMAL")
    versions = {
        event["type"]: event["facts"].get("rule_version")
        for event in restored.here("session", "tail", LEFT, "--json").documents
    }
    assert versions["SessionOpened"] == "2026-11"
    assert versions["VerdictIssued"] != "2026-11"


def test_old_sessions_are_listed_and_shown(restored: Any) -> None:
    """R54, R62."""
    rows = {row["session_id"]: row for row in restored.here("session", "list", "--json").documents}
    assert {PASSED, NOTHING_FOUND, ERASED, LEFT} == rows.keys()
    passed = restored.show(PASSED)["session"]
    assert (passed["verdict"], passed["feedback"], passed["rule_version"]) == ("PASS", "helpful", "2026-11")
    assert passed["answer"] == (
        "order-service 当前存在 HighMemoryUsage 告警（firing），current=91%，duration=15m，JVM heap usage 3.8GB/4GB。"
    )
    assert (rows[ERASED]["erased"], rows[ERASED]["query"]) == (True, None)


@pytest.mark.parametrize("session_id", [PASSED, NOTHING_FOUND, ERASED])
def test_the_rows_of_then_are_the_rows_of_now(restored: Any, session_id: str) -> None:
    """R55, R56: else a read model that the release before has folded would differ from one rebuilt by this one."""
    then = next(one for one in SHOWN if one["session"]["session_id"] == session_id)
    now = restored.show(session_id)
    for part in ("session", "evaluation"):
        assert {name: now[part][name] for name in then[part]} == then[part]
    for part in ("steps", "tools"):
        assert len(now[part]) == len(then[part])
        for row, before in zip(now[part], then[part], strict=True):
            assert {name: row[name] for name in before} == before


def test_old_sessions_are_replayed_from_events_of_both_versions(restored: Any) -> None:
    """R50, R58: SessionOpened 1 with one place a kind, ToolInvoked 1 without coverage."""
    events = restored.here("session", "replay", PASSED, "--json").documents
    opened = next(event for event in events if event["type"] == "SessionOpened")
    assert {source["name"]: source["address"] for source in opened["content"]["sources"]} == {
        "metrics": "/opt/assay/infra/scenario/alerts.json",
        "logs": "/opt/assay/infra/scenario/logs",
        "knowledge": "/opt/assay/infra/scenario/knowledge",
        "skills": "/opt/assay/infra/scenario/skills",
    }
    assert (opened["facts"]["team"], opened["facts"]["origin"]) == ("default", "own")
    details = [event["content"]["retrieval_details"] for event in events if event["type"] == "ToolInvoked"]
    assert [one["coverage"] for one in details] == [None, None]


def test_old_events_verify_with_the_key_of_then(restored: Any) -> None:
    """R60: and what was recorded since is signed by it."""
    ran = restored.here("verify", "--all", "--json")
    assert (ran.status, ran.document["findings"]) == (0, []), ran.out
    assert ran.document["signed_events"] == ran.document["events"] > 65


def test_what_was_not_recorded_makes_no_difference(restored: Any) -> None:
    """R59, R69: coverage was not recorded then, which by itself decides nothing anew."""
    ran = restored.here("readjudicate", "--all", "--json")
    *told, counts = ran.documents
    assert (counts["sessions"], counts["erased"]) == (4, 1)
    assert (counts["undetermined"], counts["broken"], counts["newer"]) == (0, 0, 0)
    differences = [one for session in told for one in session.get("differences", ())]
    assert not [one for one in differences if "coverage" in one["where"]]
    assert PASSED not in {session["session_id"] for session in told}


def test_the_read_models_are_rebuilt_from_events_of_both_releases(restored: Any) -> None:
    """R56."""
    assert restored.here("projection", "rebuild", "--all", "--workers", "1").status == 0
    verified = restored.here("projection", "verify", "--all", "--json")
    assert verified.status == 0, verified.out
    assert {one["equal"] for one in verified.documents} == {True}


def test_the_service_goes_on(restored: Any) -> None:
    """R89: questions are answered, and old sessions are rated and erased."""
    question = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"
    assert restored.ask(question)["verdict"] == "PASS"
    assert restored.here("session", "feedback", NOTHING_FOUND, "wrong").status == 0
    assert restored.here("session", "erase", NOTHING_FOUND, "--reason", "asked", "--yes").status == 0
    assert restored.show(NOTHING_FOUND)["session"]["query"] is None
    assert restored.here("doctor", "--json").status == 0


def test_a_bundle_of_then_is_checked_offline(restored: Any) -> None:
    """R61."""
    key = str(BEFORE / "backup" / "signing.pub")
    ran = restored.here("bundle", "verify", str(BEFORE / "session.bundle"), "--key", key, "--json")
    assert ran.status == 0, ran.err
    assert (ran.document["session_id"], ran.document["events"], ran.document["opened"]) == (PASSED, 19, 19)
    exported = restored.here("session", "export", PASSED, "-o", "again.bundle", "--json")
    assert (exported.status, exported.document["events"]) == (0, 19)
