"""Evidence refs of one tool output, and what may be cited about its absence or completeness (R18 to R20)."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.contracts import TOOL_CLASSES, EvidenceRef, EvidenceStatus, RetrievalDetails, ToolClass
from domain.evidence.items import (
    ALERT_NAME,
    BLOCK_SOURCE,
    BLOCK_TITLE,
    SERVICE,
    Fields,
    alert_text,
    block_text,
    flat_fields,
    item_text,
    log_text,
    take,
)
from domain.json_objects import without_lone_surrogates

MAX_NAMES = 100
"""A summary ref lists every name or is not written: nothing incomplete may be cited as complete."""
_MAX_QUERY = 200  # characters of the query in a summary ref

_TEXTS: dict[str, Callable[[Any], str]] = {
    "alerts": alert_text,
    "logs": log_text,
    "evidence_blocks": block_text,
    "items": item_text,
}
_WHERE = (*SERVICE, "group", "consumer_group", "node", "host", "hostname", "instance", "target", "pod", "namespace")
_ITEM_NAME = ("name", "__name__", "title", "order_id", "id")
_TOTALS = ("total", "total_count", "totalCount", "count", "hits")
_LIMITS = ("limit", "page_size", "pageSize", "size", "max_results", "top_k", "topK")
_MORE = (
    *("truncated", "is_truncated", "IsTruncated", "has_more", "hasMore", "more", "partial", "timed_out", "timedOut"),
    *("warnings", "warning", "errors", "next", "next_page", "nextPage", "next_token", "nextToken", "NextToken"),
    *("next_page_token", "nextPageToken", "next_cursor", "nextCursor", "NextMarker", "continue", "links.next"),
    *("metadata.continue", "_links.next", "paging.next", "pagination.next", "_shards.failed", "terminated_early"),
)
"""What an answer says of itself when there is more than it holds; a dot leads into an object."""
_PLACE = ("cursor", "offset")  # where a page begins: more than the first page, but not that there are others
_PAGES = (("page", "pages"), ("page", "total_pages"), ("page", "totalPages"), ("page", "page_count"))
_DUPLICATE = ("deduplicated", "duplicate_of")
_DONE = frozenset({EvidenceStatus.DEDUPLICATED, EvidenceStatus.FAILED})


@dataclass(frozen=True, slots=True)
class _Answer:
    """A tool output as read: its evidence lists by name, and the objects that say how complete they are."""

    lists: dict[str, list[Any]]
    said: tuple[Mapping[str, Any], ...]
    is_missing: bool = False  # a list was null: nothing there, but also nothing that proves it

    @property
    def row_count(self) -> int:
        return sum(map(len, self.lists.values()))


def extract_evidence(
    tool_name: str,
    output: str | Mapping[str, Any],
    *,
    source: str = "",
    query: str = "",
    window: str = "",
    base: RetrievalDetails | None = None,
    tool_classes: Mapping[str, ToolClass] = TOOL_CLASSES,
) -> RetrievalDetails:
    """`retrieval_details` of a call from its masked output (R18 to R20).

    `source`, `query` and `window` say what was asked, for the summary ref; where they are empty, `base` and then the
    output's own fields of these names do. A call already known as failed or deduplicated keeps its status and gets no
    refs of its own, nor does a helper's. Output that is not JSON yields no refs and keeps the status of `base`; JSON
    without a known list yields none either, but is not "nothing matched": supported. The coverage of `base` decides
    whether there may be a summary ref (R69).
    """
    base = base or RetrievalDetails()
    refs = base.evidence_refs or ()
    if base.evidence_status in _DONE or tool_classes.get(tool_name) is ToolClass.HELPER:
        return base.model_copy(update={"evidence_refs": refs})
    loaded = _load(output)
    if loaded is None:
        return base.model_copy(update={"evidence_refs": refs})
    if _failed(loaded):
        return base.model_copy(update={"evidence_status": EvidenceStatus.FAILED, "evidence_refs": ()})
    if any(_is_set(loaded.get(key)) for key in _DUPLICATE):
        return base.model_copy(update={"evidence_status": EvidenceStatus.DEDUPLICATED, "evidence_refs": ()})
    asked = _Asked(
        source=source or _said(loaded, "source", "log_topic") or tool_name,
        query=query or base.query or _said(loaded, "query"),
        window=window or base.window or _said(loaded, "window"),
    )
    details = base.model_copy(update={"query": asked.query, "window": asked.window})
    answer = _read(loaded)
    if answer is None:
        status = EvidenceStatus.SUPPORTED if loaded else details.evidence_status
        return details.model_copy(update={"evidence_status": status, "evidence_refs": refs})
    return _with_refs(details, answer, asked)


def _with_refs(details: RetrievalDetails, answer: _Answer, asked: _Asked) -> RetrievalDetails:
    items = [ref for name, rows in answer.lists.items() for ref in _item_refs(name, rows)]
    proves_absence = details.coverage is None or details.coverage.complete
    lists = answer.lists.items() if proves_absence else ()
    scanned = details.coverage.counts.entries if details.coverage else None
    summaries = [ref for name, rows in lists if (ref := _summary_ref(name, rows, answer, asked, scanned))]
    status = EvidenceStatus.SUPPORTED if items else EvidenceStatus.NO_EVIDENCE
    sources = [take(flat_fields(block), BLOCK_SOURCE) for block in answer.lists.get("evidence_blocks", ())]
    return details.model_copy(
        update={
            "evidence_status": status,
            "evidence_refs": (*items, *summaries),
            "source_documents": details.source_documents or tuple(dict.fromkeys(filter(None, sources))),
        }
    )


def _item_refs(name: str, rows: list[Any]) -> list[EvidenceRef]:
    texts = ((index, _TEXTS[name](row)) for index, row in enumerate(rows))
    return [EvidenceRef(raw_path=f"$.{name}[{index}]", text=text) for index, text in texts if text]


# ---------------------------------------------------------------- reading the output


def _load(output: str | Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The output as an object, numbers with a fraction as written; a bare list counts as `items`. None: no JSON."""
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, default=str)
    try:
        value = json.loads(without_lone_surrogates(text), parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    if value is None:
        return {}
    if isinstance(value, list):
        return {"items": value}
    return value if isinstance(value, dict) else None


def _failed(loaded: Mapping[str, Any]) -> bool:
    refused = loaded.get("success") is False or loaded.get("status") in ("error", "failed", "failure")
    return refused or any(bool(loaded.get(key)) for key in ("error", "error_message"))


def _read(loaded: Mapping[str, Any]) -> _Answer | None:
    holders = [loaded, *(part for key in ("data", "retrieval_details") if isinstance(part := loaded.get(key), dict))]
    for holder in holders:
        found = {name: holder[name] for name in _TEXTS if isinstance(holder.get(name, ""), list | type(None))}
        if found:
            lists = {name: rows or [] for name, rows in found.items()}
            return _Answer(lists, (loaded, holder), is_missing=None in found.values())
        if isinstance(result := holder.get("result"), list) and "resultType" in holder:
            return _Answer({"items": _samples(result)}, (loaded, holder))
    return None


def _samples(result: list[Any]) -> list[Any]:
    """The series of a Prometheus query as items: labels, and the value or values as the server wrote them."""
    if result and not isinstance(result[0], dict):  # a scalar or string: [time, value]
        return [{"value": result[-1]}]
    return [_sample(series) if isinstance(series, dict) else series for series in result]


def _sample(series: dict[str, Any]) -> dict[str, Any]:
    """Of a native histogram count and sum; its buckets are figures of the histogram, not values."""
    told: dict[str, Any] = {"metric": series.get("metric")}
    for key in ("value", "histogram"):
        if key in series:
            told[key] = _valued(series[key])
    for key in ("values", "histograms"):
        if series.get(key):
            told[key] = [_valued(point) for point in series[key]]
    return told


def _valued(point: Any) -> Any:
    """What stands behind the time of a point."""
    value = point[-1] if isinstance(point, list) and point else point
    return {key: part for key, part in value.items() if key != "buckets"} if isinstance(value, dict) else value


# ---------------------------------------------------------------- what a complete answer proves


@dataclass(frozen=True, slots=True)
class _Asked:
    source: str
    query: str
    window: str


def _summary_ref(name: str, rows: list[Any], answer: _Answer, asked: _Asked, scanned: int | None) -> EvidenceRef | None:
    """One ref at the list's own path, only for a complete answer (R20). `scanned`: how many entries were looked at."""
    names = _names(name, rows)
    if not _is_complete(answer) or len(names) > MAX_NAMES:
        return None
    parts = [f"source={_without_total(asked.source)}", f'query="{_without_total(_shortened(asked.query))}"']
    parts += [f"window={_without_total(asked.window)}"] if asked.window else []
    parts += [f"scanned={scanned}"] if scanned is not None else []
    listed = f": {', '.join(map(_without_total, names))}" if names else ""
    return EvidenceRef(raw_path=f"$.{name}", text=f"{' '.join(parts)} total={len(rows)}{listed}")


def _is_complete(answer: _Answer) -> bool:
    """Not cut, and either counted by the tool itself or below every limit it names."""
    said = {key: value for holder in answer.said for key, value in holder.items()}
    if any(_is_set(_at(said, key)) for key in _MORE) or any(_is_before(said, *pages) for pages in _PAGES):
        return False
    totals = [_count(said[key]) for key in _TOTALS if said.get(key) is not None]
    if totals:
        return all(total == answer.row_count for total in totals)
    limits = [_count(said[key]) for key in _LIMITS if said.get(key) is not None]
    cut = any(limit is None or answer.row_count >= limit for limit in limits)
    return not (cut or answer.is_missing or any(_is_set(said.get(key)) for key in _PLACE))


def _is_set(flag: Any) -> bool:
    return bool(flag) and flag not in ("false", "False", "0")


def _at(said: Mapping[str, Any], path: str) -> Any:
    """The value behind a dotted path, None where there is none."""
    value: Any = said
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _is_before(said: Mapping[str, Any], page: str, pages: str) -> bool:
    """Whether this is not the last page, or one of them is no number."""
    if said.get(pages) is None:
        return False
    at, of = _count(said.get(page)) or 0, _count(said[pages])
    return of is None or at < of


def _count(value: Any) -> int | None:
    """A count, also as text or in Elasticsearch's form; None for what is no exact count."""
    if isinstance(value, dict):
        value = value.get("value") if value.get("relation", "eq") == "eq" else None
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,18}", value) else None


