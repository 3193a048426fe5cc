"""The deterministic core as commands, run as the CI of another agent runs them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
DATA = Path(__file__).parent / "data"
GATEKEEPER, EXTRACT, VERDICT = ("gatekeeper", "check"), ("evidence", "extract"), ("verdict", "compute")
COMMANDS = [GATEKEEPER, EXTRACT, VERDICT]
SERVER_CLIENTS = {"nats", "faststream", "openai", "psycopg", "httpx", "httpx2", "eventsourcing"}


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed and its exit status."""

    status: int
    out: str
    err: str

    @property
    def results(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def run(*arguments: str, given: bytes | str = b"") -> Ran:
    stdin = given.encode() if isinstance(given, str) else given
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "OPENAI_"))}
    done = subprocess.run(
        [sys.executable, "-m", "handlers", *arguments],
        input=stdin,
        cwd=ROOT,
        env=kept,
        capture_output=True,
        check=False,
    )
    ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in ran.err, ran.err
    return ran


def lines_of(command: tuple[str, ...], name: str, *more: str) -> list[dict[str, Any]]:
    ran = run(*command, *more, "--lines", str(DATA / name))
    assert (ran.status, ran.err) == (0, "")
    return ran.results


def example(name: str, **changes: Any) -> str:
    """The example of the README on one line, with changed fields; a field that is `...` is left out."""
    document = {**json.loads((DATA / name).read_text()), **changes}
    return json.dumps({key: value for key, value in document.items() if value is not ...})


def refused(ran: Ran, *named: str) -> None:
    """Exit 2 and one line that says what is wrong."""
    assert (ran.status, ran.out) == (2, "")
    (line,) = ran.err.splitlines()
    for words in ("assay: ", *named):
        assert words in line


# ---------------------------------------------------------------- the README


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_example_of_the_readme_runs(command: tuple[str, ...]) -> None:
    """R23, R18, R35: each command's example is run as it is written."""
    (written,) = (
        line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith(f"assay {' '.join(command)} ")
    )
    ran = run(*shlex.split(written, comments=True)[1:])
    assert (ran.status, ran.err) == (0, "")
    (result,) = ran.results
    expected: dict[tuple[str, ...], Callable[[], bool]] = {
        GATEKEEPER: lambda: result["gatekeeper_result"]["status"] == "pass",
        EXTRACT: lambda: [ref["raw_path"] for ref in result["evidence_refs"]] == ["$.logs[0]", "$.logs"],
        VERDICT: lambda: (result["verifier_evaluation"]["verdict"], result["route"]) == ("PASS", "compose"),
    }
    assert expected[command]()


# ---------------------------------------------------------------- assay gatekeeper check


def test_the_gatekeeper_rules_on_every_line_in_order() -> None:
    """R13, R21, R25, R27: a true quotation, an exchanged digit, no JSON, and a tool that the caller declares."""
    results = lines_of(GATEKEEPER, "gatekeeper.jsonl")
    assert [
        (result["executor_output_parse_status"]["status"], result["gatekeeper_result"]["severity"])
        for result in results
    ] == [("valid", "none"), ("valid", "reject"), ("malformed", "low_confid"), ("valid", "none")]
    assert results[1]["gatekeeper_result"]["failed_rules"] == ["evidence.excerpt_mismatch"]
    assert results[2]["executor_structured_output"] is None


@pytest.mark.parametrize(
    ("changes", "status"),
    [({}, 0), ({"session_id": "another"}, 3), ({"executor_output": None}, 3), ({"executor_output": [1]}, 3)],
    ids=["true quotations", "another session's calls", "no output", "a list"],
)
def test_the_exit_status_of_the_gatekeeper_is_its_result(changes: dict[str, Any], status: int) -> None:
    """R27: 0 for a pass, 3 for a fail."""
    assert run(*GATEKEEPER, given=example("gatekeeper.json", **changes)).status == status


def test_an_executor_output_reads_the_same_as_text_and_as_an_object() -> None:
    """R13: an object is what its text would have been."""
    output = json.loads((DATA / "gatekeeper.json").read_text())["executor_output"]
    as_text = run(*GATEKEEPER, "-", given=example("gatekeeper.json", executor_output=json.dumps(output)))
    assert as_text.results == run(*GATEKEEPER, "-", given=example("gatekeeper.json")).results


def test_what_the_parser_dropped_stands_among_the_warnings() -> None:
    """R15: remediation is dropped with a warning."""
    output = json.loads((DATA / "gatekeeper.json").read_text())["executor_output"]
    action = {"action_id": "a9", "action_text": "重启 seat-map", "reason": "", "evidence_bindings": []}
    ran = run(*GATEKEEPER, given=example("gatekeeper.json", executor_output=output | {"recommended_actions": [action]}))
    assert [warning["rule"] for warning in ran.results[0]["gatekeeper_result"]["warnings"]] == ["action.remediation"]


