"""Signed heads in a file of JSON lines, which can be shipped to where nobody who may change the log can reach (R60)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from infra.private_files import naming, private_folder, sync_folder


def of_stream(heads_file: Path, stream: str) -> Path:
    """Beside the file of the events' heads, the one of another stream's: the release before knows one kind a file."""
    return heads_file.with_name(f"{stream.removeprefix('ASSAY_').lower()}-{heads_file.name}")


_TAIL = 16 * 1024  # bytes; a head takes some 700


class HeadsFile:
    """One envelope a line, oldest first. Only one process may append: the head writer."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def envelopes(self) -> Iterator[tuple[int, str]]:
        """Every line and its number, from 1; none of a file that does not exist. A line that is still being written,
        or that a crash cut short, does not count."""
        if not self.path.exists():
            return
        with self.path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, start=1):
                if line.endswith("\n") or _is_whole(line):
                    yield number, line.rstrip("\n")

    def last(self) -> str | None:
        """The newest envelope; a line that a crash cut short does not count."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
                *_, before, last = (b"\n\n" + file.read()).decode(errors="replace").split("\n")
        except FileNotFoundError:
            return None
        return (last if _is_whole(last) else before) or None

    def append(self, envelopes: Sequence[str]) -> None:
        """On the disk when this returns. Raises OSError."""
        created = not self.path.exists()
        if created:
            private_folder(self.path.parent)
        with naming(self.path), self.path.open("a+b") as file:
            self._end_last_line(file.fileno())
            file.write("".join(envelope + "\n" for envelope in envelopes).encode())
            file.flush()
            os.fsync(file.fileno())
        if created:
            sync_folder(self.path.parent)

    def _end_last_line(self, descriptor: int) -> None:
        """A whole one gets its newline. A torn one, which an earlier writer died over, was signed and is in the
        database: it is dropped here and appended again."""
        size = os.fstat(descriptor).st_size
        tail = os.pread(descriptor, _TAIL, max(0, size - _TAIL))
        last = tail[tail.rfind(b"\n") + 1 :]
        if _is_whole(last.decode(errors="replace")):
            os.write(descriptor, b"\n")
        elif last:
            os.ftruncate(descriptor, size - len(last))


def _is_whole(line: str) -> bool:
    """Of a last line without its newline, as an editor or a copy may leave it."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
