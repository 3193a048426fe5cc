"""Reading alert refs, and the claims that quote them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.answer.texts import joined
from domain.evidence.alert_search import SUPPRESSED
from domain.language.severities import rank_of
from domain.language.tongues import Language
from domain.verdict.term_shown import names_service
from infra.models.extractive.claims import Draft
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.texts import text
from infra.models.extractive.tool_names import METRICS
from infra.models.extractive.values import plain
from infra.models.extractive.vocabulary import STATES
from infra.models.extractive.words import holds_name, mentions_any, other_names, spaced, spread

MAX_ALERTS = 5  # firing alerts that lead on to logs and knowledge
MAX_TOLD = 20
MAX_OWN = 2  # alerts that an overview tells by themselves
MAX_FIELDS = 4
MAX_DESCRIPTION = 200  # characters
_HEAD = re.compile(rf"^\W{{0,5}}(?P<name>[^=\n]{{1,120}}?)[\s,]+(?P<state>{'|'.join(STATES)})\b", re.IGNORECASE)
_FIELD = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{0,60})=(\"[^\"]{0,200}\"|[^,;\s]{1,200})", re.ASCII)
_SUBJECT_LABELS = (
    *("service", "app", "application", "deployment", "statefulset", "daemonset", "container"),
    *("job", "group", "consumergroup", "instance", "pod", "host", "node", "queue", "topic", "database", "cluster"),
)
_RUNBOOK = re.compile(r"(?<![\w.])runbook(?:_url)?=\"?(?P<url>[^\s\",;]{1,300})")
_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[。！？；])")
_CUT = re.compile(r"alerts, matched=(?P<matched>\d{1,9}), returned=(?P<returned>\d{1,9})\b")
_BOOLEAN = "1e+00"
"""The value of a rule that says no more than that it fires."""
_TOLD = ("silenced_by", "silenced_until", "silence_comment", "inhibited_by", "runbook_url", "severity", "activeAt")
_TIME_LABEL = re.compile(r"(?:at|time|timestamp)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert as its ref tells it; `fields` are its `key=value` parts, `description` what follows the semicolon."""

    ref: Ref
    name: str
    state: str
    fields: tuple[tuple[str, str], ...]
    description: str

    @property
    def subject(self) -> str:
        """What the alert is about: the value of its most telling label, or nothing."""
        return next((self.given[label] for label in _SUBJECT_LABELS if label in self.given), "")

    @property
    def given(self) -> dict[str, str]:
        return dict(self.fields)

    @property
    def fires(self) -> bool:
        """A silenced alert fires, too."""
        return self.state.lower() in ("firing", "suppressed")


def read_alert(ref: Ref) -> Alert | None:
    """None for a ref that does not begin with a name and a state."""
    head = _HEAD.match(ref.text)
    if head is None:
        return None
    labels, _, description = ref.text.partition(";")
    return Alert(ref, head["name"], head["state"], tuple(_FIELD.findall(labels)), description.strip())


def firing_services(inquiry: Inquiry, answered: Sequence[Answered]) -> list[str]:
    """Subjects of the relevant firing alerts, in order, at most MAX_ALERTS."""
    alerts = [alert for alert in relevant_alerts(inquiry, answered) if alert.fires]
    return list(dict.fromkeys(alert.subject for alert in alerts if alert.subject))[:MAX_ALERTS]


def firing_names(inquiry: Inquiry, answered: Sequence[Answered]) -> list[str]:
    """Names of the relevant firing alerts, in order, at most MAX_ALERTS."""
    alerts = [alert.name for alert in relevant_alerts(inquiry, answered) if alert.fires]
    return list(dict.fromkeys(alerts))[:MAX_ALERTS]


def runbooks_of(inquiry: Inquiry, answered: Sequence[Answered]) -> list[str]:
    """The addresses of the runbooks of the relevant firing alerts, in order, at most MAX_ALERTS."""
    alerts = [alert for alert in relevant_alerts(inquiry, answered) if alert.fires]
    return list(dict.fromkeys(found["url"] for one in alerts if (found := _RUNBOOK.search(one.ref.text))))[:MAX_ALERTS]


