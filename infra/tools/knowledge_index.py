"""Which blocks of a knowledge base answer a query: L0 by a name, a title or a term, L1 by the words of the text.

L0: the query names the document or the section (its file, title, header or heading, however each writes it), is linked
to it, or holds a term that its author declared. L1: a run of words stands in both, as in an error's text; a code or a
name of a program does; all telling words of an alert's name do; or a block holds at least `RELEVANCE_FLOOR` of the
query's words, weighed by rarity. Words that the knowledge base does not know weigh most, so a query about something
else finds nothing rather than the least bad. Of what is found those sections stand first that the query asks for.
"""

from __future__ import annotations

import math
import re
import unicodedata
import warnings
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal
from urllib.parse import unquote

from domain.language.alert_names import parts_of, stem, telling
from domain.language.concepts import MANNERS, MERE
from domain.language.cue import chinese, words_of
from domain.language.form import search_form
from domain.language.searching import concepts_of, finder_of
from domain.language.sections import TITLES, Section, Wanted, is_heading, section_of, wanted_by
from infra.tools.markdown import Block
from infra.tools.stop_words import stop_words

RELEVANCE_FLOOR = 0.4
TITLE_WEIGHT = 2
"""How often the words of a block's title count."""
_MOST_COMPARED = 200  # blocks whose text is compared with the query's, the best by rank
_MOST_LED_TO = 3  # documents found by their text whose sections are added
_LONGEST_NAME = 8  # words
_SHORTEST_NAME = 4  # characters
_SHORTEST_RUN, _TELLING_IN_RUN = 3, 3  # words
_SHORTEST_CHINESE_RUN = 6  # characters
_MOST_TITLES = 5_000  # that are read for what they speak of
_K1, _B = 1.5, 0.75  # of the ranking (Okapi BM25)
_NOWHERE = (array("L"), array("L"))

