"""Searches as decisions over entries: selected, excluded for what was understood, or a doubt (R68)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from domain.evidence.coverage import DoubtKind, Unread, UnreadReason
from domain.evidence.input_search import Account, InputSearch
from domain.evidence.log_answer import LogAnswer, SearchedInput, answer_of
from domain.evidence.search import By, Condition, Entry, Header, Place, Stamp
from domain.evidence.window import Window
from domain.language.levels import Level

TEN = datetime(2031, 5, 1, 10, 0, tzinfo=UTC)
HOUR = Window(TEN, TEN + timedelta(hours=1))
MINUTE = timedelta(minutes=1)
OWN = Place(names=("till-api",))


class Holds:
    """The word that is sought."""

    def __init__(self, word: str) -> None:
        self.word = word

    def stand_in(self, form: str) -> bool:
        return self.word in form


def entry(
    text: str = "deadlock found",
    minutes: float | None = 5,
    *,
    zone_known: bool = True,
    level: Level | None = Level.ERROR,
    has_levels: bool | None = True,
    names: tuple[str, ...] = (),
    hints: tuple[str, ...] = (),
    labels: tuple[str, ...] = (),
    is_whole: bool = True,
    repeated: tuple[str, ...] = (),
    message: str = "",
    other_levels: tuple[Level, ...] = (),
) -> Entry:
    """`minutes` after the beginning of the window; None: undated."""
    stamp = None if minutes is None else Stamp(TEN + minutes * MINUTE, zone_known)
    header = Header(level, "", names, (*hints, *labels), message or text, repeated, labels, other_levels)
    return Entry(1, stamp, text, lambda: header, is_whole=is_whole, has_levels=has_levels)


def account(
    *entries: Entry,
    service: str = "",
    level: Level | None = None,
    word: str = "",
    place: Place = OWN,
    window: Window = HOUR,
    zone: timezone = UTC,
    last_change: datetime | None = None,
    limit: int = 20,
    name: str = "till.log",
    keeps_keys: bool = False,
) -> Account:
    condition = Condition(window, service, level, Holds(word) if word else None)
    search = InputSearch(condition, place, zone=zone, limit=limit, keeps_keys=keeps_keys)
    search.read(entries)
    return search.finish(name, last_change)


def became_of(only: Account) -> By | DoubtKind | str:
    """What became of the one entry of a search."""
    if only.matched:
        return "selected"
    return next(iter([*only.excluded, *only.doubts]))


# ---------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("given", "then"),
    [
        (entry("DeadLock found"), "selected"),
        (entry("all well"), By.WORDS),
        (entry("ｄｅａｄlock found"), "selected"),
        (entry("dead\u200block found"), "selected"),
        (entry("\x1b[31mdead\x1b[0mlock found"), "selected"),
        (entry('{"m":"dead\\u006cock"}', message="deadlock"), "selected"),
        (entry("all we", is_whole=False), DoubtKind.TEXT),
        (entry("all we", -5, is_whole=False), By.TIME),
        (entry("all we", is_whole=False, names=("other-api",)), By.SERVICE),
    ],
)
def test_words_exclude_only_where_the_text_was_read_wholly(given: Entry, then: object) -> None:
    """R68: sought in the folded form, in the raw text and in the fields; cut text is a doubt if its time may fit."""
    place = Place() if given.header.names else Place(names=("till-api",))
    assert became_of(account(given, word="deadlock", service="till-api", place=place)) == then


# ---------------------------------------------------------------- levels


@pytest.mark.parametrize(
    ("given", "then"),
    [
        (entry(level=Level.ERROR), "selected"),
        (entry(level=Level.FATAL), "selected"),
        (entry(level=Level.WARN), By.LEVEL),
        (entry(level=Level.INFO, other_levels=(Level.ERROR,)), DoubtKind.LEVEL),
        (entry(level=Level.INFO, other_levels=(Level.WARN,)), By.LEVEL),
        (entry("connection refused", level=None, has_levels=False), "selected"),
        (entry("GET /orders 200", level=None, has_levels=False), By.LEVEL),
        (entry("something", level=None, has_levels=None), DoubtKind.LEVEL),
        (entry("started\n    ERROR no route", level=Level.INFO), DoubtKind.LEVEL),
        (entry("started\n    at x.Error.run", level=Level.INFO), By.LEVEL),
        (entry("something", level=None, has_levels=True), DoubtKind.LEVEL),
        (entry("10:05 | ERROR | something", level=None, has_levels=None), "selected"),
        (entry("10:05 | INFO | something", level=None, has_levels=None), DoubtKind.LEVEL),
    ],
)
def test_a_level_excludes_only_where_it_was_understood(given: Entry, then: object) -> None:
    """R68: the worse levels count too; a format without levels shows failures; what is not known is a doubt."""
    assert became_of(account(given, level=Level.ERROR)) == then


# ---------------------------------------------------------------- services


@pytest.mark.parametrize(
    ("given", "place", "then"),
    [
        (entry(names=("till-api",)), Place(), "selected"),
        (entry(names=("till-api-7d9f8b6c5-abcde",)), Place(), "selected"),
        (entry(names=("other-api",)), Place(), By.SERVICE),
        (entry(names=("till-api-canary",)), Place(), DoubtKind.SERVICE),
        (entry(), Place(names=("TillApi",)), "selected"),
        (entry(), Place(names=("gc-log", "till-api")), "selected"),
        (entry(), Place(names=("other-api",)), By.SERVICE),
        (entry(names=("other-api",)), Place(names=("till-api",)), "selected"),
        (entry(hints=("till-api",)), Place(names=("other-api",)), "selected"),
        (entry(hints=("org.shop.Repository",)), Place(names=("till-api",)), "selected"),
        (entry(hints=("org.shop.Repository",)), Place(), DoubtKind.SERVICE),
        (entry(), Place(), DoubtKind.SERVICE),
        (entry("till-api: deadlock found"), Place(), "selected"),
    ],
)
def test_a_service_excludes_only_by_a_name_of_another(given: Entry, place: Place, then: object) -> None:
    """R68: the line's, the file's or the folder's; where none names one it is a doubt."""
    assert became_of(account(given, service="till-api", place=place)) == then


