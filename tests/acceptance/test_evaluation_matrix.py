"""The evaluation matrix of SPEC section 15, asked in both languages on the command line over the sample scenario."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import pytest

MEMORY = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"
MEMORY_EN = "Check whether order-service currently has the HighMemoryUsage alert; only confirm the high memory usage."
LEAK = ("泄漏", "泄露", "leak")
NO_CAUSE = ("连接池", "Hikari", "connection pool", "根因", "root cause", "order-service")
EXCLUDED = (
    *("order-123", "订单", "order 123", "OOM", "DB", "数据库", "database", "慢查询", "slow quer", "HikariCP", "连接池"),
    *("connection pool", "user-service"),
)
POOL = ("order-service", "HikariPool-1", "30000ms", "active=50/50", "waiting=32")


class Case(NamedTuple):
    question: str
    says: tuple[str, ...]
    never_says: tuple[str, ...] = ()
    most_claims: int = 8


CASES = {
    "HighCPUUsage": Case(
        "请排查 payment-service 当前是否存在 HighCPUUsage 告警，只确认 CPU 使用率过高这一件事。",
        ("payment-service", "HighCPUUsage", "92%"),
        most_claims=2,
    ),
    "HighMemoryUsage": Case(MEMORY, ("order-service", "HighMemoryUsage", "91%"), LEAK, 2),
    "SlowResponse": Case(
        "只确认 user-service 是否存在 SlowResponse 告警和慢请求日志。",
        ("user-service", "SlowResponse", "4.2s", "慢请求"),
        NO_CAUSE,
        2,
    ),
    "HikariCP on order-service": Case(
        "确认 order-service 是否存在 HikariCP 连接池耗尽。",
        POOL,
        ("inventory-service",),
    ),
    "HikariCP on inventory-service": Case(
        "确认 inventory-service 是否存在 HikariCP 连接池耗尽。",
        ("inventory-service", "未检索到"),
        ("order-service", "不存在", "does not exist", "active=50/50"),
    ),
    "narrow, with exclusions": Case(
        "只确认 HighCPUUsage，不要分析订单123、OOM、数据库慢查询、连接池或 user-service。",
        ("HighCPUUsage", "payment-service"),
        EXCLUDED,
        2,
    ),
    "HighCPUUsage, in English": Case(
        "Check whether payment-service currently has the HighCPUUsage alert; only confirm the high CPU usage.",
        ("payment-service", "currently", "HighCPUUsage", "92%"),
        most_claims=2,
    ),
    "HighMemoryUsage, in English": Case(MEMORY_EN, ("order-service", "HighMemoryUsage", "91%"), LEAK, 2),
    "SlowResponse, in English": Case(
        "Only confirm whether user-service has the SlowResponse alert and slow request logs.",
        ("user-service", "SlowResponse", "4.2s", "“2026-07-08T11:10:21Z WARN user-service 慢请求"),
        NO_CAUSE,
        2,
    ),
    "HikariCP on order-service, in English": Case(
        "Confirm whether order-service has an exhausted HikariCP connection pool.", POOL, ("inventory-service",)
    ),
    "HikariCP on inventory-service, in English": Case(
        "Confirm whether inventory-service has an exhausted HikariCP connection pool.",
        ("No HikariCP", "of inventory-service found", "Searched: 2026-07-08 10:20:00 to 11:20:00 UTC"),
        ("order-service", "does not exist", "不存在", "active=50/50"),
    ),
    "narrow, with exclusions, in English": Case(
        "Only confirm HighCPUUsage; do not analyze order 123, OOM, slow database queries, the connection pool or "
        "user-service.",
        ("HighCPUUsage", "payment-service"),
        EXCLUDED,
        2,
    ),
}
ENGLISH = [name for name in CASES if name.endswith("in English")]


@pytest.fixture(scope="module")
def told(served: Any) -> dict[str, dict[str, Any]]:
    """Every case's JSON object, by its name."""
    ran = served.ask_all([case.question for case in CASES.values()])
    assert [one.status for one in ran] == [0] * len(CASES)
    return {name: one.document for name, one in zip(CASES, ran, strict=True)}


@pytest.fixture(scope="module")
def claims(served: Any) -> Any:
    """`claims(session_id)`: the Executor's claims, as the evaluation holds them."""

    def read(session_id: str) -> list[dict[str, Any]]:
        evaluation = served.show(session_id)["evaluation"]["verifier_evaluation"]
        found: list[dict[str, Any]] = evaluation["executor_structured_output"]["claims"]
        return found

    return read


