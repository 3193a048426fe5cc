"""`assay doctor` says that all is well, or exits with 3 and names what is not (R66)."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from nats.js import JetStreamContext

from handlers.application import jetstream
from handlers.cli import doctor
from infra.access import Role
from infra.audit.dsse import fingerprint
from infra.audit.signing_key import signing_key
from infra.embedded import Servers, running_servers
from infra.event_log.session_log import SessionLog
from infra.settings import Settings

QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"


@pytest.fixture(scope="module")
def assay(new_assay: Callable[[], Any]) -> Any:
    return new_assay()


@pytest.fixture(scope="module")
def servers(assay: Any) -> Iterator[Servers]:
    """Servers with nothing on them yet, kept running for this module."""
    with running_servers(Settings.load(assay.environment)) as running:
        yield running


@pytest.fixture(scope="module")
def before_init(assay: Any, servers: Servers) -> Any:
    """What `doctor` says of servers on which nothing has been made."""
    assert servers.nats_url
    return assay.here("doctor", "--json")


@pytest.fixture(scope="module")
def healthy(assay: Any, before_init: Any) -> Any:
    """The same data folder after `assay init`."""
    assert before_init.status == 3
    assert assay.here("init").status == 0
    return assay


def as_admin(servers: Servers, act: Callable[[JetStreamContext], Any]) -> None:
    async def connected() -> None:
        async with jetstream(servers, Role.ADMIN) as js:
            await act(js)

    asyncio.run(connected())


def problems(ran: Any) -> list[str]:
    assert {finding["state"] for finding in ran.documents} <= {"ok", "problem"}
    return [finding["detail"] for finding in ran.documents if finding["state"] == "problem"]


def test_servers_that_were_never_initialised_are_said_to_be_so(before_init: Any) -> None:
    found = problems(before_init)
    for words in ("stream ASSAY_EVENTS does not exist", "consumer planner does not exist", "diagnosis_session v"):
        assert any(words in one for one in found)
    assert "heads" not in {finding["check"] for finding in before_init.documents}


def test_a_healthy_system_has_no_problem(healthy: Any) -> None:
    """R66: every check says what it found."""
    ran = healthy.run("doctor")
    assert (ran.status, ran.err) == (0, "")
    for words in ("packages", "topics", "streams", "planner: 0 waiting", "diagnosis_session v1 serving"):
        assert words in ran.out
    assert "problem" not in ran.out


def test_a_changed_stream_is_named(healthy: Any, servers: Servers) -> None:
    """R50, done-when 7: an admin let events expire."""

    async def expire(js: JetStreamContext, seconds: float) -> None:
        config = (await js.stream_info("ASSAY_EVENTS")).config
        config.max_age = seconds
        await js.update_stream(config)

    as_admin(servers, lambda js: expire(js, 3600))
    ran, ran_json = healthy.here("doctor"), healthy.here("doctor", "--json")
    refused = healthy.here("ask", QUESTION)
    as_admin(servers, lambda js: expire(js, 0))
    assert (ran.status, ran_json.status) == (3, 3)
    (found,) = problems(ran_json)
    assert "stream ASSAY_EVENTS: max_age" in found
    assert found in ran.out
    assert "1 of" in ran.err
    assert refused.status == 1
    assert "max_age" in refused.err
    assert healthy.here("doctor").status == 0


def test_a_deleted_consumer_is_named(healthy: Any, servers: Servers) -> None:
    """R66, done-when 7; `assay init` makes it again."""
    as_admin(servers, lambda js: js.delete_consumer("ASSAY_EVENTS", "gatekeeper"))
    ran = healthy.here("doctor", "--json")
    assert ran.status == 3
    assert problems(ran) == ["consumer gatekeeper does not exist"]
    assert healthy.here("init").status == 0
    assert healthy.here("doctor").status == 0


def test_a_stream_that_is_gone_is_not_taken_for_an_empty_one(healthy: Any, servers: Servers) -> None:
    """R66: where something was recorded, only `assay init` makes it again."""
    healthy.ask(QUESTION)
    as_admin(servers, lambda js: js.delete_stream("ASSAY_PARKED"))
    listed = healthy.here("parked", "list")
    assert (listed.status, listed.out) == (1, "")
    assert "(`assay init` creates what is missing): stream ASSAY_PARKED does not exist" in listed.err
    assert healthy.here("init").status == 0
    assert healthy.here("parked", "list").err == "nothing is parked\n"


def test_keys_that_are_gone_are_not_taken_for_erasure(healthy: Any) -> None:
    """R62, R66: of a session that was erased nothing is told."""
    kept, erased = (healthy.ask(QUESTION)["session_id"] for _ in range(2))
    assert healthy.here("session", "erase", erased, "--reason", "asked for", "--yes").status == 0
    before = healthy.here("doctor", "--json")
    key, aside = healthy.folder / "keys" / f"{kept}.key", healthy.folder / "aside.key"
    key.rename(aside)
    after, copied = healthy.here("doctor", "--json"), healthy.here("backup", "copy")
    key.write_bytes(bytes(32))
    (another,) = problems(healthy.here("doctor", "--json"))
    aside.rename(key)
    (found,) = problems(after)
    assert another == found
    assert problems(before) == []
    assert "1 of the newest sessions have no key" in found
    assert f"the newest is {kept}" in found
    assert (copied.status, "1 of the newest sessions have no key" in copied.err) == (0, True)


async def killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_key_that_outlived_the_erasure_of_its_session_is_named(healthy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """R62, R66: the erasure was cut short, or the key folder came back from a copy; erased again, all is well."""
    session_id = healthy.ask(QUESTION)["session_id"]
    key = healthy.folder / "keys" / f"{session_id}.key"
    secret = key.read_bytes()
    erase = ("session", "erase", session_id, "--reason", "asked for", "--yes")
    with monkeypatch.context() as patched:
        patched.setattr(SessionLog, "destroy_key", killed)
        assert healthy.here(*erase).status == 130
    named = f"`assay session erase` them again; the newest is {session_id}"
    assert [one.endswith(named) for one in problems(healthy.here("doctor", "--json"))] == [True]
    assert healthy.here(*erase).status == 0
    key.write_bytes(secret)
    (found,) = problems(healthy.here("doctor", "--json"))
    assert found.startswith("1 of the newest erased sessions have a key")
    assert found.endswith(named)
    assert healthy.here(*erase).status == 0
    assert not key.exists()
    assert problems(healthy.here("doctor", "--json")) == []


def test_a_read_model_that_stands_still_behind_the_log_is_named(
    healthy: Any, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R66: no worker moves it."""
    monkeypatch.setattr(doctor, "BEHIND", timedelta())
    monkeypatch.setattr(doctor, "MOVES_S", 0.0)
    healthy.ask(QUESTION)
    with psycopg.connect(servers.postgres_dsn, autocommit=True) as connection:
        where = "WHERE read_model = 'agent_step' AND partition = 3"
        (position,) = connection.execute(f"SELECT position FROM assay_meta.position {where}").fetchone() or (0,)
        connection.execute(f"UPDATE assay_meta.position SET position = 1 {where}")
        ran = healthy.here("doctor", "--json")
        connection.execute(f"UPDATE assay_meta.position SET position = %s {where}", [position])
    (found,) = problems(ran)
    assert "agent_step v1 stands still" in found


