"""A concept of questions in both languages, and the expressions that find its words. English words stand whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from domain.language.late import Late


@dataclass(frozen=True, slots=True)
class Cue:
    """One concept in both languages, a word or phrase an entry, separated by `|`."""

    zh: str
    en: str


@lru_cache(maxsize=256)
def expression(*cues: Cue) -> str:
    """An alternation of all words of the concepts, the longest first; for flags IGNORECASE."""
    words = [word for cue in cues for word in (*cue.zh.split("|"), *cue.en.split("|")) if word]
    return "|".join(_word(word) for word in sorted(set(words), key=len, reverse=True))


def chinese(*cues: Cue) -> str:
    return expression(*(Cue(cue.zh, "") for cue in cues))


def english(*cues: Cue) -> str:
    return expression(*(Cue("", cue.en) for cue in cues))


def words_of(*cues: Cue) -> frozenset[str]:
    """Every single English word of the concepts, those of phrases too."""
    return frozenset(word for cue in cues for phrase in cue.en.split("|") for word in phrase.split())


@lru_cache(maxsize=256)
def pattern_of(*cues: Cue) -> Late:
    return Late(lambda: expression(*cues), re.IGNORECASE)


def _word(word: str) -> str:
    if not word.isascii():
        return re.escape(word)
    loose = re.escape(word).replace(r"\ ", r"\s{1,3}").replace("'", "['’]")
    return rf"(?<![A-Za-z0-9_]){loose}(?![A-Za-z0-9_])"
