"""Questions about alerts that were answered wrongly or too little once (R68 to R71, R84).

`data/alerts` holds the answers of a Prometheus and of an Alertmanager: eight alerts fire, one is pending.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).with_name("data") / "alerts"
NOW = "2026-11-30T22:45:00Z"
FIRING = (
    *("HeapBig", "HighMemoryUsage", "NodeFilesystemAlmostOutOfSpace", "KubePodCrashLooping"),
    *("HighLatencyP99", "FlappyAlert", "QueueBacklog", "Watchdog"),
)


def asked(served: Any, question: str, file: str = "prometheus-alerts.json", now: str = NOW) -> dict[str, Any]:
    found: dict[str, Any] = served.ask(question, "--metrics", str(DATA / file), "--now", now, TZ="UTC")
    return found


@pytest.mark.parametrize("file", ["prometheus-alerts.json", "alertmanager-alerts.json"])
@pytest.mark.parametrize("question", ["Which alerts are firing?", "当前有哪些告警？"])
def test_which_alerts_fire_is_answered_with_all_the_worst_first(served: Any, question: str, file: str) -> None:
    """R70: all eight in both languages; the harmless Watchdog comes last."""
    answer = asked(served, question, file)
    assert answer["verdict"] == "PASS", answer["answer"]
    places = {name: answer["answer"].find(name) for name in FIRING}
    assert [name for name, place in places.items() if place < 0] == []
    assert max(places, key=lambda name: places[name]) == "Watchdog"
    assert "HighErrorRate" not in answer["answer"]


def test_how_many_is_answered_with_the_number(served: Any) -> None:
    """R70: of those that fire."""
    answer = asked(served, "有多少条告警在 firing？")
    assert answer["verdict"] == "PASS", answer["answer"]
    assert "8 个告警" in answer["answer"]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Any alerts in namespace shop?", ("KubePodCrashLooping",)),
        ("What alerts does checkout have?", ("HighErrorRate", "pending", "HighLatencyP99", "KubePodCrashLooping")),
        ("checkout pod 一直重启，怎么排查？", ("KubePodCrashLooping", "CrashLoopBackOff")),
        ("Watchdog 告警是否存在？", ("Watchdog", "firing")),
        ("NodeFilesystemAlmostOutOfSpace", ("Filesystem has less than 3% space left", "2.70% available space left")),
    ],
)
def test_alerts_are_found_by_their_labels_and_told_whole(served: Any, question: str, says: tuple[str, ...]) -> None:
    """R68: by namespace, by container, and without any service; no text is cut into another sentence."""
    answer = asked(served, question)
    assert answer["verdict"] == "PASS", answer["answer"]
    assert [word for word in says if word not in answer["answer"]] == []
    assert "未检索到" not in answer["answer"]
    assert "has less。" not in answer["answer"]


def test_a_prometheus_and_an_alertmanager_are_one_answer(served: Any) -> None:
    """R84: each alert once, firing; of the silenced and the inhibited one it is said that nobody is told."""
    files = [str(DATA / name) for name in ("prometheus-alerts.json", "alertmanager-alerts.json")]
    question = "当前有哪些告警？"
    answer = served.ask(question, "--metrics", files[0], "--metrics", files[1], "--now", NOW, TZ="UTC")
    assert answer["verdict"] == "PASS", answer["answer"]
    assert [name for name in FIRING if answer["answer"].count(f"当前存在 {name} 告警（firing）") != 1] == []
    assert "HighLatencyP99 告警（firing），通知被抑制（status.state=suppressed）" in answer["answer"]
    assert "QueueBacklog 告警（firing），被 HighMemoryUsage 抑制" in answer["answer"]


def test_a_misspelt_alert_is_no_absence(served: Any) -> None:
    """R71: a file cannot list its rules, but an alert of a name like it is there."""
    answer = asked(served, "checkout 当前是否存在 HighErorRate 告警")
    assert answer["verdict"] == "LOW_CONFID", answer["answer"]
    assert "有名称相近的告警 HighErrorRate" in answer["answer"]
    assert "未检索到" not in answer["answer"]


def test_a_misspelt_service_is_no_absence(served: Any) -> None:
    """R71: no label names it, one of a name like it is there."""
    answer = asked(served, "chekcout 有哪些告警？")
    assert answer["verdict"] == "LOW_CONFID", answer["answer"]
    assert "没有名为 chekcout 的服务；最接近的是 checkout" in answer["answer"]
    assert "未检索到" not in answer["answer"]


@pytest.mark.parametrize(
    "question", ["请排查 order-service 当前是否存在 KubePodCrashLooping 告警", "请排查 order-service 当前是否存在告警"]
)
def test_an_alert_that_names_the_service_in_its_pod_alone_is_found(served: Any, question: str) -> None:
    """R68, reports 04."""
    answer = asked(served, question, "reports-04.json", "2026-07-08T11:20:00Z")
    assert answer["verdict"] == "PASS", answer["answer"]
    assert "当前存在 KubePodCrashLooping 告警（firing）" in answer["answer"]


def test_an_alert_that_is_not_there_is_not_found_and_the_answer_says_among_how_many(served: Any) -> None:
    """R69: sought by name and service among all that the source holds."""
    answer = asked(served, "请确认 checkout 当前是否存在 DiskSlow 告警")
    assert answer["verdict"] == "PASS", answer["answer"]
    assert "未检索到 checkout 的 DiskSlow 告警" in answer["answer"]
    assert "1 个输入、9 条记录" in answer["answer"]
    (call,) = (one for one in served.show(answer["session_id"])["tools"] if one["tool_name"] == "query_metrics")
    coverage = call["retrieval_details"]["coverage"]
    assert (coverage["sought"]["services"], coverage["sought"]["words"]) == (["checkout"], ["DiskSlow"])
    assert coverage["complete"] is True
