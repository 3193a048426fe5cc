import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.json_objects import find_array, find_object, load_strict, strip_think

CONTRACT = '{"claims": []}'

any_text = st.text(alphabet=st.characters(), max_size=200) | st.lists(
    st.sampled_from(
        ["{", "}", '"', "\\", "[", "]", "<think>", "</think>", "```json\n", CONTRACT, ":", ",", "说", "\ud800"]
    )
).map("".join)


@pytest.mark.parametrize(
    ("raw", "stripped"),
    [
        (CONTRACT, ()),
        (f"\ufeff {CONTRACT}\n", ()),
        (f"```json\n{CONTRACT}\n```", ("code fence",)),
        (f"<think>先看 {{x}}</think>{CONTRACT}", ("think block",)),
        (f"先看日志，再写结论。</think>{CONTRACT}", ("think block",)),
        (f"结果如下：{CONTRACT} 请查收", ("prose",)),
        (f"<think>a</think>\n好的：\n```json\n{CONTRACT}\n```", ("think block", "code fence", "prose")),
        (f"日志里有 {{A}} 和 logs=[]：{CONTRACT}", ("prose",)),
        (f'<think>草稿 {{"claims": [1]}}</think>{CONTRACT}', ("think block",)),
        (f'草稿 {{"claims": [1]}}</think>{CONTRACT}', ("think block",)),
    ],
)
def test_one_object_is_found_behind_what_stands_around_it(raw, stripped):
    """R13: a fence, think blocks and prose are stripped, also one after the other, and named."""
    found = find_object(raw)
    assert (found.value, found.stripped, found.problem) == ({"claims": []}, stripped, "")


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ("", "no JSON value"),
        ("没有 JSON", "no JSON value"),
        (CONTRACT + CONTRACT, "2 JSON values, not one"),
        (f"{CONTRACT} 或 {{}}", "2 JSON values, not one"),
        ('{"claims": [', "a JSON value is never closed"),
        (f"{CONTRACT}}}", "brackets without a partner beside the JSON value"),
        (f"[{CONTRACT}]", "the outermost JSON value is no object"),
        (f"结果：[{CONTRACT}]", "the outermost JSON value is no object"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice in one object"),
        ('见：{"a": {"b": 1, "b": 1}}', "the key 'b' stands twice in one object"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": -Infinity}', "-Infinity is no JSON number"),
        ('{"a": 1e999}', "the number 1e999 is out of range"),
        ("<think>从不收尾 {}", "no JSON value"),
    ],
)
def test_anything_but_one_complete_strict_object_is_a_problem(raw, problem):
    """R13: two objects, a cut one, duplicate keys and NaN are not repaired."""
    found = find_object(raw)
    assert (found.value, found.problem) == (None, problem)


def test_a_doubled_brace_is_not_looked_into():
    """R13: only the outermost object counts."""
    assert find_object(f"{{{CONTRACT}}}").value is None


def test_a_think_tag_inside_a_string_is_a_quotation():
    """R13: text that a tool planted in an excerpt cuts nothing off."""
    raw = '{"claims": ["</think> <think>"]}'
    assert find_object(f"```\n{raw}\n```").value == {"claims": ["</think> <think>"]}
    assert strip_think(f"见 {raw}") == f"见 {raw}"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("答案", "答案"),
        ("<think>a</think>答案<THINKING>b</THINKING>！", "答案！"),
        ("a</think>答案", "答案"),
        ("答案<think>没有收尾", "答案"),
        ('{"a": <think>x</think> 没有收尾', '{"a":  没有收尾'),
    ],
)
def test_think_blocks_are_cut_out_of_any_text(text, left):
    """R5: no think block goes on to the Verifier."""
    assert strip_think(text) == left


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("[]", []),
        ("```json\n[]\n```", []),
        ('好的：[{"sentence": "一"}]', [{"sentence": "一"}]),
        ('{"sentences": [{"sentence": "一"}]}', None),
        ("[1] 见上文", None),
    ],
)
def test_an_array_can_be_the_outermost_value(raw, value):
    """R46: the Composer answers with an array."""
    assert find_array(raw).value == value


def test_half_a_surrogate_pair_becomes_a_replacement_character():
    """R13: what no UTF-8 text can hold does not break the record."""
    assert load_strict('{"a": "\\ud800 \\\\ud800 \\ud83d\\ude00"}') == {"a": "\ufffd \\ud800 😀"}


@given(any_text)
def test_any_text_is_read_without_an_error(text):
    """R13: parsing never crashes, and what is found is what json would read."""
    for found in (find_object(text), find_array(text)):
        assert (found.value is None) == bool(found.problem)
    assert strip_think(text) in text or "think" in text


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=5))
def test_any_object_is_found_unchanged_inside_prose(value):
    """R13: stripping touches nothing inside the object."""
    raw = json.dumps({"claims": value})
    assert find_object(f"结论：\n```json\n{raw}\n```").value == json.loads(raw)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["{", "[{", '{"', '{"\\"', "<think>", "{</think>", '{"</think>', '{"a":1}', "{ "])
def test_a_megabyte_of_brackets_is_read_in_linear_time(unit):
    """R13: hostile text does not hang the chain."""
    assert find_object(unit * (1_000_000 // len(unit))).value is None
