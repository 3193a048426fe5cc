"""The claims that quote log lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from domain.answer.texts import joined
from domain.gatekeeper.services import services_in
from domain.language.failures import holds_failure
from domain.language.form import search_form
from domain.language.message_shapes import shape_of
from domain.language.searching import finder_of, quoted_finder_of
from domain.language.services import Kinship, kinship
from domain.verdict.term_shown import names_service, stands_whole
from infra.models.extractive.claims import MAX_BINDINGS, Draft, quoted
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.survey import shapes_told
from infra.models.extractive.texts import text as worded
from infra.models.extractive.tool_names import LOGS
from infra.models.extractive.vocabulary import SEVERE
from infra.models.extractive.words import holds_name, mentions, spaced

MAX_QUOTED = 3  # lines in the words of a claim; it may bind more
MAX_BOUND = 8
MAX_LINE = 240  # characters
_TOTAL = re.compile(r"(?<![\w])total=(\d{1,9})")
_NUMBERS = re.compile(r"\d+")


@dataclass
class _Found:
    """The lines of one service. `is_all`: each search of it was whole, shows all that it found, and all of it bears on
    the question."""

    lines: list[Ref] = field(default_factory=list)
    is_all: bool = True

    def add(self, done: Answered, lines: Sequence[Ref]) -> None:
        self.lines += lines
        total = _TOTAL.search(done.summary.text) if done.summary else None
        is_whole = total is not None and int(total[1]) == len(done.items)
        self.is_all = self.is_all and is_whole and len(lines) == len(done.items)


def log_claims(inquiry: Inquiry, answered: Sequence[Answered], told_before: Sequence[Draft] = ()) -> Iterator[Draft]:
    """One claim for each service looked up, quoting the worst and most different of its lines; none of a shape that the
    claims of a survey have told."""
    groups: dict[str, _Found] = {}
    for done in answered:
        if done.call.tool_name == LOGS:
            service = str(done.call.arguments.get("service", ""))
            groups.setdefault(service, _Found()).add(done, relevant_lines(inquiry, done))
    told: set[str] = set()
    shapes = shapes_told(told_before)
    for service, found in sorted(groups.items(), key=lambda group: not group[0]):
        fresh = [line for line in dict.fromkeys(found.lines) if line.text not in told]
        if shapes:
            fresh = [line for line in fresh if not any(shape in shape_of(line.text) for shape in shapes)]
        told.update(line.text for line in fresh)
        ordered = _first(fresh) if inquiry.asks_since_when else _most_different(fresh)
        if draft := _draft(inquiry, service, ordered, found):
            yield draft


def _draft(inquiry: Inquiry, service: str, lines: Sequence[Ref], found: _Found) -> Draft | None:
    chosen = sorted(lines[:MAX_QUOTED], key=lambda line: line.text)  # items begin with their time
    words = [term for term in inquiry.terms if term not in inquiry.anchors]

    def tells(part: str) -> bool:
        return any(_holds(inquiry, part, word) for word in words) if words else holds_failure(part)

    quotations = [f"“{text}”" for line in chosen if (text := quoted(line.text, MAX_LINE, tells))]
    if not quotations:
        return None
    is_counted = inquiry.asks_how_many and found.is_all and not inquiry.drops_words
    counted = is_counted and len(lines) <= MAX_BINDINGS
    language, topic = inquiry.language, _topic_in(inquiry, lines)
    lead = worded(
        "logs.one" if counted and len(lines) == 1 else "logs.hold",
        language,
        where=worded("logs.of" if service else "logs.all", language, service=service),
        number=worded("logs.number", language, n=len(lines)) if counted else "",
        topic=worded("logs.topic", language, topic=topic) if topic else "",
    )
    said = worded("quoted", language, lead=spaced(lead), said=joined("semicolon", quotations, language))
    return Draft("observation", said, tuple(lines if counted else lines[:MAX_BOUND]))


def relevant_lines(inquiry: Inquiry, done: Answered) -> list[Ref]:
    """Lines of the service looked up that bear on the question; without a topic, only warnings and worse."""
    service = str(done.call.arguments.get("service", ""))
    lines = [ref for ref in done.items if not service or _may_be_of(ref.text, service)]
    lines = [ref for ref in lines if not inquiry.excludes(ref.text) and (service or _may_be_asked(inquiry, ref.text))]
    query = str(done.call.arguments.get("query", ""))
    if query in inquiry.either:
        return [ref for ref in lines if finder_of(query).stands_in(search_form(ref.text))]
    if not inquiry.terms:
        return lines if inquiry.level else [ref for ref in lines if _severity(ref) < len(SEVERE)]
    anchored = [ref for ref in lines if all(stands_whole(anchor, ref.text) for anchor in inquiry.anchors)]
    words = [term for term in inquiry.terms if term not in inquiry.anchors]
    if not words:
        return anchored
    return [ref for ref in anchored if any(_holds(inquiry, ref.text, word) for word in words)] or anchored


def _may_be_of(text: str, service: str) -> bool:
    """What the tool found for a service is of it, unless it names another one and not it."""
    return names_service(service, text) or not services_in(text, ())


_HEAD = 4  # words of a line: its time, level and service stand there
_JOINED_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)+")


def _may_be_asked(inquiry: Inquiry, text: str) -> bool:
    """Of a search through all services for one: a line that begins with the name of another is not of it."""
    named = [word for word in text.split(" ", _HEAD)[:_HEAD] if _JOINED_NAME.fullmatch(word)]
    if not inquiry.services or not named:
        return True
    return any(kinship(name, one) is not Kinship.OTHER for name in named for one in inquiry.services)


def _holds(inquiry: Inquiry, text: str, term: str) -> bool:
    """The term, or each word of it where others may stand between them."""
    form = search_form(text)
    if inquiry.quotes(term):
        return quoted_finder_of(term).stands_in(form)
    words = inquiry.words_of(term)
    return finder_of(term).stands_in(form) or (bool(words) and all(finder_of(word).stands_in(form) for word in words))


def _severity(line: Ref) -> int:
    """0 for the worst level; the number of severe levels for a line with none of them."""
    found = (rank for rank, level in enumerate(SEVERE) if re.search(rf"(?<![A-Za-z]){level}(?![A-Za-z])", line.text))
    return next(found, len(SEVERE))


def _most_different(lines: Sequence[Ref]) -> list[Ref]:
    """Worst first; lines that repeat another but for its numbers come after all first ones, the last one first."""
    ranked = sorted(lines, key=_severity)
    seen: set[str] = set()
    firsts: list[Ref] = []
    repeats: list[Ref] = []
    for line in ranked:
        shape = _NUMBERS.sub("0", line.text)
        (repeats if shape in seen else firsts).append(line)
        seen.add(shape)
    return firsts + repeats[::-1]


def _first(lines: Sequence[Ref]) -> list[Ref]:
    """The line that was written first: items begin with their time."""
    return sorted(lines, key=lambda line: line.text)[:1]


def _topic_in(inquiry: Inquiry, lines: Sequence[Ref]) -> str:
    """The question's own topic words that stand in the lines: a claim names nothing else."""
    held = [term for term in inquiry.terms if any(_stands_in(line.text, term) for line in lines)]
    return " ".join(held)


def _stands_in(text: str, term: str) -> bool:
    """A part of a compound is no name of its own: HikariPool-1 is not HikariPool."""
    return holds_name(text, term) if term.isascii() else mentions(text, term)
