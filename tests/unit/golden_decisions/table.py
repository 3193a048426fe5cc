"""What was decided under each version of the rules: `digests.json` by version, `decided.json` by input for the last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.unit.golden_decisions.corpus import HERE, digest

DIGESTS = HERE / "digests.json"
DECIDED = HERE / "decided.json"
COMMAND = "python -m tests.unit.golden_decisions"


def recorded_digests() -> dict[str, str]:
    digests: dict[str, str] = json.loads(DIGESTS.read_text())
    return digests


def changed(decided: Mapping[str, Any]) -> list[str]:
    """Inputs of which something else is decided now than is recorded; not those that are new."""
    recorded: dict[str, str] = json.loads(DECIDED.read_text())
    return [name for name, short in recorded.items() if name not in decided or digest(decided[name])[:12] != short]


def write(rule_version: str, decided: Mapping[str, Any]) -> None:
    _write(DIGESTS, recorded_digests() | {rule_version: digest(decided)})
    _write(DECIDED, {name: digest(decision)[:12] for name, decision in decided.items()})


def _write(file: Any, table: Mapping[str, str]) -> None:
    file.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", "utf-8")
