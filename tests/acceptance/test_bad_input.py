"""What cannot be used is refused in one line that names what is wrong and where, and no session is opened."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from handlers.session_ids import session_id_for
from infra import postgres

QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警。"


@pytest.fixture(scope="module")
def assay(new_assay: Callable[[], Any]) -> Any:
    """One that no server runs for: unusable input is found before any is started."""
    return new_assay()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A loopback port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def refused(ran: Any, *named: str) -> None:
    assert ran.status == 2, ran.err
    assert ran.out == ""
    (line,) = ran.err.splitlines()
    assert line.startswith("assay: ")
    for words in named:
        assert words in line


def test_a_postgresql_that_takes_a_connection_and_says_nothing_cannot_be_reached(
    assay: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R67: frozen, or something else that listens there; a command does not wait for ever."""
    monkeypatch.setattr(postgres, "CONNECT_SECONDS", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dsn = f"postgresql://127.0.0.1:{silent.getsockname()[1]}/none"
        ran = assay.here("session", "list", ASSAY_NATS_URL="nats://127.0.0.1:1", ASSAY_POSTGRES_DSN=dsn)
    assert (ran.status, ran.out) == (1, "")
    (line,) = ran.err.splitlines()
    assert line.startswith("assay: PostgreSQL cannot be reached: connection timeout expired")


def test_an_empty_question_is_refused(assay: Any) -> None:
    refused(assay.run("ask", " \n "), "question", "empty")


@pytest.mark.parametrize("question", ["？？？！！！", "...", "，。、；", "\U0001f642" * 40])
def test_a_question_of_marks_alone_asks_nothing(assay: Any, question: str) -> None:
    """R70: it is refused before any server is started."""
    refused(assay.here("ask", question), "the question is empty")
    assert not (assay.folder / "data").exists()


def test_a_question_that_would_be_read_in_part_only_is_refused(assay: Any) -> None:
    """R70: of 8,001 characters the last would be dropped in silence."""
    refused(assay.here("ask", "慢" * 8_001), "the question is longer than 8000 characters")


@pytest.mark.parametrize("source", ["logs", "knowledge", "skills"])
def test_a_missing_folder_is_named(assay: Any, source: str) -> None:
    refused(assay.here("ask", QUESTION, f"--{source}", "not/here"), source, str(assay.folder / "not" / "here"))


def test_a_file_where_a_folder_is_wanted_is_named(assay: Any) -> None:
    (assay.folder / "one.log").write_text("2026-07-08T11:00:00Z INFO hello\n")
    refused(assay.here("ask", QUESTION, "--logs", "one.log"), "logs", "one.log")


def test_an_empty_folder_is_named(assay: Any, tmp_path: Path) -> None:
    refused(assay.here("ask", QUESTION, "--knowledge", str(tmp_path)), "knowledge", str(tmp_path))


def test_an_unreachable_prometheus_is_named(assay: Any, closed_port: int) -> None:
    url = f"http://127.0.0.1:{closed_port}"
    refused(assay.run("ask", QUESTION, "--metrics", url), "metrics", url)


def test_an_address_with_a_password_is_not_recorded(assay: Any, closed_port: int) -> None:
    """R22: a session's sources are recorded for good."""
    ran = assay.run("ask", QUESTION, "--metrics", f"http://reader:hush@127.0.0.1:{closed_port}")
    refused(ran, "--metrics", "password", "token_env")
    assert "hush" not in ran.err


@pytest.mark.parametrize(
    "text", ["", "not json", '{"status": "success"}', "[1, 2]", '{"status": "success", "data": 7}']
)
def test_a_file_that_is_no_alert_response_is_named(assay: Any, text: str) -> None:
    (assay.folder / "alerts.json").write_text(text)
    refused(assay.here("ask", QUESTION, "--metrics", "alerts.json"), "metrics", "alerts.json")


def test_a_missing_alert_file_is_named(assay: Any) -> None:
    refused(assay.here("ask", QUESTION, "--metrics", "missing.json"), "metrics", "missing.json")


@pytest.mark.parametrize("now", ["yesterday", "2026-13-40", "9999-99-99T00:00:00Z", "0001-01-01T00:00:00+09:00"])
def test_a_time_that_is_none_is_refused(assay: Any, now: str) -> None:
    refused(assay.here("ask", QUESTION, "--now", now), "--now", now)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ASSAY_THRESHOLD", "2"),
        ("ASSAY_WINDOW_MINUTES", "soon"),
        ("ASSAY_BUDGET_MODEL_CALLS", "0"),
        ("ASSAY_SEAL", "rot13"),
        ("ASSAY_NATS_URL", "localhost"),
        ("OPENAI_BASE_URL", "ftp://models"),
        ("ASSAY_TOOLS", "no/module"),
        ("ASSAY_TOOLS", "no_such_module:make"),
        ("ASSAY_LOG", "LOUD"),
    ],
)
def test_a_bad_setting_is_named(assay: Any, variable: str, value: str) -> None:
    named = variable if value != "no_such_module:make" else value
    refused(assay.here("ask", QUESTION, **{variable: value}), named)


