"""Periods that questions name (R70): the table periods.jsonl, and what no table holds."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.question.period import PeriodReading, read_period

TABLE = [json.loads(line) for line in (Path(__file__).parent / "periods.jsonl").read_text("utf-8").splitlines()]
SHANGHAI = ZoneInfo("Asia/Shanghai")
WEDNESDAY = datetime(2031, 5, 14, 15, 20, tzinfo=SHANGHAI)


def read(question: str) -> PeriodReading:
    return read_period(question, WEDNESDAY, SHANGHAI)


def bounds(question: str) -> str:
    """Start and end as the clock on the wall shows them; nothing for an open side."""
    found = read(question)
    assert found.period is not None, found
    assert not found.unclear
    ends = (end.astimezone(SHANGHAI) if end else None for end in (found.period.start, found.period.end))
    return "..".join(f"{end:%m-%d %H:%M}" if end else "" for end in ends)


@pytest.mark.parametrize("row", TABLE, ids=[f"{row['about']}: {row['question']}" for row in TABLE])
def test_the_period_of_a_question_is_read_or_said_to_be_unclear(row: dict[str, Any]) -> None:
    """R70."""
    found = read_period(row["question"], datetime.fromisoformat(row["now"]), ZoneInfo(row["zone"]))
    expected = row["expected"]
    if expected is None:
        assert found.period is None
    else:
        assert found.period is not None
        ends = [end and datetime.fromisoformat(end) for end in (expected["start"], expected["end"])]
        assert [found.period.start, found.period.end] == ends
    assert bool(found.unclear) is row["unclear"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("时间：10:05", "05-14 09:50..05-14 10:20"),
        ("10:05 前后各 10 分钟", "05-14 09:55..05-14 10:15"),
        ("30 minutes before 10:00", "05-14 09:30..05-14 10:00"),
        ("10:00 之后 30 分钟内有没有报错", "05-14 10:00..05-14 10:30"),
        ("昨天 10 点发布后 order-service 报错", "05-13 10:00.."),
        ("last 1 hour and 30 minutes", "05-14 13:50..05-14 15:20"),
        ("三天来有没有报错", "05-11 15:20..05-14 15:20"),
        ("最近 7 日", "05-07 15:20..05-14 15:20"),
        ("上个小时", "05-14 14:20..05-14 15:20"),
        ("昨晚 12 点", "05-13 23:45..05-14 00:15"),
        ("晚上 11 点到凌晨 2 点", "05-13 23:00..05-14 02:00"),
        ("昨晚8点到今早6点", "05-13 20:00..05-14 06:00"),
        ("9 a.m. to 11", "05-14 09:00..05-14 11:00"),
        ("between 11 and 1 pm", "05-14 11:00..05-14 13:00"),
        ("at 3 in the afternoon", "05-14 14:45..05-14 15:15"),
        ("quarter to nine this morning", "05-14 08:30..05-14 09:00"),
        ("2 days ago at 10:00", "05-12 09:45..05-12 10:15"),
        ("5 月 1 到 3 日", "05-01 00:00..05-04 00:00"),
        ("from May 1st to 3rd", "05-01 00:00..05-04 00:00"),
        ("since the 5th", "05-05 00:00.."),
        ("last week on Friday", "05-09 00:00..05-10 00:00"),
        ("昨天（5 月 13 日）10:00 到 11:00", "05-13 10:00..05-13 11:00"),
        ("从昨天 10 点，到现在，有没有报错", "05-13 10:00..05-14 15:20"),
        ("2031-05-14T01:00:00Z/2031-05-14T02:00:00Z", "05-14 09:00..05-14 10:00"),
        ("10:00+09:00 到 11:00+09:00", "05-14 09:00..05-14 10:00"),
        ("errors from yesterday", "05-13 00:00..05-14 00:00"),
        ("order-service 之前有没有出现过 OOM", ".."),
        ("has this happened before?", ".."),
        ("昨天有没有报错？现在恢复了吗？", "05-13 00:00..05-14 00:00"),
        ("晚8点", "05-13 19:45..05-13 20:15"),
        ("前天晚上", "05-12 18:00..05-13 00:00"),
        ("15分钟之前", "05-14 14:50..05-14 15:20"),
        ("到昨天为止", "..05-14 00:00"),
        ("22:30到次日1:30", "05-13 22:30..05-14 01:30"),
        ("the night before last", "05-12 18:00..05-13 06:00"),
        ("early this morning", "05-14 00:00..05-14 12:00"),
        ("1–3 May", "05-01 00:00..05-04 00:00"),
        ("Mon-Wed", "05-12 00:00..05-14 15:20"),
        ("from 11 last night to 1 this morning", "05-13 23:00..05-14 01:00"),
        ("an hour or so ago", "05-14 14:05..05-14 14:35"),
        ("month to date", "05-01 00:00..05-14 15:20"),
        ("昨天每小时的错误数", "05-13 00:00..05-14 00:00"),
        ("how many errors per minute since 9am", "05-14 09:00.."),
        ("昨晚有没有报错，特别是 1 点到 3 点", "05-14 01:00..05-14 03:00"),
        ("“order-service 最近一小时有没有报错？”", "05-14 14:20..05-14 15:20"),
    ],
)
def test_words_of_time_are_put_together(question: str, expected: str) -> None:
    """R70."""
    assert bounds(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "today-feed-v10:30、端口 10:8080 和 fe80::10:30 在 backup-2031-05-01.log 里",
        "error at Foo.java:10:30",
        "给出 3 点建议",
        "order-service 3 号节点快一点了吗",
        "错误率 5 分钟内超过 10 次就告警吗",
        "7 天内过期的证书有哪些",
        "请求超时后 5 分钟内恢复吗",
        "30 分钟内存使用率",
        "it may fail, scaled from 2 to 3, any errors?",
        "最近 5 次重启的原因",
        "最近一次告警时间是什么",
        "从什么时候开始报错",
        "every day at 3am the backup runs, did it fail?",
        "每天凌晨 3 点的备份失败了吗",
        "昨晚升级了 till-api，现在有没有 ERROR？",
        "那会不会有影响",
        "每周一凌晨的任务失败了吗",
        "errors in spring boot, is the schema up to date, did latency increase by 10?",
        "!?。、——……",
        "",
    ],
)
def test_what_only_looks_like_a_period_is_none(question: str) -> None:
    """R70."""
    assert read(question) == PeriodReading()


@pytest.mark.parametrize(
    ("question", "unclear"),
    [
        ("order-service 上上个礼拜三晚上那会儿有没有报错？", ("上上个礼拜三晚上那会儿",)),
        ("昨天最近一小时有没有报错？", ("昨天最近一小时",)),
        ("any errors yesterday in the last hour?", ("yesterday", "last hour")),
        ("昨天这个时候", ("昨天这个时候",)),
        ("从 9 点到下班", ("从 9 点到",)),
        ("11:30 到 10:00", ("11:30 到 10:00",)),
        ("上午 15 点到 16 点", ("上午 15 点到 16 点",)),
        ("10:00 Europe/Berlin", ("10:00 Europe/Berlin",)),
        ("重启之后有没有报错", ("重启之后",)),
        ("发布后半小时内有没有报错", ("发布后半小时",)),
        ("未来一小时", ("未来一小时",)),
        ("双十一期间", ("双十一期间",)),
        ("did it fail earlier?", ("earlier",)),
        ("最近两三天", ("最近两三天",)),
        ("the last two or three hours", ("last two or three hours",)),
        ("十来分钟前", ("十来分钟前",)),
        ("前一天晚上", ("前一天晚上",)),
        ("the first week of May", ("first week of May",)),
        ("end of last month", ("end of last month",)),
        ("去年底", ("年底",)),
        ("an hour before?", ("an hour before",)),
        ("昨天上午和下午", ("昨天上午", "下午")),
        ("比昨天多吗", ("比昨天",)),
        ("compared with yesterday", ("compared with yesterday",)),
        ("服务重启 5 分钟内有没有报错", ("5 分钟内",)),
    ],
)
def test_what_is_not_understood_is_said_in_the_questions_own_words(question: str, unclear: tuple[str, ...]) -> None:
    """R70: never a default in silence."""
    assert read(question) == PeriodReading(None, unclear, read(question).spans)
    assert read(question).unclear == unclear


def test_what_is_sure_beside_what_is_not_understood_stays() -> None:
    """R70."""
    found = read("最近一小时有没有报错，since the last deploy?")
    assert found.period is not None
    assert found.period.text == "最近一小时"
    assert found.unclear == ("since the last deploy",)


def test_the_places_of_a_period_are_those_of_the_question_as_written() -> None:
    """R70: full width, blanks and invisible characters do not shift them."""
    question = "ｏrder\u200b-service  最 近\u200b 两 小 时 有没有 OOM？"
    found = read(question)
    assert [question[start:end] for start, end in found.spans] == ["最 近\u200b 两 小 时"]
    assert found.span == (16, 26)


DAYS = {
    "zh": {
        "昨天": 13,
        "前天": 12,
        "5 月 10 日": 10,
        "2031年5月10号": 10,
        "2031-05-10": 10,
        "上周五": 9,
        "周一": 12,
        "3 天前": 11,
    },
    "en": {"yesterday": 13, "on May 10th": 10, "10 May": 10, "last Friday": 9, "on Monday": 12, "3 days ago": 11},
}
CHINESE_HOURS = "零 一 两 三 四 五 六 七 八 九 十 十一 十二".split()  # noqa: SIM905
STYLES = {
    "zh": (
        "{hour:02}:{minute:02}",
        "{hour}:{minute:02}",
        "{hour} 点 {minute} 分",
        "{part}{said}点{minute:02}分",
        "{part}{words}点{minute}分",
    ),
    "en": (
        "{hour:02}:{minute:02}",
        "{hour}:{minute:02}",
        "{twelve}:{minute:02}{half}m",
        "{twelve}:{minute:02} {half}.m.",
    ),
}
ENGLISH_SHAPES = ("between {} and {}", "from {} to {}", "{} – {}", "from {} until {}")
CHINESE_SHAPES = ("{} 到 {}", "{}-{}", "从{}至{}", "{} ～ {}", "{}和{}之间")


def spoken(style: str, minutes: int) -> str:
    """A time of day in one of its spellings."""
    hour, minute = divmod(minutes, 60)
    twelve = (hour - 1) % 12 + 1
    part = "凌晨" if hour < 6 else "上午" if hour < 12 else "中午" if hour == 12 else "下午" if hour < 18 else "晚上"
    return style.format(
        hour=hour,
        minute=minute,
        twelve=twelve,
        half="ap"[hour >= 12],
        part=part,
        said=twelve if hour else 0,
        words=CHINESE_HOURS[twelve if hour else 0],
    )


@st.composite
def dated_ranges(draw: st.DrawFn) -> tuple[str, str]:
    """A day and a range of times on it, put in a question, and the period meant."""
    language = draw(st.sampled_from(["zh", "en"]))
    day, number = draw(st.sampled_from(sorted(DAYS[language].items())))
    start, end = sorted(draw(st.lists(st.integers(0, 1439), min_size=2, max_size=2, unique=True)))
    shape = draw(st.sampled_from(CHINESE_SHAPES if language == "zh" else ENGLISH_SHAPES))
    style = draw(st.sampled_from(STYLES[language]))
    times = shape.format(spoken(style, start), spoken(style, end))
    is_before = language == "zh" or draw(st.booleans())
    said = f"{day} {times}" if is_before else f"{times} {day}"
    question = f"order-service {said} 有没有 ERROR？" if language == "zh" else f"any errors in order-service {said}?"
    first, last = (f"05-{number:02} {at // 60:02}:{at % 60:02}" for at in (start, end))
    return question, f"{first}..{last}"


@settings(max_examples=600, deadline=None)
@given(dated_ranges())
def test_a_range_of_times_on_a_day_is_read_in_whatever_spelling(asked: tuple[str, str]) -> None:
    """R70."""
    question, expected = asked
    assert bounds(question) == expected


REPEATED = st.sampled_from(
    [
        *(
            "昨天",
            "今晚",
            "上周",
            "周五",
            "5月1日",
            "2031-05-10",
            "05/06",
            "10:05",
            "10点半",
            "25:00",
            "半小时",
            "几",
            "3",
            "am",
        ),
        *(
            "到",
            "–",
            "前",
            "后",
            "以来",
            "从",
            "最近",
            "过去",
            "左右",
            "之间",
            "between ",
            " and ",
            "from ",
            " to ",
            "since ",
        ),
        *(
            "until ",
            "last ",
            "this ",
            "week",
            "yesterday",
            "历史上",
            "ever",
            "每",
            "那会儿",
            "utc",
            "+08:00",
            " cst",
            "的",
        ),
        *(",", "。", '"', "“", "发布后", "ago", " ", "\n", "一", "1", "at 5 to 5 pm on may 5 ", "上次的"),
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300) | st.lists(REPEATED, max_size=40).map("".join))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    """R70: a period, or none; all places lie in the text and nothing ends after now."""
    found = read(text)
    assert all(0 <= start < end <= len(text) for start, end in found.spans)
    assert all(words in text for words in found.unclear)
    if found.period and found.period.start and found.period.end:
        assert found.period.start <= found.period.end <= WEDNESDAY


@settings(max_examples=20, deadline=None)
@given(REPEATED, REPEATED)
def test_a_question_of_8000_characters_is_read_as_others_are(first: str, second: str) -> None:
    """R70: reading is linear in the text; what repeats without end is a contradiction, or no period, or the same."""
    text = ((first + second) * 8_000)[:8_000]
    found = read(text)
    assert all(0 <= start < end <= len(text) for start, end in found.spans)
