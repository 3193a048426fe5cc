"""`tool_trace_summary`: what the evidence tools were asked and what they held, from recorded calls (R43 to R45).

It is for orientation, never the proof of a claim. Every fact in it is cut out of an evidence ref, so it names nothing
that is not in a tool output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from domain.contracts import (
    EvidenceLevel,
    EvidenceRef,
    EvidenceStatus,
    RetryContext,
    ToolClass,
    ToolInvocation,
    TraceEntry,
)

MAX_SUMMARY = 600  # characters of one output_summary
_MAX_FACT = 200
_MAX_INPUT = 200
_MAX_SAMPLES = 5
_MAX_DOCUMENTS = 20

_PREFIXES = {"query_metrics": "metric_evidence", "query_logs": "log_evidence", "lookup_knowledge": "knowledge_evidence"}
_ROOT_CAUSE = re.compile(r"根因|原因|导致|引发|由于|root cause|caused by|because of", re.IGNORECASE)
_FIX = re.compile(r"修复|处置|恢复|缓解|解决|回滚|重启|扩容|fix|mitigat|remed|rollback|restart", re.IGNORECASE)
_TELLING = re.compile(r"[a-z0-9][\w./:%-]*[\w%]|[\u4e00-\u9fff](?=([\u4e00-\u9fff]))", re.IGNORECASE | re.ASCII)
_ALERT_FIELDS = re.compile(
    r"(?:service|app|job|group|node|host|instance|target|pod|value|values|current|threshold|limit|duration|activeAt"
    r"|[a-z0-9_]*(?:used|usage|lag|rate|p\d\d|ratio|count))=",
    re.IGNORECASE,
)
_FIRING = re.compile(r"[^,;]*\bfiring\b")
_SERIES = re.compile(r"=\[([^\[\]]*)\]")


def summarise_trace(
    invocations: Sequence[ToolInvocation],
    tool_classes: Mapping[str, ToolClass],
    *,
    answer_text: str = "",
    retry_context: RetryContext | None = None,
) -> tuple[TraceEntry, ...]:
    """One entry for each tool, topic domain and round, in the order of their first calls.

    Ids ascend over rounds, so an entry keeps its `trace_ref` when later calls are added. `answer_text` and
    `retry_context` decide which facts come first where not all of them fit.
    """
    groups: dict[tuple[str, str, int], list[ToolInvocation]] = {}
    for call in sorted(invocations, key=lambda call: call.id):
        if tool_classes.get(call.tool_name, ToolClass.HELPER) is not ToolClass.HELPER:
            key = (call.tool_name, call.retrieval_details.topic_domain, call.round)
            groups.setdefault(key, []).append(call)
    interest = _Interest(answer_text, retry_context.missing_evidence_facts if retry_context else ())
    return tuple(
        _entry(f"trace-{number}", calls, tool_classes[calls[0].tool_name], interest)
        for number, calls in enumerate(groups.values(), start=1)
    )


def slim(entries: Iterable[TraceEntry]) -> list[dict[str, Any]]:
    """The fields that the Verifier gets (003 section 5)."""
    shown = {
        "trace_ref",
        "tool_name",
        "source_invocation_ids",
        "evidence_level",
        "output_summary",
        "invocation_count",
        "no_hit_invocation_count",
    }
    return [entry.model_dump(mode="json", include=shown) for entry in entries]


def _entry(trace_ref: str, calls: list[ToolInvocation], tool_class: ToolClass, interest: _Interest) -> TraceEntry:
    hits = [call for call in calls if _status(call) is EvidenceStatus.SUPPORTED]
    first = hits[0] if hits else calls[0]
    failed = sum(_status(call) is EvidenceStatus.FAILED for call in calls)
    details = [call.retrieval_details for call in calls]
    return TraceEntry(
        trace_ref=trace_ref,
        tool_name=first.tool_name,
        success=bool(hits),
        input_summary=_cut(_asked(first), _MAX_INPUT),
        output_summary=_output_summary(calls, hits, interest),
        evidence_level=_level(hits, tool_class),
        topic_domain=first.retrieval_details.topic_domain,
        source_invocation_ids=tuple(call.id for call in calls),
        invocation_count=len(calls),
        failed_invocation_count=failed,
        no_hit_invocation_count=len(calls) - len(hits) - failed,
        query_samples=_distinct((_cut(_asked(call), _MAX_INPUT) for call in calls), _MAX_SAMPLES),
        retrieval_layers=_distinct((detail.retrieval_layer for detail in details), _MAX_SAMPLES),
        relevance_levels=_distinct((detail.relevance_level for detail in details), _MAX_SAMPLES),
        source_documents=_distinct((name for detail in details for name in detail.source_documents), _MAX_DOCUMENTS),
    )


def _status(call: ToolInvocation) -> EvidenceStatus:
    return call.retrieval_details.evidence_status if call.success else EvidenceStatus.FAILED


def _level(hits: list[ToolInvocation], tool_class: ToolClass) -> EvidenceLevel:
    """Live hits are direct; of the knowledge base only those found by meaning alone (layer L1) are indirect."""
    if not hits:
        return EvidenceLevel.NONE
    layers = {call.retrieval_details.retrieval_layer for call in hits}
    return EvidenceLevel.INDIRECT if tool_class is ToolClass.REFERENCE and layers == {"L1"} else EvidenceLevel.DIRECT


def _asked(call: ToolInvocation) -> str:
    given = call.input_params
    return ", ".join(f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in given.items())


def _distinct(texts: Iterable[str], limit: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))[:limit]


# ---------------------------------------------------------------- the summary of a group


def _output_summary(calls: list[ToolInvocation], hits: list[ToolInvocation], interest: _Interest) -> str:
    """Facts of the hits, most important first, as many as fit; else why there are none."""
    prefix = _PREFIXES.get(calls[0].tool_name, "evidence")
    if not hits:
        return _cut(f"{prefix}: none. {'; '.join(_distinct(map(_why_none, calls), _MAX_SAMPLES))}", MAX_SUMMARY)
    room = MAX_SUMMARY - len(f"{prefix}: . 99999 more facts.")
    facts = list(dict.fromkeys(sorted(_facts(hits), key=interest.rank)))
    firing = [fact for fact in facts if _FIRING.match(fact)]
    if len("; ".join(firing)) > room:  # rather all of them by name and service than a few with every value
        facts = list(dict.fromkeys(", ".join(fact.split(", ")[:2]) if _FIRING.match(fact) else fact for fact in facts))
    shown = _as_many_as_fit(facts, room)
    more = f". {len(facts) - len(shown)} more facts." if len(shown) < len(facts) else ""
    return f"{prefix}: {'; '.join(shown)}{more}"


def _as_many_as_fit(facts: list[str], room: int) -> list[str]:
    for count, fact in enumerate(facts):
        room -= len(fact) + len("; ")
        if room < 0:
            return facts[:count]
    return facts


def _why_none(call: ToolInvocation) -> str:
    match _status(call):
        case EvidenceStatus.FAILED:
            return f"call {call.id} failed: {_cut(call.error_message or 'no reason given', _MAX_FACT)}"
        case EvidenceStatus.DEDUPLICATED:
            return f"call {call.id} repeats call {call.retrieval_details.duplicate_of}"
        case _:
            summaries = [ref.text for ref in call.retrieval_details.evidence_refs or () if _is_summary(ref)]
            return _cut(summaries[0], _MAX_FACT) if summaries else f"call {call.id} found nothing"


def _facts(hits: list[ToolInvocation]) -> Iterator[str]:
    for call in hits:
        refs = call.retrieval_details.evidence_refs
        if refs is None:  # a legacy call: only its output tells
            yield _cut(" ".join(call.output.split()), _MAX_FACT)
            continue
        items = [ref for ref in refs if not _is_summary(ref)]
        yield from (_alert_fact(ref.text) for ref in items if _is_alert(ref))
        yield from _distinct_messages([ref.text for ref in items if not _is_alert(ref)])


def _is_summary(ref: EvidenceRef) -> bool:
    return not ref.raw_path.endswith("]")


def _is_alert(ref: EvidenceRef) -> bool:
    return ref.raw_path.startswith("$.alerts[")


def _alert_fact(text: str) -> str:
    """Name, state, service, value and duration of an alert; the rest of its fields only where these are missing."""
    record, _, prose = text.partition("; ")
    head, *fields = record.split(", ")
    told = [head, *filter(_ALERT_FIELDS.match, fields)]
    return _cut(_trend(", ".join(told if len(told) > 1 else [head, *fields, prose])), _MAX_FACT)


def _trend(text: str) -> str:
    """A series of values as its first, its last and their number."""

    def ends(found: re.Match[str]) -> str:
        points = found[1].split(" | ")
        return f"={points[0]} -> {points[-1]} ({len(points)} samples)" if len(points) > 2 else found[0]

    return _SERIES.sub(ends, text)


def _distinct_messages(texts: list[str]) -> Iterator[str]:
    """Messages that differ in figures alone are one fact: the first, the last and how many there are."""
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(re.sub(r"[0-9]+", "0", text), []).append(text)
    for same in alike.values():
        first, last = _cut(_trend(same[0]), _MAX_FACT), _cut(_trend(same[-1]), _MAX_FACT)
        yield first if len(same) == 1 else f"{first} -> {last} ({len(same)} samples)"


def _cut(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


class _Interest:
    """What the answer and the retry ask about: it decides the order of facts (R45)."""

    def __init__(self, answer_text: str, gaps: Sequence[str]) -> None:
        self._answer = _telling(answer_text)
        self._gaps = _telling(" ".join(gaps))

    def rank(self, fact: str) -> int:
        if _FIRING.match(fact):
            return 0
        told = _telling(fact)
        if told and 2 * len(told & self._answer) >= len(told):
            return 1
        if _ROOT_CAUSE.search(fact):
            return 2
        if _FIX.search(fact):
            return 3
        return 4 if len(told & self._gaps) >= 2 else 5


def _telling(text: str) -> set[str]:
    """Words of Latin letters and digits, and pairs of Chinese characters."""
    return {found[0].casefold() + (found[1] or "") for found in _TELLING.finditer(text)}
