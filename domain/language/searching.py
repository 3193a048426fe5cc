"""What else shows the thing that is searched for (R20, R68): 死锁 is deadlock, OOM is OOMKilled and "Out of memory".

A name in Latin letters that stands in no row is sought literally, and so is one that merely holds a word of a row
(PaymentTimeoutHandler is no other timeout). Chinese words and phrases are of every concept that they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from domain.language.concepts import EVENTS, MANNERS, MERE, THINGS, Concept
from domain.language.finder import Finder
from domain.language.form import search_form
from domain.language.shapes import status_shape

CONCEPTS: tuple[Concept, ...] = (*THINGS, *EVENTS)

_STATUS_ASKED = re.compile(
    r"(?:http|status(?:\s?code)?|状态码|响应码|返回码)[\s:=为]{0,2}(?P<after>[1-5](?:\d\d|xx))"
    r"|(?P<before>[1-5](?:\d\d|xx))\s?(?:错误|响应|状态码?|errors?|responses?|status(?:\s?codes?)?)|(?P<alone>[1-5]xx)"
)
_APART = re.compile(r"[\s_-]+")
_BLANKS = re.compile(r"[ \t\r\n]+")


@dataclass(frozen=True, slots=True)
class _Name:
    concept: Concept
    shows: bool
    pattern: re.Pattern[str]


def concept_of(term: str) -> Concept | None:
    """The concept that a term names: the one whose longest name stands in it. None if it names none."""
    return next(iter(concepts_of(term)), None)


@lru_cache(maxsize=4096)
def concepts_of(term: str) -> tuple[Concept, ...]:
    """Every concept that a term names or asks for, that of the longest name first. A name inside a longer one does not
    count: a memory leak is not memory. How something went (failed, slow) is one only by itself."""
    whole = search_form(term).strip()
    manners = tuple(m for m in MANNERS if any(search_form(name) == whole for name in (*m.names, *m.asks)))
    return _found(term, _names()) + manners


def names_a_mere_thing(term: str) -> bool:
    """Whether a term names a thing that things happen to: a database, a disk, memory; not what happened."""
    form = search_form(term)
    return any(form == search_form(name) for name in _mere_things())


@cache
def _mere_things() -> frozenset[str]:
    return frozenset(name for thing in THINGS if thing.name in MERE for name in (*thing.names, *thing.asks))


def concepts_named_in(text: str) -> tuple[Concept, ...]:
    """Every concept that a text names; not what it merely asks for."""
    return _found(text, (name for name in _names() if name.shows))


def manners_in(text: str) -> tuple[Concept, ...]:
    """How a text says that something is or went."""
    return _found(text, _names_of(MANNERS))


def _found(text: str, names: Iterable[_Name]) -> tuple[Concept, ...]:
    rest, found = search_form(text), []
    for name in names:
        if name.pattern.search(rest):
            found.append(name.concept)
            rest = name.pattern.sub(" ", rest)
    return tuple(dict.fromkeys(found))


def alternatives(term: str) -> tuple[str, ...]:
    """The term, then every other name that shows the same thing in a log, or a case of it. Statuses and exit codes,
    which no word tells, are found by `finder_of` alone."""
    told: dict[str, str] = {}
    for name in (term, *(name for concept in _with_cases(concepts_of(term)) for name in concept.names)):
        told.setdefault(search_form(name), name)
    return tuple(told.values())


@lru_cache(maxsize=1024)
def finder_of(term: str) -> Finder:
    """What finds a term, or anything that shows the same thing, in the search form of a text."""
    concepts = _with_cases(concepts_of(term))
    shapes = [shape for concept in concepts for shape in concept.shapes]
    if asked := _STATUS_ASKED.fullmatch(search_form(term)):
        shapes.append(status_shape(next(filter(None, asked.groups())).replace("x", r"\d")))
    names = (_shown_by(name) for concept in concepts for name in concept.names)
    return Finder("|".join(dict.fromkeys([_literal(term), *names, *shapes])))


@lru_cache(maxsize=1024)
def quoted_finder_of(words: str) -> Finder:
    """What finds words that somebody has quoted: as they stand. Only what is wholly a known name or a status is found
    by whatever shows it, too: "deadlock", "HTTP 502", not "cache miss storm"."""
    is_known = is_known_name(words) or _STATUS_ASKED.fullmatch(search_form(words)) is not None
    return finder_of(words) if is_known else Finder(_literal(words))


def is_known_name(words: str) -> bool:
    """Whether the words are a name of a concept and nothing more, in the plural or not."""
    form = search_form(words).strip()
    return any(one in _known_names() for one in (form, form.removesuffix("s"), form.removesuffix("es")))


@cache
def _known_names() -> frozenset[str]:
    return frozenset(search_form(name) for one in (*CONCEPTS, *MANNERS) for name in (*one.names, *one.asks))


def phrases() -> tuple[str, ...]:
    """The names of several words, the longest first: a query is not split within one."""
    names = (name for concept in CONCEPTS for name in (*concept.names, *concept.asks) if " " in name)
    return tuple(sorted(names, key=len, reverse=True))


def _with_cases(concepts: Iterable[Concept]) -> list[Concept]:
    found = list(concepts)
    for concept in found:  # grows while it is read
        found += [case for case in CONCEPTS if case.name in concept.holds and case not in found]
    return found


@cache
def _names() -> tuple[_Name, ...]:
    return _names_of(CONCEPTS)


@cache
def _names_of(concepts: tuple[Concept, ...]) -> tuple[_Name, ...]:
    """Every name that shows or asks for a concept, the longest first."""
    rows = [(name, concept, True) for concept in concepts for name in concept.names]
    rows += [(name, concept, False) for concept in concepts for name in concept.asks]
    rows.sort(key=lambda row: -len(row[0]))
    return tuple(_Name(concept, shows, re.compile(_asked_by(name))) for name, concept, shows in rows)


def _asked_by(name: str) -> str:
    """A Latin name must stand whole, in the plural too; blanks, hyphens and underscores are one."""
    loose = _loose(name)
    before = r"(?<![a-z0-9_])" if name[0].isascii() else ""
    after = r"(?:e?s)?(?![a-z0-9_])" if name[-1].isascii() else ""
    return f"{before}{loose}{after}"


def _shown_by(name: str) -> str:
    """A short word like GC or OOM must stand alone; a longer one may stand inside a name, however it is joined."""
    return _alone(name, _loose(name))


def _literal(term: str) -> str:
    """A term as it is written; only the width of its blanks does not count, and no digit goes on at its ends."""
    form = search_form(term).strip(" \t\r\n")
    literal = r"\s+".join(re.escape(part) for part in _BLANKS.split(form))
    before = r"(?<!\d)" if form[:1].isdecimal() else ""
    after = r"(?!\d)" if form[-1:].isdecimal() else ""
    return _alone(form, f"{before}{literal}{after}")


def _alone(name: str, expression: str) -> str:
    is_short = len(name) <= 3 and name.isascii() and name.isalnum()
    return rf"(?<![a-z0-9]){expression}(?![a-z0-9])" if is_short else expression


def _loose(name: str) -> str:
    parts = [re.escape(part) for part in _APART.split(search_form(name)) if part]
    return r"[\s_-]{0,3}".join(parts) or re.escape(search_form(name))
