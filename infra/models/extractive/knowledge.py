"""The claims that quote the knowledge base: sections of runbooks, as they are asked for, verbatim (ANSWERS.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.answer.documentation import quotation
from domain.language.sections import DIAGNOSIS, Section, Wanted, section_of, wanted_by
from infra.models.extractive.claims import Draft
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry, Source
from infra.models.extractive.tool_names import KNOWLEDGE

DOCUMENTATION = "documentation"
MAX_BLOCKS = 4
MAX_BACKGROUND_BLOCKS = 2  # beside what was found to be so
MAX_LENGTH = 4_500  # characters of all quotations together
_ITEM = re.compile(r"(?P<title>.{1,1000}?), source=(?P<source>[^;\n]{1,500}#\d{1,6}); (?P<content>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Told:
    """A section as its ref tells it."""

    ref: Ref
    title: str
    source: str
    content: str

    @property
    def document(self) -> str:
        return self.source.rpartition("#")[0]

    @property
    def section(self) -> Section | None:
        return section_of(self.title)


def knowledge_claims(inquiry: Inquiry, answered: Sequence[Answered]) -> Iterator[Draft]:
    """A claim for each section that is asked for, of the document that was found first; of several where the question
    names several alerts."""
    told = [one for one in _told_by(answered) if not inquiry.excludes(f"{one.title} {one.content}")]
    documents = list(dict.fromkeys(one.document for one in told))[: max(1, len(inquiry.alerts))]
    is_all = inquiry.sources == {Source.KNOWLEDGE}
    wanted = wanted_by(inquiry.asked)
    if not is_all and not wanted.sections:
        wanted = DIAGNOSIS
    most = MAX_BLOCKS if is_all or wanted.is_to_do else MAX_BACKGROUND_BLOCKS
    length = 0
    for one in _chosen([one for one in told if one.document in documents], wanted)[:most]:
        length += len(one.content)
        if length > MAX_LENGTH:
            return
        yield Draft(DOCUMENTATION, quotation(one.title, one.source, one.content, inquiry.language), (one.ref,))


def _told_by(answered: Sequence[Answered]) -> list[_Told]:
    """What the look-ups gave, each section once, in their order."""
    found = [
        _Told(ref, match["title"], match["source"], match["content"])
        for done in answered
        if done.call.tool_name == KNOWLEDGE
        for ref in done.items
        if (match := _ITEM.match(ref.text))
    ]
    return list({one.source: one for one in found}.values())


def _chosen(told: Sequence[_Told], wanted: Wanted) -> list[_Told]:
    """The sections that answer what is asked best, in the order of their documents; the first two where none does."""
    if not told:
        return []
    best = min(wanted.rank(one.section) for one in told)
    if not wanted.sections or best == len(wanted.sections):
        return list(told[:2])
    return [one for one in told if wanted.rank(one.section) == best]
