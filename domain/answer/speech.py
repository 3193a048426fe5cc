"""How the texts of one answer are written: in which language, and with times of which zone (R83)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from domain.answer.texts import joined, text
from domain.evidence.window import EVER
from domain.language.tongues import Language
from domain.question.zones import zone_named

_DASH = "\u2013"


@dataclass(frozen=True, slots=True)
class Speech:
    """`zone`: of the question's words of time, an IANA name or ±HH:MM. `as_recorded`: times stand in UTC as they were
    recorded, as they do in the texts of version 004."""

    language: Language = "zh"
    zone: str = "UTC"
    as_recorded: bool = False

    @classmethod
    def of_version(cls, template_version: str, language: Language, zone: str) -> Speech:
        """As a session's first event has it: decided again, its answer stands in the texts it had (R59)."""
        return cls(language, zone, as_recorded=template_version == "004")

    def text(self, key: str, **values: object) -> str:
        return text(key, self.language, **values)

    def joined(self, kind: str, parts: Iterable[str]) -> str:
        return joined(kind, parts, self.language)

    def time(self, written: str) -> str:
        """`2026-05-01 14:00:00 +08:00` for a recorded time; what is none stands as it is."""
        moment = self._moment(written)
        return f"{_clock(moment)} {_offset(moment)}" if moment else written

    def ends(self, window: str) -> tuple[str, str]:
        """The beginning and the end of a recorded window; the offset stands once, behind the end, unless it changes."""
        start, _, end = window.partition("/")
        if self.as_recorded:
            return start, end
        first, last = self._moment(start), self._moment(end)
        if last is None:
            return start, end
        if first is None:
            return (self.text("time.ever") if start == EVER else start), self.time(end)
        if _offset(first) != _offset(last):
            return self.time(start), self.time(end)
        is_same_day = first.date() == last.date()
        return _clock(first), f"{_clock(last)[11:] if is_same_day else _clock(last)} {_offset(last)}"

    def window(self, window: str) -> str:
        """`2026-05-01 14:00:00–14:30:00 +08:00`, or one time where it is no longer than a moment."""
        if self.as_recorded:
            return window
        if (moment := window.partition("/"))[0] == moment[2]:
            return self.time(moment[0])
        start, end = self.ends(window)
        return window if start and window.startswith(start) else _DASH.join(filter(None, (start, end)))

    def _moment(self, written: str) -> datetime | None:
        if self.as_recorded:
            return None
        try:
            moment = datetime.fromisoformat(written)
        except ValueError:
            return None
        return moment.astimezone(zone_named(self.zone)) if moment.tzinfo else None


CHINESE = Speech()


def _clock(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(" ", "milliseconds" if moment.microsecond else "seconds")


def _offset(moment: datetime) -> str:
    written = moment.isoformat()[-6:]
    return "UTC" if written == "+00:00" else written
