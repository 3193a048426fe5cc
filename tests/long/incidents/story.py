"""What happens in an incident, before it is written down in any format.

In a text `⟦…⟧` encloses what is decisive, `⟨…⟩` within it the part that tells it where the line is long, `{name}` is
filled once an incident and `%name%` anew in every line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.long.incidents.draw import VARIABLE, Draw

MARKS = str.maketrans("", "", "⟦⟧⟨⟩")
DECISIVE = re.compile(r"⟦(.*?)⟧")
TELLING = re.compile(r"⟨(.*?)⟩")
LEAST_PART = 10
PLACES = ("net.Caller.send", "net.Retry.run", "flow.Step.apply", "web.Filter.handle", "core.Facade.load")


@dataclass(frozen=True, slots=True)
class Happening:
    """`at` and `until`: minutes after the onset, negative before it. `count` lines lie between them. `cause`: the
    text itself says what caused it. `tail`: lines that belong to it, such as a stack trace."""

    who: str
    level: str
    text: str
    at: float
    until: float | None = None
    count: int = 1
    cause: bool = False
    tail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AlertSketch:
    name: str
    who: str
    severity: str
    summary: str
    description: str
    value: float


@dataclass(frozen=True, slots=True)
class Story:
    """`runbook`: what the diagnosis and the mitigation of it say, as commands."""

    kind: str
    happenings: tuple[Happening, ...]
    alerts: tuple[AlertSketch, ...]
    diagnosis: tuple[str, ...]
    mitigation: tuple[str, ...]
    asks: Mapping[str, tuple[str, ...]]
    """What is asked about: zh and en words for the trouble, as people notice it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`parts`: who takes part and in which role. `tell` writes the story; the names it uses are those parts."""

    name: str
    parts: Mapping[str, str]
    tell: Callable[[Draw], Story]


def plain(text: str) -> str:
    return text.translate(MARKS)


def decisive_of(text: str) -> tuple[str, str] | None:
    """The decisive part of a text and its telling part."""
    found = DECISIVE.search(text)
    if found is None:
        return None
    telling = TELLING.search(found[1])
    return plain(found[1]), plain(telling[1] if telling else found[1])


def constant_parts(text: str) -> list[str]:
    """What of a text is the same in each of its lines, and long enough to know it by: the longest part alone."""
    parts = sorted((part.strip() for part in VARIABLE.split(plain(text))[::2]), key=len, reverse=True)
    return [part for part in parts[:1] if len(part) >= LEAST_PART]


def trouble(draw: Draw, caller: str, callee: str, how: str, at: float, until: float, count: int) -> Happening:
    """What `caller` logs of a `callee` that does not answer as it should; decisive, as it is the symptom."""
    texts = {
        "timeout": (
            "⟦call to {to} timed out after {t} ms⟧ request=%req%",
            "⟦GET http://{to}:8080/{p} failed: context deadline exceeded (Client.Timeout exceeded)⟧ trace=%req%",
            "⟦upstream {to} did not answer within {t}ms⟧, giving up on %path%",
            "⟦ReadTimeoutException calling {to}: no response in {t}ms⟧ [traceId=%req%]",
            "⟦request to {to} failed⟧: java.net.http.HttpTimeoutException trace=%req%",
        ),
        "status": (
            "⟦{to} answered 500 Internal Server Error for /{p}⟧ in %ms% ms request=%req%",
            "⟦unexpected status 503 from {to}⟧, body empty, trace=%req%",
            "⟦POST http://{to}/{p} returned 500⟧ after %slow%ms, request %req%",
        ),
        "refused": (
            "⟦dial tcp {ip}:8080: connect: connection refused ({to})⟧ trace=%req%",
            "⟦Connection refused: {to}/{ip}:8080⟧ while handling %path%",
            "⟦no healthy upstream for {to}⟧, request %req% rejected",
        ),
    }[how]
    words = {"t": str(draw.pick(800, 1500, 2000, 3000, 5000, 10000)), "p": draw.of(("quote", "reserve", "charge"))}
    text = draw.of(texts).replace("{to}", f"{{{callee}}}").replace("{t}", words["t"]).replace("{p}", words["p"])
    is_traced = "Exception" in text or draw.chance(0.15)
    return Happening(caller, "ERROR", text, at, until, count, tail=_trace(draw) if is_traced else ())


def _trace(draw: Draw) -> tuple[str, ...]:
    """A stack, in some draws with what caused it."""
    rows = [
        f"\tat com.example.{draw.of(PLACES)}({draw.pick('Call', 'Flow')}.java:{draw.randint(20, 400)})" for _ in "abc"
    ]
    cause = "Caused by: java.net.SocketException: Connection reset"
    return (*rows, cause, "\t... 14 more") if draw.chance(0.4) else tuple(rows)