def test_the_nulls_of_a_database_row_are_parts_that_are_not_given() -> None:
    """R25: without retrieval_details a call counts as a legacy one."""
    calls = json.loads((DATA / "gatekeeper.json").read_text())["invocations"]
    rows = [call | {"retrieval_details": None, "output": None, "error_message": None} for call in calls]
    (result,) = run(*GATEKEEPER, given=example("gatekeeper.json", invocations=rows)).results
    assert result["gatekeeper_result"]["severity"] == "low_confid"
    assert result["gatekeeper_result"]["failed_rules"] == ["evidence.legacy_invocation"]


# ---------------------------------------------------------------- assay evidence extract


def test_evidence_is_extracted_of_every_line_in_order() -> None:
    """R18 to R20: no hits, an output as text with a number as written, a failed call, the tool of --tool."""
    assert lines_of(EXTRACT, "extract.jsonl", "--tool", "query_order") == [
        {
            "evidence_status": "no_evidence",
            "evidence_refs": [{"raw_path": "$.logs", "text": 'source=query_logs query="deck C" total=0'}],
        },
        {
            "evidence_status": "supported",
            "evidence_refs": [
                {"raw_path": "$.items[0]", "text": "pier-7, waiting=184.50"},
                {"raw_path": "$.items", "text": 'source=pier_counter query="" total=1: pier-7'},
            ],
        },
        {"evidence_status": "failed", "evidence_refs": []},
        {
            "evidence_status": "supported",
            "evidence_refs": [
                {"raw_path": "$.items[0]", "text": "pier-8, waiting=1.10"},
                {"raw_path": "$.items", "text": 'source=query_order query="" total=1: pier-8'},
            ],
        },
    ]


def test_output_that_is_not_json_has_no_refs() -> None:
    """R18: no refs, the status is kept."""
    ran = run(*EXTRACT, "--tool", "query_logs", given="deck B locked")
    assert (ran.status, ran.results) == (0, [{"evidence_status": "no_evidence", "evidence_refs": []}])


def test_the_tool_must_be_named() -> None:
    refused(run(*EXTRACT, given="{}"), "--tool")
    assert run(*EXTRACT, "--lines", given='{"output": "x"}').results == [
        {"error": "tool_name: it is missing, and --tool is not given", "line": 1}
    ]


# ---------------------------------------------------------------- assay verdict compute


def test_a_verdict_its_route_and_its_answer_are_computed_for_every_line() -> None:
    """R35, R39, R40: nine rounds over the same two claims."""
    results = lines_of(VERDICT, "verdict.jsonl")
    assert [
        (result["verifier_evaluation"]["verdict"], result["verifier_evaluation"]["groundedness_score"], result["route"])
        for result in results
    ] == [
        ("PASS", 0.8, "compose"),
        ("PASS", 0.8, "compose"),
        ("LOW_CONFID", 0.5, "disclaimer"),
        ("REJECT", 0.0, "degrade"),
        ("LOW_CONFID", 0.0, "retry"),
        ("LOW_CONFID", 0.5, "retry"),
        ("LOW_CONFID", 0.5, "disclaimer"),
        ("LOW_CONFID", 0.0, "disclaimer"),
        ("PASS", 0.8, "compose"),
    ]


def test_the_threshold_is_taken_as_it_is_written() -> None:
    """R35: a score of one half lies below 0.50000000000000000001, and not below 0.5 or "0.5"."""
    facts = json.loads((DATA / "verdict.jsonl").read_text().splitlines()[2])["verifier_output"]
    written = [0.5, "0.5", "0.50000000000000000001", 1, 0]
    given = "\n".join(example("verdict.json", verifier_output=facts, threshold=threshold) for threshold in written)
    results = run(*VERDICT, "--lines", given=given).results
    assert [result["route"] for result in results] == ["disclaimer", "disclaimer", "retry", "retry", "disclaimer"]


def test_the_answer_is_what_a_user_would_be_shown() -> None:
    """R46, R47: the Composer's words or a plain list, a template, and nothing while another round follows."""
    answers = [result["answer"] for result in lines_of(VERDICT, "verdict.jsonl")]
    queue, lock = "seat-map 的 7 号码头排队 184 人，已持续 22 分钟。", "排队的根因是 deck B 的锁超过 45 秒未释放。"
    assert answers[0] == f"经核对的证据可以确认：\n- {queue}\n- {lock}"
    assert answers[1] == queue
    assert f"已确认信息：\n- {queue}\n\n当前缺口：\n- 未能证实：{lock}\n" in answers[2]
    assert queue not in answers[3]
    assert lock not in answers[3]
    assert answers[4] is None


def test_rules_without_input_are_named_and_lower_nothing() -> None:
    """R9, R36 to R38, R70: with calls and a session time all is checked; without them the verdict is the same."""
    results = lines_of(VERDICT, "verdict.jsonl")
    assert results[8]["verifier_evaluation"]["not_checked"] == []
    assert results[0]["verifier_evaluation"]["not_checked"] == [
        "claim.entity_invented",
        "claim.entity_unsupported",
        "answer.entity_invented",
        "answer.entity_unsupported",
        "evidence.stale",
        "answer.term_uncovered",
        "answer.cause_unfound",
    ]
    assert "fact.no_supported_ref" in results[6]["verifier_evaluation"]["not_checked"]


