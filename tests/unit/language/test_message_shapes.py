"""Shapes of messages: what changes from entry to entry is folded, what says what happened is not (R90)."""

from __future__ import annotations

import pytest

from domain.language.changes import change_of
from domain.language.message_shapes import ids_in, shape_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("took 12ms for user 4711", "took 7ms for user 88"),
        ("pod cart-7d9f8b6c5-abcde is gone", "pod cart-5c6b7f8d9-fghij is gone"),
        ("dial tcp 10.0.0.7:5432: refused", "dial tcp 10.9.8.7:6432: refused"),
        ("read /data/7f3a/seg-001.db", "read /data/88bc/seg-977.db"),
        ('no row for "red chair"', 'no row for "blue lamp"'),
        ("job 0b1c2d3e-1111-4222-8333-444455556666 ended", "job 9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff ended"),
        ("订单 88123 等待30秒", "订单 4 等待5秒"),
        ("queue full\n  at a.b(C.java:1)", "queue full\n  at x.y(Z.java:9)"),
    ],
)
def test_messages_that_differ_in_their_variables_are_of_one_shape(one: str, other: str) -> None:
    """R90"""
    assert shape_of(one) == shape_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("GET / status=200", "GET / status=503"),
        ("ORA-12516: no handler", "ORA-00942: no handler"),
        ("ERR_POOL_42 raised", "ERR_POOL_43 raised"),
        ("exit code 137", "exit code 143"),
        ("pod cart-7d9f8b6c5-abcde is gone", "pod till-7d9f8b6c5-abcde is gone"),
        ('level=error msg="pool exhausted"', 'level=error msg="pool drained"'),
        ("connect to redis failed", "connect to kafka failed"),
    ],
)
def test_messages_that_say_something_else_are_of_two_shapes(one: str, other: str) -> None:
    """R90"""
    assert shape_of(one) != shape_of(other)


def test_a_shape_shows_where_something_was_folded() -> None:
    """R90: it is no text of the source."""
    assert shape_of("cart-3 took 12ms for 'Ada L.'") == "cart-<any> took <any> for <any>"


def test_ids_of_requests_pods_and_addresses_are_found() -> None:
    """R90"""
    text = "trace_id=ab12cd34 10.0.0.7:5432 refused pod cart-7d9f8b6c5-abcde, 127.0.0.1:80, 12.5 of 30"
    assert ids_in(text) == ("ab12cd34", "10.0.0.7:5432", "cart-7d9f8b6c5-abcde")


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Deployed version 4.2.0 of cart-service", "deployment"),
        ("开始发布 cart-service", "deployment"),
        ("configuration reloaded from /etc/x", "configuration"),
        ("配置变更 pool.max=5", "configuration"),
        ("received SIGTERM, shutting down", "restart"),
        ("ALTER TABLE orders ADD COLUMN x", "migration"),
        ("feature flag new-checkout enabled", "feature_flag"),
        ("x509: certificate has expired", "certificate"),
        ("证书已过期", "certificate"),
        ("Out of memory: Killed process 77 (java)", "kernel"),
        ("lost connection to broker", "connection_loss"),
        ("order placed", ""),
        ("restartable job finished", ""),
    ],
)
def test_changes_are_told_by_their_words_in_both_languages(message: str, kind: str) -> None:
    """R90"""
    assert change_of(message) == kind
