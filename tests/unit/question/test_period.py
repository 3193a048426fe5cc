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


def read(question: str, now: datetime = WEDNESDAY) -> PeriodReading:
    return read_period(question, now, SHANGHAI)


def bounds(question: str, now: datetime = WEDNESDAY) -> tuple[str, str]:
    """Start and end as the clock on the wall shows them; "" is open."""
    found = read(question, now)
    assert found.period is not None, found
    assert not found.unclear
    ends = (found.period.start, found.period.end)
    return tuple(f"{end.astimezone(SHANGHAI):%m-%d %H:%M}" if end else "" for end in ends)  # type: ignore[return-value]


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


WORDS = (
    *(["昨天", "今晚", "上周", "周五", "5月1日", "2031-05-10", "05/06", "10:05", "10点半", "25:00", "半小时", "几", "3", "am", "pm", "到", "–", "前", "后", "以来", "从", "最近", "过去", "左右", "之间"]),
    *(["between", "and", "from", "to", "since", "until", "last", "this", "week", "yesterday", "历史上", "ever", "每", "那会儿", "utc", "+08:00", "cst", "的", ",", "。", '"', "“", "\n"]),
)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300) | st.lists(st.sampled_from(WORDS), max_size=40).map("".join))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    """R70: a period, or none, and all places lie in the text."""
    found = read(text)
    assert all(0 <= start < end <= len(text) for start, end in found.spans)
    assert all(words in text for words in found.unclear)
    if found.period and found.period.start and found.period.end:
        assert found.period.start <= found.period.end <= WEDNESDAY
