"""What an evaluation prints (R63)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from uuid import UUID
from xml.etree import ElementTree

import pytest

from handlers.evaluation.case import Case
from handlers.evaluation.expectations import Miss
from handlers.evaluation.observation import Observation
from handlers.evaluation.report import as_json, as_junit, heading, row, summary
from handlers.evaluation.result import CaseResult

SESSION = UUID("01990000-0000-7000-8000-000000000000")
NOTHING = Observation(
    status="completed",
    verdict="LOW_CONFID",
    outcome=None,
    reason=None,
    rounds=1,
    score=Decimal("0.25"),
    parse_status=None,
    gatekeeper_status=None,
    gatekeeper_severity=None,
    failed_rules=(),
    adjusted_rules=(),
    warnings=(),
    composer=None,
    claims=(),
    claim_types=(),
    binding_paths=(),
    answer="未检索到",
    tools_called=(),
    agents_asked=(),
)


def result(name: str, expected: str, got: str, *wrong: Miss) -> CaseResult:
    case = Case.model_validate({"name": name, "question": "一", "expect": {"verdict": expected}})
    return CaseResult(case, SESSION, replace(NOTHING, verdict=got), wrong, 1.25)


@pytest.fixture
def results() -> list[CaseResult]:
    return [
        result("memory", "PASS", "PASS"),
        result("unknown path", "REJECT", "REJECT"),
        result("no path", "LOW_CONFID", "PASS", Miss("verdict", "LOW_CONFID", "PASS"), Miss("rounds", "1", "2")),
        result("slip", "LOW_CONFID", "LOW_CONFID"),
    ]


def test_the_table_has_a_line_a_case_and_one_for_each_miss(results: list[CaseResult]) -> None:
    cases = [one.case for one in results]
    assert heading(cases) == "CASE          EXPECTED    GOT         OK   SECONDS"
    assert row(results[0], cases) == "memory        PASS        PASS        yes      1.2"
    assert row(results[2], cases).splitlines() == [
        "no path       LOW_CONFID  PASS        no       1.2",
        "    verdict: expected LOW_CONFID, got PASS",
        "    rounds: expected 1, got 2",
    ]


def test_trivial_answers_stand_beside_the_figures(results: list[CaseResult]) -> None:
    """R63: a trivial baseline beside the figures."""
    assert summary(results) == "3 of 4 cases as expected; verdicts: assay 3/4, always LOW_CONFID 2/4, always PASS 1/4"


def test_the_json_document_holds_figures_and_everything_observed(results: list[CaseResult]) -> None:
    document = as_json(results)
    assert (document["passed"], document["failed"]) == (3, 1)
    assert document["verdicts"] == {
        "expected": 4,
        "right": 3,
        "baselines": {"always LOW_CONFID": 2, "always PASS": 1},
    }
    wrong = document["cases"][2]
    assert (wrong["name"], wrong["ok"], wrong["session_id"], wrong["score"]) == ("no path", False, str(SESSION), 0.25)
    assert wrong["misses"][0] == {"field": "verdict", "expected": "LOW_CONFID", "got": "PASS"}


def test_junit_counts_a_missing_case_as_a_failure(results: list[CaseResult]) -> None:
    suite = ElementTree.fromstring(as_junit(results))
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "4", "1")
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["no path"]
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "verdict: expected LOW_CONFID, got PASS"
    assert failure.text == "verdict: expected LOW_CONFID, got PASS\nrounds: expected 1, got 2"


def test_text_that_xml_cannot_hold_does_not_break_junit() -> None:
    hostile = result("a\x00b ]]> <x>", "PASS", "REJECT", Miss("answer_lacks", "x", "\x1b[31m\ud800 &amp; </failure>"))
    (case,) = ElementTree.fromstring(as_junit([hostile]))
    assert case.get("name") == "a\ufffdb ]]> <x>"
    failure = case.find("failure")
    assert failure is not None
    assert failure.text == "answer_lacks: expected x, got \ufffd[31m\ufffd &amp; </failure>"
