"""R10: whether a second request by the same idempotency key is the same one."""

from __future__ import annotations

from typing import Any

import pytest

from domain.session.decide import InvalidCommand
from domain.session.request import differing, request_hash

REQUEST: dict[str, Any] = {"question": "q password=a", "sources": {"logs": ["/a"], "exclude": []}, "time": ""}
KEY = b"k" * 32


def hashed(secret: bytes = KEY, **other: Any) -> str:
    return request_hash(secret, **(REQUEST | other))


def test_the_same_request_has_the_same_hash_and_tells_nothing_without_the_key() -> None:
    assert hashed() == hashed(sources={"logs": ["/a"]})
    assert not set(hashed().split(".")) & set(hashed(b"x" * 32).split("."))


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"question": "q password=b"}, ["question"]),
        ({"sources": {"logs": ["/b"]}}, ["sources"]),
        ({"sources": {"logs": ["/a"], "exclude": ["*.gz"]}}, ["sources"]),
        ({"time": "2026-07-08T12:00:00+00:00"}, ["time"]),
        ({"question": "x", "time": "y"}, ["question", "time"]),
        ({}, []),
    ],
)
def test_what_differs_is_named(other: dict[str, Any], named: list[str]) -> None:
    assert differing(hashed(), hashed(**other)) == named


def test_a_question_that_differs_in_what_is_masked_alone_is_another(given: Any) -> None:
    session = given()
    for _ in range(2):
        session.opened("checkout password=one", request_hash=hashed(question="checkout password=one"))
    assert len(session.history) == 2
    with pytest.raises(InvalidCommand, match=r"another question: checkout password=.masked"):
        session.opened("checkout password=two", request_hash=hashed(question="checkout password=two"))
