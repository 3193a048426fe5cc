"""Folders of knowledge and skills that would cost a worker its memory or its time: bounded and named (R72)."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from domain.evidence.coverage import Coverage
from infra.reading.limits import Limits
from infra.reading.processes import ReadingProcesses
from infra.tools import documents
from infra.tools.contract import ToolResult
from infra.tools.documents import DOCUMENT_BYTES, FOLDER_BYTES
from infra.tools.headers import front_matter
from infra.tools.knowledge import knowledge_map, knowledge_tool
from infra.tools.markdown import BLOCK_CHARACTERS, parsed
from infra.tools.skills import skill_catalog, skill_tool
from tests.integration.test_tools_knowledge import CONTEXT, at
from tests.integration.test_tools_skills import at as skills_at

GOOD = "# PrinterJam\n\n## Diagnosis\n\nOpen the cover.\n"
SMALL = Limits(memory_bytes=512 * 1024**2, cpu_seconds=30)
BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 10)}]\n" for n in range(12)
)


@pytest.fixture(scope="module")
def processes() -> Iterator[ReadingProcesses]:
    with closing(ReadingProcesses(1, SMALL)) as pool:
        yield pool


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2 * 1024**3)


def paragraph(path: Path) -> None:
    with path.open("wb") as file:
        for _ in range(200):
            file.write(b"word " * (1024**2 // 5))


def deep(path: Path) -> None:
    """Folders within folders, deeper than a path can be long."""
    here = os.open(path.parent, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("deep" * 20, dir_fd=here)
        inner = os.open("deep" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


def closed(path: Path) -> None:
    path.write_text("# secret\n\ntext")
    path.chmod(0)


POISON: dict[str, tuple[Callable[[Path], object], str]] = {
    "sparse": (sparse, "size"),
    "paragraph": (paragraph, "size"),
    "fifo": (lambda path: os.mkfifo(path), "format"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "link"),
    "process": (lambda path: path.symlink_to("/proc/self/status"), "link"),
    "outside": (lambda path: path.symlink_to("/etc/hostname"), "link"),
    "loop": (lambda path: path.symlink_to(path.name), "link"),
    "gone": (lambda path: path.symlink_to("nothing.md"), "vanished"),
    "binary": (lambda path: path.write_bytes(b"\x7fELF\0\0\0" * 1_000), "binary"),
    "other": (lambda path: path.with_suffix(".pdf").write_bytes(b"%PDF-1.7"), "format"),
    "deep": (deep, "error"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "PrinterJam.md").write_text(GOOD)
    return tmp_path / "books"


def look_up(folder: Path, processes: ReadingProcesses, query: str = "PrinterJam 怎么处理") -> ToolResult:
    result = asyncio.run(knowledge_tool(at(folder), processes).run({"query": query}, CONTEXT))
    assert result.success, result.error_message
    return result


def account(result: ToolResult) -> Coverage:
    assert result.retrieval.coverage is not None
    return result.retrieval.coverage


def titles(result: ToolResult) -> list[str]:
    return [block["title"] for block in json.loads(result.output)["evidence_blocks"]]


@pytest.mark.parametrize("kind", POISON)
def test_what_cannot_be_read_is_named_and_costs_no_other_document(
    folder: Path, processes: ReadingProcesses, kind: str
) -> None:
    """R69, R72: within the limits of one reading process."""
    make, reason = POISON[kind]
    make(folder / f"{kind}.md")
    result = look_up(folder, processes)

    assert titles(result) == ["PrinterJam / Diagnosis"]
    assert [one.reason for one in account(result).unread] == [reason]
    assert not account(result).complete
    assert "PrinterJam" in (asyncio.run(knowledge_map(at(folder), "", processes)).text or "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_document_without_permission_is_named(folder: Path, processes: ReadingProcesses) -> None:
    """R69"""
    closed(folder / "closed.md")
    assert [(one.name, one.reason) for one in account(look_up(folder, processes)).unread] == [
        ("closed.md", "permission")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# 标题\n\n" + "长" * 1_500_000,
        "#" * 2_000_000,
        "- a\n" * 400_000,
        "\n" * 2_000_000,
        "```\n" * 400_000,
        "".join(f"{'#' * (n % 6 + 1)} h{n}\n" for n in range(200_000)),
        "| a " * 400_000,
        "`" * 2_000_000,
        "**" * 1_000_000,
        "a-" * 1_000_000,
        "AbC" * 600_000,
        "一、" * 500_000,
        "http://" * 200_000,
        "<!--" * 400_000,
    ],
    ids=lambda text: text[:6],
)
def test_a_text_of_any_shape_is_read_in_bounded_time(folder: Path, processes: ReadingProcesses, text: str) -> None:
    """R72: time is that of the process, which has so many seconds of computing."""
    (folder / "shape.md").write_text(text)
    result = look_up(folder, processes)
    assert titles(result)[:1] == ["PrinterJam / Diagnosis"]
    blocks = parsed("shape.md", f"{text[:100_000]}\nx").blocks
    assert max(len(block.content) for block in blocks) <= BLOCK_CHARACTERS


@pytest.mark.parametrize("query", ["a" * 1_000, "AbC" * 333, "错" * 1_000, "http://" * 140, "a b " * 250, "`" * 1_000])
def test_a_query_of_any_shape_is_answered(folder: Path, processes: ReadingProcesses, query: str) -> None:
    """R72"""
    for number in range(300):
        (folder / f"doc-{number}.md").write_text(f"# Doc {number}\n\n" + "a b c 错误 AbC http://x/y " * 50)
    look_up(folder, processes, query)


def test_more_than_a_folder_may_hold_is_left_out_by_name(folder: Path, processes: ReadingProcesses) -> None:
    """R69: never in silence; what was read is found."""
    size = FOLDER_BYTES // 4
    assert size <= DOCUMENT_BYTES
    for name in "abcdef":
        (folder / f"{name}.md").write_text(f"# {name}\n\n{' ' * (size - 10)}x")
    coverage = account(look_up(folder, processes, "nothing of the kind"))
    assert [(one.name, one.reason) for one in coverage.unread] == [
        ("d.md", "limit"),
        ("e.md", "limit"),
        ("f.md", "limit"),
    ]


def test_a_reading_that_meets_a_limit_as_a_whole_leaves_the_folder_unread(folder: Path) -> None:
    """R72: the look-up succeeds and finds nothing; no absence is proven."""
    with closing(ReadingProcesses(1, Limits(output_bytes=100))) as pool:
        result = look_up(folder, pool)
        assert asyncio.run(knowledge_map(at(folder), "", pool)).text == "- knowledge：（无法读取）"
    assert [(one.name, one.reason) for one in account(result).unread] == [("books", "limit")]
    assert json.loads(result.output)["total"] == 0


# ---------------------------------------------------------------- headers


@pytest.mark.parametrize(
    "header",
    [
        BOMB,
        "[" * 10_000,
        "a: " + "{a: " * 5_000,
        "- " * 5_000,
        "x: " + "9" * 50_000,
        "".join(f"k{n}: 1\n" for n in range(6_000)),
        "a: !!python/object/apply:os.system ['true']",
        "a: !!binary x",
        "x: 9999-99-99",
        "? [a]\n: b",
        "<<: 1",
    ],
    ids=lambda header: header[:8],
)
def test_a_header_that_would_grow_is_refused_and_costs_no_text(
    folder: Path, processes: ReadingProcesses, header: str
) -> None:
    """R72: bounded aliases, depth and nodes; the document is a doubt, for its names may be missing."""
    (folder / "bomb.md").write_text(f"---\n{header}\n---\n# Fax machine\n\nUnplug it.\n")
    result = look_up(folder, processes, "fax machine")
    assert titles(result) == ["Fax machine"]
    assert [doubt.example for doubt in account(result).doubts] == ["bomb.md"]


def test_a_few_aliases_are_usual() -> None:
    header, body, is_read = front_matter("---\nbase: &b {x: 1}\ntitle: T\nother: *b\n---\ntext")
    assert (header["title"], body.strip(), is_read) == ("T", "text", True)


@pytest.mark.parametrize("header", ["description: *z\n", BOMB + "name: *m\ndescription: *m\n"])
def test_a_bomb_in_the_header_of_a_skill_costs_its_description(
    tmp_path: Path, processes: ReadingProcesses, header: str
) -> None:
    """R72: the others are listed, and the skill can be read, which says that it may not be whole."""
    for name, text in {"bomb": f"---\n{header}---\nlook", "fax": "---\ndescription: of faxes\n---\nunplug"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(text)
    assert asyncio.run(skill_catalog(skills_at(tmp_path), "", processes))[1] == [("bomb", ""), ("fax", "of faxes")]
    read: dict[str, Any] = json.loads(
        asyncio.run(skill_tool(skills_at(tmp_path), processes).run({"name": "bomb"}, CONTEXT)).output
    )
    assert read["content"] == "look"
    assert "可能不完整" in read["message"]


@pytest.mark.parametrize("kind", ["sparse", "fifo", "device", "outside", "loop"])
def test_a_skill_that_cannot_be_read_is_named(tmp_path: Path, processes: ReadingProcesses, kind: str) -> None:
    """R72: it is not in the catalogue; who asks for it is told."""
    for name in ("fax", "bad"):
        (tmp_path / name).mkdir()
    (tmp_path / "fax" / "SKILL.md").write_text("unplug")
    POISON[kind][0](tmp_path / "bad" / "SKILL.md")
    assert asyncio.run(skill_catalog(skills_at(tmp_path), "", processes))[1] == [("fax", "")]
    result = asyncio.run(skill_tool(skills_at(tmp_path), processes).run({"name": "bad"}, CONTEXT))
    assert f"bad/SKILL.md（{POISON[kind][1]}）" in result.error_message


def test_a_folder_of_skills_that_leads_elsewhere_is_not_entered(tmp_path: Path, processes: ReadingProcesses) -> None:
    """R72: nothing outside the folder is read."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "SKILL.md").write_text("secret")
    (tmp_path / "skills" / "fax").mkdir(parents=True)
    (tmp_path / "skills" / "fax" / "SKILL.md").write_text("unplug")
    (tmp_path / "skills" / "other").symlink_to(tmp_path / "outside")
    assert asyncio.run(skill_catalog(skills_at(tmp_path / "skills"), "", processes))[1] == [("fax", "")]


