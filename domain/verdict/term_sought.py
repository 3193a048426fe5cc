"""What a recorded search looked for, and whether that was a term of the question (R69, R70)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from domain.contracts import ToolInvocation
from domain.gatekeeper.absence import is_summary_path
from domain.language.form import search_form
from domain.language.levels import Level, level_of
from domain.question.question import Question, Term, TermKind
from domain.verdict.term_shown import is_same_thing, level_asked, names_service, shows, stands_whole

_SERVICE_KEYS = frozenset(
    (
        "service",
        "services",
        "service_name",
        "app",
        "application",
        "job",
        "namespace",
        "host",
        "instance",
        "pod",
        "container",
    )
)
_LEVEL_KEYS = frozenset(("level", "levels", "severity", "min_level"))
_NO_CONDITIONS = frozenset(
    ("minutes", "since", "until", "start", "end", "limit", "from", "to", "step", "state", "time", "size", "top_k")
)
_JOINING = frozenset(("and", "or", "&&", "||", "not"))
_WORD = re.compile(r"\"([^\"\n]{1,200})\"|[^\s,，、;；|\"()（）]+")
_WORD_KINDS = frozenset(
    (TermKind.PHRASE, TermKind.TOPIC, TermKind.CODE, TermKind.ADDRESS, TermKind.ID, TermKind.METRIC, TermKind.ALERT)
)


@dataclass(frozen=True)
class Searched:
    """One call as a search: by its coverage where one was recorded, else by its arguments and query."""

    call: ToolInvocation

    @cached_property
    def services(self) -> tuple[str, ...]:
        if coverage := self.call.retrieval_details.coverage:
            return coverage.sought.services
        return tuple(_texts(self.call.input_params, _SERVICE_KEYS))

    @cached_property
    def level(self) -> Level | None:
        """The lowest level sought; None: any."""
        coverage = self.call.retrieval_details.coverage
        given = coverage.sought.levels if coverage else _texts(self.call.input_params, _LEVEL_KEYS)
        levels = [found for one in given for word in re.split(r"[,\s]+", one) if (found := level_of(word)) is not None]
        return min(levels, default=None)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words and phrases sought, each by itself."""
        coverage = self.call.retrieval_details.coverage
        texts = coverage.sought.words if coverage else tuple(self._written())
        found = [(match[1] or match[0]).strip() for text in texts for match in _WORD.finditer(text)]
        return tuple(word for word in dict.fromkeys(found) if word and word.casefold() not in _JOINING)

    def _written(self) -> Iterator[str]:
        params = self.call.input_params
        for key, value in params.items():
            if isinstance(value, str) and key not in _SERVICE_KEYS | _LEVEL_KEYS | _NO_CONDITIONS:
                yield value

    @cached_property
    def _arguments(self) -> str:
        """Everything asked for, as one text."""
        values = [str(value) for value in self.call.input_params.values() if isinstance(value, str | int)]
        return "\n".join([*values, *self.services, *self.words])

    def seeks(self, term: Term) -> bool:
        """Whether what was found was found for this term."""
        match term.kind:
            case TermKind.SERVICE:
                return any(names_service(term.text, asked) for asked in (*self.services, *self.words))
            case TermKind.LEVEL:
                return self.level is not None and self.level >= level_asked(term.text)
            case TermKind.ALERT | TermKind.METRIC:
                return shows(term, self._arguments)
            case TermKind.CODE | TermKind.ADDRESS | TermKind.ID:
                words = (*self.words, *self.services) if term.kind is TermKind.ID else self.words
                return any(stands_whole(term.text.split()[-1], word) for word in words)
            case TermKind.PHRASE | TermKind.TOPIC:
                return any(is_same_thing(term.text, word) for word in self.words) or self._holds_all_words(term)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all that matched came back: only then does it get a summary (R20). Old calls do not tell."""
        refs = self.call.retrieval_details.evidence_refs
        return refs is None or any(is_summary_path(ref.raw_path) for ref in refs)

    def settles(self, term: Term) -> bool:
        """Whether what came back tells of the term. Where more matched than came back, that may all be of another word
        of the search."""
        return self.seeks(term) and (self.is_whole or term.kind not in _WORD_KINDS or not self._seeks_others(term))

    def _seeks_others(self, term: Term) -> bool:
        form = search_form(term.text)
        return any(search_form(word) not in form and not is_same_thing(term.text, word) for word in self.words)

    def _holds_all_words(self, term: Term) -> bool:
        """The words of a phrase that was not put in quotation marks."""
        parts = search_form(term.text).split()
        return bool(parts) and set(parts) <= {search_form(word) for word in self.words}

    def rules_out(self, term: Term) -> bool:
        """Whether finding nothing means that there is nothing of this term: it, or more, was sought."""
        if self.seeks(term) and term.kind is not TermKind.LEVEL:
            return True
        match term.kind:
            case TermKind.SERVICE:
                return not self.services
            case TermKind.LEVEL:
                return self.level is None or self.level <= level_asked(term.text)
            case TermKind.PHRASE | TermKind.TOPIC:
                form = search_form(term.text)
                return any(search_form(word) in form for word in self.words if len(word) > 2)
            case _:
                return False

    def is_narrower(self, question: Question) -> bool:
        """Whether it asked for less than the question does: then finding nothing leaves the question open."""
        asked = question.terms
        words = [term for term in asked if term.kind in _WORD_KINDS]
        if self.words and not any(_is_related(term, word) for term in asked for word in self.words):
            return True
        if self.services and not any(term.kind is TermKind.SERVICE for term in asked):
            return not any(term.kind in (TermKind.ID, TermKind.ADDRESS) for term in words)
        levels = [level_asked(term.text) for term in asked if term.kind is TermKind.LEVEL]
        return self.level is not None and bool(words or levels) and self.level > min(levels, default=Level.TRACE)


def _is_related(term: Term, word: str) -> bool:
    if term.kind is TermKind.SERVICE:
        return names_service(term.text, word)
    return is_same_thing(term.text, word) or search_form(word) in search_form(term.text) or shows(term, word)


def _texts(arguments: dict[str, Any], keys: frozenset[str]) -> Iterator[str]:
    for key in keys & set(arguments):
        value = arguments[key]
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str) and one)
