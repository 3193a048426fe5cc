"""Sources by flags and by a file: all of a kind are asked, by name, and the session records what it saw."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

QUESTION = "打印机卡纸如何处理？只查知识库。"


@pytest.fixture(scope="module")
def assay(new_assay: Callable[[], Any]) -> Any:
    """One that no server runs for."""
    return new_assay()


@pytest.fixture
def runbooks(tmp_path: Path) -> Path:
    """`shop/print.md` and `bank/print.md`, which differ."""
    for name, text in (("shop", "先打开后盖。"), ("bank", "先断开电源。")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "print.md").write_text(f"# 打印机卡纸\n{text}")
    return tmp_path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "tape.log").write_text("2031-03-04T11:59:00Z ERROR tape-service spool full\n")
    return tmp_path / "logs"


@pytest.fixture
def file(runbooks: Path, logs: Path) -> Path:
    """A file over all three."""
    assert logs.parent == runbooks
    path = runbooks / "assay.toml"
    path.write_text("""
        [settings]
        window_minutes = 30
        threshold = 0.75
        [sources.shop-books]
        kind = "knowledge"
        folder = "shop"
        [sources.bank-books]
        kind = "knowledge"
        folder = "bank"
        [sources.tape-logs]
        kind = "logs"
        folder = "logs"
        zone = "Asia/Shanghai"
        exclude = ["*.gz"]
        services = { "tape.log" = "tape-service" }
    """)
    path.chmod(0o644)
    return path


def opened(served: Any, *arguments: str, **environment: str) -> dict[str, Any]:
    """The first event of a session that is asked so."""
    session_id = served.ask(QUESTION, *arguments, **environment)["session_id"]
    first: dict[str, Any] = served.here("session", "tail", session_id, "--json").documents[0]
    return first


def named(event: dict[str, Any]) -> list[tuple[str, str]]:
    return [(source["kind"], source["name"]) for source in event["content"]["sources"]]


def refused(ran: Any, *said: str) -> None:
    assert (ran.status, ran.out) == (2, "")
    (line,) = ran.err.splitlines()
    assert line.startswith("assay: ")
    for words in said:
        assert words in line


# ---------------------------------------------------------------- what a session sees


def test_a_session_records_every_source_of_the_file(served: Any, file: Path) -> None:
    """R68, R42: address, zone, exclusions and service names, as they were when it was opened."""
    event = opened(served, "--config", str(file))
    assert event["facts"]["settings"]["source"] == "given"
    assert named(event) == [("knowledge", "shop-books"), ("knowledge", "bank-books"), ("logs", "tape-logs")]
    assert event["content"]["sources"][2] == {
        "kind": "logs",
        "name": "tape-logs",
        "address": str(file.parent / "logs"),
        "zone": "Asia/Shanghai",
        "exclude": ["*.gz"],
        "services": {"tape.log": "tape-service"},
        "service_labels": [],
        "credential": None,
        "teams": [],
    }


def test_flags_win_over_variables_and_those_over_the_file(served: Any, file: Path) -> None:
    """The variable takes the place of one setting, the flags that of the sources."""
    event = opened(served, "--source", "bank-books", ASSAY_CONFIG=str(file), ASSAY_WINDOW_MINUTES="7")
    settings = event["facts"]["settings"]
    assert (settings["window_minutes"], settings["threshold"]) == (7, "0.75")
    assert named(event) == [("knowledge", "bank-books")]


def test_the_zone_of_a_session_is_that_of_the_setting_else_of_the_machine(
    served: Any, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R9, R70: words of time in a question, and stamps that name no zone, are meant in it; the sample has its own."""
    monkeypatch.setattr("handlers.session_settings.local_zone", lambda: "Asia/Tokyo")
    zones = [
        opened(served, "--logs", str(logs), ASSAY_ZONE="+8")["facts"]["settings"]["zone"],
        opened(served, "--logs", str(logs))["facts"]["settings"]["zone"],
        opened(served)["facts"]["settings"]["zone"],
    ]
    assert zones == ["+08:00", "Asia/Tokyo", "UTC"]


