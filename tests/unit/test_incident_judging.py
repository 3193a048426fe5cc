"""Each rule by which answers to generated incidents are judged, on both sides of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.contracts import Claim, ClaimType, EvidenceBinding
from tests.long.incidents import generate
from tests.long.incidents.asking import Reply
from tests.long.incidents.incident import Decisive, Incident, Question
from tests.long.incidents.judging import (
    Judged,
    absent_outcome,
    false_causes,
    holds,
    is_useful,
    judged,
    narrow_outcome,
    only_old_noise,
    passes_on_a_trace,
    passes_without_cause,
    planted_outcome,
    tells_the_guide,
)
from tests.long.incidents.reading import part, statements
from tests.long.incidents.tally import measures

INCIDENT: Incident = replace(generate(1, 10), causes=("handshake failed because certificate expired",))
NARROW, WHY, ABSENT, PLANTED = INCIDENT.questions
ALERT = next(one for one in INCIDENT.alerts if one.name == NARROW.shows[0])
PARTLY = "只有部分。\n\n已确认信息：\n{}\n\n当前缺口：\n- 未找到能证实原因的证据。\n\n建议下一步：\n{}\n"


def reply(answer: str, verdict: str = "LOW_CONFID", headline: str = "部分证实", *claims: Claim) -> Reply:
    return Reply(answer, verdict, headline, claims)


def partly(*lines: str, steps: str = "- 无") -> Reply:
    return reply(PARTLY.format("\n".join(f"- {line}" for line in lines) or "- 无", steps))


def claim(kind: ClaimType, text: str, excerpt: str = "") -> Claim:
    bindings = (EvidenceBinding(tool_name="query_logs", raw_path="$.logs[0]", evidence_excerpt=excerpt),)
    return Claim(claim_id="c1", claim_type=kind, claim_text=text, evidence_bindings=bindings)


# ---------------------------------------------------------------- reading


def test_the_parts_of_an_answer_are_told_apart() -> None:
    answer = partly("甲", "乙", steps="- 查询丙").answer
    assert part(answer, "confirmed") == ["甲", "乙"]
    assert part(answer, "steps") == ["查询丙"]
    english = "Read it with care.\n\nConfirmed:\n- one\n\nGaps:\n- None\n\nNext steps:\n- two\n"
    assert (part(english, "confirmed"), part(english, "gaps"), part(english, "steps")) == (["one"], [], ["two"])


def test_without_headings_all_is_confirmed_but_what_was_searched() -> None:
    assert part("甲。\n\n检索范围：10:00–11:00，3 个输入。", "confirmed") == ["甲。"]


def test_statements_are_lines_and_further_quotations() -> None:
    """A block of commands is one."""
    assert statements(partly("甲：“quoted text one”", "乙：“quoted text two”；“quoted text three”").answer) == 3
    assert statements("据《X》：\n```\na\nb\nc\n```\n") == 2
    assert statements(partly().answer) == 0


# ---------------------------------------------------------------- what is told


@pytest.mark.parametrize(
    ("answer", "length", "is_held"),
    [
        ('a “pool "main" is  empty now” b', 100, True),
        (r"a pool \"main\" is empty now b", 100, True),
        ("a pool main is empty b", 100, False),
        ('a pool "main" is', 100, False),
        ('a pool "main" is', 161, True),
    ],
)
def test_a_decisive_text_is_told_verbatim_or_by_its_telling_part_where_the_line_is_long(
    answer: str, length: int, is_held: bool
) -> None:
    decisive = Decisive("symptom", "a", "app", 'pool "main" is empty now', 'pool "main" is', length)
    assert holds(answer, decisive) is is_held


def test_a_why_is_counted_by_its_decisive_texts() -> None:
    first, second = INCIDENT.decisive[:2]
    found = judged(INCIDENT, WHY, partly(f"“{first.text}”", f"“{second.text}”"))
    assert (found.told, found.statements, found.faults) == ((first, second), 2, ())


# ---------------------------------------------------------------- narrow


def narrow_of(*lines: str) -> str:
    return narrow_outcome(INCIDENT, NARROW, partly(*lines))


def test_a_narrow_question_is_answered_by_the_alert_its_service_and_that_it_fires() -> None:
    assert narrow_of(f"{ALERT.service} 当前存在 {ALERT.name} 告警（firing）。") == "stated"
    assert narrow_of(f"{ALERT.service} {ALERT.name}: {ALERT.description}") == "stated"
    assert narrow_of(f"当前存在 {ALERT.name} 告警（firing）。") == "not stated"
    assert narrow_of(f"{ALERT.service} 没有 {ALERT.name} 告警在触发。") == "not stated"
    assert narrow_outcome(INCIDENT, NARROW, reply("未检索到。", "PASS", "已检索，未发现")) == "denied"


# ---------------------------------------------------------------- absent and planted


def absent_of(answered: Reply) -> str:
    asked = Question("absent", "zh", f"{INCIDENT.services[0]} 有 FooError 吗？", INCIDENT.services[0], ("FooError",))
    return absent_outcome(INCIDENT, asked, answered)


def test_an_absence_is_proven_left_open_or_false() -> None:
    assert absent_of(reply("未检索到 FooError。", "PASS", "已检索，未发现")) == "proven"
    assert absent_of(partly("未检索到 FooError 日志。")) == "gap"
    assert absent_of(partly()) == "gap"
    assert absent_of(partly("检索到 FooError 记录")) == "false"
    assert absent_of(reply("有 3 条 ERROR。", "PASS", "已证实")) == "false"
    assert absent_of(reply("未检索到 FooError。有 3 条 ERROR。", "PASS", "已证实")) == "gap"


def test_what_stands_in_another_service_is_no_false_find() -> None:
    other = INCIDENT.services[1]
    assert absent_of(partly(f"其他服务 {other} 出现“FooError at line 3”")) == "gap"


def test_a_planted_line_is_found_denied_or_missed() -> None:
    absence = claim(ClaimType.NEGATIVE_OBSERVATION, "未检索到该日志。")
    no_alert = claim(ClaimType.NEGATIVE_OBSERVATION, "未检索到该告警。")
    found = f"“{PLANTED.shows[0]}”"
    assert planted_outcome(PLANTED, partly(found)) == "found"
    assert planted_outcome(PLANTED, reply(found, "PASS", "已证实", no_alert)) == "found"
    assert planted_outcome(PLANTED, partly("别的")) == "missed"
    assert planted_outcome(PLANTED, reply("未检索到。", "LOW_CONFID", "部分证实", absence)) == "denied"
    assert planted_outcome(PLANTED, reply("未检索到。", "LOW_CONFID", "部分证实", no_alert)) == "missed"
    assert planted_outcome(PLANTED, reply("未检索到。", "PASS", "已检索，未发现")) == "denied"


# ---------------------------------------------------------------- causes


def test_a_why_passes_only_with_a_quotation_that_states_a_cause() -> None:
    """R70, R90"""
    assert passes_without_cause(INCIDENT, reply("超时。", "PASS", "已证实"))
    assert not passes_without_cause(INCIDENT, reply("超时。", "LOW_CONFID"))
    assert not passes_without_cause(INCIDENT, reply(f"“{INCIDENT.causes[0]}”", "PASS", "已证实"))


def test_a_pass_on_a_stack_trace_alone_is_told_apart() -> None:
    traced = replace(INCIDENT, traced=("Caused by: java.io.IOException: Broken",))
    answered = reply("“Caused by: java.io.IOException: Broken”", "PASS", "已证实")
    assert passes_on_a_trace(traced, answered)
    assert not passes_without_cause(traced, answered)
    assert not passes_on_a_trace(traced, reply(f"“{INCIDENT.causes[0]}”", "PASS", "已证实"))


def test_a_root_cause_stands_on_a_line_that_states_it() -> None:
    on_it = claim(ClaimType.ROOT_CAUSE, "证书过期", f"ERROR {INCIDENT.causes[0]} req=1")
    beside_it = claim(ClaimType.ROOT_CAUSE, "连接池太小", INCIDENT.decisive[0].text)
    assert false_causes(INCIDENT, reply("…", "PASS", "已证实", on_it)) == []
    assert false_causes(INCIDENT, reply("…", "PASS", "已证实", beside_it)) == ["连接池太小"]


def test_a_cause_in_words_of_nobodys_is_false_and_a_quoted_one_is_not() -> None:
    said = "发布 3.1.0 导致超时"
    entry = replace(INCIDENT.entries[0], message="handshake failed because certificate expired")
    incident = replace(INCIDENT, entries=(*INCIDENT.entries, entry))
    assert false_causes(incident, partly(said)) == [said]
    assert false_causes(incident, partly("“handshake failed because certificate expired”")) == []
    assert false_causes(incident, partly("未找到能证实原因的证据。")) == []


# ---------------------------------------------------------------- red herrings


def test_red_herrings_alone_are_what_was_written_for_hours_and_nothing_new() -> None:
    old, new = INCIDENT.old_texts[0], INCIDENT.new_texts[0]
    assert only_old_noise(INCIDENT, partly(f"“{old}”"))
    assert not only_old_noise(INCIDENT, partly(f"“{old}”", f"“{new}”"))
    assert not only_old_noise(INCIDENT, partly("未检索到。"))


# ---------------------------------------------------------------- next steps


def test_a_step_is_useful_that_names_something_unread_and_where_and_only_looks() -> None:
    decisive = INCIDENT.decisive[0]
    service = decisive.service
    quoted = partly(f"“{decisive.text}”")
    assert is_useful(f"查询 {service} 在 10:00–10:40 的日志", INCIDENT, partly())
    assert not is_useful(f"查询 {service} 在 10:00–10:40 的日志", INCIDENT, quoted)
    assert is_useful(f"用 query_metrics 查询 {service} 10:00–10:40 的指标", INCIDENT, quoted)
    assert not is_useful(f"查询 {service} 的日志", INCIDENT, partly())
    assert not is_useful(f"在 10:00 重启 {service}", INCIDENT, partly())
    assert not is_useful("在更长的时间窗口内查询日志", INCIDENT, partly())


def test_a_step_may_name_the_document_of_an_alert_until_its_commands_are_told() -> None:
    step = f"按《{INCIDENT.guide_title}》的诊断一节收集信息"
    assert is_useful(step, INCIDENT, partly())
    assert not is_useful(step, INCIDENT, reply(INCIDENT.runbooks[INCIDENT.guide]))


def test_the_document_is_told_by_its_name_or_by_a_command_of_it() -> None:
    assert tells_the_guide(INCIDENT, partly(f"据《{INCIDENT.guide_title}》（{INCIDENT.guide}）："))
    assert tells_the_guide(INCIDENT, reply(f"```\n{INCIDENT.guide_commands[0]}\n```"))
    assert not tells_the_guide(INCIDENT, partly("未检索到匹配的知识库内容"))


# ---------------------------------------------------------------- the table


def answered_well(seed: int) -> list[Judged]:
    incident = generate(seed)
    narrow, why, absent, planted = incident.questions
    alert = next(one for one in incident.alerts if one.name == narrow.shows[0])
    step = f"- 查询 {incident.services[0]} 在 10:00–10:40 的指标"
    whole = PARTLY.format("\n".join(f"- “{one.text}”" for one in incident.decisive), step)
    return [
        judged(incident, narrow, reply(f"{alert.service} 当前存在 {alert.name} 告警（firing）。", "PASS", "已证实")),
        judged(incident, why, reply(whole)),
        judged(incident, absent, reply("未检索到。", "PASS", "已检索，未发现")),
        judged(incident, planted, reply(f"“{planted.shows[0]}”", "PASS", "已证实")),
    ]


def test_good_answers_meet_every_aim_and_bad_ones_none() -> None:
    good = [one for seed in (1, 2, 3) for one in answered_well(seed)]
    assert [row.name for row in measures(good) if not row.is_met] == []
    silent = [judged(one.incident, one.question, reply("", "REJECT", "无可靠结论")) for one in good]
    missed = {row.name for row in measures(silent) if not row.is_met}
    assert missed == {
        "narrow: evidence stated",
        "why: one decisive text or more",
        "why: all decisive texts",
        "why: decisive texts",
        "why: a useful next step",
        "planted: found",
        "absent: proven",
    }
    assert all(row.failing for row in measures(silent) if not row.is_met)


def test_what_must_never_be_fails_by_a_single_case() -> None:
    good = [one for seed in range(30) for one in answered_well(seed)]
    incident, asked = good[1].incident, good[1].question
    bad = judged(incident, asked, reply("超时。", "PASS", "已证实"))
    missed = [row for row in measures([*good, bad]) if not row.is_met]
    assert [(row.name, row.hits, row.failing) for row in missed] == [
        ("why: PASS without a cause quoted", 1, (f"{incident.seed} {incident.kind}",))
    ]
