"""Markdown documents as blocks: one for each section, long sections in parts; a block of code stays whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias

from domain.language.sections import ADDRESS_FIELDS, DOCUMENT_FIELDS, fields_of, is_heading
from infra.tools.headers import front_matter, texts_of

BLOCK_CHARACTERS = 1_500
"""A longer section is split between paragraphs, so that one block is quoted and shown whole."""
_TITLE_CHARACTERS = 120  # of one heading
_MOST_LEVELS = 8  # of headings that stand in a title
_PLAIN_LEVEL = 7  # of a heading without a mark: below all others

_HEADING = re.compile(r"[ ]{0,3}(#{1,6})(?:[ \t]+(?P<title>\S.*)|(?P<joined>(?<=##)[\u3400-\u9fff].*))")
_UNDERLINE = re.compile(r"[ ]{0,3}(?:(={2,})|-{3,})[ \t]*\Z")
_BOLD = re.compile(r"[ ]{0,3}(\*\*|__)(?P<title>[^*_\n]{1,80})\1[：:]?\s*\Z")
_MARKED = re.compile(r"\s*(?:[-*+>|]|\d{1,3}[.)])\s")
_TELLING_END = re.compile(r"[：:]\s*\Z|\A\s*[一二三四五六七八九十]{1,3}、")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_HTML_LINK_TARGET = re.compile(r"\s*\{#[^}\n]{1,80}\}\s*\Z")

Path: TypeAlias = tuple[tuple[int, str], ...]
"""Headings with their levels, the outermost first."""


@dataclass(frozen=True, slots=True)
class Block:
    """One section, or a part of a long one. `source` is `folder/file.md#n`, n counting from 1 in its file.

    `terms`: what the author declared this document to be about; `names`: what else it is called; `addresses`: where it
    stands for those who link to it.
    """

    title: str
    source: str
    content: str
    terms: tuple[str, ...]
    names: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()

    @property
    def document(self) -> str:
        return self.source.rpartition("#")[0]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document in blocks; `header_read`: False where it has a header that was not understood."""

    blocks: tuple[Block, ...]
    header_read: bool


def parsed(document: str, text: str) -> Parsed:
    """The blocks of a document, which is called so."""
    header, body, header_read = front_matter(text)
    named = {field.casefold(): texts_of(value) for field, value in header.items()}
    stem = PurePosixPath(document).stem
    names = [stem, *(name for field in fields_of(DOCUMENT_FIELDS) for name in named.get(field, ()))]
    addresses = [address for field in fields_of(ADDRESS_FIELDS) for address in named.get(field, ())]
    title = next(iter(named.get("title", ())), stem)
    sections = list(_sections(body))
    tops = {path[0] for path, _ in sections if path and path[0][0] == 1}
    above = () if len(tops) == 1 else (title[:_TITLE_CHARACTERS],)
    blocks: list[Block] = []
    for path, content in sections:
        headings = (*above, *(one for _, one in path if one not in above))
        for part in _parts(content):
            blocks.append(
                Block(
                    " / ".join(headings) or title,
                    f"{document}#{len(blocks) + 1}",
                    part,
                    tuple(named.get("terms", ())),
                    tuple(dict.fromkeys(names)),
                    tuple(dict.fromkeys(addresses)),
                )
            )
    return Parsed(tuple(blocks), header_read)


def _sections(text: str) -> Iterator[tuple[Path, str]]:
    """Headings with their levels, and body, of each section that has one. Headings inside code fences are text."""
    path: Path = ()
    body: list[str] = []
    fence: str | None = None
    for line in text.splitlines():
        if not line:
            body.append(line)
            continue
        was_code, fence = fence is not None, _fence_after(line, fence)
        heading = None if was_code or fence else _heading(line, body)
        if heading is None:
            body.append(line)
            continue
        level, title, taken = heading
        yield from _section(path, body[: len(body) - taken])
        above = [(depth, one) for depth, one in path if depth < level][-_MOST_LEVELS + 1 :]
        path = (*above, (level, title[:_TITLE_CHARACTERS]))
        body = []
    yield from _section(path, body)


def _heading(line: str, body: list[str]) -> tuple[int, str, int] | None:
    """Level and title of a line that is a heading, or underlines the line before, which is then taken from the body."""
    if marked := _HEADING.match(line):
        title = (marked["title"] or marked["joined"]).rstrip("# \t")
        return len(marked[1]), _HTML_LINK_TARGET.sub("", title), 0
    before = body[-1] if body else ""
    if (line_below := _UNDERLINE.match(line)) and before.strip() and not _MARKED.match(before):
        if len(body) < 2 or not body[-2].strip():
            return (1 if line_below[1] else 2), before.strip(), 1
        return None
    if bold := _BOLD.match(line):
        return _PLAIN_LEVEL, bold["title"].strip(" ：:"), 0
    is_apart = not before.strip() or _TELLING_END.search(line)
    if len(line) <= 40 and is_apart and not _MARKED.match(line) and is_heading(line):
        return _PLAIN_LEVEL, line.strip().strip("：: "), 0
    return None


def _section(path: Path, body: list[str]) -> Iterator[tuple[Path, str]]:
    content = "\n".join(body).strip("\n").rstrip()
    if content.strip():
        yield path, content


def _fence_after(line: str, fence: str | None) -> str | None:
    """The fence that is open behind a line."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if fence is None:
        return match[1]
    return None if match[1].startswith(fence) else fence


def _parts(content: str) -> Iterator[str]:
    """Paragraphs gathered up to the size of a block; a longer one is cut between lines, a longer line at that size."""
    part = ""
    for piece, joint in _pieces(content):
        if part and len(part) + len(joint) + len(piece) > BLOCK_CHARACTERS:
            yield part
            part = ""
        part = f"{part}{joint}{piece}" if part else piece
    if part:
        yield part


def _pieces(content: str) -> Iterator[tuple[str, str]]:
    """What is not taken apart, no longer than a block, and what stands between it and the piece before."""
    for paragraph in _paragraphs(content):
        joint = "\n\n"
        for line in [paragraph] if len(paragraph) <= BLOCK_CHARACTERS else paragraph.split("\n"):
            for start in range(0, len(line) or 1, BLOCK_CHARACTERS):
                yield line[start : start + BLOCK_CHARACTERS], joint
                joint = ""
            joint = "\n"


def _paragraphs(content: str) -> Iterator[str]:
    """Paragraphs; blank lines within a block of code divide nothing."""
    held: list[str] = []
    fence: str | None = None
    for paragraph in _PARAGRAPH.split(content):
        for line in paragraph.split("\n"):
            fence = _fence_after(line, fence)
        held.append(paragraph)
        if fence is None:
            yield "\n\n".join(held)
            held = []
    if held:
        yield "\n\n".join(held)
