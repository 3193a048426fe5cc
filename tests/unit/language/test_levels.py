"""Levels: each spelling means one level, and what is no spelling means none."""

from __future__ import annotations

import pytest

from domain.language.levels import (
    LEVEL_WORDS,
    Level,
    Scale,
    continues_entry,
    level_of,
    level_of_letter,
    level_of_number,
    level_of_redis_mark,
    name_of,
    said_as,
    says_no_level,
    spellings_of,
)


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (Level.TRACE, "TRACE trace trce TRC finest trivia silly trace8 跟踪"),
        (Level.DEBUG, "DEBUG debug dbug DBG DEBU verbose VRB FINE FINER DEBUG1 debug5 D1 D5 调试"),
        (Level.INFO, "INFO info Information informational INF CONFIG LOG System AUDIT NOTIFICATION 信息"),
        (Level.NOTICE, "notice NOTICE Note SUCCESS 注意"),
        (Level.WARN, "WARN warn WARNING warning wrn DEPRECATION 警告 告警"),
        (Level.ERROR, "ERROR error err ERR ERRO SEVERE severe fail INCIDENT_ERROR 错误"),
        (Level.CRITICAL, "CRITICAL critical crit CRIT dpanic 严重"),
        (Level.FATAL, "FATAL fatal ftl FATA panic PANIC pani emerg EMERGENCY alert ALERT FAILURE 致命 致命错误 紧急"),
    ],
)
def test_every_spelling_of_a_level_is_understood(level: Level, words: str) -> None:
    """R68: a level is recognised in the spelling of any common logger, in any case."""
    assert {word: level_of(word) for word in words.split()} == dict.fromkeys(words.split(), level)


@pytest.mark.parametrize("written", ["[ERROR]", "<Error>", "ERROR:", "  error ", "(error)"])
def test_brackets_and_blanks_around_a_level_do_not_count(written: str) -> None:
    """R68: formats set their levels off."""
    assert level_of(written) is Level.ERROR


@pytest.mark.parametrize(
    "word",
    ["", "hello", "terror", "errors", "warned", "informed", "5", "order-service", "E", "DETAIL", "HINT", "default"],
)
def test_a_word_that_is_no_spelling_of_a_level_is_none(word: str) -> None:
    """R68: only a level that was understood may exclude; nothing is guessed."""
    assert level_of(word) is None


def test_the_letters_of_klog_and_android() -> None:
    """R68: D, I, W, E, F, and none for other letters."""
    assert [level_of_letter(letter) for letter in "TVDINWECFx"] == [
        Level.TRACE,
        Level.DEBUG,
        Level.DEBUG,
        Level.INFO,
        Level.NOTICE,
        Level.WARN,
        Level.ERROR,
        Level.CRITICAL,
        Level.FATAL,
        None,
    ]


def test_the_marks_of_redis() -> None:
    """R68: Redis writes one mark for a level."""
    assert [level_of_redis_mark(mark) for mark in (".", "-", "*", "#", "+")] == [
        Level.DEBUG,
        Level.INFO,
        Level.NOTICE,
        Level.WARN,
        None,
    ]


@pytest.mark.parametrize(
    ("scale", "numbers"),
    [
        (
            Scale.SYSLOG,
            {0: "FATAL", 1: "FATAL", 2: "CRITICAL", 3: "ERROR", 4: "WARN", 5: "NOTICE", 6: "INFO", 7: "DEBUG"},
        ),
        (Scale.GELF, {3: "ERROR", 6: "INFO"}),
        (Scale.PINO, {10: "TRACE", 20: "DEBUG", 30: "INFO", 35: "NOTICE", 40: "WARN", 50: "ERROR", 60: "FATAL"}),
        (Scale.PYTHON, {10: "DEBUG", 20: "INFO", 25: "NOTICE", 30: "WARN", 40: "ERROR", 50: "CRITICAL"}),
        (Scale.OTEL, {1: "TRACE", 5: "DEBUG", 9: "INFO", 13: "WARN", 17: "ERROR", 20: "CRITICAL", 21: "FATAL"}),
        (Scale.JUL, {300: "TRACE", 500: "DEBUG", 700: "INFO", 800: "INFO", 900: "WARN", 1000: "ERROR"}),
        (Scale.LOGBACK, {5000: "TRACE", 10_000: "DEBUG", 20_000: "INFO", 30_000: "WARN", 40_000: "ERROR"}),
        (Scale.LOG4J2, {100: "FATAL", 200: "ERROR", 300: "WARN", 400: "INFO"}),
        (Scale.GCP, {100: "DEBUG", 200: "INFO", 400: "WARN", 500: "ERROR", 600: "CRITICAL", 800: "FATAL"}),
        (Scale.MONOLOG, {200: "INFO", 250: "NOTICE", 300: "WARN", 400: "ERROR", 550: "FATAL"}),
        (Scale.SLOG, {-4: "DEBUG", 0: "INFO", 4: "WARN", 8: "ERROR"}),
        (Scale.SERILOG, {0: "TRACE", 2: "INFO", 4: "ERROR", 5: "FATAL"}),
        (Scale.DOTNET, {1: "DEBUG", 4: "ERROR", 5: "CRITICAL"}),
        (Scale.ZEROLOG, {-1: "TRACE", 1: "INFO", 3: "ERROR", 5: "FATAL"}),
        (Scale.WINDOWS, {1: "CRITICAL", 2: "ERROR", 3: "WARN", 4: "INFO", 5: "DEBUG"}),
    ],
    ids=lambda value: value.name if isinstance(value, Scale) else "",
)
def test_a_number_means_a_level_of_its_own_scale(scale: Scale, numbers: dict[int, str]) -> None:
    """R68: 50 is an error to pino and critical to Python; syslog's numbers fall."""
    levels = {number: level_of_number(number, scale) for number in numbers}
    assert {number: name_of(level) for number, level in levels.items() if level is not None} == numbers


