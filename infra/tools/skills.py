"""`read_skill`: folders with a `SKILL.md` each. The planner sees names and descriptions only (R2)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from domain.contracts import RetrievalDetails, ToolClass
from domain.events import Source
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.markdown import front_matter
from infra.tools.partial import Failed, all_failed


@dataclass(frozen=True, slots=True)
class Skill:
    """One `SKILL.md`: `content` is the text behind its front matter."""

    name: str
    description: str
    content: str
    document: str

    def of(self, source: str) -> Skill:
        return replace(self, name=f"{source}/{self.name}", document=f"{source}/{self.document}")


class SkillArguments(Arguments):
    name: str = Field(description="技能名称，取自技能目录", min_length=1)


def skill_tool(sources: Sequence[Source]) -> Tool:
    """The tool over folders of skills."""

    async def call(arguments: SkillArguments, _: ToolContext) -> ToolResult:
        return await asyncio.to_thread(_read, sources, arguments.name)

    return FunctionTool(
        name="read_skill",
        description="按名称读取一个排查技能（SKILL.md）的全文。技能只指导怎么查，不是当前事实的证据。",
        arguments=SkillArguments,
        tool_class=ToolClass.HELPER,
        call=call,
    )


def skill_catalog(sources: Sequence[Source]) -> list[tuple[str, str]]:
    """Name and description of every skill that can be read, sorted by name."""
    return [(skill.name, skill.description) for skill in _skills(sources)[0]]


def _skills(sources: Sequence[Source]) -> tuple[list[Skill], list[Failed]]:
    """Of all folders, by name: a name that several have is told apart by the source. And what cannot be read."""
    found: list[tuple[Source, Skill]] = []
    failed: list[Failed] = []
    for source in sources:
        try:
            found += [(source, skill) for skill in read_skills(Path(source.address))]
        except OSError as error:
            failed.append(Failed(source.name, error))
    times = Counter(skill.name for _, skill in found)
    named = [skill if times[skill.name] == 1 else skill.of(source.name) for source, skill in found]
    return sorted(named, key=lambda skill: skill.name), failed


def read_skills(folder: Path) -> list[Skill]:
    """All skills of a folder. Broken front matter costs the description, not the skill. Raises OSError."""
    documents = sorted(path / "SKILL.md" for path in folder.iterdir() if (path / "SKILL.md").is_file())
    return sorted((_skill(document) for document in documents), key=lambda skill: skill.name)


def _skill(document: Path) -> Skill:
    header, content = front_matter(document.read_text("utf-8", errors="replace"))
    name, description = header.get("name"), header.get("description")
    return Skill(
        name=str(name or document.parent.name),
        description=" ".join(str(description or "").split()),
        content=content.strip(),
        document=f"{document.parent.name}/{document.name}",
    )


def _read(sources: Sequence[Source], name: str) -> ToolResult:
    """Looks the name up among the skills found; it is never made part of a path."""
    found, failed = _skills(sources)
    if failed and not found:
        raise all_failed(failed)
    skills = {skill.name: skill for skill in found}
    if name not in skills:
        known = "、".join(skills) or "无"
        raise ToolError("bad_arguments", f"没有名为 {name!r} 的技能；可用的技能：{known}")
    skill = skills[name]
    output = {"success": True, "name": name, "description": skill.description, "content": skill.content}
    return ToolResult(
        json_text(output), True, retrieval=RetrievalDetails(query=name, source_documents=(skill.document,))
    )
