import pytest

from domain.agents.scope import mentions_excluded, narrow_scope, scope_warnings
from domain.contracts import Claim, ClaimType, ExecutorOutput

FORBIDDEN = "只确认 HighCPUUsage，不要分析订单123、OOM、数据库慢查询、连接池或 user-service。"


@pytest.mark.parametrize(
    "question",
    [
        "只确认 HighCPUUsage",
        "只排查 order-service",
        "仅看告警",
        "只需要确认 CPU",
        "只回答有没有",
        "看看 CPU，不要扩展",
        "该告警是否真实存在？",
        "请排查 order-service 当前是否存在 HighMemoryUsage 告警",
        "确认 inventory-service 是否存在 HikariCP 连接池耗尽。",
        "Only confirm HighCPUUsage",
    ],
)
def test_the_phrases_of_the_hard_gate_make_a_question_narrow(question):
    """R16: 003's list."""
    assert narrow_scope(question).narrow


@pytest.mark.parametrize(
    "question",
    [
        "order-service 为什么变慢？",
        "不只看告警，全面分析",
        "要不要分析一下连接池？",
        "请特别关注 order-service",
        "为什么不输出日志",
    ],
)
def test_other_questions_are_not_narrow(question):
    """R16: words that only look like the list."""
    scope = narrow_scope(question)
    assert (scope.narrow, scope.excluded) == (False, ())


@pytest.mark.parametrize(
    ("question", "excluded"),
    [
        (FORBIDDEN, ("订单123", "OOM", "数据库慢查询", "连接池", "user-service")),
        ("不要分析OOM，只确认CPU饱和度", ("OOM",)),
        ("只看 CPU饱和度，不要分析 JVM饱和度和 GC 等问题", ("JVM饱和度", "GC")),
        ("只看 CPU，不要扩展到其他服务", ()),
        ("只确认告警，不查数据库，也不要看 Redis", ("数据库", "Redis")),
        ("Only check CPU, do not analyze order-123, OOM or the user-service.", ("order-123", "OOM", "user-service")),
    ],
)
def test_the_excluded_subjects_are_listed_in_the_users_words(question, excluded):
    """R16: nothing the user excluded."""
    assert narrow_scope(question).excluded == excluded


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("order-123 失败", "订单123"),
        ("订单 123 失败", "订单123"),
        ("order-1234 失败", None),
        ("DB 慢", "数据库慢查询"),
        ("database is slow", "数据库慢查询"),
        ("dbx 正常", None),
        ("HikariPool-1 active=50/50", "连接池"),
        ("connection pool exhausted", "连接池"),
        ("容器被 OOMKilled", "OOM"),
        ("User Service 变慢", "user-service"),
        ("payment-service 的 HighCPUUsage 告警 firing", None),
    ],
)
def test_a_text_names_an_excluded_subject_also_by_another_name(text, subject):
    """R16: synonyms, whole words, any way of joining them."""
    assert mentions_excluded(text, narrow_scope(FORBIDDEN)) == subject


def test_what_the_question_asks_about_stays_allowed():
    """R16: a synonym does not exclude the subject itself."""
    scope = narrow_scope("只确认数据库慢查询，不要分析数据库连接池")
    assert mentions_excluded("数据库出现慢查询", scope) is None
    assert mentions_excluded("HikariCP 耗尽", scope) == "数据库连接池"


def test_a_longer_name_does_not_exclude_the_shorter_one_inside_it():
    """R16: 003's memory case; a leak is excluded, memory is not."""
    scope = narrow_scope("只确认 HighMemoryUsage，不要分析内存泄漏")
    assert mentions_excluded("order-service 内存使用率 91%", scope) is None
    assert mentions_excluded("memory leak suspected", scope) == "内存泄漏"


def claim(claim_type: ClaimType, text: str = "HighCPUUsage firing", claim_id: str = "c") -> Claim:
    return Claim(claim_id=claim_id, claim_type=claim_type, claim_text=text)


def test_each_overstepping_is_a_warning_of_its_own():
    """R16: count, type and subject."""
    claims = (
        claim(ClaimType.OBSERVATION),
        claim(ClaimType.NEGATIVE_OBSERVATION, "未检索到 OOM", "n"),
        claim(ClaimType.RISK, claim_id="r"),
    )
    found = scope_warnings(ExecutorOutput(claims=claims), FORBIDDEN)
    assert [(finding.rule, finding.subject) for finding in found] == [
        ("scope.claim_count", ""),
        ("scope.excluded_subject", "n"),
        ("scope.claim_type", "r"),
    ]


def test_documentation_is_in_scope_only_for_a_knowledge_question():
    """R16: what the knowledge base says, where it was asked for."""
    output = ExecutorOutput(claims=(claim(ClaimType.DOCUMENTATION, "手册要求先排空"),))
    assert scope_warnings(output, "只看知识库怎么说") == ()
    assert [finding.rule for finding in scope_warnings(output, "只看告警")] == ["scope.claim_type"]


def test_a_wide_question_has_no_scope_to_overstep():
    """R16: only narrow questions are limited."""
    output = ExecutorOutput(claims=(claim(ClaimType.ROOT_CAUSE),) * 5)
    assert scope_warnings(output, "order-service 为什么变慢？") == ()
