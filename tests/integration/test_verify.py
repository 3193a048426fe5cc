"""R60: each way of tampering, done to a real stream or to a server's files, and what `assay verify` says of it."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest

from domain.chain import GENESIS, HASH_HEADER, PREVIOUS_HASH_HEADER, SESSION_HEADER, VERSION_HEADER, event_hash
from domain.subjects import subject_of
from handlers.application import open_log
from handlers.audit import verification
from infra.audit.dsse import sign
from infra.audit.signing_key import public_pem, signing_key
from infra.embedded import Servers
from infra.embedded.nats_server import NatsServer
from infra.event_log.errors import ChainBroken, HeadContradicted, Unreadable
from infra.event_log.jetstream import Stored
from infra.event_log.session_log import SessionLog
from infra.streams import BLOBS, EVENTS, SIGNED
from tests.integration.doctored import (
    LARGE,
    TURNS,
    A,
    B,
    C,
    Site,
    make_streams,
    moved,
    new_database,
    note,
    record_and_sign,
    rewrite,
)

Log = Sequence[Stored]
Found = list[tuple[str, int | None, str | None, int | None]]


@pytest.fixture(scope="module")
def site(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Own nats-server, own database; the log is recorded and signed."""
    folder = tmp_path_factory.mktemp("site")
    site = Site(NatsServer(folder / "nats"), new_database(servers), folder)
    site.nats.ensure_running()
    asyncio.run(make_streams(site))
    yield site
    site.nats.stop()


@pytest.fixture(scope="module")
def recorded(site: Site) -> tuple[Stored, ...]:
    """The events as they were stored."""
    return asyncio.run(record_and_sign(site))


@pytest.fixture
def sound(site: Site, recorded: tuple[Stored, ...]) -> Site:
    """The site with its log as it was recorded, whatever a test before did to it."""
    asyncio.run(rewrite(site, recorded))
    return site


@contextmanager
def copied(site: Site, folder: Path) -> Iterator[tuple[Site, Path]]:
    """Another server on a copy of the stored files, which may be changed before the first use of the site given; and
    the folder of the events' blocks."""
    site.nats.stop()
    try:
        shutil.copytree(site.nats._folder, folder)
    finally:
        site.nats.ensure_running()
    copy = NatsServer(folder)
    try:
        yield replace(site, nats=copy), folder / "store/jetstream/ASSAY/streams" / EVENTS / "msgs"
    finally:
        copy.stop()


def chained(event: Stored, previous: str, **changes: object) -> Stored:
    """The event with changes, and its hash made anew."""
    changed = replace(event, **changes)
    headers = {**changed.headers, PREVIOUS_HASH_HEADER: previous}
    return replace(changed, headers={**headers, HASH_HEADER: event_hash(previous, changed.body, headers)})


# ---------------------------------------------------------------- what is sound


def test_a_sound_log_is_said_to_be_so_and_how_much_of_it_is_signed(sound: Site) -> None:
    """R60: exit 0; an event behind the last head is counted, and is no fault."""
    status, document, err = sound.verify()
    assert (status, err) == (0, "")
    assert document == {
        "events": 9,
        "sessions": 3,
        "heads": 2,
        "signed_events": 8,
        "unsigned_events": 1,
        "streams": {
            stream: {"messages": 0, "heads": 0, "signed_messages": 0, "unsigned_messages": 0} for stream in SIGNED
        },
        "findings": [],
        "found": {},
    }


def test_one_session_is_verified_alone(sound: Site) -> None:
    """R60: its chain, and that its events are those that were signed."""
    status, document, _ = sound.verify(str(A))
    assert (status, document["events"], document["signed_events"], document["unsigned_events"]) == (0, 4, 3, 1)
    assert sound.verify(str(uuid4()))[0] == 2
    assert sound.verify("01a2")[0] == 2
    assert sound.verify(str(A), "--all")[0] == 2


def test_heads_kept_elsewhere_are_enough_without_a_database(sound: Site, tmp_path: Path) -> None:
    """R60: with the file and the public key alone."""
    heads, key = tmp_path / "heads.jsonl", tmp_path / "key.pem"
    shutil.copy(sound.settings.heads_file, heads)
    key.write_text(public_pem(signing_key(sound.settings.signing_key).public_key()))
    arguments = ("--heads", str(heads), "--key", str(key))
    status, document, err = sound.verify(*arguments, ASSAY_POSTGRES_DSN="postgresql://127.0.0.1:9/none")
    assert (status, document["heads"], document["signed_events"]) == (0, 2, 8)
    assert "without PostgreSQL" in err
    assert sound.verify(ASSAY_POSTGRES_DSN="postgresql://127.0.0.1:9/none")[0] == 1
    assert sound.verify("--heads", str(tmp_path / "none"))[0] == 2
    assert sound.verify("--key", str(heads))[0] == 2


