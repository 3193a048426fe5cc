"""What stands between a stamp and the message of a line that has no layout of a format that is known.

A level is taken only where loggers write it: in brackets, in capitals, before a separator, behind tokens that are no
words of a sentence. A word in a sentence that happens to be a level's is none, so that it can exclude nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from domain.language.levels import LEVEL_WORDS, Level, level_of, level_of_letter

_PARTS = 12
_WORDS = "|".join(re.escape(word) for word in LEVEL_WORDS)
_JUL = ("FINE", "FINER", "FINEST", "CONFIG")
_CAPITALS = "|".join(sorted({word.upper() for word in LEVEL_WORDS} | set(_JUL), key=len, reverse=True))

_LEVEL_HEAD = re.compile(
    rf"(?P<capitals>(?!TRACE [/*])(?:{_CAPITALS}))(?=[\s:|\])}},/;(]|-\s|$)"
    rf"|(?P<word>(?i:{_WORDS}))(?P<behind>\s{{0,8}}[:|\]\t]|\s{{2,8}}| ?$| -(?= )|, | )"
)
_LETTER = re.compile(r"(?P<letter>[TDIWEFCN])(?= {0,2}\||\t|/[\w.]{1,64}\( {0,8}\d)")
_NAMED_LEVEL = re.compile(rf"(?i:level|severity|lvl): ?(?P<level>(?i:{_WORDS}))(?=[\s,;|]|$)")
_CHANNEL = re.compile(rf"(?P<channel>[\w-]{{1,64}})\.(?P<level>{_CAPITALS}): ")
_BRACKET = re.compile(
    r"\[\s{0,8}([^\[\]\n]{0,96}?)\s{0,8}\]|<([^<>\s]{1,32})>(?=\s)|\(([^()]{1,64})\)(?=\s)"
    r"|\{([^{}\s\"]{0,64})\}(?=\s)|\"([^\"]{0,64})\"(?=[,;|\t]|$)"
)
_SEPARATOR = re.compile(r"[-|:–—,;]+(?=\s|$|\[)|[|,;]")
_TOKEN = re.compile(r"[^\s\[\]\"|]{1,96}(?=\s)")
_TOKENS_BEFORE_LEVEL = re.compile(
    rf"(?P<tokens>(?:[^\s\[\]\"'{{}}]{{1,96}}(?:\[\d{{1,10}}\]:?)?[ \t]{{1,8}}(?:[-|:][ \t]{{1,4}})?){{1,4}}?)"
    rf"(?P<level>\[?(?:{_CAPITALS})\]?)(?=[\s:|\])}},]|-\s|$)"
)
_LEVEL_IN_BRACKET = re.compile(rf"(?:{_CAPITALS})(?=[/ :|,]|$)|(?i:{_WORDS})$")
_LEVEL_ALONE = re.compile(rf"\s{{0,8}}(?P<level>{_CAPITALS})\s{{1,8}}(?=[A-Za-z0-9])")
_SPACE = re.compile(r"\s+")
_PAIR_HEAD = re.compile(r"[A-Za-z_@][\w.@/-]{0,63}=")
_HEADER_TOKEN = re.compile(r".*[\d./:@$#_=*-].*|main|root|app")
FIRST_WORD = re.compile(r"[A-Za-z][\w.$/-]{1,95}(?=[\s:,]|$)")
_NAME = re.compile(r"[A-Za-z][\w.$@/-]{0,95}")
_OF_A_SERVICE = re.compile(
    r"[a-z][a-z0-9]{0,63}(?:[-_][a-z0-9]{1,63}){0,7}[-_](?:service|svc|server|api|gateway|app|web)"
)
_BARE = frozenset({"info", "warn", "warning", "debug", "err"})
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
    kept: list[str] = field(default_factory=list)
    rest: str = ""

    @property
    def message(self) -> str:
        return " ".join(part for part in (*self.kept, self.rest) if part)


def read_layout(text: str) -> Layout:
    """The layout of a line behind its stamp."""
    layout = Layout()
    if found := _LEVEL_ALONE.match(text):  # by far the most frequent layout
        layout.level, layout.level_text = level_of(found["level"]), found["level"]
        return _behind(layout, text, found.end())
    position = _skipped(text, 0)
    for _ in range(_PARTS):
        end = _take(layout, text, position)
        if end == position:
            break
        position = _skipped(text, end)
    return _behind(layout, text, position)


def _behind(layout: Layout, text: str, position: int) -> Layout:
    layout.rest = text[position:].strip().lstrip("| ")
    if first := FIRST_WORD.match(layout.rest):
        layout.hints.append(first[0])
    return layout


def _skipped(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _take(layout: Layout, text: str, position: int) -> int:
    """Takes the part at a position and gives the position behind it; the same one where the message begins."""
    if found := _BRACKET.match(text, position):
        _take_bracket(layout, next(filter(None, found.groups()), ""), found[0], is_square=found[1] is not None)
        return found.end()
    if found := _SEPARATOR.match(text, position):
        return found.end()
    if layout.level is not None or layout.level_text:
        return position
    if found := _LEVEL_HEAD.match(text, position):
        return _take_level(layout, found, position)
    if found := _NAMED_LEVEL.match(text, position):
        layout.level, layout.level_text = level_of(found["level"]), found["level"]
        return found.end()
    if found := _LETTER.match(text, position):
        layout.level, layout.level_text = level_of_letter(found["letter"]), found["letter"]
        return found.end()
    if found := _CHANNEL.match(text, position):
        layout.level, layout.level_text = level_of(found["level"]), found["level"]
        layout.hints.append(found["channel"])
        layout.kept.append(f"{found['channel']}:")
        return found.end()
    return _take_tokens(layout, text, position)


def _take_level(layout: Layout, found: re.Match[str], position: int) -> int:
    word = found["capitals"] or found["word"]
    level = level_of(word)
    is_bare = found["capitals"] is None and found["behind"] == " "
    if is_bare and (not _is_bare_level(word, level) or _QUALIFIED.match(found.string, found.end("word"))):
        return position
    layout.level, layout.level_text = level, word
    if found["capitals"] is None and found["behind"] == " ":
        return position  # it may be the first word of a sentence, which stays whole
    return found.end("capitals") if found["capitals"] else found.end("word")


def _is_bare_level(word: str, level: Level | None) -> bool:
    """Whether a word that a blank follows may be the level: a sentence may begin with it, which must not exclude."""
    return word in _BARE or (level is not None and level >= Level.ERROR)


def _take_bracket(layout: Layout, word: str, written: str, *, is_square: bool) -> None:
    level = _level_in_bracket(word) if is_square or len(word) > 1 else None
    if level is not None and layout.level is None:
        layout.level, layout.level_text = level, word
    elif not layout.names and _OF_A_SERVICE.fullmatch(word):
        layout.names.append(word)
    elif word:
        layout.kept.append(written)
        if _NAME.fullmatch(word):
            layout.hints.append(word)


def _level_in_bracket(word: str) -> Level | None:
    if len(word) == 1:
        return level_of_letter(word) if word.isupper() else None
    found = _LEVEL_IN_BRACKET.match(word)
    return level_of(found[0]) if found else None


def _take_tokens(layout: Layout, text: str, position: int) -> int:
    """Up to four tokens and a level in capitals behind them, if none of them is a word of a sentence."""
    found = _TOKENS_BEFORE_LEVEL.match(text, position)
    if found is None:
        return position
    tokens = [token for token in found["tokens"].split() if token not in "-|:"]
    level = level_of(found["level"])
    is_header = all(_HEADER_TOKEN.fullmatch(token) for token in tokens) or _is_separated(found["tokens"])
    if level is None or not is_header:
        return position
    layout.kept.append(" ".join(tokens))
    layout.hints += [token.rstrip(":") for token in tokens if _NAME.fullmatch(token.rstrip(":"))]
    layout.level, layout.level_text = level, found["level"].strip("[]")
    return found.end()


def _is_separated(tokens: str) -> bool:
    return tokens.rstrip().endswith(("-", "|", ":"))