def relevant_alerts(inquiry: Inquiry, answered: Sequence[Answered]) -> list[Alert]:
    """The alerts the question asks about: those it names; else those of its services or topics; else all that fire."""
    read = [alert for done in answered if done.call.tool_name == METRICS for alert in _of_services(inquiry, done)]
    alerts = [alert for alert in read if not inquiry.excludes(f"{alert.name} {alert.subject}")]
    if names := {spread(name) for name in (*inquiry.alerts, *inquiry.either)}:
        return [alert for alert in alerts if spread(alert.name) in names]
    on_topic = [a for a in alerts if mentions_any(a.ref.text, [n for t in inquiry.terms for n in other_names(t)])]
    if on_topic or (inquiry.terms and inquiry.is_narrow):
        return on_topic
    named = [alert for alert in alerts if alert.subject and holds_name(inquiry.asked, alert.subject)]
    return named or [alert for alert in alerts if inquiry.services or alert.fires]


def _of_services(inquiry: Inquiry, done: Answered) -> list[Alert]:
    """What was found for a service is of it, whatever its labels call it."""
    read = [alert for ref in done.items if (alert := read_alert(ref))]
    if not inquiry.services or done.call.arguments.get("service"):
        return read
    return [alert for alert in read if any(names_service(service, alert.ref.text) for service in inquiry.services)]


def alert_claims(inquiry: Inquiry, answered: Sequence[Answered]) -> Iterator[Draft]:
    """One claim for each alert of each subject, with all its refs, the worst first; how many there are, where that is
    asked, or where there are more than are told."""
    groups: dict[tuple[str, str], list[Alert]] = {}
    alerts = sorted(relevant_alerts(inquiry, answered), key=_rank)
    for alert in alerts:
        groups.setdefault((alert.name, alert.subject), []).append(alert)
    cut = [ref for done in answered if done.call.tool_name == METRICS for ref in done.items if _CUT.match(ref.text)]
    if alerts and cut:
        yield _count_of_cut(alerts, cut, inquiry.language)
    elif alerts and (inquiry.asks_how_many or len(groups) > MAX_TOLD):
        yield _count(alerts, inquiry.language)
    if inquiry.asks_how_many:
        return
    for group in list(groups.values())[:MAX_TOLD]:
        distinct = {alert.ref.text: alert for alert in group}.values()
        told = joined("semicolon", (_told(alert, inquiry) for alert in list(distinct)[:3]), inquiry.language)
        yield Draft("observation", f"{told}{text('stop', inquiry.language)}", tuple(alert.ref for alert in group))


def alert_overview(inquiry: Inquiry, answered: Sequence[Answered]) -> Iterator[Draft]:
    """For an open question: the worst MAX_OWN alerts that it asks about, and in one claim what else fires."""
    own = list(alert_claims(inquiry, answered))
    yield from own[:MAX_OWN]
    told = {ref.text for draft in own[:MAX_OWN] for ref in draft.refs}
    items = (ref for done in answered if done.call.tool_name == METRICS for ref in done.items)
    read = sorted((alert for ref in items if (alert := read_alert(ref))), key=_rank)
    others = {one.ref.text: one for one in read if one.state.lower() == "firing" and one.ref.text not in told}
    left = [alert for alert in others.values() if not inquiry.excludes(f"{alert.name} {alert.subject}")]
    if left:
        language, shown = inquiry.language, left[:MAX_TOLD]
        named = [
            text("labelled", language, name=one.name, labels=one.subject).strip() if one.subject else one.name
            for one in shown
        ]
        number = (
            text("alerts.number", language, n=len(left)) if len(shown) == len(left) else text("alerts.some", language)
        )
        names = joined("and", named, language)
        said = text("alerts.also" if own else "alerts.now", language, n=number, names=names)
        yield Draft("observation", spaced(said), tuple(one.ref for one in shown))


