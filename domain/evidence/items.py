"""The text of one item of a tool output: its own words and values, in the order of the source (R18).

Texts are put together, never inferred: values stand as the source wrote them. Fields that echo the request are left
out, so that a tool that repeats the query does not become evidence for it, and so is the shape of a message, which no
source has written (R90). An item without any text yields "".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Fields: TypeAlias = dict[str, str]

ALERT_NAME = ("alert_name", "alertname", "alertName", "alert", "name", "__name__", "title")
_STATE = ("state", "status", "status.state")
_PROSE = ("description", "summary", "message", "details")
_TIMESTAMP = ("timestamp", "@timestamp", "time", "ts", "datetime", "date")
_LEVEL = ("level", "log_level", "lvl", "severity")
SERVICE = ("service", "service_name", "serviceName", "svc", "app", "application", "component", "job")
_MESSAGE = ("message", "msg", "content", "log", "line", "text", "body")
BLOCK_TITLE = ("title", "name", "heading")
BLOCK_SOURCE = ("source", "source_document", "document", "path", "file", "url")
_BLOCK_CONTENT = ("content", "text", "chunk", "snippet", "excerpt", "body")
_ECHO = frozenset(
    {"query", "queries", "q", "search_query", "query_params", "keyword", "keywords", "filter", "filters"}
    | {"request", "request_params", "params", "input_params", "generatorURL", "externalURL", "fingerprint"}
    | {"message_shape"}
    | {"matched_query", "request_query", "search_terms", "highlight", "highlights", "_highlight", "_highlights"}
)
_TRANSPARENT = frozenset({"labels", "annotations", "metric", "stream", "fields", "attributes"})
_MAX_DEPTH = 4


def alert_text(alert: Any) -> str:
    """`HighMemoryUsage firing, service=order-service, current=91%, duration=15m; JVM heap usage 3.8GB/4GB`."""
    fields = flat_fields(alert)
    head = f"{take(fields, ALERT_NAME)} {take(fields, _STATE)}"
    prose = list(dict.fromkeys(filter(None, (take(fields, (name,)) for name in _PROSE))))
    return _joined(head, fields, prose)


def log_text(row: Any) -> str:
    """`<timestamp> <level> <service> <message>, key=value, …`; a row that is a string stands as it is."""
    fields = flat_fields(row)
    head = " ".join(filter(None, (take(fields, names) for names in (_TIMESTAMP, _LEVEL, SERVICE, _MESSAGE))))
    return _joined(head, fields, [])


def block_text(block: Any) -> str:
    """`<title>, source=<source>; <content>`."""
    fields = flat_fields(block)
    title, source, content = (take(fields, names) for names in (BLOCK_TITLE, BLOCK_SOURCE, _BLOCK_CONTENT))
    return _joined(title, {"source": source} if source else {}, [content] if content else [])


def item_text(item: Any) -> str:
    """`<name>, key=value, …` of an item of any other evidence tool."""
    fields = flat_fields(item)
    return _joined(take(fields, ("name", "__name__", "title")), fields, [])


def _joined(head: str, fields: Fields, prose: list[str]) -> str:
    record = ", ".join(filter(None, [head.strip(), *(f"{name}={value}" for name, value in fields.items())]))
    return "; ".join(filter(None, [record, *prose]))


def take(fields: Fields, names: tuple[str, ...]) -> str:
    """Remove and return the first of the named fields that is there, "" if none is."""
    return next((fields.pop(name) for name in names if name in fields), "")


def flat_fields(item: Any) -> Fields:
    """The scalar fields of an item by name, nested ones as `outer.inner` and `list[0].inner`, down to four levels.

    Labels and annotations stand without a prefix; a list of scalars is one field, `[a | b | c]`.
    """
    if not isinstance(item, Mapping):
        text = scalar_text(item)
        return {"message": text} if text else {}
    fields: Fields = {}
    for name, text in _walk("", item, 0):
        free = name if fields.get(name, text) == text else f"{name}#{len(fields)}"
        fields[free] = text
    return fields


def _walk(prefix: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            if depth < _MAX_DEPTH and key not in _ECHO:
                inner = prefix if key in _TRANSPARENT and isinstance(part, Mapping) else _dotted(prefix, key)
                yield from _walk(inner, part, depth + 1)
    elif isinstance(value, list):
        texts = [scalar_text(part) for part in value if not isinstance(part, Mapping | list)]
        if any(texts):
            yield prefix, f"[{' | '.join(filter(None, texts))}]"
        for index, part in enumerate(value):
            if isinstance(part, Mapping | list):
                yield from _walk(f"{prefix}[{index}]", part, depth + 1)
    elif text := scalar_text(value):
        yield prefix, text


def _dotted(prefix: str, key: str) -> str:
    return f"{prefix}.{key}" if prefix else key


def scalar_text(value: Any) -> str:
    """A scalar as the source wrote it; "" for null, for blank text and for what is no scalar."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case str():
            return value.strip()
        case _:
            return ""
