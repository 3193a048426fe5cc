"""What a search was for, and whether a claim of absence speaks of just that (R20).

A search that found nothing proves that nothing met its conditions. A claim that leaves one of them out says more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from domain.gatekeeper.services import speaks_of
from domain.language.levels import said_as
from domain.language.searching import concepts_named_in, concepts_of, manners_in
from domain.quotation.normalise import normalise
from domain.quotation.tokens import CJK, Reading, is_number

_CONDITION_END = re.compile(r"[,;{}()|]|&&|\b(?:AND|and)\b|(?<=[\w\"'])\s+(?=[\w.]+\s?!?[=:~])")
_KEY = re.compile(r"""^\s*["']?(?P<key>[\w.@-]+)["']?\s*(?:=~|!~|!=|==|=|:(?!\S*/))\s*""")
_CONNECTIVES = frozenset(
    {"or", "and", "not", "by", "sum", "rate", "count", "words", "query", "match", "message", "alerts"}
)
_TERM_KEYS = frozenset({"words", "query", "q", "keyword", "keywords", "message", "text"})
_CHINESE_RUN = re.compile(rf"[{CJK}]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\sA-Za-z0-9_-]+")
_SAY_NOTHING = frozenset(
    ("日志", "告警", "记录", "相关", "存在", "是否", "当前", "查询", "检索", "服务", "错误", "异常", "问题", "情况")
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing a search asked for: any of its terms. `is_word`: free text, not the value of a named filter."""

    terms: tuple[str, ...]
    is_word: bool

    @property
    def has_name(self) -> bool:
        return any(map(is_name, self.terms))


def left_out(claim_text: str, query: str) -> str | None:
    """The condition of the query that the claim leaves out; None if it speaks of each.

    Plain words may be put otherwise (compressor, 压缩机): of these the claim needs one condition, the names and filters
    it needs all.
    """
    claim = normalise(claim_text)
    conditions = _conditions(query)
    missing = [condition for condition in conditions if not any(stands_in(term, claim) for term in condition.terms)]
    words = [condition for condition in conditions if condition.is_word]
    found_by_word = len([condition for condition in missing if condition.is_word]) < len(words)
    for condition in missing:
        if condition.has_name or not (condition.is_word and found_by_word):
            return " ".join(condition.terms)
    return None


def _conditions(query: str) -> list[Condition]:
    found = []
    for piece in _CONDITION_END.split(normalise(query)):
        keyed = _KEY.match(piece or "")
        terms = _terms(piece[keyed.end() :] if keyed else piece or "")
        if terms:
            found.append(Condition(terms, is_word=keyed is None or keyed["key"].casefold() in _TERM_KEYS))
    return found


def _terms(text: str) -> tuple[str, ...]:
    """Names, plain words of three letters and more, and runs of Chinese; no numbers and times."""
    latin = [word for word in Reading.of(text).words if word.isascii() and _says_something(word)]
    return (*latin, *(run for run in _CHINESE_RUN.findall(text) if len(run) > 1))


def _says_something(word: str) -> bool:
    return not is_number(word) and len(word) > 2 and any(map(str.isalpha, word)) and word.casefold() not in _CONNECTIVES


def is_name(word: str) -> bool:
    """A name in the sense of R24: a capital inside, a digit, or joined; no measured value, date or time."""
    if not any(c.isalpha() and c.isascii() for c in word):
        return word.count(".") == 3
    if is_number(word):
        return False
    return any(c.isupper() for c in word[1:]) or any(c.isdigit() or c in "-_./:" for c in word)


def stands_in(term: str, text: str) -> bool:
    """Whether a text holds a term, however it is cased, joined or called; of Chinese two of its characters do."""
    return speaks_of(text, term) or any(form.search(text) for form in _forms(term))


def concepts_in(text: str) -> list[str]:
    """Every name for the things that a text speaks of in plain words: 连接池 is HikariPool too."""
    return [name for concept in concepts_named_in(text) for name in concept.names]


@lru_cache(maxsize=512)
def _forms(term: str) -> tuple[re.Pattern[str], ...]:
    same = (name for concept in (*concepts_of(term), *manners_in(term)) for name in concept.names)
    pairs = (pair for run in _CHINESE_RUN.findall(term) for pair in _pairs(run))
    return tuple(map(_pattern, dict.fromkeys([term, *same, *said_as(term), *pairs])))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1) if run[at : at + 2] not in _SAY_NOTHING]


@lru_cache(maxsize=512)
def _pattern(form: str) -> re.Pattern[str]:
    """A joined name as a whole, a simple one also as a part (Hikari of HikariPool-1); OrderService is order-service."""
    parts = [re.escape(part) for part in _PART.findall(form)] or [re.escape(form)]
    loose = r"[\s_-]?".join(parts)
    if form.isascii() and (not form.isalnum() or len(form) <= 3):
        loose = rf"(?<![A-Za-z0-9_-]){loose}(?![A-Za-z0-9_-])"
    return re.compile(loose, re.IGNORECASE)