@contextmanager
def broken_table(servers: Servers) -> Iterator[None]:
    """A column is missing, so that events cannot be applied."""
    with psycopg.connect(servers.postgres_dsn, autocommit=True) as connection:
        connection.execute("ALTER TABLE rm_agent_step_v1.agent_step RENAME COLUMN model TO model_before")
        yield
        connection.execute("ALTER TABLE rm_agent_step_v1.agent_step RENAME COLUMN model_before TO model")


def test_a_halted_projector_is_named_and_goes_on_once_mended(healthy: Any, servers: Servers) -> None:
    """R55, done-when 7: an event that cannot be applied is not skipped, and the answer does not depend on it."""
    with broken_table(servers):
        asked = healthy.here("ask", QUESTION, "--json")
        ran = healthy.here("doctor", "--json")
    assert (asked.status, asked.document["verdict"]) == (0, "PASS")
    assert "the read models are behind" in asked.err
    assert ran.status == 3
    (found,) = problems(ran)
    assert "agent_step v1 halted" in found
    assert "AgentStepRecorded" in found

    healthy.ask(QUESTION)
    assert healthy.here("doctor").status == 0
    assert {step["agent_name"] for step in healthy.show(asked.document["session_id"])["steps"]} == {
        "planner",
        "executor",
        "verifier",
        "composer",
    }


