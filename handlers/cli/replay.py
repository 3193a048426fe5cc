"""`assay session replay|diff`: a session as it happened, from the log alone (R58)."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
from collections.abc import Iterable
from itertools import islice
from typing import Any

from domain.differences import Change
from domain.events import AnyEvent, Erased, ToolInvoked
from domain.session.evolve import fold
from domain.session.replay import Replayed, replay
from domain.session.rounds import round_changes
from domain.session.state import Unopened
from handlers.cli.coverage_lines import coverage_lines, summary
from handlers.cli.errors import UsageError
from handlers.cli.plain import plain
from handlers.cli.progress import as_json, line_for
from handlers.cli.session import shown_session
from handlers.cli.session_page import MOST_INPUTS
from infra.access_log import Action
from infra.settings import Settings

LONGEST_PART = 200


def replay_session(arguments: argparse.Namespace, settings: Settings) -> int:
    history = asyncio.run(shown_session(settings, arguments.session, Action.REPLAY))
    if arguments.at is None:
        for replayed in replay(history):
            print(_event_json(replayed) if arguments.json else _event_lines(replayed))
        return 0
    last = next(islice(replay(history), arguments.at - 1, None), None)
    if last is None:
        raise UsageError(f"--at: session {history[0].session_id} has {len(history)} events, not {arguments.at}")
    print(_state_json(last) if arguments.json else _state_lines(last))
    return 0


def compare_rounds(arguments: argparse.Namespace, settings: Settings) -> int:
    state = fold(asyncio.run(shown_session(settings, arguments.session, Action.DIFF)))
    assert not isinstance(state, Unopened)
    session_id, found = state.file.session_id, round_changes(state.file)
    if arguments.json:
        rounds, listed = len(state.file.rounds), [dataclasses.asdict(change) for change in found or ()]
        print(_json({"session_id": str(session_id), "rounds": rounds, "changes": listed}))
    elif found is None:
        print(f"session {session_id} has one round: there is nothing to compare it with")
    else:
        print("\n".join(change_lines(found)) or f"the rounds of session {session_id} do not differ")
    return 0


def change_lines(found: Iterable[Change]) -> list[str]:
    """A line each: `+` what was added, `-` what was dropped, `~` what became something else."""
    return [_change_line(change) for change in found]


def _change_line(change: Change) -> str:
    where = _short(change.where)
    if change.before is None:
        return f"+ {where}: {_short(change.after)}"
    if change.after is None:
        return f"- {where}: {_short(change.before)}"
    return f"~ {where}: {_short(change.before)} -> {_short(change.after)}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else _json(value)
    line = " ".join(text.split())
    return plain(line if len(line) <= LONGEST_PART else f"{line[:LONGEST_PART]}…")


def _event_lines(replayed: Replayed) -> str:
    more = [*change_lines(replayed.changes), *_coverage_lines(replayed.recorded.event)]
    return "\n".join([line_for(replayed.recorded), *(f"    {line}" for line in more)])


def _coverage_lines(event: AnyEvent) -> list[str]:
    """What a search said of itself (R69)."""
    if not isinstance(event, ToolInvoked) or isinstance(event.content, Erased):
        return []
    coverage = event.content.retrieval_details.coverage
    return [f"coverage  {summary(coverage)}", *coverage_lines(coverage, MOST_INPUTS)] if coverage else []


def _event_json(replayed: Replayed) -> str:
    effect = [dataclasses.asdict(change) for change in replayed.changes]
    return _json(as_json(replayed.recorded) | {"changes": effect})


def _state_lines(replayed: Replayed) -> str:
    return "\n".join([line_for(replayed.recorded), *_indented(replayed.state)])


def _indented(document: dict[str, Any], depth: int = 1) -> list[str]:
    lines = []
    for name, value in document.items():
        if isinstance(value, dict) and value:
            lines += [f"{'    ' * depth}{name}", *_indented(value, depth + 1)]
        else:
            lines.append(f"{'    ' * depth}{name}: {'-' if value in (None, {}) else _short(value)}")
    return lines


def _state_json(replayed: Replayed) -> str:
    recorded = replayed.recorded
    return _json({"session_id": str(recorded.session_id), "version": recorded.version, "state": replayed.state})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