@pytest.mark.parametrize(
    ("given", "place", "then"),
    [
        (entry("Out of memory: Killed process 12 (till-api) deadlock", names=("kernel",)), Place(), "selected"),
        (entry("till-api.service: deadlock", names=("systemd",)), Place(), "selected"),
        (entry("deadlock in container till_api", names=("kubelet",)), Place(), "selected"),
        (entry("deadlock in container till-api"), Place(names=("containerd",)), "selected"),
        (entry("Killed process 12 (java) deadlock", names=("kernel",)), Place(), DoubtKind.SERVICE),
        (entry("oom-kill: deadlock task=python3,pid=1", names=("kernel",)), Place(), DoubtKind.SERVICE),
        (entry("Killed process 12 (other-api) deadlock", names=("kernel",)), Place(), By.SERVICE),
        (entry("deadlock on eth0", names=("kernel",)), Place(), By.SERVICE),
        (entry("call of till-api ended in a deadlock", names=("other-api",)), Place(), By.SERVICE),
    ],
)
def test_what_runs_a_service_writes_of_it(given: Entry, place: Place, then: object) -> None:
    """R68: the kernel kills it, systemd says that it failed; a process called by its runtime may be it."""
    assert became_of(account(given, service="till-api", word="deadlock", place=place)) == then


def test_the_kernel_cuts_the_name_of_a_process() -> None:
    """R68."""
    killed = entry("Out of memory: Killed process 12 (inventory-servi)", names=("kernel",))
    assert became_of(account(killed, service="inventory-service", place=Place())) == "selected"


