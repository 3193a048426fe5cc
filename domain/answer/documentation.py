"""Text of a runbook in an answer: verbatim, under its title and source, its commands as they stand (ANSWERS.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain.answer.texts import TEXTS, text
from domain.contracts import ClaimType, VerifiedClaim
from domain.language.tongues import Language
from domain.quotation.normalise import is_disguised

_LEADS = tuple(
    re.compile(
        re.escape(row).replace(r"\{title\}", r"(?P<title>.{1,1000}?)").replace(r"\{source\}", r"(?P<source>.{1,500}?)")
    )
    for row in TEXTS["documentation"]
)


def quotation(title: str, source: str, content: str, language: Language = "zh") -> str:
    """The claim that quotes a document: 据《title》（source）：, then its text on lines of its own."""
    return f"{text('documentation', language, title=title, source=source)}\n{content}"


def quoted_part(claim_text: str) -> str:
    """What a claim quotes, without its lead in either language; the whole text where it has none."""
    found = next(filter(None, (lead.match(claim_text) for lead in _LEADS)), None)
    return claim_text[found.end() :].strip("\n") if found else claim_text


def is_quotation(verified: VerifiedClaim) -> bool:
    """Whether the claim is a document's own text under its lead: it is then shown as it stands, by code."""
    claim = verified.claim
    if claim.claim_type is not ClaimType.DOCUMENTATION or is_disguised(claim.claim_text):
        return False
    quoted = quoted_part(claim.claim_text)
    return quoted != claim.claim_text and _stands_in(quoted, [ref.evidence_excerpt for ref in verified.refs])


def parted(allowed: Sequence[VerifiedClaim]) -> tuple[list[VerifiedClaim], list[VerifiedClaim]]:
    """The claims that the Composer words, and the quotations of documents, which nobody words otherwise."""
    quoted = [is_quotation(verified) for verified in allowed]
    worded = [one for one, is_quoted in zip(allowed, quoted, strict=True) if not is_quoted]
    return worded, [one for one, is_quoted in zip(allowed, quoted, strict=True) if is_quoted]


def _stands_in(quoted: str, items: Sequence[str]) -> bool:
    lines = "".join(quoted.split())
    return bool(lines) and any(lines in "".join(item.split()) for item in items)
