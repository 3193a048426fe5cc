"""What tells in the name of an alert: KubePodCrashLooping is of pods that crash in a loop, however a text writes it."""

from __future__ import annotations

import re
from functools import cache, lru_cache

_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_HUMPED = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")
_ENDINGS = re.compile(r"(?:ings?|ed|es|s)\Z")

_GENERIC = (
    *("high", "low", "too", "many", "much", "few", "usage", "use", "used", "rate", "ratio", "percent", "count"),
    *("is", "are", "not", "has", "have", "of", "in", "on", "to", "the", "and", "or", "by", "for", "alert", "warning"),
    *("critical", "kube", "kubernetes", "prometheus", "service", "server", "instance", "over", "above", "below"),
    *("almost", "near", "nearly", "running", "detected", "increase", "increased", "excessive", "large", "number"),
)
"""Words in names of alerts that many share: by them alone nothing is known to be of the alert."""


@lru_cache(maxsize=4096)
def parts_of(name: str) -> tuple[str, ...]:
    """`KubePodCrashLooping`: kube, pod, crash, loop. None of a word that is no name of several."""
    if not _HUMPED.search(name):
        return ()
    return tuple(stem(part.casefold()) for part in _HUMPS.findall(name) if len(part) > 1)


def telling(parts: frozenset[str]) -> frozenset[str]:
    """Those that few alerts share."""
    return parts - _generic()


def stem(word: str) -> str:
    """An English word without its ending."""
    return _ENDINGS.sub("", word) if len(word) > 4 and word.isascii() and word.isalpha() else word


@cache
def _generic() -> frozenset[str]:
    return frozenset(map(stem, _GENERIC))
