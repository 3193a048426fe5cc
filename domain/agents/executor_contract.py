"""The evidence contract as models write it, brought to the one form of version 2 (R11 to R13).

Slips of form are mended and named; what could change the meaning of a claim or the place of a proof is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from domain.contracts import Finding

VERSION_1 = "executor_evidence_v1"
VERSION_2 = "executor_evidence_v2"

_WHOLE_NUMBER = re.compile(r"\s*[0-9]{1,18}(?:\.0+)?\s*")


class ContractError(ValueError):
    """The object is JSON, but no evidence contract; the message says which part is wrong."""


def normalise(raw: dict[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    """The object in the shape of `ExecutorOutput`, and a `contract.*` finding for each slip that was mended.

    Raises ContractError where `claims` is no list, a claim or binding is no object, a claim has no text, or an id is no
    whole number.
    """
    form = _Form()
    version = raw.get("answer_version")
    if version != VERSION_2:
        form.note("version", f"answer_version is {version!r:.60}, read as {VERSION_2}")
    if not isinstance(raw.get("claims"), list):
        raise ContractError("claims is no list" if "claims" in raw else "claims is missing")
    return {
        "answer_version": VERSION_2,
        "diagnosis_summary": _plain(raw.get("diagnosis_summary")),
        "claims": form.claims(raw["claims"]),
        "hypotheses": [_hypothesis(entry) for entry in form.entries(raw, "hypotheses", "hypothesis_text")],
        "missing_info": [
            entry | {"info_id": _plain(entry.get("info_id"))}
            for entry in form.entries(raw, "missing_info", "description")
        ],
        "recommended_actions": form.actions(raw),
        "user_facing_answer": raw.get("user_facing_answer"),
    }, form.slips


def _hypothesis(entry: dict[str, Any]) -> dict[str, Any]:
    """Version 1 says `basis` and `needed_evidence` where version 2 says `missing_info`."""
    lacking = [entry.get("missing_info"), entry.get("basis"), entry.get("needed_evidence")]
    ids = entry.get("basis_claim_ids")
    return {
        "hypothesis_id": _plain(entry.get("hypothesis_id")),
        "hypothesis_text": entry["hypothesis_text"],
        "basis_claim_ids": [str(claim_id) for claim_id in ids] if isinstance(ids, list) else [],
        "missing_info": "；".join(text for part in lacking for text in _texts(part)),
    }


def _plain(value: Any) -> Any:
    """A missing text is empty and a number is its digits; anything else is left for the contract to judge."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) else value


def _texts(value: Any) -> Iterator[str]:
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str) and part:
            yield part


class _Form:
    """Mends one output and remembers what it mended."""

    def __init__(self) -> None:
        self.slips: list[Finding] = []

    def note(self, slip: str, message: str, subject: str = "") -> None:
        self.slips.append(Finding(rule=f"contract.{slip}", message=message, subject=subject))

    def claims(self, raw: list[Any]) -> list[dict[str, Any]]:
        taken: dict[str, int] = {}
        claims = []
        for number, claim in enumerate(raw, start=1):
            if not isinstance(claim, dict):
                raise ContractError(f"claims[{number - 1}] is no object")
            if not isinstance(claim.get("claim_text"), str) or not claim["claim_text"].strip():
                raise ContractError(f"claims[{number - 1}].claim_text is missing")
            claim_id = self._identifier(claim.get("claim_id"), f"claim-{number}", taken)
            if claim.get("evidence_bindings") is None:
                self.note("missing_list", "evidence_bindings is missing", claim_id)
            mended = {"claim_id": claim_id, "claim_type": str(claim.get("claim_type"))}
            claims.append(claim | mended | {"evidence_bindings": self._bindings(claim, claim_id)})
        return claims

    def actions(self, raw: dict[str, Any]) -> list[dict[str, Any]]:
        taken: dict[str, int] = {}
        actions = []
        for number, action in enumerate(self.entries(raw, "recommended_actions", "action_text"), start=1):
            action_id = self._identifier(action.get("action_id"), f"action-{number}", taken)
            mended = {"action_id": action_id, "reason": _plain(action.get("reason"))}
            actions.append(action | mended | {"evidence_bindings": self._bindings(action, action_id)})
        return actions

    def entries(self, raw: dict[str, Any], name: str, text_key: str) -> list[dict[str, Any]]:
        """An optional list: a missing one is empty, a bare text is an entry, an entry without text is left out."""
        if raw.get(name) is None:
            self.note("missing_list", f"{name} is missing")
            return []
        listed = raw[name] if isinstance(raw[name], list) else [raw[name]]
        if listed is not raw[name]:
            self.note("list", f"{name} is no list")
        entries = [{text_key: entry} if isinstance(entry, str) else entry for entry in listed]
        usable = [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get(text_key), str)]
        if len(usable) < len(entries):
            self.note("entry", f"{len(entries) - len(usable)} entries of {name} have no {text_key} and are left out")
        return usable

    def _identifier(self, given: Any, default: str, taken: dict[str, int]) -> str:
        """The id as text, unique among its kind: findings and facts are told apart by it."""
        written = str(given).strip() if isinstance(given, str | int | float) else ""
        wanted = unique = written or default
        while unique in taken:
            taken[wanted] += 1
            unique = f"{wanted}-{taken[wanted]}"
        taken[unique] = 1
        if unique != given:
            self.note("id", f"the id {given!r:.60} is read as {unique!r:.60}", unique)
        return unique

    def _bindings(self, owner: dict[str, Any], subject: str) -> list[dict[str, Any]]:
        raw = owner.get("evidence_bindings")
        if raw is None:
            return []
        if isinstance(raw, dict):
            self.note("list", "evidence_bindings is no list", subject)
            raw = [raw]
        if not isinstance(raw, list) or not all(isinstance(binding, dict) for binding in raw):
            raise ContractError(f"evidence_bindings of {subject} is no list of objects")
        return [one for binding in raw for one in self._of_one_call_each(binding, subject)]

    def _of_one_call_each(self, binding: dict[str, Any], subject: str) -> Iterator[dict[str, Any]]:
        """A binding of several calls, as in version 1, is one binding for each (R12)."""
        cited = [*_listed(binding.get("source_invocation_id")), *_listed(binding.get("source_invocation_ids"))]
        if len(cited) != 1 or isinstance(binding.get("source_invocation_id"), list):
            self.note("invocation_ids", f"{len(cited)} invocation ids in one binding", subject)
        ids = dict.fromkeys(self._invocation_id(value, subject) for value in cited)
        for invocation_id in ids or [None]:
            yield {
                "tool_name": _plain(binding.get("tool_name")),
                "source_invocation_id": invocation_id,
                "raw_path": binding.get("raw_path") or None,
                "evidence_excerpt": _plain(binding.get("evidence_excerpt")),
            }

    def _invocation_id(self, value: Any, subject: str) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
            return value
        if isinstance(value, bool) or not _WHOLE_NUMBER.fullmatch(str(value)):
            raise ContractError(f"source_invocation_id of {subject} is no whole number: {value!r:.60}")
        self.note("invocation_id", f"source_invocation_id is {value!r:.60}, no integer", subject)
        return int(str(value).split(".")[0])


def _listed(value: Any) -> list[Any]:
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else [value]
