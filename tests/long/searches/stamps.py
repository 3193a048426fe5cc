"""How logs write their time: the forms of stamps, and what can be known from each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class Form:
    """`own_zone`: the stamp says its zone, or is a count of seconds. `knows`: date and time ("all"), "day or month"
    where the two may be exchanged, "time" alone, "nothing", or "unlisted" where no format of the list has it."""

    name: str
    write: Callable[[datetime], str]
    own_zone: bool = False
    knows: str = "all"

    @property
    def is_listed(self) -> bool:
        return self.knows != "unlisted"


def _strf(pattern: str, *, utc: bool = False) -> Callable[[datetime], str]:
    """`pattern` as strftime knows it, months and days in English; %L, %N: milliseconds, nanoseconds."""

    def write(at: datetime) -> str:
        at = at.astimezone(UTC) if utc else at
        text = pattern.replace("%b", MONTHS[at.month - 1]).replace("%a", DAYS[at.weekday()])
        text = text.replace("%_d", f"{at.day:2d}").replace("%L", f"{at.microsecond // 1000:03d}")
        return at.strftime(text.replace("%N", f"{at.microsecond * 1000 + 7:09d}"))

    return write


def _offset(colon: bool) -> Callable[[datetime], str]:
    def write(at: datetime) -> str:
        text = at.isoformat(timespec="milliseconds")
        return text if colon else text[:-3] + text[-2:]

    return write


def _epoch(factor: int, digits: int = 0) -> Callable[[datetime], str]:
    def write(at: datetime) -> str:
        micros = int(at.timestamp()) * 1_000_000 + at.microsecond
        if digits:
            return f"{micros // 1_000_000}.{at.microsecond:06d}"[: 11 + digits]
        return str(micros * factor // 1_000_000)

    return write


FORMS = {
    form.name: form
    for form in (
        Form("iso Z", _strf("%Y-%m-%dT%H:%M:%SZ", utc=True), own_zone=True),
        Form("iso Z millis", _strf("%Y-%m-%dT%H:%M:%S.%LZ", utc=True), own_zone=True),
        Form("iso Z micros", _strf("%Y-%m-%dT%H:%M:%S.%fZ", utc=True), own_zone=True),
        Form("iso Z nanos", _strf("%Y-%m-%dT%H:%M:%S.%NZ", utc=True), own_zone=True),
        Form("iso Z comma", _strf("%Y-%m-%dT%H:%M:%S,%LZ", utc=True), own_zone=True),
        Form("iso offset", _offset(True), own_zone=True),
        Form("iso offset without colon", _offset(False), own_zone=True),
        Form("blank and offset", _strf("%Y-%m-%d %H:%M:%S %z"), own_zone=True),
        Form("blank and micros with offset", lambda at: at.isoformat(sep=" ", timespec="microseconds"), own_zone=True),
        Form("blank and UTC", _strf("%Y-%m-%d %H:%M:%S.%L UTC", utc=True), own_zone=True),
        Form("iso basic", _strf("%Y%m%dT%H%M%SZ", utc=True), own_zone=True),
        Form("http date", _strf("%a, %d %b %Y %H:%M:%S GMT", utc=True), own_zone=True, knows="unlisted"),
        Form("common log", _strf("%d/%b/%Y:%H:%M:%S %z"), own_zone=True),
        Form("php with zone", _strf("%d-%b-%Y %H:%M:%S UTC", utc=True), own_zone=True),
        Form("epoch", _epoch(1), own_zone=True),
        Form("epoch fraction", _epoch(0, 4), own_zone=True),
        Form("epoch millis", _epoch(1_000), own_zone=True),
        Form("epoch micros", _epoch(1_000_000), own_zone=True),
        Form("epoch nanos", _epoch(1_000_000_000), own_zone=True),
        Form("iso without zone", _strf("%Y-%m-%dT%H:%M:%S.%L")),
        Form("iso comma", _strf("%Y-%m-%dT%H:%M:%S,%L")),
        Form("blank", _strf("%Y-%m-%d %H:%M:%S")),
        Form("blank comma", _strf("%Y-%m-%d %H:%M:%S,%L")),
        Form("blank dot", _strf("%Y-%m-%d %H:%M:%S.%L")),
        Form("slashes", _strf("%Y/%m/%d %H:%M:%S")),
        Form("short year slashes", _strf("%y/%m/%d %H:%M:%S")),
        Form("six digits", _strf("%y%m%d %H%M%S")),
        Form("dots", _strf("%d.%m.%Y %H:%M:%S")),
        Form("common log without zone", _strf("%d/%b/%Y:%H:%M:%S.%L")),
        Form("django", _strf("%d/%b/%Y %H:%M:%S")),
        Form("tomcat", _strf("%d-%b-%Y %H:%M:%S.%L")),
        Form("php", _strf("%d-%b-%Y %H:%M:%S")),
        Form("redis", _strf("%d %b %Y %H:%M:%S.%L")),
        Form("java.util.logging", lambda at: f"{MONTHS[at.month - 1]} {at:%d, %Y} {at.hour % 12 or 12}:{at:%M:%S %p}"),
        Form("twelve hours", lambda at: f"{at:%Y-%m-%d} {at.hour % 12 or 12:02d}:{at:%M:%S %p}"),
        Form("ctime", _strf("%a %b %_d %H:%M:%S %Y"), knows="unlisted"),
        Form("ctime micros", _strf("%a %b %d %H:%M:%S.%f %Y")),
        Form("bsd", _strf("%b %_d %H:%M:%S")),
        Form("klog", _strf("%m%d %H:%M:%S.%f")),
        Form("glog", _strf("%Y%m%d %H:%M:%S.%f")),
        Form("day first slashes", _strf("%d/%m/%Y %H:%M:%S"), knows="day or month"),
        Form("month first slashes", _strf("%m/%d/%Y %H:%M:%S"), knows="day or month"),
        Form("time", _strf("%H:%M:%S.%L"), knows="time"),
        Form("kitchen", lambda at: f"{at.hour % 12 or 12}:{at:%M%p}", knows="time"),
        Form("none", lambda _: "", knows="nothing"),
    )
}

GENERAL = (
    *("iso Z", "iso Z millis", "iso Z micros", "iso Z nanos", "iso Z comma", "iso offset", "iso offset without colon"),
    *(
        "blank and offset",
        "blank and UTC",
        "iso basic",
        "http date",
        "epoch",
        "epoch millis",
        "iso without zone",
        "blank",
    ),
    *(
        "blank comma",
        "blank dot",
        "slashes",
        "dots",
        "twelve hours",
        "ctime",
        "day first slashes",
        "month first slashes",
    ),
)
"""Forms that a plain line may begin with."""

STRUCTURED = (
    "iso Z",
    "iso Z millis",
    "iso Z nanos",
    "iso offset",
    "epoch",
    "epoch millis",
    "epoch fraction",
    "epoch nanos",
)
"""Forms that a field of a record may hold."""