def test_flags_may_be_repeated_and_get_names(served: Any, runbooks: Path) -> None:
    """The first is named like its kind; the answer tells the documents apart."""
    flags = ["--knowledge", str(runbooks / "shop"), "--knowledge", str(runbooks / "bank")]
    assert named(opened(served, *flags)) == [("knowledge", "knowledge"), ("knowledge", "knowledge-2")]
    run = ["tool", "run", "lookup_knowledge", "--arguments", '{"query": "打印机卡纸"}', "--json"]
    texts = [ref["text"] for ref in served.here(*run, *flags).document["evidence_refs"]]
    assert "打印机卡纸, source=knowledge/print.md#1; 先打开后盖。" in texts
    assert "打印机卡纸, source=knowledge-2/print.md#1; 先断开电源。" in texts


def test_one_place_given_twice_is_one_source(served: Any, runbooks: Path) -> None:
    assert len(named(opened(served, "--knowledge", str(runbooks / "shop"), "--knowledge", f"{runbooks}/./shop"))) == 1


def test_zone_and_exclusions_of_logs_are_recorded(served: Any, logs: Path) -> None:
    """R68, R69: they decide what a search excludes, so they stand in the session's record."""
    event = opened(served, "--logs", str(logs), "--log-zone", "+8", "--exclude", "*.gz", "--exclude", "audit/**")
    (source,) = event["content"]["sources"]
    assert (source["zone"], source["exclude"]) == ("+08:00", ["*.gz", "audit/**"])


def test_flags_of_logs_also_go_for_named_sources(served: Any, file: Path) -> None:
    """They are added to the file's exclusions, and take the place of its zone."""
    arguments = ["--config", str(file), "--source", "tape-logs", "--log-zone", "UTC", "--exclude", "audit/**"]
    (source,) = opened(served, *arguments)["content"]["sources"]
    assert (source["zone"], source["exclude"]) == ("UTC", ["*.gz", "audit/**"])


def test_a_source_of_the_file_that_cannot_be_read_is_said_and_stays(served: Any, file: Path) -> None:
    """R69: what it holds is not known to be absent; who wants to go on without it names the others."""
    (file.parent / "bank" / "print.md").unlink()
    ran = served.here("ask", QUESTION, "--config", str(file), "--json")
    assert ran.status == 0
    folder = file.parent / "bank"
    assert f"assay: bank-books: {folder} holds nothing to read; --source names those to ask\n" in ran.err
    accounts = [call["coverage"] for call in ran.document["coverage"] if call["tool_name"] == "lookup_knowledge"]
    assert accounts
    assert all([one["name"] for one in account["unread"]] == ["bank-books"] for account in accounts)
    for shown in (["show"], ["replay"]):
        page = served.here("session", *shown, ran.document["session_id"]).out
        assert "coverage  not complete; 1 entries of 1 inputs" in page
        assert "unread    bank-books: error, could match" in page
    picked = served.here("ask", QUESTION, "--config", str(file), "--source", "bank-books", "--source", "shop-books")
    refused(picked, f"bank-books: {folder} holds nothing to read")


# ---------------------------------------------------------------- bad input


def test_an_unknown_source_is_refused_with_the_nearest(assay: Any, file: Path) -> None:
    ran = assay.here("ask", QUESTION, "--config", str(file), "--source", "shop-book")
    refused(ran, f"there is no source 'shop-book' in {file} (nearest: shop-books)")
    refused(assay.here("ask", QUESTION, "--source", "x"), "there is no source 'x' without a file of sources")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--log-zone", "Mars"], "--log-zone: 'Mars' is no time zone"),
        (["--exclude", "/var/log/*"], "--exclude: '/var/log/*' must be a path below the folder"),
        (["--logs", " "], "--logs: the place is empty"),
    ],
)
def test_a_flag_that_cannot_be_used_is_named(assay: Any, logs: Path, flags: list[str], said: str) -> None:
    refused(assay.here("ask", QUESTION, "--logs", str(logs), *flags), said)


