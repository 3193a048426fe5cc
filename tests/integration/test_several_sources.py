"""Several sources of a kind at once: all are asked, each row says which it is of, and one that fails is a doubt."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from domain.events import Source
from domain.evidence.extraction import extract_evidence
from infra.tools.contract import ToolContext, ToolResult
from infra.tools.knowledge import knowledge_map, knowledge_tool
from infra.tools.logs import logs_tool
from infra.tools.metrics import metrics_tool
from infra.tools.skills import skill_catalog, skill_tool

CONTEXT = ToolContext(datetime(2031, 3, 4, 12, 0, tzinfo=UTC), 60, 7, "session")


def alert(name: str, **labels: str) -> dict[str, Any]:
    return {"labels": {"alertname": name, **labels}, "annotations": {}, "state": "firing", "value": "1"}


@contextmanager
def prometheus(*alerts: dict[str, Any], token: str = "") -> Iterator[str]:
    """A server that answers `/api/v1/alerts` and one expression, if it is shown its token."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            allowed = not token or self.headers["Authorization"] in (f"Bearer {token}", f"Basic {token}")
            vector = {"resultType": "vector", "result": [{"metric": {"job": "tape"}, "value": [0, "5"]}]}
            data = vector if "/query" in self.path else {"alerts": alerts}
            body = json.dumps({"status": "success", "data": data} if allowed else "no").encode()
            self.send_response(200 if allowed else 401)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def alerts_file(path: Path, *alerts: dict[str, Any]) -> str:
    path.write_text(json.dumps({"status": "success", "data": {"alerts": alerts}}))
    return str(path)


def metrics(name: str, address: str, **more: Any) -> Source:
    return Source(kind="metrics", name=name, address=address, **more)


def ask(*sources: Source, **arguments: Any) -> ToolResult:
    return asyncio.run(metrics_tool(sources).run(arguments, CONTEXT))


# ---------------------------------------------------------------- metrics


def test_the_alerts_of_all_servers_and_files_are_one_answer(tmp_path: Path) -> None:
    """R84: each row says which source it is of; total counts all."""
    file = alerts_file(tmp_path / "a.json", alert("TapeLow"), alert("PaperJam"))
    with prometheus(alert("TapeLow", zone="b")) as url:
        result = ask(metrics("stage", file), metrics("prod", url), alert_name="TapeLow")
    output = json.loads(result.output)
    assert [(row["labels"]["alertname"], row["source"]) for row in output["alerts"]] == [
        ("TapeLow", "stage"),
        ("TapeLow", "prod"),
    ]
    assert (output["source"], output["total"], output["truncated"]) == ("stage, prod", 2, False)


def test_one_source_alone_is_answered_as_ever(tmp_path: Path) -> None:
    """Rows stand as the server gave them."""
    output = json.loads(ask(metrics("stage", alerts_file(tmp_path / "a.json", alert("TapeLow")))).output)
    assert output["source"] == "a.json"
    assert "source" not in output["alerts"][0]


def test_an_absence_over_several_sources_can_be_cited(tmp_path: Path) -> None:
    """R20: all were asked, and none has it."""
    sources = [metrics(name, alerts_file(tmp_path / name, alert("PaperJam"))) for name in ("a", "b")]
    result = ask(*sources, alert_name="TapeLow")
    (ref,) = extract_evidence("query_metrics", result.output, base=result.retrieval).evidence_refs or ()
    assert (ref.raw_path, ref.text.rsplit(" ", 1)[1]) == ("$.alerts", "total=0")
    assert "source=a, b" in ref.text


