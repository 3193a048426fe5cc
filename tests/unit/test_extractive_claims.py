"""What the offline model quotes in the words of a claim."""

from __future__ import annotations

import pytest

from infra.models.extractive.claims import quoted


@pytest.mark.parametrize(
    ("item", "then"),
    [
        (r'11:13:00Z ERROR body="{\"user\":\"bob\"}" deadlock', "11:13:00Z ERROR … deadlock"),
        ('say="x \\"y\\" z" deadlock', 'say="x \\"y\\" z" deadlock'),
        ('{"user":"bob"} deadlock', "… deadlock"),
        ("a {b {c} d} e {f} g {h}", "a … e … g"),
        ("unclosed {here deadlock", "unclosed"),
        ("nothing of the kind", "nothing of the kind"),
    ],
)
def test_an_object_in_a_line_is_left_out_with_the_field_it_stands_in(item: str, then: str) -> None:
    """R49: no raw JSON reaches the user, and no field is cut in the middle."""
    assert quoted(item, 200) == then


def test_a_long_line_is_cut_at_a_space() -> None:
    assert quoted("deadlock found in orders", 15) == "deadlock found"


def test_a_long_line_is_quoted_where_it_tells_what_happened() -> None:
    """R49, R90: not its beginning, whatever stands there; where nothing tells, the beginning."""
    line = "user=a " * 30 + "connection refused by db-7 " + "user=b " * 30
    assert "connection refused by db-7" in quoted(line, 100)
    assert quoted("user=a " * 60, 20) == "user=a user=a user=a"
    assert quoted("user=a " * 30 + "disk sda1 slow", 60, lambda part: "sda1" in part).endswith("disk sda1 slow")