def _names(name: str, rows: Sequence[Any]) -> list[str]:
    """Every distinct name among the rows, with how often it is there; rows without one are counted as unnamed."""
    counts = Counter(_name_of(name, flat_fields(row)) for row in rows)
    unnamed = counts.pop("", 0)
    names = [found if count == 1 else f"{found} (x{count})" for found, count in counts.items()]
    return [*names, f"unnamed (x{unnamed})"] if names and unnamed else names


def _name_of(name: str, fields: Fields) -> str:
    match name:
        case "alerts":
            alert, where = take(fields, ALERT_NAME), take(fields, _WHERE)
            return f"{alert}({where})" if alert and where else alert
        case "logs":
            return take(fields, SERVICE)
        case "evidence_blocks":
            return take(fields, BLOCK_TITLE)
        case _:
            item, where = take(fields, _ITEM_NAME), take(fields, _WHERE)
            return f"{item}({where})" if item and where else item or where


def _said(loaded: Mapping[str, Any], *keys: str) -> str:
    """The first of the fields that is there, as one line."""
    value = next((loaded[key] for key in keys if loaded.get(key)), "")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shortened(query: str) -> str:
    line = " ".join(query.split()).replace('"', "'")
    return line if len(line) <= _MAX_QUERY else f"{line[:_MAX_QUERY]}…"


_TOTAL_SAID = re.compile(r"total\s*=", re.IGNORECASE)


def _without_total(text: str) -> str:
    """The text, unless it says `total=` itself: only code may write that in a summary ref."""
    visible = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    return "…" if _TOTAL_SAID.search(visible) else text
