"""`assay sources check`: what can be read of each source, and whether a search there could prove an absence (R69)."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from domain.events import Source
from domain.evidence.coverage import Coverage
from handlers.application import wall_clock
from handlers.cli.coverage_lines import coverage_lines, summary
from handlers.cli.plain import plain
from handlers.cli.source_flags import asked_sources, say_sample
from handlers.session_settings import session_zone
from handlers.tool_trial import try_tool
from infra.scenario.scenario import sample_scenario
from infra.settings import Settings
from infra.tools.knowledge import knowledge_tool
from infra.tools.logs import logs_tool
from infra.tools.registry import check_sources

UNPROVEN = 3
EVERY = 100_000
_WITH_COVERAGE: dict[str, dict[str, Any]] = {"logs": {"ever": True, "limit": 1}, "knowledge": {"query": "*"}}
"""Kinds of which a search tells what it could read, and the search."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One source: `problem` says why it cannot be asked at all; `coverage` is that of a search without conditions."""

    source: Source
    problem: str | None
    coverage: Coverage | None = None

    @property
    def proves(self) -> bool:
        """Whether what is not found there is not there."""
        return self.problem is None and (self.coverage is None or self.coverage.complete)


def check(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 if a search over all time could prove an absence in every source, 3 if not, 2 for unusable input."""
    asked = asked_sources(arguments, settings, arguments.names)
    if asked is None:
        say_sample()
    zone = session_zone(settings, "given" if asked else "sample")
    found = asyncio.run(_checked(asked.sources if asked else sample_scenario().sources, zone, settings))
    proven = all(one.proves for one in found)
    if arguments.json:
        document = {"complete": proven, "sources": list(map(_document, found))}
        print(json.dumps(document, ensure_ascii=False))
    else:
        print("\n\n".join(map(_page, found)))
    return 0 if proven else UNPROVEN


async def _checked(sources: Sequence[Source], zone: str, settings: Settings) -> list[Checked]:
    """One source of logs after the other: each reads all that its folder holds."""
    problems = await check_sources(sources)
    return [await _check(source, problems.get(source.name), zone, settings) for source in sources]


async def _check(source: Source, problem: str | None, zone: str, settings: Settings) -> Checked:
    if problem or source.kind not in _WITH_COVERAGE:
        return Checked(source, problem)
    tool = logs_tool([source], most_named=EVERY) if source.kind == "logs" else knowledge_tool([source])
    done = await try_tool(tool, _WITH_COVERAGE[source.kind], now=wall_clock(), zone=zone, settings=settings)
    return Checked(source, None if done.success else done.error_message, done.retrieval_details.coverage)


def _document(one: Checked) -> dict[str, Any]:
    source = one.source
    return {
        "name": source.name,
        "kind": source.kind,
        "address": source.address,
        "reachable": one.problem is None,
        "problem": one.problem,
        "proves_absence": one.proves,
        "coverage": one.coverage.model_dump(mode="json") if one.coverage else None,
    }


def _page(one: Checked) -> str:
    lines = [plain(f"{one.source.name}  {one.source.kind}  {one.source.address}")]
    if one.problem:
        lines.append(f"  cannot be asked: {plain(one.problem)}")
    elif one.coverage:
        lines += [f"  {summary(one.coverage)}", *(f"  {line}" for line in coverage_lines(one.coverage, EVERY))]
    else:
        lines.append("  can be asked")
    return "\n".join(lines)
