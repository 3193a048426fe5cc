"""The services that a text speaks of: what one of them does proves nothing of another (R36, R37)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from domain.contracts import ToolInvocation
from domain.language.service_words import BUSINESS, KINDS, SERVICE_ZH
from domain.language.services import in_chinese

_KEYS = ("service", "service_name", "serviceName", "svc", "app", "application", "component")
_IN_ITEM = re.compile(rf"(?<![\w.])(?:{'|'.join(_KEYS)})=([\w.-]+)")
_IN_OUTPUT = re.compile(rf'"(?:{"|".join(_KEYS)})"\s*:\s*"([\w.-]+)"')
_SHAPED = re.compile(
    rf"(?<![A-Za-z0-9_-])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*[-_](?:{'|'.join(KINDS)})(?![A-Za-z0-9_-])", re.I
)
_SHORTEST = 4  # characters: a shorter name is a word like app


def services_of(invocations: Sequence[ToolInvocation]) -> tuple[str, ...]:
    """Every service named by an argument, an item or a row of the calls."""
    return tuple(dict.fromkeys(name for call in invocations for name in _named(call) if len(name) >= _SHORTEST))


def _named(call: ToolInvocation) -> Iterator[str]:
    yield from (value for key in _KEYS if isinstance(value := call.input_params.get(key), str))
    yield from _IN_OUTPUT.findall(call.output)
    for ref in call.retrieval_details.evidence_refs or ():
        yield from _IN_ITEM.findall(ref.text)


def services_in(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """The services of a text: known ones, and what is shaped like one or called one in Chinese."""
    shaped = (found[0] for found in _SHAPED.finditer(text))
    called = (f"{english[0]}-service" for _, english in BUSINESS)
    return tuple(dict.fromkeys([*shaped, *(s for s in (*known, *called) if speaks_of(text, s))]))


def speaks_of(text: str, service: str) -> bool:
    """Whether the text names the service, also as order_service, OrderService or 订单服务."""
    first, _, kind = service.casefold().replace("_", "-").partition("-")
    alias = in_chinese(first) if kind in KINDS else None
    if first not in text.casefold() and not (alias and alias in text):
        return False
    return _pattern(service, alias).search(text) is not None


@lru_cache(maxsize=256)
def _pattern(service: str, alias: str | None) -> re.Pattern[str]:
    forms = [
        r"[-_ ]?".join(map(re.escape, re.split("[-_]", service))),
        *([f"{alias}(?:{'|'.join(SERVICE_ZH)})(?!器)"] if alias else []),
    ]
    return re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(forms)})(?![A-Za-z0-9_-])", re.IGNORECASE)
