"""The claims that quote a survey: for an open question the worst, new and most different messages (R90)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from domain.answer.texts import joined
from domain.evidence.survey import ROUTINE, is_of_the_burst
from domain.evidence.window import utc_text
from domain.language.failures import holds_failure
from domain.language.levels import Level, level_said
from domain.language.message_shapes import shape_of
from domain.language.services import Kinship, kinship
from infra.models.extractive.claims import Draft, quoted
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.texts import text as worded
from infra.models.extractive.tool_names import SURVEY
from infra.models.extractive.words import spaced

MAX_TOGETHER = 2
"""Messages of one service that one statement quotes."""
MAX_AROUND = 3
"""Of what stood around the onset, where there is trouble enough to tell."""
MAX_NEWS = 2
NEAR = 30
"""Minutes before the onset within which a change goes before other news."""
MAX_LINE = 240  # characters of a quotation

_EXAMPLE, _CAUSE = ", example=", ", cause="


@dataclass(frozen=True, slots=True)
class Told:
    """One item of a survey, read back from its ref. `cause`: the innermost that a stack trace names."""

    ref: Ref
    fields: Mapping[str, str]
    line: str
    cause: str = ""

    @property
    def service(self) -> str:
        return self.fields.get("service", "")

    @property
    def where(self) -> str:
        return self.service or self.fields.get("input", "")

    @property
    def key(self) -> str:
        return f"{self.service} {shape_of(self.line)}"

    @property
    def time(self) -> str:
        """When it stood there first, in UTC: as text it is ordered."""
        return self.fields.get("time") or self.fields.get("first", "")

    @property
    def quotations(self) -> int:
        return 2 if self.cause else 1

    @property
    def count(self) -> int:
        return int(self.fields.get("count", "1"))

    @property
    def is_change(self) -> bool:
        return self.fields.get("kind") == "change"

    @property
    def is_different(self) -> bool:
        """New or multiplied, as far as is known."""
        return self.fields.get("new") != "false" or "multiplied" in self.fields

    @property
    def is_trouble(self) -> bool:
        return self.fields.get("kind") == "message" and self.is_severe and self.is_different

    @property
    def is_severe(self) -> bool:
        return self._is_at_least(Level.WARN)

    @property
    def is_error(self) -> bool:
        return self._is_at_least(Level.ERROR)

    def _is_at_least(self, least: Level) -> bool:
        """Without a level that is understood, what tells of a failure is."""
        level = level_said(self.fields.get("level", ""))
        return level >= least if level is not None else holds_failure(self.line)


def told_by(inquiry: Inquiry, answered: Sequence[Answered]) -> list[Told]:
    """The items of surveys that the question does not exclude, in their order."""
    items = (_read(ref) for done in answered if done.call.tool_name == SURVEY for ref in done.items)
    return [one for one in items if one.line and not inquiry.excludes(one.ref.text)]


def survey_claims(
    inquiry: Inquiry, answered: Sequence[Answered], room: int, held: Sequence[Draft] = ()
) -> Iterator[Draft]:
    """At most `room` quotations: messages of the services asked for and what is different elsewhere, those of one
    service in one claim, then what stood around the onset, by its time. No shape of message twice, nor one that a
    `held` claim tells.
    """
    known = [shape_of(ref.text) for draft in held for ref in draft.refs]
    items = [one for one in told_by(inquiry, answered) if not any(shape_of(one.line) in text for text in known)]
    troubles = _distinct(one for one in items if one.is_trouble)
    begun = _onset(troubles)
    changes = _changes(items)
    near = [one for one in changes if one.time >= _minutes_before(begun, NEAR)]
    far = [one for one in changes if one not in near]
    around = _distinct([*near, *_news(items, begun), *far], besides=troubles)
    kept = around[: max(MAX_AROUND, room - sum(one.quotations for one in troubles))]
    usual = _distinct((one for one in items if _is_usual(one)), besides=troubles)
    told = _within([*troubles, *usual], room - len(kept))
    for together in _of_one_service(told):
        yield Draft("observation", _messages(inquiry, together), tuple(one.ref for one in together))
    for one in sorted(_within(kept, room - len(told)), key=lambda one: one.time):
        text = _change(inquiry, one) if one.is_change else _messages(inquiry, [one])
        yield Draft("observation", text, (one.ref,))


def _minutes_before(time: str, minutes: int) -> str:
    """In the form of `time`; "" where there is none."""
    return utc_text(datetime.fromisoformat(time) - timedelta(minutes=minutes)) if time else ""


def _changes(items: Sequence[Told]) -> list[Told]:
    """The changes near the onset that are no routine."""
    return [one for one in items if one.is_change and int(one.fields.get("before", "0")) < ROUTINE]


def _onset(troubles: Sequence[Told]) -> str:
    """When the first of the frequent new errors was written."""
    errors = [one for one in troubles if one.is_error and one.time and one.fields.get("new") != "false"]
    most = max((one.count for one in errors), default=0)
    return min((one.time for one in errors if is_of_the_burst(one.count, most)), default="")


def _news(items: Sequence[Told], begun: str) -> list[Told]:
    """What was said for the first time, of whatever level, before the onset; the nearest first."""
    news = [one for one in items if one.fields.get("new") == "true" and not one.is_severe and "" < one.time <= begun]
    return sorted(news, key=lambda one: one.time, reverse=True)[:MAX_NEWS]


def _distinct(items: Iterable[Told], besides: Sequence[Told] = ()) -> list[Told]:
    """Each shape of message of a service once."""
    seen = {one.key for one in besides}
    found = {one.key: one for one in reversed(list(items)) if one.key not in seen}
    return list(reversed(found.values()))


def _within(items: Sequence[Told], room: int) -> list[Told]:
    """The first of them that take no more than so many quotations."""
    kept: list[Told] = []
    for one in items:
        room -= one.quotations
        if room < 0:
            break
        kept.append(one)
    return kept


def _of_one_service(messages: Sequence[Told]) -> list[list[Told]]:
    """In the order of their first messages."""
    groups: list[list[Told]] = []
    for one in messages:
        group = next((g for g in groups if g[0].where == one.where and len(g) < MAX_TOGETHER), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return groups


def worst_message(inquiry: Inquiry, answered: Sequence[Answered]) -> str:
    """The message that a survey tells first of what is wrong; nothing where it tells none."""
    return next((quoted(one.line, MAX_LINE) for one in told_by(inquiry, answered) if one.is_trouble), "")


def shapes_told(drafts: Sequence[Draft]) -> tuple[str, ...]:
    """The shapes of the messages that claims of a survey quote."""
    return tuple(shape_of(_read(ref).line) for draft in drafts for ref in draft.refs if ref.tool_name == SURVEY)


def _read(ref: Ref) -> Told:
    head, _, line = ref.text.partition(_EXAMPLE)
    head, _, cause = head.partition(_CAUSE)
    fields = dict(part.split("=", 1) for part in head.split(", ") if "=" in part)
    return Told(ref, fields, line, cause)


def _is_usual(one: Told) -> bool:
    """Errors as ever, of the service asked for; warnings as ever tell nothing."""
    is_own = one.fields.get("elsewhere") != "true"
    return is_own and one.fields.get("kind") == "message" and one.is_error and not one.is_different


def _messages(inquiry: Inquiry, together: Sequence[Told]) -> str:
    first = together[0]
    is_elsewhere = first.fields.get("elsewhere") == "true" and not any(
        kinship(first.service, service) is Kinship.SAME for service in inquiry.services
    )
    language = inquiry.language
    where = worded("survey.elsewhere", language, where=first.where) if is_elsewhere else first.where
    told = joined("semicolon", [_message(inquiry, one) for one in together], language)
    return spaced(worded("survey.messages", language, where=where, told=told))


def _message(inquiry: Inquiry, one: Told) -> str:
    language, fields = inquiry.language, one.fields
    key = "survey.new" if fields.get("new") == "true" else "survey.there"
    lead = spaced(worded(key, language, level=fields.get("level", "")).strip())
    count = fields.get("count", "")
    told = worded("survey.one" if count == "1" else "survey.count", language, n=count) if count else ""
    told += worded("survey.first", language, time=fields["first"]) if fields.get("first") else ""
    return worded("survey.message", language, lead=lead, line=_quotation(one), told=told)


def _change(inquiry: Inquiry, one: Told) -> str:
    time = one.fields.get("time", "")
    return worded("survey.change", inquiry.language, time=time, where=one.where, line=_quotation(one))


def _quotation(one: Told) -> str:
    """The message, of a stack trace its first line and the innermost cause, each in quotation marks."""
    parts = [one.line.split("\n", 1)[0], one.cause] if one.cause else [one.line]
    return "".join(f"“{quoted(part, MAX_LINE)}”" for part in parts)
