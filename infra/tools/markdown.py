"""Markdown documents as blocks: one for each section, long sections in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from infra.tools.contract import encodable

BLOCK_CHARACTERS = 2_000
"""A longer section is split between paragraphs, so that one block stays quotable."""

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """One section, or a part of a long one. `source` is `folder/file.md#n`, n counting from 1 in its file."""

    title: str
    source: str
    content: str
    terms: tuple[str, ...]  # what the author declared this document to be about

    @property
    def document(self) -> str:
        return self.source.rpartition("#")[0]


def read_blocks(folder: Path, prefix: str = "") -> Iterator[Block]:
    """Blocks of all Markdown files below a folder, in order of path; `prefix` stands before their names.

    Raises OSError.
    """
    for path in markdown_files(folder):
        document = prefix + encodable(path.relative_to(folder).as_posix())
        yield from _blocks(document, path.read_text("utf-8-sig", errors="replace"))


def markdown_files(folder: Path) -> list[Path]:
    """The Markdown files below a folder, sorted. Raises OSError if it is no folder."""
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    return sorted(p for p in folder.rglob("*") if p.suffix.lower() in {".md", ".markdown"} and p.is_file())


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The YAML header of a document ({} where there is none or it is broken) and the text behind it."""
    match = _FRONT_MATTER.match(text)
    if not match:
        return {}, text
    try:
        header = yaml.safe_load(match[1])
    except yaml.YAMLError:
        header = None
    return (header if isinstance(header, dict) else {}), text[match.end() :]


def _blocks(document: str, text: str) -> Iterator[Block]:
    header, body = front_matter(text)
    declared = header.get("terms")
    terms = tuple(str(term) for term in declared) if isinstance(declared, list) else ()
    number = 0
    for title, content in _sections(body):
        for part in _parts(content):
            number += 1
            yield Block(title or Path(document).stem, f"{document}#{number}", part, terms)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """(heading path, body) of each section that has a body. Headings inside code fences are text."""
    path: list[tuple[int, str]] = []
    body: list[str] = []
    fence: str | None = None
    for line in text.splitlines():
        fence = _fence_after(line, fence)
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            body.append(line)
            continue
        yield from _section(path, body)
        level = len(heading[1])
        path = [(depth, title) for depth, title in path if depth < level]
        path.append((level, heading[2].rstrip("# \t")))
        body = []
    yield from _section(path, body)


def _section(path: list[tuple[int, str]], body: list[str]) -> Iterator[tuple[str, str]]:
    content = "\n".join(body).strip()
    if content:
        yield " / ".join(title for _, title in path), content


def _fence_after(line: str, fence: str | None) -> str | None:
    """The fence that is open behind a line."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if fence is None:
        return match[1]
    return None if match[1].startswith(fence) else fence


def _parts(content: str) -> Iterator[str]:
    """Paragraphs gathered up to the size of a block; a single longer paragraph is cut at that size."""
    part = ""
    for paragraph in re.split(r"\n[ \t]*\n", content):
        if part and len(part) + len(paragraph) > BLOCK_CHARACTERS:
            yield part
            part = ""
        part = f"{part}\n\n{paragraph}" if part else paragraph
        while len(part) > BLOCK_CHARACTERS:
            yield part[:BLOCK_CHARACTERS]
            part = part[BLOCK_CHARACTERS:]
    if part:
        yield part