# ---------------------------------------------------------------- other encodings


@pytest.mark.parametrize(
    ("encoding", "is_sure"), [("utf-16", True), ("utf-8-sig", True), ("gb18030", False), ("big5", False)]
)
def test_a_document_in_another_encoding_is_found_and_a_guess_is_a_doubt(
    folder: Path, processes: ReadingProcesses, encoding: str, is_sure: bool
) -> None:
    """R69"""
    text = (
        "# 傳真機\n\n## 處理\n\n拔掉電源，再次啟動。\n" if encoding == "big5" else "# 传真机\n\n## 处理\n\n拔掉电源。\n"
    )
    (folder / "fax.md").write_bytes(text.encode(encoding))
    result = look_up(folder, processes, text.split()[1])
    assert titles(result)[0].startswith(text.split()[1])
    assert account(result).complete is is_sure


def test_a_changed_size_while_it_is_read_is_no_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R72: what is read is bounded by what is read, not by what was listed."""
    monkeypatch.setattr(documents, "DOCUMENT_BYTES", 20)
    listing = documents.list_documents(documents.Place("books", str(folder)), documents.is_markdown)
    monkeypatch.setattr(documents, "DOCUMENT_BYTES", 10)
    (one,) = documents.read_documents(documents.Place("books", str(folder)), listing, lambda: False)
    assert getattr(one, "reason", None) == "size"