def test_a_name_in_brackets_is_a_services_where_the_one_asked_for_stands_there_too() -> None:
    """R68: else it may be a thread or a logger, and is a doubt."""
    other = entry(labels=("mail-relay",))
    asked = entry("[till-api] all well", -600, labels=("till-api",))
    mention = entry("[mail-relay] GET till-api", -600, labels=("mail-relay",))

    assert account(asked, other, service="till-api", place=Place()).excluded[By.SERVICE] == 1
    assert account(other, asked, service="till-api", place=Place()).excluded[By.SERVICE] == 1
    assert list(account(mention, other, service="till-api", place=Place()).doubts) == [DoubtKind.SERVICE]
    assert list(account(other, service="till-api", place=Place()).doubts) == [DoubtKind.SERVICE]


# ---------------------------------------------------------------- time


@pytest.mark.parametrize(
    ("given", "then"),
    [
        (entry(minutes=0), "selected"),
        (entry(minutes=60), "selected"),
        (entry(minutes=-1), By.TIME),
        (entry(minutes=61), By.TIME),
        (entry(minutes=5, zone_known=False), "selected"),
        (entry(minutes=-7 * 60, zone_known=False), DoubtKind.ZONE),
        (entry(minutes=8 * 60, zone_known=False), DoubtKind.ZONE),
        (entry(minutes=-15 * 60, zone_known=False), By.TIME),
        (entry(minutes=16 * 60, zone_known=False), By.TIME),
        (entry("all well", minutes=-7 * 60, zone_known=False), By.WORDS),
    ],
)
def test_a_stamp_excludes_only_where_no_zone_brings_it_in(given: Entry, then: object) -> None:
    """R68: of a known zone at once; of an assumed one if none from −12 to +14 h brings it into the window."""
    assert became_of(account(given, word="deadlock")) == then


def test_an_undated_entry_between_two_in_the_window_is_selected_without_a_time() -> None:
    """R68: bounded by its dated neighbours."""
    found = account(entry("start", 1), entry(minutes=None), entry("end", 2), word="deadlock")

    assert found.matched == 1
    assert "timestamp" not in found.found[0].row()


def test_an_undated_entry_between_two_before_the_window_is_excluded() -> None:
    """R68."""
    found = account(entry("start", -9), entry(minutes=None), entry("end", -8), word="deadlock")

    assert (found.matched, found.excluded[By.TIME], found.doubts) == (0, 3, {}), "with its neighbours"


def test_an_undated_entry_across_the_edge_of_the_window_is_a_doubt() -> None:
    """R68."""
    found = account(entry("start", -9), entry("deadlock !", None), entry("end", 8), word="deadlock")

    assert found.doubts == {DoubtKind.TIME: (1, "deadlock !")}


def test_neighbours_place_nothing_where_the_stamps_are_out_of_order() -> None:
    """R68."""
    found = account(entry("a", 9), entry(minutes=None), entry("b", 10), entry("c", 1), word="deadlock")

    assert list(found.doubts) == [DoubtKind.TIME]


def test_neighbours_of_an_assumed_zone_exclude_nothing_that_another_zone_brings_in() -> None:
    """R68."""
    before = [entry("a", -90, zone_known=False), entry(minutes=None), entry("b", -80, zone_known=False)]

    assert list(account(*before, word="deadlock").doubts) == [DoubtKind.TIME]


def test_the_last_change_of_a_file_bounds_what_stands_undated_at_its_end() -> None:
    """R68, R69: unless the stamps contradict it."""
    lines = [entry("a", -60), entry(minutes=None)]

    assert account(*lines, word="deadlock", last_change=TEN - 30 * MINUTE).excluded[By.TIME] == 2
    assert list(account(*lines, word="deadlock", last_change=TEN + MINUTE).doubts) == [DoubtKind.TIME]
    assert list(account(*lines, word="deadlock", last_change=TEN - 90 * MINUTE).doubts) == [DoubtKind.TIME]