# ---------------------------------------------------------------- a stream that was rewritten


def edited_body(log: Log) -> Log:
    return [*log[:2], replace(log[2], body=log[2].body.replace(b"wrong", b"right")), *log[3:]]


def edited_header(log: Log) -> Log:
    return [*log[:4], replace(log[4], headers={**log[4].headers, "Assay-Actor": "another"}), *log[5:]]


def edited_version(log: Log) -> Log:
    return [*log[:4], replace(log[4], headers={**log[4].headers, VERSION_HEADER: "3"}), *log[5:]]


def edited_and_hashed_anew(log: Log) -> Log:
    return [*log[:2], chained(log[2], log[0].headers[HASH_HEADER], body=b"{}"), *log[3:]]


def rechained(log: Log) -> Log:
    """The third event is another, and the whole session after it is made to fit."""
    forged, last = list(log), log[0].headers[HASH_HEADER]
    for index in (2, 3, 8):
        forged[index] = chained(log[index], last, **({"body": b"{}"} if index == 2 else {}))
        last = forged[index].headers[HASH_HEADER]
    return forged


def one_left_out(log: Log) -> Log:
    return [*log[:2], *log[3:]]


def one_put_in(log: Log) -> Log:
    stranger = str(uuid4())
    headers = {**log[0].headers, SESSION_HEADER: stranger}
    put_in = chained(log[0], GENESIS, originator=stranger, subject=subject_of(headers), headers=headers)
    return [*log[:3], put_in, *log[3:]]


def swapped(log: Log) -> Log:
    return [*log[:2], log[3], log[2], *log[4:]]


def sessions_swapped(log: Log) -> Log:
    return [*log[:3], log[4], log[3], *log[5:]]


def another_type(log: Log) -> Log:
    return [log[0], replace(log[1], subject=log[1].subject.replace("FeedbackGiven", "VerdictIssued")), *log[2:]]


@pytest.mark.parametrize(
    ("tamper", "expected"),
    [
        (edited_body, [("edited event", 3, A, 2)]),
        (edited_header, [("edited event", 5, B, 2)]),
        (edited_version, [("edited event", 5, B, 2)]),
        (edited_and_hashed_anew, [("edited event", 3, A, 2), ("re-chained forgery", 3, A, 2)]),
        (rechained, [("re-chained forgery", 3, A, 2)]),
        (one_left_out, [("missing event", 3, A, 2), ("missing event", 3, None, None)]),
        (swapped, [("swapped order", 4, A, 2)]),
        (sessions_swapped, [("swapped order", 4, B, 2)]),
        (another_type, [("wrong subject", 2, B, 1)]),
    ],
)
def test_a_rewritten_stream_is_found_out(
    sound: Site, recorded: tuple[Stored, ...], tamper: Callable[[Log], Log], expected: Found
) -> None:
    """R60: kind, position, session and version are named."""
    asyncio.run(rewrite(sound, tamper(recorded)))
    assert sound.found() == [(kind, at, str(session) if session else None, v) for kind, at, session, v in expected]


@pytest.mark.parametrize("position", range(1, len(TURNS) + 1))
def test_an_event_in_another_partition_is_found_out(sound: Site, recorded: tuple[Stored, ...], position: int) -> None:
    """R75: at every position; by the whole log and by its session, which is not loaded either, and not rebuilt."""
    event = recorded[position - 1]
    asyncio.run(rewrite(sound, [moved(event) if one is event else one for one in recorded]))
    expected = [("wrong subject", position, event.originator, event.version)]
    assert sound.found() == sound.found(event.originator) == expected

    async def read() -> None:
        async with sound.log() as events:
            with pytest.raises(ChainBroken, match=f"version {event.version}: stands under {moved(event).subject}"):
                await events.load(UUID(event.originator))
            with pytest.raises(Unreadable, match=f"position {position} holds no event of a session: it stands under"):
                await events.read(0, 100, partition=int(moved(event).subject.split(".")[2]))

    asyncio.run(read())


def test_an_inserted_event_is_found_out(sound: Site, recorded: tuple[Stored, ...]) -> None:
    """R60: sound in itself, but nothing was signed there."""
    log = one_put_in(recorded)
    asyncio.run(rewrite(sound, log))
    assert sound.found() == [("inserted event", 4, log[3].originator, 1)]


