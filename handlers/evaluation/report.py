"""What an evaluation prints: a table, JUnit XML, a JSON document, and how far trivial answers would get (R63)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from domain.contracts import Verdict
from handlers.evaluation.case import Case
from handlers.evaluation.result import CaseResult

BASELINES = {"always LOW_CONFID": Verdict.LOW_CONFID, "always PASS": Verdict.PASS}
"""Answers that need no system: what the expected verdicts say of them shows what the figures are worth."""

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def heading(cases: Sequence[Case]) -> str:
    return _row(_width(cases), "CASE", "EXPECTED", "GOT", "OK", "SECONDS")


def row(result: CaseResult, cases: Sequence[Case]) -> str:
    """One line of the table, and one for each miss."""
    line = _row(
        _width(cases),
        result.case.name,
        str(result.case.expect.verdict or "any"),
        result.seen.verdict,
        "no" if result.misses else "yes",
        f"{result.seconds:.1f}",
    )
    return "\n".join([line, *(f"    {miss.field}: expected {miss.expected}, got {miss.got}" for miss in result.misses)])


def summary(results: Sequence[CaseResult]) -> str:
    figures = _figures(results)
    of = figures["verdicts"]["expected"]
    told = [f"{name} {count}/{of}" for name, count in figures["verdicts"]["baselines"].items()]
    right = figures["verdicts"]["right"]
    return f"{figures['passed']} of {len(results)} cases as expected; verdicts: assay {right}/{of}, {', '.join(told)}"


def _figures(results: Sequence[CaseResult]) -> dict[str, Any]:
    expected = [(result.case.expect.verdict, result.seen.verdict) for result in results if result.case.expect.verdict]
    return {
        "passed": sum(not result.misses for result in results),
        "failed": sum(bool(result.misses) for result in results),
        "verdicts": {
            "expected": len(expected),
            "right": sum(wanted == got for wanted, got in expected),
            "baselines": {
                name: sum(wanted == verdict for wanted, _ in expected) for name, verdict in BASELINES.items()
            },
        },
    }


def _width(cases: Sequence[Case]) -> int:
    return max(len("CASE"), *(len(case.name) for case in cases))


def _row(width: int, name: str, expected: str, got: str, ok: str, seconds: str) -> str:
    return f"{name:{width}}  {expected:10}  {got:10}  {ok:3}  {seconds:>7}"


# ---------------------------------------------------------------- for programs


def as_json(results: Sequence[CaseResult]) -> dict[str, Any]:
    return {**_figures(results), "cases": [_case_as_json(result) for result in results]}


def _case_as_json(result: CaseResult) -> dict[str, Any]:
    seen = result.seen
    return {
        "name": result.case.name,
        "ok": not result.misses,
        "misses": [miss._asdict() for miss in result.misses],
        "seconds": round(result.seconds, 3),
        "model": result.case.model,
        "session_id": str(result.session_id),
        **{name: getattr(seen, name) for name in seen.__slots__},
        "score": None if seen.score is None else float(seen.score),
    }


def as_junit(results: Sequence[CaseResult]) -> bytes:
    """One test suite; a case that misses is a failure, and what its session came to stands in its output."""
    failures = sum(bool(result.misses) for result in results)
    seconds = f"{sum(result.seconds for result in results):.3f}"
    attributes = {"name": "assay eval", "tests": str(len(results)), "failures": str(failures), "time": seconds}
    suite = ElementTree.Element("testsuite", attributes)
    for result in results:
        name, seconds = _xml_text(result.case.name), f"{result.seconds:.3f}"
        case = ElementTree.SubElement(suite, "testcase", {"classname": "assay.eval", "name": name, "time": seconds})
        if result.misses:
            told = "\n".join(f"{miss.field}: expected {miss.expected}, got {miss.got}" for miss in result.misses)
            failure = ElementTree.SubElement(case, "failure", {"message": _xml_text(told.partition("\n")[0])})
            failure.text = _xml_text(told)
        output = ElementTree.SubElement(case, "system-out")
        output.text = _xml_text(f"session {result.session_id}, verdict {result.seen.verdict}\n{result.seen.answer}")
    document: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return document


def _xml_text(text: str) -> str:
    """XML has no way to write most control characters."""
    return _NO_XML.sub("\ufffd", text)
