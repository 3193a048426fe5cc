"""R73: no answer has a clickable Markdown link; addresses that are written out stay."""

from __future__ import annotations

import re

import pytest

from domain.answer.links import without_links

LINK = re.compile(
    r"!?\[[^\[\]]*\]\([^)]*\)|\[[^\[\]]*\]\[[^\]]*\]|^[\s>*-]*\[[^\]]+\]:\s*<?(?:\w+:|/|www\.)|<(?:a|img|iframe)\b",
    re.M | re.I,
)


@pytest.mark.parametrize(
    "text",
    [
        "见 [手册](http://evil.example/x)",
        "![状态](https://evil.example/pixel.png)",
        "[a [b](http://x) c](http://y)",
        "[手册][1]\n\n[1]: http://evil.example",
        "- [手册]: https://evil.example",
        "[手册]\n\n[手册]: <javascript:alert(1)>",
        '<a href="http://evil.example">手册</a>',
        '<IMG SRC="http://evil.example/p.png">',
        "[x](javascript:alert(1))",
        "[x](<http://a b>)",
    ],
)
def test_what_would_be_clickable_is_text(text: str) -> None:
    assert LINK.search(text)
    assert not LINK.search(without_links(text))
    assert re.sub(r"\s", "", without_links(text)) == re.sub(r"\s", "", text)


@pytest.mark.parametrize(
    "text",
    [
        "GET http://10.0.0.7:8080/health 返回 503",
        "https://wiki.example/runbook",
        "<http://10.0.0.7/x>",
        "[main] ERROR: pool exhausted",
        "[ERROR]: boom",
        "$.logs[0] (见上)",
        "List<String> a < b",
        "日志：level=ERROR [thread-1] https://x/y?z=[1]",
    ],
)
def test_plain_text_and_addresses_stay(text: str) -> None:
    assert without_links(text) == text