def test_a_server_that_fails_is_a_doubt_and_costs_no_other_answer(tmp_path: Path) -> None:
    """R69: what the others have is found; that there is no more cannot be cited, and why is said."""
    file = alerts_file(tmp_path / "a.json", alert("TapeLow"))
    result = ask(metrics("stage", file), metrics("prod", str(tmp_path / "none.json")), alert_name="TapeLow")
    coverage = result.retrieval.coverage
    assert coverage is not None
    assert [(one.name, one.reason, one.could_match) for one in coverage.unread] == [("prod", "error", True)]
    assert (coverage.complete, [one.name for one in coverage.inputs]) == (False, ["stage"])
    refs = extract_evidence("query_metrics", result.output, base=result.retrieval).evidence_refs or ()
    assert [ref.raw_path for ref in refs] == ["$.alerts[0]"]
    assert "prod 无法查询" in json.loads(result.output)["message"]


def test_if_all_fail_the_call_has_failed_and_each_is_named(tmp_path: Path) -> None:
    result = ask(metrics("a", str(tmp_path / "a.json")), metrics("b", str(tmp_path / "b.json")))
    assert (result.success, result.error_kind) == (False, "source")
    assert f"a: [Errno 2] No such file or directory: '{tmp_path}/a.json'; b: [Errno 2]" in result.error_message


def test_a_source_without_expressions_fails_no_other(tmp_path: Path) -> None:
    """A file of alerts has no value that could be missing from the answer."""
    with prometheus() as url:
        result = ask(metrics("stage", alerts_file(tmp_path / "a.json")), metrics("prod", url), expr="up")
    output = json.loads(result.output)
    assert (output["items"][0]["value"], output["items"][0]["source"]) == ("5", "prod")
    assert result.retrieval.coverage is not None
    assert (output["truncated"], result.retrieval.coverage.complete) == (False, True)
    assert [one.name for one in result.retrieval.coverage.inputs] == ["prod"]


def test_the_operator_says_which_labels_stand_for_a_service(tmp_path: Path) -> None:
    """R68: `services = { "job=api-7" = "checkout" }`."""
    file = alerts_file(tmp_path / "a.json", alert("TapeLow", job="api-7"))
    told = metrics("prod", file, services={"job=api-7": "checkout"})
    assert json.loads(ask(told, service="Checkout").output)["total"] == 1
    assert json.loads(ask(metrics("prod", file), service="checkout").output)["total"] == 0


def test_a_credential_may_name_its_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROM_TOKEN", "Basic hush-1234")
    with prometheus(alert("TapeLow"), token="hush-1234") as url:
        assert json.loads(ask(metrics("prod", url, credential="env:PROM_TOKEN")).output)["total"] == 1


@pytest.mark.parametrize("where", ["env", "file"])
def test_a_token_is_shown_to_the_server_from_where_the_worker_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """R68: the session's record says where it stands, never what it is."""
    monkeypatch.setenv("PROM_TOKEN", "hush-1234")
    (tmp_path / "token").write_text("hush-1234\n")
    credential = "env:PROM_TOKEN" if where == "env" else f"file:{tmp_path}/token"
    with prometheus(alert("TapeLow"), token="hush-1234") as url:
        assert json.loads(ask(metrics("prod", url, credential=credential)).output)["total"] == 1
        assert "HTTP 401" in ask(metrics("prod", url)).error_message


@pytest.mark.parametrize(
    ("credential", "said"),
    [
        ("env:NO_SUCH_TOKEN", "the variable NO_SUCH_TOKEN holds no token"),
        ("file:/nowhere/token", "the token file /nowhere/token cannot be read"),
    ],
)
def test_a_token_that_is_not_there_is_named_by_its_place(credential: str, said: str) -> None:
    """Bad input: the server is not asked without it."""
    result = ask(metrics("prod", "http://127.0.0.1:9", credential=credential))
    assert (result.success, result.error_kind) == (False, "source")
    assert said in result.error_message


# ---------------------------------------------------------------- knowledge and skills


