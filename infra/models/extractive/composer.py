"""The Composer's part: each proven claim in its own words."""

from __future__ import annotations

from typing import Any

from infra.models.extractive.conversation import Payload
from infra.models.extractive.words import mentions_any

_SUPPORTED = ("direct_evidence", "indirect_support")


def compose(payload: Payload) -> list[dict[str, Any]]:
    """`[{claim_ids, sentence}]`: one sentence for each supported claim that mentions nothing excluded."""
    excluded = [str(subject) for subject in payload.get("excluded") or () if subject]
    return [
        {"claim_ids": [claim["claim_id"]], "sentence": claim["claim_text"]}
        for claim in payload.get("claims") or ()
        if claim.get("verification") in _SUPPORTED and not mentions_any(str(claim["claim_text"]), excluded)
    ]
