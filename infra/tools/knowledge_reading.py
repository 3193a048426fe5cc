"""What a reading process does for the knowledge base: the documents of its folders are read, cut up and searched."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from domain.evidence.coverage import UnreadReason
from infra.tools.documents import Document, Left, Listing, Place, is_markdown, list_documents, read_documents
from infra.tools.knowledge_index import KnowledgeIndex
from infra.tools.markdown import Block, parsed

MAP_CHARACTERS = 8_000
"""The planner's map is cut behind this size, with a note of how many documents are missing from it."""
_TITLE_CHARACTERS = 400  # of all titles of one document in the map


@dataclass(frozen=True, slots=True)
class Closed:
    """A place that could not be opened, and what is wrong with it."""

    name: str
    problem: str


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of a place."""

    name: str
    documents: int


@dataclass(frozen=True, slots=True)
class Shown:
    title: str
    source: str
    content: str
    layer: str


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The best hits, how many there are of each layer, and the account of what was read."""

    hits: list[Shown] = field(default_factory=list)
    exact: int = 0
    told: int = 0
    read: list[Read] = field(default_factory=list)
    unread: list[Left] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    closed: list[Closed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mapped:
    """`text` None: nothing has changed since `signature`."""

    signature: str
    text: str | None


class _Base:
    """What is known of the places in one state of them. Documents are taken in as there is time for them; `unsure`:
    those that were not understood throughout."""

    def __init__(self, listings: Sequence[tuple[Place, Listing]]) -> None:
        self.index = KnowledgeIndex()
        self.unsure: list[str] = []
        self.documents = dict.fromkeys((place.name for place, _ in listings), 0)
        self._unread = [one for _, listing in listings for one in listing.unread]
        self._waiting = {place.prefix + name: None for place, listing in listings for name in listing.names}
        self._blocks = self._read(listings)

    @property
    def unread(self) -> list[Left]:
        return [*self._unread, *(Left(name, UnreadReason.LIMIT) for name in self._waiting)]

    def take_in(self, is_over: Callable[[], bool]) -> None:
        for block in self._blocks:
            self.index.add(block)
            if is_over():
                return

    def _read(self, listings: Sequence[tuple[Place, Listing]]) -> Iterator[Block]:
        for place, listing in listings:
            for one in read_documents(place, listing, lambda: False):
                if isinstance(one, Left):
                    self._unread.append(one)
                else:
                    self.documents[place.name] += 1
                    yield from self._blocks_of(one)
                del self._waiting[one.name]

    def _blocks_of(self, document: Document) -> Iterator[Block]:
        found = parsed(document.name, document.text)
        if not (found.header_read and document.is_sure):
            self.unsure.append(document.name)
        yield from found.blocks


_kept: dict[str, _Base] = {}
"""The last base of this process: it stays until a document changes."""


def look_up(places: Sequence[Place], query: str, most: int, seconds: float) -> LookedUp:
    """What is found in the places; what is not read within the time is named."""
    listings, closed = _listed(places)
    base = _base(listings, seconds)
    hits = base.index.search(query)
    exact = sum(hit.layer == "L0" for hit in hits)
    return LookedUp(
        hits=[Shown(hit.title, hit.block.source, hit.block.content, hit.layer) for hit in hits[:most]],
        exact=exact,
        told=len(hits) - exact,
        read=[Read(place.name, base.documents[place.name]) for place, _ in listings],
        unread=base.unread,
        unsure=base.unsure,
        closed=closed,
    )


def map_of(places: Sequence[Place], known: str, seconds: float) -> Mapped:
    """One line for each document with its titles, unless the places are still in the state `known`."""
    listings, closed = _listed(places)
    signature = _signature(listings, closed)
    if signature == known:
        return Mapped(signature, None)
    is_over = _timer(seconds)
    count = sum(len(listing.files) for _, listing in listings) + len(closed)
    shown: list[str] = []
    size = 0
    for line in _lines(listings, closed, is_over):
        size += len(line) + 1
        if size > MAP_CHARACTERS:
            return Mapped(signature, "\n".join([*shown, f"- （另有 {max(1, count - len(shown))} 个文档未列出）"]))
        shown.append(line)
    return Mapped(signature, "\n".join(shown))


def _lines(
    listings: Sequence[tuple[Place, Listing]], closed: Sequence[Closed], is_over: Callable[[], bool]
) -> Iterator[str]:
    """Documents are read as they are asked for."""
    for place, listing in listings:
        for one in read_documents(place, listing, is_over):
            if isinstance(one, Left):
                yield f"- {one.name}：（未读取）"
                continue
            blocks = parsed(one.name, one.text).blocks
            titles = dict.fromkeys(heading for block in blocks for heading in block.title.split(" / "))
            if titles:
                yield f"- {one.name}：{_shortened('；'.join(titles))}"
    yield from (f"- {one.name}：（无法读取）" for one in closed)


def problem_of(place: Place) -> str | None:
    """What is wrong with a place before a session is started on it."""
    try:
        listing = list_documents(place, is_markdown)
    except OSError as error:
        return str(error)
    return None if listing.files else f"{place.path} holds nothing to read"


def _listed(places: Sequence[Place]) -> tuple[list[tuple[Place, Listing]], list[Closed]]:
    listings: list[tuple[Place, Listing]] = []
    closed: list[Closed] = []
    for place in places:
        try:
            listing = list_documents(place, is_markdown)
        except OSError as error:
            closed.append(Closed(place.name, str(error)))
            continue
        if listing.files or listing.unread:
            listings.append((place, listing))
        else:
            closed.append(Closed(place.name, f"no Markdown file below {place.path}"))
    return listings, closed


def _base(listings: Sequence[tuple[Place, Listing]], seconds: float) -> _Base:
    signature = _signature(listings, ())
    if signature not in _kept:
        _kept.clear()
        _kept[signature] = _Base(listings)
    _kept[signature].take_in(_timer(seconds))
    return _kept[signature]


def _signature(listings: Sequence[tuple[Place, Listing]], closed: Sequence[Closed]) -> str:
    told = [f"{place.prefix}\0{place.path}\0{listing.signature}" for place, listing in listings]
    told += [f"{one.name}\0{one.problem}" for one in closed]
    return sha256("\n".join(told).encode("utf-8", "replace")).hexdigest()


def _timer(seconds: float) -> Callable[[], bool]:
    until = time.monotonic() + seconds
    return lambda: time.monotonic() >= until


def _shortened(text: str) -> str:
    return text if len(text) <= _TITLE_CHARACTERS else f"{text[:_TITLE_CHARACTERS]}…"
