"""R89: the release before, built from its commit, and this one on the same data folder; run by `pytest tests/long`.

The old code cannot be changed: it tries an event of a newer version a few times and then takes the message off, and its
projectors halt. This release finishes the session and serves the read models all the same.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from domain.contracts import Agent
from domain.session.commands import OpenSession
from handlers.application import PromptFiles, make_ready, open_log, runner_on
from handlers.session_ids import session_id_for
from handlers.session_settings import session_settings
from infra.embedded import running_servers_async
from infra.scenario.scenario import sample_scenario
from infra.settings import Settings

ROOT = Path(__file__).parents[2]
BEFORE = "b3acb95f505aac1adbf52e9af16ad039fa15eafa"
PATIENCE_S = 180.0
QUESTIONS = (
    "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。",
    "确认 inventory-service 是否存在 HikariCP 连接池耗尽。",
)


def holds_the_release_before() -> bool:
    looked = subprocess.run(
        ["git", "cat-file", "-e", f"{BEFORE}^{{commit}}"], cwd=ROOT, capture_output=True, check=False
    )
    return looked.returncode == 0


pytestmark = pytest.mark.skipif(
    not holds_the_release_before(), reason=f"needs a git checkout that holds commit {BEFORE[:7]}"
)


@pytest.fixture(scope="module")
def old_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("before")
    packed = subprocess.run(["git", "archive", BEFORE], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", str(tree)], input=packed.stdout, check=True)
    return tree


@dataclass(frozen=True)
class Site:
    """A data folder, and the commands of one release on it."""

    folder: Path
    tree: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "OPENAI_"))}
        own = {"ASSAY_DATA_DIR": str(self.folder / "data"), "ASSAY_KEY_DIR": str(self.folder / "keys")}
        return kept | own | {"ASSAY_ACK_WAIT": "2", "PYTHONPATH": str(self.tree)}

    def start(self, *arguments: str, log: str = "log") -> subprocess.Popen[str]:
        with (self.folder / log).open("a") as err:
            command = [sys.executable, "-m", "handlers", *arguments]
            return subprocess.Popen(command, env=self.environment, cwd=self.tree, stderr=err, text=True)

    def run(self, *arguments: str, status: int = 0) -> str:
        command = [sys.executable, "-m", "handlers", *arguments]
        ran = subprocess.run(
            command,
            env=self.environment,
            cwd=self.tree,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert ran.returncode == status, ran.stdout + ran.stderr
        return ran.stdout

    def documents(self, *arguments: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.run(*arguments, "--json").splitlines()]

    @contextmanager
    def serving(self, log: str) -> Iterator[Path]:
        """Workers of the release, which leave on SIGTERM."""
        serve = self.start("serve", log=log)
        try:
            wait(lambda: "working" in (self.folder / log).read_text())
            yield self.folder / log
        finally:
            serve.terminate()
            serve.wait(60)

    def statuses(self) -> dict[str, str]:
        return {row["session_id"]: row["status"] for row in self.documents("session", "list")}


def wait(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.2)


def killed_mid_way(old: Site, number: int) -> str | None:
    """The id of a session whose only worker was killed; None if it was done before."""
    log = f"ask-{number}"
    asking = old.start("ask", QUESTIONS[0], log=log)
    wait(lambda: " plan " in (old.folder / log).read_text())
    asking.send_signal(signal.SIGKILL)
    asking.wait()
    told = (old.folder / log).read_text()
    session_id = told.partition(" open      ")[2].split()[0]
    events = old.documents("session", "replay", session_id)
    return None if events[-1]["type"] == "SessionCompleted" else session_id


def test_a_folder_of_the_release_before_goes_on_where_it_was_killed(old_tree: Path, tmp_path: Path) -> None:
    """R7, R89: the session ends, and all that was recorded is shown, verified, decided again, rebuilt and exported."""
    old, new = Site(tmp_path, old_tree), Site(tmp_path, ROOT)
    ended = [old.documents("ask", question)[0]["session_id"] for question in QUESTIONS]
    shown = {session_id: old.documents("session", "show", session_id)[0]["session"] for session_id in ended}
    killed = next(filter(None, (killed_mid_way(old, number) for number in range(20))))

    with new.serving("new"):
        wait(lambda: new.statuses().get(killed) == "completed")
        for session_id in ended:
            now = new.documents("session", "show", session_id)[0]["session"]
            assert {name: now[name] for name in shown[session_id]} == shown[session_id]
            assert new.run("session", "replay", session_id)
        *told, counts = new.documents("readjudicate", *ended)
        assert (counts["broken"], counts["undetermined"]) == (0, 0)
        assert not [one for session in told for one in session["differences"] if "coverage" in one["where"]]
        assert new.documents("verify", "--all")[0]["findings"] == []
        new.run("projection", "rebuild", "--all", "--workers", "1")
        assert {one["equal"] for one in new.documents("projection", "verify", "--all")} == {True}
        new.run("session", "export", killed, "-o", str(tmp_path / "bundle"))
        new.run("backup", str(tmp_path / "backup"))
        assert new.documents("ask", QUESTIONS[0])[0]["verdict"] == "PASS"
        new.run("doctor")
    assert "Traceback" not in (tmp_path / "new").read_text()


async def opened_by_this_release(site: Site) -> str:
    """A session of events that the release before does not know, with nobody at work on it."""
    settings, scenario, prompts = Settings.load(site.environment), sample_scenario(), PromptFiles()
    session_id = session_id_for(None)
    command = OpenSession(
        question=QUESTIONS[0],
        now=scenario.now,
        clock="scenario",
        settings=session_settings(settings, (), "sample"),
        prompt_hashes={agent: prompts.sha256(agent) for agent in Agent},
        sources=scenario.sources,
    )
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with open_log(settings, servers) as events:
            await runner_on(events, settings).submit(session_id, command)
    return str(session_id)


def test_what_old_workers_took_off_and_halted_at_is_finished_by_this_release(old_tree: Path, tmp_path: Path) -> None:
    """R89: nobody's session is lost to a release that does not know the rule."""
    old, new = Site(tmp_path, old_tree), Site(tmp_path, ROOT)
    before = old.documents("ask", QUESTIONS[1])[0]["session_id"]
    session_id = asyncio.run(opened_by_this_release(new))
    with old.serving("old") as log:
        wait(lambda: "the session cannot even be ended" in log.read_text())
        wait(lambda: "halted" in log.read_text())
    old.run("doctor", status=3)

    with new.serving("new"):
        wait(lambda: new.statuses().get(session_id) == "completed")
        wait(lambda: {one["lag_events"] for one in new.documents("projection", "status")} == {0})
        assert {one["halted"] for one in new.documents("projection", "status")} == {None}
        assert new.statuses() == {before: "completed", session_id: "completed"}
        new.run("doctor")
    assert "Traceback" not in (tmp_path / "new").read_text()
