"""Objects that hold several entries: batches of collectors and cloud services on one line, lists of objects (R18)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from infra.log_reading.formats.json_values import Fields, as_json, read_json

_LISTS = ("logEvents", "events", "Records", "entries", "records")
_MOST = 10_000


def records_of(text: str) -> list[str]:
    """The entries of a line or document as JSON texts, each with what is said of all; none if it holds no such list."""
    if not text.startswith(("[{", "{")):
        return []
    try:
        value = read_json(text)
    except ValueError:
        return []
    return [as_json(record) for record in records_in(value)][:_MOST]


def records_in(value: Any) -> list[Fields]:
    """The entries that a value holds."""
    if isinstance(value, list):
        return value if value and all(isinstance(one, Fields) for one in value) else []
    if not isinstance(value, Fields):
        return []
    if isinstance(value.get("resourceLogs"), list):
        return list(_telemetry(value["resourceLogs"]))
    for key in _LISTS:
        inner = value.get(key)
        if isinstance(inner, list) and inner and all(isinstance(one, Fields) for one in inner):
            shared = [(name, said) for name, said in value.pairs if name != key]
            return [fields_of([*one.pairs, *shared]) for one in inner]
    return []


def fields_of(pairs: list[tuple[str, Any]]) -> Fields:
    """An object of these members."""
    fields = Fields(pairs)
    fields.pairs = pairs
    return fields


def _telemetry(resources: list[Any]) -> Iterator[Fields]:
    """Records of OpenTelemetry with their resource and scope."""
    for resource in filter(_is_object, resources):
        scopes = resource.get("scopeLogs") or resource.get("instrumentationLibraryLogs") or []
        for scope in filter(_is_object, scopes):
            about = [("resource", resource.get("resource")), ("scope", scope.get("scope"))]
            shared = [(name, said) for name, said in about if isinstance(said, Fields)]
            for record in filter(_is_object, scope.get("logRecords") or []):
                yield fields_of([*record.pairs, *shared])


def _is_object(value: Any) -> bool:
    return isinstance(value, Fields)