def _rank(alert: Alert) -> tuple[bool, int]:
    """What fires before others, then by severity."""
    return not alert.fires, -rank_of(alert.given)


def _count(alerts: Sequence[Alert], language: Language) -> Draft:
    firing = [alert for alert in alerts if alert.state.lower() == "firing"] or list(alerts)
    state = firing[0].state
    key = f"alerts.{'firing' if state.lower() == 'firing' else 'other'}{'.one' if len(firing) == 1 else ''}"
    names = joined("and", dict.fromkeys(alert.name for alert in firing), language)
    said = text(key, language, n=len(firing), state=state, names=names)
    return Draft("observation", said, tuple(alert.ref for alert in firing))


def _count_of_cut(alerts: Sequence[Alert], cut: Sequence[Ref], language: Language) -> Draft:
    """Of a list that the tool has cut: how many it says there are, and the worst by name (R70)."""
    found = [match for ref in cut if (match := _CUT.match(ref.text))]
    said = joined("semicolon", (text("alerts.cut", language, **one.groupdict()) for one in found), language)
    named = alerts[:MAX_ALERTS]
    names = joined("and", dict.fromkeys(alert.name for alert in named), language)
    told = text("alerts.among", language, said=said, names=names)
    return Draft("observation", told, (*cut, *(alert.ref for alert in named)))


def _told(alert: Alert, inquiry: Inquiry) -> str:
    language = inquiry.language
    key = f"alert.{'firing' if alert.state.lower() == 'firing' else 'other'}{'.of' if alert.subject else ''}"
    head = text(key, language, subject=alert.subject, name=alert.name, state=alert.state)
    told = [head, *_silence(alert, language), *_measures(alert, inquiry)]
    description = described(alert.description, language=language)
    if description and not inquiry.excludes(description):
        told.append(text("alert.described", language, said=description))
    return joined("comma", told, language)


def _silence(alert: Alert, language: Language) -> Iterator[str]:
    """Who silenced it and until when, or which alert it waits for."""
    if by := alert.given.get("silenced_by", ""):
        until = alert.given.get("silenced_until")
        yield text("alert.silenced.until" if until else "alert.silenced", language, by=by, until=until)
    if waits_for := alert.given.get("inhibited_by"):
        yield text("alert.inhibited", language, by=waits_for)
    if not by and not waits_for and alert.state != SUPPRESSED and alert.given.get("status.state") == SUPPRESSED:
        yield text("alert.suppressed", language, state=SUPPRESSED)


def described(description: str, limit: int = MAX_DESCRIPTION, *, language: Language = "zh") -> str:
    """The whole annotations that fit, the first at least: cut behind a sentence or else a word, with an ellipsis."""
    first, *others = dict.fromkeys(" ".join(part.split()) for part in description.split("; "))
    told = _cut(first, limit)
    for other in others:
        if len(told) + len(other) + 2 <= limit:
            told = joined("semicolon", (told.rstrip("。."), other), language)
    return told.rstrip("。.")


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    ends = [found.start() for found in _SENTENCE.finditer(text, 0, limit)]
    end = ends[-1] if ends else text.rfind(" ", 0, limit)
    return f"{text[: end if end > 0 else limit].rstrip()}…"


def _measures(alert: Alert, inquiry: Inquiry) -> list[str]:
    """The fields that hold a figure; a raw sample value only where no `current` tells it better."""
    has_current = any(key == "current" for key, _ in alert.fields)
    shown = [
        text("alert.current", inquiry.language, value=plain(value)) if key == "value" else f"{key}={value}"
        for key, value in alert.fields
        if value != alert.subject
        and (key == "value" or re.search(r"\d", value))
        and not _TIME_LABEL.search(key)
        and key not in _TOLD
        and not key.startswith("status.")
        and not (key == "value" and (has_current or value == _BOOLEAN))
    ]
    return [field for field in shown if not inquiry.excludes(field)][:MAX_FIELDS]
