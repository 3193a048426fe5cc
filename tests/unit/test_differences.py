"""What differs between two documents, place by place."""

from __future__ import annotations

from typing import Any

import pytest

from domain.differences import Change, changes


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [Change("a", 1, 2)]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, [Change("a.c", 2, 3)]),
        ({}, {"a": {"text": "new"}}, [Change("a", None, {"text": "new"})]),
        ({"a": {"b": {"text": "gone"}}}, {}, [Change("a.b", {"text": "gone"}, None)]),
        ({"a": ["x"]}, {"a": ["x", "y"]}, [Change("a", ["x"], ["x", "y"])]),
    ],
)
def test_the_smallest_part_that_differs_is_named(before: Any, after: Any, found: list[Change]) -> None:
    """R58, R59."""
    assert changes(before, after) == found


def test_members_of_a_list_are_told_apart_by_their_names() -> None:
    """R59: one more in front does not make all behind it differ."""
    before = {"evidence_refs": [{"raw_path": "$.logs[0]", "text": "a"}]}
    after = {"evidence_refs": [{"raw_path": "$.logs", "text": "total=1"}, {"raw_path": "$.logs[0]", "text": "b"}]}
    assert changes(before, after) == [
        Change("evidence_refs[$.logs[0]].text", "a", "b"),
        Change("evidence_refs[$.logs]", None, {"raw_path": "$.logs", "text": "total=1"}),
    ]


def test_several_of_one_name_are_counted() -> None:
    """R59."""
    twice = [{"rule": "action.remediation", "subject": "a"}, {"rule": "action.remediation", "subject": "a"}]
    assert changes(twice[:1], twice) == [Change("[action.remediation a (2)]", None, twice[1])]


def test_the_order_alone_is_no_difference_between_named_members() -> None:
    """R59: it is told as none, since no rule depends on it."""
    one, other = {"name": "a", "points": 1}, {"name": "b", "points": 2}
    assert changes([one, other], [other, one]) == []
