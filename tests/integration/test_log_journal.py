"""Files of the systemd journal are read as what they are: logs (R69)."""

from __future__ import annotations

import io
import json
import lzma
import random
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from backports import zstd

from domain.evidence.coverage import UnreadReason
from infra.log_reading.inputs import find_inputs
from infra.log_reading.journal import JournalText

REAL = Path(__file__).parents[1] / "long" / "practical" / "data" / "system.journal.xz"
"""Written by systemd 252: short places, hashes with a key, fields in zstd."""
XZ, LZ4, ZSTD = 1, 2, 4
TIME = 1_936_512_000_000_000


def read(data: bytes) -> tuple[list[dict[str, Any]], UnreadReason | None]:
    """The entries of a journal, and why it ended early."""
    stream = JournalText(io.BytesIO(data), len(data))
    parts = []
    while part := stream.read(1_000):
        parts.append(part)
    return [json.loads(line) for line in b"".join(parts).splitlines()], stream.fault


def item(kind: int, flags: int, content: bytes) -> bytes:
    size = 16 + len(content)
    return struct.pack("<BB6xQ", kind, flags, size) + content + bytes(-size % 8)


def journal(*entries: Sequence[bytes | tuple[int, bytes]], needed: int = 0) -> bytes:
    """A journal of these entries: each a row of fields, `NAME=text` or, packed, flags and bytes."""
    body = b""
    for number, fields in enumerate(entries):
        places = []
        for field in fields:
            flags, content = field if isinstance(field, tuple) else (0, field)
            places.append(256 + len(body))
            body += item(1, flags, bytes(48) + content)
        last = 256 + len(body)
        items = b"".join(struct.pack("<Q8x", place) for place in places)
        body += item(3, 0, struct.pack("<QQ32x", number, TIME + number) + items)
    return struct.pack("<8s4xI72xQ40xQ", b"LPKSHHRH", needed, 256, last).ljust(256, b"\0") + body


def test_a_journal_gives_every_entry_with_its_fields() -> None:
    """R69: as `journalctl -o json` gives them."""
    entries, fault = read(lzma.decompress(REAL.read_bytes()))
    assert (len(entries), fault) == (718, None)
    assert [entry for entry in entries if entry["SYSLOG_IDENTIFIER"] == "podman-shop"] == [
        {
            "__REALTIME_TIMESTAMP": "1936511700000000",
            "MESSAGE": "error: short-name shop:9 did not resolve to an alias",
            "PRIORITY": "3",
            "SYSLOG_IDENTIFIER": "podman-shop",
            "_HOSTNAME": "web1",
            "_PID": "771",
            "_SYSTEMD_UNIT": "podman-shop.service",
            "_TRANSPORT": "syslog",
        }
    ]


def test_a_message_of_several_lines_and_a_packed_one_are_whole() -> None:
    """R18: nothing of an entry's text is lost."""
    entries, _ = read(lzma.decompress(REAL.read_bytes()))
    (trace,) = (entry["MESSAGE"] for entry in entries if entry["SYSLOG_IDENTIFIER"] == "report-job")
    (packed,) = (entry["MESSAGE"] for entry in entries if entry["SYSLOG_IDENTIFIER"] == "order-import")
    assert trace.splitlines()[-1] == "ValueError: no report for 2031-05-13"
    assert packed == "imported " + " ".join(f"order={number}" for number in range(600))


@pytest.mark.parametrize("packing", ["plain", "xz"])
def test_a_journal_in_a_folder_is_an_input(tmp_path: Path, packing: str) -> None:
    """R69: in its place or packed, of whatever name."""
    content = journal([b"MESSAGE=hello"])
    (tmp_path / "system@1.journal~").write_bytes(content if packing == "plain" else lzma.compress(content))
    listing = find_inputs(tmp_path)
    (only,) = listing.inputs
    assert [line for line, _ in only.lines()] == [f'{{"__REALTIME_TIMESTAMP": "{TIME}", "MESSAGE": "hello"}}']
    assert listing.unread == ()


def test_fields_that_stand_twice_and_bytes_that_are_no_text_are_kept() -> None:
    entries, fault = read(journal([b"MESSAGE=a", b"CODE=1", b"CODE=2", b"CODE=3", b"RAW=\xff"]))
    assert fault is None
    assert (entries[0]["CODE"], entries[0]["RAW"]) == (["1", "2", "3"], "\\xff")


@pytest.mark.parametrize(
    ("flags", "packed"), [(XZ, lzma.compress(b"MESSAGE=long")), (ZSTD, zstd.compress(b"MESSAGE=long"))]
)
def test_packed_fields_are_unpacked(flags: int, packed: bytes) -> None:
    assert read(journal([(flags, packed)]))[0][0]["MESSAGE"] == "long"


def test_what_is_packed_in_a_way_that_is_not_read_is_a_fault_and_costs_no_other_field() -> None:
    """R69: such an entry could match."""
    entries, fault = read(journal([(LZ4, b"?"), b"_PID=7"], [b"MESSAGE=next"]))
    assert [(entry["MESSAGE"], entry.get("_PID")) for entry in entries] == [("", "7"), ("next", None)]
    assert fault is UnreadReason.COMPRESSION


def test_a_journal_of_a_newer_kind_is_unread() -> None:
    """R69: a mark that says a reader must know more."""
    assert read(journal([b"MESSAGE=a"], needed=1 << 9)) == ([], UnreadReason.ERROR)


def test_of_a_journal_that_is_cut_the_entries_before_the_cut_are_read() -> None:
    whole = journal([b"MESSAGE=a"], [b"MESSAGE=b"])
    entries, fault = read(whole[:-60])
    assert ([entry["MESSAGE"] for entry in entries], fault) == (["a"], UnreadReason.ERROR)


def test_an_entry_of_more_than_the_limit_is_cut_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """R72: one field may be named by an entry a thousand times."""
    monkeypatch.setattr("infra.log_reading.journal.MOST_OF_AN_ENTRY", 100)
    entries, fault = read(journal([b"A=" + b"x" * 60, b"B=" + b"y" * 60]))
    assert (list(entries[0]), fault) == (["__REALTIME_TIMESTAMP", "A"], UnreadReason.LIMIT)


def test_no_damage_is_too_odd() -> None:
    """R72: whatever byte is another, reading ends."""
    whole, rng = journal([b"MESSAGE=a", b"_PID=1"], [b"MESSAGE=b"]), random.Random(5)
    for _ in range(2_000):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] = rng.randrange(256)
        entries, _ = read(bytes(damaged))
        assert len(entries) <= 2
