"""R22: whatever came from outside, no secret of it stands anywhere afterwards."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from infra.embedded import running_servers
from infra.settings import Settings

MARK = "pl4nted"
"""Stands in every secret, and nowhere else."""
QUESTION = f"请排查 checkout 是否有 OOMKilled，password={MARK}Q1，cookie: sid={MARK}Q2"


def secret(place: str) -> str:
    return f"{MARK}{place}S3cr3t"


@pytest.fixture
def sources(tmp_path: Path) -> tuple[str, ...]:
    """Secrets in lines, in an alert's annotations, in names, headings, a runbook and a skill."""
    logs, knowledge, skills = (tmp_path / name for name in ("logs", "knowledge", "skills"))
    for folder in (logs / "checkout", knowledge, skills / "oom"):
        folder.mkdir(parents=True)
    body = json.dumps({"apiKey": secret("L1"), "inner": json.dumps({"password": secret("L2")})})
    (logs / "checkout" / "app.log").write_text(
        f"2026-07-08T12:00:00Z ERROR checkout OOMKilled client_secret={secret('L3')} body={json.dumps(body)}\n"
        f"2026-07-08T12:00:01Z ERROR checkout OOMKilled mysql -uroot -p{secret('L4')} shop\n"
        f"2026-07-08T12:00:02Z ERROR checkout OOMKilled https://u:{secret('L5')}@db/x Cookie: a={secret('L6')}\n"
    )
    (logs / f"password={secret('N1')}.log").write_text("2026-07-08T12:00:02Z ERROR checkout OOMKilled\n")
    (knowledge / "oom.md").write_text(
        f"# OOMKilled password={secret('H1')}\n\nOOMKilled: log in with --token {secret('K1')}\n"
    )
    (skills / "oom" / "SKILL.md").write_text(
        f"---\nname: oom\ndescription: checkout token={secret('D1')}\n---\nOOMKilled password：{secret('D2')}\n"
    )
    alert = {
        "labels": {"alertname": "OOMKilled", "service": "checkout"},
        "annotations": {"description": f"see https://hooks.slack.com/services/T0/B0/{secret('A1')}xxxxxxxxx"},
        "state": "firing",
        "activeAt": "2026-07-08T11:50:00Z",
        "value": "1",
    }
    metrics = tmp_path / "alerts.json"
    metrics.write_text(json.dumps({"status": "success", "data": {"alerts": [alert]}}))
    places = {"logs": logs, "knowledge": knowledge, "skills": skills, "metrics": metrics}
    return tuple(part for kind, place in places.items() for part in (f"--{kind}", str(place)))


def test_no_store_and_no_output_holds_a_planted_secret(
    new_assay: Callable[[], Any], model_server: Any, sources: tuple[str, ...]
) -> None:
    """Events, read models, model requests, exports, logs, and what the commands print."""
    requests: list[str] = []

    def script(asked: Any) -> Any:
        requests.append(json.dumps(asked.request, ensure_ascii=False))
        if asked.number == 1:
            return asked.http(500, f"api key provided: {secret('E1')}".encode())
        answer = asked.usual()
        message = answer["choices"][0]["message"]
        message["reasoning_content"] = f"password={secret('T1')}"
        if asked.agent == "planner":
            message["content"] = json.dumps(json.loads(message["content"]) | {"reasoning": f"token: {secret('T2')}"})
        for call in message.get("tool_calls") or ():
            given = json.loads(call["function"]["arguments"])
            call["function"]["arguments"] = json.dumps(given | {"note": f"secret_key={secret('T3')}"})
            break
        return answer

    assay = new_assay()
    settings = model_server.plays(script) | {"ASSAY_LOG": "DEBUG"}
    asked = assay.run("ask", QUESTION, *sources, "--now", "2026-07-08T12:05:00Z", "--json", **settings)
    assert asked.status == 0, asked.err
    session = asked.document["session_id"]
    export = assay.folder / "session.jsonl"
    printed = [asked.out, asked.err]
    for arguments in (
        ("session", "feedback", session, "wrong", f"password={secret('F1')}"),
        ("verdict", "override", session, "REJECT", "--reason", f"token={secret('F2')}"),
        ("session", "show", session),
        ("session", "show", session, "--json"),
        ("session", "tail", session, "--json"),
        ("session", "replay", session),
        ("session", "list", "--json"),
        ("session", "export", session, "-o", str(export)),
        ("access", "list", "--json"),
        ("doctor",),
        ("tool", "run", "query_logs", "--arguments", '{"query": "OOMKilled", "ever": true}', *sources[:2]),
        ("sources", "check", *sources),
    ):
        ran = assay.here(*arguments)
        assert "checkout" in ran.out or arguments[0] != "tool"
        printed += [ran.out, ran.err]
    where = {
        "printed": "\n".join(printed),
        "requests": "\n".join(requests),
        "export": export.read_text(),
        "tables": _tables(assay.environment),
        "files": _files(assay.folder),
    }
    found = {
        name: sorted({left[-60:] for left in re.findall(f".{{0,60}}{MARK}..", text)}) for name, text in where.items()
    }
    assert found == {name: [] for name in where}
    assert len(requests) > 5
    assert "[masked:password]" in where["requests"]


def _tables(environment: dict[str, str]) -> str:
    with (
        running_servers(Settings.load(environment)) as servers,
        psycopg.connect(servers.postgres_dsn) as connection,
    ):
        tables = connection.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname LIKE 'assay%'"
        ).fetchall()
        assert tables
        return "\n".join(
            str(row) for (name,) in tables for row in connection.execute(f"SELECT t::text FROM {name} t").fetchall()
        )


def _files(folder: Path) -> str:
    """Of the data folder as well: what is sealed there cannot be read, what is not would be."""
    return "\n".join(
        file.read_bytes().decode(errors="replace")
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink() and file.name != "session.jsonl"
    )


def test_what_the_key_is_called_turns_no_answer(served: Any, model_server: Any) -> None:
    """Words of the question, of the evidence and of JSON: none of them is replaced anywhere."""

    def answer(key: str) -> tuple[str, str, str]:
        settings = model_server.plays(lambda asked: asked.usual()) | {"OPENAI_API_KEY": key}
        told = served.ask(
            "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。", **settings
        )
        return told["verdict"], told["outcome"], told["answer"]

    usual = answer("sk-acceptance-1234567890")
    assert usual[:2] == ("PASS", "NORMAL")
    assert [answer(key) for key in ("ollama", "x", "1", "order", "firing")] == [usual] * 5
