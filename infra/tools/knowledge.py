"""`lookup_knowledge`: runbooks in folders of Markdown. They say what is known, never what is happening now (R21).

The folders are read in a reading process, and the answer tells what was read of them, as a search of logs does (R69).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter

from domain.contracts import RetrievalDetails, ToolClass
from domain.events import Source
from domain.evidence.coverage import Coverage, Doubt, DoubtKind, InputRead, Sought, Unread, UnreadReason, coverage_of
from infra.reading.limits import ReadingError, ReadingLimit
from infra.reading.processes import ReadingProcesses, reading_processes
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.documents import Left, Place
from infra.tools.knowledge_reading import LookedUp, Mapped
from infra.tools.partial import Failed, all_failed, said_failed

SECONDS = 25.0
"""What a look-up may take; what it did not come to then is unread, and said to be so."""
_GRACE_S = 15.0  # for the document that is being read when the time is up
_MODULE = "infra.tools.knowledge_reading"
_LOOKED_UP = TypeAdapter(LookedUp)
_MAPPED = TypeAdapter(Mapped)


class KnowledgeArguments(Arguments):
    query: str = Field(
        description="要查的告警名、runbook_url、错误原文或术语，可带问法（怎么处理、什么意思）：按问法挑选章节",
        min_length=1,
        max_length=1_000,
    )
    top_k: int = Field(5, ge=1, le=20, description="最多返回的片段数")


def knowledge_tool(sources: Sequence[Source], processes: ReadingProcesses | None = None) -> Tool:
    """The tool over folders. `processes`: those that read; None: this process's own."""
    places = places_of(sources)

    async def call(arguments: KnowledgeArguments, _: ToolContext) -> ToolResult:
        found = await _looked_up(places, arguments, processes or reading_processes())
        failed = [Failed(one.name, ToolError("source", one.problem)) for one in found.closed]
        if failed and not (found.read or found.unread):
            raise all_failed(failed)
        return _result(places, arguments, found, failed)

    return FunctionTool(
        name="lookup_knowledge",
        description="检索知识库（排查手册）：按告警名、runbook_url、错误原文或术语。返回最相关的章节和检索范围说明（coverage）；"
        "章节只说明一般知识，不能证明当前正在发生什么。",
        arguments=KnowledgeArguments,
        tool_class=ToolClass.REFERENCE,
        call=call,
    )


def places_of(sources: Sequence[Source]) -> list[Place]:
    """Of several sources each one's documents are named with it."""
    is_alone = len(sources) == 1
    return [
        Place(Path(source.address).resolve().name, source.address)
        if is_alone
        else Place(source.name, source.address, f"{source.name}/")
        for source in sources
    ]


async def knowledge_map(
    sources: Sequence[Source], known: str = "", processes: ReadingProcesses | None = None
) -> Mapped:
    """One line for each document with its titles, for the planner (R2); no text where nothing changed since `known`."""
    if not sources:
        return Mapped("", None if known == "" else "")
    job = (f"{_MODULE}:map_of", places_of(sources), known, SECONDS)
    try:
        return _MAPPED.validate_python(await (processes or reading_processes()).run(*job, timeout_s=SECONDS + _GRACE_S))
    except (ReadingLimit, ReadingError, OSError):
        return Mapped("", "\n".join(f"- {source.name}：（无法读取）" for source in sources))


async def problem_of_knowledge(source: Source) -> str | None:
    """What is wrong with a source before a session is started on it."""
    return await problem_by(f"{_MODULE}:problem_of", source)


async def problem_by(function: str, source: Source) -> str | None:
    """What a function of a place says is wrong with a source; that it cannot say so in time is wrong, too."""
    try:
        found: str | None = await reading_processes().run(function, places_of([source])[0], timeout_s=SECONDS)
    except (ReadingLimit, ReadingError) as error:
        return str(error)
    return found


async def _looked_up(places: list[Place], arguments: KnowledgeArguments, processes: ReadingProcesses) -> LookedUp:
    """A reading that comes to a limit as a whole leaves every folder unread; the session goes on."""
    job = (f"{_MODULE}:look_up", places, arguments.query, arguments.top_k, SECONDS)
    try:
        return _LOOKED_UP.validate_python(await processes.run(*job, timeout_s=SECONDS + _GRACE_S))
    except ReadingLimit:
        return LookedUp(unread=[Left(place.name, UnreadReason.LIMIT) for place in places])
    except ReadingError as error:
        raise ToolError("source", error.message) from error


def _result(
    places: Sequence[Place], arguments: KnowledgeArguments, found: LookedUp, failed: Sequence[Failed]
) -> ToolResult:
    total = found.exact + found.told
    coverage = _coverage(arguments.query, found, total)
    output: dict[str, Any] = {
        "success": True,
        "source": ", ".join(place.name for place in places if place.name not in {one.name for one in failed}),
        "query": arguments.query,
        "evidence_blocks": [
            {"title": hit.title, "source": hit.source, "content": hit.content, "layer": hit.layer} for hit in found.hits
        ],
        "total": total,
        "limit": arguments.top_k,
        "truncated": total > len(found.hits) or not coverage.complete,
        "l0_match_count": found.exact,
        "l1_match_count": found.told,
        "message": "；".join(_told(found, coverage, failed)),
    }
    layer = found.hits[0].layer if found.hits else ""
    retrieval = RetrievalDetails(
        query=arguments.query,
        retrieval_layer=layer,
        l0_match_count=found.exact,
        l1_match_count=found.told,
        relevance_level={"L0": "high", "L1": "medium"}.get(layer, "none"),
        source_documents=tuple(dict.fromkeys(hit.source.rpartition("#")[0] for hit in found.hits)),
        coverage=coverage,
    )
    return ToolResult(json_text(output), True, retrieval=retrieval)


def _coverage(query: str, found: LookedUp, total: int) -> Coverage:
    closed = [Unread(name=one.name, reason=UnreadReason.ERROR, could_match=True) for one in found.closed]
    unsure = Doubt(
        kind=DoubtKind.TEXT,
        count=len(found.unsure),
        example=next(iter(found.unsure), ""),
        input=next(iter(found.unsure), ""),
    )
    return coverage_of(
        window="",
        sought=Sought(words=(" ".join(query.split()),)),
        inputs=[InputRead(name=one.name, format="markdown", entries=one.documents) for one in found.read],
        unread=[*closed, *(one.told() for one in found.unread)],
        excluded=(),
        doubts=[unsure],
        entries=sum(one.documents for one in found.read),
        matched=total,
        returned=len(found.hits),
    )


def _told(found: LookedUp, coverage: Coverage, failed: Sequence[Failed]) -> list[str]:
    """In words what the coverage says in figures."""
    said = [] if found.hits else ["知识库中未检索到相关内容"]
    if found.unread:
        names = "、".join(
            f"{one.name}（{one.reason}）" for one in coverage.unread if one.reason is not UnreadReason.ERROR
        )
        said.append(f"{len(found.unread)} 个文档未能读取：{names}")
    if found.unsure:
        said.append(f"{len(found.unsure)} 个文档的编码或文件头未能完全识别，如 {found.unsure[0]}")
    return [*said, *said_failed(failed)]
