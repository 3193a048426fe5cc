"""The system prompts: one Markdown file per agent, in Chinese.

A prompt is named by its content: the SHA-256 of the file stands in every step that used it (R42).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

AGENTS = ("planner", "executor", "verifier", "composer")


@dataclass(frozen=True, slots=True)
class Prompt:
    """`text` is sent as the system message; `sha256` is the hex digest of its UTF-8 bytes."""

    text: str
    sha256: str


@cache
def load_prompt(agent: str) -> Prompt:
    """The prompt of one agent, read once per process. Raises ValueError for an agent that has none."""
    if agent not in AGENTS:
        raise ValueError(f"no prompt for agent {agent!r}; there are {', '.join(AGENTS)}")
    content = (Path(__file__).parent / f"{agent}.md").read_bytes()
    return Prompt(text=content.decode(), sha256=sha256(content).hexdigest())


def prompt_hashes() -> dict[str, str]:
    """Agent name to prompt hash, for a session's first event (R42)."""
    return {agent: load_prompt(agent).sha256 for agent in AGENTS}
