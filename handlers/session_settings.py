"""The settings a new session records as in force (R42), from those of this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from domain.contracts import TOOL_CLASSES, Agent
from domain.settings import SessionSettings
from infra.settings import Settings, SettingsError
from infra.tools.contract import Tool
from infra.zones import local_zone

EXTRACTIVE = "extractive"
OPENAI_URL = "https://api.openai.com/v1"


def model_server(settings: Settings) -> str | None:
    """Base URL of the model server, or None for the extractive model, which answers without a key."""
    if settings.openai_base_url:
        return settings.openai_base_url
    return OPENAI_URL if settings.openai_api_key else None


def session_zone(settings: Settings, source: Literal["sample", "given"]) -> str:
    """The zone in which a session's question names times: as set, else this machine's; the sample has one of its own,
    as it has a clock."""
    return settings.zone or ("UTC" if source == "sample" else local_zone())


def session_settings(
    settings: Settings, injected: Sequence[Tool], source: Literal["sample", "given"]
) -> SessionSettings:
    """Raises SettingsError when a model server is given but a model's name is not."""
    return SessionSettings(
        threshold=settings.threshold,
        budgets=settings.budgets,
        window_minutes=settings.window_minutes,
        models=_model_names(settings),
        mask_patterns=settings.masking,
        tool_classes=TOOL_CLASSES | {tool.name: tool.tool_class for tool in injected},
        zone=session_zone(settings, source),
        source=source,
    )


def _model_names(settings: Settings) -> dict[Agent, str]:
    if model_server(settings) is None:
        return dict.fromkeys(Agent, EXTRACTIVE)
    names = {agent: settings.models.get(agent, settings.model) for agent in Agent}
    missing = [agent for agent, name in names.items() if not name]
    if missing:
        raise SettingsError(f"ASSAY_MODEL: a model server is given, but no model for {', '.join(missing)}")
    return {agent: name for agent, name in names.items() if name}
