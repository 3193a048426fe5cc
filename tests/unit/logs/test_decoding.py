"""Lines of a stream of bytes: their ends, their encoding, and what is not whole (R68, R69)."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator

import pytest

from domain.evidence.coverage import UnreadReason
from infra.log_reading.decoding import Lines, encoding_of, legacy_encoding


class Bytes(io.BytesIO):
    fault: UnreadReason | None = None


def lines_of(data: bytes, encoding: str = "") -> list[tuple[str, bool]]:
    return list(Lines(Bytes(data), encoding))


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"one", ["one"]),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"10 %\r20 %\r30 %\ndone\n", ["10 %", "20 %", "30 %", "done"]),
        (b"one\r", ["one"]),
        (b"one\n\n\ntwo", ["one", "", "", "two"]),
        ("a\u2028b\x0bc\x85d\x1ee\n".encode(), ["a\u2028b\x0bc\x85d\x1ee"]),
        (b"one\n\xef\xbb\xbftwo\n", ["one", "two"]),
        (b"one" + bytes(100) + b"two\n", ["one", "two"]),
    ],
)
def test_lines_end_where_lines_end(data: bytes, lines: list[str]) -> None:
    """Newlines, both kinds together, lone carriage returns, holes of zeros; nothing else ends a line."""
    assert lines_of(data) == [(line, True) for line in lines]


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_ends_at_the_border_of_two_blocks_count_once(size: int, end: bytes) -> None:
    """Blocks of 65,536 bytes: an end may lie across two of them."""
    line = b"x" * 50
    before = (line + b"\n") * (size // 51)
    filler = b"y" * (size - len(before) - len(end) + 1)
    found = lines_of(before + filler + end + b"last" + end)
    assert found == [("x" * 50, True)] * (size // 51) + [("y" * len(filler), True), ("last", True)]


def test_a_line_of_65536_characters_is_whole_and_a_longer_one_is_cut() -> None:
    """The rest of a longer line is skipped and the line marked as cut (R69)."""
    exact, longer = "x" * 65_536, "订" * 65_537
    found = lines_of(f"{exact}\n{longer}\nnext\n".encode())
    assert found == [(exact, True), ("订" * 65_536, False), ("next", True)]


def _huge() -> Iterator[bytes]:
    yield b"first\n"
    for _ in range(400):
        yield b"x" * 262_144
    yield b"\nlast\n"


def test_a_line_of_100_mb_costs_no_memory() -> None:
    """It is cut, and the rest never held."""

    class Stream:
        fault = None
        parts = _huge()

        def read(self, _: int) -> bytes:
            return next(self.parts, b"")

    tracemalloc.start()
    found = list(Lines(Stream()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [("first", True), ("x" * 65_536, False), ("last", True)]
    assert peak < 4 * 1024**2


def test_a_stream_that_breaks_off_leaves_its_last_line_unwhole() -> None:
    broken = Bytes(b"one\ntw")
    broken.fault = UnreadReason.COMPRESSION
    lines = Lines(broken)
    assert list(lines) == [("one", True), ("tw", False)]
    assert lines.fault is UnreadReason.COMPRESSION


CHINESE = [
    "数据库连接失败",
    "连接超时",
    "内存溢出",
    "用户 张三 登录失败：密码错误 (code=500)",
    "联通 接口异常，重试 3 次",
]
WESTERN = [
    "Größe überschritten",
    "connexion refusée à la base",
    "ungültige Prüfsumme",
    "naïve résumé",
    "señal inválida",
]


@pytest.mark.parametrize("text", CHINESE)
def test_gbk_is_recognised_from_one_line(text: str) -> None:
    lines = Lines(Bytes(f"2031-05-01 10:00:00 INFO listening on 8080\n2031-05-01 ERROR {text}\n".encode("gb18030")))
    assert list(lines)[1:] == [(f"2031-05-01 ERROR {text}", True)]
    assert (lines.encoding, lines.encoding_guessed) == ("gb18030", True)


@pytest.mark.parametrize("text", WESTERN)
def test_western_text_is_recognised_from_one_line(text: str) -> None:
    lines = Lines(Bytes(f"2031-05-01 10:00:00 INFO listening on 8080\n2031-05-01 ERROR {text}\n".encode("cp1252")))
    assert list(lines)[1:] == [(f"2031-05-01 ERROR {text}", True)]
    assert (lines.encoding, lines.encoding_guessed) == ("cp1252", True)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Ошибка соединения", "cp1251"),
        ("資料庫連線失敗", "big5"),
        ("接続に失敗しました", "shift_jis"),
        ("niño", "cp1252"),
    ],
)
def test_where_the_guess_is_open_to_doubt_no_line_of_it_is_whole(text: str, encoding: str) -> None:
    """A wrong guess would hide a word: such a line is a doubt, not an absence (R68)."""
    found = lines_of(f"INFO listening\nERROR {text}\n".encode(encoding))
    assert found[0] == ("INFO listening", True)
    assert [is_whole for _, is_whole in found[1:]] == [False] * (len(found) - 1)


def test_a_file_of_two_encodings_is_read_line_by_line_and_the_other_lines_are_not_whole() -> None:
    """Mixed bytes (R69): UTF-8 stays whole, what is not UTF-8 is shown as well as it can be."""
    found = lines_of("一 连接成功\n".encode() + "二 连接失败\n".encode("gb18030") + b"three\n" + "四 断开\n".encode())
    assert found == [("一 连接成功", True), ("二 连接失败", False), ("three", True), ("四 断开", True)]


def test_a_line_with_zeros_is_not_whole_and_one_of_a_wide_encoding_is_read_without_them() -> None:
    """R68, R69: zeros between the signs hide a word, and exclude nothing."""
    found = lines_of(b"one\n" + "ERROR boom\n".encode("utf-16-le") + b"\nER\0ROR\ntwo\n")
    assert found == [("one", True), ("ERROR boom", False), ("", False), ("ER\0ROR", False), ("two", True)]


def test_a_broken_sign_makes_its_line_unwhole_and_no_other() -> None:
    text = "队列阻塞"
    found = lines_of(f"{text}\n".encode() * 3 + text.encode()[:-1] + b"\n" + f"{text}\n".encode())
    assert [is_whole for _, is_whole in found] == [True, True, True, False, True]


def test_the_encoding_is_judged_where_it_first_shows() -> None:
    """A long file may be ASCII for megabytes before its first Chinese word."""
    lines = Lines(Bytes(b"INFO ok\n" * 100_000 + "ERROR 数据库连接失败\n".encode("gb18030")))
    *_, last = lines
    assert last == ("ERROR 数据库连接失败", True)
    assert lines.encoding == "gb18030"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-32"])
def test_wide_encodings_are_read(encoding: str) -> None:
    assert lines_of("ERROR 队列阻塞\r\nnext 😀\n".encode(encoding), encoding) == [
        ("ERROR 队列阻塞", True),
        ("next 😀", True),
    ]


def test_half_a_sign_of_utf16_makes_its_line_unwhole() -> None:
    data = "one\n".encode("utf-16-le") + b"\x3d\xd8" + "two\nthree\n".encode("utf-16-le")
    assert [is_whole for _, is_whole in lines_of(data, "utf-16-le")] == [True, False, True]


def test_the_beginning_of_a_text_shows_its_encoding() -> None:
    assert encoding_of(b"plain\n", "") == ("utf-8", False)
    assert encoding_of("队列".encode() * 2_000, "") == ("utf-8", False)
    assert encoding_of("队列阻塞\n".encode("gb18030"), "") == ("gb18030", True)
    assert encoding_of(b"\xff\xfe", "utf-16") == ("utf-16", False)


def test_a_guess_from_nothing_is_unsure() -> None:
    assert legacy_encoding([b"\xff"])[1] is False
