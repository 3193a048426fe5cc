"""The shape of a message: its text with what changes from entry to entry folded (R90). A shape is no quotation."""

from __future__ import annotations

import re

READ = 400
"""Characters of a message's first line that its shape is of."""
FOLDED = "<any>"

_TELLING = ("msg", "message", "error", "err", "reason", "cause", "detail", "event")
"""Keys whose quoted value is what is said, not whose it is."""
_KEPT_BEFORE = ("status=", "status:", "status ", "code=", "code:", "code ", '" ', "HTTP ", "returned ", "状态码")
_VENDORS = ("ORA-", "TNS-", "PLS-", "SQLSTATE[", "SQLSTATE ", "errno=", "errno ")
"""What codes that say what is wrong begin with."""

_VARIABLE = re.compile(
    '"'
    + "".join(f'(?<!{key}=")' for key in _TELLING)
    + r'(?:[^"\\\n]|\\.){0,256}"(?!\s?:)'  # a quoted value
    + r"|'(?<!\w')[^'\n]{1,128}'(?!\w)"
    + r"|/(?<=[\s\"'=(\[]/)(?=[A-Za-z{])[\w.{}%~+-]{1,64}(?:/[\w.{}%~+:-]{0,64}){0,16}"  # a path
    + r"|(?:\d(?<![A-Za-z0-9]\d)|[A-Za-z](?<![A-Za-z0-9][A-Za-z])[A-Za-z]{0,32}\d)"  # a part of a word with a digit
    + "".join(f"(?<!{re.escape(key)}\\d)" for key in _VENDORS)
    + r"(?!(?<=[1-5])(?=\d\d(?![\w.:-]))(?:"
    + "|".join(f"(?<={re.escape(key)}\\d)" for key in _KEPT_BEFORE)
    + "))"
    + r"(?!(?<=[A-Z]_\d)\d{0,2}(?![A-Za-z0-9]))"  # ERR_POOL_42
    + r"[A-Za-z0-9_.:%+-]{0,256}"  # and whatever is joined to it
)
_BLANKS = re.compile(r"[ \t]{2,}")
_IDS = re.compile(
    r"(?<![\w.-])(?:"
    r"(?P<uuid>[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})"
    r"|(?P<hex>(?=[0-9a-f]{0,31}\d)(?=[0-9]{0,31}[a-f])[0-9a-f]{12,64})"
    r"|(?P<address>(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?)"
    r"|(?P<pod>[a-z][a-z0-9-]{0,62}-[0-9a-f]{6,10}-[a-z0-9]{5})"
    r")(?![\w-]|\.\d)"
    r"|(?i:(?:trace|request|req|correlation|order|job|batch|session|transaction)[_-]?id)[\"']?\s{0,2}[=:]\s{0,2}[\"']?"
    r"(?P<named>[\w-]{4,64})"
)
_OPEN_ADDRESSES = ("0.0.0.0", "127.0.0.1", "255.255.255.255")
MOST_IDS = 8


def shape_of(message: str) -> str:
    """The first line of a message without its numbers, ids, addresses, quoted values and variable parts of paths.

    HTTP statuses and codes of errors stay: they say what happened, not to whom. Linear in what is read of it.
    """
    line = message[: READ * 2].lstrip().split("\n", 1)[0][:READ].rstrip()
    return _BLANKS.sub(" ", _VARIABLE.sub(FOLDED, line))


def ids_in(message: str) -> tuple[str, ...]:
    """The ids of requests, pods and addresses in the beginning of a message, at most MOST_IDS, each once."""
    found: dict[str, None] = {}
    for match in _IDS.finditer(message, 0, READ * 2):
        said = match[match.lastgroup or 0]
        if said.rpartition(":")[0] not in _OPEN_ADDRESSES and said not in _OPEN_ADDRESSES and not said.isalpha():
            found[said] = None
            if len(found) == MOST_IDS:
                break
    return tuple(found)
