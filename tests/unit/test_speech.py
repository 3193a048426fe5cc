"""How times, numbers and lists stand in answers (R83)."""

from __future__ import annotations

import pytest

from domain.answer.speech import Speech

SHANGHAI, ENGLISH = Speech("zh", "Asia/Shanghai"), Speech("en", "Asia/Shanghai")


@pytest.mark.parametrize(
    ("window", "said"),
    [
        ("2031-05-01T10:00:00Z/2031-05-01T11:00:00Z", ("2031-05-01 18:00:00", "19:00:00 +08:00")),
        ("2031-05-01T15:30:00Z/2031-05-01T16:30:00Z", ("2031-05-01 23:30:00", "2031-05-02 00:30:00 +08:00")),
        ("../2031-05-01T11:00:00Z", ("最早的记录", "2031-05-01 19:00:00 +08:00")),
        ("2031-03-04T06:00Z/07:00Z", ("2031-03-04T06:00Z", "07:00Z")),
        ("", ("", "")),
    ],
)
def test_a_window_stands_in_the_zone_of_the_question_with_its_offset_once(window: str, said: tuple[str, str]) -> None:
    """R83; what cannot be read stays as it was recorded."""
    assert SHANGHAI.ends(window) == said


def test_where_the_offset_changes_both_ends_have_theirs() -> None:
    """R83."""
    berlin = Speech("en", "Europe/Berlin")
    assert berlin.ends("2031-03-29T12:00:00Z/2031-03-30T12:00:00Z") == (
        "2031-03-29 13:00:00 +01:00",
        "2031-03-30 14:00:00 +02:00",
    )


def test_a_window_that_cannot_be_read_is_shown_as_recorded() -> None:
    """R83."""
    assert ENGLISH.window("2031-03-04T06:00Z/07:00Z") == "2031-03-04T06:00Z/07:00Z"
    assert ENGLISH.window("2031-05-01T10:00:00Z/2031-05-01T11:00:00Z") == "2031-05-01 18:00:00–19:00:00 +08:00"
    assert ENGLISH.window("2031-05-01T10:00:00Z/2031-05-01T10:00:00Z") == "2031-05-01 18:00:00 +08:00"
    assert ENGLISH.window("../2031-05-01T11:00:00.250Z") == "the first entry–2031-05-01 19:00:00.250 +08:00"
    assert ENGLISH.time("yesterday") == "yesterday"
    assert ENGLISH.time("2031-05-01T11:00:00") == "2031-05-01T11:00:00"


def test_a_session_of_the_release_before_keeps_its_times_as_they_were_recorded() -> None:
    """R59, R89: decided again, it has the answer that it had."""
    before = Speech.of_version("004", "zh", "Asia/Shanghai")
    window = "2031-05-01T10:00:00Z/2031-05-01T11:00:00Z"
    assert (before.window(window), before.ends(window)) == (window, tuple(window.split("/")))
    assert before.time("2031-05-01T10:00:00Z") == "2031-05-01T10:00:00Z"
    assert Speech.of_version("2026-12", "zh", "Asia/Shanghai") == SHANGHAI


def test_numbers_stand_as_the_language_writes_them() -> None:
    """R83."""
    said = {"start": "a", "end": "b", "inputs": 1, "entries": 12345}
    assert ENGLISH.text("searched", **said) == "Searched: a to b, 12,345 entries in 1 input."
    assert SHANGHAI.text("searched", **said) == "检索范围：a–b，1 个输入、12345 条记录。"
    assert ENGLISH.joined("and", ["x", "y"]) == "x, y"
    assert SHANGHAI.joined("and", ["x", "y"]) == "x、y"
