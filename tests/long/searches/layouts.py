"""What a format of logs is here: how it writes an entry, and what can be known from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.long.searches.case import Written
from tests.long.searches.levels import FREE
from tests.long.searches.stamps import GENERAL


@dataclass(frozen=True, slots=True)
class Layout:
    """`levels`: the spellings it may use, () where it has no level by definition. `services`: the places besides file
    and folder where it may name a service: field, program, prefix; a layout with `always` names one in every line.
    `names`: the service that the format is itself. `traces`: whether an entry may go on over lines. `unseen`: no parser
    has a row for it. `access`: it writes requests, not messages. `head`: a first line. `worst`: the worst level that it
    can write. `bare`: a stamp and text, which no line can be told by."""

    name: str
    write: Callable[[Written], str]
    stamps: tuple[str, ...] = GENERAL
    levels: tuple[str, ...] = FREE
    services: tuple[str, ...] = ()
    always: bool = False
    names: str = ""
    traces: bool = False
    unseen: bool = False
    access: bool = False
    head: str = ""
    worst: int = 4
    bare: bool = False


def compact(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def named(fields: dict[str, Any], key: str, written: Written) -> dict[str, Any]:
    """`fields` with the service under `key`, if the entry names one; a trace as a field of its own."""
    if written.service:
        fields[key] = written.service
    if written.entry.trace:
        fields["stack_trace"] = "\n".join((written.message, *written.entry.trace))
    return fields
