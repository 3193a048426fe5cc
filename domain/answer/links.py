"""A model's words are no links (R73): what Markdown or HTML would make clickable stays to be read, as text.

An address that is written out stays as it is: it shows where it leads, and quotations hold addresses.
"""

from __future__ import annotations

import re

_LINK = re.compile(r"\](?=[(\[])")
_DEFINITION = re.compile(r"\](?=:\s*<?(?:[A-Za-z][A-Za-z0-9+.-]*:|/|www\.))")
_TAG = re.compile(
    r"<(?=/?(?:a|img|image|iframe|script|svg|math|form|input|button|object|embed|video|audio|link|meta|base|style|area|map)"
    r"[\s/>])",
    re.IGNORECASE,
)


def without_links(text: str) -> str:
    """`[here](http://x)` as `[here] (http://x)`, `<a href=…>` as `< a href=…>`."""
    if "]" in text:
        text = _DEFINITION.sub("] ", _LINK.sub("] ", text))
    return _TAG.sub("< ", text) if "<" in text else text
