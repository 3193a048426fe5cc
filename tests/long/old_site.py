"""A session that a worker left half done; run by the release before, in its own tree, with its own settings.

    PYTHONPATH=TREE python tests/long/old_site.py QUESTION PHASE...

The phases given are carried out, and nothing behind them; prints the session's id.
"""

from __future__ import annotations

import asyncio
import os
import sys

from domain.contracts import Agent
from domain.session.commands import OpenSession
from handlers.application import PromptFiles, make_ready, open_log, runner_on
from handlers.session_ids import session_id_for
from handlers.session_settings import session_settings
from infra.embedded import running_servers_async
from infra.scenario.scenario import sample_scenario
from infra.settings import Settings


async def main(question: str, phases: list[str]) -> None:
    settings, scenario, prompts = Settings.from_env(os.environ), sample_scenario(), PromptFiles()
    session_id = session_id_for(None)
    command = OpenSession(
        question=question,
        now=scenario.now,
        clock="scenario",
        settings=session_settings(settings, (), "sample"),
        prompt_hashes={agent: prompts.sha256(agent) for agent in Agent},
        sources=scenario.sources,
    )
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with open_log(settings, servers) as events:
            runner = runner_on(events, settings)
            await runner.submit(session_id, command)
            for phase in phases:
                await runner.advance(session_id, phase)
    print(session_id)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
