"""What of a text's form does not count (R24): width, quotes, dashes, invisible characters, Markdown, JSON escapes."""

from __future__ import annotations

import json
import re
import unicodedata

_ANSI = re.compile(r"\x1b?\[\d{1,3}(?:;\d{1,3}){0,5}m(?![\]:])|\x1b\[[0-9;]*[A-Za-z]")
"""Colours, also without their escape byte, which copying loses; `rate(x[5m])` is none."""
_COLOUR = re.compile(r"\[\d{1,3}(?:;\d{1,3}){0,5}m")
_CONTROLS = dict.fromkeys([*range(9), *range(14, 32), 127])
_BLOCK_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]+)+(?!\d)", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w+])(?:\*{1,3}|`{1,3})(?=\S)|(?<=\S)(?:\*{1,3}|`{1,3})(?![\w+-])")
_ANY_BLOCK_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]*)+", re.MULTILINE)
_WIDE_COLON = re.compile(r"(?<![A-Za-z0-9_-])(\d{1,2}：\d{2}(?:：\d{2})?)(?!\d)|：")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_LABEL = re.compile(r"""\w+=(?:"[^"\n]*"|'[^'\n]*')""")
_LABELS = re.compile(rf"(?<=\w)\{{((?:{_LABEL.pattern},?\s?)+)\}}")
_JSON_ESCAPES = re.compile(r'(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))+')
_SURROGATES = re.compile(r"[\ud800-\udfff]")

_SAME = {
    **dict.fromkeys("“”„‟«»「」『』〝〞", '"'),
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("‐‑‒–—―−﹣", "-"),
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "≈": "~",
    "→": "->",
    "⇒": "=>",
    "⋯": "...",
    "\u2028": "\n",
    "\u2029": "\n",
}
_KEPT_APART = {"<super>", "<sub>", "<circle>"}
DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides and isolates: they make a text read in another order than it stands."""
_EMBEDDINGS = re.compile("[\u202a-\u202c\u2066-\u2069]")
MARKS = "\u0300-\u036f\u20d0-\u20f0"
_DISGUISE = re.compile(rf"[{DIRECTIONS}\u0334-\u0338\u20d0-\u20f0]")


def normalise(text: str) -> str:
    """The text in the one form in which quotation and item are compared; linear in its length."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text or _COLOUR.search(text):
        text = _ANSI.sub("", text)
    if not text.isprintable():
        text = text.translate(_CONTROLS)
    if not text.isascii():
        text = _fold_compatible(text)
        text = text.translate({ord(c): _SAME.get(c, "") for c in set(text) if c in _SAME or _is_invisible(c)})
    if ">" in text:
        text = _BLOCK_QUOTE.sub("", text)
    return _EMPHASIS.sub("", text) if "*" in text or "`" in text else text


def without_embeddings(text: str) -> str:
    """The text without the marks around words of the other writing direction, which a copy loses; overrides, by which
    a text reads otherwise than it stands, stay."""
    return _EMBEDDINGS.sub("", text)


def is_disguised(text: str) -> bool:
    """Whether characters are struck through, enclosed or set in another order: it reads otherwise than it stands."""
    return _DISGUISE.search(text) is not None


def undisguised(text: str) -> str:
    """The text as it stands, for people to read."""
    return _DISGUISE.sub("", text)


def without_block_quotes(text: str) -> str:
    """The text without the `>` of Markdown block quotes, also before a number, where it might be a comparison."""
    return _ANY_BLOCK_QUOTE.sub("", text)


def regrouped(text: str) -> str:
    """The text with thousands written without commas, and with the labels of each `metric{…}` ordered by name."""
    text = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), text) if "," in text else text
    return _LABELS.sub(lambda found: "{" + ",".join(sorted(_LABEL.findall(found[1]))) + "}", text)


def with_wide_colons_apart(text: str) -> str:
    """The text with `：` read as punctuation, not as the `:` of a compound; in a time of day it stays."""
    return _WIDE_COLON.sub(lambda found: found[1] or ": ", text)


def unescape_json(text: str) -> str:
    r"""The text with one level of JSON escapes resolved: `\n`, `\"`, `é`. Other backslashes stay."""
    resolved = _JSON_ESCAPES.sub(lambda found: str(json.loads(f'"{found[0]}"')), text)
    return _SURROGATES.sub("\ufffd", resolved)


def _fold_compatible(text: str) -> str:
    """NFKC, except for characters that it would turn into digits or into letters of another rank: 10² is not 102."""
    apart = {c for c in set(text) if not c.isascii() and _stays_apart(c)}
    if not apart:
        return unicodedata.normalize("NFKC", text)
    pieces = re.split(f"([{''.join(map(re.escape, sorted(apart)))}])", text)
    return "".join(p if p in apart else unicodedata.normalize("NFKC", p) for p in pieces)


def _stays_apart(character: str) -> bool:
    tag = unicodedata.decomposition(character).partition(" ")[0]
    if tag in _KEPT_APART:
        return True
    is_digit = unicodedata.category(character) == "Nd"
    return not is_digit and any(c.isdigit() for c in unicodedata.normalize("NFKC", character))


def _is_invisible(character: str) -> bool:
    """Zero-width and formatting characters, soft hyphens, variation selectors; none that changes how a text reads."""
    if _DISGUISE.match(character):
        return False
    return unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f" or character == "\u034f"