_CODE_SPAN = re.compile(r"`([^`\n]{3,80})`")
_HEADING_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_./][A-Za-z0-9]+)*")
_SHAPED_LIKE_A_NAME = re.compile(r".[A-Z]|\d|[-_./=: ]")
_NAME = re.compile(r"[a-z0-9]+(?:[-_./=%:][a-z0-9]+)*")
_TOKEN = re.compile(r"[A-Za-z0-9]+|[\u3400-\u9fff]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_CODE = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:[A-Z][A-Za-z]*[a-z][A-Z]\w+|[a-z]+[A-Z]\w+|[A-Z]{5,}|[A-Z]{2,}[-_][A-Z0-9_-]*\d[A-Z0-9]*"
    r"|[A-Z]{3,}(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z0-9]+){2,})(?![A-Za-z0-9_])"
)
"""What programs write and people do not: OutOfMemoryError, ECONNREFUSED, ORA-01555, http_requests_total."""
_URL = re.compile(r"https?://[^\s，。；、）)\"'<>\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A block that answers the query, and the layer it was found in. `title` also holds the declared name by which it
    was found, where neither its headings nor its file show it."""

    block: Block
    layer: Literal["L0", "L1"]
    title: str


class KnowledgeIndex:
    """An index over blocks, which are added once, and which is asked often."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._sections: list[Section | None] = []
        self._terms: list[frozenset[str]] = []
        self._titles: list[frozenset[str]] = []
        self._lengths: list[int] = []
        self._postings: dict[str, tuple[array[int], array[int]]] = {}
        self._names: defaultdict[str, list[int]] = defaultdict(list)
        self._plain_names: defaultdict[str, list[int]] = defaultdict(list)
        self._chinese_names: defaultdict[str, list[int]] = defaultdict(list)
        self._addresses: defaultdict[str, list[int]] = defaultdict(list)
        self._documents: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, block: Block) -> None:
        at = len(self._blocks)
        self._blocks.append(block)
        self._documents[block.document].append(at)
        self._sections.append(section_of(block.title))
        self._titles.append(_titles(block))
        self._terms.append(_terms(block))
        for name, is_plain in _names_of(block):
            named = self._chinese_names if not name.isascii() else self._plain_names if is_plain else self._names
            named[name].append(at)
        for address in block.addresses:
            self._addresses[_address(address)].append(at)
        held = [
            *words(block.title) * TITLE_WEIGHT,
            *words(block.content),
            *_all_parts(f"{block.title} {' '.join(block.names)} {block.content}"),
        ]
        self._lengths.append(len(held))
        counts: dict[str, int] = {}
        for word in held:
            counts[word] = counts.get(word, 0) + 1
        for word, count in counts.items():
            places, times = self._postings.setdefault(word, (array("L"), array("L")))
            places.append(at)
            times.append(count)

    def search(self, query: str) -> list[Hit]:
        """All hits, best first: L0 before L1, what the query asks for first in each, then by rank, then by source."""
        asked = list(dict.fromkeys(words(query)))
        scores = self._scores(dict.fromkeys([*asked, *_all_parts(query)]))
        wanted = wanted_by(query)
        named = self._named(query)
        exact = named or self._declared(query)
        told = self._told(query, asked, scores)
        asked_names = {name for name, _ in _names_in(query)}
        hits = [_exact_hit(self._blocks[at], asked_names) for at in self._ordered(exact, wanted, scores)]
        led_to = self._led_to(told, wanted, scores) - exact
        hits += [_hit(self._blocks[at]) for at in self._ordered(led_to, wanted, scores)]
        others = sorted(told - exact - led_to, key=lambda at: (-scores.get(at, 0.0), at))
        return hits + [_hit(self._blocks[at]) for at in others]

    # ------------------------------------------------------------ L0

    def _named(self, query: str) -> set[int]:
        """Blocks whose document or heading the query names, or links to; of a document of which it names a heading,
        that alone."""
        found: Counter[int] = Counter()
        for name, is_plain in dict.fromkeys(_names_in(query)):
            found.update(self._names.get(name, ()))
            if not is_plain:
                found.update(self._plain_names.get(name, ()))
        compact = _compact(query)
        for name, places in self._chinese_names.items():
            if name in compact:
                found.update(places)
        for url in _URL.findall(query):
            found.update(self._addresses.get(_address(url), ()))
        most: dict[str, int] = {}
        for at, times in found.items():
            document = self._blocks[at].document
            most[document] = max(times, most.get(document, 0))
        return {at for at, times in found.items() if times == most[self._blocks[at].document]}

    def _declared(self, query: str) -> set[int]:
        plain = _plain(query)
        return {
            at
            for at, (titles, terms) in enumerate(zip(self._titles, self._terms, strict=True))
            if plain in titles or any(_stands_in(term, plain) for term in terms)
        }

    # ------------------------------------------------------------ L1

    def _told(self, query: str, asked: Sequence[str], scores: Mapping[int, float]) -> set[int]:
        found = self._covering(asked)
        runs = _Runs(query)
        codes = [code.casefold() for code in dict.fromkeys(_CODE.findall(query))]
        named = [frozenset(parts) for name in dict.fromkeys(_TOKEN.findall(query)) if len(parts := parts_of(name)) > 1]
        holding = {part: frozenset(self._places(part)) for parts in named for part in parts}
        for at in sorted(scores, key=lambda at: (-scores[at], at))[:_MOST_COMPARED]:
            text = f"{self._blocks[at].title}\n{self._blocks[at].content}"
            plain = text.casefold()
            if (
                any(_holds_name(parts, {part for part in parts if at in holding[part]}) for parts in named)
                or any(_stands_in(code, plain) for code in codes)
                or runs.shares_with(text)
            ):
                found.add(at)
        return found or self._of_concepts(query)

    def _covering(self, asked: Sequence[str]) -> set[int]:
        """Blocks that hold enough of what is asked, weighed by rarity."""
        whole = sum(map(self._rarity, asked))
        shares: defaultdict[int, float] = defaultdict(float)
        for word in asked:
            for at in self._places(word):
                shares[at] += self._rarity(word)
        return {at for at, share in shares.items() if share >= RELEVANCE_FLOOR * whole}

    def _of_concepts(self, query: str) -> set[int]:
        """Blocks whose title speaks of all things and events that the query names, in whichever language."""
        concepts = [one for one in concepts_of(query) if one not in MANNERS]
        if all(one.name in MERE for one in concepts):
            return set()
        finders = [finder_of(next(iter(one.names))) for one in concepts]
        titles = [search_form(block.title) for block in self._blocks[:_MOST_TITLES]]
        return {at for at, title in enumerate(titles) if all(finder.stands_in(title) for finder in finders)}

    def _led_to(self, told: set[int], wanted: Wanted, scores: Mapping[int, float]) -> set[int]:
        """Of the best documents that were found by their text, the sections that are asked for."""
        if not wanted.sections:
            return set()
        best: dict[str, None] = {}
        for at in sorted(told, key=lambda at: (-scores.get(at, 0.0), at)):
            best.setdefault(self._blocks[at].document)
        return {
            at
            for document in list(best)[:_MOST_LED_TO]
            for at in self._documents[document]
            if wanted.rank(self._sections[at]) == 0
        }

    # ------------------------------------------------------------ order

    def _ordered(self, found: Iterable[int], wanted: Wanted, scores: Mapping[int, float]) -> list[int]:
        """By what is asked for, then as the documents go, the best document first."""
        of_document: defaultdict[str, float] = defaultdict(float)
        places = list(found)
        for at in places:
            document = self._blocks[at].document
            of_document[document] = max(of_document[document], scores.get(at, 0.0))
        return sorted(
            places, key=lambda at: (wanted.rank(self._sections[at]), -of_document[self._blocks[at].document], at)
        )

    def _scores(self, asked: Iterable[str]) -> dict[int, float]:
        """The rank of each block that holds an asked word (Okapi BM25)."""
        count = len(self._blocks)
        mean = sum(self._lengths) / count if count else 0.0
        scores: defaultdict[int, float] = defaultdict(float)
        for word in asked:
            places, times = self._postings.get(word, _NOWHERE)
            weight = math.log(1 + (count - len(places) + 0.5) / (len(places) + 0.5))
            for at, often in zip(places, times, strict=True):
                damped = often + _K1 * (1 - _B + _B * self._lengths[at] / mean)
                scores[at] += weight * often * (_K1 + 1) / damped
        return scores

    def _rarity(self, word: str) -> float:
        return math.log(1 + len(self._blocks) / (len(self._places(word)) + 0.5))

    def _places(self, word: str) -> Sequence[int]:
        return self._postings.get(word, _NOWHERE)[0]


