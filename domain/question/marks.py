"""Terms that their form gives away: quoted words, addresses, fields, paths, ids (R70)."""

from __future__ import annotations

import re

from domain.language import cues, plain_words
from domain.language.cue import chinese, english, expression
from domain.language.late import Late
from domain.question.asides import TAKEN
from domain.question.question import TermKind
from domain.question.reader import Reader

_B = r"(?<![A-Za-z0-9_])"
_E = r"(?![A-Za-z0-9_])"

_QUOTES = tuple(
    (pair[0], pair[1]) for pair in ('""', "“”", "„“", "‘’", "「」", "『』", "«»", "``", "''", "《》", "〈〉", "【】")
)
_QUOTED = Late(
    lambda: "|".join(
        rf"(?<![A-Za-z0-9]){opening}(?P<q{n}>[^{opening}{closing}\n]{{1,200}}){closing}(?![A-Za-z0-9])"
        if opening in "'\"`"
        else rf"{opening}(?P<q{n}>[^{opening}{closing}\n]{{1,200}}){closing}"
        for n, (opening, closing) in enumerate(_QUOTES)
    )
)

_IPV4 = r"(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?(?::\d{1,5})?"
_IPV6 = (
    r"\[?(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}\]?(?::\d{1,5})?"
    r"|\[?(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?(?:/\d{1,3})?\]?(?::\d{1,5})?"
)
_DOMAIN = (
    r"(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,8}(?:com|net|org|io|cn|local|internal|svc|lan|dev|corp|cloud|example|test"
    r"|invalid|localhost)(?::\d{1,5})?"
)
_HOST_PORT = r"[A-Za-z][A-Za-z0-9.-]{0,62}:\d{2,5}"
_ADDRESSES = (
    re.compile(r"[a-z][a-z0-9+.-]{1,12}://[^\s，。；？！、,;\"'“”‘’<>()（）]{1,300}", re.IGNORECASE),
    re.compile(rf"(?<![\w.])(?<![A-Za-z0-9]:)(?:{_IPV6})(?![\w:])"),
    re.compile(rf"(?<![\w.-])(?<![A-Za-z0-9]:){_IPV4}(?![\w.-]*\d)"),
    re.compile(r"(?<![\w.+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}"),
    re.compile(rf"(?<![\w./@-]){_DOMAIN}(?![\w.-]*[A-Za-z0-9])"),
    re.compile(rf"(?<![\w./-])(?<![A-Za-z0-9]:){_HOST_PORT}(?![\w:.-])"),
    re.compile(r"(?<![0-9A-Fa-f:])(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:])"),
)

_FIELD = re.compile(
    rf"{_B}(?P<key>[A-Za-z_][\w.]{{0,40}})\s?={{1,2}}\s?[\"'“]?(?P<value>[\w./:%-]{{1,80}})[\"'”]?", re.ASCII
)
_FIELD_KINDS = {
    **dict.fromkeys(
        ("service", "service_name", "app", "application", "job", "namespace", "container"), TermKind.SERVICE
    ),
    **dict.fromkeys(("alertname", "alert", "alert_name"), TermKind.ALERT),
    **dict.fromkeys(("level", "severity", "lvl"), TermKind.LEVEL),
    **dict.fromkeys(("status", "code", "status_code", "error_code", "errno", "exit_code"), TermKind.CODE),
    **dict.fromkeys(
        (
            "trace_id",
            "traceid",
            "trace",
            "span_id",
            "request_id",
            "requestid",
            "order_id",
            "orderid",
            "user_id",
            "pod",
            "id",
        ),
        TermKind.ID,
    ),
    **dict.fromkeys(("instance", "host", "addr", "address", "remote_addr", "client", "ip", "rhost"), TermKind.ADDRESS),
}

_SELECTOR = re.compile(rf"{_B}(?P<name>[a-zA-Z_:][\w:]{{0,120}})\{{[^{{}}\n]{{0,300}}\}}(?:\[\w{{1,10}}\])?", re.ASCII)

