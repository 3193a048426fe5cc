"""Claims as they are drafted, and as they stand in the evidence contract."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infra.models.extractive.conversation import Ref

MAX_EXCERPT = 600  # characters; a longer item is quoted up to a space before that
MAX_BINDINGS = 12


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim without its number."""

    claim_type: str
    text: str
    refs: tuple[Ref, ...]


def quoted(text: str, limit: int) -> str:
    """The beginning of `text` on one line, cut at a space, never inside a word or number, and before any JSON."""
    line = " ".join(text.partition("{")[0].split())
    if len(line) <= limit:
        return line
    return line[: max(line.rfind(" ", 0, limit), 0)]


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