def test_every_scale_has_levels_from_info_to_error() -> None:
    """R68: no scale is forgotten."""
    numbers = range(-8, 50_001)
    for scale in Scale:
        found = {level_of_number(number, scale) for number in numbers}
        assert found >= {Level.INFO, Level.WARN, Level.ERROR}, scale


@pytest.mark.parametrize(
    ("number", "scale"),
    [(8, Scale.SYSLOG), (-1, Scale.SYSLOG), (0, Scale.PYTHON), (0, Scale.OTEL), (25, Scale.OTEL), (0, Scale.GCP),
     (101, Scale.PINO), (150, Scale.LOG4J2), (0, Scale.PINO)],
)  # fmt: skip
def test_a_number_that_a_scale_does_not_have_is_none(number: int, scale: Scale) -> None:
    """R68: NOTSET, UNSPECIFIED and DEFAULT are no levels, nor is what lies outside."""
    assert level_of_number(number, scale) is None


def test_levels_are_ordered_from_the_least_to_the_worst() -> None:
    """R68: a level asked for includes the worse ones."""
    assert [level for level in Level if level >= Level.ERROR] == [Level.ERROR, Level.CRITICAL, Level.FATAL]
    assert max(Level.WARN, Level.NOTICE) is Level.WARN


def test_what_says_that_there_is_no_level_is_told_from_an_unknown_one() -> None:
    """R68: GCP's DEFAULT and Python's NOTSET give none; a word that is not known may give any."""
    assert [says_no_level(word) for word in ("DEFAULT", "NOTSET", "-", "", "Unspecified", "ERROR", "odd")] == [
        *(True, True, True, True, True),
        *(False, False),
    ]


def test_parts_of_a_postgresql_entry_are_no_entries_of_their_own() -> None:
    """R68: a DETAIL belongs to an error as well as to a notice, so it has no level."""
    assert [continues_entry(word) for word in ("DETAIL", "HINT", "STATEMENT", "CONTEXT", "语句", "LOG", "ERROR")] == [
        *(True, True, True, True, True),
        *(False, False),
    ]


def test_the_words_for_expressions_are_levels_wherever_they_stand() -> None:
    """R68: ordinary words (note, system, log, config) are levels only to formats that know their place."""
    assert {"error", "warning", "panic", "错误"} <= set(LEVEL_WORDS)
    assert not {"note", "system", "log", "config", "fine", "fail", "http", "success"} & set(LEVEL_WORDS)
    assert [len(word) for word in LEVEL_WORDS] == sorted((len(word) for word in LEVEL_WORDS), reverse=True)
    assert all(level_of(word) is not None for word in LEVEL_WORDS)


def test_people_speak_of_errors_in_more_words_than_loggers_write() -> None:
    """R20: who denies 报错 denies ERROR."""
    assert {"error", "错误", "异常", "报错"} <= set(said_as("没有 ERROR"))
    assert {"warn", "warning", "警告", "告警"} <= set(said_as("警告"))
    assert {"fatal", "critical", "致命", "严重"} <= set(said_as("critical"))
    assert said_as("OutOfMemoryError of terror") == ()


def test_every_level_has_both_languages_and_no_spelling_means_two() -> None:
    """R68: a column a language, a spelling a level."""
    assert all(chinese and english for chinese, english in map(spellings_of, Level))
    every = [word for level in Level for column in spellings_of(level) for word in column]
    assert len(every) == len(set(every))
    assert all(level_of(word) is level for level in Level for column in spellings_of(level) for word in column)
