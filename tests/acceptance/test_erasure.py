"""A session erased on the command line: what stays of it, and where its texts are no longer found (R62)."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from domain.subjects import PARTITIONS
from infra.embedded.postgres_server import PostgresServer
from infra.event_log.session_log import SessionLog
from infra.postgres import connect
from infra.read_models.tables import prepare, table
from projections.registry import READ_MODELS
from tests.superuser import superuser_dsn

MARK = "zq-4711-marker"
QUESTION = f"请排查 order-service 当前是否存在 HighMemoryUsage 告警（{MARK}）"
UNSEALED = "zq-0815-unsealed"


def holds(folder: Path, text: str) -> bool:
    """Whether a file under this folder holds the text, as it stands or in base64, wherever that begins."""
    plain = text.encode()
    spelled = [plain, *(base64.b64encode(b"-" * shift + plain)[4:-4] for shift in range(3))]
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    return any(spelling in file for file in files for spelling in spelled)


@pytest.fixture(scope="module")
def dsn(served: Any) -> str:
    """Of the read models' tables, which from now on store texts uncompressed."""
    found = PostgresServer(served.folder / "data/servers/postgres").dsn
    asyncio.run(store_uncompressed(found))
    return found


async def store_uncompressed(dsn: str) -> None:
    async with await connect(dsn) as conn:
        await prepare(conn, READ_MODELS, PARTITIONS)
        for model in READ_MODELS:
            for column in (name for name, kind in model.content.items() if kind in ("text", "jsonb")):
                alter = sql.SQL("ALTER TABLE {} ALTER COLUMN {} SET STORAGE EXTERNAL")
                await conn.execute(alter.format(table(model), sql.Identifier(column)))


def base_holds(served: Any, dsn: str, text: str) -> bool:
    """Whether PostgreSQL's tables hold the text, in whatever a full vacuum leaves."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        for model in READ_MODELS:
            conn.execute(sql.SQL("VACUUM FULL ANALYZE {}").format(table(model)))
    with psycopg.connect(superuser_dsn(served.folder / "data", dsn), autocommit=True) as conn:
        conn.execute("CHECKPOINT")
    return holds(served.folder / "data/servers/postgres/data/base", text)


def test_an_erased_text_is_found_nowhere(served: Any, dsn: str) -> None:
    """R62: neither in the log nor in the read models; what was decided stays, and says that its texts are erased."""
    session_id = served.ask(QUESTION)["session_id"]
    nats = served.folder / "data/servers/nats"
    assert (holds(nats, MARK), holds(nats, session_id)) == (False, True)
    assert base_holds(served, dsn, MARK)

    done = served.here("session", "erase", session_id, "--reason", "asked for", "--yes", "--json")
    assert (done.status, done.document["session_id"]) == (0, session_id)
    assert "rm_agent_step_v1" in done.document["read_models"]

    assert holds(nats, session_id)
    assert not holds(nats, MARK)
    assert not base_holds(served, dsn, MARK)
    shown = served.show(session_id)
    assert (shown["session"]["erased"], shown["session"]["answer"], shown["session"]["verdict"]) == (True, None, "PASS")
    page = served.here("session", "show", session_id).out
    assert "question  (erased)" in page
    assert page.endswith("answer\n(erased)\n")
    assert f"{session_id}" in served.here("session", "list", "--limit", "100").out
    events = served.here("session", "tail", session_id, "--json").documents
    assert {json.dumps(event["content"]) for event in events} == {'{"erased": true}'}
    replayed = served.here("session", "replay", session_id, "--json").documents
    assert {json.dumps(event["content"]) for event in replayed} == {'{"erased": true}'}
    assert [event["type"] for event in replayed][-2:] == ["SessionCompleted", "SessionErased"]
    (access,) = [one for one in served.here("access", "list", session_id, "--json").documents if one["reason"]]
    assert (access["action"], access["reason"]) == ("erase", "asked for")


def test_an_erasure_that_was_cut_short_is_finished_by_the_next(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """R62: recorded but not carried out; carried out twice, it is the same."""
    session_id = served.ask("请排查 order-service 当前是否存在 HighMemoryUsage 告警")["session_id"]
    arguments = ("session", "erase", session_id, "--reason", "asked for", "--yes", "--json")

    async def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SessionLog, "destroy_key", killed)
        assert served.here(*arguments).status == 130
    assert (served.folder / "keys" / f"{session_id}.key").exists()
    assert session_id in served.here("doctor").out

    first, second = served.here(*arguments).document, served.here(*arguments).document
    assert first == second
    assert not (served.folder / "keys" / f"{session_id}.key").exists()
    assert served.show(session_id)["session"]["query"] is None


def test_what_cannot_be_erased_is_refused(served: Any) -> None:
    """R62: an unknown session; a text recorded without a seal, which stands in the log for good; no confirmation."""
    session_id = served.ask("请排查 order-service 当前是否存在 HighMemoryUsage 告警")["session_id"]
    erase = ("session", "erase", session_id, "--reason", "asked for")
    unconfirmed = served.run(*erase)
    assert (unconfirmed.status, unconfirmed.err) == (2, "assay: an erasure cannot be undone: confirm it with --yes\n")
    unknown = served.here("session", "erase", "01900000-0000-7000-8000-000000000001", "--reason", "x", "--yes")
    assert (unknown.status, unknown.err.startswith("assay: there is no session")) == (2, True)

    served.here("session", "feedback", session_id, "wrong", UNSEALED, ASSAY_SEAL="none")
    assert holds(served.folder / "data/servers/nats", UNSEALED)  # so that a text in the clear would be found
    refused = served.here(*erase, "--yes")
    assert refused.status == 2
    assert "1 of its events, version " in refused.err
    assert served.show(session_id)["session"]["erased"] is False
