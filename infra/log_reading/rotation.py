"""What the parts of one rotated log have in common in their names."""

from __future__ import annotations

import re

_PACKED = r"\.(?:gz|bz2|xz|zst|zstd|tgz|tbz2?|txz|tzst|tar|zip|z)"
_DATE = r"[-._]?(?:19|20)\d{2}[-._]?[01]\d[-._]?[0-3]\d"
_TIME = r"(?:[-._tT]?[0-2]\d[-._:]?[0-5]\d(?:[-._:]?[0-5]\d)?(?:[-._]\d{1,9})?)?"
_ENDS = re.compile(rf"(?:{_PACKED}|{_DATE}{_TIME}|[.-]\d{{1,4}}|[-.](?:old|bak|prev|previous))$", re.I)
_BEFORE_SUFFIX = re.compile(
    rf"(?:{_DATE}{_TIME}(?:[-._]\d{{1,4}})?|\.\d{{1,4}})(?=\.(?:log|txt|json|jsonl|out|err)$)", re.I
)
_PACKED_END = re.compile(rf"{_PACKED}$", re.I)
_MOST_ENDS = 4


def family_of(path: str) -> str:
    """A path without what rotation and packing add: `app.log-20310501.gz` and `app.2031-05-01.log` give `app.log`."""
    folder, slash, name = path.rpartition("/")
    for _ in range(_MOST_ENDS):
        name = _ENDS.sub("", name, count=1) or name
    return folder + slash + (_BEFORE_SUFFIX.sub("", name, count=1) or name)


def unpacked_name(name: str) -> str:
    """The name of an archive without its suffixes."""
    for _ in range(2):
        name = _PACKED_END.sub("", name) or name
    return name
