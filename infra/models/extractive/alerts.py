"""Reading alert refs, and the claims that quote them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from infra.models.extractive.claims import Draft, quoted
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.tool_names import METRICS
from infra.models.extractive.vocabulary import STATES
from infra.models.extractive.words import holds_name, mentions_any, other_names, spread

MAX_ALERTS = 5  # firing alerts that lead on to logs and knowledge
MAX_TOLD = 20
_SEVERITIES = (("critical", "page", "fatal", "emergency", "disaster"), ("error", "high", "major"), ("warning", "warn"))
MAX_FIELDS = 4
MAX_DESCRIPTION = 120  # characters
_HEAD = re.compile(rf"^\W{{0,5}}(?P<name>[^=\n]{{1,120}}?)[\s,]+(?P<state>{'|'.join(STATES)})\b", re.IGNORECASE)
_FIELD = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{0,60})=(\"[^\"]{0,200}\"|[^,;\s]{1,200})", re.ASCII)
_SUBJECT_LABELS = ("service", "job", "app", "application", "group", "instance", "pod", "host", "node")
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
        given = dict(self.fields)
        return next((given[label] for label in _SUBJECT_LABELS if label in given), "")


def read_alert(ref: Ref) -> Alert | None:
    """None for a ref that does not begin with a name and a state."""
    head = _HEAD.match(ref.text)
    if head is None:
        return None
    labels, _, description = ref.text.partition(";")
    return Alert(ref, head["name"], head["state"], tuple(_FIELD.findall(labels)), description.strip())


def firing_services(inquiry: Inquiry, answered: Sequence[Answered]) -> list[str]:
    """Subjects of the relevant firing alerts, in order, at most MAX_ALERTS."""
    alerts = [alert for alert in relevant_alerts(inquiry, answered) if alert.state.lower() == "firing"]
    return list(dict.fromkeys(alert.subject for alert in alerts if alert.subject))[:MAX_ALERTS]


def firing_names(inquiry: Inquiry, answered: Sequence[Answered]) -> list[str]:
    """Names of the relevant firing alerts, in order, at most MAX_ALERTS."""
    alerts = [alert.name for alert in relevant_alerts(inquiry, answered) if alert.state.lower() == "firing"]
    return list(dict.fromkeys(alerts))[:MAX_ALERTS]


def relevant_alerts(inquiry: Inquiry, answered: Sequence[Answered]) -> list[Alert]:
    """The alerts the question asks about: those it names; else those of its services or topics; else all that fire."""
    refs = [ref for done in answered if done.call.tool_name == METRICS for ref in done.items]
    read = [alert for ref in refs if (alert := read_alert(ref))]
    alerts = [alert for alert in read if not inquiry.excludes(f"{alert.name} {alert.subject}")]
    if inquiry.services:
        alerts = [a for a in alerts if any(holds_name(a.ref.text, service) for service in inquiry.services)]
    if inquiry.alerts:
        return [alert for alert in alerts if any(spread(alert.name) == spread(name) for name in inquiry.alerts)]
    on_topic = [a for a in alerts if mentions_any(a.ref.text, [n for t in inquiry.terms for n in other_names(t)])]
    if on_topic or (inquiry.terms and inquiry.is_narrow):
        return on_topic
    named = [alert for alert in alerts if alert.subject and holds_name(inquiry.asked, alert.subject)]
    return named or [alert for alert in alerts if inquiry.services or alert.state.lower() == "firing"]


def alert_claims(inquiry: Inquiry, answered: Sequence[Answered]) -> Iterator[Draft]:
    """One claim for each alert of each subject, with all its refs, the worst first; how many there are, where that is
    asked, or where there are more than are told."""
    groups: dict[tuple[str, str], list[Alert]] = {}
    alerts = sorted(relevant_alerts(inquiry, answered), key=_rank)
    for alert in alerts:
        groups.setdefault((alert.name, alert.subject), []).append(alert)
    if alerts and (inquiry.asks_how_many or len(groups) > MAX_TOLD):
        yield _count(alerts)
    if inquiry.asks_how_many:
        return
    for group in list(groups.values())[:MAX_TOLD]:
        distinct = {alert.ref.text: alert for alert in group}.values()
        text = "；".join(_told(alert, inquiry) for alert in list(distinct)[:3])
        yield Draft("observation", f"{text}。", tuple(alert.ref for alert in group))


def _rank(alert: Alert) -> tuple[bool, int]:
    """Firing before others, then by severity."""
    severity = dict(alert.fields).get("severity", "").casefold()
    rank = next((rank for rank, words in enumerate(_SEVERITIES) if severity in words), len(_SEVERITIES))
    return alert.state.lower() != "firing", rank


def _count(alerts: Sequence[Alert]) -> Draft:
    firing = [alert for alert in alerts if alert.state.lower() == "firing"] or list(alerts)
    state = "在触发" if firing[0].state.lower() == "firing" else f"处于 {firing[0].state}"
    names = "、".join(dict.fromkeys(alert.name for alert in firing))
    return Draft("observation", f"共有 {len(firing)} 个告警{state}：{names}。", tuple(alert.ref for alert in firing))


def _told(alert: Alert, inquiry: Inquiry) -> str:
    verb = "当前存在" if alert.state.lower() == "firing" else "有"
    subject = f"{alert.subject} " if alert.subject else ""
    told = [f"{subject}{verb} {alert.name} 告警（{alert.state}）", *_measures(alert, inquiry)]
    description = quoted(alert.description, MAX_DESCRIPTION)
    if description and not inquiry.excludes(description):
        told.append(description)
    return "，".join(told)


def _measures(alert: Alert, inquiry: Inquiry) -> list[str]:
    """The fields that hold a figure; a raw sample value only where no `current` tells it better."""
    has_current = any(key == "current" for key, _ in alert.fields)
    shown = [
        f"{key}={value}"
        for key, value in alert.fields
        if value != alert.subject
        and re.search(r"\d", value)
        and not _TIME_LABEL.search(key)
        and not (key == "value" and has_current)
    ]
    return [field for field in shown if not inquiry.excludes(field)][:MAX_FIELDS]
