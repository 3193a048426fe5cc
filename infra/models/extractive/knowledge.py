"""The claims that quote the knowledge base."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from infra.models.extractive.claims import Draft
from infra.models.extractive.conversation import Answered, Ref
from infra.models.extractive.inquiry import Inquiry, Source
from infra.models.extractive.texts import text as worded
from infra.models.extractive.tool_names import KNOWLEDGE
from infra.models.extractive.words import features

MAX_BLOCKS = 2
MAX_SENTENCES = 3
MAX_LENGTH = 300  # characters of one quotation
_SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?;])\s+|\n+")
_SOURCE_FIELD = "source="  # in the heading of an item, with its title
_EVERYDAY = features(
    "请问什么是如何怎么怎样处理解决含义意思当前是否存在告警日志排查确认异常根据 the is what how to of and"
)


def knowledge_claims(inquiry: Inquiry, answered: Sequence[Answered]) -> Iterator[Draft]:
    """One claim for each of the blocks that share most words with the question."""
    lookups = [done for done in answered if done.call.tool_name == KNOWLEDGE]
    queries = [str(done.call.arguments.get("query", "")) for done in lookups]
    asked = features(" ".join((inquiry.asked, *queries))) - _EVERYDAY
    ranked = sorted((ref for done in lookups for ref in done.items), key=lambda ref: -len(asked & features(ref.text)))
    for block in ranked[: MAX_BLOCKS if inquiry.sources == {Source.KNOWLEDGE} else 1]:
        if passage := _best_passage(block, asked, inquiry):
            yield Draft("documentation", worded("knowledge", inquiry.language, passage=passage), (block,))


def _best_passage(block: Ref, asked: frozenset[str], inquiry: Inquiry) -> str:
    """Whole sentences in their order, the one that shares most words with the question and those behind it."""
    if not asked & features(block.text):
        return ""
    sentences = [text for part in _SENTENCE_END.split(block.text) if (text := " ".join(part.split()))]
    sentences = [text for text in sentences if _SOURCE_FIELD not in text] or sentences
    shared = [len(asked & features(sentence)) for sentence in sentences]
    start = shared.index(max(shared))
    kept: list[str] = []
    for sentence in sentences[start : start + MAX_SENTENCES]:
        if len("".join(kept)) + len(sentence) > MAX_LENGTH or inquiry.excludes(sentence):
            break
        kept.append(sentence)
    return " ".join(kept)
