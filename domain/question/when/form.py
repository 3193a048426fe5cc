"""The form in which words of time are read, with the places of its characters in the question (R70)."""

from __future__ import annotations

import re
import unicodedata

from domain.language.time_words import TRADITIONAL

_CHINESE = "\u3400-\u9fff"
_GAP = re.compile(rf"(?<=[{_CHINESE}]) (?=[{_CHINESE}])")
_BLOTTED = re.compile(
    "[\"“「『《][^\"“”「」『』《》\n]{1,400}[\"”」』》]|`[^`\n]{1,400}`|(?<!\\w)'[^'\n]{1,200}'(?!\\w)"
    "|[a-z][a-z+]{1,10}://[!-~]{1,2000}"
)


def fold(text: str) -> tuple[str, list[int]]:
    """The text in lower case, half width, simplified characters and single blanks, none between Chinese characters.

    With it, where each character stands in `text`, and its length at the end. What stands in quotation marks and
    addresses is blotted out: it is no word of the question's own.
    """
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in unicodedata.normalize("NFKC", character).casefold().translate(TRADITIONAL):
            written = " " if letter.isspace() else letter
            if unicodedata.category(letter) != "Cf" and (written != " " or letters[-1:] != [" "]):
                letters.append(written)
                places.append(place)
    folded = "".join(letters)
    gaps = {match.start() for match in _GAP.finditer(folded)}
    places = [place for index, place in enumerate(places) if index not in gaps]
    return _BLOTTED.sub(_blot, _GAP.sub("", folded)), [*places, len(text)]


def _blot(match: re.Match[str]) -> str:
    """Nothing of what is quoted; a question that is quoted as a whole is the question."""
    is_all = not match.string[: match.start()].strip() and not match.string[match.end() :].strip()
    return match[0] if is_all else "\0" * len(match[0])
