"""Things searched for as they stand in a question: every name of the shared concepts, as one expression (R20, R70)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from domain.language import cues
from domain.language.cue import pattern_of
from domain.language.searching import CONCEPTS

_APART = re.compile(r"[\s_-]+")


def _form(name: str) -> str:
    """As people write it: blanks, hyphens and underscores are one, a Latin name stands whole, in the plural too."""
    loose = r"[\s_-]{0,3}".join(re.escape(part) for part in _APART.split(name) if part)
    before = r"(?<![A-Za-z0-9_-])" if name[0].isascii() else ""
    after = r"(?:e?s)?(?![A-Za-z0-9_-])" if name[-1].isascii() else ""
    return f"{before}{loose}{after}"


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_form, sorted(names, key=lambda name: (-len(name), name)))), re.IGNORECASE)


_SHOWN = {name for concept in CONCEPTS for name in concept.names}
_ASKED = {name for concept in CONCEPTS for name in concept.asks}
_OF_CAUSE = pattern_of(cues.WHY)

TOPICS = _any_of(name for name in _SHOWN | _ASKED if "=" not in name and not _OF_CAUSE.fullmatch(name))
NAMES = _any_of(_SHOWN)
"""Without the names of alerts, which ask for a thing and are more than its name."""
