"""What the planner is told of folders of knowledge and skills, while a worker goes on (R2, R72)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from domain.events import sources_at
from domain.session.conversation import Surroundings
from handlers import workbench
from handlers.workbench import Workbenches
from infra.reading.limits import LimitKind, ReadingLimit
from infra.settings import Settings


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    for folder in ("books", "skills/fax"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "books" / "disk.md").write_text("# Disk\n\nfull")
    (tmp_path / "skills" / "fax" / "SKILL.md").write_text("---\ndescription: of faxes\n---\nunplug")
    places = {"knowledge": str(tmp_path / "books"), "skills": str(tmp_path / "skills")}
    return SimpleNamespace(sources=tuple(sources_at(places)), base_url=None)


def surroundings(benches: Workbenches, opened: Any) -> Surroundings:
    return asyncio.run(benches(opened)).surroundings


def test_the_map_and_the_skills_follow_their_folders(opened: Any, tmp_path: Path) -> None:
    """R72: a document that is added, changed or removed is seen by the next step."""
    benches = Workbenches(Settings())
    first = surroundings(benches, opened)
    assert (first.knowledge_domains, first.skills) == (("- disk.md：Disk",), (("fax", "of faxes"),))
    (tmp_path / "books" / "net.md").write_text("# Net\n\ndown")
    (tmp_path / "skills" / "fax" / "SKILL.md").write_text("---\ndescription: of all faxes\n---\nunplug")
    second = surroundings(benches, opened)
    assert second.knowledge_domains == ("- disk.md：Disk", "- net.md：Net")
    assert second.skills == (("fax", "of all faxes"),)
    (tmp_path / "books" / "disk.md").unlink()
    assert surroundings(benches, opened).knowledge_domains == ("- net.md：Net",)


def test_folders_are_read_again_only_where_something_changed(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """R72: not at each redelivery."""
    told: list[object] = []
    usual = workbench.knowledge_map

    async def watched(*arguments: Any) -> Any:
        mapped = await usual(*arguments)
        told.append(mapped.text)
        return mapped

    monkeypatch.setattr(workbench, "knowledge_map", watched)
    benches = Workbenches(Settings())
    assert [surroundings(benches, opened).knowledge_domains for _ in range(3)] == [("- disk.md：Disk",)] * 3
    assert told == ["- disk.md：Disk", None, None]


def test_a_folder_that_comes_to_a_limit_is_said_and_then_let_alone(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R72: the session goes on without a map, and no step waits for it again."""
    asked: list[object] = []

    class Stuck:
        async def run(self, *job: Any, **_: Any) -> Any:
            asked.append(job[0])
            raise ReadingLimit(LimitKind.TIME, "1 s", [])

    monkeypatch.setattr("infra.tools.knowledge.reading_processes", Stuck)
    monkeypatch.setattr("infra.tools.skills.reading_processes", Stuck)
    benches = Workbenches(Settings())
    first, second = surroundings(benches, opened), surroundings(benches, opened)
    assert first == second == Surroundings(knowledge_domains=("- knowledge：（无法读取）",), skills=())
    assert len(asked) == 2
