"""The words of a log query: any of them matches, `A AND B` needs both, and a synonym finds what it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from infra.tools.stop_words import stop_words

_ANY_LOG = frozenset({"日志", "告警", "报错", "异常日志", "错误日志", "相关日志", "log", "logs"})
"""What every query of logs is about, and therefore finds nothing."""

_SERVICE_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*[-_](?:service|svc|server|api|gateway|app|worker|job)")


@dataclass(frozen=True, slots=True)
class Words:
    """What a message must hold: one alternative, of which every pattern is found. No alternatives: anything."""

    alternatives: tuple[tuple[re.Pattern[str], ...], ...]

    def stand_in(self, message: str) -> bool:
        if not self.alternatives:
            return True
        return any(all(pattern.search(message) for pattern in patterns) for patterns in self.alternatives)


@dataclass(frozen=True, slots=True)
class Concept:
    """One entry of the table of synonyms."""

    asked_by: re.Pattern[str]
    found_by: tuple[str, ...]


def read_query(query: str, service: str) -> tuple[Words, str]:
    """The words of a query and the service it is about. A service is narrowed to, not searched for as a word: the first
    name of a service stands in for a missing `service`, and the name of the given one is left out."""
    alternatives: list[tuple[re.Pattern[str], ...]] = []
    joins_last = False
    for token in _tokens(query):
        if token in {"AND", "&&"}:
            joins_last = bool(alternatives)
        elif token.casefold() == service.casefold() or token == "OR" or _says_nothing(token.casefold()):
            continue
        elif not service and _SERVICE_NAME.fullmatch(token.casefold()):
            service = token
        else:
            pattern = _any_of([token, *_synonyms(token)])
            alternatives.append((*alternatives.pop(), pattern) if joins_last else (pattern,))
            joins_last = False
    return Words(tuple(alternatives)), service


def _says_nothing(word: str) -> bool:
    return word in _ANY_LOG or word in stop_words()


def _tokens(query: str) -> list[str]:
    phrases, _ = _table()
    return [match[1] or match[0] for match in phrases.finditer(query)]


def _synonyms(token: str) -> list[str]:
    _, concepts = _table()
    return [word for concept in concepts if concept.asked_by.search(token) for word in concept.found_by]


@cache
def _table() -> tuple[re.Pattern[str], tuple[Concept, ...]]:
    """What splits a query (phrases of the table, quoted phrases, single words), and the concepts."""
    rows = yaml.safe_load(Path(__file__).with_name("synonyms.yaml").read_text("utf-8"))
    asked = sorted((word for row in rows for word in row["asked_by"]), key=len, reverse=True)
    phrases = "|".join(re.escape(word) for word in asked if " " in word)
    splitter = re.compile(rf'{phrases}|"([^"]+)"|[^\s,，、;；|"()（）]+', re.IGNORECASE)
    return splitter, tuple(Concept(_any_of(row["asked_by"]), tuple(row["found_by"])) for row in rows)


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_literal, dict.fromkeys(words))), re.IGNORECASE)


def _literal(word: str) -> str:
    """A short word like GC or OOM must stand alone; a longer one may stand inside a name."""
    if len(word) <= 3 and word.isascii() and word.isalnum():
        return rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])"
    return re.escape(word)
