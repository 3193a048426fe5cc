import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from domain.agents.executor_output import parse_executor_output
from domain.contracts import ClaimType, ParseState
from domain.json_objects import without_lone_surrogates

BINDING = {
    "tool_name": "query_metrics",
    "source_invocation_id": 12345,
    "raw_path": "$.alerts[1]",
    "evidence_excerpt": "HighMemoryUsage firing, service=order-service, current=91%",
}
CLAIM = {
    "claim_id": "claim-1",
    "claim_type": "observation",
    "claim_text": "order-service 当前存在 HighMemoryUsage 告警，内存使用率达到 91%。",
    "evidence_bindings": [BINDING],
}


def contract(**changes: Any) -> dict[str, Any]:
    whole = {
        "answer_version": "executor_evidence_v2",
        "diagnosis_summary": "",
        "claims": [CLAIM],
        "hypotheses": [],
        "missing_info": [],
        "recommended_actions": [],
    }
    return whole | changes


def parse(value: Any, question: str = ""):
    return parse_executor_output(json.dumps(value, ensure_ascii=False), question=question)


def rules(parsed) -> list[str]:
    return [finding.rule for finding in parsed.warnings]


def test_a_clean_contract_is_valid_without_a_warning():
    """R11, R13: strict JSON of version 2."""
    parsed = parse(contract())
    assert parsed.status.status is ParseState.VALID
    assert parsed.status.detail == "parsed executor evidence contract"
    assert parsed.warnings == ()
    assert parsed.structured.claims[0].evidence_bindings[0].source_invocation_id == 12345


def test_what_was_stripped_stands_in_the_detail():
    """R13: still valid, detail says what was stripped."""
    parsed = parse_executor_output(f"<think>想</think>```json\n{json.dumps(contract())}\n```")
    assert parsed.status.detail == "parsed executor evidence contract; stripped: think block, code fence"
    assert "想" not in parsed.final_answer


@pytest.mark.parametrize("raw", [None, "", "  \n", "<think>只想了想"])
def test_nothing_returned_is_missing(raw):
    """R13: missing is told apart from malformed."""
    parsed = parse_executor_output(raw)
    assert (parsed.status.status, parsed.structured) == (ParseState.MISSING, None)


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"claims": {}}, "claims is no list"),
        ({"claims": None}, "claims is no list"),
        ({"claims": ["文本"]}, "claims[0] is no object"),
        ({"claims": [CLAIM, {"claim_id": "c"}]}, "claims[1].claim_text is missing"),
        (
            {"claims": [CLAIM | {"evidence_bindings": ["$.logs[0]"]}]},
            "evidence_bindings of claim-1 is no list of objects",
        ),
        (
            {"claims": [CLAIM | {"evidence_bindings": [BINDING | {"source_invocation_id": "call-7"}]}]},
            "source_invocation_id of claim-1 is no whole number: 'call-7'",
        ),
        (
            {"claims": [CLAIM | {"evidence_bindings": [BINDING | {"source_invocation_id": True}]}]},
            "source_invocation_id of claim-1 is no whole number: True",
        ),
    ],
)
def test_what_could_change_a_claim_or_its_proof_is_malformed(changes, detail):
    """R13: a `claims` that is no list, and ids or bindings that cannot be read, are malformed."""
    parsed = parse(contract(**changes))
    assert (parsed.status.status, parsed.status.detail, parsed.structured) == (ParseState.MALFORMED, detail, None)


def test_an_object_without_claims_is_malformed():
    """R13: claims is the one list that must be there."""
    assert parse({"answer": "好"}).status.detail == "claims is missing"


def test_repaired_json_is_malformed_and_kept_for_audit_only():
    """R13, R14: a repair library's reading never becomes the structured output; the raw text is kept."""
    raw = '{"claims": [{"claim_text": "一"},]}'
    parsed = parse_executor_output(raw)
    assert (parsed.status.status, parsed.structured) == (ParseState.MALFORMED, None)
    assert parsed.repaired == {"claims": [{"claim_text": "一"}]}
    assert parsed.final_answer == without_lone_surrogates(raw)


def test_prose_is_malformed_and_kept_as_the_natural_language_answer():
    """R14: the Verifier falls back to it."""
    parsed = parse_executor_output("order-service 正常。")
    assert (parsed.status.status, parsed.final_answer, parsed.repaired) == (
        ParseState.MALFORMED,
        "order-service 正常。",
        None,
    )


@pytest.mark.parametrize("given_id", ["8225", " 8225 ", 8225.0])
def test_a_numeric_id_in_another_form_is_tolerated_with_a_warning(given_id):
    """R13: numeric strings as ids."""
    parsed = parse(contract(claims=[CLAIM | {"evidence_bindings": [BINDING | {"source_invocation_id": given_id}]}]))
    assert parsed.structured.claims[0].evidence_bindings[0].source_invocation_id == 8225
    assert rules(parsed) == ["contract.invocation_id"]


def test_missing_optional_lists_are_empty_with_a_warning():
    """R13: a missing optional list is a small slip."""
    parsed = parse({"answer_version": "executor_evidence_v2", "claims": [{"claim_id": "c", "claim_text": "一"}]})
    assert parsed.status.status is ParseState.VALID
    assert parsed.structured.claims[0].evidence_bindings == ()
    assert rules(parsed) == ["contract.missing_list"] * 4


def test_missing_and_repeated_claim_ids_are_made_unique():
    """R13: findings and facts are told apart by the id."""
    parsed = parse(contract(claims=[CLAIM | {"claim_id": None}, CLAIM, CLAIM | {"claim_id": 7}, CLAIM]))
    assert [claim.claim_id for claim in parsed.structured.claims] == ["claim-1", "claim-1-2", "7", "claim-1-3"]
    assert rules(parsed) == ["contract.id"] * 4


