"""The claims that quote log lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from infra.models.extractive.claims import Draft, quoted
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.tool_names import LOGS
from infra.models.extractive.vocabulary import SEVERE
from infra.models.extractive.words import holds_name, mentions, mentions_any, other_names, spaced

MAX_QUOTED = 3  # lines in the words of a claim; it may bind more
MAX_BOUND = 8
MAX_LINE = 200  # characters
_NUMBERS = re.compile(r"\d+")


def log_claims(inquiry: Inquiry, answered: Sequence[Answered]) -> Iterator[Draft]:
    """One claim for each service looked up, quoting the worst and most different of its lines."""
    groups: dict[str, list[Ref]] = {}
    for done in answered:
        if done.call.tool_name == LOGS:
            service = str(done.call.arguments.get("service", ""))
            groups.setdefault(service, []).extend(relevant_lines(inquiry, done))
    told: set[str] = set()
    for service, lines in sorted(groups.items(), key=lambda group: not group[0]):
        fresh = [line for line in dict.fromkeys(lines) if line.text not in told]
        told.update(line.text for line in fresh)
        if draft := _draft(inquiry, service, _most_different(fresh)):
            yield draft


def _draft(inquiry: Inquiry, service: str, lines: Sequence[Ref]) -> Draft | None:
    chosen = sorted(lines[:MAX_QUOTED], key=lambda line: line.text)  # items begin with their time
    quotations = [f"“{text}”" for line in chosen if (text := quoted(line.text, MAX_LINE))]
    if not quotations:
        return None
    lead = spaced(f"{service}日志中检索到{_topic_in(inquiry, lines)}相关记录")
    return Draft("observation", f"{lead}：{'；'.join(quotations)}。", tuple(lines[:MAX_BOUND]))


def relevant_lines(inquiry: Inquiry, done: Answered) -> list[Ref]:
    """Lines of the service looked up that bear on the question; without a topic, only warnings and worse."""
    service = str(done.call.arguments.get("service", ""))
    lines = [ref for ref in done.items if not service or holds_name(ref.text, service)]
    lines = [ref for ref in lines if not inquiry.excludes(ref.text)]
    if not inquiry.terms:
        return lines if inquiry.level else [ref for ref in lines if _severity(ref) < len(SEVERE)]
    names = [name for term in inquiry.terms for name in other_names(term)]
    return [ref for ref in lines if mentions_any(ref.text, names)] or lines


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


def _topic_in(inquiry: Inquiry, lines: Sequence[Ref]) -> str:
    """The question's own topic words that stand in the lines: a claim names nothing else."""
    held = [term for term in inquiry.terms if any(_stands_in(line.text, term) for line in lines)]
    return " ".join(held)


def _stands_in(text: str, term: str) -> bool:
    """A part of a compound is no name of its own: HikariPool-1 is not HikariPool."""
    return holds_name(text, term) if term.isascii() else mentions(text, term)