def test_without_a_beginning_the_window_reaches_back_for_ever() -> None:
    """R70: "ever"."""
    ever = Window(None, TEN)

    assert account(entry(minutes=-(10**6)), word="deadlock", window=ever).matched == 1
    assert account(entry(minutes=None), word="deadlock", window=ever, last_change=TEN).matched == 1


# ---------------------------------------------------------------- records


def test_a_field_that_stands_twice_does_not_exclude() -> None:
    """R68: its other value may be what is sought."""
    found = account(entry(level=Level.INFO, repeated=("level",)), level=Level.ERROR)

    assert list(found.doubts) == [DoubtKind.REPEATED_KEY]


def test_the_newest_are_kept_and_all_are_counted() -> None:
    """R4."""
    found = account(*(entry(f"deadlock {n}", n) for n in range(30)), word="deadlock", limit=2)

    assert (found.matched, [one.message for one in found.found]) == (30, ["deadlock 28", "deadlock 29"])


def test_a_row_tells_the_service_asked_for_and_what_the_entry_calls_it() -> None:
    """R18."""
    (found,) = account(entry(names=("till-api-7d9f8b6c5-abcde",)), service="till-api", place=Place()).found

    assert found.row() == {
        "timestamp": "2031-05-01T10:05:00Z",
        "level": "ERROR",
        "service": "till-api",
        "instance": "till-api-7d9f8b6c5-abcde",
        "message": "deadlock found",
    }


def test_a_row_tells_which_overseer_wrote_of_the_service() -> None:
    """R18: what the kernel says of it is not its own."""
    (found,) = account(entry("deadlock of till-api", names=("kernel",)), service="till-api", place=Place()).found

    assert (found.service, found.instance) == ("till-api", "kernel")


# ---------------------------------------------------------------- the answer over all inputs


def answer(
    *accounts: Account, service: str = "", limit: int = 20, families: str = "", closed: tuple[str, ...] = ()
) -> LogAnswer:
    """`families`: a letter an input."""
    searched = [
        SearchedInput(account=one, format="iso", zone="", zone_assumed=False, family=families[n : n + 1] or one.name)
        for n, one in enumerate(accounts)
    ]
    unread = [Unread(name=name, reason=UnreadReason.PERMISSION, could_match=True) for name in closed]
    return answer_of(Condition(HOUR, service), (), searched, unread, {}, limit=limit)


def test_an_entry_of_a_rotated_copy_counts_once() -> None:
    """R69: a file and its compressed copy."""
    lines = [entry("deadlock 1", 1), entry("deadlock 2", 2), entry("deadlock 2", 2)]
    old = account(*lines, word="deadlock", name="till.log.1.gz", keeps_keys=True)
    new = account(*lines, entry("deadlock 3", 3), word="deadlock", keeps_keys=True)
    found = answer(old, new, families="tt")

    assert (found.total, [one.message[-1] for one in found.found]) == (4, ["1", "2", "2", "3"])
    assert [(one.by, one.count) for one in found.coverage.excluded] == [("duplicate", 3)]


def test_rotated_files_of_other_times_are_no_copies() -> None:
    """R69: what stands in one cannot stand in the other; an undated one may hold anything."""
    old = account(entry("deadlock 1", 1), entry("deadlock 1", 2), word="deadlock", name="till.log.1", keeps_keys=True)
    new = account(entry("deadlock 1", 3), entry("deadlock 1", 9), word="deadlock", keeps_keys=True)
    copy = account(entry("deadlock 1", 2), word="deadlock", name="till.log.1.gz", keeps_keys=True)

    assert answer(old, new, families="tt").total == 4
    assert answer(old, new, copy, families="ttt").total == 4


def test_the_same_line_of_two_services_counts_twice() -> None:
    """R69."""
    one = account(entry(), word="deadlock", keeps_keys=True)
    other = account(entry(), word="deadlock", name="other.log", keeps_keys=True)

    assert answer(one, other, families="to").total == 2


