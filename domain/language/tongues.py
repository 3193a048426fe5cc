"""Which language an answer is written in: the question's, else the configured one (R83)."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Language: TypeAlias = Literal["zh", "en"]
"""Chinese or English, of an answer with all its parts."""

CHINESE = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""Chinese characters, as a class of expressions holds them; punctuation is none."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


SENTENCE_WORDS = _words(
    "the an is are was were be been being am do does did have has had will would can could should shall may might must"
    " what which who whose whom when where why how whether if then than that this these those there here any some all"
    " each every both other another and or but nor not no none nothing anything something in on at of for from to into"
    " onto over with without within by about since until during before after between through across against under above"
    " below near via per as so because while although it its they them their we us our you your my me please show tell"
    " list find check confirm verify investigate diagnose analyze analyse explain describe look see give get count"
    " compare summarize summarise search only just still again ever already yet currently recently today yesterday"
    " tonight now happened happening happen occurred occur exist exists fix resolve handle mean means many much last"
    " past recent latest"
)
"""English words that make a text a sentence, or a request; names of things are none."""

_CHINESE = re.compile(f"[{CHINESE}]")
_WORD = re.compile(r"(?<![\w./:@=-])[A-Za-z]{2,}(?:['’][a-z]{1,2})?(?![\w@=-]|[./:]\w)")


def language_of(question: str, default: Language = "zh") -> Language:
    """Chinese if the question holds any Chinese; English if it holds words of English sentences; else the default.

    Names and codes alone, `HighCPUUsage payment-service`, are of no language.
    """
    if _CHINESE.search(question):
        return "zh"
    words = (re.split("['’]", word)[0] for word in _WORD.findall(question))
    return "en" if any(word.casefold() in SENTENCE_WORDS for word in words) else default
