"""Folders that nobody should have: each search ends in a doubt or an answer, in bounded time and memory, and loses
nothing of what it found (R69, R72)."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import os
import tarfile
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from domain.events import Source
from domain.evidence.coverage import Coverage, DoubtKind, UnreadReason
from domain.evidence.log_answer import LogAnswer, answer_of
from infra.log_reading import files
from infra.log_reading.byte_streams import FileBytes
from infra.log_reading.share import Asked, LogFolder, name_of_token, search_share, walk
from infra.tools.contract import ToolContext
from infra.tools.logs import logs_tool

NOW = datetime(2031, 5, 14, 9, 0, tzinfo=UTC)
HERE = "2031-05-14T08:30:00Z ERROR order-service zebra crossing lost\n"
THERE = "2031-05-14T08:40:00Z ERROR pay-service okapi lost\n"


def put(path: Path, content: str | bytes, minutes: int = 20) -> Path:
    """A file that was last changed so many minutes before now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    changed = (NOW - timedelta(minutes=minutes)).timestamp()
    os.utime(path, (changed, changed))
    return path


def searched(folder: Path, **arguments: Any) -> tuple[list[str], Coverage]:
    """The messages that `query_logs` finds in the last two hours, in its reading processes, and its coverage."""
    tool = logs_tool([Source(kind="logs", name="logs", address=str(folder))])
    context = ToolContext(now=NOW, window_minutes=120, invocation_id=7, session_id="session")
    result = asyncio.run(tool.run(arguments, context))
    assert result.success, result.error_message
    assert result.retrieval.coverage
    return [row["message"] for row in json.loads(result.output)["logs"]], result.retrieval.coverage


def steps(folder: Path, between: Callable[[], None]) -> LogAnswer:
    """A search for any error whose steps are taken here; something happens between listing and reading."""
    place = LogFolder(str(folder), "UTC", zone_known=True)
    asked = Asked(NOW - timedelta(hours=2), NOW, "", None, "lost", 20, NOW)
    listed = walk(place)
    between()
    parts = list(search_share(place, asked, listed.tokens, 60.0))
    return answer_of(
        asked.condition(),
        ("lost",),
        [part.searched for part in parts if part.searched],
        [part.unread.told(asked.start) for part in parts if part.unread],
        {},
        limit=20,
    )


def found(answer: LogAnswer) -> list[str]:
    return sorted(one.message.split()[1] for one in answer.found)


# ---------------------------------------------------------------- too much


def test_of_too_many_files_those_that_changed_last_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R69: the others cannot hold anything of a window behind their last change, and could of all time."""
    monkeypatch.setattr(files, "MOST_FILES", 50)
    for number in range(200):
        line = HERE if number == 3 else "2031-05-14T08:30:00Z INFO order-service fine\n"
        put(tmp_path / f"d{number % 7}" / f"svc-{number}.log", line, minutes=number)
    answer = steps(tmp_path, lambda: None)
    assert found(answer) == ["zebra"]
    assert answer.coverage.counts.inputs == 50


def test_a_line_of_a_hundred_megabytes_is_a_doubt_and_hides_no_other(tmp_path: Path) -> None:
    """R68: what was cut off it could match, as long as its time lies in the window."""
    line = "2031-05-14T08:35:00Z INFO order-service " + "x" * 100 * 1024**2 + " hidden giraffe\n"
    put(tmp_path / "app.log", HERE + line + THERE)
    for word, many in (("zebra", 1), ("okapi", 1), ("giraffe", 0)):
        messages, coverage = searched(tmp_path, query=word)
        assert (len(messages), coverage.complete) == (many, False)
        assert [doubt.kind for doubt in coverage.doubts] == [DoubtKind.TEXT]
    assert searched(tmp_path, query="giraffe", minutes=24)[1].complete


def test_a_record_whose_level_was_cut_off_is_a_doubt(tmp_path: Path) -> None:
    """R68: a JSON object of a hundred megabytes with its level at the end."""
    record = '{"time":"2031-05-14T08:35:00Z","msg":"' + "x" * 100 * 1024**2 + '","level":"error"}\n'
    put(tmp_path / "app.jsonl", record + '{"time":"2031-05-14T08:40:00Z","level":"error","msg":"okapi lost"}\n')
    messages, coverage = searched(tmp_path, level="ERROR")
    assert (messages, coverage.complete) == (["okapi lost"], False)


def test_a_bomb_is_read_up_to_the_limit_and_costs_no_other_file(tmp_path: Path) -> None:
    """R72: what was found before, and beside it, is kept."""
    put(tmp_path / "app.log.gz", gzip.compress(HERE.encode() + bytes(300 * 1024**2)))
    put(tmp_path / "other.log", THERE)
    for word in ("zebra", "okapi"):
        messages, coverage = searched(tmp_path, query=word)
        assert (len(messages), coverage.complete) == (1, False)
        assert [(one.name, one.reason) for one in coverage.unread] == [("app.log.gz", UnreadReason.LIMIT)]


def test_members_that_lead_out_of_their_archive_are_named_and_nothing_outside_is_read(tmp_path: Path) -> None:
    """R69: names with `..`, absolute ones, links by name and by number."""
    put(tmp_path / "secret.log", HERE)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name in ("../secret.log", str(tmp_path / "secret.log"), "good.log"):
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(THERE), int(NOW.timestamp()) - 600
            archive.addfile(member, io.BytesIO(THERE.encode()))
        for name, kind, target in (
            ("link.log", tarfile.SYMTYPE, "../../secret.log"),
            ("hard.log", tarfile.LNKTYPE, "../secret.log"),
            ("device", tarfile.CHRTYPE, ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.mtime = kind, target, int(NOW.timestamp()) - 600
            archive.addfile(member)
    put(tmp_path / "logs" / "old.tar.gz", packed.getvalue())
    messages, coverage = searched(tmp_path / "logs", query="zebra okapi")
    assert messages == ["pay-service okapi lost"]
    assert {one.name for one in coverage.unread if one.reason is UnreadReason.LINK} >= {
        "old.tar.gz/link.log",
        "old.tar.gz/hard.log",
    }
    assert not coverage.complete


# ---------------------------------------------------------------- what changes while it is read


def test_a_file_that_is_renamed_between_listing_and_reading_is_read_all_the_same(tmp_path: Path) -> None:
    """R69: a rotation at that moment loses nothing."""
    log = put(tmp_path / "app.log", HERE)

    def rotate() -> None:
        log.rename(tmp_path / "app.log.1")
        put(log, THERE)

    answer = steps(tmp_path, rotate)
    assert found(answer) == ["zebra"]
    assert [one.name for one in answer.coverage.inputs] == ["app.log.1"]


def test_a_file_that_vanishes_between_listing_and_reading_is_named(tmp_path: Path) -> None:
    """R69: also one that another took the place of."""
    gone, replaced = put(tmp_path / "gone.log", HERE), put(tmp_path / "replaced.log", HERE)
    put(tmp_path / "there.log", THERE)

    def change() -> None:
        gone.unlink()
        put(tmp_path / "new", THERE).replace(replaced)

    answer = steps(tmp_path, change)
    assert found(answer)[:1] == ["okapi"]  # a new file may be told by the number of the one that is gone
    assert [(one.name, one.reason) for one in answer.coverage.unread] == [
        ("gone.log", UnreadReason.VANISHED),
        ("replaced.log", UnreadReason.VANISHED),
    ]
    assert not answer.coverage.complete


def test_a_file_that_is_copied_and_cut_between_listing_and_reading_is_named(tmp_path: Path) -> None:
    """R69: as logrotate's copytruncate does; what it held stands in a file that was not listed."""
    log = put(tmp_path / "app.log", HERE + THERE)

    def copy_and_cut() -> None:
        put(tmp_path / "app.log.1", log.read_bytes())
        put(log, THERE)

    answer = steps(tmp_path, copy_and_cut)
    assert found(answer) == ["okapi"]
    assert [(one.name, one.reason) for one in answer.coverage.unread] == [("app.log", UnreadReason.VANISHED)]