@pytest.mark.parametrize("flag", [["--exclude", "*.gz"], ["--log-zone", "UTC"]])
def test_a_flag_of_logs_without_logs_is_refused(assay: Any, runbooks: Path, flag: list[str]) -> None:
    """It would leave nothing out, and look as if it had."""
    for sources in ([], ["--knowledge", str(runbooks)]):
        refused(assay.here("ask", QUESTION, *sources, *flag), f"{flag[0]}: no source of logs is asked")


@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        ("[settings]\ntreshold = 0.5", 0o644, "settings.treshold: unknown key (nearest: threshold)"),
        (
            "[settings]\nopenai_api_key = 'hush'",
            0o600,
            "settings.openai_api_key: a secret does not belong in this file",
        ),
        ("[settings]\n", 0o666, "others can write it: chmod go-w "),
        ("settings", 0o644, "is no TOML: "),
    ],
    ids=["key", "secret", "mode", "toml"],
)
def test_a_file_that_cannot_be_used_is_refused_by_every_command(
    assay: Any, tmp_path: Path, text: str, mode: int, said: str
) -> None:
    """Before any server is started; the message names file and place."""
    file = tmp_path / "assay.toml"
    file.write_text(text)
    file.chmod(mode)
    for command in (["ask", QUESTION], ["session", "list"], ["sources", "check"]):
        refused(assay.here(*command, "--config", str(file)), f"{file}: {said}")
    refused(assay.here("--config", str(file), "doctor"), f"{file}: {said}")
    assert assay.servers() == []


def test_a_missing_file_is_named(assay: Any) -> None:
    refused(assay.here("ask", QUESTION, "--config", "none.toml"), str(assay.folder / "none.toml"), "No such file")
    refused(assay.here("ask", QUESTION, ASSAY_CONFIG="/nowhere.toml"), "/nowhere.toml", "No such file")


def test_the_file_of_the_users_configuration_folder_is_read_and_that_of_the_working_folder_is_not(
    new_assay: Callable[[], Any],
) -> None:
    """R74: it can name programs, and a folder may be another's."""
    assay = new_assay()
    (assay.folder / "assay.toml").write_text("[settings]\nmodle = 'm'")
    assert assay.here("tool", "run", "getCurrentDateTime").status == 0
    own = Path(assay.environment["XDG_CONFIG_HOME"]) / "assay" / "assay.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[settings]\nmodle = 'm'")
    own.chmod(0o644)
    refused(assay.here("tool", "run", "getCurrentDateTime"), f"{own}: settings.modle: unknown key")


# ---------------------------------------------------------------- sources check


def test_sources_that_can_be_asked_are_said_to_be(assay: Any, runbooks: Path) -> None:
    """R69: exit 0, no server, nothing recorded."""
    ran = assay.here("sources", "check", "--knowledge", str(runbooks / "shop"))
    assert (ran.status, ran.err) == (0, "")
    head, account, read = ran.out.splitlines()
    assert head == f"knowledge  knowledge  {runbooks}/shop"
    assert account.startswith("  complete; 1 entries of 1 inputs")
    assert read == "  read      shop: markdown, 1 documents"
    assert assay.servers() == []
    assert not (assay.folder / "data").exists()


def test_one_that_cannot_be_asked_proves_no_absence(assay: Any, file: Path) -> None:
    """R69: exit 3, and why; named ones alone are looked at."""
    (file.parent / "bank" / "print.md").unlink()
    ran = assay.here("sources", "check", "bank-books", "shop-books", "--config", str(file), "--json")
    assert (ran.status, ran.document["complete"]) == (3, False)
    bank, shop = ran.document["sources"]
    assert (bank["name"], bank["reachable"], bank["proves_absence"]) == ("bank-books", False, False)
    assert bank["problem"] == f"{file.parent}/bank holds nothing to read"
    assert (shop["name"], shop["reachable"], shop["proves_absence"]) == ("shop-books", True, True)
    assert assay.here("sources", "check", "shop-books", "--config", str(file)).status == 0


