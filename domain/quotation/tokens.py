"""A text as a row of whole tokens (R24), with the separators between them and the clauses they stand in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from domain.quotation import lexicon
from domain.quotation.normalise import (
    DIRECTIONS,
    MARKS,
    normalise,
    regrouped,
    unescape_json,
    with_wide_colons_apart,
    without_block_quotes,
    without_embeddings,
)

SEPARATOR = "\x1f"
_APART = "\0"  # never part of a word
JOINERS = "-_./:"
CJK = r"\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_LETTER = rf"[^\W_{CJK}]"
_WORD = rf"{_LETTER}+(?:[{MARKS}]+{_LETTER}*)*"
_LATIN_UNITS = "|".join(sorted(lexicon.UNITS, key=len, reverse=True))
_CHINESE_UNITS = "|".join(sorted(lexicon.UNITS_ZH, key=len, reverse=True))
_GLUED_UNITS = "|".join(sorted(lexicon.GLUED_UNITS, key=len, reverse=True))
_UNIT_BEHIND = rf"(?:(?<=\d)\s{{0,3}}(?:[%‰]|°[CF]?|(?i:{_LATIN_UNITS})(?!{_LETTER})))?"
_SIGN = rf"(?:(?<!{_LETTER})(?<![%)\]_-])[+-])?"
_QUANTITY_BEFORE = rf"(?:(?:(?:[<>]=?|!=|[~±])\s{{0,3}})?{_SIGN}[$€£¥]?(?=\d))?"
_PART = rf"{_WORD}{_UNIT_BEHIND}"
_JOIN = (
    r"(?:_+|\.{1,2}(?!\.)|://|:{1,2}|\s{0,3}/\s{0,3}(?=\d)|/{1,2}|-|'|\^|(?<=\d)\*{1,2}(?=\d)|(?<=\d),(?=\d)"
    r"|(?<=\d[eE])\+(?=\d)|(?<=[\d%])\s{1,3}(?:out\s{1,3})?of\s{1,3}(?=\d))"
)
_TOKEN = re.compile(
    rf"((?<![-=])[-=]+>|{_QUANTITY_BEFORE}{_PART}(?:{_JOIN}{_PART})*"
    rf"|[{lexicon.NUMERALS_ZH}]{{2,}}|[{CJK}]"
    rf"|!=|(?<!\w)!(?=\w)|\?(?!{_LETTER})|~~|[{MARKS}{DIRECTIONS}]"
    r"|[\u2190-\u21ff\u25b2-\u25ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff])"
)
_UNIT_IN_TOKEN = re.compile(rf"(?<=\d)(?:{_GLUED_UNITS})(?:/(?:{_GLUED_UNITS}))?(?![A-Za-z0-9])", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[,;.!。;]")
_WEAK_BREAK = re.compile(r"[\[\](){}<>【】〔〕《》|]|(?:^|\s)-+\s|--")
_NUMBER = re.compile(r"[<>=!~±+\-$€£¥]*\d[\d.,:/]*(?:[^\d\W].*|[%‰°].*)?$", re.DOTALL)
_VALUE_GAP = re.compile("[:=]")
_UNIT_NEXT = re.compile(rf"[{lexicon.MULTIPLIERS_ZH}]|{_CHINESE_UNITS}")
_AMOUNT = re.compile(rf"(?:[<>=!~±+\-$€£¥]*\d[\d.,]*|[{lexicon.NUMERALS_ZH}]{{2,}})$")
_ZERO = re.compile(r"0(?:\.0+)?(?:%|/\d+|of\d+|outof\d+)?$")


def fold_case(word: str) -> str:
    """The word case-folded, but for units: 8GB and 8Gb stay two things (R24)."""
    folded = word.casefold()
    if folded == word or folded in lexicon.CASED_UNITS:
        return word
    pieces, end = [], 0
    for unit in _UNIT_IN_TOKEN.finditer(word):
        pieces += [word[end : unit.start()].casefold(), unit[0]]
        end = unit.end()
    return "".join(pieces) + word[end:].casefold()


def has_digit(word: str) -> bool:
    """Numbers in any script, superscripts and Chinese numerals of more than one character."""
    return any(c.isnumeric() for c in word) if len(word) > 1 else word.isdigit()


def is_number(word: str) -> bool:
    """A measured value: it begins with a digit behind its sign, comparison or currency."""
    return bool(_NUMBER.match(word))


def token_spans(text: str) -> list[tuple[int, int]]:
    """Where each token of a normalised text stands."""
    return [found.span() for found in _TOKEN.finditer(text)]


@dataclass(frozen=True)
class Reading:
    """One reading of a text: `gaps[i]` is the separator before `words[i]`, the last gap stands behind the last word."""

    text: str
    words: list[str]
    gaps: list[str]

    @classmethod
    def of(cls, text: str) -> Reading:
        parts = _TOKEN.split(text)
        words = parts[1::2]
        if len(_APART.join(words).split()) > 1:  # "30 s" is one token
            words = ["".join(word.split()) for word in words]
        return cls(text, words, parts[0::2])

    @cached_property
    def folded(self) -> list[str]:
        folded = _APART.join(self.words).casefold().split(_APART)
        return (
            [word if word == plain else fold_case(word) for word, plain in zip(self.words, folded, strict=True)]
            if self.words
            else []
        )

    @cached_property
    def joined(self) -> str:
        return SEPARATOR + SEPARATOR.join(self.words) + SEPARATOR

    @cached_property
    def joined_folded(self) -> str:
        return SEPARATOR + SEPARATOR.join(self.folded) + SEPARATOR

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.folded)

    def offset_of(self, index: int) -> int:
        """Where `words[index]` begins in `text`."""
        for at, found in enumerate(_TOKEN.finditer(self.text)):
            if at == index:
                return found.start()
        return len(self.text)

    def around(self, start: int, end: int, margin: int = 12) -> str:
        """The text of a run of words with some words before and behind it, for people."""
        first, last = max(0, start - margin), min(len(self.words), end + margin)
        pieces = (gap + word for gap, word in zip(self.gaps[first:last], self.words[first:last], strict=True))
        return " ".join("".join(pieces).split())

    # ------------------------------------------------------------ clauses

    def has_punctuation_before(self, index: int) -> bool:
        """Whether punctuation that ends a clause stands right before `words[index]`."""
        return bool(_PUNCTUATION.search(self.gaps[index])) or (index > 0 and self.words[index - 1] == "?")

    def is_key(self, index: int) -> bool:
        """Whether `words[index]` is the key of a `key=value` or `"key":` field."""
        behind = self.gaps[index + 1].lstrip()
        return behind.startswith("=") or behind.startswith('":') or behind.startswith('" :')

    def divides_clauses(self, index: int) -> bool:
        """Whether punctuation or a new line sets `words[index]` apart from the words before it."""
        if index in {0, len(self.words)} or self.has_punctuation_before(index):
            return True
        gap, word = self.gaps[index], self.words[index]
        is_soft_wrap = gap.endswith("\n") and word[0].isascii() and word[0].islower()
        return "\n" in gap and not is_soft_wrap and not self.is_negation(index - 1)

    def starts_clause(self, index: int) -> bool:
        """Whether no negation before `words[index]` reaches it: clauses, bracketed parts and fields begin anew."""
        if self.divides_clauses(index):
            return True
        if self.is_negation(index - 1):
            return False
        starts_anew = self.is_key(index) or bool({self.folded[index], self.pair(index)} & lexicon.CLAUSE_STARTERS)
        return starts_anew or bool(_WEAK_BREAK.search(self.gaps[index]))

    # ------------------------------------------------------------ senses

    def cuts_number(self, end: int) -> bool:
        """Whether a cut before `words[end]` takes a Chinese unit or multiplier from its number: 57 | 万."""
        if end == len(self.words) or self.gaps[end].strip() or not _AMOUNT.match(self.words[end - 1]):
            return False
        return bool(_UNIT_NEXT.match("".join(self.words[end : end + 4])))

    def is_negation(self, index: int) -> bool:
        """Whether `words[index]` turns the sense of what follows it."""
        word = self.folded[index]
        if word in lexicon.NEGATIONS or word.endswith("n't"):
            return True
        if word in lexicon.INFINITIVE_NEGATIONS:
            return self.pair(index) == word + "to"
        if self.pair(index) in lexicon.NEGATION_WORDS_ZH or self.pair(index - 1) in lexicon.NEGATION_WORDS_ZH:
            return True
        if word not in lexicon.NEGATION_CHARACTERS:
            return False
        return not {self.pair(index), self.pair(index - 1)} & lexicon.HARMLESS_NEGATION_WORDS_ZH

    def is_failure(self, index: int) -> bool:
        return self.folded[index] in lexicon.FAILURE_WORDS or self.pair(index) in lexicon.FAILURE_WORDS_ZH

    def is_zero(self, index: int) -> bool:
        return bool(_ZERO.match(self.words[index])) or self.folded[index] in {"zero", "零"}

    def is_polarity(self, index: int) -> bool:
        """Whether `words[index]`, cut off, turns the sense of what stands right before it."""
        word, following = self.folded[index], "".join(self.words[index : index + 3])
        if word in lexicon.POLARITIES or word.endswith("n't") or following.startswith(lexicon.POLARITIES_ZH):
            return True
        return (word in lexicon.NEGATION_CHARACTERS and self.is_negation(index)) or self.is_chinese_yes(index)

    def is_chinese_yes(self, index: int) -> bool:
        """是 as the value of what stands before it."""
        return self.words[index] == "是" and bool(_VALUE_GAP.search(self.gaps[index]))

    def is_value(self, index: int) -> bool:
        """Whether `words[index]` begins the value of a `key=value` or `"key":value` field."""
        gap = self.gaps[index]
        return "=" in gap or '":' in gap

    def is_function_word(self, index: int) -> bool:
        word = self.folded[index]
        if self.is_value(index):
            return False
        if word in lexicon.FUNCTION_WORDS or word in lexicon.FUNCTION_CHARACTERS:
            return True
        return bool({self.pair(index), self.pair(index - 1)} & lexicon.FUNCTION_WORDS_ZH)

    def is_critical(self, index: int) -> bool:
        """Whether `words[index]` may not be left out within a clause (R24)."""
        if self.is_negation(index) or self.is_value(index):
            return True
        if self.is_function_word(index):
            return False
        word, folded = self.words[index], self.folded[index]
        return (
            folded in lexicon.LEVELS
            or folded in lexicon.STATES
            or any(c in JOINERS or not c.isascii() or c.isdigit() for c in word)
            or not word[0].isalpha()
            or any(c.isupper() for c in word[1:])
        )

    def pair(self, index: int) -> str:
        """`words[index]` and the next word without a gap between them, "" where there is no such pair."""
        return "".join(self.folded[index : index + 2]) if index >= 0 else ""


@dataclass(frozen=True)
class Passage:
    """A quotation or an item, in the readings in which the two may agree."""

    text: str

    @cached_property
    def plain(self) -> Reading:
        return Reading.of(normalise(self.text))

    @cached_property
    def unescaped(self) -> Reading | None:
        """One JSON escape resolved; None where there is none."""
        resolved = unescape_json(self.text) if "\\" in self.text else self.text
        return None if resolved == self.text else Reading.of(normalise(resolved))

    @cached_property
    def unquoted(self) -> Reading | None:
        """Without block quotes before numbers; None where there are none."""
        stripped = without_block_quotes(self.plain.text)
        return None if stripped == self.plain.text else Reading.of(stripped)

    @cached_property
    def unembedded(self) -> Reading | None:
        """Without marks of direction; None where there are none, or where an override would stay."""
        stripped = without_embeddings(self.text)
        return (
            None
            if stripped == self.text or "\u202d" in stripped or "\u202e" in stripped
            else Reading.of(normalise(stripped))
        )

    @cached_property
    def regrouped(self) -> Reading:
        """Thousands without commas, labels of a metric in the order of their names."""
        text = regrouped(self.plain.text)
        return self.plain if text == self.plain.text else Reading.of(text)

    @cached_property
    def colons_apart(self) -> Reading:
        """Full-width colons read as punctuation."""
        return Reading.of(normalise(with_wide_colons_apart(self.text))) if "：" in self.text else self.plain