@pytest.fixture
def runbooks(tmp_path: Path) -> list[Source]:
    """Two folders, each with a document `tape.md`."""
    for name, text in (("shop", "# 磁带\n更换磁带。"), ("bank", "# 磁带\n清洁磁头。")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tape.md").write_text(text)
    return [Source(kind="knowledge", name=name, address=str(tmp_path / name)) for name in ("shop", "bank")]


def look_up(sources: list[Source], query: str) -> ToolResult:
    return asyncio.run(knowledge_tool(sources).run({"query": query}, CONTEXT))


def test_documents_of_several_folders_are_named_by_their_source(runbooks: list[Source]) -> None:
    """R18: two documents of one name are told apart, in the answer and in the planner's map."""
    result = look_up(runbooks, "磁带")
    output = json.loads(result.output)
    assert {(block["source"], block["content"]) for block in output["evidence_blocks"]} == {
        ("shop/tape.md#1", "更换磁带。"),
        ("bank/tape.md#1", "清洁磁头。"),
    }
    assert output["source"] == "shop, bank"
    assert (asyncio.run(knowledge_map(runbooks)).text or "").splitlines() == [
        "- shop/tape.md：磁带",
        "- bank/tape.md：磁带",
    ]


def test_a_folder_that_cannot_be_read_is_a_doubt_and_costs_no_other_answer(
    runbooks: list[Source], tmp_path: Path
) -> None:
    """R69: the same as for metrics; the planner is told, too."""
    sources = [*runbooks, Source(kind="knowledge", name="gone", address=str(tmp_path / "gone"))]
    result = look_up(sources, "打印机")
    coverage = result.retrieval.coverage
    assert coverage is not None
    assert ([one.name for one in coverage.unread], coverage.complete) == (["gone"], False)
    assert extract_evidence("lookup_knowledge", result.output, base=result.retrieval).evidence_refs == ()
    assert (asyncio.run(knowledge_map(sources)).text or "").splitlines()[-1] == "- gone：（无法读取）"


def test_skills_of_one_name_are_told_apart_by_their_source(tmp_path: Path) -> None:
    """R2: none hides another; a name that only one folder has stays as it is."""
    for folder, skill in (("a", "check"), ("b", "check"), ("b", "clean")):
        (tmp_path / folder / skill).mkdir(parents=True)
        (tmp_path / folder / skill / "SKILL.md").write_text(f"---\ndescription: {folder}\n---\n{folder} {skill}")
    sources = [Source(kind="skills", name=name, address=str(tmp_path / name)) for name in ("a", "b", "gone")]
    assert asyncio.run(skill_catalog(sources))[1] == [("a/check", "a"), ("b/check", "b"), ("clean", "b")]
    read = asyncio.run(skill_tool(sources).run({"name": "b/check"}, CONTEXT))
    assert json.loads(read.output)["content"] == "b check"
    assert read.retrieval.source_documents == ("b/check/SKILL.md",)


# ---------------------------------------------------------------- logs


def search(sources: list[Source], **arguments: Any) -> ToolResult:
    return asyncio.run(logs_tool(sources).run({"ever": True, **arguments}, CONTEXT))


def test_logs_of_several_folders_are_one_answer_and_a_missing_one_is_a_doubt(tmp_path: Path) -> None:
    """R69: inputs are named by their source; that there is no more cannot be cited."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tape.log").write_text(f"2031-03-04T11:59:00Z ERROR tape-service spool {name} full\n")
    sources = [Source(kind="logs", name=name, address=str(tmp_path / name)) for name in ("a", "b")]
    whole = search(sources, query="spool").retrieval.coverage
    assert whole is not None
    assert ([one.name for one in whole.inputs], whole.complete) == (["a/tape.log", "b/tape.log"], True)
    gone = Source(kind="logs", name="gone", address=str(tmp_path / "gone"))
    result = search([*sources, gone], query="spool")
    part = result.retrieval.coverage
    assert part is not None
    assert json.loads(result.output)["total"] == 2
    assert ([(one.name, one.reason) for one in part.unread], part.complete) == ([("gone/", "error")], False)
    assert not search([gone], query="spool").success
