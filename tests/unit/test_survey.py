"""Surveys: shapes of messages with what is new of them, the onset, changes near it, ids in several services (R90)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from domain.contracts import RetrievalDetails, ToolInvocation
from domain.evidence.extraction import extract_evidence
from domain.evidence.input_survey import MOST_SHAPES, InputSurvey
from domain.evidence.log_answer import SearchedInput
from domain.evidence.masking import mask_output
from domain.evidence.search import Condition, Entry, Header, Place, Stamp
from domain.evidence.survey import Survey, Surveyed, baseline_of, survey_of
from domain.evidence.window import Window
from domain.gatekeeper.citations import EXCERPT_MISMATCH
from domain.language.levels import Level
from tests.unit.test_gatekeeper import binding, check, claim

TEN = datetime(2031, 5, 1, 10, 0, tzinfo=UTC)
HOUR = Window(TEN, TEN + timedelta(hours=1))


def entry(text: str, minutes: float, level: Level | None = Level.INFO, service: str = "till-api") -> Entry:
    """`minutes` after the beginning of the window."""
    header = Header(level=level, level_text=level.name if level else "", names=(service,), message=text)
    return Entry(1, Stamp(TEN + timedelta(minutes=minutes), True), text, lambda: header, has_levels=True)


def surveyed(*entries: Entry, name: str = "all.log", family: str = "", service: str = "", most: int = 400) -> Surveyed:
    since = baseline_of(HOUR).start
    assert since is not None
    one = InputSurvey(Condition(HOUR, service), Place(), zone=UTC, since=since)
    one.read(sorted(entries, key=lambda entry: entry.stamp.at if entry.stamp else TEN))
    account = one.finish(name, None)
    return Surveyed(SearchedInput(account, "text", "", False, family or name), one.digest(most))


def survey(*inputs: Surveyed, onset: datetime | None = None, limit: int = 30) -> Survey:
    return survey_of(HOUR, inputs, onset=onset, limit=limit)


def items(*entries: Entry, service: str = "", **more: Any) -> list[dict[str, Any]]:
    return list(survey(surveyed(*entries, service=service), **more).items)


OLD = entry("up", -100)


def test_a_shape_has_its_count_its_first_and_last_time_and_one_line_verbatim() -> None:
    """R90"""
    (item,) = items(OLD, entry("pool 7 is full", 10, Level.ERROR), entry("pool 9 is full", 20, Level.ERROR))
    assert item == {
        "kind": "message",
        "level": "ERROR",
        "service": "till-api",
        "count": 2,
        "first": "2031-05-01T10:10:00Z",
        "last": "2031-05-01T10:20:00Z",
        "new": True,
        "before": 0,
        "message_shape": "pool <any> is full",
        "example": "pool 7 is full",
    }


def test_what_stood_before_is_not_new_and_may_have_multiplied() -> None:
    """R90: six in the hour against one in the three hours before."""
    before = [entry("slow 1", -170, Level.WARN), entry("late 1", -170, Level.WARN), entry("late 2", -20, Level.WARN)]
    now = [*(entry(f"slow {n}", n, Level.WARN) for n in range(6)), entry("late 3", 1, Level.WARN)]
    slow, late = items(*before, *now)
    assert (slow["new"], slow["multiplied"], slow["before"]) == (False, True, 1)
    assert (late["new"], "multiplied" in late, late["before"]) == (False, False, 2)


def test_nothing_is_called_new_where_nothing_is_known_of_before() -> None:
    """R90: a log that begins in the window tells of no time before it."""
    (item,) = items(entry("pool 7 is full", 10, Level.ERROR))
    assert "new" not in item
    assert "before" not in item


def test_the_new_and_worst_come_first_and_a_talkative_service_leaves_room() -> None:
    """R90"""
    known = [entry("disk failed", minutes, Level.ERROR) for minutes in (-30, 5)]
    talk = [entry(f"error {word}", 6, Level.ERROR) for word in ("a", "b", "c")]
    other = entry("refused", 50, Level.ERROR, "cart-api"), entry("up", -50, Level.INFO, "cart-api")
    told = items(OLD, *known, *talk, *other, entry("fatal end", 55, Level.FATAL))
    assert [item["example"] for item in told] == [
        "fatal end",
        "error a",
        "refused",
        "error b",
        "error c",
        "disk failed",
    ]


def test_the_onset_is_the_first_new_error_unless_it_is_told() -> None:
    """R90"""
    entries = (
        OLD, entry("old error", -90, Level.ERROR), entry("old error", 2, Level.ERROR), entry("boom", 30, Level.ERROR)
    )  # fmt: skip
    assert survey(surveyed(*entries)).onset == TEN + timedelta(minutes=30)
    told = TEN + timedelta(minutes=7)
    assert survey(surveyed(*entries), onset=told).onset == told


def test_changes_before_the_window_are_told_the_nearest_to_the_onset_first() -> None:
    """R90: at INFO, too, and of every service; what came long after the onset is not near it."""
    told = items(
        OLD,
        entry("feature flag fast-path enabled", -40, service="flags"),
        entry("deployed 4.2.0", -150, service="cart-api"),
        entry("boom", 3, Level.ERROR),
        entry("certificate renewed", 50, service="edge"),
    )
    changes = [(item["change"], item["time"], item["service"]) for item in told if item["kind"] == "change"]
    assert changes == [
        ("feature_flag", "2031-05-01T09:20:00Z", "flags"),
        ("deployment", "2031-05-01T07:30:00Z", "cart-api"),
    ]


def test_the_same_id_in_several_services_is_told() -> None:
    """R90"""
    told = items(
        entry("timeout trace_id=ab12cd34", 5, Level.ERROR),
        entry("rejected trace_id=ab12cd34", 4, Level.WARN, "cart-api"),
        entry("rejected trace_id=ffff1234", 4, Level.WARN, "cart-api"),
    )
    (shared,) = [item for item in told if item["kind"] == "shared id"]
    assert (shared["id"], shared["services"], shared["count"]) == ("ab12cd34", ["cart-api", "till-api"], 2)
    assert (shared["first"], shared["example"]) == ("2031-05-01T10:04:00Z", "rejected trace_id=ab12cd34")


def test_of_other_services_than_the_one_asked_for_only_what_is_different_is_told_as_such() -> None:
    """R90"""
    told = items(
        OLD,
        entry("up", 1),
        entry("up", -50, service="cart-api"),
        entry("up", 1, service="cart-api"),
        entry("disk full", 2, Level.ERROR, "cart-api"),
        service="till-api",
    )
    assert [(item["example"], item.get("elsewhere", False)) for item in told] == [("disk full", True), ("up", False)]


def test_instances_of_a_service_are_one() -> None:
    """R90"""
    (item,) = items(entry("full", 1, service="cart-7d9f8b6c5-abcde"), entry("full", 2, service="cart-7d9f8b6c5-fghij"))
    assert (item["service"], item["count"]) == ("cart", 2)


def test_a_copy_of_an_input_counts_once_and_another_input_adds() -> None:
    """R69, R90"""
    lines = entry("full", 1), entry("full", 2)
    inputs = [surveyed(*lines, name=name, family="a") for name in ("a.log", "a.log.gz")]
    (item,) = survey(*inputs, surveyed(entry("full", 3), name="b.log")).items
    assert item["count"] == 3


def test_a_log_in_which_every_line_is_new_costs_no_more_memory_than_any_and_hides_no_error() -> None:
    """R90: what is not told apart is counted together, and said."""
    noise = [entry("".join(chr(97 + int(digit)) for digit in str(n)), n / 100) for n in range(MOST_SHAPES + 500)]
    one = surveyed(*noise, entry("boom", 59, Level.ERROR))
    assert sum(tally.count for tally in one.digest.tallies) + one.digest.unlisted == MOST_SHAPES + 501
    assert len(one.digest.tallies) == 400
    assert survey(one).items[0]["example"] == "boom"
    assert survey(one).unlisted == one.digest.unlisted > 0


def test_an_example_is_cut_and_still_verbatim_and_the_innermost_cause_is_kept() -> None:
    """R90"""
    text = "Unhandled\n" + "\tat a.b.C(C.java:1)\n" * 200 + "Caused by: java.net.ConnectException: refused\n\tat x"
    (item,) = items(entry(text, 1, Level.ERROR))
    assert text.startswith(item["example"])
    assert 500 < len(item["example"]) <= 800
    assert item["cause"] == "Caused by: java.net.ConnectException: refused"


# ---------------------------------------------------------------- citing


def call(*entries: Entry) -> ToolInvocation:
    told = survey(surveyed(*entries))
    output = json.dumps({"success": True, "items": told.items, "total": told.total, "truncated": True})
    details = extract_evidence("survey_logs", output, base=RetrievalDetails())
    return ToolInvocation(
        id=21, session_id="s1", tool_name="survey_logs", success=True, output=output, retrieval_details=details
    )


def test_an_example_can_be_quoted_and_a_shape_cannot() -> None:
    """R24, R90: a shape with its placeholders is no text of the source."""
    calls = (call(OLD, entry("pool 7 is full, waiting 32 of 50", 10, Level.ERROR)),)
    for excerpt, fault in (
        ("pool 7 is full, waiting 32 of 50", None),
        ("count=1, first=2031-05-01T10:10:00Z", None),
        ("pool <any> is full, waiting <any> of <any>", EXCERPT_MISMATCH),
        ("message_shape=pool <any> is full", EXCERPT_MISMATCH),
        ("<any> is full, waiting", EXCERPT_MISMATCH),
    ):
        result = check(claim(binding(excerpt, "$.items[0]", 21, "survey_logs")), calls=calls)
        assert result.checked_bindings[0].rule == fault, excerpt


def test_the_refs_of_a_survey_hold_no_shape_and_no_summary() -> None:
    """R20, R90: a digest of shapes proves nothing absent."""
    refs = call(OLD, entry("pool 7 is full", 10, Level.ERROR)).retrieval_details.evidence_refs or ()
    assert [ref.raw_path for ref in refs] == ["$.items[0]"]
    assert "<any>" not in refs[0].text
    assert refs[0].text.endswith("new=true, before=0, example=pool 7 is full")


def test_secrets_in_examples_shapes_and_changes_are_masked() -> None:
    """R22, R90"""
    told = items(
        OLD,
        entry("login failed password=hunter2horse", 10, Level.ERROR),
        entry("config reloaded password=hunter2horse", -10),
    )
    masked, counts = mask_output(json.dumps(told))
    assert "hunter2horse" in json.dumps(told)
    assert "hunter2horse" not in masked
    assert sum(counts.values()) >= 2


def test_an_onset_is_of_what_is_frequent() -> None:
    """R90: an error that stood alone before is none."""
    alone = entry("webhook abandoned", 5, Level.ERROR, "mail-api")
    begun = survey(surveyed(OLD, alone, *(entry("pool is full", at, Level.ERROR) for at in range(20, 26))))
    assert begun.onset == TEN + timedelta(minutes=20)


def test_what_is_said_for_the_first_time_before_the_onset_is_told_whatever_its_level() -> None:
    """R90: of other services too; not what another pod or client has said before, and not what came long before."""
    before = [entry("job 7 done", at, service="batch-1") for at in (-90, -60)]
    told = items(
        *before,
        OLD,
        entry("page shown", -50, service="shop-web"),
        entry("bulk import started, 90000 rows", 18, service="shop-web"),
        entry("theme changed", 1, service="shop-web"),
        entry("job 8 done", 19, service="batch-1"),
        *(entry("pool is full", at, Level.ERROR) for at in (20, 21, 22)),
        service="till-api",
    )
    assert [one["example"] for one in told if one.get("elsewhere")] == ["bulk import started, 90000 rows"]


def test_a_change_that_is_routine_comes_last() -> None:
    """R90: what was restarted every ten minutes before is no news."""
    routine = [entry("restarted worker", at) for at in (-60, -50, -40, -30, 19)]
    told = items(OLD, *routine, entry("configuration reloaded", 10), entry("full", 20, Level.ERROR))
    assert next(one["example"] for one in told if one["kind"] == "change") == "configuration reloaded"