def test_a_forgery_is_found_without_a_database_too(sound: Site, recorded: tuple[Stored, ...]) -> None:
    """R60: the heads alone tell between which of them it lies."""
    asyncio.run(rewrite(sound, rechained(recorded)))
    heads = str(sound.settings.heads_file)
    found = sound.found("--heads", heads, ASSAY_POSTGRES_DSN="postgresql://127.0.0.1:9/none")
    assert found == [("re-chained forgery", 1, None, None)]


def test_a_forged_session_is_found_out_alone(sound: Site, recorded: tuple[Stored, ...]) -> None:
    asyncio.run(rewrite(sound, rechained(recorded)))
    assert sound.found(str(A)) == [("re-chained forgery", 3, str(A), 2)]
    assert sound.found(str(B)) == []


# ---------------------------------------------------------------- events taken away


def deleted(site: Site, *positions: int) -> None:
    async def delete() -> None:
        async with site.admin() as js:
            for position in positions:
                await js.delete_msg(EVENTS, position)

    asyncio.run(delete())


def test_a_deleted_event_is_found_out(sound: Site) -> None:
    """R60: by its position, and by the version that its session lacks."""
    deleted(sound, 3)
    assert sound.found() == [("missing event", 3, None, None), ("missing event", 4, str(A), 2)]


