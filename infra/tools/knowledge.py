"""`lookup_knowledge`: runbooks in a folder of Markdown. They say what is known, never what is happening now (R21)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from pydantic import Field

from domain.contracts import RetrievalDetails, ToolClass
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.knowledge_index import Hit, KnowledgeIndex
from infra.tools.markdown import markdown_files, read_blocks

MAP_CHARACTERS = 8_000
"""The planner's map is cut behind this size, with a note of how many documents are missing from it."""


class KnowledgeArguments(Arguments):
    query: str = Field(description="要查的主题、告警名、错误码或术语", min_length=1, max_length=1_000)
    top_k: int = Field(5, ge=1, le=20, description="最多返回的片段数")


def knowledge_tool(folder: Path) -> Tool:
    """The tool over one folder. The index is kept until a file is added, removed or changed."""
    kept: dict[tuple[tuple[str, int, int], ...], KnowledgeIndex] = {}

    def index() -> KnowledgeIndex:
        signature = _signature(folder)
        if signature not in kept:
            kept.clear()
            kept[signature] = KnowledgeIndex(read_blocks(folder))
        return kept[signature]

    def look_up(arguments: KnowledgeArguments) -> ToolResult:
        return _result(arguments, folder.resolve().name, index().search(arguments.query))

    async def call(arguments: KnowledgeArguments, _: ToolContext) -> ToolResult:
        return await asyncio.to_thread(look_up, arguments)

    return FunctionTool(
        name="lookup_knowledge",
        description="检索知识库（排查手册）。返回最相关的片段；片段只说明一般知识，不能证明当前正在发生什么。",
        arguments=KnowledgeArguments,
        tool_class=ToolClass.REFERENCE,
        call=call,
    )


def knowledge_map(folder: Path) -> str:
    """One line for each document with its titles, for the planner (R2). Raises OSError if it is no folder."""
    titles: dict[str, dict[str, None]] = {}
    for block in read_blocks(folder):
        titles.setdefault(block.document, {}).update(dict.fromkeys(block.title.split(" / ")))
    lines = [f"- {document}：{'；'.join(found)}" for document, found in titles.items()]
    shown: list[str] = []
    size = 0
    for line in lines:
        size += len(line) + 1
        if size > MAP_CHARACTERS:
            return "\n".join([*shown, f"- （另有 {len(lines) - len(shown)} 个文档未列出）"])
        shown.append(line)
    return "\n".join(shown)


def _signature(folder: Path) -> tuple[tuple[str, int, int], ...]:
    files = markdown_files(folder)
    if not files:
        raise ToolError("source", f"no Markdown file below {folder}")
    return tuple((str(file), (stat := file.stat()).st_mtime_ns, stat.st_size) for file in files)


def _result(arguments: KnowledgeArguments, source: str, hits: list[Hit]) -> ToolResult:
    shown = hits[: arguments.top_k]
    l0, l1 = (sum(hit.layer == layer for hit in hits) for layer in ("L0", "L1"))
    output: dict[str, Any] = {
        "success": True,
        "source": source,
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
        "truncated": len(hits) > len(shown),
        "l0_match_count": l0,
        "l1_match_count": l1,
        "message": "" if hits else "知识库中未检索到相关内容",
    }
    retrieval = RetrievalDetails(
        query=arguments.query,
        retrieval_layer=shown[0].layer if shown else "",
        l0_match_count=l0,
        l1_match_count=l1,
        relevance_level={"L0": "high", "L1": "medium"}[shown[0].layer] if shown else "none",
        source_documents=tuple(dict.fromkeys(hit.block.document for hit in shown)),
    )
    return ToolResult(json_text(output), True, retrieval=retrieval)