def test_a_model_server_without_a_models_name_is_refused(assay: Any, closed_port: int) -> None:
    """R42: which model answers must be known before the session is opened."""
    refused(assay.here("ask", QUESTION, OPENAI_BASE_URL=f"http://127.0.0.1:{closed_port}/v1"), "ASSAY_MODEL", "planner")


def test_unusable_input_leaves_no_server_and_no_data(assay: Any) -> None:
    assay.here("ask", "")
    assert assay.servers() == []
    assert not (assay.folder / "data").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask",),
        ("session", "list", "--limit", "0"),
        ("session", "list", "--limit", "many"),
        ("verdict", "watch", "--verdict", "GOOD"),
        ("nothing",),
        (),
    ],
    ids=" ".join,
)
def test_arguments_that_are_none_show_the_usage(assay: Any, arguments: tuple[str, ...]) -> None:
    ran = assay.here(*arguments)
    assert ran.status == 2
    assert ran.err.startswith("usage: assay")


# ---------------------------------------------------------------- with servers running


@pytest.mark.parametrize("verb", ["show", "tail", "cancel", "feedback"])
@pytest.mark.parametrize("session", ["01990000-0000-7000-8000-000000000000", "0199dead", "x; drop table"])
def test_an_unknown_session_is_named(served: Any, verb: str, session: str) -> None:
    more = ["wrong"] if verb == "feedback" else []
    refused(served.here("session", verb, session, *more), "no session", session)


def test_an_age_that_is_none_is_refused(served: Any) -> None:
    refused(served.here("verdict", "watch", "--since", "yesterday"), "--since", "yesterday")


def test_an_ambiguous_prefix_is_refused(served: Any) -> None:
    ids = [served.ask(QUESTION, "--key", key)["session_id"] for key in ("ambiguous-231", "ambiguous-438")]
    common = ids[0][:4]
    assert ids[1].startswith(common)
    for command in (["session", "show"], ["session", "replay"], ["verdict", "override"], ["readjudicate"]):
        more = ["PASS", "--reason", "x"] if command[0] == "verdict" else []
        ran = served.here(*command, common, *more)
        assert (ran.status, ran.out) == (2, "")
        first, *listed = ran.err.splitlines()
        assert first == f"assay: more than one session begins with {common}: give more of its id"
        assert {line.split()[0] for line in listed} >= set(ids)
        assert all(line.endswith(QUESTION[:59]) or "…" in line or QUESTION in line for line in listed)


def test_a_key_belongs_to_its_question(served: Any) -> None:
    """R10: same key, other question."""
    first = served.ask(QUESTION, "--key", "one key")
    refused(served.here("ask", "另一个问题", "--key", "one key"), "key", first["session_id"], QUESTION)


def test_a_key_belongs_to_its_whole_request(served: Any, tmp_path: Path) -> None:
    """R10: as the caller gave it. What was masked is compared too; the configuration is not."""
    (tmp_path / "a.log").write_text("2026-07-08T12:00:00Z ERROR checkout OOMKilled\n")
    question, logs = "checkout 是否有 OOMKilled，password=one-S3cret", ("--logs", str(tmp_path))
    asked = ("--key", "whole", "--now", "2026-07-08T12:05:00Z")
    first = served.ask(question, *logs, *asked)
    same = served.ask(question, *logs, "--key", "whole", "--now", "2026-07-08T20:05:00+08:00", ASSAY_THRESHOLD="0.9")
    assert same["session_id"] == first["session_id"]
    other = served.here("ask", question.replace("one", "two"), *logs, *asked)
    refused(other, first["session_id"], "another question: ")
    assert "two" not in other.err
    refused(served.here("ask", question, *asked), "asked with another sources")
    refused(served.here("ask", question, *logs, "--key", "whole"), "asked with another time")


def test_feedback_waits_for_the_end(served: Any, model_server: Any) -> None:
    """R10: a session that still runs has no answer to rate."""
    reached, go_on = Event(), Event()

    def slow(asked: Any) -> Any:
        reached.set()
        assert go_on.wait(100)
        return asked.usual()

    process = served.start("ask", QUESTION, "--key", "unfinished", **model_server.plays(slow))
    assert reached.wait(100)
    refused(served.here("session", "feedback", str(session_id_for("unfinished")), "wrong"), "has not ended")
    go_on.set()
    assert served.finished(process).status == 0


