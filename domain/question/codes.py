"""Codes and levels that a question names: ERR_POOL_42, HTTP 503, 5xx, exit code 137, ERROR (R70)."""

from __future__ import annotations

import re
from functools import cache

from domain.language import cues, plain_words
from domain.language.cue import chinese, english, expression, words_of
from domain.question.question import TermKind
from domain.question.reader import Reader

_B, _E = r"(?<![A-Za-z0-9_-])", r"(?![A-Za-z0-9_-])"
_STATUS = r"[1-5]\d\d"
_OF_FORM = (
    rf"(?<![A-Za-z0-9_])(?P<code>(?:HTTP|http)(?:/\d(?:\.\d)?)?\s?[1-5](?:\d\d|xx|XX)){_E}",
    rf"(?<![A-Za-z0-9_])(?P<code>[1-5][xX]{{2}})(?:s{_E}|{_E})",
    rf"{_B}(?P<code>[A-Z][A-Z0-9]{{0,20}}(?:_[A-Z0-9]{{1,20}}){{1,6}}){_E}",
    rf"{_B}(?P<code>(?=[A-Z0-9-]*\d)[A-Z][A-Z0-9]{{0,20}}(?:-[A-Z0-9]{{1,20}}){{1,5}}){_E}",
    rf"{_B}(?P<code>(?!P\d{{2,3}}(?!\d))[A-Z]{{1,10}}\d{{3,10}}){_E}",
    rf"{_B}(?P<code>E(?:CONN|TIMED|PIPE|NO|HOST|NET|ADDR|ACCES|AGAIN|IO|MFILE|NOENT)[A-Z]{{0,15}}|SIG[A-Z]{{3,8}}){_E}",
    rf"{_B}(?P<code>0x[0-9A-Fa-f]{{4,16}}){_E}",
)
_LEVEL_IN_CAPITALS = re.compile(
    rf"{_B}(?P<level>ERROR|ERR|ERRO|WARN|WARNING|FATAL|CRITICAL|CRIT|SEVERE|EMERG|EMERGENCY|PANIC|DEBUG|TRACE|INFO|NOTICE)s?{_E}"
)


def take_codes(reader: Reader) -> None:
    """Each code; the words behind it that only say what it is are read with it."""
    for pattern in (*_of_form(), *_of_place()):
        for found in list(pattern.finditer(reader.rest)):
            reader.take(TermKind.CODE, found.span("code"))
            if behind := _said_behind().match(reader.rest, found.end("code")):
                reader.drop(behind.span())


_IN_CAPITALS = re.compile(rf"{_B}[A-Z][A-Z0-9]{{3,20}}{_E}")


def take_words_in_capitals(reader: Reader) -> None:
    """What programs write so: MISCONF, DELETE. Not in a question that is written so as a whole."""
    if not re.search(r"[a-z\u4e00-\u9fff]", reader.text):
        return
    for found in list(_IN_CAPITALS.finditer(reader.rest)):
        if found[0].casefold() not in plain_words.NOT_NAMES | words_of(cues.CODES):
            reader.take(TermKind.PHRASE, found.span())


def take_levels(reader: Reader) -> None:
    for pattern in (_LEVEL_IN_CAPITALS, *_called_levels()):
        reader.take_all(TermKind.LEVEL, pattern, "level")


@cache
def _of_form() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, _OF_FORM))


@cache
def _of_place() -> tuple[re.Pattern[str], ...]:
    """Numbers that stand where a code does: 状态码 503, 503 错误, returned 503, 502/504, at the end."""
    called = expression(cues.CODES)
    number = r"0x[0-9A-Fa-f]{1,16}|-?\d{1,10}|[0-9A-Z]{5}|E\d{3,6}"
    behind = rf"s{_E}|['’]s|\s?(?:{expression(cues.OF_STATUS)})|\s?[/、,，]\s?{_STATUS}"
    before = rf"{expression(cues.BEFORE_STATUS)}|[/、,，和与或有是的报]"
    counted = rf"(?![\w.:%-]|\s?(?:{expression(cues.COUNTED)}))"
    return (
        re.compile(rf"(?:{called})\s?[:：=为是]?\s?(?P<code>{number})(?![\w.:-]|\s?(?:%|ms\b|秒|分钟))", re.IGNORECASE),
        re.compile(rf"(?<![\w./-])(?<![A-Za-z0-9]:)(?P<code>{_STATUS})(?={behind})", re.IGNORECASE),
        re.compile(rf"(?:{before})\s?[了过]?\s?(?P<code>{_STATUS}){counted}", re.IGNORECASE),
        re.compile(r"[(（]\s?(?P<code>[45]\d\d)\s?[)）]"),
        re.compile(rf"(?<![\w./-])(?<![A-Za-z0-9]:)(?P<code>{_STATUS})(?=\s?(?:$|[？?。!！]|的))"),
    )


@cache
def _said_behind() -> re.Pattern[str]:
    return re.compile(rf"['’]?s(?![A-Za-z])|\s?的?(?:{chinese(cues.ERRORS)})(?!码)|\s(?:{english(cues.ERRORS)})", re.I)


@cache
def _called_levels() -> tuple[re.Pattern[str], ...]:
    """error logs, WARN 级别, level: error, 错误级别, 错误日志."""
    latin, han = english(cues.LEVELS), chinese(cues.LEVELS)
    noun, nouns = expression(cues.LEVEL_NOUNS), rf"{expression(cues.LOGS)}|{english(cues.ENTRIES)}"
    over = expression(cues.OR_WORSE)
    return (
        re.compile(
            rf"{_B}(?P<level>{latin})[\s-]?(?:(?:{noun})\s?(?:{over}|的)?\s?)?的?\s?(?:{nouns}|{noun})", re.IGNORECASE
        ),
        re.compile(rf"(?:{noun})(?:为|是)?\s?[:：=]?\s?(?P<level>{latin}|{han})", re.IGNORECASE),
        re.compile(rf"(?P<level>{han})(?:{chinese(cues.LEVEL_NOUNS)})(?:{over})?"),
        re.compile(rf"(?<![\u4e00-\u9fff])(?P<level>{han}|{chinese(cues.ERRORS)})的?日志"),
    )
