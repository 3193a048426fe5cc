"""Claims as they are drafted, and as they stand in the evidence contract."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.language.failures import holds_failure
from infra.models.extractive.conversation import Ref

MAX_EXCERPT = 600  # characters; a longer item is quoted up to a space before that
MAX_BINDINGS = 40
_MOST_OBJECTS = 5
_FIELD_BEFORE = re.compile(r"[\w.@-]{1,80}[\"']?[=:]\s?[\"']?\Z")
_BLANK = re.compile(r"\s|$")


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim without its number."""

    claim_type: str
    text: str
    refs: tuple[Ref, ...]

    @property
    def quotations(self) -> int:
        """How much there is to read: its quotations, one at least."""
        return max(1, self.text.count("“"))


def quoted(text: str, limit: int, tells: Callable[[str], bool] = holds_failure) -> str:
    """`text` on one line; of a longer one the first part of it that `tells`, else its beginning, cut at spaces, never
    inside a word or number. Of JSON an ellipsis stays, unless it stands last."""
    line = " ".join(_without_objects(text).split()).removesuffix(" …")
    if len(line) <= limit:
        return line
    parts = [_cut(line[start:], limit) for start in _starts(line, limit)]
    return next((part for part in parts if tells(part)), parts[0])


def _starts(line: str, limit: int) -> Iterator[int]:
    """The beginning, and words half a quotation apart."""
    start = 0
    while start >= 0 and start + limit // 2 < len(line):
        yield start
        start = line.find(" ", start + limit // 2 - 1) + 1 or -1


def _cut(line: str, limit: int) -> str:
    return line if len(line) <= limit else line[: max(line.rfind(" ", 0, limit + 1), 0)]


def _without_objects(text: str) -> str:
    """Each JSON object with the whole field it stands in, `body="{…}"`, as an ellipsis."""
    for _ in range(_MOST_OBJECTS):
        start = text.find("{")
        if start < 0:
            return text
        named = _FIELD_BEFORE.search(text, 0, start)
        field = named.start() if named else start
        end = _end_of_object(text, start)
        text = f"{text[:field]}…{text[end:]}"
    return text.partition("{")[0]


def _end_of_object(text: str, start: int) -> int:
    """Behind the brace that closes an object and whatever goes on without a blank; the end of the text if none does."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            behind = _BLANK.search(text, place)
            return behind.start() if behind else len(text)
    return len(text)


def excerpt(ref: Ref) -> str:
    """The whole item, or, of a very long one, a whole-word beginning."""
    if len(ref.text) <= MAX_EXCERPT:
        return ref.text
    cut = max(ref.text.rfind(mark, 0, MAX_EXCERPT) for mark in " \n，。；")
    return ref.text[:cut] if cut > 0 else ref.text


def numbered(drafts: Iterable[Draft]) -> list[dict[str, Any]]:
    """The drafts as `claims` of the contract."""
    return [
        {
            "claim_id": f"claim-{number}",
            "claim_type": draft.claim_type,
            "claim_text": draft.text,
            "evidence_bindings": [_binding(ref) for ref in _distinct(draft.refs)[:MAX_BINDINGS]],
        }
        for number, draft in enumerate(drafts, start=1)
    ]


def _distinct(refs: Sequence[Ref]) -> list[Ref]:
    return list(dict.fromkeys(refs))


def _binding(ref: Ref) -> dict[str, Any]:
    return {
        "tool_name": ref.tool_name,
        "source_invocation_id": ref.invocation_id,
        "raw_path": ref.path,
        "evidence_excerpt": excerpt(ref),
    }


def verified_drafts(retry_context: Mapping[str, Any] | None) -> list[Draft]:
    """The claims that the first round has proven, with the refs it held: they may be bound again (R41)."""
    drafts = []
    for verified in (retry_context or {}).get("verified_claims") or ():
        claim, bindings = verified.get("claim") or {}, verified.get("refs") or ()
        refs = tuple(_held_ref(binding) for binding in bindings)
        if claim.get("claim_text") and refs:
            drafts.append(Draft(str(claim.get("claim_type")), str(claim["claim_text"]), refs))
    return drafts


def _held_ref(binding: Mapping[str, Any]) -> Ref:
    return Ref(
        tool_name=str(binding.get("tool_name")),
        invocation_id=int(binding.get("source_invocation_id") or 0),
        path=str(binding.get("raw_path")),
        text=str(binding.get("evidence_excerpt")),
    )
