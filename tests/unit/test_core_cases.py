"""Whatever another pipeline writes is answered or refused in words, never with a stack trace."""

from __future__ import annotations

import json
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.cli.cases import UnusableCase, read_extraction_case, read_gatekeeper_case, read_verdict_case
from handlers.cli.core import extraction_answer, gatekeeper_answer, verdict_answer

DATA = Path(__file__).parent.parent / "acceptance" / "data"
WHOLE = {name: json.loads((DATA / f"{name}.json").read_text()) for name in ("gatekeeper", "verdict")}
PARTS = sorted({*WHOLE["gatekeeper"], *WHOLE["verdict"], "invocations", "session_time", "composer_output"})
WORDS = st.sampled_from(["", "claim-1", "$.alerts[0]", "query_logs", "2032-05-06", "PASS", "91%", "\ud800", "{", "甲"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=8)
FIELDS = st.sampled_from(
    [
        *("claims", "claim_id", "claim_text", "claim_type", "evidence_bindings", "raw_path", "evidence_excerpt"),
        *("id", "tool_name", "success", "retrieval_details", "evidence_status", "evidence_refs", "text", "query"),
        *("status", "severity", "checked_bindings", "subjects", "verdict", "facts_checked", "fact", "logs", "alerts"),
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS | st.text(max_size=4), inner, max_size=5),
    max_leaves=12,
)


def answered_or_refused(answer: Any, document: Any) -> None:
    """An answer that can be printed, or a refusal."""
    with suppress(UnusableCase):
        json.dumps(answer(json.dumps(document)), ensure_ascii=False).encode()


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(PARTS), VALUES, max_size=3))
def test_no_part_of_a_verdict_case_breaks_it(parts: dict[str, Any]) -> None:
    """R35, R39: any JSON in any place of a good case."""
    answered_or_refused(lambda text: verdict_answer(text, 60), WHOLE["verdict"] | parts)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(PARTS), VALUES, max_size=3))
def test_no_part_of_a_gatekeeper_case_breaks_it(parts: dict[str, Any]) -> None:
    """R13, R23: any JSON in any place of a good case."""
    answered_or_refused(gatekeeper_answer, WHOLE["gatekeeper"] | parts)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_no_tool_output_breaks_the_extraction(output: Any) -> None:
    """R18: any JSON as output."""
    answered_or_refused(lambda text: extraction_answer(text, "query_logs"), {"output": output})


@pytest.mark.parametrize("depth", range(100, 1200, 50))
def test_nesting_is_answered_or_refused_at_any_depth(depth: int) -> None:
    """R13: in the output of a model or a tool."""
    nested = "[" * depth + "]" * depth
    for answer, document in (
        (gatekeeper_answer, json.dumps(WHOLE["gatekeeper"] | {"executor_output": "@"})),
        (lambda text: verdict_answer(text, 60), json.dumps(WHOLE["verdict"] | {"verifier_output": "@"})),
        (lambda text: extraction_answer(text, "query_logs"), '{"output": {"logs": ["@"]}}'),
    ):
        with suppress(UnusableCase, RecursionError):  # the second is answered with "nested too deeply"
            answer(document.replace('"@"', nested))


@pytest.mark.parametrize("written", ["0.1", "1e-1", '"0.1"', "0.10"])
def test_a_threshold_is_read_exactly(written: str) -> None:
    """R35: as a number or as text, it is the decimal that was written and no binary neighbour."""
    document = json.dumps(WHOLE["verdict"] | {"threshold": "@"}).replace('"@"', written)
    assert Fraction(Decimal(read_verdict_case(document).threshold)) == Fraction(1, 10)


@pytest.mark.parametrize("written", ["-0.1", "1.1", "true", "null", '"x"', "[]", '"NaN"', '"1e-51"', '"0e-99999999"'])
def test_a_threshold_that_is_no_share_is_refused(written: str) -> None:
    """R35: nor is one whose exact arithmetic would never end."""
    document = json.dumps(WHOLE["verdict"] | {"threshold": "@"}).replace('"@"', written)
    with pytest.raises(UnusableCase, match="threshold: must be a decimal number between 0 and 1"):
        read_verdict_case(document)


def test_a_first_version_contract_is_read_as_the_second() -> None:
    """R12: also where it is given as already parsed."""
    claim = WHOLE["verdict"]["executor_structured_output"]["claims"][0]
    binding = {key: value for key, value in claim["evidence_bindings"][0].items() if key != "source_invocation_id"}
    old = {"claims": [claim | {"evidence_bindings": [binding | {"source_invocation_ids": ["311", 312]}]}]}
    case = read_verdict_case(json.dumps(WHOLE["verdict"] | {"executor_structured_output": old}))
    assert case.executor_structured_output is not None
    (read,) = case.executor_structured_output.claims
    assert [one.source_invocation_id for one in read.evidence_bindings] == [311, 312]


def test_an_output_is_the_text_or_the_value_in_it() -> None:
    """R13, R18: numbers of a tool output keep the form they are written in."""
    assert read_extraction_case('{"output": "raw"}').output == "raw"
    assert read_extraction_case('{"output": {"logs": [1.50, 2]}}').output == '{"logs": ["1.50", 2]}'
    given = json.dumps(WHOLE["gatekeeper"] | {"executor_output": {"claims": []}})
    assert read_gatekeeper_case(given).executor_output == '{"claims": []}'
