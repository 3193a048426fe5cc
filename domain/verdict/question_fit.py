"""The answer fits the question: each term of it is covered by a verified claim, its items or its search (R70)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from domain.answer.speech import CHINESE, Speech
from domain.contracts import (
    Adjustment,
    CheckedFact,
    Claim,
    ClaimType,
    FactClass,
    ToolClass,
    ToolInvocation,
    VerifiedClaim,
)
from domain.evidence.window import utc_text
from domain.gatekeeper.absence import is_summary_path
from domain.language import cues
from domain.language.cue import chinese, english, expression, pattern_of
from domain.language.late import Late
from domain.language.searching import concepts_of, names_a_mere_thing
from domain.question.question import AnswerKind, Question, Term, TermKind
from domain.values.naming import is_ordinal, names_a_thing
from domain.values.numbers import values_in
from domain.values.units import BARE, COUNT
from domain.values.value import Role, Value
from domain.verdict.conclusions import states_a_cause
from domain.verdict.searched_time import asked_span, contains, item_moments, lies_in, searched_span
from domain.verdict.term_shown import denies, shows
from domain.verdict.term_sought import Searched

TERM_UNCOVERED = "answer.term_uncovered"
CAUSE_UNFOUND = "answer.cause_unfound"
RULES = (TERM_UNCOVERED, CAUSE_UNFOUND)

_ALERTS = pattern_of(cues.ALERTS)
_DOCUMENTS = pattern_of(cues.MEANING)
_NOW = pattern_of(cues.NOW)
_LIVE_KINDS = (
    *(AnswerKind.WHETHER, AnswerKind.HOW_MANY, AnswerKind.HOW_MUCH, AnswerKind.SINCE_WHEN, AnswerKind.IS_OVER),
)
_BAD = (cues.FAILURES, cues.ALERTS)
_LATEST = pattern_of(cues.LATEST)
_WHO = pattern_of(cues.WHO)
_SOMEBODY = pattern_of(cues.SOMEBODY)
_NONE_OF = Late(
    lambda: (
        rf"(?:{chinese(cues.WHICH)})[^，。？?；\n]{{0,12}}?"
        rf"(?P<zh>(?<![有了])(?:{chinese(cues.NONE_OF)})(?:任何|出现|发生|过|产生){{0,2}}\s?(?:{expression(*_BAD)}))"
        r"|(?<![A-Za-z])which(?![A-Za-z])[^,.?;\n]{0,30}?"
        rf"(?P<en>(?:{english(cues.NONE_OF)})\s(?:any\s)?(?:{english(*_BAD)}))"
    ),
    re.IGNORECASE,
)
_THINGS_BEHIND = re.compile(r"^\s?(?:[A-Za-z-]+\s){0,2}[A-Za-z]{2,}s(?![A-Za-z])")
_ONE_BEHIND = re.compile(
    r"^\s?(?:[A-Za-z-]+\s){0,2}(?:alert|entry|line|record|event|error|warning|message|match|hit|time)(?![A-Za-z])"
)
_COUNT_BEFORE = re.compile(
    r"(?:共|共有|总数|合计|总计|总共|一共|total(?: of)?|count(?: is| of)?)\s?[:：=为是]?\s?\Z", re.IGNORECASE
)


@dataclass(frozen=True)
class Support:
    """A verified claim with what it rests on: items, and searches of live sources."""

    claim: Claim
    items: tuple[str, ...]
    searches: tuple[Searched, ...]
    cites_alerts: bool

    @property
    def asks_for_alerts(self) -> bool:
        return self.cites_alerts or any(search.call.tool_name == "query_metrics" for search in self.searches)

    @property
    def is_absence(self) -> bool:
        return self.claim.claim_type is ClaimType.NEGATIVE_OBSERVATION

    def covers(self, term: Term, question: Question) -> bool:
        if not self.is_absence:
            told = (self.claim.claim_text, *self.items)
            if any(shows(term, one) for one in told):
                return True  # of a phrase, what was found shows it; that it was sought does not
            return term.kind is not TermKind.PHRASE and any(search.settles(term) for search in self.searches)
        if may_be_put_otherwise(term, question):
            quoted = [one for one in question.terms if one.is_quoted]  # what is looked for; the rest says of what
            return bool(quoted) and all(self.covers(one, question) for one in quoted)
        if _is_only_a_thing(term, question):
            return False
        wide = [search for search in self.searches if not search.is_narrower(question)]
        if term.kind is TermKind.ALERT:  # that no log speaks of it does not tell that it does not fire
            wide = [search for search in wide if search.call.tool_name == "query_metrics"]
        is_told = denies(term, self.claim.claim_text)
        return any(search.rules_out(term) or is_told for search in wide)


_QUOTATION = re.compile("“[^”]*”|「[^」]*」")
_SAID_IN_MANY_WAYS = frozenset({"restart"})
"""Things that no list of words shows: whatever starts may have been restarted."""
_PLAIN_WORDS = re.compile(r"[A-Za-z]?[a-z'’]*(?:\s[A-Za-z]?[a-z'’]*)*")
_HAN = re.compile("[\u4e00-\u9fff]")


def may_be_put_otherwise(term: Term, question: Question) -> bool:
    """Plain words of the asker's own, in no list of concepts: a log may say the same in other words. Quoted, or English
    in a Chinese question, they are what the log must hold."""
    if term.kind is TermKind.TOPIC and {one.name for one in concepts_of(term.text)} <= _SAID_IN_MANY_WAYS:
        return True
    if term.kind is not TermKind.PHRASE or term.is_quoted or concepts_of(term.text):
        return False
    if _HAN.search(question.text):
        return _HAN.search(term.text) is not None
    return _PLAIN_WORDS.fullmatch(term.text) is not None


_WORDS = frozenset((TermKind.PHRASE, TermKind.TOPIC, TermKind.CODE, TermKind.ALERT, TermKind.METRIC, TermKind.ID))


def _is_only_a_thing(term: Term, question: Question) -> bool:
    """Of a database nothing is told by its word alone, where what happened to it was not read from the question."""
    words = [one for one in question.terms if one.kind in _WORDS]
    return term.kind is TermKind.TOPIC and words == [term] and names_a_mere_thing(term.text)


@dataclass(frozen=True)
class Fit:
    """A question and the verified claims that answer it. `now` aware."""

    question: Question
    supports: Sequence[Support]
    unproven: Sequence[str]  # texts of claims that are open points themselves
    now: datetime
    window_minutes: int = 60
    speech: Speech = CHINESE

    def facts(self) -> Iterator[tuple[CheckedFact, Adjustment]]:
        """What the answer leaves open, each as a fact without evidence and the rule that found it."""
        for said, message in self._uncovered():
            yield _open_point(said, TERM_UNCOVERED, message, critical=True)
        if self._asks(AnswerKind.WHY) and not self._states_a_cause() and not self._is_all_unproven:
            said, message = self.speech.text("no_cause"), "no verified claim states a cause"
            yield _open_point(said, CAUSE_UNFOUND, message, critical=True)

    def _uncovered(self) -> Iterator[tuple[str, str]]:
        for term in self.question.terms:
            if not self._covers(term):
                yield self._asked(term.text), f"no verified claim covers the {term.kind}"
        for unclear in self.question.unclear:
            start, end = self.speech.ends(self._searched())
            yield self.speech.text("period_unclear", text=unclear, start=start, end=end), "not understood"
        if self._is_all_unproven:
            return
        if self._lacks_alerts():
            yield self._asked(self.question.alerts_asked), "alerts are asked for and none was looked for"
        if self.question.period and not self._covers_period():
            yield self._asked(self.question.period.text), "not the period that was searched"
        if self._asks(AnswerKind.HOW_MANY) and not self._states_a_count():
            yield self._asked(self.speech.text("thing.count")), "a count is asked for and none is stated"
        if self._asks(AnswerKind.HOW_MUCH) and not self._states_a_value():
            yield self._asked(self.speech.text("thing.value")), "a value is asked for and none is stated"

        if self._asks(AnswerKind.SINCE_WHEN) and not self._states_the_beginning():
            yield self._asked(self.speech.text("thing.beginning")), "not shown that nothing lies before what was found"
        if (who := _WHO.search(self.question.asked)) and not self._tells_of_somebody():
            yield self._asked(who[0]), "who is asked, and no item names anybody"
        if (none := _NONE_OF.search(self.question.asked)) and not any(s.is_absence for s in self.supports):
            yield self._asked(none["zh"] or none["en"]), "which have none is asked, and told is which have some"

    def _tells_of_somebody(self) -> bool:
        """Nothing but absences tells that nobody did it."""
        found = [support for support in self.supports if not support.is_absence]
        return not found or any(_SOMEBODY.search(item) for support in found for item in support.items)

    def _covers(self, term: Term) -> bool:
        """What a claim speaks of that is itself unproven is said to be so with that claim, not twice."""
        if any(support.covers(term, self.question) for support in self.supports):
            return True
        return any(shows(term, claim) for claim in self.unproven)

    @property
    def _is_all_unproven(self) -> bool:
        return bool(self.unproven) and not self.supports

    def _asks(self, kind: AnswerKind) -> bool:
        return kind is self.question.kind or kind in self.question.also

    def _lacks_alerts(self) -> bool:
        if not self.question.alerts_asked or self._is_told_by_documents:
            return False
        return not any(s.asks_for_alerts or _ALERTS.search(s.claim.claim_text) for s in self.supports)

    @property
    def _is_told_by_documents(self) -> bool:
        """What an alert means or what to do about it is asked, not whether it fires; and a document tells."""
        kinds = (self.question.kind, *self.question.also)
        is_of_now = any(kind in _LIVE_KINDS for kind in kinds) or _NOW.search(self.question.asked)
        if is_of_now or not asks_for_documents(self.question):
            return False
        return any(support.claim.claim_type is ClaimType.DOCUMENTATION for support in self.supports)

    def _states_a_cause(self) -> bool:
        """In a claim's own words: what a quotation says of one error is the cause of that error, and what documents say
        of a thing in general is not what caused it (R21)."""
        found = [one.claim for one in self.supports if one.claim.claim_type is not ClaimType.DOCUMENTATION]
        return any(
            claim.claim_type is ClaimType.ROOT_CAUSE or states_a_cause(_QUOTATION.sub(" ", claim.claim_text))
            for claim in found
        )

    def _states_a_count(self) -> bool:
        """Nothing but absences is a count of none."""
        found = [support for support in self.supports if not support.is_absence]
        return not found or any(_counts(support.claim.claim_text) for support in found)

    def _states_a_value(self) -> bool:
        found = [support for support in self.supports if not support.is_absence]
        return not found or any(_measures(support.claim.claim_text) for support in found)

    def _states_the_beginning(self) -> bool:
        """What was found last tells of no beginning: the first of all that matched must be told."""
        if _LATEST.search(self.question.asked):
            return True
        return any(
            support.is_absence or not support.searches or self._tells_first(support) for support in self.supports
        )

    def _tells_first(self, support: Support) -> bool:
        told = item_moments(support.items, self.now)
        if support.cites_alerts or not told:
            return True
        whole = [search.call for search in support.searches if search.is_whole]
        firsts = [item_moments(_items_of(call), self.now) for call in whole]
        return any(not first or min(told) <= min(first) for first in firsts)

    # ------------------------------------------------------------ the period

    def _covers_period(self) -> bool:
        """Absences: searched over all of it, in one call or several. Findings: within it, if their time is known."""
        live = [support for support in self.supports if support.searches]
        absent = [support for support in live if support.is_absence]
        if not live:
            return any(support.claim.claim_type is ClaimType.DOCUMENTATION for support in self.supports)
        searched = [search.call for support in absent for search in support.searches]
        if not all(
            self._contain([c for c in searched if c.tool_name == name]) for name in {c.tool_name for c in searched}
        ):
            return False
        found = [support for support in live if not support.is_absence]
        return not found or any(self._finds_in_period(support) for support in found)

    def _contain(self, calls: Sequence[ToolInvocation]) -> bool:
        spans = [searched_span(call) for call in calls]
        return contains([span for span in spans if span], self._asked_span) or None in spans

    @cached_property
    def _asked_span(self) -> tuple[datetime, datetime]:
        assert self.question.period is not None
        return asked_span(self.question.period, self.now)

    def _finds_in_period(self, support: Support) -> bool:
        moments = item_moments(support.items, self.now) if not support.cites_alerts else []
        if moments:
            inside = any(lies_in(self._asked_span, moment) for moment in moments)
            return inside and (self._asks_whether or self._contain([search.call for search in support.searches]))
        if support.cites_alerts and lies_in(self._asked_span, self.now):
            return True  # what fires now, fires in a period that reaches to now
        return self._contain([search.call for search in support.searches])

    @property
    def _asks_whether(self) -> bool:
        return self.question.kind in (AnswerKind.WHETHER, AnswerKind.IS_OVER, AnswerKind.WHY, AnswerKind.OPEN)

    def _asked(self, term: str) -> str:
        return self.speech.text("term_uncovered", term=term)

    def _searched(self) -> str:
        """The window that was searched, for the reader; the default one where no call tells of it."""
        calls = [search.call for support in self.supports for search in support.searches]
        windows = [call.retrieval_details.window for call in calls if "/" in call.retrieval_details.window]
        default = f"{utc_text(self.now - timedelta(minutes=self.window_minutes))}/{utc_text(self.now)}"
        return windows[0] if windows else default


def fit_of(
    question: Question,
    supported: Sequence[VerifiedClaim],
    unproven: Sequence[str],
    invocations: Sequence[ToolInvocation],
    *,
    now: datetime,
    window_minutes: int,
    tool_classes: Mapping[str, ToolClass],
    speech: Speech = CHINESE,
) -> Fit:
    calls = {call.id: call for call in invocations}
    speaking = [claim for claim in supported if not _is_beside(claim.claim, question)]
    supports = [_support(claim, calls, tool_classes) for claim in speaking]
    return Fit(question, supports, unproven, now, window_minutes, speech)


def _is_beside(claim: Claim, question: Question) -> bool:
    """Documents do not tell whether, how many or since when something is so."""
    is_document = claim.claim_type is ClaimType.DOCUMENTATION
    return is_document and question.kind in _LIVE_KINDS and not asks_for_documents(question)


def asks_for_documents(question: Question) -> bool:
    """What to do, or what something means."""
    is_to_do = AnswerKind.WHAT_TO_DO in (question.kind, *question.also)
    return is_to_do or _DOCUMENTS.search(question.asked) is not None


def _support(
    verified: VerifiedClaim, calls: Mapping[int, ToolInvocation], tool_classes: Mapping[str, ToolClass]
) -> Support:
    texts = {
        (call.id, ref.raw_path): ref.text
        for call in calls.values()
        for ref in call.retrieval_details.evidence_refs or ()
    }
    places = [(ref.source_invocation_id or 0, ref.raw_path or "", ref.evidence_excerpt) for ref in verified.refs]
    bound = [calls[id] for id in dict.fromkeys(id for id, _, _ in places) if id in calls]
    live = [call for call in bound if tool_classes.get(call.tool_name) is not ToolClass.REFERENCE]
    is_document = verified.claim.claim_type is ClaimType.DOCUMENTATION
    return Support(
        claim=verified.claim,
        items=tuple(texts.get((id, path), excerpt) for id, path, excerpt in places if not is_summary_path(path)),
        searches=() if is_document else tuple(map(Searched, live)),
        cites_alerts=any(path.startswith("$.alerts") for _, path, _ in places),
    )


def _items_of(call: ToolInvocation) -> list[str]:
    refs = call.retrieval_details.evidence_refs or ()
    return [ref.text for ref in refs if not is_summary_path(ref.raw_path)]


def _open_point(said: str, rule: str, message: str, *, critical: bool) -> tuple[CheckedFact, Adjustment]:
    fact = CheckedFact(fact=said, is_critical=critical, verification=FactClass.NO_EVIDENCE, detail=message)
    change = Adjustment(rule=rule, subject=said, before="", after=FactClass.NO_EVIDENCE, message=message)
    return fact, change


def _counts(claim: str) -> bool:
    """Whether a claim says how many: 3 条, 3 times, 12 entries, total=7."""
    return any(_is_count(value) for value in values_in(claim))


def _measures(claim: str) -> bool:
    """Whether a claim states a figure: 91%, 4.2s, value=0."""
    return any(value.role is Role.MEASURED and not is_ordinal(value) for value in values_in(claim))


def _is_count(value: Value) -> bool:
    if value.role is not Role.MEASURED or is_ordinal(value):
        return False
    if value.dimension == COUNT:
        return True
    if value.dimension != BARE:
        return False
    if _COUNT_BEFORE.search(value.lead):
        return True
    things = _ONE_BEHIND if value.number == 1 else _THINGS_BEHIND
    return not names_a_thing(value) and things.match(value.tail) is not None