def test_a_file_that_is_cut_while_it_is_read_keeps_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R69: the rest of it is named as unread."""
    log = put(tmp_path / "app.log", HERE + "2031-05-14T08:31:00Z INFO order-service fine\n" * 40_000 + THERE)
    reading = FileBytes.read
    sizes: list[int] = []

    def cut_then_read(self: FileBytes, size: int) -> bytes:
        data = reading(self, size)
        if not sizes:
            os.truncate(log, 1_000)
        sizes.append(size)
        return data

    monkeypatch.setattr(FileBytes, "read", cut_then_read)
    answer = steps(tmp_path, lambda: None)
    assert found(answer) == ["zebra"]
    assert [(one.name, one.reason) for one in answer.coverage.unread] == [("app.log", UnreadReason.VANISHED)]


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Path]:
    """A folder in which a program writes, rotates and packs all the time, for as long as the test runs."""
    put(tmp_path / "old.log", HERE)
    is_over = threading.Event()

    def write() -> None:
        number = 0
        while not is_over.is_set():
            number += 1
            with (tmp_path / "app.log").open("a") as log:
                log.write("2031-05-14T08:50:00Z INFO order-service fine\n" * 500)
            if number % 20 == 0:
                (tmp_path / "app.log").replace(tmp_path / "app.log.1")
            if number % 30 == 0:
                (tmp_path / "app.log.1").unlink(missing_ok=True)
            if number % 50 == 0:
                os.truncate(tmp_path / "app.log", 0) if (tmp_path / "app.log").exists() else None

    writer = threading.Thread(target=write)
    writer.start()
    yield tmp_path
    is_over.set()
    writer.join()


def test_a_folder_in_which_everything_moves_is_searched_to_an_end(writing: Path) -> None:
    """R69, R72: what stands still is found each time, and nothing that was not read is silent."""
    for _ in range(8):
        messages, coverage = searched(writing, query="zebra")
        assert len(messages) == 1
        unread = [one for one in coverage.unread if one.could_match]
        assert coverage.complete is not bool(unread or coverage.doubts)


def test_a_file_is_known_again_by_what_it_is_and_shown_by_its_name(tmp_path: Path) -> None:
    """Names may be any bytes, and hold what parts a token."""
    name = os.fsdecode(b"a:b:\xff.log")
    put(tmp_path / name, HERE)
    (token,) = walk(LogFolder(str(tmp_path), "UTC", zone_known=True)).tokens
    assert name_of_token(token) == "a:b:\ufffd.log"
