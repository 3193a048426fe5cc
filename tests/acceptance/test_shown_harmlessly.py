"""R73: with hostile text in every field no command prints a character that a terminal would obey or hide."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from handlers.cli.parser import build_parser
from handlers.cli.plain import HIDDEN

EVIL = "\x1b[31m\x1b]8;;http://evil\x1b\\x\x1b]52;c;cm0=\x07\r\x9b2J\u202eolleh\u2066\u200b\ufeff\U000e0041\x7f"
NAME = "e\x1b[2J\u202e\u200b\U000e0041v"
QUESTION = f"请排查 checkout 是否有 OOMKilled {EVIL}，只确认这一件事。"


class Told:
    """A session with hostile text in every field, its sources, and files to hand to commands."""

    def __init__(self, assay: Any, folder: Path, settings: dict[str, str]) -> None:
        self.assay, self.folder = assay, folder
        self.sources = _sources(folder / "sources")
        self.files = _files(folder)
        self.asked = assay.here("ask", QUESTION, *self.sources, "--json", **settings)
        self.session = json.loads(self.asked.out)["session_id"]
        self.bundle = folder / "session.jsonl"


@pytest.fixture(scope="module")
def told(served: Any, model_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Told:
    def script(asked: Any) -> Any:
        answer = asked.usual()
        message = answer["choices"][0]["message"]
        message["reasoning_content"] = EVIL
        answer["choices"][0]["finish_reason"] = f"stop{EVIL}"
        if asked.number == 1:
            return asked.http(500, f"boom {EVIL}".encode())
        if asked.agent == "planner":
            message["content"] = f"{EVIL} no JSON [here](http://evil)"
        elif asked.agent == "executor" and message.get("tool_calls") and asked.number < 5:
            message["tool_calls"][0]["function"]["name"] = f"drop{EVIL}"
        elif asked.agent == "executor" and message["content"]:
            message["content"] = f"[here](http://evil) {EVIL} {message['content']}, {{"
        elif asked.agent == "verifier":
            fact = {
                "fact": f"OOMKilled [here](http://evil) {EVIL}",
                "is_critical": True,
                "verification": "indirect_support",
            }
            message["content"] = json.dumps({"verdict": "LOW_CONFID", "facts_checked": [fact], "rationale": EVIL})
        return answer

    return Told(served, tmp_path_factory.mktemp("hostile"), model_server.plays(script))


def _sources(folder: Path) -> tuple[str, ...]:
    logs, knowledge, skills = (folder / name for name in ("logs", "knowledge", "skills"))
    for one in (logs / NAME, knowledge, skills / NAME):
        one.mkdir(parents=True)
    line = f"2026-07-08T12:00:00Z ERROR checkout OOMKilled {EVIL.replace(chr(13), '')}\n"
    (logs / NAME / f"{NAME}.log").write_text(line * 2)
    (logs / "checkout.log").write_text(line)
    (logs / f"broken{NAME}.gz").write_bytes(b"\x1f\x8b no archive")
    (knowledge / f"{NAME}.md").write_text(f"# OOMKilled {EVIL}\n\nOOMKilled {EVIL}\n")
    (skills / NAME / "SKILL.md").write_text(f"---\nname: s\ndescription: oom\n---\nOOMKilled {EVIL}\n")
    labels = {"alertname": f"OOMKilled{EVIL}", "service": "checkout", f"l{EVIL}": EVIL}
    alert = {"labels": labels, "annotations": {"description": EVIL}, "state": "firing", "value": "1"}
    metrics = folder / f"{NAME}.json"
    metrics.write_text(json.dumps({"status": "success", "data": {"alerts": [alert]}}))
    places = {"logs": logs, "knowledge": knowledge, "skills": skills, "metrics": metrics}
    return tuple(part for kind, place in places.items() for part in (f"--{kind}", str(place)))


def _files(folder: Path) -> dict[str, str]:
    written = {
        "output.json": json.dumps({"logs": [{"level": EVIL, "message": EVIL}]}),
        "case.json": json.dumps({"session_id": EVIL, "invocations": [], "executor_output": f"{EVIL} [x](http://evil)"}),
        "verdict.json": json.dumps({"question": EVIL, "executor_structured_output": EVIL}),
        f"{NAME}.yaml": json.dumps({"name": EVIL, EVIL: 1}),
        f"{NAME}.pem": EVIL,
        f"{NAME}.jsonl": EVIL,
    }
    for name, text in written.items():
        (folder / name).write_text(text)
    return {name.rpartition(".")[2] if NAME in name else name: str(folder / name) for name in written}


COMMANDS: dict[str, Callable[[Told], list[tuple[str, ...]]]] = {
    "ask": lambda told: [("ask", QUESTION, *told.sources), ("ask", EVIL), ("ask", QUESTION, "--logs", f"/{EVIL}")],
    "session list": lambda _: [("session", "list"), ("session", "list", "--json")],
    "session show": lambda told: [
        ("session", "show", told.session),
        ("session", "show", told.session, "--json"),
        ("session", "show", EVIL),
        ("session", "show", "0"),
    ],
    "session tail": lambda told: [("session", "tail", told.session), ("session", "tail", told.session, "--json")],
    "session cancel": lambda told: [("session", "cancel", told.session, "--reason", EVIL), ("session", "cancel", EVIL)],
    "session feedback": lambda told: [("session", "feedback", told.session, "wrong", EVIL)],
    "session replay": lambda told: [
        ("session", "replay", told.session),
        ("session", "replay", told.session, "--json"),
        ("session", "replay", told.session, "--at", "9"),
    ],
    "session diff": lambda told: [("session", "diff", told.session), ("session", "diff", told.session, "--json")],
    "session export": lambda told: [
        ("session", "export", told.session, "-o", str(told.bundle), "--force"),
        ("session", "export", told.session, "-o", f"/{EVIL}/x"),
    ],
    "session erase": lambda _: [
        ("session", "erase", EVIL, "--reason", EVIL, "--yes"),
        ("session", "erase", "--older-than", EVIL, "--reason", EVIL, "--yes"),
    ],
    "session hold": lambda told: [
        ("session", "hold", told.session, "--reason", EVIL),
        ("session", "hold", EVIL, "--reason", "x"),
    ],
    "session release": lambda told: [("session", "release", told.session, "--reason", EVIL)],
    "readjudicate": lambda told: [("readjudicate", told.session), ("readjudicate", told.session, "--json")],
    "access list": lambda _: [("access", "list"), ("access", "list", "--json"), ("access", "list", EVIL)],
    "sources check": lambda told: [("sources", "check", *told.sources), ("sources", "check", *told.sources, "--json")],
    "tool run": lambda told: [
        ("tool", "run", name, "--arguments", json.dumps(given), *told.sources, *form)
        for name, given in (
            ("query_logs", {"ever": True}),
            ("query_metrics", {}),
            ("lookup_knowledge", {"query": "OOMKilled"}),
            ("read_skill", {"name": "s"}),
            ("read_skill", {"name": EVIL}),
            (f"none{EVIL}", {}),
        )
        for form in ((), ("--json",))
    ],
    "verdict compute": lambda told: [("verdict", "compute", told.files["verdict.json"])],
    "verdict override": lambda told: [("verdict", "override", told.session, "REJECT", "--reason", EVIL)],
    "gatekeeper check": lambda told: [("gatekeeper", "check", told.files["case.json"])],
    "evidence extract": lambda told: [("evidence", "extract", "--tool", "query_logs", told.files["output.json"])],
    "eval": lambda told: [("eval", told.files["yaml"])],
    "verify": lambda told: [("verify"), ("verify", told.session), ("verify", "--key", told.files["pem"])],
    "bundle verify": lambda told: [("bundle", "verify", told.files["jsonl"], "--key", told.files["pem"])],
    "heads key": lambda _: [("heads", "key"), ("heads", "key", "--json")],
    "asyncapi": lambda _: [("asyncapi",)],
    "init": lambda _: [("init", "--print-users")],
    "doctor": lambda _: [("doctor",), ("doctor", "--json")],
    "parked list": lambda _: [("parked", "list", "--all")],
    "parked show": lambda _: [("parked", "show", EVIL)],
    "parked requeue": lambda _: [("parked", "requeue", EVIL)],
    "parked drop": lambda _: [("parked", "drop", EVIL, "--reason", EVIL)],
    "projection status": lambda _: [("projection", "status")],
    **{
        f"projection {verb}": lambda _, verb=verb: [("projection", verb, EVIL)]  # type: ignore[misc]
        for verb in ("rebuild", "verify", "switch", "rollback")
    },
    "projection drop": lambda _: [("projection", "drop", EVIL, EVIL)],
    "backup": lambda _: [("backup", f"/{EVIL}/{EVIL}")],
    "restore": lambda _: [("restore", f"/{EVIL}"), ("restore", f"/{EVIL}", "--erasures", f"/{EVIL}")],
    "serve": lambda _: [("serve", "--config", f"/{EVIL}")],
    "worker": lambda _: [("worker", "--config", f"/{EVIL}"), ("worker",)],
    "bundle report": lambda _: [("bundle", "report", f"/{EVIL}", "--key", f"/{EVIL}")],
    "key show": lambda _: [("key", "show"), ("key", "show", "--json")],
    "key rotate": lambda _: [("key", "rotate", "--reason", " ")],
    "log isolate": lambda _: [("log", "isolate", "ASSAY_EVENTS", "1", "--reason", EVIL)],
    "verdict republish": lambda _: [("verdict", "republish", "--since", EVIL)],
    "verdict watch": lambda _: [("verdict", "watch", "--since", EVIL)],
}
"""Every command, with hostile text wherever it takes a text or shows one."""


def _leaves(parser: argparse.ArgumentParser, path: tuple[str, ...] = ()) -> Iterator[str]:
    deeper = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not deeper:
        yield " ".join(path)
    for action in deeper:
        for name, one in action.choices.items():
            yield from _leaves(one, (*path, name))


def test_no_command_is_left_out() -> None:
    assert set(COMMANDS) == set(_leaves(build_parser()))


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_prints_such_a_character(told: Told, command: str) -> None:
    for arguments in COMMANDS[command](told):
        arguments = (arguments,) if isinstance(arguments, str) else arguments
        ran = told.assay.here(*arguments)
        for text in (ran.out, ran.err):
            assert HIDDEN.findall(text) == [], (arguments, text)
        if "--json" in arguments and ran.out:
            assert all(json.loads(line) for line in ran.out.splitlines())
        told.assay.here(*arguments, f"--{EVIL}")  # usage


def test_usage_and_help_print_no_such_character(told: Told) -> None:
    for arguments in (
        (EVIL,),
        ("ask", "q", f"--{EVIL}"),
        ("session", "show", "x", EVIL),
        ("session", "list", "--limit", EVIL),
    ):
        ran = told.assay.here(*arguments)
        assert HIDDEN.findall(ran.out + ran.err) == []
        assert ran.status == 2


def test_json_parses_to_the_exact_text(told: Told) -> None:
    told.assay.here("session", "feedback", told.session, "wrong", EVIL)
    shown = json.loads(told.assay.here("session", "show", told.session, "--json").out)
    assert (shown["session"]["query"], shown["session"]["feedback_text"]) == (QUESTION, EVIL)
    out = told.assay.here("evidence", "extract", "--tool", "query_logs", told.files["output.json"]).out
    assert EVIL in json.loads(out)["evidence_refs"][0]["text"]


def test_a_malformed_reply_puts_no_link_into_the_answer(told: Told) -> None:
    answer = json.loads(told.asked.out)["answer"]
    assert "](" not in answer
    assert json.loads(told.asked.out)["verdict"] != "PASS"
