"""What is understood of a folder of logs, as a table: `python tests/long/public_logs.py FOLDER [--now T] [--show N]`.

Public collections (such as loghub) are read by it; they are no part of this repository. `--show` prints entries that
have no stamp or no level, to be judged by eye.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from domain.evidence.search import Entry
from infra.log_reading.formats import Context, read_entries


@dataclass
class Row:
    """What one file gave."""

    name: str
    lines: int = 0
    entries: int = 0
    dated: int = 0
    with_level: int = 0
    without_levels: int = 0
    first: datetime | None = None
    last: datetime | None = None
    format_name: str = ""
    odd: list[Entry] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        self.entries += 1
        level = entry.header.level
        if entry.stamp is not None:
            self.dated += 1
            self.first = min(self.first or entry.stamp.at, entry.stamp.at)
            self.last = max(self.last or entry.stamp.at, entry.stamp.at)
        self.with_level += level is not None
        self.without_levels += level is None and entry.has_levels is False
        if entry.stamp is None or (level is None and entry.has_levels is not False):
            self.odd.append(entry)

    def __str__(self) -> str:
        span = f"{self.first:%Y-%m-%d %H:%M} – {self.last:%Y-%m-%d %H:%M}" if self.first and self.last else "–"
        return (
            f"{self.name:40} {self.lines:8} {self.entries:8} {_share(self.dated, self.entries):>7} "
            f"{_share(self.with_level, self.entries):>7} {_share(self.without_levels, self.entries):>7}  "
            f"{self.format_name:24} {span}"
        )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else "–"


def read_file(path: Path, folder: Path, now: datetime) -> Row:
    row = Row(str(path.relative_to(folder)))

    def lines() -> Iterator[tuple[str, bool]]:
        with path.open(encoding="utf-8", errors="replace") as stream:
            for row.lines, line in enumerate(stream, 1):
                yield line.rstrip("\r\n")[:65_536], True

    reader = read_entries(lines(), Context(now, UTC, False, now, path.name, lines))
    for entry in reader:
        row.add(entry)
    row.format_name = reader.format_name
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--now", type=datetime.fromisoformat, default=datetime.now(UTC))
    parser.add_argument("--show", type=int, default=0)
    asked = parser.parse_args()
    print(f"{'file':40} {'lines':>8} {'entries':>8} {'dated %':>7} {'level %':>7} {'none %':>7}  {'format':24} span")
    for path in sorted(asked.folder.rglob("*")):
        if path.is_file():
            row = read_file(path, asked.folder, asked.now)
            print(row)
            for entry in row.odd[: asked.show]:
                print(f"    {entry.line}: {entry.text[:160]!r}")


if __name__ == "__main__":
    main()