# ---------------------------------------------------------------- words


def words(text: str) -> list[str]:
    """Lower-cased words without function words, English ones without their endings. Names joined by `-_./=:` stay
    whole; Chinese is segmented."""
    plain = _plain(text)
    found = [stem(name) for name in _NAME.findall(plain) if name not in stop_words()]
    chinese_text = _NAME.sub(" ", plain)
    if not _CHINESE.search(chinese_text):
        return found
    return found + [
        w
        for w in _segmenter().lcut_for_search(chinese_text, HMM=False)
        if w.strip() and w not in stop_words() and w[0].isalnum()
    ]


def _all_parts(text: str) -> list[str]:
    """The parts of all names in a text that are written in humps or joined by hyphens."""
    found = [part for name in _TOKEN.findall(unicodedata.normalize("NFKC", text)) for part in parts_of(name)]
    joined = (name for name in _NAME.findall(_plain(text)) if "-" in name or "_" in name)
    return found + [stem(part) for name in joined for part in re.split(r"[^a-z0-9]", name) if len(part) > 1]


def _holds_name(parts: frozenset[str], held: set[str]) -> bool:
    """All telling words of an alert's name, and two of three of all."""
    told = telling(parts)
    return bool(told) and told <= held and 3 * len(held) >= 2 * len(parts)


