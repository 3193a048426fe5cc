"""What a runtime of containers puts around the lines of a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from tests.long.searches.layouts import compact


@dataclass(frozen=True, slots=True)
class Wrapper:
    """`wrap(line, at, service)`: a physical line with what stands before it. `stamps`: it gives each line a time of a
    known zone. `prefix`: it names the service itself."""

    name: str
    wrap: Callable[[str, datetime, str], str]
    stamps: bool
    prefix: bool


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}789Z"


def _pod(service: str) -> str:
    return f"{service}-7d9f8b6c5-abcde"


WRAPPERS = (
    Wrapper("cri", lambda line, at, _: f"{_utc(at)} stderr F {line}", stamps=True, prefix=False),
    Wrapper(
        "docker json",
        lambda line, at, _: compact({"log": line + "\n", "stream": "stderr", "time": _utc(at)}),
        stamps=True,
        prefix=False,
    ),
    Wrapper("kubectl prefix", lambda line, _, s: f"[pod/{_pod(s)}/{s}] {line}", stamps=False, prefix=True),
    Wrapper("stern", lambda line, _, s: f"{_pod(s)} {s} {line}", stamps=False, prefix=True),
    Wrapper("compose v1", lambda line, _, s: f"{s}_1     | {line}", stamps=False, prefix=True),
    Wrapper("compose v2", lambda line, _, s: f"{s}-1  | {line}", stamps=False, prefix=True),
)