@pytest.mark.parametrize("given_type", ["guess", None, ["root_cause"], 3])
def test_an_unknown_claim_type_counts_as_an_observation(given_type):
    """R11: and is critical."""
    claim = parse(contract(claims=[CLAIM | {"claim_type": given_type}])).structured.claims[0]
    assert (claim.claim_type, claim.is_critical) == (ClaimType.OBSERVATION, True)


def test_version_1_is_normalised_with_a_binding_for_each_id():
    """R12: arrays of ids become single bindings; there is no path to give them."""
    binding = {
        "source_type": "tool_trace",
        "source_id": "trace-1",
        "tool_name": "query_logs",
        "evidence_excerpt": "一行",
    }
    parsed = parse(
        {
            "answer_version": "executor_evidence_v1",
            "claims": [
                CLAIM
                | {
                    "support_level": "direct",
                    "evidence_bindings": [
                        binding | {"source_invocation_ids": [394, "395", 394]},
                        binding | {"source_invocation_ids": []},
                    ],
                }
            ],
            "hypotheses": [{"hypothesis_text": "可能泄漏", "basis": "内存偏高", "needed_evidence": ["堆 dump"]}],
            "missing_info": ["缺少堆 dump"],
            "recommended_actions": ["继续查看 GC 日志"],
        }
    )
    output = parsed.structured
    bindings = [(b.source_invocation_id, b.raw_path) for b in output.claims[0].evidence_bindings]
    assert bindings == [(394, None), (395, None), (None, None)]
    assert (output.answer_version, output.claims[0].support_level) == ("executor_evidence_v2", "direct")
    assert output.hypotheses[0].missing_info == "内存偏高；堆 dump"
    assert output.missing_info[0].description == "缺少堆 dump"
    assert (output.recommended_actions[0].action_id, output.recommended_actions[0].action_text) == (
        "action-1",
        "继续查看 GC 日志",
    )


def test_an_entry_of_an_optional_list_without_its_text_is_left_out():
    """R13: an unusable hypothesis does not cost the claims."""
    parsed = parse(contract(hypotheses=[{"basis": "x"}, {"hypothesis_text": "可能"}]))
    assert [h.hypothesis_text for h in parsed.structured.hypotheses] == ["可能"]
    assert rules(parsed) == ["contract.entry"]


def test_remediation_is_dropped_with_a_warning():
    """R15: actions only collect evidence."""
    actions = [
        {"action_id": "a1", "action_text": "查看 order-service 的重启记录"},
        {"action_id": "a2", "action_text": "查看日志后重启 order-service"},
        {"action_id": "a3", "action_text": "收集堆 dump", "action_type": "remediation"},
    ]
    parsed = parse(contract(recommended_actions=actions))
    assert [action.action_id for action in parsed.structured.recommended_actions] == ["a1"]
    assert [(w.rule, w.subject) for w in parsed.warnings] == [
        ("action.remediation", "a2"),
        ("action.remediation", "a3"),
    ]


def test_an_overstepped_narrow_question_is_warned_of():
    """R16: recorded as warnings, the output stays valid."""
    claims = [
        CLAIM | {"claim_id": "c1"},
        CLAIM | {"claim_id": "c2", "claim_type": "root_cause", "claim_text": "HikariCP 耗尽"},
        CLAIM | {"claim_id": "c3"},
    ]
    parsed = parse(contract(claims=claims), question="只确认 HighMemoryUsage，不要分析连接池。")
    assert parsed.status.status is ParseState.VALID
    assert [(w.rule, w.subject) for w in parsed.warnings] == [
        ("scope.claim_count", ""),
        ("scope.claim_type", "c2"),
        ("scope.excluded_subject", "c2"),
    ]


def test_an_output_given_as_an_object_is_read_like_its_text():
    """R13: the same strictness for both forms."""
    assert parse_executor_output(contract()).structured == parse(contract()).structured
    assert parse_executor_output(contract(x=float("nan"))).status.status is ParseState.MALFORMED


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
FIELDS = [
    *("answer_version", "diagnosis_summary", "claims", "hypotheses", "missing_info", "recommended_actions"),
    *(
        "user_facing_answer",
        "claim_id",
        "claim_type",
        "claim_text",
        "evidence_bindings",
        "support_level",
        "action_text",
    ),
    *("source_invocation_id", "source_invocation_ids", "raw_path", "evidence_excerpt", "tool_name", "hypothesis_text"),
]
contract_like = st.recursive(
    json_values,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=8),
    max_leaves=12,
).map(lambda value: value if isinstance(value, dict) else {"claims": value if isinstance(value, list) else [value]})


@settings(max_examples=150, deadline=None)
@given(contract_like)
def test_no_json_breaks_the_parser_or_the_record(value):
    """R13: whatever JSON a model returns is parsed to a recordable document, and its text is kept."""
    raw = json.dumps(value)
    parsed = parse_executor_output(raw, question="只确认 A，不要分析 B")
    assert parsed.final_answer == without_lone_surrogates(raw)
    assert (parsed.structured is not None) == (parsed.status.status is ParseState.VALID)
    assert type(parsed).model_validate_json(parsed.model_dump_json()).status == parsed.status


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(), max_size=60) | st.text('{}[]",:\\ claims1', max_size=60))
def test_no_text_breaks_the_parser_or_is_lost(text):
    """R13, R14: half a surrogate pair aside, which no record can hold, the text comes through unchanged."""
    assume("\\ud" not in text.casefold())  # half a pair written as an escape is one, too
    parsed = parse_executor_output(text)
    assert parsed.final_answer == "".join("\ufffd" if 0xD800 <= ord(char) <= 0xDFFF else char for char in text)
    parsed.model_dump_json()
