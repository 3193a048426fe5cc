"""Inputs of real folders of logs: what is read, and what is named because it was not (R69)."""

from __future__ import annotations

import bz2
import gc
import gzip
import io
import lzma
import os
import pickle
import socket
import sqlite3
import struct
import subprocess
import sys
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from domain.evidence.coverage import UnreadReason
from infra.log_reading import byte_streams, files, inputs
from infra.log_reading.byte_streams import zstd
from infra.log_reading.exclusions import Exclusions
from infra.log_reading.files import find_files
from infra.log_reading.inputs import Input, InputListing, find_inputs, inputs_of

LINE = "2031-05-01T10:00:00Z ERROR queue stuck"
TEXT = f"{LINE}\n".encode()
MAY_1 = datetime(2031, 5, 1, tzinfo=UTC)


def read(listing: InputListing) -> dict[str, list[str]]:
    """The lines of each input, by name."""
    return {one.name: [line for line, _ in one.lines()] for one in listing.inputs}


def unread(listing: InputListing) -> dict[str, UnreadReason]:
    return {one.name: one.reason for one in listing.unread}


def tar_of(members: dict[str, bytes], mode: str = "w", mtime: int = 1_935_396_000) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as tar:
        for name, data in members.items():
            header = tarfile.TarInfo(name)
            header.size, header.mtime = len(data), mtime
            tar.addfile(header, io.BytesIO(data))
    return packed.getvalue()


