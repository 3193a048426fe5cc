"""Which alerts are asked for, and what their absence proves (R68, R69, R71)."""

from __future__ import annotations

import pytest

from domain.evidence.alert_answer import Alert, AlertAnswer, AlertSource, RuleView, answer_of_alerts
from domain.evidence.alert_search import AlertsAsked, AlertView
from domain.evidence.coverage import DoubtKind
from domain.language.levels import Level
from domain.language.severities import severity_of

WINDOW = "2031-03-04T12:00:00Z/2031-03-04T12:00:00Z"


def alert(name: str, state: str = "firing", text: str = "", **labels: str) -> Alert:
    view = AlertView({"alertname": name, **labels}, {"summary": text}, state)
    return Alert(view, {"labels": dict(view.labels), "state": state})


def search(
    *alerts: Alert, rules: list[RuleView] | None = None, limit: int = 50, name: str = "", service: str = ""
) -> AlertAnswer:
    source = AlertSource("prod", AlertsAsked(name, service), alerts, rules)
    return answer_of_alerts([source], [], window=WINDOW, limit=limit, named=False)


def names(answer: AlertAnswer) -> list[str]:
    return [row["labels"]["alertname"] for row in answer.rows]


@pytest.mark.parametrize(
    "labels",
    [
        {"service": "order-service"},
        {"app": "OrderService"},
        {"pod": "order-service-7d9f8b6c5-abcde"},
        {"container": "order_service", "namespace": "shop"},
        {"deployment": "order-service"},
        {"job": "order-service"},
        {"namespace": "order-service"},
        {"instance": "order-service:8080"},
        {"instance": "http://order-service:8080/health", "job": "blackbox"},
        {"instance": "order-service.shop.svc.cluster.local:9100"},
        {"queue": "order-service"},
    ],
)
def test_a_service_is_sought_in_every_label(labels: dict[str, str]) -> None:
    """R68: pods, containers, deployments, namespaces, jobs and instances are the service's."""
    assert names(search(alert("Jam", **labels), service="order-service")) == ["Jam"]


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ({"pod": "order-service-canary-7d9f8b6c5-abcde"}, ""),
        ({"severity": "critical"}, "order-service answers slowly"),
        ({"topic": "order-service-events"}, ""),
        ({"instance": "10.0.0.12:8080", "job": "kubernetes-pods"}, ""),
    ],
)
def test_what_may_be_of_the_service_is_a_doubt(labels: dict[str, str], text: str) -> None:
    """R68: a name like it, a text that names it, or an address alone neither selects nor excludes."""
    answer = search(alert("Jam", text=text, **labels), service="order-service")
    (doubt,) = answer.coverage.doubts
    assert (answer.total, doubt.kind, doubt.example, answer.coverage.complete) == (0, DoubtKind.SERVICE, "Jam", False)


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ({"service": "user-service"}, "order-service cannot reach it"),
        ({"instance": "10.0.0.12:9100", "job": "node-exporter"}, ""),
        ({"severity": "none"}, "always firing"),
    ],
)
def test_what_names_another_service_or_none_is_excluded(labels: dict[str, str], text: str) -> None:
    """R68: an alert of another service, of a host, or of nothing (Watchdog) leaves the absence provable."""
    answer = search(alert("Jam", text=text, **labels), service="order-service")
    assert (answer.total, answer.coverage.complete) == (0, True)
    assert [(one.by, one.count) for one in answer.coverage.excluded] == [("service", 1)]


def test_a_label_that_the_operator_names_is_a_service_too() -> None:
    """R68: `service_labels` and `services` of a source."""
    asked = AlertsAsked(service="till", service_labels=("team_app",), services={"job=api-7": "till"})
    by_label = AlertView({"alertname": "A", "team_app": "till-5d4b8c6f7-xk2vp"}, {}, "firing")
    by_value = AlertView({"alertname": "B", "job": "api-7"}, {}, "firing")
    assert (asked.objection(by_label), asked.objection(by_value)) == (None, None)


def test_the_worst_come_first_and_a_cut_list_says_of_how_many() -> None:
    """R70: by severity, then what fires; an unknown word stands with the warnings, none last."""
    answer = search(
        alert("Watchdog", severity="none"),
        alert("Info", severity="info"),
        alert("Odd", severity="whatever"),
        alert("Pending", "pending", severity="critical"),
        alert("Page", severity="page"),
        alert("Warn", severity="警告"),
        limit=5,
    )
    assert names(answer) == ["Page", "Pending", "Odd", "Warn", "Info"]
    assert (answer.total, answer.coverage.counts.matched, answer.coverage.counts.returned) == (6, 6, 5)


