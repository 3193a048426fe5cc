"""Reading alert refs, and the claims that quote them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.evidence.alert_search import SUPPRESSED
from domain.language.severities import rank_of
from domain.verdict.term_shown import names_service
from infra.models.extractive.claims import Draft
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.tool_names import METRICS
from infra.models.extractive.values import plain
from infra.models.extractive.vocabulary import STATES
from infra.models.extractive.words import holds_name, mentions_any, other_names, spread

MAX_ALERTS = 5  # firing alerts that lead on to logs and knowledge
MAX_TOLD = 20
MAX_FIELDS = 4
MAX_DESCRIPTION = 200  # characters
_HEAD = re.compile(rf"^\W{{0,5}}(?P<name>[^=\n]{{1,120}}?)[\s,]+(?P<state>{'|'.join(STATES)})\b", re.IGNORECASE)
_FIELD = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{0,60})=(\"[^\"]{0,200}\"|[^,;\s]{1,200})", re.ASCII)
_SUBJECT_LABELS = (
    *("service", "app", "application", "deployment", "statefulset", "daemonset", "container"),
    *("job", "group", "instance", "pod", "host", "node"),
)
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


def relevant_alerts(inquiry: Inquiry, answered: Sequence[Answered]) -> list[Alert]:
    """The alerts the question asks about: those it names; else those of its services or topics; else all that fire."""
    read = [alert for done in answered if done.call.tool_name == METRICS for alert in _of_services(inquiry, done)]
    alerts = [alert for alert in read if not inquiry.excludes(f"{alert.name} {alert.subject}")]
    if inquiry.alerts:
        return [alert for alert in alerts if any(spread(alert.name) == spread(name) for name in inquiry.alerts)]
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
        yield _count_of_cut(alerts, cut)
    elif alerts and (inquiry.asks_how_many or len(groups) > MAX_TOLD):
        yield _count(alerts)
    if inquiry.asks_how_many:
        return
    for group in list(groups.values())[:MAX_TOLD]:
        distinct = {alert.ref.text: alert for alert in group}.values()
        text = "；".join(_told(alert, inquiry) for alert in list(distinct)[:3])
        yield Draft("observation", f"{text}。", tuple(alert.ref for alert in group))


def _rank(alert: Alert) -> tuple[bool, int]:
    """What fires before others, then by severity."""
    return not alert.fires, -rank_of(alert.given)


def _count(alerts: Sequence[Alert]) -> Draft:
    firing = [alert for alert in alerts if alert.state.lower() == "firing"] or list(alerts)
    state = "在触发" if firing[0].state.lower() == "firing" else f"处于 {firing[0].state}"
    names = "、".join(dict.fromkeys(alert.name for alert in firing))
    return Draft("observation", f"共有 {len(firing)} 个告警{state}：{names}。", tuple(alert.ref for alert in firing))


def _count_of_cut(alerts: Sequence[Alert], cut: Sequence[Ref]) -> Draft:
    """Of a list that the tool has cut: how many it says there are, and the worst by name (R70)."""
    found = [match for ref in cut if (match := _CUT.match(ref.text))]
    said = "；".join(f"共有 {one['matched']} 个告警，返回最严重的 {one['returned']} 个" for one in found)
    named = alerts[:MAX_ALERTS]
    names = "、".join(dict.fromkeys(alert.name for alert in named))
    return Draft("observation", f"{said}，其中有 {names}。", (*cut, *(alert.ref for alert in named)))


def _told(alert: Alert, inquiry: Inquiry) -> str:
    verb = "当前存在" if alert.state.lower() == "firing" else "有"
    subject = f"{alert.subject} " if alert.subject else ""
    told = [f"{subject}{verb} {alert.name} 告警（{alert.state}）", *_silence(alert), *_measures(alert, inquiry)]
    description = described(alert.description)
    if description and not inquiry.excludes(description):
        told.append(description)
    return "，".join(told)


def _silence(alert: Alert) -> Iterator[str]:
    """Who silenced it and until when, or which alert it waits for."""
    if by := alert.given.get("silenced_by", ""):
        until = alert.given.get("silenced_until")
        yield f"已被 {by} 静默" + (f"至 {until}" if until else "")
    if waits_for := alert.given.get("inhibited_by"):
        yield f"被 {waits_for} 抑制"
    if not by and not waits_for and alert.state != SUPPRESSED and alert.given.get("status.state") == SUPPRESSED:
        yield f"通知被抑制（status.state={SUPPRESSED}）"


def described(description: str, limit: int = MAX_DESCRIPTION) -> str:
    """The whole annotations that fit, the first at least: cut behind a sentence or else a word, with an ellipsis."""
    first, *others = dict.fromkeys(" ".join(part.split()) for part in description.split("; "))
    told = _cut(first, limit)
    for other in others:
        if len(told) + len(other) + 2 <= limit:
            told = f"{told.rstrip('。.')}；{other}"
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
        f"当前值 {plain(value)}" if key == "value" else f"{key}={value}"
        for key, value in alert.fields
        if value != alert.subject
        and re.search(r"\d", value)
        and not _TIME_LABEL.search(key)
        and key not in _TOLD
        and not key.startswith("status.")
        and not (key == "value" and (has_current or value == _BOOLEAN))
    ]
    return [field for field in shown if not inquiry.excludes(field)][:MAX_FIELDS]