def test_what_is_no_file_to_read_is_refused_and_not_waited_for(served: Any, tmp_path: Path) -> None:
    """R7: a device never ends, a pipe never begins."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for source in ("/dev/zero", str(pipe)):
        ran = served.here("ask", "有没有告警", "--metrics", source)
        assert (ran.status, ran.err) == (2, f"assay: metrics: {source} is no regular file\n")


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999", "http://[::1", "http://127.0.0.1:1\nHost: x"])
def test_a_url_that_is_none_is_refused_by_name(served: Any, url: str) -> None:
    ran = served.here("ask", "有没有告警", "--metrics", url)
    assert ran.status == 2
    assert ran.err == f"assay: metrics: {url!r} is no usable URL\n"


def test_a_question_of_invisible_characters_is_empty(served: Any) -> None:
    ran = served.here("ask", "\u200b\u200d\ufeff")
    assert (ran.status, ran.err) == (2, "assay: the question is empty\n")


def test_a_clock_out_of_all_reason_is_refused(served: Any) -> None:
    ran = served.here("ask", "有没有告警", "--now", "0001-01-01T00:00:00Z")
    assert ran.status == 2
    assert "lies outside the years 1990 to 2099" in ran.err


def test_every_path_may_hold_any_sign(new_assay: Any, tmp_path: Path) -> None:
    """R74: data, keys, sources, file of settings, backup, export, in one session."""
    odd = tmp_path / "a b$HOME `id` \"q\" 'p' \\ 数据;&|"
    logs = odd / "lo gs$1"
    logs.mkdir(parents=True)
    (logs / "x'y.log").write_text("2026-07-08T12:00:00Z ERROR checkout OOMKilled\n")
    (odd / "as say.toml").write_text("[settings]\nwindow_minutes = 60\n")
    odd.chmod(0o711)
    assay = replace(new_assay(), folder=odd)
    told = assay.ask("checkout 是否有 OOMKilled", "--logs", str(logs), "--config", str(odd / "as say.toml"))
    for arguments in (
        ("session", "export", told["session_id"], "-o", str(odd / "s$1.jsonl")),
        ("backup", str(odd / "back up$1")),
        ("verify",),
        ("doctor",),
    ):
        ran = assay.here(*arguments)
        assert ran.status == 0, ran.err


def test_the_data_folder_may_have_a_chinese_name(new_assay: Any) -> None:
    assay = new_assay()
    ran = assay.here("session", "list", ASSAY_DATA_DIR=str(assay.folder / "数据 目录"))
    assert (ran.status, ran.err) == (0, "no sessions\n")


# ---------------------------------------------------------------- questions that are no good ones


@pytest.fixture
def logs(tmp_path: Path) -> list[str]:
    """Flags of a folder with one error in the last hour, and the clock."""
    (tmp_path / "order-service.log").write_text("2031-05-14T08:30:00Z ERROR order-service zebra crossing lost\n")
    return ["--logs", str(tmp_path), "--now", "2031-05-14T09:00:00Z"]


@pytest.mark.parametrize(
    ("period", "unclear"),
    [
        ("昨天最近一小时", "昨天最近一小时"),
        ("今天 10 点到 9 点", "今天 10 点到 9 点"),
        ("25 点到 26 点", "25 点到 26 点"),
    ],
)
def test_a_period_that_contradicts_itself_is_said_and_loses_nothing(
    served: Any, logs: list[str], period: str, unclear: str
) -> None:
    """R70: never a default in silence; what the default window holds is shown."""
    told = served.ask(f"{period} order-service 有没有 ERROR？", *logs, ASSAY_ZONE="UTC")
    assert told["verdict"] == "LOW_CONFID"
    assert "zebra crossing lost" in told["answer"]
    assert f"未能识别时间范围“{unclear}”，检索的是 2031-05-14 08:00:00–09:00:00 UTC。" in told["answer"]


def test_a_period_that_contradicts_itself_proves_no_absence(served: Any, logs: list[str]) -> None:
    """R70."""
    told = served.ask("昨天最近一小时 order-service 有没有 FATAL？", *logs)
    assert (told["verdict"], told["headline"]) == ("LOW_CONFID", "部分证实")


def test_a_question_of_eight_thousand_characters_is_answered(served: Any, logs: list[str]) -> None:
    """R70, R72: what it asks stands at its end, behind as much as may be asked."""
    asked = "order-service 最近一小时有没有 ERROR？"
    told = served.ask("嗯" * (8_000 - len(asked) - 1) + "。" + asked, *logs)
    assert "zebra crossing lost" in told["answer"]
    assert told["headline"] != "已检索，未发现"
