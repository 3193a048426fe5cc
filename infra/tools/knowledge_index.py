"""Which blocks of a knowledge base answer a query: L0 by title or term, L1 by ranked text.

L1 has a floor: a block must hold at least `RELEVANCE_FLOOR` of the query's words, weighed by rarity. Words that the
knowledge base does not know weigh most, so a query about something else finds nothing rather than the least bad.
"""

from __future__ import annotations

import contextlib
import logging
import math
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from infra.tools.markdown import Block
from infra.tools.stop_words import stop_words

RELEVANCE_FLOOR = 0.4
TITLE_WEIGHT = 2
"""How often the words of a block's title count."""

_CODE_SPAN = re.compile(r"`([^`\n]{3,80})`")
_HEADING_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_./][A-Za-z0-9]+)*")
_SHAPED_LIKE_A_NAME = re.compile(r".[A-Z]|\d|[-_./=: ]")
_NAME = re.compile(r"[a-z0-9]+(?:[-_./=%:][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Hit:
    """A block that answers the query, and the layer it was found in."""

    block: Block
    layer: Literal["L0", "L1"]


class KnowledgeIndex:
    """An index over blocks, built once and asked often."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._blocks = tuple(blocks)
        self._titles = [_titles(block) for block in self._blocks]
        self._terms = [_terms(block) for block in self._blocks]
        weighed = [words(block.title) * TITLE_WEIGHT + words(block.content) for block in self._blocks]
        self._words = [frozenset(block_words) for block_words in weighed]
        self._occurrence = Counter(word for held in self._words for word in held)
        self._ranking = _bm25(weighed)

    def search(self, query: str) -> list[Hit]:
        """All hits, best first: L0 before L1, each in order of rank, then of source."""
        asked = list(dict.fromkeys(words(query)))
        scores = self._ranking.get_scores(asked) if self._ranking and asked else [0.0] * len(self._blocks)
        by_rank = sorted(range(len(self._blocks)), key=lambda i: -scores[i])
        plain = _plain(query)
        exact = dict.fromkeys(i for i in by_rank if self._is_exact(plain, i))
        ranked = [i for i in by_rank if i not in exact and self._coverage(asked, i) >= RELEVANCE_FLOOR]
        return [Hit(self._blocks[i], "L0") for i in exact] + [Hit(self._blocks[i], "L1") for i in ranked]

    def _is_exact(self, query: str, index: int) -> bool:
        return query in self._titles[index] or any(_stands_in(term, query) for term in self._terms[index])

    def _coverage(self, asked: Sequence[str], index: int) -> float:
        """The share of the asked words that stand in a block, weighed by rarity; 0 for no words."""
        held = self._words[index]
        whole = sum(map(self._rarity, asked))
        return sum(self._rarity(word) for word in asked if word in held) / whole if whole else 0.0

    def _rarity(self, word: str) -> float:
        return math.log(1 + len(self._blocks) / (self._occurrence[word] + 0.5))


def words(text: str) -> list[str]:
    """Lower-cased words without function words. Names joined by `-_./=:` stay whole; Chinese is segmented."""
    plain = _plain(text)
    found = [name for name in _NAME.findall(plain) if name not in stop_words()]
    chinese = _NAME.sub(" ", plain)
    return found + [
        w for w in _segmenter().lcut_for_search(chinese) if w.strip() and w not in stop_words() and w[0].isalnum()
    ]


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
    if start < 0:
        return False
    before, after = query[:start][-1:], query[start + len(term) :][:1]
    return not (_joins(before, term[0]) or _joins(term[-1], after))


def _joins(left: str, right: str) -> bool:
    return bool(left and right and left.isascii() and right.isascii() and left.isalnum() and right.isalnum())


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _bm25(documents: list[list[str]]) -> Any | None:
    """The ranking, or None for an empty knowledge base, which the library cannot rank."""
    if not any(documents):
        return None
    from rank_bm25 import BM25Okapi  # brings numpy: only for those who look something up

    return BM25Okapi(documents)


@cache
def _segmenter() -> Any:
    """The Chinese segmenter, quiet, with its dictionary cached in the user's own folder rather than a shared one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated imports of the library itself
        import jieba
    import platformdirs

    jieba.setLogLevel(logging.ERROR)
    segmenter = jieba.Tokenizer()
    with contextlib.suppress(OSError):  # a home that cannot be written costs time, not function
        segmenter.tmp_dir = str(platformdirs.user_cache_path("assay", ensure_exists=True))
    segmenter.initialize()
    return segmenter
