"""The answer of a log search over all its inputs: the newest entries that were found, and the coverage (R69)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from domain.evidence.coverage import (
    MOST_NAMED,
    Coverage,
    Doubt,
    DoubtKind,
    Excluded,
    InputRead,
    Sought,
    Unread,
    coverage_of,
)
from domain.evidence.input_search import Account, Found, keys_of
from domain.evidence.search import By, Condition
from domain.evidence.window import utc_text
from domain.language.levels import name_of
from domain.language.services import Kinship, is_generic, kinship, names_of_file, nearest

_SHOWN_NAMES = 5


@dataclass(frozen=True, slots=True)
class SearchedInput:
    """An account with what the reader knows besides: how the input is written, and of which family of copies it is."""

    account: Account
    format: str
    zone: str  # of stamps without one; "" where every stamp has one
    zone_assumed: bool
    family: str


@dataclass(frozen=True, slots=True)
class LogAnswer:
    """`found`: the newest, oldest first. `newest`: the time of the newest entry of all inputs, None without any."""

    found: tuple[Found, ...]
    total: int
    coverage: Coverage
    newest: datetime | None


def answer_of(
    condition: Condition,
    words: Sequence[str],
    searched: Sequence[SearchedInput],
    unread: Sequence[Unread],
    left_out: Mapping[str, int],
    *,
    limit: int,
    most_named: int = MOST_NAMED,
) -> LogAnswer:
    """`words`: as the search was asked for them. `left_out`: inputs that the operator excluded, by glob."""
    accounts = [one.account for one in searched]
    often = Counter(one.reason for one in unread if one.could_match)
    unread = sorted(unread, key=lambda one: (not _is_named(one, condition.service), -often[one.reason]))
    doubles = _doubles(searched)
    total = sum(account.matched for account in accounts) - doubles
    found = _newest(searched, limit)
    excluded = Counter({By.DUPLICATE: doubles})
    for account in accounts:
        excluded.update(account.excluded)
    coverage = coverage_of(
        window=str(condition.window),
        sought=Sought(
            services=(condition.service,) if condition.service else (),
            levels=tuple(map(name_of, condition.levels)),
            words=tuple(words),
        ),
        inputs=map(_told, searched),
        unread=unread,
        excluded=[
            *(Excluded(by=by, count=excluded[by]) for by in By),
            *(Excluded(by=f"exclude {glob}", count=count) for glob, count in left_out.items()),
        ],
        doubts=[*_doubts(accounts), *_unknown_service(condition.service, accounts, unread)],
        entries=sum(account.entries for account in accounts),
        matched=total,
        returned=len(found),
        most_named=most_named,
    )
    newest = max((account.last for account in accounts if account.last), default=None)
    return LogAnswer(tuple(found), total, coverage, newest)


def _told(one: SearchedInput) -> InputRead:
    account = one.account
    return InputRead(
        name=account.name,
        format=one.format,
        entries=account.entries,
        first=utc_text(account.first) if account.first else "",
        last=utc_text(account.last) if account.last else "",
        zone=one.zone,
        zone_assumed=one.zone_assumed,
        year_assumed=account.year_assumed,
    )


def _doubts(accounts: Sequence[Account]) -> list[Doubt]:
    counts: Counter[DoubtKind] = Counter()
    examples: dict[DoubtKind, tuple[str, str]] = {}
    for account in accounts:
        for kind, (count, example) in account.doubts.items():
            counts[kind] += count
            examples.setdefault(kind, (example, account.name))
    yearless = {DoubtKind.TIME: sum(account.yearless for account in accounts)}
    return [
        Doubt(
            kind=kind,
            count=counts[kind],
            example=examples[kind][0],
            input=examples[kind][1],
            yearless=yearless.get(kind, 0),
        )
        for kind in DoubtKind
        if counts[kind]
    ]


def _is_named(unread: Unread, service: str) -> bool:
    """Whether the path of an unread input names the service: it is the one that matters."""
    parts = [part for part in unread.name.split("/") if part] if service and unread.could_match else []
    return any(kinship(name, service) is Kinship.SAME for part in parts for name in names_of_file(part))


def _unknown_service(service: str, accounts: Sequence[Account], unread: Sequence[Unread]) -> list[Doubt]:
    """A name that no input, folder or line has ever had is unknown there, and not absent (R71). An input that nothing
    names, or that could not be read, may be of any service: then the names cannot be listed, unless one of them is
    nearly the one asked for, or is a plain word, which may be no name, and what was sought stands there under others.
    """
    if not service or any(account.knows_service for account in accounts):
        return []
    names = [[name for name in account.names if not is_generic(name)] for account in accounts if account.entries]
    known = list(dict.fromkeys(name for one in names for name in one))
    near = nearest(service, known)[:_SHOWN_NAMES]
    is_known = any(kinship(name, service) is Kinship.SAME for name in known)
    if is_known or any(_is_named(one, service) for one in unread):
        return []
    is_listed = all(names) and not any(one.could_match for one in unread)
    is_elsewhere = service.isalnum() and any(account.is_elsewhere for account in accounts)
    if not (near or is_listed or is_elsewhere):
        return []
    return [Doubt(kind=DoubtKind.SERVICE, count=1, unknown=service, nearest=near)]


# ---------------------------------------------------------------- entries that stand in two inputs


def _copies(searched: Sequence[SearchedInput]) -> list[list[Account]]:
    """Inputs of one family whose entries are of overlapping times: of those one may hold what another does."""
    families: dict[str, list[Account]] = defaultdict(list)
    for one in searched:
        if one.account.keys:
            families[one.family].append(one.account)
    return [group for members in families.values() for group in _overlapping(members) if len(group) > 1]


def _overlapping(members: Sequence[Account]) -> list[list[Account]]:
    """Undated inputs may overlap with any."""
    undated = [account for account in members if account.first is None or account.last is None]
    if undated:
        return [list(members)]
    groups: list[list[Account]] = []
    until: datetime | None = None
    for account in sorted(members, key=lambda one: (one.first, one.last)):
        if until is not None and account.first is not None and account.first <= until:
            groups[-1].append(account)
        else:
            groups.append([account])
        until = max(filter(None, (until, account.last)), default=None)
    return groups


def _doubles(searched: Sequence[SearchedInput]) -> int:
    """How many matches stand in a rotated copy as well: each counts as often as in the input that has it most."""
    doubles = 0
    for members in _copies(searched):
        together, most = Counter[int](), Counter[int]()
        for account in members:
            counts = keys_of(account)
            together.update(counts)
            most |= counts
        doubles += together.total() - most.total()
    return doubles


def _newest(searched: Sequence[SearchedInput], limit: int) -> list[Found]:
    """Over all inputs, each entry of a family of copies once."""
    copies: dict[str, Counter[Found]] = {}
    for one in searched:
        own = Counter(one.account.found)
        copies[one.family] = copies.get(one.family, Counter()) | own
    found = [entry for family in copies.values() for entry in family.elements()]
    return sorted(found, key=lambda entry: entry.sorted_at)[-limit:]
