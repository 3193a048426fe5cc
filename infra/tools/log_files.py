"""The log files below a folder and their lines, read as a stream."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from infra.tools.log_formats import FileOrigin

LINE_CHARACTERS = 65_536
"""The rest of a longer line is skipped and the line marked as cut."""

_LOG_SUFFIXES = frozenset({".log", ".jsonl", ".ndjson", ".json", ".txt", ".logfmt", ".out"})
_GENERIC = frozenset(
    {"app", "application", "server", "service", "log", "logs", "all", "current", "console", "output", "out"}
    | {"stdout", "stderr", "error", "access"}
)
_SUFFIXES = re.compile(
    r"(?:\.(?:log|jsonl|ndjson|json|txt|logfmt|out|gz|\d{1,8}|\d{4}-\d{2}-\d{2}(?:[-.]\d{1,2})?))+$", re.I
)
_ROTATION = re.compile(r"[-_.]?\d{4}-?\d{2}-?\d{2}.*|[-_.](?:error|access|info|warn|debug|json|out|stdout|stderr)$")


def log_files(folder: Path) -> list[Path]:
    """The log files below a folder, rotated and compressed ones included, sorted. Raises OSError if it is no folder."""
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    return sorted(p for p in folder.rglob("*") if _LOG_SUFFIXES & {s.lower() for s in p.suffixes} and p.is_file())


def origin_of(file: Path, folder: Path) -> FileOrigin:
    """The service that a file's name stands for; for names like `app.log` the folder's, below the folder of logs."""
    stem = _ROTATION.sub("", _SUFFIXES.sub("", file.name))
    if stem and stem.lower() not in _GENERIC:
        return FileOrigin(stem)
    if file.parent != folder:
        return FileOrigin(file.parent.name)
    return FileOrigin(stem or file.name, is_generic=True)


def read_lines(file: Path) -> Iterator[tuple[str, bool]]:
    """Each line without its end, and whether it was cut. What is not UTF-8 is replaced. Raises OSError, EOFError."""
    with _opened(file) as stream:
        while line := stream.readline(LINE_CHARACTERS):
            is_cut = len(line) == LINE_CHARACTERS and not line.endswith("\n")
            rest = line
            while is_cut and len(rest) == LINE_CHARACTERS and not rest.endswith("\n"):
                rest = stream.readline(LINE_CHARACTERS)
            yield line.rstrip("\r\n"), is_cut


def _opened(file: Path) -> TextIO:
    if file.suffix.lower() == ".gz":
        return gzip.open(file, "rt", encoding="utf-8-sig", errors="replace")
    return file.open(encoding="utf-8-sig", errors="replace")
