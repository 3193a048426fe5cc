"""Every way to write a number is read, and ordinary words are none (R37)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.values.measurements import Measurements, unsupported_values
from domain.values.numbers import values_in


def missing(claim: str, *items: str) -> list[str]:
    return unsupported_values(claim, Measurements(items, {len(items)}), Measurements([""]), set())


SHARES = [
    ("九成五", "95%"),
    ("九成", "90%"),
    ("9.5 成", "95%"),
    ("一半", "50%"),
    ("减半", "50%"),
    ("三分之二", "2/3 ready"),
    ("⅓", "1/3 ready"),
    ("五分之四", "80%"),
    ("百分之九十五", "95%"),
    ("百分之九十九点九", "99.9%"),
    ("百分之 0.3", "0.3%"),
    ("千分之三", "0.3%"),
    ("百分百", "100%"),
    ("玖拾玖%", "99%"),
    ("⑨⑨%", "99%"),
    ("９９％", "99%"),
    ("٩٩%", "99%"),
    ("翻倍", "10 -> 20"),
    ("翻了一番", "10 -> 20"),
    ("增加一倍", "10 -> 20"),
    ("翻了两番", "10 -> 40"),
    ("增长 2 倍", "10 -> 30"),
    ("是原来的两倍", "10 -> 20"),
    ("ninety-nine point nine percent", "99.9%"),
    ("99.9 percent", "99.9%"),
    ("two thirds of the pods", "2/3 ready"),
    ("a quarter of requests", "25%"),
    ("half of the pods", "50%"),
    ("doubled", "10 -> 20"),
]
LENGTHS = [
    ("三刻钟", "45m"),
    ("半小时", "30m"),
    ("半天", "12h"),
    ("一个半小时", "90m"),
    ("两天半", "60h"),
    ("一分半钟", "90s"),
    ("2 小时 15 分", "135m"),
    ("两小时零五分", "125m"),
    ("half an hour", "30m"),
    ("one and a half hours", "90m"),
    ("三百 ms", "0.3s"),
    ("30 seconds", "30s"),
]
AMOUNTS = [
    ("九十九点九", "99.9"),
    ("五零三", "503"),
    ("错误数五十", "50"),
    ("共三", "3"),
    ("两万五千次", "25000"),
    ("一万二", "12000"),
    ("一亿二千万次", "120000000"),
    ("1.2万", "12000"),
    ("3千", "3000"),
    ("3 千次", "3000"),
    ("百万条", "1000000"),
    ("1,234,567 条", "1234567"),
    ("1.2e5 次", "120000"),
    ("5×10³ 次", "5000"),
    ("负五", "-5"),
    ("零下 5", "-5"),
    ("−5", "-5"),
    ("a dozen timeouts", "12 timeouts"),
    ("twenty-five errors", "25 errors"),
    ("one hundred and five", "105"),
    ("retried twice", "2"),
    ("⑮ 次", "15"),
    ("俩实例", "2"),
    ("≥ 3", "3"),
    ("第七分区", "partition=7"),
]


@pytest.mark.parametrize(("claim", "item"), SHARES + LENGTHS + AMOUNTS)
def test_a_figure_in_words_is_the_number_it_says(claim: str, item: str) -> None:
    """R37."""
    assert missing(claim, item) == []


@pytest.mark.parametrize("claim", [claim for claim, _ in SHARES + LENGTHS + AMOUNTS])
def test_a_figure_in_words_is_seen(claim: str) -> None:
    """R37: an item with another number does not support it."""
    assert missing(claim, "HighMemoryUsage firing, current=91%, duration=17m, restarts=6") != []


@pytest.mark.parametrize(
    ("claim", "true", "false"),
    [
        ("数百次", (200, 345, 999), (99, 1000)),
        ("几十次", (20, 99), (19, 100)),
        ("上千次", (1000, 9999), (999, 10000)),
        ("近百次", (90, 100), (89, 101)),
        ("三十余次", (31, 39), (30, 40)),
        ("两千多次", (2001, 2999), (2000, 3000)),
        ("100 多次", (101, 199), (100, 200)),
        ("百余次", (101,), (100, 200)),
        ("3 万多条", (30001,), (30000, 40000)),
        ("十几次", (11, 19), (10, 20)),
        ("两三次", (2, 3), (1, 4)),
        ("七八百条", (700, 800), (699, 801)),
        ("成千上万条", (1000, 99999), (999, 100000)),
        ("hundreds of requests", (200,), (150, 1000)),
        ("dozens of errors", (24,), (12, 120)),
        ("a few thousand requests", (2000,), (1000,)),
    ],
)
def test_a_vague_figure_is_supported_by_what_it_may_stand_for(
    claim: str, true: tuple[int, ...], false: tuple[int, ...]
) -> None:
    """R37: an interval that the items' number must lie in."""
    assert [number for number in (*true, *false) if not missing(claim, f"retries={number}")] == list(true)