def test_a_service_that_nothing_names_is_unknown_there() -> None:
    """R71: with the nearest names, and no absence."""
    found = answer(account(entry("all well"), service="til-api", word="deadlock"), service="til-api")

    (doubt,) = found.coverage.doubts
    assert (doubt.kind, doubt.unknown, doubt.nearest) == (DoubtKind.SERVICE, "til-api", ("till-api",))
    assert not found.coverage.complete


def test_a_service_that_some_line_is_of_at_any_time_is_known() -> None:
    """R71: in its text, where neither line nor file is another's, as systemd writes of a unit."""
    found = account(entry("cart-api.service: Started", -600), service="cart-api", word="deadlock", place=Place())

    assert answer(found, service="cart-api").coverage.complete


def test_a_service_that_only_others_speak_of_is_unknown_there() -> None:
    """R71: its own log does not lie there, so that it says nothing there is no absence."""
    found = answer(account(entry("calling cart-api", -600), service="cart-api", word="deadlock"), service="cart-api")

    assert [doubt.unknown for doubt in found.coverage.doubts] == ["cart-api"]


@pytest.mark.parametrize(
    ("names", "asked", "unknown"),
    [
        (("till-api",), "til-api", True),
        (("till-api",), "cart-api", True),
        (("till-api",), "till-api", False),
        (("till-svc",), "till-service", False),
        ((), "cart-api", False),
        (("app",), "cart-api", False),
    ],
)
def test_a_file_of_a_generic_name_knows_the_services_of_its_lines(
    names: tuple[str, ...], asked: str, unknown: bool
) -> None:
    """R71: app.log names none; where its lines do not either, it may be of any service."""
    only = account(entry(names=names), service=asked, word="starvation", place=Place(hints=("app",)))
    assert [doubt.unknown for doubt in answer(only, service=asked).coverage.doubts] == [asked] * unknown


def test_what_stands_under_another_name_is_no_absence_of_an_unknown_service() -> None:
    """R71: also where an input that names none holds nothing of it; at a lower level it does not count."""
    unnamed = account(entry("all well"), service="crash", word="deadlock", place=Place())
    named = account(entry(), service="crash", word="deadlock")
    quiet = account(entry(level=Level.INFO), service="crash", word="deadlock", level=Level.ERROR)

    assert [one.unknown for one in answer(unnamed, named, service="crash").coverage.doubts] == ["crash"]
    assert answer(unnamed, quiet, service="crash").coverage.complete


def test_a_service_that_may_stand_in_what_could_not_be_read_is_not_unknown() -> None:
    """R69, R71: the doubt is the unread input, that of the service first."""
    found = answer(
        account(entry("all well"), service="nginx", word="deadlock"),
        service="nginx",
        closed=("auth.log", "nginx/access.log", "syslog"),
    )

    assert [(one.kind, one.unknown, one.input) for one in found.coverage.doubts] == [
        (DoubtKind.INPUT, "", "nginx/access.log")
    ]


def test_the_coverage_counts_everything() -> None:
    """R69."""
    found = answer(
        account(entry(minutes=1), entry(minutes=-600), entry("all well", 2), word="deadlock"),
        account(entry("late", 3), word="deadlock", name="b.log"),
    )

    counts = found.coverage.counts
    assert (counts.inputs, counts.entries, counts.matched, counts.returned) == (2, 4, 1, 1)
    assert {one.by: one.count for one in found.coverage.excluded} == {"time": 1, "words": 2}
    assert [(one.name, one.entries, one.first, one.last) for one in found.coverage.inputs] == [
        ("till.log", 3, "2031-05-01T00:00:00Z", "2031-05-01T10:02:00Z"),
        ("b.log", 1, "2031-05-01T10:03:00Z", "2031-05-01T10:03:00Z"),
    ]
