"""What bytes are, by their content; the cases with real files stand in tests/integration/test_log_inputs.py (R69)."""

from __future__ import annotations

import pytest

from infra.log_reading.content import TEXT, Form, content_of


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"2031-05-01 ERROR stuck\n",
        b"\x1b[31mERROR\x1b[0m stuck\x07\n",
        b"%PDF-1.4 received from client\n" * 10,
        b"GIF89a is not supported\n" + bytes(4_000) + b"INFO ok\n",
        b"MZ is the initial of the operator\n",
        b"BZ2 files are packed\nPK is a primary key\n",
        b"Obj 1\nRar files are refused\n",
        "ERROR 队列阻塞\n".encode("gb18030"),
        "ERROR 队列阻塞\n".encode(),
        bytes(8_192),
        bytes(4_000) + b"2031-05-01 ERROR stuck\n",
        b"2031-05-01 ERROR stuck: got \x00\x01 from peer\n" * 3,
        b"0000644\0 is a mode, not a header\n" * 30,
    ],
)
def test_text_is_text_also_where_it_begins_like_something_else(head: bytes) -> None:
    """A mark that text could begin with proves nothing: what is no log is never searched again (R69)."""
    assert content_of(head, head, len(head)) == TEXT


@pytest.mark.parametrize("size", [384 * 4 + 1, None])
def test_records_of_logins_must_fill_the_file(size: int | None) -> None:
    record = b"\x07\0\0\0" + bytes(380)
    assert content_of(record * 4, b"", 384 * 4).is_no_log
    assert not content_of(record * 4, b"", size).is_no_log


def test_utf16_without_a_mark_shows_by_its_structure() -> None:
    assert content_of("2031-05-01 ERROR 队列阻塞\n".encode("utf-16-le")).encoding == "utf-16-le"
    assert content_of("2031-05-01 ERROR 队列阻塞\n".encode("utf-16-be")).encoding == "utf-16-be"


def test_numbers_of_two_bytes_are_no_utf16() -> None:
    assert content_of(b"".join(number.to_bytes(2, "little") for number in range(0, 400))).form is Form.UNREADABLE
