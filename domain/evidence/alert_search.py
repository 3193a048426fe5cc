"""Which alerts are asked for: selected, excluded for a known property, or a doubt, as for log entries (R68)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.evidence.coverage import DoubtKind
from domain.language.form import search_form
from domain.language.services import Kinship, is_generic, kinship, mentions_service
from domain.language.severities import rank_of

FIRING, SUPPRESSED = "firing", "suppressed"
_STATES = (FIRING, SUPPRESSED, "pending")

OWN_LABELS = (
    *("service", "service_name", "app", "application", "app_kubernetes_io_name", "component", "workload"),
    *("deployment", "statefulset", "daemonset", "container", "pod", "cronjob", "job_name"),
)
"""Labels that name what an alert or a series is of: such a name also excludes."""
PLACE_LABELS = ("job", "namespace", "instance", "target", "host", "hostname", "node", "nodename")
"""Labels that name where it is: they exclude only where nothing names what it is of."""
ADDRESS_LABELS = ("instance", "target", "host", "hostname", "node", "nodename")
_NO_NAMES = frozenset({"alertname", "__name__", "severity", "priority", "alertstate"})
_PARTS = re.compile(r"[\s,;:/@]+")


@dataclass(frozen=True, slots=True)
class AlertView:
    """The parts of an alert that are filtered by."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    state: str

    @property
    def name(self) -> str:
        return self.labels.get("alertname", "")

    @property
    def is_firing(self) -> bool:
        """A silenced alert fires too: nobody is told of it."""
        return self.state in (FIRING, SUPPRESSED)

    def sorted_by(self) -> tuple[int, int, str]:
        """The worst first, among equals what fires."""
        state = _STATES.index(self.state) if self.state in _STATES else len(_STATES)
        return -rank_of(self.labels), state, self.name


@dataclass(frozen=True)
class AlertsAsked:
    """`services`: what the operator says that labels stand for, `label=value` → service. `service_labels`: labels that
    name a service besides the usual ones."""

    name: str = ""
    service: str = ""
    state: str = ""
    services: Mapping[str, str] = field(default_factory=dict)
    service_labels: tuple[str, ...] = ()

    def is_named(self, name: str) -> bool:
        return search_form(name) == search_form(self.name)

    def objection(self, alert: AlertView) -> str | DoubtKind | None:
        """Why an alert is not what is asked for: the property that excludes it, or a doubt; None if it is."""
        if self.name and not self.is_named(alert.name):
            return "words"
        if self.state and self.state != (FIRING if alert.is_firing else alert.state):
            return "state"
        return self.service_objection(alert.labels, " ".join(alert.annotations.values()))

    def service_objection(self, labels: Mapping[str, str], text: str = "") -> str | DoubtKind | None:
        """The same for the service alone, by labels; `text`: what else is said, which can only raise a doubt."""
        if not self.service:
            return None
        own, place, other = self._values(labels)
        if self._is_told(labels) or any(_kin(value, self.service) is Kinship.SAME for value in (*own, *place)):
            return None
        if any(search_form(self.service) in (search_form(part) for part in _parts(value)) for value in other):
            return None
        telling = [value for value in own if not is_generic(value)]
        if not telling and any(mentions_service(said, self.service) for said in (*other, text)):
            return DoubtKind.SERVICE
        telling = telling or [value for value in place if not is_generic(value)]
        if any(_kin(value, self.service) is Kinship.UNSURE for value in telling):
            return DoubtKind.SERVICE
        return "service" if telling or not self._is_somewhere(labels) else DoubtKind.SERVICE

    def _is_somewhere(self, labels: Mapping[str, str]) -> bool:
        """It has an address alone, which may be the service's; what has none either is of no service (Watchdog)."""
        return any(label in labels for label in ADDRESS_LABELS)

    def _is_told(self, labels: Mapping[str, str]) -> bool:
        told = (self.services.get(f"{label}={value}") for label, value in labels.items())
        return any(search_form(name) == search_form(self.service) for name in told if name)

    def _values(self, labels: Mapping[str, str]) -> tuple[list[str], list[str], list[str]]:
        own, place, other = [], [], []
        for label, value in labels.items():
            if label in OWN_LABELS or label in self.service_labels:
                own.append(value)
            elif label in PLACE_LABELS:
                place.append(value)
            elif label not in _NO_NAMES:
                other.append(value)
        return own, place, other


def service_names(labels: Mapping[str, str]) -> list[str]:
    """What labels call the thing they are of, and its place."""
    return [value for label, value in labels.items() if label in OWN_LABELS or label in PLACE_LABELS]


def _kin(value: str, asked: str) -> Kinship:
    """Of a whole value, or of a part of it: `order-service:8080`, `http://order-service:8080/health`."""
    whole = kinship(value, asked)
    if whole is not Kinship.SAME:
        host = (part.partition(".")[0] for part in _parts(value))
        if any(kinship(part, asked) is Kinship.SAME for part in (*_parts(value), *host) if part):
            return Kinship.SAME
    return whole


def _parts(value: str) -> list[str]:
    return [part for part in _PARTS.split(value) if part]
