"""R24 for all texts: what holds whatever the words are."""

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from domain.contracts import MatchKind, Severity
from domain.quotation import match_quotation
from domain.quotation.normalise import normalise

ITEMS = (
    "2031-03-04 15:22:41 WARN 对账平台 渠道流水缺失 9 笔，批次 M-31 暂挂",
    "HighMemoryUsage firing, service=order-service, current=91%, duration=15m; JVM heap usage 3.8GB/4GB",
    "[ERROR][order-service] HikariPool-1 - Connection is not available, request timed out after 30000ms",
    '{"ts":"06:54:00","svc":"hall-ws","open":176300,"dropped":2048,"draining":false}',
    "巡检结果：2 号机柜没有告警；6 号机柜进风温度 34.8℃，风扇转速 7,600 转",
    "java.sql.SQLException: pool stalled\n\tat com.acme.order.Repo.load(Repo.java:88)",
)
ALPHABET = st.sampled_from("ab 不未9.1,-_/:=…、。（【》\\\"'`*>~²①éẞ\n\u200b\ud800😀")


@settings(suppress_health_check=[HealthCheck.filter_too_much])  # many a short text holds no words
@given(st.text(ALPHABET, max_size=60) | st.text(max_size=60))
def test_every_text_of_eight_characters_accepts_itself(text: str) -> None:
    """R24: a quotation of the whole item is real."""
    assume(len(normalise(text).split()) > 0 and len(" ".join(normalise(text).split())) >= 8)
    assert match_quotation(text, text).severity is Severity.NONE


@given(st.text(ALPHABET, max_size=60) | st.text(max_size=40), st.text(ALPHABET, max_size=60) | st.text(max_size=60))
def test_no_pair_of_texts_raises(excerpt: str, item: str) -> None:
    """R24: one of the seven results, for any two texts."""
    assert match_quotation(excerpt, item).kind in MatchKind


@given(st.data())
def test_changing_a_digit_never_passes(data: st.DataObject) -> None:
    """R24: a critical token differs."""
    item = data.draw(st.sampled_from(ITEMS))
    at = data.draw(st.sampled_from([i for i, c in enumerate(item) if c.isdecimal()]))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != item[at]]))
    begin, end = data.draw(st.integers(0, at)), data.draw(st.integers(at + 1, len(item)))
    excerpt = item[begin:at] + digit + item[at + 1 : end]
    assume(excerpt not in item)
    assert match_quotation(excerpt, item).severity is not Severity.NONE


@given(st.data())
def test_exchanging_a_name_or_a_negation_is_rejected(data: st.DataObject) -> None:
    """R24: a critical token differs."""
    words = {"order-service": "user-service", "not": "now", "没有": "另有", "firing": "resolved", "false": "true"}
    item = data.draw(st.sampled_from(ITEMS[:5]))
    word = data.draw(st.sampled_from([word for word in words if word in item] or [""]))
    assume(word)
    assert match_quotation(item.replace(word, words[word]), item).kind is MatchKind.MISMATCH


HARMLESS = {
    "white space": lambda text: text.replace(" ", "  \n"),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "zero-width characters": lambda text: "\u200b".join([text[:9], text[9:20], text[20:]]),
    "half-width punctuation": lambda text: text.translate(str.maketrans("，；：（）", ",;:()")),
    "curly quotes": lambda text: text.replace('"', "”"),
    "non-breaking hyphens": lambda text: text.replace("-", "\u2011"),
    "bold": lambda text: f"**{text}**",
    "bullet": lambda text: f"- {text}",
    "block quote": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "code": lambda text: f"`{text}`",
    "outer quotes": lambda text: f"“{text}”",
    "trailing full stop": lambda text: f"{text}。",
    "outer ellipses": lambda text: f"…{text}…",
    "lower-case level": lambda text: text.replace("WARN", "warn").replace("ERROR", "error"),
}


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_a_harmless_change_of_form_passes(change: Callable[[str], str], item: str) -> None:
    """R24: after normalisation."""
    assert match_quotation(change(item), item).severity is Severity.NONE


@pytest.mark.parametrize("item", ITEMS)
def test_an_arbitrary_word_put_in_anywhere_is_rejected(item: str) -> None:
    """R24: any content word is added."""
    chosen = random.Random(24)
    for _ in range(20):
        at = chosen.choice([i for i, c in enumerate(item) if c == " "] or [len(item)])
        excerpt = f"{item[:at]} leaking {item[at:]}"
        assert match_quotation(excerpt, item).kind is MatchKind.MISMATCH