class _Runs:
    """Runs of words of a query that stand in a text in the same order, as those of an error do."""

    def __init__(self, query: str) -> None:
        self._words = [word.casefold() for word in _TOKEN.findall(unicodedata.normalize("NFKC", query))]
        self._is_telling = [word.isascii() and word not in stop_words() and not word.isdigit() for word in self._words]
        self._chinese = {
            run[at : at + _SHORTEST_CHINESE_RUN]
            for run in _CHINESE.findall(query)
            for at in range(len(run) - _SHORTEST_CHINESE_RUN + 1)
        }

    def shares_with(self, text: str) -> bool:
        plain = f" {' '.join(_TOKEN.findall(unicodedata.normalize('NFKC', text).casefold()))} "
        if any(run in plain for run in self._chinese):
            return True
        start = 0
        while start <= len(self._words) - _SHORTEST_RUN:
            end = start
            while end < len(self._words) and self._words[end].isascii() and self._stands(plain, start, end + 1):
                end += 1
            telling = sum(self._is_telling[start:end])
            if end - start >= _SHORTEST_RUN and telling >= min(_TELLING_IN_RUN, max(2, sum(self._is_telling) // 2)):
                return True
            start += 1
        return False

    def _stands(self, plain: str, start: int, end: int) -> bool:
        return f" {' '.join(self._words[start:end])} " in plain


# ---------------------------------------------------------------- names


def _names_of(block: Block) -> Iterator[tuple[str, bool]]:
    """What names a block, in the form in which names are compared, and whether it is one plain word."""
    headings = [one for one in block.title.split(" / ") if not is_heading(one)]
    found: dict[str, bool] = {}
    for text in (*block.names, *block.terms, *headings):
        for name in (text, *filter(_SHAPED_LIKE_A_NAME.search, _HEADING_NAME.findall(text))):
            words_in = _bare(name)
            compact = _compact("".join(words_in))
            if len(compact) >= _SHORTEST_NAME and len(words_in) <= 2 * _LONGEST_NAME:
                is_plain = len(words_in) == 1 and not parts_of(words_in[0]) and not re.search(r"\d", words_in[0])
                found[compact] = found.get(compact, True) and is_plain
    return iter(found.items())


def _hit(block: Block) -> Hit:
    return Hit(block, "L1", block.title)


def _exact_hit(block: Block, asked: Set[str]) -> Hit:
    shown = _compact(f"{block.title} {block.source}")
    declared = [
        name for name in (*block.names, *block.terms) if _compact(name) in asked and _compact(name) not in shown
    ]
    if not declared:
        return Hit(block, "L0", block.title)
    first, joint, others = block.title.partition(" / ")
    return Hit(block, "L0", f"{first} ({declared[0]}){joint}{others}")


def _bare(title: str) -> list[str]:
    """The words of a title without those beside the name of the thing: `Runbook: Kube Pod Crash Looping`."""
    found = _TOKEN.findall(unicodedata.normalize("NFKC", title))
    if all(word.isascii() for word in found):
        beside = words_of(TITLES)
        while len(found) > 1 and found[-1].casefold() in beside:
            found.pop()
        while len(found) > 1 and found[0].casefold() in beside:
            found.pop(0)
        return found
    bare = _beside_chinese().sub("", "".join(found)) or "".join(found)
    return [bare]


@cache
def _beside_chinese() -> re.Pattern[str]:
    of = chinese(TITLES)
    return re.compile(rf"(?:{of})+\Z|\A(?:{of})+")


def _names_in(query: str) -> Iterator[tuple[str, bool]]:
    """What a query may name: each run of its words as one, and whether that is one plain word; the end of an address
    is a name, whatever it looks like."""
    text = unicodedata.normalize("NFKC", unquote(query))
    for url in _URL.findall(text):
        for part in (*url.partition("#")[::2], url.rstrip("/")):
            ending = _TOKEN.findall(re.sub(r"\.(?:md|html?|markdown)\Z", "", part.rstrip("/").rpartition("/")[2]))
            yield _compact("".join(ending)), False
    found = _TOKEN.findall(text)
    for start in range(len(found)):
        for end in range(start + 1, min(start + _LONGEST_NAME, len(found)) + 1):
            run = found[start:end]
            if not run[-1].isascii():
                break
            if all(word.casefold() in stop_words() or word.casefold() in words_of(TITLES) for word in run):
                continue
            is_plain = len(run) == 1 and not parts_of(run[0]) and not re.search(r"\d", run[0])
            yield _compact("".join(run)), is_plain


def _compact(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def _address(url: str) -> str:
    return url.strip().rstrip("/").casefold().partition("://")[2] or url.strip().casefold()


def _titles(block: Block) -> frozenset[str]:
    """What a query finds by being it: the block's heading, those above it, and the whole path of headings."""
    return frozenset(map(_plain, [block.title, *block.title.split(" / ")]))


def _terms(block: Block) -> frozenset[str]:
    """What a query finds by naming it: declared terms, and names that stand in a heading or are set as code."""
    names = _HEADING_NAME.findall(block.title) + _CODE_SPAN.findall(block.content)
    return frozenset(map(_plain, [*block.terms, *filter(_SHAPED_LIKE_A_NAME.search, names)])) - {""}


def _stands_in(term: str, query: str) -> bool:
    """Whether a term stands in a query as a whole: no ASCII letter or digit goes on beside it."""
    start = query.find(term)
    while start >= 0:
        before, after = query[:start][-1:], query[start + len(term) :][:1]
        if not (_joins(before, term[0]) or _joins(term[-1], after)):
            return True
        start = query.find(term, start + 1)
    return False


def _joins(left: str, right: str) -> bool:
    return bool(left and right and left.isascii() and right.isascii() and left.isalnum() and right.isalnum())


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@cache
def _segmenter() -> Any:
    """The Chinese segmenter, quiet; its dictionary is read as it is shipped, for a reading process keeps no file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated imports of the library itself
        import jieba

    segmenter = jieba.Tokenizer()
    segmenter.FREQ, segmenter.total = segmenter.gen_pfdict(segmenter.get_dict_file())
    segmenter.initialized = True
    return segmenter
