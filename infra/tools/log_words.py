"""The words of a log query: any of them matches, `A AND B` needs both, and a synonym finds what it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from domain.language.concepts import ABOUT_LOGS
from domain.language.finder import Finder
from domain.language.searching import finder_of, phrases, quoted_finder_of
from domain.language.service_words import KINDS_ASKED
from infra.tools.stop_words import stop_words

_SERVICE_NAME = re.compile(rf"[a-z0-9]+(?:[-_][a-z0-9]+)*[-_](?:{'|'.join(KINDS_ASKED)})")


@dataclass(frozen=True, slots=True)
class Words:
    """What a message must hold: one alternative, of which every word is found. No alternatives: anything."""

    alternatives: tuple[tuple[Finder, ...], ...]

    def stand_in(self, form: str) -> bool:
        """Whether they stand in a text, given in its search form."""
        if not self.alternatives:
            return True
        return any(all(word.stands_in(form) for word in words) for words in self.alternatives)


def read_query(query: str, service: str) -> tuple[Words, str]:
    """The words of a query and the service it is about. A service is narrowed to, not searched for as a word: the first
    name of a service stands in for a missing `service`, and the name of the given one is left out."""
    alternatives: list[tuple[Finder, ...]] = []
    joins_last = False
    for token, is_quoted in _tokens(query):
        if token in {"AND", "&&"}:
            joins_last = bool(alternatives)
        elif token.casefold() == service.casefold() or token == "OR" or _says_nothing(token.casefold()):
            continue
        elif not service and _SERVICE_NAME.fullmatch(token.casefold()):
            service = token
        else:
            word = quoted_finder_of(token) if is_quoted else finder_of(token)
            alternatives.append((*alternatives.pop(), word) if joins_last else (word,))
            joins_last = False
    return Words(tuple(alternatives)), service


def _says_nothing(word: str) -> bool:
    return word in ABOUT_LOGS or word in stop_words()


def _tokens(query: str) -> list[tuple[str, bool]]:
    """Each word or phrase, and whether it is quoted."""
    return [(match[1] or match[0], bool(match[1])) for match in _splitter().finditer(query)]


@cache
def _splitter() -> re.Pattern[str]:
    """What splits a query: phrases that name a concept, quoted phrases, single words."""
    known = "|".join(map(re.escape, phrases()))
    return re.compile(rf'{known}|"([^"]+)"|[^\s,，、;；|"()（）]+', re.IGNORECASE)
