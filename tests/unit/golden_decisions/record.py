"""`python -m tests.unit.golden_decisions.record`: plays the shipped cases on today's tools and models, and writes down
what those said, so that rules can be applied to it again without any tool, model or server.

What the rules made of it is left out: `corpus` makes it anew. Needed when cases are added, not when rules change.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from domain.events import AgentStepRecorded, AnyEvent, Erased, Recorded, SessionOpened, ToolCallStarted, ToolInvoked
from handlers.application import open_log
from handlers.evaluation.case import SHIPPED, load_cases
from handlers.evaluation.run import evaluate, own_settings, playing
from infra.embedded import running_servers_async
from infra.settings import Settings
from tests.unit.golden_decisions.corpus import SESSIONS

NEEDLESS = {
    SessionOpened.TOPIC: ("prompt_hashes", "sources", "base_url"),
    AgentStepRecorded.TOPIC: ("prompt_hash", "input"),  # what the agent was told follows from the events before
    ToolInvoked.TOPIC: ("evidence_refs",),  # extracted from the output again
}
"""Fields that no rule reads, or that follow from others; some are of this machine."""


async def recorded_cases(folder: Path) -> list[tuple[str, Sequence[Recorded]]]:
    settings, cases = Settings(), load_cases(SHIPPED)
    async with playing(settings, folder) as play:
        results = await evaluate(cases, play)
    settings = own_settings(settings, folder)
    async with running_servers_async(settings) as servers, open_log(settings, servers) as events:
        return [(result.case.name, await events.load(result.session_id)) for result in results]


def told(history: Sequence[Recorded]) -> list[dict[str, Any]]:
    """What came from outside: the question, and every answer of a model or tool. The models name positions."""
    given = SessionOpened | AgentStepRecorded | ToolCallStarted | ToolInvoked
    return [_parts(entry.position, entry.event) for entry in history if isinstance(entry.event, given)]


def _parts(position: int, event: AnyEvent) -> dict[str, Any]:
    assert not isinstance(event.content, Erased)
    facts = event.facts.model_dump(mode="json", exclude_defaults=True)
    content = event.content.model_dump(mode="json", exclude_defaults=True)
    for name in NEEDLESS.get(event.TOPIC, ()):
        for part in (facts, content, content.get("retrieval_details", {})):
            part.pop(name, None)
    return {"topic": event.TOPIC, "version": event.VERSION, "position": position, "facts": facts, "content": content}


def main() -> None:
    with TemporaryDirectory() as folder:
        recorded = asyncio.run(recorded_cases(Path(folder)))
    lines = (json.dumps({"name": name, "told": told(history)}, ensure_ascii=False) for name, history in recorded)
    SESSIONS.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    main()
