"""What was erased stays so, whatever is restored or put back; and what is held is not erased (R76)."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.events import SessionCancelled, SessionCancelledContent
from handlers.application import open_log
from infra.embedded import running_servers
from infra.settings import Settings
from tests.acceptance.test_erasure import holds

MARK = "zq-4712-marker"
QUESTION = f"请排查 order-service 当前是否存在 HighMemoryUsage 告警（{MARK}）"
OTHER = "请排查 payment-service 当前是否存在 HighCPUUsage 告警，只确认 CPU 使用率过高这一件事。"
NO_LEDGER = "ASSAY_ERASURES_FILE"


@contextmanager
def serving(assay: Any, until: Any, **settings: str) -> Iterator[None]:
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


def erasures(assay: Any) -> dict[str, Any]:
    """What `doctor` says of the ledger and of the keys."""
    told = [json.loads(line) for line in assay.here("doctor", "--json").out.splitlines()]
    return {one["check"]: one for one in told if one["check"] in ("erasures", "keys")}


def texts(assay: Any, session_id: str) -> str:
    """Everything that Assay still says of a session."""
    shown = [("session", verb, session_id, "--json") for verb in ("show", "tail", "replay")]
    exported = assay.here("session", "export", session_id, "-o", "bundle.jsonl", "--force")
    assert exported.status == 0, exported.err
    bundle: str = (assay.folder / "bundle.jsonl").read_text()
    return bundle + "".join(assay.here(*arguments).out for arguments in shown)


def test_after_a_restore_the_erased_stays_erased(new_assay: Any, until: Any) -> None:
    """R76: also once an older key folder is put back; another session keeps its texts."""
    assay = new_assay()
    with serving(assay, until):
        erased, other = assay.ask(QUESTION)["session_id"], assay.ask(OTHER)["session_id"]
        assert assay.here("backup", "copy", "--with-signing-key").status == 0
        shutil.copytree(assay.folder / "keys", assay.folder / "older keys")
        assert assay.here("session", "erase", erased, "--reason", "asked for", "--yes").status == 0
        assert erasures(assay)["erasures"]["detail"].startswith("1 entries in ")
    shutil.copy(assay.folder / "keys" / "erasures.jsonl", assay.folder / "ledger.jsonl")
    for name in ("data", "keys"):
        shutil.rmtree(assay.folder / name)

    refused = assay.here("restore", "copy")
    assert (refused.status, refused.out) == (2, "")
    assert "--erasures FILE, or say --without-erasures" in refused.err
    assert assay.here("restore", "copy", "--erasures", "none").status == 2
    restored = assay.here("restore", "copy", "--erasures", "ledger.jsonl")
    assert restored.status == 0, restored.err
    assert "1 keys; 1 sessions were erased: theirs stay away" in restored.err
    assert not (assay.folder / "keys" / f"{erased}.key").exists()

    with serving(assay, until):
        until(lambda: erasures(assay)["erasures"]["state"] == "ok")
        until(lambda: assay.show(erased)["session"]["erased"])
        assert MARK not in texts(assay, erased)
        assert assay.show(other)["session"]["query"] == OTHER
        (again,) = [one for one in assay.here("access", "list", erased, "--json").documents if one["action"] == "erase"]
        assert again["reason"] == "as the ledger of erasures says"
        assert assay.here("verify", "--all").status == 0

        for key in (assay.folder / "older keys").glob("*.key"):
            shutil.copy(key, assay.folder / "keys" / key.name)
        assert MARK not in texts(assay, erased)
        assert erasures(assay)["keys"]["state"] == "problem"
        assert "1 of the newest erased sessions have a key" in erasures(assay)["keys"]["detail"]
    with serving(assay, until):
        until(lambda: erasures(assay)["keys"]["state"] == "ok")
    assert not (assay.folder / "keys" / f"{erased}.key").exists()
    assert not holds(assay.folder / "data/servers/nats", MARK)
    assert erasures(assay)["keys"]["state"] == "ok"


def test_what_the_release_before_erased_is_entered(served: Any, tmp_path: Path) -> None:
    """R76, R89: it kept no ledger; whoever compares, says so."""
    session_id = served.ask(OTHER)["session_id"]
    assert served.here("session", "erase", session_id, "--reason", "asked for", "--yes").status == 0
    elsewhere = {NO_LEDGER: str(tmp_path / "erasures.jsonl")}
    told = [json.loads(line) for line in served.here("doctor", "--json", **elsewhere).out.splitlines()]
    (found,) = [one for one in told if one["check"] == "erasures"]
    assert (found["state"], "are not in the ledger" in found["detail"]) == ("problem", True)
    served.ask(OTHER, **elsewhere)  # whose worker looks
    assert session_id in json.dumps([str(one) for one in entered(tmp_path / "erasures.jsonl")])


def entered(ledger: Path) -> Sequence[UUID]:
    from infra.audit.erasure_ledger import ErasureLedger

    return list(ErasureLedger(ledger).standings())


# ---------------------------------------------------------------- holds


def test_a_session_that_is_held_is_not_erased_until_it_is_released(served: Any) -> None:
    """R76: who held it, and why, stands in the access record."""
    session_id = served.ask(OTHER)["session_id"]
    erase = ("session", "erase", session_id, "--reason", "asked for", "--yes")
    held = served.here("session", "hold", session_id, "--reason", "case 12", "--json", ASSAY_ACTOR="counsel")
    assert (held.status, held.document["state"], held.document["actor"]) == (0, "held", "counsel")
    for arguments in (erase, ("session", "hold", session_id, "--reason", "again")):
        refused = served.here(*arguments)
        assert (refused.status, "is held by counsel since" in refused.err) == (2, True), refused.err
    lost = {NO_LEDGER: str(served.folder / "no ledger.jsonl")}  # the access record says it too
    assert "is held by counsel" in served.here(*erase, **lost).err
    assert served.show(session_id)["session"]["query"] == OTHER

    assert served.here("session", "release", session_id, "--reason", "closed").status == 0
    assert served.here("session", "release", session_id, "--reason", "closed").status == 2
    assert served.here(*erase).status == 0
    late = served.here("session", "hold", session_id, "--reason", "too late")
    assert (late.status, "was erased: there is nothing left to hold" in late.err) == (2, True)
    actions = [one["action"] for one in served.here("access", "list", session_id, "--json").documents]
    assert actions == ["hold", "show", "release", "erase"]


# ---------------------------------------------------------------- two persons


def test_where_it_takes_two_one_person_alone_is_refused_and_recorded(served: Any) -> None:
    """R76: erasure and override; the same person twice is one."""
    session_id = served.ask(OTHER)["session_id"]
    two = {"ASSAY_SECOND_ACTOR": "erase, override"}
    override = ("verdict", "override", session_id, "REJECT", "--reason", "wrong")
    erase = ("session", "erase", session_id, "--reason", "asked for", "--yes")
    for arguments in (override, erase):
        for _ in range(2):
            refused = served.here(*arguments, ASSAY_ACTOR="first", **two)
            assert (refused.status, "takes two actors; that first asks for it is recorded" in refused.err) == (3, True)
    assert served.show(session_id)["session"]["verdict_in_force"] == "PASS"
    another = served.here("verdict", "override", session_id, "LOW_CONFID", "--reason", "x", ASSAY_ACTOR="second", **two)
    assert another.status == 3  # another verdict is not the same deed
    for arguments in (override, erase):
        assert served.here(*arguments, ASSAY_ACTOR="second", **two).status == 0
    shown = served.show(session_id)["session"]
    assert (shown["verdict_in_force"], shown["erased"]) == ("REJECT", True)
    listed = served.here("access", "list", session_id, "--json").documents
    done = [(one["actor"], one["action"]) for one in listed if one["action"] != "show"]
    assert done == [
        ("first", "ask-override"),
        ("first", "ask-erase"),
        ("second", "ask-override"),
        ("second", "override"),
        ("second", "erase"),
    ]
    alone = served.here("session", "erase", session_id, "--reason", "again", "--yes", ASSAY_ACTOR="second", **two)
    assert alone.status == 3  # what was asked for is used up


def test_a_setting_that_names_no_such_deed_is_refused(served: Any) -> None:
    assert served.here("session", "list", ASSAY_SECOND_ACTOR="sell").err.startswith("assay: ASSAY_SECOND_ACTOR: ")


# ---------------------------------------------------------------- by age

OLD, YOUNG, HELD = 1_000, 5, 3


@pytest.fixture
def aged(new_assay: Any, until: Any, diagnosis: Any) -> Iterator[tuple[Any, list[UUID]]]:
    """A service with many sessions that ended 100 days ago and some that ended now; the old ones, oldest first."""
    assay = new_assay()
    opening = [entry.event for entry in diagnosis()[:2]]
    ended = [*opening, SessionCancelled(content=SessionCancelledContent(reason="done"))]

    async def record() -> list[UUID]:
        settings = Settings.load(assay.environment)
        with running_servers(settings) as servers:
            async with open_log(settings, servers) as events:
                old, then = [uuid4() for _ in range(OLD)], datetime.now(UTC) - timedelta(days=100)
                for number, session_id in enumerate(old):
                    time = then + timedelta(seconds=number)
                    await events.append(session_id, None, ended, actor="actor-1", time=time)
                for _ in range(YOUNG):
                    await events.append(uuid4(), None, ended, actor="actor-1")
                await events.append(uuid4(), None, opening, actor="actor-1", time=then)  # runs, and is left
                return old

    with serving(assay, until):
        old = asyncio.run(record())
        yield assay, old


def keys(assay: Any) -> set[str]:
    return {path.stem for path in (assay.folder / "keys").glob("*.key")}


def test_sessions_are_erased_by_age_also_if_killed_in_the_middle(aged: tuple[Any, list[UUID]], until: Any) -> None:
    """R76: by the end of the session; what is held, young or running stays; given again it goes on with the rest."""
    assay, old = aged
    all_keys = keys(assay)
    held = {str(one) for one in (old[0], old[300], old[-1])}
    for session_id in held:
        assert assay.here("session", "hold", session_id, "--reason", "case 12").status == 0
    by_age = ("session", "erase", "--older-than", "90d", "--reason", "retention")
    assert assay.here(*by_age).status == 2  # without --yes
    assert assay.here("session", "erase", "--older-than", "soon", "--reason", "x", "--yes").status == 2
    counted = assay.here(*by_age[:-2], "--dry-run", "--json").document
    assert (counted["erased"], counted["held"], keys(assay)) == (OLD - HELD, HELD, all_keys)
    assert assay.here(*by_age, "--verdict", "PASS", "--yes", "--json").document["erased"] == 0

    running = assay.start(*by_age, "--yes", "--json")
    until(lambda: len(keys(assay)) < len(all_keys) - 200)
    running.kill()
    running.wait()
    left = len(keys(assay))
    assert left > YOUNG + HELD + 1

    again = assay.run(*by_age, "--yes", "--json")
    assert again.status == 0, again.err
    assert (again.document["held"], left - again.document["erased"]) == (HELD, YOUNG + HELD + 1)
    gone = {str(one) for one in old} - held
    assert keys(assay) == all_keys - gone
    rows = {one["session_id"]: one for one in assay.here("session", "list", "--limit", "2000", "--json").documents}
    assert {session_id for session_id, row in rows.items() if row["erased"]} == gone
    assert len(entered(assay.folder / "keys" / "erasures.jsonl")) == OLD
    assert assay.here(*by_age, "--yes", "--json").document["erased"] == 0
    assert erasures(assay)["erasures"]["state"] == "ok"