def test_a_server_that_is_not_there_is_named(assay: Any, tmp_path: Path) -> None:
    alerts = tmp_path / "alerts.json"
    alerts.write_text(json.dumps({"status": "success", "data": {"alerts": []}}))
    ran = assay.here("sources", "check", "--metrics", "http://127.0.0.1:9", "--metrics", str(alerts))
    assert ran.status == 3
    assert "metrics  metrics  http://127.0.0.1:9\n  cannot be asked: cannot reach http://127.0.0.1:9" in ran.out
    assert f"metrics-2  metrics  {alerts}\n  can be asked" in ran.out


def test_an_input_that_cannot_be_read_is_named_and_can_be_left_out(assay: Any, logs: Path) -> None:
    """R69: what is no log by its content could not match; what cannot be told could; the operator may exclude it."""
    (logs / "core").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8)
    (logs / "blob").write_bytes(bytes(range(256)) * 16)
    checked = assay.here("sources", "check", "--logs", str(logs))
    assert checked.status == 3
    page = checked.out.splitlines()
    assert page[1].startswith("  not complete; 1 entries of 1 inputs")
    assert "  unread    blob: binary, could match" in page
    assert "  unread    core: binary" in page
    left_out = assay.here("sources", "check", "--logs", str(logs), "--exclude", "blob")
    assert left_out.status == 0
    assert "  excluded  1 by exclude blob" in left_out.out.splitlines()


def test_every_input_is_named_however_many_there_are(assay: Any, tmp_path: Path) -> None:
    """R69: who leaves out what cannot be read must know all of it."""
    for number in range(40):
        (tmp_path / f"read-{number}.log").write_text("2031-03-04T11:59:00Z INFO up\n")
        (tmp_path / f"packed-{number}.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(20))
    lines = assay.here("sources", "check", "--logs", str(tmp_path)).out.splitlines()
    assert sum(line.startswith("  unread    packed-") for line in lines) == 40
    assert sum(line.startswith("  read      read-") for line in lines) == 40


def test_it_says_of_each_input_of_logs_what_was_understood(assay: Any, logs: Path) -> None:
    """R69: format, entries, first and last time, and the zone, as JSON for programs."""
    (logs / "local.log").write_text(
        "2031-03-04 09:00:00 INFO tape-service ok\n2031-03-04 09:30:00 WARN tape-service hm\n"
    )
    ran = assay.here("sources", "check", "--logs", str(logs), "--log-zone", "Asia/Shanghai", "--json")
    assert (ran.status, ran.document["complete"]) == (0, True)
    (source,) = ran.document["sources"]
    read = {one["name"]: one for one in source["coverage"]["inputs"]}
    assert {name: (one["entries"], one["first"], one["last"]) for name, one in read.items()} == {
        "local.log": (2, "2031-03-04T01:00:00Z", "2031-03-04T01:30:00Z"),
        "tape.log": (1, "2031-03-04T11:59:00Z", "2031-03-04T11:59:00Z"),
    }
    assert (read["local.log"]["zone"], read["local.log"]["zone_assumed"]) == ("Asia/Shanghai", False)
    assert read["tape.log"]["zone"] == ""


def test_a_zone_that_nobody_told_is_that_of_the_setting_and_said_to_be_assumed(assay: Any, logs: Path) -> None:
    """R68: `zone` is that of the session; a source's own is known."""
    (logs / "tape.log").write_text("2031-03-04 09:00:00 INFO tape-service ok\n")
    ran = assay.here("sources", "check", "--logs", str(logs), ASSAY_ZONE="+08:00")
    assert "2031-03-04T01:00:00Z, zone +08:00 (assumed)" in ran.out


def test_a_folder_of_logs_that_is_gone_is_named(assay: Any, logs: Path, tmp_path: Path) -> None:
    ran = assay.here("sources", "check", "--logs", str(logs), "--logs", str(tmp_path / "gone"))
    assert ran.status == 3
    assert f"logs-2  logs  {tmp_path}/gone\n  cannot be asked: {tmp_path}/gone is not a folder" in ran.out
