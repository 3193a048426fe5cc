"""R73: untrusted text on a terminal: visible marks, and JSON that parses to the exact text."""

from __future__ import annotations

import io
import json
import logging
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.cli.log_lines import OneLine
from handlers.cli.plain import HIDDEN, Harmless, harmless, lines, plain, raw, shown_harmlessly

HOSTILE = {
    "colour": "\x1b[31mred\x1b[0m",
    "screen cleared": "\x1b[2J\x1b[H",
    "link of OSC 8": "\x1b]8;;http://evil\x1b\\here\x1b]8;;\x1b\\",
    "clipboard of OSC 52": "\x1b]52;c;cm0gLXJm\x07",
    "C1 control": "\x9b31m\x85",
    "carriage return": "PASS\rREJECT",
    "backspace": "REJECT\b\b\b\b\b\bPASS",
    "delete": "\x7f",
    "null": "a\x00b",
    "turned round": "\u202eSSAP\u202c",
    "isolates": "\u2066a\u2069\u200f\u061c",
    "zero width": "PA\u200bSS\u2060\ufeff\u00ad\u200d",
    "tags": "\U000e0041\U000e0042\U000e007f",
    "variations": "a\U000e0100\ufe00\ufe0f\ufe0f",
    "fillers": "\u3164\u115f\uffa0",
    "separators": "a\u2028b\u2029c",
    "half a pair": "\ud800",
}
KEPT = "订单 é 🙂 ⚠\ufe0f　全角\xa0空格\t制表\n下一行 [x](http://a) \\x1b \\u001b e\u0301"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_such_a_character_becomes_a_visible_mark(text: str) -> None:
    shown = harmless(text)
    assert not HIDDEN.search(shown)
    assert "\\u" in shown
    assert shown == harmless(shown)


def test_every_control_and_format_character_is_one_of_them() -> None:
    """Whatever Unicode calls a control, a format character, a separator of lines or half a pair."""
    kinds = {"Cc", "Cf", "Zl", "Zp", "Cs"}
    passed = [char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(char) in kinds]
    left = [hex(ord(char)) for char in passed if not HIDDEN.match(char) and char not in "\n\t"]
    # format characters that are seen: signs around digits in scripts of their own
    assert all(
        0x13430 <= int(code, 16) <= 0x1345F or int(code, 16) in (0x890, 0x891, 0x110BD, 0x110CD) for code in left
    )


def test_everything_that_people_write_stays() -> None:
    assert harmless(KEPT) == KEPT


def test_one_line_stays_one_line() -> None:
    assert plain("a\nverdict   PASS\tb") == "a\\nverdict   PASS\\tb"
    assert lines("a\nb\rc") == ["a", "b\\u000dc"]


@given(st.text(st.characters()) | st.text('\x1b\u202e\U000e0041\\"a\n\ud800'))
def test_json_parses_to_the_exact_text(text: str) -> None:
    written = harmless(json.dumps({"text": text, text: 1}, ensure_ascii=False))
    assert not HIDDEN.search(written)
    assert json.loads(written) == {"text": text, text: 1}


def test_both_streams_are_harmless_within_the_block_and_as_before_behind_it(capsys: pytest.CaptureFixture[str]) -> None:
    out = sys.stdout
    with shown_harmlessly():
        print("\x1b[2J")
        print("\u202e", file=sys.stderr)
        print("\r50 %", file=raw(sys.stderr))
        assert sys.stdout.isatty() is False
    assert sys.stdout is out
    assert capsys.readouterr() == ("\\u001b[2J\n", "\\u202e\n\r50 %\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk", "cp1252"])
def test_a_terminal_that_is_not_utf_8_loses_nothing(encoding: str) -> None:
    """What it cannot show is a mark, and JSON still parses."""
    below = io.BytesIO()
    stream = Harmless(io.TextIOWrapper(below, encoding))
    text = json.dumps({"answer": "订单 é 🙂 \x1b"}, ensure_ascii=False)
    stream.write(text)
    stream.flush()
    assert json.loads(below.getvalue().decode(encoding)) == {"answer": "订单 é 🙂 \x1b"}


def test_a_line_of_the_log_is_one_line_without_secrets() -> None:
    """R22, R73."""
    record = logging.LogRecord("x", logging.ERROR, "", 0, "failed\n%s", ("\x1b[2J password=hunter2",), None)
    assert OneLine("%(message)s").format(record) == "failed\\n\\u001b[2J password=[masked:password]"
