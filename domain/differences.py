"""What differs between two documents, place by place: of a session before and after an event, of two rounds, and of
what was decided and would be decided today (R58, R59).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_NAMES = (
    ("claim_id", "action_id", "index"),  # a checked binding
    ("kind", "id"),  # a claim or an action as checked
    ("rule", "subject"),  # a finding, an adjustment
    ("fact",),
    ("trace_ref",),
    ("claim_id",),
    ("action_id",),
    ("hypothesis_id",),
    ("info_id",),
    ("raw_path",),
    ("name",),
)
"""The fields by which members of a list are told apart, so that one more does not make all behind it differ."""


@dataclass(frozen=True, slots=True)
class Change:
    """One place of two documents, such as `claims[claim-1].claim_text`. None stands where there is nothing."""

    where: str
    before: Any
    after: Any


def changes(before: Any, after: Any, where: str = "") -> list[Change]:
    """Every place where two JSON documents differ, at the smallest part that does; what is new or gone as a whole is
    told by its members where those are documents themselves.
    """
    if before == after:
        return []
    if _is_nested(after) and before is None:
        before = type(after)()
    if _is_nested(before) and after is None:
        after = type(before)()
    if isinstance(before, dict) and isinstance(after, dict):
        dot = "." if where else ""
        return _of_members(before, after, lambda name: f"{where}{dot}{name}")
    if _holds_documents(before) and _holds_documents(after):
        return _of_members(_by_name(before), _by_name(after), lambda name: f"{where}[{name}]")
    return [Change(where, before, after)]


def _of_members(before: Mapping[str, Any], after: Mapping[str, Any], place: Callable[[str], str]) -> list[Change]:
    names = dict.fromkeys((*before, *after))
    return [change for name in names for change in changes(before.get(name), after.get(name), place(name))]


def _is_nested(value: Any) -> bool:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(member, dict) for member in members)


def _holds_documents(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(member, dict) for member in value)


def _by_name(documents: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Of several with one name the later ones are counted: `name (2)`."""
    named: dict[str, Mapping[str, Any]] = {}
    seen: Counter[str] = Counter()
    for index, document in enumerate(documents):
        name = _name(document, index)
        seen[name] += 1
        named[name if seen[name] == 1 else f"{name} ({seen[name]})"] = document
    return named


def _name(document: Mapping[str, Any], index: int) -> str:
    fields = next((fields for fields in _NAMES if all(field in document for field in fields)), ())
    return " ".join(str(document[field]) for field in fields if document[field] not in (None, "")) or str(index)
