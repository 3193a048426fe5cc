"""The language of an answer (R83)."""

from __future__ import annotations

import pytest

from domain.language.tongues import Language, language_of


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("order-service 怎么了？", "zh"),
        ("Does order-service log 连接超时?", "zh"),
        ("Why is checkout slow", "en"),
        ("Which alerts fire?", "en"),
        ("OOM in payment-service?", "en"),
        ("WHY IS IT SLOW", "en"),
        ("What's wrong?", "en"),
        ("list firing alerts", "en"),
        ("𠀀 order-service", "zh"),
    ],
)
def test_any_chinese_makes_an_answer_chinese_and_words_of_sentences_make_it_english(
    question: str, language: Language
) -> None:
    """R83: whatever the default."""
    assert [language_of(question, default) for default in ("zh", "en")] == [language, language]


@pytest.mark.parametrize(
    "question",
    [
        "HighCPUUsage payment-service",
        "ERR_POOL_42",
        "order-service ERROR？",
        "payment-and-order HTTP 503",
        "is-alive",
        "shop/the/why.log",
        "user=the",
        "10.0.0.7:8080",
        "",
    ],
)
def test_names_codes_and_punctuation_are_of_no_language(question: str) -> None:
    """R83: the configured default."""
    assert language_of(question) == "zh"
    assert language_of(question, "en") == "en"