@pytest.mark.parametrize("name", CASES)
def test_each_case_passes_with_one_json_object(told: dict[str, dict[str, Any]], name: str) -> None:
    """Section 15: verdict, outcome, score, rounds and source of the object that a program reads."""
    case, done = CASES[name], told[name]
    assert (done["verdict"], done["outcome"], done["rounds"], done["source"]) == ("PASS", "NORMAL", 1, "sample")
    assert done["groundedness_score"] >= 0.6
    assert done["session_id"]
    for words in case.says:
        assert words in done["answer"]
    for words in case.never_says:
        assert words not in done["answer"]


@pytest.mark.parametrize("name", CASES)
def test_no_answer_shows_raw_json_or_tool_output(told: dict[str, dict[str, Any]], name: str) -> None:
    """R49."""
    for words in ("{", "}", "raw_path", "source_invocation_id", "$.", "claim-"):
        assert words not in told[name]["answer"]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.most_claims == 2])
def test_a_narrow_question_has_few_claims_and_nothing_excluded_in_them(
    told: dict[str, dict[str, Any]], claims: Any, name: str
) -> None:
    """R16, section 15: the limit and the exclusions hold for the claims, not only for the answer."""
    made = claims(told[name]["session_id"])
    assert 1 <= len(made) <= 2
    assert {claim["claim_type"] for claim in made} <= {"observation", "negative_observation"}
    texts = " ".join(claim["claim_text"] for claim in made)
    assert [words for words in CASES[name].never_says if words in texts] == []


@pytest.mark.parametrize("name", CASES)
def test_each_answer_is_in_the_language_of_its_question(told: dict[str, dict[str, Any]], name: str) -> None:
    """R83: of the other language there are quotations alone."""
    done = told[name]
    own = re.sub("“[^”]*”", "", done["answer"])
    assert done["language"] == ("en" if name in ENGLISH else "zh")
    assert done["headline"] in (
        ("Confirmed", "Searched, not found") if name in ENGLISH else ("已证实", "已检索，未发现")
    )
    assert bool(re.search("[\u3000-\u9fff\uff00-\uffef]", own)) is (name not in ENGLISH)


@pytest.mark.parametrize("name", ["HikariCP on inventory-service", "HikariCP on inventory-service, in English"])
def test_nothing_found_is_one_negative_observation_bound_to_the_summary(
    told: dict[str, dict[str, Any]], claims: Any, name: str
) -> None:
    """R20, section 15: `logs=[]`, no filler rows, and exactly one claim of absence, on `$.logs`."""
    (claim,) = claims(told[name]["session_id"])
    assert claim["claim_type"] == "negative_observation"
    assert {binding["raw_path"] for binding in claim["evidence_bindings"]} == {"$.logs"}
    assert all("total=0" in binding["evidence_excerpt"] for binding in claim["evidence_bindings"])


# ---------------------------------------------------------------- a model that cites what is not there


def _citing(change: dict[str, str]) -> Any:
    """The offline model, but for one thing in the first binding of its first claim."""

    def script(asked: Any) -> dict[str, Any]:
        text = asked.usual_text()
        if asked.agent != "executor" or text is None:
            return asked.usual()  # type: ignore[no-any-return]  # a test script
        output = json.loads(text)
        output["claims"][0]["evidence_bindings"][0] |= change
        return asked.saying(json.dumps(output, ensure_ascii=False))  # type: ignore[no-any-return]  # a test script

    return script


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"raw_path": "$.alerts[99]"}, "evidence.raw_path"),
        ({"evidence_excerpt": "HighMemoryUsage firing current=97%"}, "evidence.excerpt_mismatch"),
    ],
    ids=["unknown path", "invented excerpt"],
)
@pytest.mark.parametrize("question", [MEMORY, MEMORY_EN], ids=["Chinese", "English"])
def test_what_was_never_seen_is_rejected(
    served: Any, model_server: Any, change: dict[str, str], rule: str, question: str
) -> None:
    """R25, R32, section 15: an unknown path, and a real id with an invented excerpt. Exit 0, as for any verdict."""
    done = served.ask(question, **model_server.plays(_citing(change)))
    assert done["headline"] == ("无可靠结论" if question == MEMORY else "No reliable conclusion")
    assert (done["verdict"], done["outcome"], done["groundedness_score"]) == ("REJECT", "DEGRADED", 0.0)
    assert "97%" not in done["answer"]
    shown = served.show(done["session_id"])
    assert rule in shown["evaluation"]["verifier_evaluation"]["gatekeeper_result"]["failed_rules"]
    assert {step["agent_name"] for step in shown["steps"]} == {"planner", "executor"}