_UUID = re.compile(rf"{_B}[0-9a-fA-F]{{8}}(?:-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}}{_E}")
_NAMED_ID = Late(
    lambda: (
        rf"(?:{expression(cues.ORDERS)})(?:\s?(?:号|编号|id|ID|no\.?|number)){{0,2}}[\s#:：=为是]{{0,3}}"
        rf"(?P<id>(?=[\w-]{{0,60}}\d)[A-Za-z0-9][\w-]{{0,63}})(?![\w-])(?!\s?(?:%|ms\b|次|条|个|秒|分钟|小时|天))"
    ),
    re.IGNORECASE,
)
_JOINED_ID = Late(lambda: rf"(?:{english(cues.ORDERS)})-(?P<id>\d{{2,20}})(?![\w-])", re.IGNORECASE)
_USER = Late(
    lambda: (
        rf"(?:(?<![A-Za-z])(?:{english(cues.PEOPLE)})\s|(?:{chinese(cues.PEOPLE)})\s?)"
        r"(?P<id>[a-z][\w.-]{1,40})(?![\w-])"
        rf"(?=\s(?:{english(cues.BEHIND_PEOPLE)})(?![a-z])"
        rf"|\s?(?:[?？,，。.!！{TAKEN}\u4e00-\u9fff]|$))"
    ),
    re.ASCII,
)
_ACCOUNT = Late(
    lambda: (
        rf"(?<![\w./@-])(?P<id>{'|'.join(sorted(plain_words.ACCOUNTS))})(?![\w./@-])"
        rf"(?!\s?(?:{chinese(cues.BEHIND_NO_PEOPLE)}))(?=\s?(?:[\u4e00-\u9fff?？,，。;；!！{TAKEN}]|$)|\s(?:{english(cues.BEHIND_PEOPLE)})(?![a-z]))"
        rf"|(?<![A-Za-z])(?:{english(cues.SIGNING_IN)})\sas\s(?P<as>[a-z][\w.-]{{0,40}})(?![\w-])"
        rf"|[用以]\s?(?P<with>[a-z][\w.-]{{0,40}})\s?(?:的?(?:身份|{chinese(cues.PEOPLE)}))?\s?(?:{chinese(cues.SIGNING_IN)})"
    ),
    re.ASCII,
)
_PERSON = re.compile(r"(?<![\w./@:-])[a-z]{2,20}\.(?P<last>[a-z]{1,20})(?![\w/@:-]|\.\w)", re.ASCII)
_NUMBERED = re.compile(
    r"(?<![\w./-])(?P<noun>[A-Za-z]{3,20})\s#?(?P<id>\d{2,10})(?![\w.:/%-]|\s?(?:[%:]|[a-zA-Z]{1,12}))", re.ASCII
)
"""Warehouse 41: a number behind a noun is of one of several, where nothing is counted behind it."""
_PACKAGE = Late(
    lambda: (
        rf"(?:(?<![A-Za-z])(?:{english(cues.PACKAGES)})\s|(?:{chinese(cues.PACKAGES)})\s?)"
        r"(?P<name>[a-z0-9][a-z0-9.+-]{1,60}[a-z0-9+])(?![\w-])"
    ),
    re.ASCII,
)
_HEX_ID = re.compile(r"(?<![\w-])(?=[0-9a-f]{0,64}[0-9])(?=[0-9a-f]{0,64}[a-f])[0-9a-f]{12,64}(?![\w-])", re.IGNORECASE)
_POD = re.compile(
    r"(?<![\w-])[a-z][a-z0-9]{0,40}(?:-[a-z0-9]{1,40}){0,6}-(?=[a-z0-9]{0,9}\d)[a-z0-9]{8,10}-[a-z0-9]{5}(?![\w-])"
)

_PATH = re.compile(r"(?<![\w./-])(?<![A-Za-z0-9]:)/[A-Za-z{][\w.{}-]{0,60}(?:/[\w.{}-]{1,60}){0,12}(?![\w/])")


def quotations(text: str) -> list[tuple[int, int]]:
    """Where quoted words stand, without their marks."""
    found = []
    series = [match.span() for match in _SELECTOR.finditer(text)]
    for match in _QUOTED.finditer(text):
        span = match.span(match.lastgroup or 0)
        if text[span[0] : span[1]].strip() and not any(start < span[0] < end for start, end in series):
            found.append(span)
    return found


def take_addresses(reader: Reader) -> None:
    for pattern in _ADDRESSES:
        for found in list(pattern.finditer(reader.rest)):
            end = found.start() + len(found[0].rstrip(".:-"))
            if any(map(str.isalnum, found[0])) and not re.fullmatch(r"\d{1,2}:\d\d(?::\d\d)?", found[0]):
                reader.take(TermKind.ADDRESS, (found.start(), end))


def take_paths(reader: Reader) -> None:
    reader.take_all(TermKind.PHRASE, _PATH)


def take_packages(reader: Reader) -> None:
    for found in list(_PACKAGE.finditer(reader.rest)):
        if found["name"] not in plain_words.NOT_NAMES:
            reader.take(TermKind.ID, found.span("name"))


def take_fields(reader: Reader) -> None:
    """key=value, and the series of a PromQL expression."""
    reader.take_all(TermKind.METRIC, _SELECTOR, "name")
    for found in list(_FIELD.finditer(reader.rest)):
        kind = _FIELD_KINDS.get(found["key"].casefold())
        reader.take(kind or TermKind.PHRASE, found.span("value") if kind else found.span(), found.span())


def take_ids(reader: Reader) -> None:
    for pattern, group in ((_UUID, ""), (_POD, ""), (_NAMED_ID, "id"), (_JOINED_ID, "id"), (_HEX_ID, "")):
        reader.take_all(TermKind.ID, pattern, group)
    for found in list(_USER.finditer(reader.rest)):
        if found["id"] in plain_words.ACCOUNTS or found["id"] not in plain_words.NOT_NAMES:
            reader.take(TermKind.ID, found.span("id"))
    for found in list(_ACCOUNT.finditer(reader.rest)):
        reader.take(TermKind.ID, found.span(found.lastgroup or 0))
    for found in list(_PERSON.finditer(reader.rest)):
        if found["last"] not in plain_words.ENDINGS:
            reader.take(TermKind.ID, found.span())


def take_numbered(reader: Reader) -> None:
    """One of several, by its number."""
    for found in list(_NUMBERED.finditer(reader.rest)):
        if found["noun"].casefold() not in plain_words.NO_ONE_OF_SEVERAL:
            reader.take(TermKind.ID, found.span("id"))
