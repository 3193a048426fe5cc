"""`read_skill`: folders with a `SKILL.md` each. The planner sees names and descriptions only (R2)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, TypeAdapter

from domain.contracts import RetrievalDetails, ToolClass
from domain.events import Source
from infra.reading.limits import ReadingError, ReadingLimit
from infra.reading.processes import ReadingProcesses, reading_processes
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.knowledge import places_of, problem_by
from infra.tools.partial import Failed, all_failed
from infra.tools.skills_reading import Skills

SECONDS = 10.0
_GRACE_S = 10.0
_MODULE = "infra.tools.skills_reading"
_SKILLS = TypeAdapter(Skills)


class SkillArguments(Arguments):
    name: str = Field(description="技能名称，取自技能目录", min_length=1)


def skill_tool(sources: Sequence[Source], processes: ReadingProcesses | None = None) -> Tool:
    """The tool over folders of skills. `processes`: those that read; None: this process's own."""

    async def call(arguments: SkillArguments, _: ToolContext) -> ToolResult:
        return _answer(await _skills(sources, "", processes, arguments.name), arguments.name)

    return FunctionTool(
        name="read_skill",
        description="按名称读取一个排查技能（SKILL.md）的全文。技能只指导怎么查，不是当前事实的证据。",
        arguments=SkillArguments,
        tool_class=ToolClass.HELPER,
        call=call,
    )


async def skill_catalog(
    sources: Sequence[Source], known: str = "", processes: ReadingProcesses | None = None
) -> tuple[str, list[tuple[str, str]] | None]:
    """Name and description of every skill that can be read, sorted by name, with a sign of their state; None where
    nothing has changed since the state `known`."""
    if not sources:
        return "", None if known == "" else []
    try:
        found = await _skills(sources, known, processes)
    except (ToolError, OSError):
        return "", []
    if found.skills is None:
        return found.signature, None
    return found.signature, [(skill.name, skill.description) for skill in found.skills]


async def problem_of_skills(source: Source) -> str | None:
    """What is wrong with a source before a session is started on it."""
    return await problem_by(f"{_MODULE}:problem_of", source)


async def _skills(
    sources: Sequence[Source], known: str, processes: ReadingProcesses | None, wanted: str = ""
) -> Skills:
    """Raises ToolError where a limit is met; OSError."""
    job = (f"{_MODULE}:skills_of", places_of(sources), known, SECONDS, wanted)
    try:
        return _SKILLS.validate_python(await (processes or reading_processes()).run(*job, timeout_s=SECONDS + _GRACE_S))
    except (ReadingLimit, ReadingError) as error:
        raise ToolError("source", str(error)) from error


def _answer(found: Skills, name: str) -> ToolResult:
    """Looks the name up among the skills found; it is never made part of a path."""
    if found.closed and not found.skills:
        raise all_failed([Failed(one.name, ToolError("source", one.problem)) for one in found.closed])
    skills = {skill.name: skill for skill in found.skills or ()}
    unread = "、".join(f"{one.name}（{one.reason}）" for one in found.unread[:20])
    if name not in skills:
        known = "、".join(skills) or "无"
        also = f"；未能读取：{unread}" if unread else ""
        raise ToolError("bad_arguments", f"没有名为 {name!r} 的技能；可用的技能：{known}{also}")
    skill = skills[name]
    output = {"success": True, "name": name, "description": skill.description, "content": skill.content}
    if not skill.is_whole:
        output["message"] = "该技能的文件头或全文未能完全识别，可能不完整"
    return ToolResult(
        json_text(output), True, retrieval=RetrievalDetails(query=name, source_documents=(skill.document,))
    )
