"""The claims that quote a survey: for an open question the worst, new and most different messages (R90)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from domain.language.message_shapes import shape_of
from domain.language.services import Kinship, kinship
from infra.models.extractive.claims import Draft, quoted
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.texts import text as worded
from infra.models.extractive.tool_names import SURVEY
from infra.models.extractive.vocabulary import SEVERE
from infra.models.extractive.words import spaced

MAX_MESSAGES = 6
MAX_CHANGES = 2
MAX_LINE = 200  # characters of a quotation

_EXAMPLE, _CAUSE = ", example=", ", cause="


@dataclass(frozen=True, slots=True)
class Told:
    """One item of a survey, read back from its ref."""

    ref: Ref
    fields: Mapping[str, str]
    line: str

    @property
    def service(self) -> str:
        return self.fields.get("service", "")

    @property
    def is_different(self) -> bool:
        """New or multiplied, as far as is known."""
        return self.fields.get("new") != "false" or "multiplied" in self.fields

    @property
    def is_severe(self) -> bool:
        return self.fields.get("level", "").upper() in SEVERE


def told_by(inquiry: Inquiry, answered: Sequence[Answered]) -> list[Told]:
    """Every item of every survey that the question does not exclude, each shape of message once."""
    told: dict[str, Told] = {}
    for done in answered:
        if done.call.tool_name == SURVEY:
            for ref in done.items:
                one = _read(ref)
                if one.line and not inquiry.excludes(ref.text):
                    told.setdefault(f"{one.service} {shape_of(one.line)}", one)
    return list(told.values())


def survey_claims(inquiry: Inquiry, answered: Sequence[Answered], held: Sequence[Draft] = ()) -> Iterator[Draft]:
    """At most eight: messages of the services asked for and what is different elsewhere, then changes, by their time.

    Nothing that a `held` claim tells already.
    """
    known = [shape_of(ref.text) for draft in held for ref in draft.refs]
    items = [one for one in told_by(inquiry, answered) if not any(shape_of(one.line) in text for text in known)]
    messages = [one for one in items if one.fields.get("kind") == "message" and _bears(inquiry, one)]
    changes = [one for one in items if one.fields.get("kind") == "change"][:MAX_CHANGES]
    room = MAX_MESSAGES + MAX_CHANGES - len(changes)
    for one in messages[:room]:
        yield Draft("observation", _message(inquiry, one), (one.ref,))
    for one in sorted(changes, key=lambda one: one.fields.get("time", "")):
        yield Draft("observation", _change(inquiry, one), (one.ref,))


def worst_message(inquiry: Inquiry, answered: Sequence[Answered]) -> str:
    """The message that a survey tells first of what is wrong; nothing where it tells none."""
    items = (one for one in told_by(inquiry, answered) if one.fields.get("kind") == "message")
    return next((quoted(one.line, MAX_LINE) for one in items if _bears(inquiry, one)), "")


def shapes_told(drafts: Sequence[Draft]) -> tuple[str, ...]:
    """The shapes of the messages that claims of a survey quote."""
    return tuple(shape_of(_read(ref).line) for draft in drafts for ref in draft.refs if ref.tool_name == SURVEY)


def _read(ref: Ref) -> Told:
    head, _, line = ref.text.partition(_EXAMPLE)
    head, _, cause = head.partition(_CAUSE)
    fields = dict(part.split("=", 1) for part in head.split(", ") if "=" in part)
    return Told(ref, fields, cause or line)


def _bears(inquiry: Inquiry, one: Told) -> bool:
    is_own = any(kinship(one.service, service) is Kinship.SAME for service in inquiry.services)
    return one.is_severe and (one.is_different or is_own or not inquiry.services)


def _message(inquiry: Inquiry, one: Told) -> str:
    is_elsewhere = bool(inquiry.services) and not any(
        kinship(one.service, service) is not Kinship.OTHER for service in inquiry.services
    )
    language, fields = inquiry.language, one.fields
    where = one.service or fields.get("input", "")
    where = worded("survey.elsewhere", language, where=where) if is_elsewhere else where
    key = "survey.new" if fields.get("new") == "true" else "survey.there"
    lead = spaced(worded(key, language, where=where, level=fields.get("level", "")).strip())
    count = fields.get("count", "")
    told = worded("survey.one" if count == "1" else "survey.count", language, n=count) if count else ""
    told += worded("survey.first", language, time=fields["first"]) if fields.get("first") else ""
    return worded("survey.message", language, lead=lead, line=quoted(one.line, MAX_LINE), told=told)


def _change(inquiry: Inquiry, one: Told) -> str:
    where, time = one.service or one.fields.get("input", ""), one.fields.get("time", "")
    return worded("survey.change", inquiry.language, time=time, where=where, line=quoted(one.line, MAX_LINE))
