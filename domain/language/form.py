"""The form in which words are sought in logs (R68): what a reader does not see, or sees as the same, does not count."""

from __future__ import annotations

import re
import unicodedata

_ESCAPES = re.compile(  # what is no text in any reading: a title or an address in an escape sequence stays
    r"\x1b\[[0-9;:?]{1,64}[a-z@]|\x1b\[[a-dhjkmsu]|\x1b\([ab0]|\x1b\]|\x1b"  # colours and cursor movements
    r"|(?:#033|\\033|\\x1b|\\u001b|\^\[)\[[0-9;]{0,32}[mk]"  # as syslog daemons, JSON and cat -v write them
)
_DASHES = dict.fromkeys("‐‑‒–—―−﹣", "-")
_QUOTES = {**dict.fromkeys("“”„‟«»「」『』〝〞", '"'), **dict.fromkeys("‘’‚‛′", "'")}
_SAME = {ord(written): plain for written, plain in {**_DASHES, **_QUOTES}.items()}
_UNSEEN = re.compile(  # formatting characters, fillers, variation selectors, tags
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def search_form(text: str) -> str:
    """The text without colours and invisible characters, full width, quotes and dashes folded, in lower case.

    Linear in the text. Positions are not kept: what is found here is quoted from the text itself.
    """
    if not text.isascii():
        text = _folded(text)
    text = text.lower()
    if "\x1b" in text or "033[" in text or "1b[" in text or "^[[" in text:
        return _ESCAPES.sub("", text).replace("\x07", " ")
    return text


def _folded(text: str) -> str:
    text = _UNSEEN.sub("", text)  # first: they would keep a letter and its accent apart
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    folded = text.translate(_SAME).casefold()
    return folded if unicodedata.is_normalized("NFC", folded) else unicodedata.normalize("NFC", folded)
