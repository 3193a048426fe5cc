"""The drill: back up a running service, destroy everything, restore, go on (R67)."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from nats.js.api import StreamInfo
from pydantic import TypeAdapter

from handlers.session_ids import session_id_for
from infra.access import Credentials, Role
from infra.embedded import Servers
from infra.event_log.connection import connected

QUESTION = "请排查 payment-service 当前是否存在 HighCPUUsage 告警，只确认 CPU 使用率过高这一件事。"


class Slow:
    """The offline model; who sends the first request is gone before it is answered."""

    def __init__(self) -> None:
        self.reached, self.go_on = Event(), Event()

    def __call__(self, asked: Any) -> Any:
        if self.reached.is_set():
            return asked.usual()
        self.reached.set()
        self.go_on.wait(100)
        return None


@contextmanager
def serving(assay: Any, until: Any, settings: dict[str, str]) -> Iterator[None]:
    log = assay.folder / "serve.log"
    with log.open("w") as output:
        serve = subprocess.Popen(
            [sys.executable, "-m", "handlers", "serve"], env=assay.environment | settings, stderr=output
        )
    try:
        until(lambda: "working" in log.read_text() or serve.poll() is not None)
        assert serve.poll() is None, log.read_text()
        yield
    finally:
        serve.terminate()
        serve.wait(60)
    assert "Traceback" not in log.read_text()


def published(assay: Any) -> list[tuple[int, str, dict[str, Any]]]:
    """Position, subject and event of every public verdict, as they stand on the stream."""
    folder: Path = assay.folder / "data" / "servers" / "nats"
    users = TypeAdapter(dict[Role, Credentials]).validate_json((folder / "credentials.json").read_bytes())
    port = json.loads((folder / "nats.json").read_bytes())["port"]

    async def read() -> list[tuple[int, str, dict[str, Any]]]:
        async with connected(Servers(f"nats://127.0.0.1:{port}", users, ""), Role.ADMIN) as admin:
            js = admin.client.jetstream()
            info: StreamInfo = await js.stream_info("ASSAY_VERDICTS")
            found = [await js.get_msg("ASSAY_VERDICTS", seq=seq) for seq in range(1, info.state.last_seq + 1)]
            return [(one.seq or 0, one.subject or "", json.loads(one.data or b"")) for one in found]

    return asyncio.run(read())


@pytest.fixture
def slow(model_server: Any) -> Iterator[tuple[Slow, dict[str, str]]]:
    script = Slow()
    yield script, model_server.plays(script)
    script.go_on.set()


def test_a_service_is_restored_from_nothing(new_assay: Any, until: Any, model_server: Any, slow: Any) -> None:
    """R67, R52, R60: same rows, same positions, sound chains and heads; no verdict twice and none lost; a session that
    was under way ends."""
    assay, (script, scripted) = new_assay(), slow
    with serving(assay, until, model_server.settings):
        ended = assay.ask(QUESTION)["session_id"]
        asking = assay.start("ask", QUESTION, "--key", "under way", **scripted)
        assert script.reached.wait(100)
        until(lambda: len(published(assay)) == 2)
        rows, verdicts = assay.show(ended), published(assay)
        made = assay.here("backup", "copy", "--with-signing-key", "--json")
        assert (made.status, made.document["keys"]) == (0, 2), made.err
        asking.kill()
        asking.wait()
    for name in ("data", "keys"):
        shutil.rmtree(assay.folder / name)

    restored = assay.here("restore", "copy", "--without-erasures", "--json")
    assert restored.status == 0, restored.err
    assert restored.document["events"] == made.document["events"]
    script.go_on.set()
    with serving(assay, until, model_server.settings):
        under_way = str(session_id_for("under way"))
        until(lambda: under_way in assay.here("session", "list", "--status", "completed", "--json").out)
        until(lambda: len(published(assay)) == 4)
        until(lambda: assay.show(ended) == rows)
        assert published(assay)[:2] == verdicts
        subjects = [subject for _, subject, _ in published(assay)]
        assert len(set(subjects)) == 4
        assert sum(under_way in subject for subject in subjects) == 2
        verified = assay.here("verify", "--all", "--json")
        assert (verified.status, verified.document["findings"]) == (0, []), verified.out
        again = assay.here("restore", "copy", "--without-erasures")
        assert (again.status, again.out) == (2, "")
        assert "uses the PostgreSQL database" in again.err or "holds messages up to" in again.err
