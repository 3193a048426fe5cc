"""What each round of a session claimed, on which quotations, and what came of it, from the read models (R26, R30)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handlers.cli.plain import plain

WIDEST = 300
"""Characters shown of one text; `--json` gives all."""

Slot = Mapping[str, Any]


def round_lines(evaluation: Slot | None) -> list[str]:
    """A block for each round. The read models hold the last one with its claims and quotations, the others' facts."""
    if not evaluation:
        return []
    lines: list[str] = []
    for round in evaluation.get("rounds", ()):
        reason = f" ({round['reason']})" if round.get("reason") else ""
        lines += ["", f"round {round['round']}  {round['verdict']}  score {round['groundedness_score']}{reason}"]
        is_last = round["round"] == evaluation["round"]
        lines += _claims(evaluation) if is_last and evaluation.get("executor_structured_output") else _facts(round)
    return lines


def _claims(evaluation: Slot) -> Iterator[str]:
    """Claims and actions with their bindings, then facts that belong to no claim."""
    structured, checked = evaluation["executor_structured_output"], evaluation.get("gatekeeper_result") or {}
    facts = evaluation.get("facts_checked", ())
    bindings = checked.get("checked_bindings", ())
    for claim in structured.get("claims", ()):
        classes = [fact["verification"] for fact in facts if fact.get("claim_id") == claim["claim_id"]]
        yield _line(
            f"  {claim['claim_id']}  {claim['claim_type']}, {', '.join(classes) or 'unchecked'}", claim["claim_text"]
        )
        yield from _bindings(bindings, "claim_id", claim["claim_id"])
    for action in structured.get("recommended_actions", ()):
        yield _line(f"  {action['action_id']}  action", action["action_text"])
        yield from _bindings(bindings, "action_id", action["action_id"])
    yield from _facts({"facts_checked": [fact for fact in facts if not fact.get("claim_id")]})


def _facts(round: Slot) -> Iterator[str]:
    for fact in round.get("facts_checked", ()):
        yield _line(f"  fact  {fact['verification']}", fact["fact"])


def _bindings(bindings: Sequence[Slot], owner: str, id: str) -> Iterator[str]:
    for one in bindings:
        if one.get(owner) == id:
            place = f"{one['tool_name']} #{one['source_invocation_id']} {one['raw_path']}"
            yield plain(f"      {one['status']}  {one['match_kind'] or one['rule']}, {place}")
            yield _line("        quoted ", one["evidence_excerpt"])
            for name, there in (("matched", one.get("matched_text")), ("nearest", one.get("nearest_text"))):
                if there and there != one["evidence_excerpt"]:
                    yield _line(f"        {name}", there)


def _line(head: str, text: str) -> str:
    flat = " ".join(text.split())
    return plain(f"{head}  {flat if len(flat) <= WIDEST else flat[: WIDEST - 1] + '…'}")