def zip_of(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2031, 5, 1, 10, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


@pytest.mark.parametrize(
    "name",
    [
        "syslog",
        "messages",
        "app.err",
        "app.out",
        "app.log-20310501",
        "app.log.1",
        "x.bin",
        "a.png",
        "订单.日志",
        ".hidden",
    ],
)
def test_a_text_is_an_input_whatever_its_name(tmp_path: Path, name: str) -> None:
    """Inputs are told by content, not by suffix (R69)."""
    (tmp_path / name).write_bytes(TEXT)
    listing = find_inputs(tmp_path)
    assert read(listing) == {name: [LINE]}
    assert listing.unread == ()


def test_an_empty_file_is_an_input_with_nothing_in_it(tmp_path: Path) -> None:
    (tmp_path / "app.log").touch()
    assert read(find_inputs(tmp_path)) == {"app.log": []}


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("app.log.2.gz", gzip.compress(TEXT)),
        ("app.log.2.bz2", bz2.compress(TEXT)),
        ("app.log.2.xz", lzma.compress(TEXT)),
        ("app.log.2.zst", zstd.compress(TEXT)),
        ("packed without a suffix", gzip.compress(TEXT)),
        ("in two parts.gz", gzip.compress(TEXT[:20]) + gzip.compress(TEXT[20:])),
        ("padded.gz", gzip.compress(TEXT) + bytes(512)),
        ("in two parts.xz", lzma.compress(TEXT[:20]) + bytes(4) + lzma.compress(TEXT[20:])),
        ("packed twice.gz", gzip.compress(gzip.compress(TEXT))),
    ],
)
def test_packed_files_are_read(tmp_path: Path, name: str, packed: bytes) -> None:
    """gzip, bzip2, xz and zstd, told by content (R69)."""
    (tmp_path / name).write_bytes(packed)
    listing = find_inputs(tmp_path)
    assert read(listing) == {name: [LINE]}
    assert listing.unread == ()


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("a.tar", tar_of({"old/o.log": TEXT})),
        ("a.tar.gz", tar_of({"old/o.log": TEXT}, "w:gz")),
        ("a.tgz", tar_of({"./old/o.log": TEXT}, "w:gz")),
        ("a.tar.bz2", tar_of({"old/o.log": TEXT}, "w:bz2")),
        ("a.tar.xz", tar_of({"old/o.log": TEXT}, "w:xz")),
        ("a.tar.zst", zstd.compress(tar_of({"old/o.log": TEXT}))),
        ("a.zip", zip_of({"old/o.log": TEXT})),
    ],
)
def test_members_of_archives_are_inputs(tmp_path: Path, name: str, packed: bytes) -> None:
    """tar and zip: each member by the name of the archive and its own (R69)."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / name).write_bytes(packed)
    listing = find_inputs(tmp_path)
    assert read(listing) == {f"shop/{name}/old/o.log": [LINE]}
    (member,) = listing.inputs
    assert (member.folders, member.file_name, member.family) == (("shop", "a", "old"), "o.log", "shop/old/o.log")
    assert listing.unread == ()


def test_an_archive_in_an_archive_is_read_and_one_in_that_is_named(tmp_path: Path) -> None:
    deepest = tar_of({"deep.log": TEXT})
    inner = tar_of({"o.log.gz": gzip.compress(TEXT), "deepest.tar": deepest}, "w:gz")
    (tmp_path / "a.tar.gz").write_bytes(tar_of({"inner.tar.gz": inner, "inner.zip": zip_of({"z.log": TEXT})}, "w:gz"))
    listing = find_inputs(tmp_path)
    assert read(listing) == {
        "a.tar.gz/inner.tar.gz/o.log.gz": [LINE],
        "a.tar.gz/inner.zip/z.log": [LINE],
    }
    assert unread(listing) == {"a.tar.gz/inner.tar.gz/deepest.tar": UnreadReason.COMPRESSION}


def test_the_time_of_a_member_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(tar_of({"o.log": TEXT}))
    (tmp_path / "b.tar").write_bytes(tar_of({"o.log": TEXT}, mtime=0))
    os.utime(tmp_path / "b.tar", (2_000_000_000, 2_000_000_000))
    first, second = find_inputs(tmp_path).inputs
    assert first.last_change == datetime(2031, 5, 1, 10, 0, tzinfo=UTC)
    assert second.last_change == datetime(2033, 5, 18, 3, 33, 20, tzinfo=UTC)


def test_the_time_of_a_zip_member_is_the_latest_it_can_be(tmp_path: Path) -> None:
    """A zip gives a local time without its zone."""
    (tmp_path / "a.zip").write_bytes(zip_of({"o.log": TEXT}))
    os.utime(tmp_path / "a.zip", (2_000_000_000, 2_000_000_000))
    assert find_inputs(tmp_path).inputs[0].last_change == datetime(2031, 5, 1, 22, 0, tzinfo=UTC)


def test_members_that_lead_elsewhere_are_named_and_never_followed(tmp_path: Path) -> None:
    """Links, devices, absolute paths and `..` in an archive (R69); a link to a member that is read needs none."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, kind, target in (
            ("real/o.log", tarfile.REGTYPE, ""),
            ("again.log", tarfile.LNKTYPE, "real/o.log"),
            ("current", tarfile.SYMTYPE, "real"),
            ("passwords", tarfile.SYMTYPE, "/etc/passwd"),
            ("null", tarfile.CHRTYPE, ""),
            ("/etc/cron.log", tarfile.REGTYPE, ""),
            ("../up.log", tarfile.REGTYPE, ""),
        ):
            header = tarfile.TarInfo(name)
            header.type, header.linkname, header.size = kind, target, 5 if kind == tarfile.REGTYPE else 0
            tar.addfile(header, io.BytesIO(b"text\n"))
    (tmp_path / "a.tar").write_bytes(packed.getvalue())
    listing = find_inputs(tmp_path)
    assert read(listing) == {"a.tar/real/o.log": ["text"]}
    assert unread(listing) == dict.fromkeys(
        ["a.tar/passwords", "a.tar/null", "a.tar//etc/cron.log", "a.tar/../up.log"], UnreadReason.LINK
    )


