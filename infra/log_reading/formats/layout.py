"""What stands between a stamp and the message of a line that has no layout of a format that is known.

A level is taken only where loggers write it: in brackets, in capitals, before a separator, behind tokens that are no
words of a sentence. A word in a sentence that happens to be a level's is none, so that it can exclude nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from domain.evidence.search import Header
from domain.language.failures import holds_failure
from domain.language.levels import LEVEL_WORDS, Level, level_of, level_of_letter

_PARTS = 12
_TOKENS = 4
_OF_JAVA = ("FINE", "FINER", "FINEST", "CONFIG")
_WORDS = frozenset(LEVEL_WORDS)
_CAPITALS = frozenset({word.upper() for word in LEVEL_WORDS} | set(_OF_JAVA))
_OPENING, _SEPARATING = '[<({"', "-|:–—,;"

_SPACE = re.compile(r"\s+")
_BRACKET = re.compile(
    r"\[\s{0,8}([^\[\]\n]{0,96}?)\s{0,8}\]|<([^<>\s]{1,32})>(?=\s)|\(([^()]{1,64})\)(?=\s)"
    r"|\{([^{}\s\"]{0,64})\}(?=\s)|\"([^\"]{0,64})\"(?=[,;|\t]|$)"
)
_SEPARATOR = re.compile(r"[-|:–—,;]+(?=\s|$|\[)|[|,;]|:(?=[A-Z]{3,9}:)|(?<=[A-Z]):(?=[a-z])")
_WORD = re.compile(r"[A-Za-z]{1,16}|[\u4e00-\u9fff]{2,10}")
_BEHIND_CAPITALS = re.compile(r"[\s:|\])},/;(]|-\s|$")
_BEHIND_WORD = re.compile(r"\s{0,8}[:|\]\t]|\s{2,8}| ?$| -(?= )|, | ")
_LETTER = re.compile(r"[TDIWEFCN](?= {0,2}\||\t|/[\w.]{1,64}\( {0,8}\d)")
_NAMED_LEVEL = re.compile(r"(?i:level|severity|lvl|loglevel)(?:: ?|=\"?)(?P<level>[A-Za-z]{3,13})\"?(?=[\s,;|]|$)")
_CHANNEL = re.compile(r"(?P<channel>[\w-]{1,64})\.(?P<level>[A-Z]{3,9}): ")
_TOKEN = re.compile(r"[^\s\[\]\"'{}]{1,96}+(?:\[\d{1,10}\]:?)?[ \t]{1,8}+(?P<separator>[-|:][ \t]{1,4})?")
_IN_BRACKET = re.compile(r"([A-Z]{3,9})[/ :|,]")
_HEADER_TOKEN = re.compile(r"[^\s\d./:@$#_=*-]{0,96}[\d./:@$#_=*-]|(?:main|root|app)(?:\s|$)")
FIRST_WORD = re.compile(r"[A-Za-z][\w.$/-]{1,95}(?=[\s:,]|$)")
_NAME = re.compile(r"[A-Za-z][\w.$@/-]{0,95}")
_OF_A_SERVICE = re.compile(
    r"[a-z][a-z0-9]{0,63}(?:[-_][a-z0-9]{1,63}){0,7}[-_](?:service|svc|server|api|gateway|app|web)"
)
_LEVEL_ALONE = re.compile(r"\s{0,8}(?P<level>[A-Z]{3,9})\s{1,8}(?=[A-Za-z0-9])")
_LEVELS_IN_CAPITALS = {word: level_of(word) for word in _CAPITALS}
_BARE = frozenset({"info", "information", "warn", "warning", "debug", "err"})
_QUALIFIED = re.compile(
    r" (?:mode|logging|level|logs?|about|on|off|of|for|is|was|to|from|pages?|flags?|messages?|thresholds?|endpoints?"
    r"|ports?|users?|requests?|calls?|files?|builds?|symbols?|output|info|information|signs?|lights?|emails?|banner)\b"
)
"""What follows one of those words where it says more of a thing and is no level."""


@dataclass(slots=True)
class Layout:
    """What was found in front of a message, and the message with the parts kept."""

    level: Level | None = None
    level_text: str = ""
    names: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    rest: str = ""

    @property
    def header(self) -> Header:
        return Header(
            self.level,
            self.level_text,
            tuple(self.names),
            tuple(self.hints),
            self.message,
            labels=tuple(self.labels),
        )

    @property
    def message(self) -> str:
        return " ".join(part for part in (*self.kept, self.rest) if part) if self.kept else self.rest


def read_layout(text: str) -> Layout:
    """The layout of a line behind its stamp."""
    layout = Layout()
    alone = _LEVEL_ALONE.match(text)
    if alone and (level := _LEVELS_IN_CAPITALS.get(alone["level"])) is not None:  # by far the most frequent layout
        layout.level, layout.level_text, position = level, alone["level"], alone.end()
    else:
        position = _behind_parts(layout, text)
    layout.rest = text[position:].strip().lstrip("| ")
    if first := FIRST_WORD.match(layout.rest):
        layout.hints.append(first[0])
    return layout


def _behind_parts(layout: Layout, text: str) -> int:
    position = _skipped(text, 0)
    for _ in range(_PARTS):
        end = _take(layout, text, position)
        if end == position:
            break
        position = _skipped(text, end)
    return position


def _skipped(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _take(layout: Layout, text: str, position: int) -> int:
    """Takes the part at a position and gives the position behind it; the same one where the message begins."""
    first = text[position : position + 1]
    if first and first in _OPENING:
        found = _BRACKET.match(text, position)
        if found is None:
            return position
        _take_bracket(layout, found[1] or next(filter(None, found.groups()), ""), found[0])
        return found.end()
    if first and first in _SEPARATING:
        found = _SEPARATOR.match(text, position)
        return found.end() if found else position
    if layout.level is not None or layout.level_text:
        return position
    end = _take_level(layout, text, position)
    if end != position or layout.level is not None:
        return end
    if (channel := _CHANNEL.match(text, position)) and channel["level"] in _CAPITALS:
        layout.hints.append(channel["channel"])
        layout.kept.append(f"{channel['channel']}:")
        return _taken(layout, channel["level"], channel.end())
    return _take_tokens(layout, text, position)


def _take_level(layout: Layout, text: str, position: int) -> int:
    """Takes a word or letter that is the level, or a pair that names it; gives the position where there is none."""
    found = _WORD.match(text, position)
    if found is None:
        return position
    word, end = found[0], found.end()
    if word in _CAPITALS:
        is_request = word == "TRACE" and text[end : end + 2] in (" /", " *")
        if not is_request and _BEHIND_CAPITALS.match(text, end):
            return _taken(layout, word, end)
    elif word.lower() in _WORDS:
        behind = _BEHIND_WORD.match(text, end)
        if behind is not None and behind[0] != " ":
            return _taken(layout, word, end)
        if behind is not None and _is_bare_level(word) and not _QUALIFIED.match(text, end):
            _taken(layout, word, end)  # it may be the first word of a sentence, which stays whole
    elif len(word) == 1 and (letter := _LETTER.match(text, position)):
        layout.level, layout.level_text = level_of_letter(letter[0]), letter[0]
        return letter.end()
    elif (named := _NAMED_LEVEL.match(text, position)) and named["level"].lower() in _WORDS:
        return _taken(layout, named["level"], named.end())
    return position


def _taken(layout: Layout, word: str, end: int) -> int:
    layout.level, layout.level_text = level_of(word), word
    return end


def _is_bare_level(word: str) -> bool:
    """Whether a word that a blank follows may be the level: a sentence may begin with it, which must not exclude."""
    level = level_of(word)
    return word.lower() in _BARE or (level is not None and level >= Level.ERROR)


def _take_bracket(layout: Layout, word: str, written: str) -> None:
    level = _level_in_bracket(word, written[0])
    if level is not None and layout.level is None:
        layout.level, layout.level_text = level, word
    elif not layout.names and _OF_A_SERVICE.fullmatch(word):
        layout.names.append(word)
    elif word:
        layout.kept.append(written)
        if _NAME.fullmatch(word):
            layout.hints.append(word)
            layout.labels.append(word)


def _level_in_bracket(word: str, opening: str) -> Level | None:
    if len(word) == 1:
        return level_of_letter(word) if opening == "[" and word.isupper() else None
    if word in _CAPITALS or word.lower() in _WORDS:
        return level_of(word)
    found = _IN_BRACKET.match(word)
    return level_of(found[1]) if found and found[1] in _CAPITALS else None


def _take_tokens(layout: Layout, text: str, position: int) -> int:
    """Up to four tokens and the level behind them, if none of them is a word of a sentence."""
    tokens: list[str] = []
    end = position
    while len(tokens) < _TOKENS and (token := _TOKEN.match(text, end)):
        written = token[0].strip()
        is_word = _HEADER_TOKEN.match(text, end, token.end()) is None
        if is_word and not token["separator"] and written[-1:] not in _SEPARATING:
            return position
        tokens.append(written.rstrip("-|: ") if token["separator"] else written)
        end = token.end()
        behind = _level_behind(layout, text, end)
        if _is_denied(layout, f"{written} {text[end : end + 64]}"):
            layout.level, layout.level_text = None, ""
            return position
        if layout.level is not None:
            layout.kept.append(" ".join(tokens))
            names = [one.rstrip(":") for one in tokens]
            layout.hints += [one for one in names if _NAME.fullmatch(one)]
            return behind
    return position


def _is_denied(layout: Layout, text: str) -> bool:
    """Whether what was taken for a level is a failure that the text denies: "…||no error in 120 rows"."""
    level = layout.level
    return level is not None and level >= Level.ERROR and layout.level_text.islower() and not holds_failure(text)


def _level_behind(layout: Layout, text: str, position: int) -> int:
    """Takes the level behind tokens, in brackets or not."""
    bracket = _BRACKET.match(text, position)
    if bracket is None:
        return _take_level(layout, text, position)
    word = bracket[1] or next(filter(None, bracket.groups()), "")
    level = _level_in_bracket(word, bracket[0][0])
    if level is not None:
        layout.level, layout.level_text = level, word
    return bracket.end()