def test_a_question_that_was_answered_is_signed_to_its_end(healthy: Any) -> None:
    """R60: `ask` leaves nothing behind that no head covers; the README's commands show it."""
    answered = healthy.ask(QUESTION)
    whole, one = healthy.here("verify", "--json"), healthy.here("verify", answered["session_id"])
    examined = healthy.here("doctor")
    assert (whole.status, one.status, examined.status) == (0, 0, 0), whole.out + one.out
    assert whole.document["unsigned_events"] == 0
    assert whole.document["events"] == whole.document["signed_events"] > 10
    assert "0 events are not under a head yet\nfaults    none\n" in one.out
    assert re.match(r"checked   \d+ events of 1 session\n", one.out)
    assert f"{whole.document['events']} events signed at" in examined.out


def test_the_public_key_is_named_by_every_head(healthy: Any) -> None:
    """R60: printed for whoever shall check the heads with tools of his own."""
    printed, described = healthy.here("heads", "key"), healthy.here("heads", "key", "--json").document
    assert printed.out.startswith("-----BEGIN PUBLIC KEY-----")
    assert described["public_key"] == printed.out
    (heads,) = (healthy.folder / "keys").glob("heads-*.jsonl")
    signatures = [json.loads(line)["signatures"][0]["keyid"] for line in heads.read_text().splitlines()]
    assert set(signatures) == {described["key_id"]}


def test_a_log_whose_signing_key_is_gone_or_another_takes_nothing_more(healthy: Any) -> None:
    """R60, R66: no new key is made in its place."""
    key, aside = healthy.folder / "keys" / "signing.pem", healthy.folder / "signing.pem"
    key_id = healthy.here("heads", "key", "--json").document["key_id"]
    key.rename(aside)
    missing, asked, printed = (
        healthy.here("doctor", "--json"),
        healthy.here("ask", QUESTION),
        healthy.here("heads", "key"),
    )
    made = key.exists()
    other_id = fingerprint(signing_key(key).public_key())
    foreign, refused = healthy.here("doctor", "--json"), healthy.here("ask", QUESTION)
    aside.replace(key)
    assert not made
    for ran, words in ((missing, f"and there is no {key}"), (foreign, f"not {other_id}")):
        (found,) = problems(ran)
        assert f"signed by key {key_id!r}, {words}" in found
        assert f"put the key that signed it back as {key}" in found
    assert [ran.status for ran in (missing, foreign, asked, refused, printed)] == [3, 3, 1, 1, 2]
    assert "to begin the log anew on purpose, move its heads file away" in asked.err
    assert healthy.here("doctor").status == 0


def test_without_a_head_nothing_is_proven(healthy: Any, servers: Servers, tmp_path: Path) -> None:
    """R60: who took all heads away must not be answered with exit 0; an empty file is no set of heads."""
    healthy.ask(QUESTION)
    (heads,) = (healthy.folder / "keys").glob("heads-*.jsonl")
    kept, empty = heads.read_text(), tmp_path / "empty.jsonl"
    empty.touch()
    with psycopg.connect(servers.postgres_dsn, autocommit=True) as postgres:
        postgres.execute("ALTER SCHEMA assay_audit RENAME TO taken_away")
        heads.write_text("")
        bare = healthy.here("verify")
        heads.write_text(kept)
        postgres.execute("ALTER SCHEMA taken_away RENAME TO assay_audit")

    assert (bare.status, "nothing vouches for any of these events" in bare.err) == (3, True), bare.out
    assert "faults" not in bare.out
    assert healthy.here("verify", "--heads", str(empty)).status == 2
    assert healthy.here("verify", "").status == 2
    assert healthy.here("verify").status == 0
