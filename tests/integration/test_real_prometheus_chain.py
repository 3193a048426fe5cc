"""Done-when 3: a question about a real Prometheus, a folder of logs in three formats and a folder of Markdown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from infra.embedded import running_servers
from infra.settings import Settings

pytestmark = pytest.mark.program("prometheus")

RUNBOOK = """# SpoolSlotsLow

tape-service 的卷带槽位使用率超过 85% 时触发。先确认告警的 current 值，再看日志里的 spool slots。
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Data and keys of this module's own, with servers that stay up between its questions."""
    folder = tmp_path_factory.mktemp("chain")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "OPENAI_"))}
    environment = kept | {"ASSAY_DATA_DIR": str(folder / "data"), "ASSAY_KEY_DIR": str(folder / "keys")}
    with running_servers(Settings.load(environment)):
        yield environment


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory, prometheus: str) -> list[str]:
    """The options of `ask`: what has happened in the last minutes."""
    logs, knowledge = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("knowledge")
    first, second, third = (datetime.now(UTC) - timedelta(minutes=age) for age in (9, 6, 3))
    in_json = {
        "timestamp": f"{first:%Y-%m-%dT%H:%M:%SZ}",
        "level": "WARN",
        "service": "tape-service",
        "message": "spool slots used=86%",
    }
    _write(logs / "tape.jsonl", json.dumps(in_json))
    _write(
        logs / "tape.logfmt",
        f'time={second:%Y-%m-%dT%H:%M:%SZ} level=warn service=tape-service msg="spool slots" used=89%',
    )
    _write(logs / "tape.log", f"{third:%Y-%m-%d %H:%M:%S},120+00:00 [ERROR] [tape-service] spool slots used=91%")
    _write(knowledge / "spool.md", RUNBOOK)
    return ["--metrics", prometheus, "--logs", str(logs), "--knowledge", str(knowledge)]


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n")


def assay(environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    """The JSON object that a command prints."""
    command = [sys.executable, "-m", "handlers", *arguments, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_firing_alert_is_confirmed_with_what_the_logs_say(sources: list[str], environment: dict[str, str]) -> None:
    """Done-when 3: PASS, from the live alert and the lines of all three formats."""
    told = assay(
        environment, "ask", "请排查 tape-service 当前是否存在 SpoolSlotsLow 告警，并查看 spool slots 日志。", *sources
    )
    assert (told["verdict"], told["outcome"], told["source"]) == ("PASS", "NORMAL", "given")
    for words in ("tape-service", "SpoolSlotsLow", "firing", "91%", "86%", "89%"):
        assert words in told["answer"]


def test_a_service_that_is_not_there_is_not_found(sources: list[str], environment: dict[str, str]) -> None:
    """Done-when 3, R20, R48: 未检索到, and nothing of another service is claimed."""
    told = assay(
        environment, "ask", "请排查 print-service 当前是否存在 SpoolSlotsLow 告警和 spool slots 日志。", *sources
    )
    assert "未检索到" in told["answer"]
    assert "print-service" in told["answer"]
    for words in ("tape-service", "firing", "91%", "86%", "89%"):
        assert words not in told["answer"]

    shown = assay(environment, "session", "show", told["session_id"])
    claims = shown["evaluation"]["verifier_evaluation"]["executor_structured_output"]["claims"]
    assert {claim["claim_type"] for claim in claims} <= {"negative_observation", "documentation"}


@pytest.mark.parametrize(
    ("question", "verdict", "says"),
    [
        (
            "tape-service 当前是否存在 SpoolSlotLow 告警",
            "LOW_CONFID",
            "没有名为 SpoolSlotLow 的告警；最接近的是 SpoolSlotsLow",
        ),
        ("tape-service 当前是否存在 SpoolJammed 告警", "PASS", "未检索到 tape-service 的 SpoolJammed 告警"),
        ("vault-keeper 当前是否存在 KubePodCrashLooping 告警", "PASS", "当前存在 KubePodCrashLooping 告警（firing）"),
        ("what is the value of go_memstats_heap_sys_bytes?", "PASS", "go_memstats_heap_sys_bytes (instance="),
        ("dead 服务是否存活？up 指标是多少？", "PASS", "job=dead）的值为 0"),
        ("What is the trend of go_goroutines over the last hour?", "PASS", ", direction="),
    ],
)
def test_a_real_server_is_asked_for_names_values_and_trends(
    prometheus: str, environment: dict[str, str], question: str, verdict: str, says: str
) -> None:
    """R71, R84: an unknown alert, an inactive rule, a pod's alert for its deployment, values and a trend."""
    told = assay(environment, "ask", question, "--metrics", prometheus)
    assert told["verdict"] == verdict, told["answer"]
    assert says in told["answer"]
