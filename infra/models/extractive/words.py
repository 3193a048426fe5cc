"""Finding words in Chinese and English text, whatever joins or capitalises them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from domain.language.searching import alternatives

CHINESE = "\u3400-\u9fff"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(rf"[^A-Za-z0-9{CHINESE}]+")
_BORDER = re.compile(rf"(?<=[A-Za-z0-9])(?=[{CHINESE}])|(?<=[{CHINESE}])(?=[A-Za-z0-9])")
_CHINESE_RUN = re.compile(f"[{CHINESE}]+")


def spread(text: str) -> str:
    """Lower-case words with single spaces between and around them: `HighCPUUsage` and `high-cpu_usage` are one."""
    humps = _HUMP.sub(" ", text)
    apart = _CHINESE_RUN.sub(lambda run: f" {run[0]} ", humps)
    return f" {_SEPARATORS.sub(' ', apart).strip().lower()} "


def mentions(text: str, term: str) -> bool:
    """Whether `text` holds `term`: Chinese anywhere, English only as whole words."""
    if _CHINESE_RUN.search(term):
        return term.lower().replace(" ", "") in text.lower().replace(" ", "")
    return spread(term) in spread(text)


def mentions_any(text: str, terms: Iterable[str]) -> bool:
    return any(mentions(text, term) for term in terms)


def holds_name(text: str, name: str) -> bool:
    """Whether `name` stands in `text` whole, not as a part of a longer compound."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE) is not None


def other_names(term: str) -> tuple[str, ...]:
    """The term and, if it names something that is searched for, every other name of that."""
    return alternatives(term)


def spaced(text: str) -> str:
    """Chinese and English kept apart by a space, as good typesetting has it."""
    return _BORDER.sub(" ", text)


def quoted_words(term: str) -> str:
    """A term as one word of a query: several words in double quotes, which they then must not hold."""
    plain = term.replace('"', "'")
    return f'"{plain}"' if " " in plain else plain


def features(text: str) -> frozenset[str]:
    """English words and pairs of Chinese characters: what two texts can share."""
    words = spread(text).split()
    english = {word for word in words if not _CHINESE_RUN.match(word) and len(word) > 1}
    pairs = {word[i : i + 2] for word in words if _CHINESE_RUN.match(word) for i in range(len(word) - 1)}
    return frozenset(english | pairs)
