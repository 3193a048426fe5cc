"""The Composer's sentences say no more than the claims they cite (R6, R46)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agents.composer_io import composer_payload
from domain.agents.scope import narrow_scope
from domain.answer.composer_guard import guard_composition
from domain.answer.speech import Speech
from domain.contracts import Claim, ComposerOutput, ComposerStatus, EvidenceBinding, FactClass, VerifiedClaim

OPEN = narrow_scope("rates-api 怎么了？")


def verified(claim_id: str, text: str, *items: str) -> VerifiedClaim:
    refs = tuple(EvidenceBinding(tool_name="query_metrics", evidence_excerpt=item) for item in items)
    return VerifiedClaim(claim=Claim(claim_id=claim_id, claim_text=text), verification=FactClass.DIRECT, refs=refs)


MEMORY = verified(
    "claim-1",
    "rates-api 当前存在 HighMemoryUsage 告警，内存使用率达到 91%。",
    "HighMemoryUsage firing, service=rates-api, current=91%, duration=15m; JVM heap usage 3.8GB/4GB",
)
ABSENT = verified(
    "claim-2", "stock-api 未检索到 HikariCP 连接池耗尽日志。", "query_logs query=HikariCP stock-api total=0"
)
LIST = "\n".join(["经核对的证据可以确认：", f"- {MEMORY.claim.claim_text}", f"- {ABSENT.claim.claim_text}"])


def guarded(*sentences: tuple[list[str], str]) -> ComposerOutput:
    raw = json.dumps([{"claim_ids": ids, "sentence": text} for ids, text in sentences], ensure_ascii=False)
    return guard_composition(raw, [MEMORY, ABSENT], OPEN)


@pytest.mark.parametrize(
    ("claim_id", "sentence"),
    [
        ("claim-1", "经核对，rates-api 当前存在 HighMemoryUsage 告警，内存使用率为 91%，已持续 15 分钟。"),
        ("claim-1", "根据查询结果，HighMemoryUsage 告警处于 firing 状态，rates-api 的内存使用率达到 91.0%。"),
        ("claim-1", "其中 JVM heap usage 为 3.8GB/4GB。"),
        ("claim-1", "仅有间接支持：rates-api 的内存使用率达到 91%。"),
        ("claim-2", "在 stock-api 中没有检索到 HikariCP 连接池耗尽的日志。"),
    ],
)
def test_another_wording_of_the_cited_claim_is_shown(claim_id: str, sentence: str) -> None:
    """R46."""
    composed = guarded(([claim_id], sentence))
    assert (composed.status, composed.answer, composed.reason) == (ComposerStatus.VALID, sentence, "")


@pytest.mark.parametrize(
    ("claim_ids", "sentence", "reason"),
    [
        (["claim-1"], "rates-api 的 HighMemoryUsage 告警 f\u0336iring", "raw output"),
        (["claim-1"], "\u202erates-api 内存使用率达到 91%", "raw output"),
        ([], "rates-api 存在告警", "no claim ids"),
        (["claim-9"], "rates-api 存在告警", "claim-9"),
        (["claim-1"], "内存使用率达到 92%", "92%"),
        (["claim-1"], "内存使用率在 06:44 达到 91%", "06:44"),
        (["claim-1"], "user-api 内存使用率达到 91%", "user-api"),
        (["claim-1"], "内存使用率达到 91%，错误码 E11000", "E11000"),
        (["claim-1"], "已确认内存泄漏", "泄漏"),
        (["claim-1"], "内存使用率达到 91%，导致服务崩溃", "导致"),
        (["claim-1"], "rates-api memory leak", "leak"),
        (["claim-1"], "stock-api 未检索到连接池耗尽日志", "stock-api"),
        (["claim-2"], "stock-api 检索到 HikariCP 连接池耗尽日志", "negations"),
        (["claim-2"], "stock-api 不存在 HikariCP 连接池耗尽", "absence"),
        (["claim-1"], "rates-api 没有 HighMemoryUsage 告警", "negations"),
        (["claim-1"], "", "empty"),
        (["claim-1"], '{"claim_id": "claim-1"}', "raw"),
    ],
)
def test_a_sentence_that_says_more_is_refused_and_the_list_is_shown(
    claim_ids: list[str], sentence: str, reason: str
) -> None:
    """R46: no ids, a foreign number, name, code or word, a turned sense, raw output."""
    composed = guarded((["claim-2"], ABSENT.claim.claim_text), (claim_ids, sentence))
    assert (composed.status, composed.answer) == (ComposerStatus.FALLBACK, LIST)
    assert composed.reason.startswith("sentence 2: ")
    assert reason in composed.reason


@pytest.mark.parametrize(
    "raw", [None, "", "rates-api 内存高", "[]", '[{"sentence": "x"}]', '["x"]', '{"sentences": []}']
)
def test_without_usable_sentences_the_list_is_shown(raw: str | None) -> None:
    """R46: also when the Composer's model failed."""
    composed = guard_composition(raw, [MEMORY, ABSENT], OPEN)
    assert (composed.status, composed.answer) == (ComposerStatus.FALLBACK, LIST)
    assert composed.reason


def test_an_excluded_subject_is_neither_worded_nor_listed() -> None:
    """R16, R46."""
    scope = narrow_scope("只确认 rates-api 的 HighMemoryUsage 告警，不要分析连接池")
    raw = json.dumps([{"claim_ids": ["claim-2"], "sentence": ABSENT.claim.claim_text}], ensure_ascii=False)
    composed = guard_composition(raw, [MEMORY, ABSENT], scope)
    assert composed.status is ComposerStatus.FALLBACK
    assert composed.answer == f"经核对的证据可以确认：\n- {MEMORY.claim.claim_text}"
    payload = composer_payload("q", [MEMORY, ABSENT], scope)
    assert [claim["claim_id"] for claim in payload["claims"]] == ["claim-1"]


