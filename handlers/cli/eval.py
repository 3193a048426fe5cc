"""`assay eval`: run cases with expectations through the whole chain (R63)."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from domain.events import sources_at
from handlers.cli.errors import UsageError
from handlers.evaluation.case import SHIPPED, Case, CaseError, load_cases
from handlers.evaluation.report import as_json, as_junit, heading, row, summary
from handlers.evaluation.result import CaseResult
from handlers.session_settings import model_server, session_settings
from infra.embedded.postgres_server import FOLDER_MODE
from infra.private_files import private_folder
from infra.settings import Settings
from infra.tools.registry import check_sources


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 when every case is as expected, 3 when one misses, 2 for cases that cannot be used."""
    cases = _chosen(arguments)
    _check_model(cases, settings)
    _check_sources(cases)
    if arguments.junit:
        _write(arguments.junit, b"")  # before any time is spent
    with _folder(arguments.keep) as folder:
        results = asyncio.run(_evaluated(cases, settings, folder, tell=not arguments.json))
    if arguments.junit:
        _write(arguments.junit, as_junit(results))
    print(json.dumps(as_json(results), ensure_ascii=False) if arguments.json else summary(results))
    return 3 if any(result.misses for result in results) else 0


async def _evaluated(cases: Sequence[Case], settings: Settings, folder: Path, *, tell: bool) -> list[CaseResult]:
    from handlers.evaluation.run import evaluate, playing

    if tell:
        print(heading(cases), flush=True)

    def told(result: CaseResult) -> None:
        if tell:
            print(row(result, cases), flush=True)

    async with playing(settings, folder) as play:
        return await evaluate(cases, play, told)


def _chosen(arguments: argparse.Namespace) -> list[Case]:
    try:
        cases = load_cases(arguments.cases or SHIPPED)
    except CaseError as error:
        raise UsageError(str(error)) from None
    if unknown := set(arguments.only) - {case.name for case in cases}:
        raise UsageError(f"--only: there is no case {', '.join(sorted(unknown))}")
    if arguments.only:
        cases = [case for case in cases if case.name in arguments.only]
    if arguments.live:
        cases = [case.model_copy(update={"model": "live"}) for case in cases if case.model != "scripted"]
        if not cases:
            raise UsageError("--live: every chosen case is scripted")
    return cases


def _check_model(cases: Sequence[Case], settings: Settings) -> None:
    """Raises SettingsError too, for a server without a model's name."""
    live = [case.name for case in cases if case.model == "live"]
    if not live:
        return
    if model_server(settings) is None:
        raise UsageError(f"case {live[0]} needs a model server: set OPENAI_BASE_URL or OPENAI_API_KEY, and ASSAY_MODEL")
    session_settings(settings, (), "given")


def _check_sources(cases: Sequence[Case]) -> None:
    for case in cases:
        if case.sources and (problems := asyncio.run(check_sources(sources_at(case.sources)))):
            told = (f"{name}: {problem}" for name, problem in problems.items())
            raise UsageError(f"case {case.name}: {'; '.join(told)}")


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        yield private_folder(kept.resolve(), FOLDER_MODE)
        return
    with TemporaryDirectory(prefix="assay-eval-") as folder:
        os.chmod(folder, FOLDER_MODE)
        yield Path(folder)


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        raise UsageError(f"--junit: {error}") from None
