"""R62: what is left of a session once its key is destroyed, where no command line is needed to see it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from psycopg import sql

from domain import events as e
from domain.session.decide import InvalidCommand
from handlers.application import runner_on
from handlers.audit.erasure import Eraser
from infra.audit.erasure_ledger import ErasureLedger
from infra.event_log.errors import Conflict, ContentErased
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.postgres import connect
from infra.read_models.erasure import erase_rows
from infra.read_models.projector import catch_up
from infra.read_models.rebuild import begin, finish
from infra.settings import Settings
from projections.registry import READ_MODELS

OpenLog = Callable[..., AbstractAsyncContextManager[SessionLog]]
TOLD = {
    "diagnosis_session": "order-service 内存使用率 91%",
    "agent_step": "先查指标",
    "tool_invocation": "HighMemoryUsage firing 91%",
    "self_evaluation": "内存使用率 91%",
    "session_headline": "已证实",
}


def rows(dsn: str, schema: str, table: str) -> list[str]:
    """Every row as one text."""
    with psycopg.connect(dsn) as conn:
        found = conn.execute(sql.SQL("SELECT t::text FROM {} AS t").format(sql.Identifier(schema, table)))
        return [row[0] for row in found.fetchall()]


async def built_beside(log: Any, dsn: str) -> None:
    """The versions of this release, beside the older ones that serve."""
    async with await connect(dsn) as conn:
        await finish(conn, await begin(conn, READ_MODELS, list(TOLD)), log, dsn)


def test_rows_are_emptied_in_every_version_of_every_read_model(
    postgres: str, interleaved: Callable[..., list[e.Recorded]], log_of: Callable[..., object]
) -> None:
    """R62: also in one that no projector runs any more; other sessions keep theirs."""
    events = interleaved(2)
    older = tuple(replace(model, version=0) for model in READ_MODELS)
    asyncio.run(catch_up(log_of(events), postgres, len(events), older))
    asyncio.run(built_beside(log_of(events), postgres))
    schemas = [f"rm_{name}_v{version}" for name in sorted(TOLD) for version in (0, 1)]

    assert asyncio.run(erase_rows(postgres, events[0].session_id)) == tuple(schemas)
    assert asyncio.run(erase_rows(postgres, events[0].session_id)) == tuple(schemas)
    for schema in schemas:
        table = schema[3:-3]
        mine = [row for row in rows(postgres, schema, table) if str(events[0].session_id) in row]
        others = [row for row in rows(postgres, schema, table) if str(events[0].session_id) not in row]
        assert TOLD[table] not in "".join(mine)
        assert TOLD[table] in "".join(others)
        assert len(mine) == len(others) > 0


def test_no_text_stands_in_the_statistics(
    postgres: str, diagnosis: Callable[..., list[e.Recorded]], log_of: Callable[..., object]
) -> None:
    """R62: PostgreSQL samples columns, and an erasure would not find the samples."""
    asyncio.run(catch_up(log_of(diagnosis()), postgres, 17))
    with psycopg.connect(postgres, autocommit=True) as conn:
        conn.execute("ANALYZE")
        sampled = conn.execute("SELECT tablename, attname FROM pg_stats WHERE schemaname LIKE 'rm\\_%'").fetchall()
    of_content = {(model.name, column) for model in READ_MODELS for column in model.content}
    assert ("agent_step", "agent_name") in sampled
    assert of_content & set(sampled) == set()


def test_a_key_is_destroyed_with_every_copy(tmp_path: Path) -> None:
    """R62: a crash while it was made leaves its file under a second name."""
    keys, session, other = KeyDirectory(tmp_path), uuid4(), uuid4()
    keys.create(other)
    keys.create(session)
    os.link(tmp_path / f"{session}.key", tmp_path / ".left-by-a-crash")

    keys.destroy(session)
    keys.destroy(session)
    assert [path.name for path in tmp_path.iterdir()] == [f"{other}.key"]


def test_a_file_of_somebody_else_among_the_keys_is_left_alone(tmp_path: Path) -> None:
    """R67: a backup takes the sessions' keys and nothing else."""
    keys, session = KeyDirectory(tmp_path), uuid4()
    made = keys.create(session)
    (tmp_path / "signing.key").write_text("another's")
    (tmp_path / f"copy of {session}.key").write_bytes(made.secret)
    assert list(keys.all()) == [(session, made)]


def test_content_that_was_never_sealed_is_not_said_to_be_erased(
    open_log: OpenLog, tmp_path: Path, postgres: str
) -> None:
    """R62: the log cannot be changed, so the command refuses and names the events; nothing is recorded."""

    async def scenario() -> None:
        async with open_log(seal="none") as log:
            session_id = uuid4()
            (ended,) = await log.append(
                session_id, None, [e.SessionCancelled(content=e.SessionCancelledContent(reason="秘密"))], actor="a"
            )
            runner = runner_on(log, Settings(data_dir=tmp_path, key_dir=tmp_path))
            ledger = ErasureLedger(tmp_path / "erasures.jsonl")
            eraser = Eraser(log, runner, postgres, ledger, Ed25519PrivateKey.generate())
            with pytest.raises(InvalidCommand, match=r"1 of its events, version 1 first, were recorded without a seal"):
                await eraser.erase(session_id)
            assert (await log.load(session_id), ledger.path.exists()) == ((ended,), False)

    asyncio.run(scenario())


def test_a_writer_that_does_not_know_of_the_erasure_records_nothing(open_log: OpenLog) -> None:
    """R62: a text it has sealed already, with a key it still holds, loses against the recorded erasure."""

    async def scenario() -> None:
        async with open_log() as log:
            session_id = uuid4()
            text = e.SessionCancelledContent(reason="秘密")
            (ended,) = await log.append(session_id, None, [e.SessionCancelled(content=text)], actor="a")
            (erased,) = await log.append(session_id, ended, [e.SessionErased(content=e.ERASED)], actor="a")
            late = e.FeedbackGiven(
                facts=e.FeedbackGivenFacts(rating="wrong"), content=e.FeedbackGivenContent(text="秘密")
            )
            with pytest.raises(Conflict):
                await log.append(session_id, ended, [late], actor="b")
            await log.destroy_key(session_id)
            with pytest.raises(ContentErased, match="its content was erased"):
                await log.append(session_id, erased, [late], actor="b")

    asyncio.run(scenario())