def test_the_payload_holds_verified_claims_and_their_items_alone() -> None:
    """R6."""
    assert composer_payload("rates-api 怎么了？", [ABSENT], OPEN) == {
        "question": "rates-api 怎么了？",
        "language": "zh",
        "claims": [
            {
                "claim_id": "claim-2",
                "claim_type": "observation",
                "claim_text": "stock-api 未检索到 HikariCP 连接池耗尽日志。",
                "verification": "direct_evidence",
                "items": ["query_logs query=HikariCP stock-api total=0"],
            }
        ],
        "excluded": [],
    }


@given(st.text(max_size=60), st.lists(st.sampled_from(["claim-1", "claim-2", "claim-3"]), max_size=3))
def test_whatever_is_composed_there_is_an_answer(sentence: str, claim_ids: list[str]) -> None:
    """R46, R49: either the sentence itself or the list."""
    composed = guarded((claim_ids, sentence))
    assert composed.answer in {LIST, sentence.strip()}
    assert guard_composition(sentence, [MEMORY, ABSENT], OPEN).answer == LIST


@given(st.text(alphabet="内存堆自不未有告警的 ，。12:05%分钟个三十mabJVM-_/.=", min_size=1, max_size=40))
def test_a_claim_may_always_be_repeated_word_for_word(text: str) -> None:
    """R46: the guard refuses nothing that the claim itself says."""
    claim = verified("claim-1", text)
    raw = json.dumps([{"claim_ids": ["claim-1"], "sentence": text}], ensure_ascii=False)
    composed = guard_composition(raw, [claim], OPEN)
    assert composed.status is ComposerStatus.VALID or not text.strip()


@given(st.integers(0, 10_000))
def test_no_other_number_passes(number: int) -> None:
    """R46: 91, 15, 3.8 and 4 stand in the item, any other percentage does not."""
    composed = guarded((["claim-1"], f"内存使用率达到 {number}%"))
    assert (composed.status is ComposerStatus.VALID) == (number in {91})


# ---------------------------------------------------------------- English answers (R83)

MEMORY_EN = verified(
    "claim-1",
    "rates-api currently has alert HighMemoryUsage (firing), current=91%, duration=15m, “JVM heap usage 3.8GB/4GB”.",
    "HighMemoryUsage firing, service=rates-api, current=91%, duration=15m; JVM heap usage 3.8GB/4GB",
)
ABSENT_EN = verified(
    "claim-2",
    "No HikariCP log entry of stock-api found in the queried window.",
    "query_logs query=HikariCP stock-api total=0",
)
SLOW_EN = verified(
    "claim-3",
    "The logs of rates-api hold entries: “WARN rates-api 慢请求 path=/rates duration=3600ms”.",
    "2026-07-08T11:10:21Z WARN rates-api 慢请求 path=/rates duration=3600ms",
)


def guarded_en(claim_id: str, sentence: str) -> ComposerOutput:
    raw = json.dumps([{"claim_ids": [claim_id], "sentence": sentence}], ensure_ascii=False)
    return guard_composition(raw, [MEMORY_EN, ABSENT_EN, SLOW_EN], OPEN, Speech("en"))


@pytest.mark.parametrize(
    ("claim_id", "sentence"),
    [
        ("claim-1", "The HighMemoryUsage alert is currently firing on rates-api with current=91%."),
        ("claim-1", "According to the evidence, rates-api has the alert HighMemoryUsage (firing) for 15 minutes."),
        ("claim-1", "Only indirectly supported: the JVM heap usage of rates-api is 3.8GB/4GB."),
        ("claim-2", "In the queried window, no HikariCP log entry of stock-api was found."),
        ("claim-3", "The logs of rates-api show “慢请求 path=/rates duration=3600ms”."),
    ],
)
def test_another_english_wording_of_the_cited_claim_is_shown(claim_id: str, sentence: str) -> None:
    """R46, R83."""
    composed = guarded_en(claim_id, sentence)
    assert (composed.reason, composed.status, composed.answer) == ("", ComposerStatus.VALID, sentence)


@pytest.mark.parametrize(
    ("claim_id", "sentence", "reason"),
    [
        ("claim-1", "rates-api has a memory leak.", "words of no cited claim: memory, leak"),
        ("claim-1", "rates-api currently has alert HighMemoryUsage (resolved).", "resolved"),
        ("claim-1", "rates-api has no alert HighMemoryUsage (firing).", "words of no cited claim: no"),
        ("claim-1", "HighMemoryUsage fires on rates-api because of the heap.", "fires, because"),
        ("claim-1", "rates-api currently has alert HighMemoryUsage at 97%.", "numbers of no cited claim: 97%"),
        ("claim-2", "A HikariCP log entry of stock-api was found in the queried window.", "negations differ"),
        ("claim-2", "HikariCP does not exist in stock-api.", "exist"),
        ("claim-3", "rates-api 日志中检索到慢请求。", "words of another language"),
    ],
)
def test_an_english_sentence_that_says_more_is_not_shown(claim_id: str, sentence: str, reason: str) -> None:
    """R46, R83: the plain list stands there instead, in English too."""
    composed = guarded_en(claim_id, sentence)
    assert composed.status is ComposerStatus.FALLBACK
    assert reason in composed.reason
    assert composed.answer.startswith("The checked evidence confirms:\n- rates-api currently")
