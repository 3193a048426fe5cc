"""Kinds of tool outputs, each with what may be cited of it; `kinds/extract.jsonl` holds one case a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from domain.evidence.extraction import extract_evidence

CASES = [json.loads(line) for line in Path(__file__).with_name("kinds").joinpath("extract.jsonl").open()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_may_be_cited_of_an_output(case: dict[str, Any]) -> None:
    """R18, R20."""
    output, expected = case["input"]["output"], case["expected"]
    details = extract_evidence(case["input"]["tool_name"], output if isinstance(output, str) else json.dumps(output))
    texts = {ref.raw_path: ref.text for ref in details.evidence_refs or ()}
    items = [path for path in texts if path.endswith("]")]
    summaries = [path for path in texts if not path.endswith("]")]

    assert details.evidence_status == expected["evidence_status"]
    assert items == expected["raw_paths"]
    assert [w for path, words in expected["texts"].items() for w in words if w not in texts[path]] == []
    assert [w for path, words in expected.get("lacks", {}).items() for w in words if w in texts[path]] == []
    assert expected["summary_ref"] is not None or summaries == []