def test_a_tail_cut_off_is_found_out(sound: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """R60: the server has counted further than its last event, and no replica that lags is to blame."""
    monkeypatch.setattr(verification, "CATCH_UP_S", 0.2)
    deleted(sound, 8, 9)
    assert sound.found() == [("cut tail", 8, None, None)]


def test_a_rolled_back_log_is_found_out_and_takes_no_event(sound: Site, recorded: tuple[Stored, ...]) -> None:
    """R60: nothing is appended behind it; both numbers are named."""
    asyncio.run(rewrite(sound, recorded[:7]))
    assert sound.found() == [("rolled-back log", None, None, None)]

    async def append() -> None:
        async with sound.log() as events:
            await events.append(uuid4(), None, [note("too early")], actor="actor-1")

    with pytest.raises(HeadContradicted, match="ends at position 7, but a head over 8 events"):
        asyncio.run(append())


def test_sequences_used_again_are_found_out(sound: Site, recorded: tuple[Stored, ...]) -> None:
    """R60: the log was rolled back and written on; also by the service, which then goes no further."""
    asyncio.run(rewrite(sound, recorded[:6]))
    fresh = [uuid4(), uuid4()]

    async def write_on() -> None:
        async with sound.log() as events:
            events._last_heads = lambda _: asyncio.sleep(0, ())  # as a service without heads would
            for session_id in fresh:
                await events.append(session_id, None, [note("anew")], actor="actor-1")

    async def append() -> None:
        async with sound.log() as events:
            await events.append(uuid4(), None, [note("more")], actor="actor-1")

    asyncio.run(write_on())
    expected = [("reused sequence", at, str(session), 1) for at, session in enumerate(fresh, start=7)]
    assert sound.found() == expected
    with pytest.raises(HeadContradicted, match="position 8 is not the one"):
        asyncio.run(append())


def test_content_kept_beside_the_log_is_checked(sound: Site) -> None:
    """R60: a blob that is gone, and one that is another."""

    async def delete() -> tuple[str, bytes]:
        async with sound.admin() as js:
            message = await js.get_msg(BLOBS, 1)
            await js.delete_msg(BLOBS, 1)
            return str(message.subject), message.data or b""

    async def put(subject: str, data: bytes) -> None:
        async with sound.admin() as js:
            await js.publish(subject, data)

    subject, data = asyncio.run(delete())
    expected = [("altered content", LARGE, str(C), 1)]
    assert sound.found() == expected
    asyncio.run(put(subject, data[:-1] + b"X"))
    assert sound.found() == expected
    assert sound.found(str(C)) == expected
    asyncio.run(put(subject, data))
    assert sound.found() == []


# ---------------------------------------------------------------- the server's files


@pytest.mark.parametrize("index", [True, False], ids=["with its index", "without"])
def test_a_flipped_bit_in_a_block_file_is_found_out(sound: Site, tmp_path: Path, index: bool) -> None:
    """R60: nats-server leaves the damaged event out without a word; where it must read the block anew, all after it."""
    with copied(sound, tmp_path / "copy") as (copy, blocks):
        (block,) = blocks.glob("*.blk")
        data = bytearray(block.read_bytes())
        data[data.index(f"{A}.3.".encode())] ^= 1
        block.write_bytes(data)
        if not index:
            (blocks / "index.db").unlink()
        copy.nats.ensure_running()
        found = copy.found()
    if index:
        assert found == [("missing event", 4, None, None), ("missing event", 9, str(A), 3)]
    else:
        assert found == [("rolled-back log", None, None, None)]


def test_an_older_copy_of_the_store_is_found_out(sound: Site, recorded: tuple[Stored, ...], tmp_path: Path) -> None:
    """R60: a snapshot brought back by whoever may write the server's files."""
    asyncio.run(rewrite(sound, recorded[:6]))
    with copied(sound, tmp_path / "copy") as (copy, _):
        copy.nats.ensure_running()
        assert copy.found() == [("rolled-back log", None, None, None)]


async def returned(events: SessionLog) -> None:
    """Until the connection is back."""
    while True:
        if events.connection.client.stats["reconnects"]:
            return
        await asyncio.sleep(0.02)


def test_the_service_notices_when_its_server_comes_back_shorter(
    sound: Site, recorded: tuple[Stored, ...], tmp_path: Path
) -> None:
    """R60: after a reconnection the log is asked again."""

    async def case(site: Site) -> None:
        async with site.log() as events:
            (first,) = await events.append(uuid4(), None, [note("before")], actor="actor-1")
            site.nats.stop()
            shutil.rmtree(site.nats._folder / "store")
            shutil.copytree(tmp_path / "older", site.nats._folder / "store")
            site.nats.ensure_running()
            await returned(events)
            with pytest.raises(HeadContradicted, match="ends at position 6, but a head over 8 events"):
                await events.append(first.session_id, first, [note("after")], actor="actor-1")

    asyncio.run(rewrite(sound, recorded[:6]))
    with copied(sound, tmp_path / "copy"):
        shutil.copytree(tmp_path / "copy" / "store", tmp_path / "older")
    asyncio.run(rewrite(sound, recorded))
    with copied(sound, tmp_path / "again") as (copy, _):
        copy.nats.ensure_running()
        asyncio.run(case(copy))


# ---------------------------------------------------------------- the heads


@pytest.fixture
def heads(sound: Site, tmp_path: Path) -> Path:
    """A copy of the heads file, to be changed."""
    return Path(shutil.copy(sound.settings.heads_file, tmp_path / "heads.jsonl"))


def test_a_head_with_a_bad_signature_is_found_out(sound: Site, heads: Path) -> None:
    """R60."""
    lines = heads.read_text().splitlines()
    envelope = json.loads(lines[0])
    envelope["signatures"][0]["sig"] = envelope["signatures"][0]["sig"][::-1].lstrip("=") + "=="
    heads.write_text("\n".join([json.dumps(envelope), lines[1], ""]))
    assert sound.found("--heads", str(heads)) == [("bad signature", None, None, None)]
    heads.write_text("\n".join([*lines, "{not a head", "{a line still being written"]))
    assert sound.found("--heads", str(heads)) == [("bad signature", None, None, None)]


def test_nothing_is_appended_behind_a_last_head_that_was_changed(sound: Site, heads: Path) -> None:
    """R60."""
    heads.write_text(heads.read_text() + "{}\n")
    settings = sound.settings.model_copy(update={"heads_file": heads})

    async def append() -> None:
        async with open_log(settings, sound.servers) as events:
            await events.append(uuid4(), None, [note("more")], actor="actor-1")

    with pytest.raises(HeadContradicted, match="the last signed head was changed"):
        asyncio.run(append())


def test_a_head_of_another_key_is_found_out(sound: Site, heads: Path, tmp_path: Path) -> None:
    """R60: an attacker signs his own log with his own key."""
    own = signing_key(tmp_path / "own.pem")
    foreign = json.dumps(sign(own, "application/vnd.assay.log-head.v1+json", b"{}"))
    heads.write_text(heads.read_text() + foreign + "\n")
    assert sound.found("--heads", str(heads)) == [("foreign key", None, None, None)]
    (tmp_path / "own.pub").write_text(public_pem(own.public_key()))
    assert {kind for kind, *_ in sound.found("--key", str(tmp_path / "own.pub"))} == {"foreign key"}


def test_a_leaf_hash_that_was_changed_in_the_database_is_not_believed(sound: Site) -> None:
    """R60: forged together with the log, it still does not hash to what was signed."""
    with psycopg.connect(sound.dsn, autocommit=True) as connection:
        query = "SELECT leaves FROM assay_audit.head WHERE size = 5"
        (kept,) = connection.execute(query).fetchone() or (b"",)
        update = "UPDATE assay_audit.head SET leaves = %s WHERE size = 5"
        connection.execute(update, [bytes(32) + kept[32:]])
        found = sound.found()
        connection.execute(update, [kept])
    assert len(kept) == 5 * 32
    assert found == [("contradicting heads", None, None, None)]


def test_everything_of_the_log_was_recorded_for_these_tests(recorded: tuple[Stored, ...]) -> None:
    assert [event.originator for event in recorded] == [str(session) for session in TURNS]
