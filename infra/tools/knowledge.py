"""`lookup_knowledge`: runbooks in folders of Markdown. They say what is known, never what is happening now (R21)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from domain.contracts import RetrievalDetails, ToolClass
from domain.events import Source
from domain.evidence.coverage import InputRead
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.knowledge_index import Hit, KnowledgeIndex
from infra.tools.markdown import Block, markdown_files, read_blocks
from infra.tools.partial import Failed, all_failed, partial_coverage, said_failed

MAP_CHARACTERS = 8_000
"""The planner's map is cut behind this size, with a note of how many documents are missing from it."""


class KnowledgeArguments(Arguments):
    query: str = Field(description="要查的主题、告警名、错误码或术语", min_length=1, max_length=1_000)
    top_k: int = Field(5, ge=1, le=20, description="最多返回的片段数")


def knowledge_tool(sources: Sequence[Source]) -> Tool:
    """The tool over folders. The index is kept until a file is added, removed or changed."""
    kept: dict[tuple[tuple[str, int, int], ...], KnowledgeIndex] = {}

    def index(folders: Sequence[Folder]) -> KnowledgeIndex:
        signature = tuple(_signed(file) for folder in folders for file in folder.files)
        if signature not in kept:
            kept.clear()
            kept[signature] = KnowledgeIndex(_blocks(folders))
        return kept[signature]

    def look_up(arguments: KnowledgeArguments) -> ToolResult:
        folders, failed = _opened(sources)
        if not folders:
            raise all_failed(failed)
        return _result(arguments, folders, failed, index(folders).search(arguments.query))

    async def call(arguments: KnowledgeArguments, _: ToolContext) -> ToolResult:
        return await asyncio.to_thread(look_up, arguments)

    return FunctionTool(
        name="lookup_knowledge",
        description="检索知识库（排查手册）。返回最相关的片段；片段只说明一般知识，不能证明当前正在发生什么。",
        arguments=KnowledgeArguments,
        tool_class=ToolClass.REFERENCE,
        call=call,
    )


def knowledge_map(sources: Sequence[Source]) -> str:
    """One line for each document with its titles, for the planner (R2)."""
    folders, failed = _opened(sources)
    titles: dict[str, dict[str, None]] = {}
    for block in _blocks(folders):
        titles.setdefault(block.document, {}).update(dict.fromkeys(block.title.split(" / ")))
    lines = [f"- {document}：{'；'.join(found)}" for document, found in titles.items()]
    lines += [f"- {one.name}：（无法读取）" for one in failed]
    shown: list[str] = []
    size = 0
    for line in lines:
        size += len(line) + 1
        if size > MAP_CHARACTERS:
            return "\n".join([*shown, f"- （另有 {len(lines) - len(shown)} 个文档未列出）"])
        shown.append(line)
    return "\n".join(shown)


class Folder(NamedTuple):
    """One folder of documents: what it is called, and what stands before their names, where there are several."""

    place: str
    prefix: str
    path: Path
    files: list[Path]


def _opened(sources: Sequence[Source]) -> tuple[list[Folder], list[Failed]]:
    """The folders that can be read, and those that cannot."""
    is_alone = len(sources) == 1
    folders: list[Folder] = []
    failed: list[Failed] = []
    for source in sources:
        path = Path(source.address)
        place, prefix = (path.resolve().name, "") if is_alone else (source.name, f"{source.name}/")
        try:
            folders.append(Folder(place, prefix, path, _documents(path)))
        except (OSError, ToolError) as error:
            failed.append(Failed(source.name, error))
    return folders, failed


def _documents(folder: Path) -> list[Path]:
    if files := markdown_files(folder):
        return files
    raise ToolError("source", f"no Markdown file below {folder}")


def _blocks(folders: Iterable[Folder]) -> Iterator[Block]:
    for folder in folders:
        yield from read_blocks(folder.path, folder.prefix)


def _signed(file: Path) -> tuple[str, int, int]:
    status = file.stat()
    return str(file), status.st_mtime_ns, status.st_size


def _result(
    arguments: KnowledgeArguments, folders: Sequence[Folder], failed: Sequence[Failed], hits: list[Hit]
) -> ToolResult:
    shown = hits[: arguments.top_k]
    l0, l1 = (sum(hit.layer == layer for hit in hits) for layer in ("L0", "L1"))
    output: dict[str, Any] = {
        "success": True,
        "source": ", ".join(folder.place for folder in folders),
        "query": arguments.query,
        "evidence_blocks": [
            {
                "title": hit.block.title,
                "source": hit.block.source,
                "content": hit.block.content,
                "layer": hit.layer,
            }
            for hit in shown
        ],
        "total": len(hits),
        "limit": arguments.top_k,
        "truncated": len(hits) > len(shown) or bool(failed),
        "l0_match_count": l0,
        "l1_match_count": l1,
        "message": "；".join([*([] if hits else ["知识库中未检索到相关内容"]), *said_failed(failed)]),
    }
    read = [InputRead(name=folder.place, format="markdown", entries=len(folder.files)) for folder in folders]
    retrieval = RetrievalDetails(
        query=arguments.query,
        retrieval_layer=shown[0].layer if shown else "",
        l0_match_count=l0,
        l1_match_count=l1,
        relevance_level={"L0": "high", "L1": "medium"}[shown[0].layer] if shown else "none",
        source_documents=tuple(dict.fromkeys(hit.block.document for hit in shown)),
        coverage=partial_coverage(
            failed, read, window="", query=arguments.query, matched=len(hits), returned=len(shown)
        ),
    )
    return ToolResult(json_text(output), True, retrieval=retrieval)
