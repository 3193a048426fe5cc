"""What the offline model makes of a survey: an open question looks around, a narrow one does not (R90)."""

from __future__ import annotations

from tests.unit.test_extractive_executor import LOGS, METRICS, Conversation, function

SURVEY = function("survey_logs", "service", "minutes", "since", "until", "onset", "limit")
TOOLS = [METRICS, LOGS, SURVEY]

FULL = (
    "kind=message, level=ERROR, service=till-api, count=12, first=2031-03-04T06:10:00Z, last=2031-03-04T06:20:00Z, "
    "new=true, before=0, example=pool 7 is full, waiting=32"
)
ELSEWHERE = (
    "kind=message, level=ERROR, service=stock-api, elsewhere=true, count=3, first=2031-03-04T06:09:00Z, "
    "last=2031-03-04T06:19:00Z, new=true, before=0, cause=Caused by: java.net.ConnectException: refused, "
    "example=Unhandled error"
)
USUAL = (
    "kind=message, level=ERROR, service=mail-api, elsewhere=true, count=2, first=2031-03-04T06:00:00Z, "
    "last=2031-03-04T06:19:00Z, new=false, before=6, example=mail bounced"
)
OWN_WARNING = (
    "kind=message, level=WARN, service=till-api-7d9f8b6c5-abcde, count=1, first=2031-03-04T06:02:00Z, "
    "last=2031-03-04T06:02:00Z, new=false, before=2, example=slow page"
)
CALM = "kind=message, level=INFO, service=till-api, count=900, new=true, before=0, example=page 7 shown"
CHANGE = (
    "kind=change, change=configuration, time=2031-03-04T05:10:00Z, level=INFO, service=stock-api, count=0, before=1, "
    "example=configuration reloaded: pool.max 50 -> 5"
)
NONE = {"$.alerts": "total=0"}
LINE = "2031-03-04T06:20:00Z ERROR till-api pool 9 is full, waiting=31"
OTHER_LINE = "2031-03-04T06:21:00Z ERROR till-api disk sda1 failed"


def asked(question: str, *items: str, lines: tuple[str, ...] = ()) -> Conversation:
    survey = {f"$.items[{number}]": item for number, item in enumerate(items)}
    logs = {f"$.logs[{number}]": line for number, line in enumerate(lines)}
    return Conversation(question, TOOLS).answers((1, NONE), (2, NONE), (3, survey), (4, logs))


def test_an_open_question_surveys_all_services_before_it_searches_one() -> None:
    """R90"""
    assert Conversation("till-api 怎么了？", TOOLS).calls() == [
        ("query_metrics", {"service": "till-api"}),
        ("query_metrics", {}),
        ("survey_logs", {"service": "till-api", "limit": 60}),
        ("query_logs", {"service": "till-api"}),
    ]


def test_a_period_of_the_question_is_the_surveys_too() -> None:
    """R9, R90: with some time before it, since people name the time at which they saw it."""
    calls = dict(Conversation("till-api 04:00 到 05:00 为什么报错？", TOOLS).calls())
    assert calls["survey_logs"].items() >= {"since": "2031-03-04T03:45:00Z", "until": "2031-03-04T05:00:00Z"}.items()


def test_narrow_questions_second_rounds_and_questions_of_ever_do_not_survey() -> None:
    """R16, R90"""
    for question in ("只确认 till-api 是否存在 ERROR 日志。", "till-api 有没有 ERROR？", "till-api 有多少条 ERROR？"):
        assert "survey_logs" not in dict(Conversation(question, TOOLS).calls())
    again = Conversation("till-api 怎么了？", TOOLS, retry={"missing_evidence_facts": [], "verified_claims": []})
    assert "survey_logs" not in dict(again.calls())


def test_new_messages_are_stated_with_what_is_new_elsewhere_as_such_and_changes_by_their_time() -> None:
    """R90: what is usual elsewhere is not told, nor what is no trouble; order in time is no cause."""
    told = asked("till-api 怎么了？", FULL, ELSEWHERE, USUAL, OWN_WARNING, CHANGE, CALM).claims()
    assert [text for _, text in told][:3] == [
        "till-api 新出现 ERROR：“pool 7 is full, waiting=32”，检索到 12 条，首次 2031-03-04T06:10:00Z。",
        "同一时间窗内，其他服务 stock-api 新出现 ERROR：“Unhandled error”"
        "“Caused by: java.net.ConnectException: refused”，检索到 3 条，首次 2031-03-04T06:09:00Z。",
        "2031-03-04T05:10:00Z stock-api 有变更记录：“configuration reloaded: pool.max 50 -> 5”。",
    ]
    assert not any("mail bounced" in text or "page 7 shown" in text or "slow page" in text for _, text in told)
    assert {kind for kind, _ in told} <= {"observation", "negative_observation"}


def test_no_message_is_told_twice() -> None:
    """R90: not by a search, where the survey has told it; what the survey has not told stays."""
    texts = [text for _, text in asked("till-api 怎么了？", FULL, lines=(LINE, OTHER_LINE)).claims()]
    assert sum("is full" in text for text in texts) == 1
    assert any("disk sda1 failed" in text for text in texts)


def test_a_flood_of_different_messages_gives_at_most_ten_statements() -> None:
    """R90: those of one service two by two, and the change; with the two searches that found nothing ten."""
    words = ("ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "yew")
    items = [FULL.replace("pool 7", word) for word in words]
    texts = [text for _, text in asked("till-api 怎么了？", *items, CHANGE).claims()]
    assert len(texts) <= 10
    assert sum(text.count("新出现") for text in texts) == 8
    assert sum("pool.max" in text for text in texts) == 1


def test_what_the_question_excludes_is_not_told() -> None:
    """R16, R90"""
    told = asked("除 stock-api 外，till-api 怎么了？", FULL, ELSEWHERE, CHANGE)
    assert not any("stock-api" in text for _, text in told.claims())


def test_what_fires_besides_is_told_in_one_statement() -> None:
    """R70, R90: the alerts asked for by themselves, whatever else fires by name."""
    own = "TillErrors firing, service=till-api, severity=critical; many errors"
    others = ["DiskFull firing, instance=db-7, severity=warning", "Slow firing, service=mail-api, severity=critical"]
    alerts = {f"$.alerts[{number}]": one for number, one in enumerate([own, *others])}
    told = Conversation("till-api 怎么了？", TOOLS).answers((1, {"$.alerts[0]": own}), (2, alerts), (3, {}), (4, {}))
    texts = [text for _, text in told.claims()]
    assert any("TillErrors" in text and "many errors" in text for text in texts)
    assert "同时还有 2 个告警在触发：Slow（mail-api）、DiskFull（db-7）。" in texts