@pytest.mark.parametrize(
    ("claim", "true", "false"),
    [
        ("数小时", "3h", "1h"),
        ("两个多小时", "150m", "2h"),
        ("三天多", "80h", "96h"),
        ("半个多小时", "40m", "70m"),
        ("several hours", "3h", "12h"),
        ("百分之九十多", "91%", "89%"),
        ("七八成", "75%", "85%"),
        ("过半", "51%", "49%"),
        ("数倍", "4x", "1.5x"),
    ],
)
def test_a_vague_length_or_share_is_an_interval_too(claim: str, true: str, false: str) -> None:
    """R37."""
    assert (missing(claim, true), missing(claim, false) != []) == ([], True)


def test_a_vague_figure_supports_only_its_like() -> None:
    """R37: 数百 in an item is no 345."""
    assert missing("出现数百次超时", "共数百次超时") == []
    assert missing("出现 345 次超时", "共数百次超时") == ["345 次"]
    assert missing("出现上千次超时", "共数百次超时") == ["上千次"]


def test_a_percentage_that_nobody_can_read_is_not_supported() -> None:
    """R37: seen, not passed over."""
    assert missing("使用率 Ⅸ%", "current=9%") != []
    assert missing("使用率 九九.九%", "current=99.9%") != []


def test_invisible_characters_split_no_number() -> None:
    """R37: 1 and 5% in the items do not make 15%."""
    assert missing("使用率 1\u200b5%", "restarts=1, current=5%") == ["15%"]
    assert missing("使用率 1\u200b5%", "current=15%") == []


def test_a_number_directly_behind_chinese_words_is_seen() -> None:
    """R37."""
    assert missing("内存使用率92%", "current=91%") == ["92%"]


ORDINARY = [
    "存在一些告警，一直未恢复，与统一配置一致，唯一原因",
    "第一次使用三方库，五金行业，万一失败十分严重",
    "一个告警、一条日志、一次超时、一种可能",
    "连接数百分比，错误数十分高，参数千万不要改",
    "线上千万不要重启，以上百分位",
    "一成不变，拆分成功，其中三成功，组成成员",
    "一一对应，两两比较，三三两两",
    "半同步复制，半开连接，多半是网络问题，另一半",
    "half-open connections, second attempt, double free, one of the pods",
    "陆续恢复，收拾，登陆页面，队伍",
    "有一点一直没变，差一点",
    "这几天，前几次，第几次，几乎",
    "一旦、一样、一般、进一步、之一、其一",
    "四舍五入，七牛云，八卦，不三不四",
    "① 检查日志 ② 重启",
    "同一时刻，任一节点，单一版本，每一次",
    "千兆网卡，百度，百家号",
    "%2F 与 CPU% 列",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_words_are_no_numbers(text: str) -> None:
    """R37."""
    assert [text[value.start : value.end] for value in values_in(text) if text[value.start : value.end] != "2F"] == []


@pytest.mark.parametrize("text", ["七月八日", "十一点十七分", "九点半", "三点一刻", "二〇三一年三月"])
def test_clock_times_and_dates_in_words_are_times(text: str) -> None:
    """R9, R37: and no values."""
    assert values_in(text) == ()
    assert missing(text, "2031-03-09 06:44:10 ERROR") == ([] if text == "二〇三一年三月" else [text])


def test_a_clock_time_in_words_is_that_time() -> None:
    """R9, R37."""
    assert missing("七月八日十一点十七分报错", "2031-07-08 11:17:10 ERROR") == []


@given(st.integers(min_value=10, max_value=99_999_999))
def test_a_chinese_numeral_is_its_number(number: int) -> None:
    """R37: any whole number, read back from its Chinese writing."""
    assert [value.number for value in values_in(f"{chinese(number)}次")] == [Fraction(number)]


def chinese(number: int) -> str:
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        zero = "零" if 0 < low < 1000 else ""
        return f"{chinese(high)}万{zero}{chinese(low) if low else ''}"
    text, pending = "", False
    for power, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // power % 10
        if digit:
            text += ("零" if pending and text else "") + "零一二三四五六七八九"[digit] + name
        pending = digit == 0
    return text
