"""A scenario: sources that belong together, and the time at which they are looked at (R9)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

import yaml
from pydantic import AwareDatetime, BaseModel

from domain.events import Source, SourceKind, sources_at


class _ScenarioFile(BaseModel):
    """`scenario.yaml`; the sources are paths relative to it."""

    name: str
    now: AwareDatetime
    sources: dict[SourceKind, str]


@dataclass(frozen=True, slots=True)
class Scenario:
    """`now` is in UTC; `sources` have absolute paths."""

    name: str
    now: AwareDatetime
    sources: tuple[Source, ...]


def load_scenario(folder: Path) -> Scenario:
    """The scenario described by a folder's `scenario.yaml`. Raises OSError, yaml.YAMLError or ValueError."""
    described = _ScenarioFile.model_validate(yaml.safe_load((folder / "scenario.yaml").read_text("utf-8")))
    sources = sources_at({kind: str(folder / path) for kind, path in described.sources.items()})
    return Scenario(described.name, described.now.astimezone(UTC), sources)


def sample_scenario() -> Scenario:
    """The scenario that answers when no source is given."""
    return load_scenario(Path(__file__).resolve().parent)
