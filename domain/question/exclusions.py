"""What a question asks to leave alone, in its own words (R16, R70)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MAX_SUBJECT = 60  # characters: what is longer is no name
_MAX_SUBJECTS = 50  # of one question: nobody lists more, and each is looked for in every claim

_EXCLUDING = re.compile(
    r"(?:(?<![要需用])(?:不要|不用|不必|不需要|无需|无须|请勿)|(?<![特区识级类分个辨判])别)(?:再|去)?"
    r"(?:分析|排查|扩展到?|展开到?|涉及|提及|提到|提|看|查|检查|讨论|关注|考虑|输出|包含|包括|含|管)"
    r"|(?<![要需用么])不(?:再)?(?:分析|排查|讨论|关注|考虑|查|涉及|包括|包含|含)(?!的)|排除掉?(?!故障)|忽略掉?"
    r"|\bdo(?: not|n['’]t) (?:analy[sz]e|expand (?:to|on)|check|mention|discuss|include|look at|look into|cover|need"
    r"|consider|care about|investigate|bother with)"
    r"|\b(?:excluding|exclude|ignore|ignoring|leave out|leaving out|skip|without looking at|not counting|except for)\b",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(
    r"(?<![删清排解去移消剔扣拆免铲])(?:除了|除去|除开)(?P<besides>[^。；;！!？?\n，,]{1,60}?)(?:以外|之外|外|(?=[，,。；;！!？?\n]))"
    r"|(?<![删清排解去移消剔扣拆免铲])除(?P<outside>[^。；;！!？?\n，,]{1,60}?)(?:以外|之外|外)"
    r"|\b(?:other than|apart from|aside from|but not|except)(?P<other>\s[^。；;！!？?\n，,.]{1,60}?)"
    r"(?=[。；;！!？?\n，,.]|\s(?:in|for|on|at|from|of|during|since|within|today|yesterday|firing|that|which)\b|$)",
    re.IGNORECASE,
)
"""What is left out of a list: 除 X 外, other than X."""
_SENTENCE_END = re.compile(r"[。；;！!？?\n]|\.(?=\s|$)")
_COMMA = re.compile("[，,]")
_SEPARATOR = re.compile(
    r"[、，,]|或者|还是|以及|(?<![饱总调温缓])和(?!平|谐|解)|[或及与跟]|\b(?:or|and|nor)\b", re.IGNORECASE
)
_NEW_CLAUSE = re.compile(
    r"\s*(?:[只仅请并但而先再]|如果|告诉|给出|同时|然后|直接|确认|帮|我|是否|有没有|有哪些|就|也?不要|也?别"
    r"|\b(?:only|just|please|but|then|are|is|did|does|do|have|has|what|which|how|why|any|when)\b)",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"^(?:到|关于|有关|任何|所有|一切|the|any|all)\s*|\s*(?:等等|等|相关|方面|这些|之类|的?问题|的?内容|的?情况|之外|以外|外)+$"
)
_UNNAMED = re.compile(
    r"^(?:其他|其它|别的|无关|多余|额外|更多|范围外|other|else|anything|others|unrelated)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Exclusions:
    """`subjects` in the user's words; `spans`: where they and the phrases before them stand. `is_order`: whether one of
    them asks to leave something alone, and not only to name the rest."""

    subjects: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    is_order: bool

    def left_of(self, text: str) -> str:
        """The text without what it excludes."""
        kept, start = [], 0
        for begin, end in self.spans:
            kept.append(text[start:begin])
            start = end
        return "".join([*kept, text[start:]])


def exclusions_of(text: str, written: str = "") -> Exclusions:
    """What a text excludes; a list of subjects ends with its sentence, or where a comma begins a new clause.

    `written`: the text with what is blanked in `text`, of the same length.
    """
    written = written or text
    ordered = list(_ordered(text))
    subjects: list[str] = []
    spans: list[tuple[int, int]] = []
    for begin, end, *listed in sorted([*ordered, *_all_but(text)]):
        if spans and begin < spans[-1][1]:
            continue
        spans.append((begin, end))
        subjects += _subjects(written[slice(*listed)])
    is_order = any(_subjects(written[slice(*listed)]) for _, _, *listed in ordered)
    return Exclusions(tuple(dict.fromkeys(subjects))[:_MAX_SUBJECTS], tuple(spans), is_order)


def without_all_but(text: str) -> str:
    """The text without what it only leaves out of a list: 除 X 外."""
    return _ALL_BUT.sub(" ", text)


def _ordered(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Each excluding phrase with the list behind it, and where that list stands."""
    start = limit = 0
    while found := _EXCLUDING.search(text, start):
        if found.end() > limit:
            sentence = _SENTENCE_END.search(text, found.end())
            limit = sentence.start() if sentence else len(text)
        start = _list_end(text, found.end(), limit)
        yield found.start(), start, found.end(), start


def _all_but(text: str) -> Iterator[tuple[int, int, int, int]]:
    """除 X 外."""
    for found in _ALL_BUT.finditer(text):
        yield *found.span(), *found.span(found.lastgroup or 0)


def _list_end(text: str, start: int, limit: int) -> int:
    """A comma goes on with the list, unless a new clause begins behind it."""
    for comma in _COMMA.finditer(text, start, limit):
        if _NEW_CLAUSE.match(text, comma.end(), limit):
            return comma.start()
    return limit


def _subjects(listed: str) -> list[str]:
    parts = (_framed_off(part) for part in _SEPARATOR.split(listed) if len(part) <= _MAX_SUBJECT)
    return [part for part in parts if part and not _UNNAMED.match(part)]


def _framed_off(part: str) -> str:
    part = part.strip(" \t'\"“”‘’「」`：:()（）.")
    while (inner := _FRAME.sub("", part)) != part:
        part = inner
    return part.strip()
