"""What is done with the whole service stands in the access record too; verdicts are published again (R64, R75)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from infra.access import Credentials, Role
from infra.embedded import Servers
from infra.event_log.connection import connected
from infra.streams import VERDICTS, stream_configs
from tests.acceptance.test_backup_drill import published

QUESTION = "请排查 payment-service 当前是否存在 HighCPUUsage 告警，只确认 CPU 使用率过高这一件事。"


@pytest.fixture(scope="module")
def asked(served: Any) -> str:
    session_id: str = served.ask(QUESTION, "--key", "shared", ASSAY_ACTOR="first")["session_id"]
    return session_id


def accesses(served: Any, action: str) -> list[tuple[str, str | None, str]]:
    listed = served.here("access", "list", "--json").documents
    return [(one["actor"], one["session_id"], one.get("what", "")) for one in listed if one["action"] == action]


def by_operator(served: Any, action: str) -> list[tuple[str, str | None, str]]:
    """Without what other tests did on the same service."""
    return [one for one in accesses(served, action) if one[0] == "operator"]


def test_who_is_shown_the_answer_to_anothers_question_is_recorded(served: Any, asked: str) -> None:
    """R64: by the same key; who asked it himself, is not."""
    served.ask(QUESTION, "--key", "shared", ASSAY_ACTOR="first")
    served.ask(QUESTION, "--key", "shared", ASSAY_ACTOR="second")
    assert accesses(served, "ask") == [("second", asked, "")]


def test_backups_and_parked_verdicts_are_recorded(served: Any) -> None:
    """R64: they concern no single session; a record of the release before reads on."""
    made = served.here("backup", "copy of the record", "--without-keys", ASSAY_ACTOR="operator")
    assert made.status == 0, made.err
    assert by_operator(served, "backup") == [("operator", None, "without keys")]
    assert served.here("parked", "list", ASSAY_ACTOR="operator").status == 0
    assert by_operator(served, "parked") == [("operator", None, "list")]
    assert "  operator  backup        -" in served.here("access", "list").out


def test_a_verification_is_recorded_and_the_doctor_tells_the_last(served: Any, asked: str) -> None:
    """R75: of the whole log; that of one session is told apart."""

    def told() -> dict[str, Any]:
        lines = [json.loads(line) for line in served.here("doctor", "--json").out.splitlines()]
        (found,) = [one for one in lines if one["check"] == "verified"]
        return found

    assert "no verification was recorded yet" in told()["detail"]
    assert served.here("verify", asked, "--record").status == 0
    assert "no verification was recorded yet" in told()["detail"]
    assert served.here("verify", "--record", ASSAY_ACTOR="auditor").status == 0
    (actor, session_id, what) = accesses(served, "verify")[-1]
    assert (actor, session_id, what.startswith("passed: ")) == ("auditor", None, True)
    assert (told()["state"], " passed: " in told()["detail"]) == ("ok", True)


def test_workers_verify_by_the_setting(new_assay: Any) -> None:
    """R75: once in that time, whichever worker it is."""
    assay = new_assay()
    for _ in range(2):
        assay.ask(QUESTION, ASSAY_VERIFY_EVERY="24")
    assert [what.startswith("passed: ") for _, _, what in accesses(assay, "verify")] == [True]


def test_missing_verdicts_are_published_from_the_log_once(served: Any, asked: str) -> None:
    """R52, R75: with the ids and under the subjects that they had; `verify` told that they were missing."""
    before = {(subject, event["id"]) for _, subject, event in published(served)}
    assert any(asked in subject for subject, _ in before)
    nothing = served.here("verdict", "republish", "--json")
    assert (nothing.status, nothing.document["published"]) == (0, 0)

    folder: Path = served.folder / "data" / "servers" / "nats"
    users = TypeAdapter(dict[Role, Credentials]).validate_json((folder / "credentials.json").read_bytes())
    port = json.loads((folder / "nats.json").read_bytes())["port"]
    (config,) = [one for one in stream_configs() if one.name == VERDICTS]

    async def lose() -> None:
        async with connected(Servers(f"nats://127.0.0.1:{port}", users, ""), Role.ADMIN) as admin:
            js = admin.client.jetstream()
            await js.delete_stream(VERDICTS)
            await js.add_stream(config)

    asyncio.run(lose())
    recent = served.here("verdict", "republish", "--since", "2099-01-01", "--json").document
    assert recent == {"published": 0, "there": 0}
    again = served.here("verdict", "republish", "--json").document
    assert again == {"published": len(before), "there": 0}
    assert {(subject, event["id"]) for _, subject, event in published(served)} == before
    assert served.here("verdict", "republish", "--json").document == {"published": 0, "there": len(before)}