@pytest.mark.parametrize("name", ["app.log.gz", "app.log.bz2", "app.log.xz", "app.log.zst"])
def test_of_a_cut_file_the_beginning_is_read_and_the_rest_is_named(tmp_path: Path, name: str) -> None:
    """What could be read is searched; the rest could match (R69)."""
    lines = [f"2031-05-01T10:00:00Z INFO {os.urandom(40).hex()}" for _ in range(20_000)]
    pack = {"gz": gzip, "bz2": bz2, "xz": lzma, "zst": zstd}[name.rpartition(".")[2]].compress
    packed = pack("".join(f"{line}\n" for line in lines).encode())
    (tmp_path / name).write_bytes(packed[: len(packed) * 9 // 10])
    (one,) = find_inputs(tmp_path).inputs
    reading = one.lines()
    *found, (last, is_whole) = reading
    assert len(found) > 1_000
    assert [line for line, _ in found] == lines[: len(found)]
    assert lines[len(found)].startswith(last)
    assert not is_whole
    assert reading.unread is not None
    assert (reading.unread.name, reading.unread.reason) == (name, UnreadReason.COMPRESSION)


def test_of_a_cut_archive_the_members_before_the_cut_are_read(tmp_path: Path) -> None:
    packed = tar_of({"one.log": TEXT, "two.log": TEXT * 1_000})
    (tmp_path / "a.tar").write_bytes(packed[:20_000])
    listing = find_inputs(tmp_path)
    found = read(listing)
    assert found["a.tar/one.log"] == [LINE]
    assert found["a.tar/two.log"][:400] == [LINE] * 400
    assert unread(listing) == {"a.tar": UnreadReason.COMPRESSION}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda packed: packed[:1024] + b"\xff" * 512 + packed[1536:],
        lambda packed: packed.rstrip(b"\0") + bytes(512 - len(packed.rstrip(b"\0")) % 512),
        lambda packed: packed + packed,
    ],
    ids=["a damaged header", "no end", "a second archive behind the first"],
)
def test_what_the_library_passes_over_in_a_tar_is_named(tmp_path: Path, spoil) -> None:
    (tmp_path / "a.tar").write_bytes(spoil(tar_of({"one.log": TEXT, "two.log": TEXT})))
    listing = find_inputs(tmp_path)
    assert read(listing)["a.tar/one.log"] == [LINE]
    assert unread(listing) == {"a.tar": UnreadReason.COMPRESSION}


@pytest.mark.parametrize("fault", ["its own list is damaged", "another zip behind it", "a member less in its list"])
def test_what_the_library_passes_over_in_a_zip_is_named(tmp_path: Path, fault: str) -> None:
    """The list of another zip is not taken for the whole (R69)."""
    inner = zip_of({"z.log": TEXT})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inner.zip", inner)
    outer, end = packed.getvalue()[:-22], packed.getvalue()[-22:]
    spoilt = {
        "its own list is damaged": outer + b"PK\x05\x07" + end[4:],
        "another zip behind it": outer + end + inner,
        "a member less in its list": outer + end[:10] + b"\2\0" + end[12:],
    }
    (tmp_path / "a.zip").write_bytes(spoilt[fault])
    assert unread(find_inputs(tmp_path)) == {"a.zip": UnreadReason.COMPRESSION}


def test_rubbish_behind_a_packed_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "app.log.gz").write_bytes(gzip.compress(TEXT) + b"appended by hand\n")
    reading = find_inputs(tmp_path).inputs[0].lines()
    assert list(reading) == [(LINE, True)]
    assert reading.unread is not None
    assert reading.unread.reason is UnreadReason.COMPRESSION


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("ERROR 队列阻塞".encode("utf-8-sig"), "ERROR 队列阻塞"),
        ("\ufeffERROR 队列阻塞".encode("utf-16-le"), "ERROR 队列阻塞"),
        ("ERROR 队列阻塞 2031-05-01".encode("utf-16-be"), "ERROR 队列阻塞 2031-05-01"),
    ],
)
def test_marked_encodings_are_read(tmp_path: Path, data: bytes, text: str) -> None:
    (tmp_path / "app.log").write_bytes(data)
    (one,) = find_inputs(tmp_path).inputs
    assert list(one.lines()) == [(text, True)]
    assert not one.encoding_guessed


def test_a_guessed_encoding_is_said(tmp_path: Path) -> None:
    """GBK and Latin-1 are guesses, and say so (R69)."""
    (tmp_path / "a.log").write_bytes("ERROR 数据库连接失败\n".encode("gb18030"))
    (tmp_path / "b.log").write_bytes("ERROR Größe überschritten\n".encode("latin-1"))
    chinese, german = find_inputs(tmp_path).inputs
    assert (chinese.encoding, chinese.encoding_guessed) == ("gb18030", True)
    assert list(chinese.lines()) == [("ERROR 数据库连接失败", True)]
    assert (german.encoding, german.encoding_guessed) == ("cp1252", True)
    assert list(german.lines()) == [("ERROR Größe überschritten", True)]


def elf() -> bytes:
    return Path(sys.executable).resolve().read_bytes()[:20_000]


