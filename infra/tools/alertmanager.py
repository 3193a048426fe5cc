"""The answer of an Alertmanager (`/api/v2/alerts`, `amtool alert query -o json`) in the shape of a Prometheus server's.

It holds firing alerts alone, and says of each whether somebody is told of it. `active` (`unprocessed` at first) becomes
the state `firing`; `suppressed` stays: that fires too, but is silenced or inhibited. What the server said itself is
kept beside it, in `status`.
"""

from __future__ import annotations

from typing import Any

from pydantic import AwareDatetime, BaseModel, TypeAdapter

SUPPRESSED = "suppressed"

_STATES = {"active": "firing", "unprocessed": "firing"}
_NO_FACTS = frozenset({"startsAt", "endsAt"})  # the one is `activeAt`, the other when it expires unless it is repeated


class _Status(BaseModel):
    state: str


class _Alert(BaseModel):
    """What every alert has; the rest is passed on as the server gave it."""

    labels: dict[str, str]
    startsAt: AwareDatetime
    status: _Status


_ANSWER = TypeAdapter(list[_Alert])


def as_prometheus(answer: list[Any]) -> list[dict[str, Any]]:
    """The alerts with `state` and `activeAt`. Raises pydantic.ValidationError for what is no such answer."""
    return [_converted(raw, alert) for raw, alert in zip(answer, _ANSWER.validate_python(answer), strict=True)]


def _converted(raw: dict[str, Any], alert: _Alert) -> dict[str, Any]:
    kept = {name: value for name, value in raw.items() if name not in _NO_FACTS}
    return kept | {"state": _STATES.get(alert.status.state, alert.status.state), "activeAt": raw["startsAt"]}
