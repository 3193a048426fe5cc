"""Things searched for as they stand in a question: every name of the shared concepts, as one expression (R20, R70)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from domain.language import cues
from domain.language.cue import pattern_of
from domain.language.late import Late
from domain.language.searching import CONCEPTS

_APART = re.compile(r"[\s_-]+")


def _form(name: str) -> str:
    """As people write it: blanks, hyphens and underscores are one, a Latin name stands whole, in the plural too."""
    loose = r"[\s_-]{0,3}".join(re.escape(part) for part in _APART.split(name) if part)
    before = r"(?<![A-Za-z0-9_-])" if name[0].isascii() else ""
    after = r"(?:e?s)?(?![A-Za-z0-9_-])" if name[-1].isascii() else ""
    return f"{before}{loose}{after}"


def _any_of(names: Iterable[str]) -> str:
    return "|".join(map(_form, sorted(names, key=lambda name: (-len(name), name))))


def _shown() -> set[str]:
    return {name for concept in CONCEPTS for name in concept.names}


def _asked() -> set[str]:
    names = _shown() | {name for concept in CONCEPTS for name in concept.asks}
    return {name for name in names if "=" not in name and not pattern_of(cues.WHY).fullmatch(name)}


TOPICS = Late(lambda: _any_of(_asked()), re.IGNORECASE)
NAMES = Late(lambda: _any_of(_shown()), re.IGNORECASE)
"""Without the names of alerts, which ask for a thing and are more than its name."""