def database() -> bytes:
    with sqlite3.connect(":memory:") as memory:
        memory.execute("create table logs (line text)")
        memory.execute("insert into logs values ('2031-05-01 ERROR in a database')")
        return memory.serialize()


def login(kind: int = 7, user: bytes = b"anna") -> bytes:
    return struct.pack(
        "<hhi32s4s32s256siiii36x", kind, 0, 4711, b"pts/0", b"ts/0", user, b"198.51.100.7", 0, 0, 1_935_396_000, 17
    )


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(64)
NO_LOGS = {
    "program.log": elf(),
    "picture": PNG,
    "data.log": database(),
    "wtmp": login() * 3 + login(0, b""),
    "lastlog": bytes(292 * 40) + struct.pack("<i32s256s", 1_935_396_000, b"pts/0", b"198.51.100.7"),
    "faillog": bytes(32 * 3) + struct.pack("<hh12sqq", 2, 0, b"tty1", 1_935_396_000, 0),
    "sa01": b"\x96\xd5\x75\x21" + os.urandom(400) + bytes(100),
    "Shop.class": b"\xca\xfe\xba\xbe\0\0\0\x3d" + bytes(100),
    "font": b"\0\x01\0\0\0\x0c" + bytes(100),
    "paper": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + b"1 0 obj\n" + bytes(range(256)) * 8,
    "letter.docx": zip_of({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"}),
    "shop.jar": zip_of({"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\n", "Shop.class": b"\xca\xfe\xba\xbe"}),
}


@pytest.mark.parametrize("name", NO_LOGS)
def test_what_is_no_log_by_its_content_cannot_match(tmp_path: Path, name: str) -> None:
    """Magic and structure: programs, databases, records of logins and samples, pictures, documents (R69)."""
    (tmp_path / name).write_bytes(NO_LOGS[name])
    (one,) = find_inputs(tmp_path).unread
    assert (one.name, one.reason, one.is_no_log) == (name, UnreadReason.BINARY, True)
    assert not files.could_match(one, None)


COULD_BE_LOGS = {
    "system.journal": (b"LPKSHHRH" + bytes(300), UnreadReason.BINARY),
    "System.evtx": (b"ElfFile\0" + bytes(300), UnreadReason.BINARY),
    "unknown.log": (os.urandom(5_000), UnreadReason.BINARY),
    "damaged wtmp": (login() + login()[:100] + b"ERROR written over a record" + bytes(257), UnreadReason.BINARY),
    "a.7z": (b"7z\xbc\xaf\x27\x1c" + bytes(300), UnreadReason.COMPRESSION),
    "cut.zip": (zip_of({"o.log": TEXT})[:60], UnreadReason.COMPRESSION),
    "damaged.gz": (gzip.compress(TEXT)[:10] + b"\xff" * 40, UnreadReason.COMPRESSION),
}


@pytest.mark.parametrize("name", COULD_BE_LOGS)
def test_what_could_be_a_log_and_cannot_be_read_could_match(tmp_path: Path, name: str) -> None:
    """Binary journals, unknown bytes, damaged archives: named, and never counted as empty (R69)."""
    data, reason = COULD_BE_LOGS[name]
    (tmp_path / name).write_bytes(data)
    listing = find_inputs(tmp_path)
    assert listing.inputs == ()
    assert unread(listing) == {name: reason}
    assert files.could_match(listing.unread[0], None)


def test_an_unread_input_could_match_only_if_it_changed_late_enough(tmp_path: Path) -> None:
    """Its last change lies more than five minutes before the window, except for ever (R69)."""
    (tmp_path / "system.journal").write_bytes(b"LPKSHHRH" + bytes(300))
    os.utime(tmp_path / "system.journal", (MAY_1.timestamp(), MAY_1.timestamp()))
    (one,) = find_inputs(tmp_path).unread
    assert files.could_match(one, datetime(2031, 5, 1, 0, 5, tzinfo=UTC))
    assert not files.could_match(one, datetime(2031, 5, 1, 0, 5, 1, tzinfo=UTC))
    assert one.told(None).could_match
    assert not one.told(datetime(2031, 5, 2, tzinfo=UTC)).could_match


def test_links_within_the_folder_are_followed_once_and_loops_end(tmp_path: Path) -> None:
    """By device and inode; a hard link is the same file (R69)."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "0.log").write_bytes(TEXT)
    (tmp_path / "order-service.log").symlink_to("data/0.log")
    (tmp_path / "orders").symlink_to("data")
    (tmp_path / "data" / "loop").symlink_to("..")
    (tmp_path / "self").symlink_to("self")
    os.link(tmp_path / "data" / "0.log", tmp_path / "data" / "1.log")
    listing = find_inputs(tmp_path)
    assert read(listing) == {"data/0.log": [LINE]}
    assert listing.inputs[0].linked_as == ("data/1.log", "order-service.log", "orders/0.log")
    assert [(one.name, files.could_match(one, None)) for one in listing.unread] == [("self", False)]


def test_links_out_of_the_folder_are_named_and_not_followed(tmp_path: Path) -> None:
    """As old as what they lead to; what a folder elsewhere holds is not known (R69)."""
    logs, elsewhere = tmp_path / "logs", tmp_path / "elsewhere"
    logs.mkdir()
    elsewhere.mkdir()
    (elsewhere / "o.log").write_bytes(TEXT)
    os.utime(elsewhere / "o.log", (MAY_1.timestamp(), MAY_1.timestamp()))
    (logs / "file").symlink_to("../elsewhere/o.log")
    (logs / "folder").symlink_to("../elsewhere")
    listing = find_inputs(logs)
    assert listing.inputs == ()
    assert unread(listing) == {"file": UnreadReason.LINK, "folder": UnreadReason.LINK}
    later = datetime(2031, 5, 2, tzinfo=UTC)
    assert [files.could_match(one, later) for one in listing.unread] == [False, True]


def test_a_link_that_leads_nowhere_is_as_old_as_itself_unless_a_volume_is_missing(tmp_path: Path) -> None:
    """An empty folder on the way looks like a volume that is not there."""
    logs, mount = tmp_path / "logs", tmp_path / "mount"
    logs.mkdir()
    mount.mkdir()
    (logs / "gone").symlink_to("../nothing/here.log")
    (logs / "volume").symlink_to("../mount/shop/o.log")
    for name in ("gone", "volume"):
        os.utime(logs / name, (MAY_1.timestamp(), MAY_1.timestamp()), follow_symlinks=False)
    gone, volume = find_inputs(logs).unread
    later = datetime(2031, 5, 2, tzinfo=UTC)
    assert (gone.reason, files.could_match(gone, later), files.could_match(gone, None)) == ("vanished", False, True)
    assert (volume.reason, files.could_match(volume, later)) == ("vanished", True)


def test_pipes_and_sockets_are_named_and_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listing = find_inputs(tmp_path)
    assert unread(listing) == {"pipe": UnreadReason.FORMAT, "socket": UnreadReason.FORMAT}


def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    """Files and folders without permission (R69), seen by an account without rights."""
    tmp_path.chmod(0o755)
    for folder in [*tmp_path.parents][:2]:
        folder.chmod(0o755)
    (tmp_path / "open.log").write_bytes(TEXT)
    (tmp_path / "closed.log").write_bytes(TEXT)
    (tmp_path / "closed.log").chmod(0o600)
    (tmp_path / "private").mkdir(mode=0o700)
    script = (
        "import os, sys; from pathlib import Path; from infra.log_reading.inputs import find_inputs\n"
        "os.getuid() or (os.setgroups([]), os.setgid(65534), os.setuid(65534))\n"
        "listing = find_inputs(Path(sys.argv[1]))\n"
        "print([one.name for one in listing.inputs], [(one.name, one.reason.value) for one in listing.unread])"
    )
    for closed in ("closed.log", "private"):
        if os.getuid():
            (tmp_path / closed).chmod(0)
    done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['open.log'] [('closed.log', 'permission'), ('private/', 'permission')]"


def test_excluded_inputs_are_counted_by_glob_and_not_opened(tmp_path: Path) -> None:
    """`--exclude GLOB` on paths and names; a glob that fits a folder leaves out what is in it (R69)."""
    for name in ("a.log", "b.gz", "old/c.log", "old/deep/d.log", "shop/old.log", "shop/e.tmp"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_bytes(TEXT)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.tar").write_bytes(tar_of({"in.log": TEXT, "in.tmp": TEXT}))
    listing = find_inputs(tmp_path, exclude=["old", "**/*.tmp", "*.gz", "pipe", "nothing*"])
    assert sorted(read(listing)) == ["a.log", "a.tar/in.log", "shop/old.log"]
    assert listing.unread == ()
    assert listing.excluded == {"old": 2, "**/*.tmp": 2, "*.gz": 1, "pipe": 1}


def test_a_link_into_an_excluded_folder_is_read_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "o.log").write_bytes(TEXT)
    (tmp_path / "current.log").symlink_to("archive/o.log")
    assert read(find_inputs(tmp_path, exclude=["archive/**"])) == {"current.log": [LINE]}


def test_of_too_many_files_the_newest_are_read_and_the_rest_is_one_unread_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100,000 files: bounded, and said (R69)."""
    monkeypatch.setattr(files, "MOST_FILES", 3)
    for hour in range(5):
        (tmp_path / f"{hour}.log").write_bytes(TEXT)
        os.utime(tmp_path / f"{hour}.log", (MAY_1.timestamp() - hour * 3_600,) * 2)
    listing = find_inputs(tmp_path)
    assert [one.name for one in listing.inputs] == ["0.log", "1.log", "2.log"]
    assert unread(listing) == {"(2 more files)": UnreadReason.LIMIT}
    assert not files.could_match(listing.unread[0], MAY_1)
    assert files.could_match(listing.unread[0], datetime(2031, 4, 30, 21, tzinfo=UTC))


def test_an_archive_of_too_many_members_is_read_up_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "MOST_INPUTS", 2)
    (tmp_path / "a.tar").write_bytes(tar_of({f"{number}.log": TEXT for number in range(4)}))
    (tmp_path / "b.log").write_bytes(TEXT)
    listing = find_inputs(tmp_path)
    assert [one.name for one in listing.inputs] == ["a.tar/0.log", "a.tar/1.log"]
    assert unread(listing) == {"a.tar": UnreadReason.LIMIT, "(1 more files)": UnreadReason.LIMIT}


def test_a_bomb_is_read_up_to_the_limit_in_bounded_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before counts, the rest is unread for the limit (R69)."""
    monkeypatch.setattr(byte_streams, "FREE_BYTES", 8 * 1024**2)
    packed = bz2.compress(TEXT * 3 + b"\n" * 64 * 1024**2)
    assert len(packed) < 10_000
    (tmp_path / "bomb.log").write_bytes(packed)
    reading = find_inputs(tmp_path).inputs[0].lines()
    assert [next(reading) for _ in range(3)] == [(LINE, True)] * 3
    count = sum(1 for _ in reading)
    assert 8 * 1024**2 - 1_000 < count < 9 * 1024**2
    assert reading.unread is not None
    assert reading.unread.reason is UnreadReason.LIMIT


def test_a_header_that_asks_for_much_memory_is_damage(tmp_path: Path) -> None:
    header = tarfile.TarInfo("long")
    header.type, header.size = tarfile.XHDTYPE, 8 * 1024**3
    (tmp_path / "a.tar").write_bytes(tar_of({"one.log": TEXT}).rstrip(b"\0").ljust(1024, b"\0") + header.tobuf())
    listing = find_inputs(tmp_path)
    assert read(listing) == {"a.tar/one.log": [LINE]}
    assert unread(listing) == {"a.tar": UnreadReason.COMPRESSION}


def test_a_file_that_grows_is_read_to_the_size_it_had(tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    log.write_bytes(TEXT * 20_000)
    reading = find_inputs(tmp_path).inputs[0].lines()
    next(reading)
    with log.open("ab") as appending:
        appending.write(b"later\n")
    assert [line for line, _ in reading] == [LINE] * 19_999
    assert reading.unread is None


def test_a_file_that_is_cut_while_it_is_read_is_named(tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    log.write_bytes(TEXT * 20_000)
    reading = find_inputs(tmp_path).inputs[0].lines()
    next(reading)
    os.truncate(log, 0)
    assert all(line == LINE for line, _ in reading if line != LINE[: len(line)])
    assert reading.unread is not None
    assert reading.unread.reason is UnreadReason.VANISHED


def test_a_file_that_vanished_or_was_rotated_is_named(tmp_path: Path) -> None:
    """What was listed may have moved to a name that was not (R69)."""
    (tmp_path / "gone.log").write_bytes(TEXT)
    (tmp_path / "rotated.log").write_bytes(TEXT)
    gone, rotated = find_inputs(tmp_path).inputs
    (tmp_path / "gone.log").unlink()
    (tmp_path / "rotated.log").rename(tmp_path / "rotated.log.1")
    (tmp_path / "rotated.log").write_bytes(b"new\n")
    for one, lines in ((gone, []), (rotated, [("new", True)])):
        reading = one.lines()
        assert list(reading) == lines
        assert reading.unread is not None
        assert reading.unread.reason is UnreadReason.VANISHED


def test_the_hole_of_a_file_cut_by_its_rotation_is_no_text(tmp_path: Path) -> None:
    """A program that goes on writing at its old place leaves zeros before it."""
    with (tmp_path / "app.log").open("wb") as log:
        log.seek(30 * 1024**2)
        log.write(TEXT)
    assert read(find_inputs(tmp_path)) == {"app.log": [LINE]}


def test_inputs_can_be_read_in_any_order_and_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "a.tar.gz").write_bytes(tar_of({f"{number}.log": b"%d\n" % number for number in range(4)}, "w:gz"))
    found = pickle.loads(pickle.dumps(find_inputs(tmp_path).inputs))
    assert [list(found[place].lines()) for place in (2, 0, 3, 3, 1)] == [
        [(text, True)] for text in ("2", "0", "3", "3", "1")
    ]


def test_an_archive_is_passed_through_once_if_each_input_is_read_as_it_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.tar.gz").write_bytes(tar_of({f"{number}.log": b"%d\n" % number for number in range(4)}, "w:gz"))
    opened = []
    monkeypatch.setattr(
        "infra.log_reading.file_reader.FileBytes", lambda path: opened.append(path) or byte_streams.FileBytes(path)
    )
    exclusions = Exclusions([])
    (file,) = find_files(tmp_path, exclusions).files
    found = [list(one.lines()) for one in inputs_of(file, exclusions) if isinstance(one, Input)]
    assert found == [[("0", True)], [("1", True)], [("2", True)], [("3", True)]]
    assert len(opened) == 1


def test_no_file_stays_open(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.log").write_bytes(TEXT)
        (tmp_path / f"{number}.tgz").write_bytes(tar_of({"a.log": TEXT, "b.log": TEXT}, "w:gz"))
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    listing = find_inputs(tmp_path)
    assert len(read(listing)) == 60
    for one in listing.inputs:
        given_up = one.lines()
        assert next(given_up) == (LINE, True)
        given_up.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_names_that_are_no_utf8_are_written_out(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.log")).write_bytes(TEXT)
    assert read(find_inputs(tmp_path)) == {"\\xff.log": [LINE]}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_bytes(TEXT)
    with pytest.raises(NotADirectoryError):
        find_inputs(tmp_path / "app.log")


def test_a_zip_of_many_bombs_is_read_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The members count together (R69)."""
    monkeypatch.setattr("infra.log_reading.zip_archive.FREE_BYTES", 3 * 1024**2)
    monkeypatch.setattr("infra.log_reading.zip_archive.MOST_UNPACKED", 100)
    (tmp_path / "a.zip").write_bytes(zip_of({f"{number}.log": bytes(1024**2) for number in range(5)}))
    listing = find_inputs(tmp_path)
    assert [one.name for one in listing.inputs] == ["a.zip/0.log", "a.zip/1.log", "a.zip/2.log"]
    assert unread(listing) == dict.fromkeys(["a.zip/3.log", "a.zip/4.log"], UnreadReason.LIMIT)


def test_a_link_that_was_written_out_as_text_is_a_link(tmp_path: Path) -> None:
    """R69: as a checkout leaves it where a file system has no links; a path of nothing is a line of text."""
    (tmp_path / "real").mkdir()
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "pod").write_text("../real")
    (logs / "other").write_text("../nowhere")
    found = find_inputs(logs)

    assert [(one.name, one.reason) for one in found.unread] == [("pod", UnreadReason.LINK)]
    assert [one.name for one in found.inputs] == ["other"]
