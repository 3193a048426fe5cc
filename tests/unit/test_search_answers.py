"""What an answer says of the searches behind it (R48, R69; ANSWERS)."""

from __future__ import annotations

import pytest

from domain.answer.gaps import EmptyCall, empty_call_gap
from domain.answer.searches import search_notes
from domain.contracts import (
    Claim,
    ClaimType,
    EvidenceBinding,
    FactClass,
    RetrievalDetails,
    ToolInvocation,
    VerifiedClaim,
)
from domain.evidence.coverage import (
    Coverage,
    Doubt,
    DoubtKind,
    Excluded,
    InputRead,
    Sought,
    Unread,
    UnreadReason,
    coverage_of,
)

WINDOW = "2031-05-01T10:00:00Z/2031-05-01T11:00:00Z"


def covered(
    *,
    doubts: tuple[Doubt, ...] = (),
    unread: tuple[Unread, ...] = (),
    excluded: tuple[Excluded, ...] = (),
    last: str = "2031-05-01T10:58:00Z",
    zone: str = "",
) -> Coverage:
    read = InputRead(name="till.log", format="iso", entries=6, last=last, zone=zone, zone_assumed=bool(zone))
    return coverage_of(
        window=WINDOW,
        sought=Sought(services=("till-api",), levels=("ERROR", "CRITICAL", "FATAL"), words=("deadlock",)),
        inputs=[read],
        unread=unread,
        excluded=excluded,
        doubts=doubts,
        entries=6,
        matched=0,
        returned=0,
    )


def gap(coverage: Coverage) -> str:
    return empty_call_gap(EmptyCall("query_logs", False, "deadlock", WINDOW, coverage), "deadlock").text


@pytest.mark.parametrize(
    ("doubt", "said"),
    [
        (
            Doubt(kind=DoubtKind.ZONE, count=2, input="till.log"),
            "未能确定是否存在 till-api 的 ERROR deadlock 日志："
            "2 条匹配的记录时间未带时区（暂按 Asia/Shanghai 计），按其他时区可能落在窗口内（如 till.log）。"
            "用 --log-zone 指定时区。",
        ),
        (
            Doubt(kind=DoubtKind.LEVEL, count=1),
            "未能确定是否存在 till-api 的 ERROR deadlock 日志：1 条记录没有可识别的级别。"
            "不限级别、改用关键词重新检索。",
        ),
        (
            Doubt(kind=DoubtKind.SERVICE, count=1, unknown="til-api", nearest=("till-api",)),
            "query_logs 中没有名为 til-api 的服务；最接近的是 till-api。",
        ),
        (
            Doubt(kind=DoubtKind.SERVICE, count=1, unknown="zebra"),
            "query_logs 中没有名为 zebra 的服务。",
        ),
    ],
)
def test_a_doubt_is_a_gap_with_its_reason_and_how_to_mend_it(doubt: Doubt, said: str) -> None:
    """R69, R71: never 未检索到."""
    assert gap(covered(doubts=(doubt,), zone="Asia/Shanghai")) == said


def test_an_unread_input_is_named_with_its_reason() -> None:
    """R69."""
    said = gap(covered(unread=(Unread(name="auth.log", reason=UnreadReason.PERMISSION, could_match=True),)))

    assert said == (
        "未能确定是否存在 till-api 的 ERROR deadlock 日志：1 个输入未能读取（auth.log：没有读取权限）。"
        "将当前用户加入 adm 组，或用 --exclude 排除该文件。"
    )


def test_several_unread_inputs_of_one_reason_are_named() -> None:
    """R69: five at most, the one that the search puts first in front."""
    names = ("syslog", "auth.log", "kern.log", "mail.log", "user.log", "cron.log")
    said = gap(covered(unread=tuple(Unread(name=n, reason=UnreadReason.PERMISSION, could_match=True) for n in names)))

    assert "6 个输入未能读取（syslog、auth.log、kern.log、mail.log、user.log：没有读取权限）" in said


def test_a_complete_search_without_a_hit_is_an_absence() -> None:
    """R48."""
    assert gap(covered()).startswith("未检索到匹配的日志")


def notes(coverage: Coverage, kind: ClaimType = ClaimType.NEGATIVE_OBSERVATION) -> list[str]:
    binding = EvidenceBinding(tool_name="query_logs", source_invocation_id=7, raw_path="$.logs", evidence_excerpt="x")
    claim = Claim(claim_id="c1", claim_type=kind, claim_text="未检索到", evidence_bindings=(binding,))
    verified = VerifiedClaim(claim=claim, verification=FactClass.DIRECT, refs=(binding,))
    call = ToolInvocation(
        id=7,
        session_id="s",
        tool_name="query_logs",
        success=True,
        retrieval_details=RetrievalDetails(coverage=coverage),
    )
    return search_notes([verified], [call])


def test_an_absence_says_where_and_among_how_much_was_looked() -> None:
    """R69."""
    assert notes(covered()) == ["检索范围：2031-05-01 10:00:00–11:00:00 UTC，1 个输入、6 条记录。"]


def test_an_absence_in_an_old_archive_says_how_old_the_newest_entry_is() -> None:
    """R69."""
    assert notes(covered(last="2031-04-02T08:00:00Z"))[1] == "窗口内没有记录；最新一条为 2031-04-02 08:00:00 UTC。"


def test_what_the_operator_excluded_and_the_assumed_zone_are_said() -> None:
    """R68, R69."""
    coverage = covered(excluded=(Excluded(by="exclude *.gz", count=3),), zone="Asia/Shanghai")

    assert notes(coverage, ClaimType.OBSERVATION) == [
        "按配置排除：*.gz（3 个输入）。",
        "未带时区的时间按 Asia/Shanghai 计。",
    ]
