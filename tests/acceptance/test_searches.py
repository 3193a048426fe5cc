"""Folders whose logs were not understood once: what is there is found, and what cannot be decided is a gap (R68–R71).

`data/searches` holds a folder each, `data/reports` the logs of reported faults, each of which is asked for alone.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

DATA = Path(__file__).with_name("data")
NOW = "2024-05-01T10:30:00Z"
ERRORS = "order-service 最近1小时有没有 ERROR 日志？"
OUT_OF_MEMORY = "order-service 最近1小时有没有 OutOfMemoryError？"
REPORTED_NOW = "2026-07-08T11:20:00Z"
DEADLOCK = "请确认 order-service 最近一小时是否出现 deadlock 日志"


class Search(NamedTuple):
    """`says`: what the answer holds. `window`: of the search for logs."""

    question: str
    says: tuple[str, ...]
    window: str = "2024-05-01T09:30:00Z/2024-05-01T10:30:00Z"


FOUND = {
    "level-lowercase": Search(ERRORS, ("db down", "10:05:00")),
    "level-after-pid": Search(ERRORS, ("db down", "10:05:00")),
    "level-mysql": Search("mysqld 服务最近1小时有没有 ERROR 日志？", ("Aborting", "mysqld")),
    "level-cri": Search(ERRORS, ("db down",)),
    "level-pino": Search(ERRORS, ("db down",)),
    "level-worse-than-asked": Search(ERRORS, ("FATAL",)),
    "level-word-as-text": Search('order-service 最近1小时有没有 "error" 日志？', ("order 17 failed: db down",)),
    "service-cri-pods": Search(OUT_OF_MEMORY, ("OutOfMemoryError",)),
    "service-replica-number": Search(OUT_OF_MEMORY, ("OutOfMemoryError",)),
    "service-camel": Search(OUT_OF_MEMORY, ("OutOfMemoryError",)),
    "service-folder": Search(OUT_OF_MEMORY, ("OutOfMemoryError",)),
    "service-compose": Search(OUT_OF_MEMORY, ("OutOfMemoryError",)),
    "service-gcp": Search(OUT_OF_MEMORY, ("OutOfMemoryError",)),
    "service-otlp": Search(OUT_OF_MEMORY, ("OutOfMemoryError",)),
    "service-iso-syslog-without-pid": Search(
        'kernel 服务最近1小时有没有 "Out of memory" 日志？', ("Out of memory", "kernel")
    ),
    "glued-klog": Search(OUT_OF_MEMORY, ("OutOfMemoryError", "2024-05-01T10:05:00")),
    "skipped-syslog": Search(OUT_OF_MEMORY, ("OutOfMemoryError",)),
    "skipped-date-rotation": Search(OUT_OF_MEMORY, ("OutOfMemoryError", "10:05:00")),
    "window-two-hours": Search(
        "order-service 最近两小时有没有 OutOfMemoryError？",
        ("OutOfMemoryError",),
        "2024-05-01T08:30:00Z/2024-05-01T10:30:00Z",
    ),
    "window-yesterday": Search(
        "order-service 昨天有没有 OutOfMemoryError？",
        ("OutOfMemoryError",),
        "2024-04-30T00:00:00Z/2024-05-01T00:00:00Z",
    ),
    "words-oomkilled": Search("order-service 最近1小时有没有 OOM？", ("OOMKilled",)),
    "words-5xx": Search("access 最近1小时有没有 5xx 日志？", ("500", "/orders/3")),
    "offtopic-english-auth": Search(
        "are there authentication failures from 203.0.113.9 in OpenSSH logs?", ("authentication failure", "203.0.113.9")
    ),
}

GAPS = {
    "skipped-tar-gz": Search(OUT_OF_MEMORY, ("未能确定是否存在", "logs-2024-05-01.tar.gz/o.log", "没有标明所属服务")),
    "service-typo": Search(
        "ordr-service 最近1小时有没有 OutOfMemoryError？", ("没有名为 ordr-service 的服务", "最接近的是 order-service")
    ),
    "timezone-local": Search(OUT_OF_MEMORY, ("未能确定是否存在", "时间未带时区（暂按 UTC 计）", "--log-zone")),
}


def asked(served: Any, folder: Path, question: str, now: str = NOW) -> dict[str, Any]:
    found: dict[str, Any] = served.ask(question, "--logs", str(folder), "--now", now, TZ="UTC")
    return found


def windows(served: Any, session_id: str) -> list[str]:
    """Of the searches for logs of a session."""
    calls = served.show(session_id)["tools"]
    return [one["retrieval_details"]["coverage"]["window"] for one in calls if one["tool_name"] == "query_logs"]


@pytest.mark.parametrize("name", FOUND)
def test_what_stands_in_the_folder_is_found(served: Any, name: str) -> None:
    """R68: PASS, naming the entry, searched in the window that was asked for."""
    search = FOUND[name]
    answer = asked(served, DATA / "searches" / name, search.question)

    assert answer["verdict"] == "PASS", answer["answer"]
    assert [word for word in search.says if word not in answer["answer"]] == []
    assert "未检索到" not in answer["answer"]
    assert search.window in windows(served, answer["session_id"])


@pytest.mark.parametrize("name", GAPS)
def test_what_cannot_be_decided_is_a_gap_with_its_reason(served: Any, name: str) -> None:
    """R69, R71: never 未检索到."""
    search = GAPS[name]
    answer = asked(served, DATA / "searches" / name, search.question)

    assert answer["verdict"] == "LOW_CONFID", answer["answer"]
    assert [word for word in search.says if word not in answer["answer"]] == []
    assert "未检索到" not in answer["answer"]


def test_a_link_out_of_the_folder_is_named(served: Any, tmp_path: Path) -> None:
    """R69: it is not entered, so nothing behind it is absent."""
    folder = Path(shutil.copytree(DATA / "searches" / "skipped-linked-folder", tmp_path / "linked"))
    (folder / "logs" / "pod").symlink_to(folder / "real")
    answer = asked(served, folder / "logs", OUT_OF_MEMORY)

    assert answer["verdict"] == "LOW_CONFID", answer["answer"]
    assert "pod：链接指向目录之外" in answer["answer"]


def test_a_link_within_the_folder_is_entered(served: Any, tmp_path: Path) -> None:
    """R69."""
    folder = Path(shutil.copytree(DATA / "searches" / "skipped-linked-folder", tmp_path / "linked"))
    (folder / "logs" / "pod").symlink_to(folder / "real")
    answer = asked(served, folder, OUT_OF_MEMORY)

    assert answer["verdict"] == "PASS", answer["answer"]
    assert "OutOfMemoryError" in answer["answer"]


COMMANDS = "- Check pod events via `kubectl -n $NAMESPACE describe pod $POD`.\n"
DIAGNOSED = "据《KubePodCrashLooping / Diagnosis》（KubePodCrashLooping.md#3）：\n- Check template via `kubectl"
MITIGATED = "据《KubePodCrashLooping / Mitigation》（KubePodCrashLooping.md#4）：\nTalk with developers"


def chinese_leads(answer: str) -> str:
    return re.sub(r'From "(.+?)" \((.+?)\):', r"据《\1》（\2）：", answer)


def documented(served: Any, question: str, *sources: str) -> dict[str, Any]:
    found: dict[str, Any] = served.ask(question, "--knowledge", str(DATA / "searches" / "knowledge"), *sources)
    return found


@pytest.mark.parametrize(
    "question",
    [
        "KubePodCrashLooping 怎么处理？",
        "what should I do for KubePodCrashLooping?",
        "how to fix KubePodCrashLooping?",
        "KubePodCrashLooping 告警如何处置",
        "kube-pod-crash-looping 怎么缓解？",
    ],
)
def test_what_to_do_is_answered_with_diagnosis_and_mitigation(served: Any, question: str) -> None:
    """R15, R43: verbatim, commands on lines of their own, under title and source; never an action of ours."""
    answer = documented(served, question)

    assert answer["verdict"] == "PASS", answer["answer"]
    assert [part for part in (DIAGNOSED, COMMANDS, MITIGATED) if part not in chinese_leads(answer["answer"])] == []
    assert "which means the app dies" not in answer["answer"]
    assert "Service degradation" not in answer["answer"]


@pytest.mark.parametrize("question", ["What does KubePodCrashLooping mean?", "KubePodCrashLooping 是什么意思？"])
def test_what_a_thing_means_is_answered_with_its_meaning(served: Any, question: str) -> None:
    """R43: and with nothing that is to be done."""
    answer = documented(served, question)

    assert answer["verdict"] == "PASS", answer["answer"]
    assert "》（KubePodCrashLooping.md#1）：\nPod is in CrashLoop which means" in chinese_leads(answer["answer"])
    assert "kubectl" not in answer["answer"]


def test_with_an_alert_beside_it_the_runbook_is_still_told_what_to_do(served: Any) -> None:
    """R21: what fires is observed; the runbook is documentation, and says nothing of now."""
    alerts = str(DATA / "alerts" / "prometheus-alerts.json")
    answer = documented(served, "KubePodCrashLooping 现在触发了吗，怎么处理？", "--metrics", alerts)

    assert "KubePodCrashLooping 告警（firing）" in answer["answer"]
    assert DIAGNOSED in answer["answer"]
    assert answer["answer"].index("告警（firing）") < answer["answer"].index(DIAGNOSED)


def test_a_document_that_is_not_there_is_no_answer(served: Any) -> None:
    """R20: nothing invented."""
    answer = documented(served, "EtcdInsufficientMembers 怎么处理？")

    assert answer["verdict"] == "LOW_CONFID"
    assert "据《" not in answer["answer"]


def test_a_runbook_that_is_too_large_is_said_to_be_unread(served: Any, tmp_path: Path) -> None:
    """R69: a gap with its reason, and how to mend it."""
    with (tmp_path / "EtcdInsufficientMembers.md").open("wb") as file:
        file.truncate(2 * 1024**3)
    answer = served.ask("EtcdInsufficientMembers 怎么处理？", "--knowledge", str(tmp_path))

    assert answer["verdict"] == "LOW_CONFID", answer["answer"]
    assert "1 个输入未能读取（EtcdInsufficientMembers.md：文件过大）" in answer["answer"]


def alone(file: Path, folder: Path) -> Path:
    """A folder that holds this file as the log of order-service."""
    folder.mkdir()
    shutil.copy(file, folder / f"order-service{file.suffix}")
    return folder


@pytest.mark.parametrize("file", sorted((DATA / "reports" / "01" / "logs").iterdir()), ids=lambda file: file.name)
def test_an_error_is_found_however_its_level_is_written(served: Any, tmp_path: Path, file: Path) -> None:
    """R68: report 01, nine usual formats."""
    answer = asked(
        served, alone(file, tmp_path / "logs"), "请确认 order-service 最近一小时是否有 ERROR 级别日志", REPORTED_NOW
    )

    assert answer["verdict"] == "PASS", answer["answer"]
    assert "未检索到" not in answer["answer"]


@pytest.mark.parametrize("name", ["order-service.log", "coloured.log"])
def test_a_line_with_a_stamp_of_its_own_is_no_part_of_the_one_before(served: Any, tmp_path: Path, name: str) -> None:
    """R68: report 02."""
    answer = asked(served, alone(DATA / "reports" / "02" / name, tmp_path / "logs"), DEADLOCK, REPORTED_NOW)

    assert answer["verdict"] == "PASS", answer["answer"]
    assert "deadlock detected" in answer["answer"]
    assert "INFO" not in answer["answer"]


@pytest.mark.parametrize(
    ("name", "sought", "says"),
    [
        ("bigint.jsonl", "123456789012345678901234", "123456789012345678901234"),
        ("fullwidth.log", "deadlock", "ｄｅａｄlock"),
        ("repeated-key.jsonl", "deadlock", "deadlock"),
        ("zero-width.log", "deadlock", "lock detected"),
    ],
)
def test_the_text_of_an_entry_is_what_stands_in_the_file(
    served: Any, tmp_path: Path, name: str, sought: str, says: str
) -> None:
    """R68: report 05."""
    question = f"请确认 order-service 最近一小时是否出现 {sought} 日志"
    answer = asked(served, alone(DATA / "reports" / "05" / name, tmp_path / "logs"), question, REPORTED_NOW)

    assert answer["verdict"] == "PASS", answer["answer"]
    assert says in answer["answer"]


@pytest.mark.parametrize(
    "line",
    [
        r'2026-07-08T11:13:00Z ERROR body="{\"user\":\"bob\"}" deadlock',
        r'2026-07-08T11:13:00Z ERROR say="x \"y\" z" deadlock',
        '2026-07-08T11:13:00Z ERROR {"user":"bob"} deadlock',
    ],
)
def test_a_line_with_a_quoted_field_is_stated_and_not_rejected(served: Any, tmp_path: Path, line: str) -> None:
    """R46, R49: report 14; of an object an ellipsis stays."""
    (tmp_path / "order-service.log").write_text(f"{line}\n")
    answer = asked(served, tmp_path, DEADLOCK, REPORTED_NOW)

    assert answer["verdict"] == "PASS", answer["answer"]
    assert "deadlock" in answer["answer"]
    assert "{" not in answer["answer"]


def test_what_a_runbook_says_of_causes_is_no_cause(served: Any) -> None:
    """R21, R48, R70: "due to resource constraints" is said of such pods in general; it tells where to look on."""
    alerts = str(DATA / "alerts" / "prometheus-alerts.json")
    answer = documented(served, "checkout 为什么一直重启？", "--metrics", alerts)

    assert "按《KubePodCrashLooping》“Diagnosis”一节收集证据" in answer["answer"]
    assert answer["verdict"] == "LOW_CONFID", answer["answer"]
    assert "未找到能证实原因的证据" in answer["answer"]


def test_a_runbook_is_quoted_in_an_english_answer_under_an_english_lead(served: Any) -> None:
    """R83: its text stays as it is."""
    answer = documented(served, "what should I do for KubePodCrashLooping?")

    assert 'From "KubePodCrashLooping / Diagnosis" (KubePodCrashLooping.md#3):\n- Check template' in answer["answer"]
