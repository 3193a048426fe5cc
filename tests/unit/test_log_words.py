"""Which messages the words of a query find: synonyms, alternatives, and the service they may never override."""

from __future__ import annotations

import pytest

from domain.language.form import search_form
from infra.tools.log_words import read_query

TIMED_OUT = "HikariPool-1 - Connection is not available, request timed out after 30000ms"
POOL_STATS = "HikariCP pool stats: active=50/50, idle=0, waiting=32"


def finds(query: str, message: str, service: str = "") -> bool:
    words, _ = read_query(query, service)
    return words.stand_in(search_form(message))


@pytest.mark.parametrize(
    "word",
    ["HikariCP", "HikariPool", "connection pool", "数据库连接池", "连接池耗尽", "active=50/50", "waiting",
     "request timed out after 30000ms", "HIKARICP", "请排查 HikariCP 日志"],
)  # fmt: skip
def test_every_synonym_of_the_connection_pool_finds_its_logs(word: str) -> None:
    """003: each of these expressions finds both kinds of HikariCP lines."""
    assert finds(word, TIMED_OUT)
    assert finds(word, POOL_STATS)


@pytest.mark.parametrize("word", ["HikariCP", "连接池耗尽", "慢请求", "OOM", "timeout", "connection pool"])
def test_a_synonym_finds_nothing_in_unrelated_messages(word: str) -> None:
    """003: no filler."""
    assert not finds(word, "仓库 B 补货单已生成 sheet=R-208 waiting room")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SlowResponse", "慢请求 path=/api/v1/users/profile duration=4200ms"),
        ("slow request", "慢请求 path=/a"),
        ("HighMemoryUsage", "内存使用率过高: 91.0%"),
        ("内存", "Full GC 15 次"),
        ("CPU使用率过高", "CPU使用率过高 usage=92.0%"),
        ("超时", "upstream timed out"),
    ],
)
def test_chinese_and_english_words_find_each_other(query: str, message: str) -> None:
    """003: synonyms in both languages."""
    assert finds(query, message)


def test_any_word_is_enough_and_and_needs_both() -> None:
    """R20: many words must not make an absence easier to claim."""
    assert finds("refund K-15", "order K-15 paid")
    assert not finds("refund AND K-15", "order K-15 paid")
    assert finds("refund AND K-15", "refund of K-15")


def test_a_quoted_phrase_is_found_as_a_whole() -> None:
    """R18: words of a phrase are not found apart."""
    assert finds('"stock is low"', "the stock is low")
    assert not finds('"stock is low"', "low stock, it is")


def test_a_short_word_must_stand_alone() -> None:
    """003: OOM is not found in a room."""
    assert not finds("OOM", "the room is full")
    assert finds("OOM", "killed by OOM-killer")


def test_a_service_in_the_words_narrows_like_the_service_filter() -> None:
    """SPEC 15: a synonym never overrides the service filter."""
    words, service = read_query("order-service HikariCP", "")
    assert service == "order-service"
    assert words.stand_in(search_form(POOL_STATS))
    assert not words.stand_in("order-service started")


def test_the_given_service_is_kept_and_its_name_is_not_searched_for() -> None:
    """SPEC 15: a synonym never overrides the service filter."""
    words, service = read_query("inventory-service 连接池耗尽", "inventory-service")
    assert service == "inventory-service"
    assert not words.stand_in("inventory-service started")


@pytest.mark.parametrize("query", ["", "日志", "请 查询 相关 日志"])
def test_a_query_that_says_nothing_finds_everything(query: str) -> None:
    """R4: asking for 日志 is asking for the logs."""
    assert finds(query, "anything")