def test_alerts_without_labels_are_listed_and_excluded_by_name() -> None:
    """Bad input: nothing is invented for them."""
    bare = Alert(AlertView({}, {}, "firing"), {"labels": {}, "state": "firing"})
    assert search(bare).total == 1
    assert search(bare, name="Jam").total == 0


# ---------------------------------------------------------------- unknown names


def test_a_name_that_no_rule_has_is_unknown_there() -> None:
    """R71: with the nearest names, and no summary can be cited."""
    answer = search(rules=[RuleView("HighErrorRate"), RuleView("HighLatency")], name="HighErorRate")
    (doubt,) = answer.coverage.doubts
    assert (doubt.unknown, doubt.nearest, doubt.input) == ("HighErorRate", ("HighErrorRate",), "prod")
    assert not answer.coverage.complete


def test_a_rule_that_does_not_fire_is_honestly_absent() -> None:
    """R71: the rule is known, and so are all that fire."""
    answer = search(alert("Jam"), rules=[RuleView("HighErrorRate")], name="higherrorrate")
    assert (answer.total, answer.coverage.complete) == (0, True)
    assert [(one.format, one.entries) for one in answer.coverage.inputs] == [("alerts", 1), ("rules", 1)]


def test_a_rule_that_cannot_be_evaluated_proves_nothing() -> None:
    """R20: its alert may be missing for that reason."""
    answer = search(rules=[RuleView("HighErrorRate", "found duplicate series")], name="HighErrorRate")
    (doubt,) = answer.coverage.doubts
    assert (doubt.kind, doubt.example) == (DoubtKind.PARTIAL, "HighErrorRate: found duplicate series")


def test_where_no_names_can_be_listed_only_a_near_one_is_a_doubt() -> None:
    """R71: an Alertmanager or a file of alerts."""
    near = search(alert("HighErrorRate"), name="HighErorRate")
    assert [(one.unknown, one.nearest) for one in near.coverage.doubts] == [("", ("HighErrorRate",))]
    assert search(alert("DiskSlow"), name="HighErorRate").coverage.complete


def test_a_service_that_no_label_names_may_be_misspelt() -> None:
    """R71: the nearest is named; not where its own series tell that it is there and well."""
    misspelt = search(alert("Jam", container="checkout"), service="chekcout")
    assert [(one.unknown, one.nearest) for one in misspelt.coverage.doubts] == [("chekcout", ("checkout",))]
    source = AlertSource("prod", AlertsAsked(service="card-api"), [alert("Jam", app="cart-api")], services=["card-api"])
    assert answer_of_alerts([source], [], window=WINDOW, limit=5, named=False).coverage.complete
    assert search(alert("Jam", app="billing"), service="checkout").coverage.complete


def test_an_alert_of_ten_thousand_rules_is_found_unknown() -> None:
    """Bad input: the nearest three, however many there are."""
    answer = search(rules=[RuleView(f"Rule{n}Fires") for n in range(10_000)], name="RuleSevenFires")
    assert len(answer.coverage.doubts[0].nearest) <= 3
    assert answer.coverage.counts.entries == 10_000


# ---------------------------------------------------------------- a Prometheus and an Alertmanager


def test_an_alert_of_both_is_one_that_fires_and_is_silenced() -> None:
    """R84: by whom and until when; labels that the server adds to what it sends do not make it another."""
    fired = AlertSource("prod", AlertsAsked(), [alert("Jam", service="print", severity="page")])
    view = AlertView({"alertname": "Jam", "service": "print", "severity": "page", "dc": "a"}, {}, "suppressed")
    told = {"labels": dict(view.labels), "silenced_by": "kim", "silenced_until": "2031-03-05T00:00:00Z"}
    who = AlertSource("am", AlertsAsked(), [Alert(view, told), alert("Other", "firing")], tells_who=True)
    answer = answer_of_alerts([fired, who], [], window=WINDOW, limit=50, named=True)
    assert names(answer) == ["Jam", "Other"]
    assert (answer.rows[0]["state"], answer.rows[0]["silenced_by"]) == ("firing", "kim")
    assert answer.rows[0]["source"] == "prod, am"
    assert [(one.by, one.count) for one in answer.coverage.excluded] == [("duplicate", 1)]


@pytest.mark.parametrize(
    ("word", "level"),
    [
        ("critical", Level.CRITICAL),
        ("严重", Level.CRITICAL),
        ("P1", Level.CRITICAL),
        ("sev-2", Level.ERROR),
        ("高", Level.ERROR),
        ("Warning", Level.WARN),
        ("警告", Level.WARN),
        ("none", Level.TRACE),
        ("whatever", None),
    ],
)
def test_severities_have_one_order_in_both_languages(word: str, level: Level | None) -> None:
    """R70: an unknown word is none of them."""
    assert severity_of(word) == level