def test_a_model_that_was_not_asked_needs_no_output() -> None:
    """R32: a gatekeeper that rejects decides alone."""
    check = {"status": "fail", "severity": "reject"}
    (result,) = run(*VERDICT, given=example("verdict.json", gatekeeper_result=check, verifier_output=...)).results
    assert (result["verifier_evaluation"]["reason"], result["route"]) == ("gatekeeper_reject", "degrade")


# ---------------------------------------------------------------- input that cannot be used


@pytest.mark.parametrize("command", [GATEKEEPER, (*EXTRACT, "--tool", "query_logs"), VERDICT], ids=" ".join)
def test_a_bad_line_gives_an_error_line_and_the_run_goes_on(command: tuple[str, ...]) -> None:
    """A duplicate key, NaN, bytes that are no text, deep nesting, nothing, and what is no object."""
    good = {GATEKEEPER: "gatekeeper.json", VERDICT: "verdict.json"}.get(command)
    line = example(good).encode() if good else b'{"output": {"logs": []}}'
    bad = [b'{"a": 1, "a": 2}', b'{"a": NaN}', b"\xff\xfe", b"[" * 100_000 + b"]" * 100_000, b"", b"7"]
    ran = run(*command, "--lines", given=b"\n".join([line, *bad, line]))
    first, *errors, last = ran.results
    assert ran.status == 0
    assert first == last
    assert "error" not in first
    assert errors == [
        {"error": "no JSON: the key 'a' stands twice in one object", "line": 2},
        {"error": "no JSON: NaN is no JSON number", "line": 3},
        {"error": "no UTF-8 text: invalid start byte at byte 0", "line": 4},
        {"error": "no JSON: nested too deeply", "line": 5},
        {"error": "there is nothing in it", "line": 6},
        {"error": "no JSON object", "line": 7},
    ]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"session_id": ...}, "session_id: Field required"),
        ({"invocations": {}}, "invocations: Input should be a valid list"),
        ({"invocations": [{"id": "x"}]}, "invocations.0.id: Input should be a valid integer"),
        ({"tool_classes": {"pier_counter": "dead"}}, "tool_classes.pier_counter"),
    ],
    ids=["missing", "no list", "no integer", "no class"],
)
def test_a_wrong_part_of_a_gatekeeper_case_is_named(changes: dict[str, Any], named: str) -> None:
    refused(run(*GATEKEEPER, given=example("gatekeeper.json", **changes)), named)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"threshold": 1.5}, "threshold: must be a decimal number between 0 and 1"),
        ({"threshold": "1e-999999999"}, "threshold"),
        ({"threshold": True}, "threshold"),
        ({"round": 3}, "round: Input should be less than or equal to 2"),
        ({"session_time": "noon"}, "session_time"),
        ({"executor_structured_output": {"claims": "none"}}, "executor_structured_output: claims is no list"),
    ],
    ids=["too much", "too small", "a truth value", "a third round", "no time", "no claims"],
)
def test_a_wrong_part_of_a_verdict_case_is_named(changes: dict[str, Any], named: str) -> None:
    refused(run(*VERDICT, given=example("verdict.json", **changes)), named)


@pytest.mark.parametrize("command", [GATEKEEPER, (*EXTRACT, "--tool", "query_logs"), VERDICT], ids=" ".join)
def test_a_file_that_cannot_be_read_or_holds_nothing_is_named(command: tuple[str, ...], tmp_path: Path) -> None:
    refused(run(*command, str(tmp_path / "missing.json")), "missing.json", "No such file")
    refused(run(*command, str(tmp_path)), str(tmp_path))
    refused(run(*command, given=" \n"), "-: there is nothing in it")


# ---------------------------------------------------------------- speed


def test_a_thousand_cases_need_no_server_client(tmp_path: Path) -> None:
    """The three commands run over a thousand lines each in a process that has loaded no client of any server."""
    program = f"""
import json, sys
from handlers.cli import main
for command, name in {[(GATEKEEPER, "gatekeeper"), ((*EXTRACT, "--tool", "x"), "extract"), (VERDICT, "verdict")]}:
    lines = open(f"{DATA}/{{name}}.jsonl").read().splitlines()
    with open("cases.jsonl", "w") as cases:
        cases.writelines(f"{{lines[number % len(lines)]}}\\n" for number in range(1000))
    assert main([*command, "--lines", "cases.jsonl"]) == 0
print(json.dumps(sorted({{name.split(".")[0] for name in sys.modules}} & {SERVER_CLIENTS})))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    *answers, clients = done.stdout.splitlines()
    assert len(answers) == 3000
    assert json.loads(clients) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_standard_input_is_unusable(command: tuple[str, ...]) -> None:
    """R61: exit 2 and a clear text for unusable input."""
    line = shlex.join([sys.executable, "-m", "handlers", *command, "--lines", "-"])
    done = subprocess.run(["sh", "-c", f"{line} <&-"], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().strip().endswith("-: standard input is closed")
