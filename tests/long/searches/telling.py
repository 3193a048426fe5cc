"""The entries of a case: what is planted, what only looks like it, and what is always in a log."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from tests.long.searches.case import LEVELS, Entry
from tests.long.searches.cells import Cell
from tests.long.searches.expectation import FAILURES
from tests.long.searches.levels import is_understood
from tests.long.searches.questions import Thing
from tests.long.searches.stamps import FORMS

NOISE = (
    "request handled path=/orders/{n} took 12 ms",
    "cache refreshed entries={n}",
    "heartbeat ok seq={n}",
    "session opened for user u-{n}",
    "0 errors in the last run, items={n}",
    "batch done errors=0 items={n}",
    "listening on 0.0.0.0:8080",
    "no error in {n} rows",
    "worker {n} idle",
)
CONFIGURED = ("config loaded log_level=error queue={n}", "handler for FATAL events registered n={n}")
"""Lines that hold the word of a level without being of it; only where what gives the level is understood."""
ACCENTED = ("café commandé n={n}", "größe geprüft n={n}", "señal recibida n={n}", "température relevée n={n}")
CHINESE = ("处理完成 订单号 {n}", "缓存已刷新 条目 {n}", "会话已建立 用户 {n}", "批次执行完毕 共 {n} 条记录")
TRACES = (
    ("java.lang.IllegalStateException: cart is closed", "\tat com.example.Cart.close(Cart.java:17)", "\t... 3 more"),
    (
        "Traceback (most recent call last):",
        '  File "/srv/app/cart.py", line 12, in close',
        "ValueError: cart is closed",
    ),
)
MINUTE = timedelta(minutes=1)


class Teller:
    """Draws the entries of one case. `start`, `end`: the period; for "ever" the last twenty days."""

    def __init__(
        self,
        rng: Random,
        cell: Cell,
        thing: Thing | None,
        service: str,
        others: list[str],
        start: datetime,
        end: datetime,
    ) -> None:
        self.rng, self.cell, self.thing, self.service, self.others = rng, cell, thing, service, others
        self.start, self.end = start, end

    def between(self, start: datetime, end: datetime) -> datetime:
        seconds = max((end - start).total_seconds(), 2.0)
        return start + timedelta(milliseconds=int(self.rng.uniform(0.02, 0.98) * seconds * 1000))

    def noise(self, at: datetime) -> Entry:
        """A line that matches nothing: of a lower level, or without the words."""
        layout, stamp = self.cell.layout, FORMS[self.cell.stamp]
        gives_level = layout.levels and is_understood(self.cell.spelling) and not layout.unseen and stamp.is_listed
        bank: tuple[str, ...] = (*NOISE, *CONFIGURED) if gives_level else NOISE
        bank = {"latin-1": (*ACCENTED, *NOISE[:3]), "gbk": (*CHINESE, *CHINESE, *NOISE[:2])}.get(
            self.cell.encoding, bank
        )
        message = self.rng.choice(bank).format(n=self.rng.randrange(20, 400))
        level = self.rng.choice(LEVELS[: LEVELS.index(self.cell.level)] if self.cell.level else LEVELS[:4])
        return Entry(
            at=at,
            level=level,
            service=self.service,
            message=message,
            role="noise",
            holds=self.thing is None,
            client=f"198.51.100.{self.rng.randrange(2, 250)}",
            status=self.rng.choice((200, 200, 201, 304)),
            size=self.rng.randrange(600, 4000) * 7 + 1,
            path=f"/items/{self.rng.randrange(20, 400)}",
        )

    def matching(self, at: datetime, role: str, marker: str = "") -> Entry:
        """A line that is what was asked for; with its marker, the planted one."""
        entry = self.noise(at)
        level = (
            self.rng.choice(LEVELS[LEVELS.index(self.cell.level) : self.cell.layout.worst + 1])
            if self.cell.level
            else entry.level
        )
        ref = f" ref={marker}" if marker else ""
        message = self.rng.choice(self.thing.written) if self.thing else "cart could not be saved"
        if self.thing is None and not self.cell.layout.levels:
            message = f"{self.rng.choice(FAILURES[:4])} for cart"
        entry = replace(entry, level=level, message=message + ref, role=role, holds=True)
        return self._as_request(entry, marker) if self.cell.layout.access else self._in_trace(entry, role)

    def _as_request(self, entry: Entry, marker: str) -> Entry:
        if marker:
            entry = replace(entry, path=f"/items/{marker}")
        if self.thing and self.thing.statuses:
            return replace(entry, status=self.rng.choice(self.thing.statuses))
        return replace(entry, client="203.0.113.9")

    def _in_trace(self, entry: Entry, role: str) -> Entry:
        if role != "planted" or self.cell.position != "within a trace":
            return entry
        words, _, ref = entry.message.rpartition(" ref=")
        trace = TRACES[0]
        return replace(entry, message="cart was not saved", trace=(*trace, f"Caused by: {words} ref={ref}", *trace[1:]))

    def near(self, at: datetime) -> Entry:
        """A line that only looks like what was asked for."""
        entry = self.noise(at)
        if self.cell.layout.access:
            size = 503 if self.thing and 500 in self.thing.statuses else entry.size
            return replace(entry, client="203.0.113.90", size=size, role="near")
        if self.thing and self.thing.near:
            return replace(entry, message=self.rng.choice(self.thing.near), role="near")
        return replace(entry, role="near")

    def outside(self) -> list[Entry]:
        """Lines that match but for their time: near the period or days away from it."""
        away = self.rng.choice((timedelta(minutes=7), timedelta(hours=5), timedelta(days=2), timedelta(days=9)))
        found = [self.matching(self.start - away, "another time")]
        if self.rng.random() < 0.3:
            found.append(self.matching(self.start - timedelta(days=30), "another time"))
        return found

    def body(self, now: datetime) -> list[Entry]:
        """Everything of the file but the planted line."""
        times = [self.between(self.start, self.end) for _ in range(self.rng.randrange(4, 9))]
        times += [self.start - MINUTE * self.rng.randrange(2, 160) for _ in range(self.rng.randrange(2, 5))]
        entries = [self.noise(at) for at in times]
        entries += [self.near(self.between(self.start, self.end)) for _ in range(self.rng.randrange(0, 3))]
        if self.cell.period != "ever":
            entries += self.outside()
            if now - self.end > 20 * MINUTE:
                entries.append(self.matching(self.end + 9 * MINUTE, "another time"))
        if self.cell.asks_service and self.cell.place in ("field", "program", "prefix"):
            at = self.between(self.start, self.end)
            entries.append(replace(self.matching(at, "another service"), service=self.rng.choice(self.others)))
        return entries

    def with_trace(self, at: datetime) -> Entry:
        """A line whose trace stands right before the planted one, and matches nothing."""
        return replace(self.noise(at), trace=self.rng.choice(TRACES), role="trace")
