"""`assay bundle report`: a verified bundle as one page to read or to print, offline (R61, R73).

Nothing is shown of a bundle that is refused. Every text is escaped, with control and bidirectional characters as
visible marks; the page has no script, no link and no picture.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from handlers.cli.errors import UsageError
from handlers.cli.plain import plain
from infra.audit.bundled_session import VerifiedBundle
from infra.audit.dsse import fingerprint

_ERASED = "(erased, or sealed in this bundle)"
_STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.4em}h2{font-size:1.1em;border-bottom:1px solid #999;margin-top:1.6em}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f4;padding:.6em;font:13px/1.4 monospace}"
    "table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2em .5em;text-align:left;vertical-align:top}"
    "td{overflow-wrap:anywhere}.claim{break-inside:avoid;margin:1em 0}"
)


def write(page: str, output: Path | None) -> None:
    """To a file that does not exist yet, or to standard output. Raises UsageError."""
    if output is None or str(output) == "-":
        sys.stdout.write(page)
        return
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(page)
    except FileExistsError:
        raise UsageError(f"{output} exists") from None


def page_of(lines: Sequence[bytes], found: VerifiedBundle, key: Ed25519PublicKey) -> str:
    """Of lines that were verified."""
    events = _events(lines)
    body = "".join(
        [
            f"<h1>Session {_text(found.session_id)}</h1>",
            _section("Question", _pre(_first(events, "SessionOpened", "question"))),
            _section("Answer", _pre(_answer(events))),
            _section("Verdict", _verdicts(events)),
            _section("Claims and what they quote", "".join(_claims(events)) or f"<p>{escape(_none(events))}</p>"),
            _section("Tool calls", _calls(events)),
            _section("What this proves", _proofs(found, key)),
            _section("What is erased or sealed", _hidden(events, found)),
        ]
    )
    head = f'<meta charset="utf-8"><title>{_text(found.session_id)}</title><style>{_STYLE}</style>'
    return f"<!DOCTYPE html>\n<html><head>{head}</head><body>{body}</body></html>\n"


def _events(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """Version, type, time, actor, facts and content (None: not opened) of each event."""
    events: list[dict[str, Any]] = []
    for line in lines[1:]:
        record = json.loads(line)
        if record["kind"] == "event":
            headers, body = record["headers"], json.loads(base64.b64decode(record["body"]))
            events.append(
                {
                    "version": headers["Assay-Version"],
                    "type": headers["Assay-Topic"],
                    "time": headers["Assay-Time"],
                    "actor": headers["Assay-Actor"],
                    "facts": body["facts"],
                    "sealed": body["content"] is not None,
                    "content": None,
                }
            )
        elif record["kind"] == "content":
            events[-1]["content"] = record["content"]
    return events


def _of(events: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [event for event in events if event["type"] == kind]


def _first(events: Sequence[Mapping[str, Any]], kind: str, field: str) -> str:
    content = next((event["content"] for event in _of(events, kind)), None)
    return str(content.get(field, "")) if content else _ERASED


def _answer(events: Sequence[Mapping[str, Any]]) -> str:
    for kind in ("SessionCompleted", "SessionFailed"):
        if _of(events, kind):
            return _first(events, kind, "answer")
    return "(none: the session was cancelled, or runs)"


def _verdicts(events: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (event["time"], event["type"], event["facts"]["verdict"], event["facts"].get("groundedness_score", ""))
        for event in events
        if event["type"] in ("VerdictIssued", "VerdictOverridden")
    ]
    return _table(("time", "event", "verdict", "score"), rows)


def _claims(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Of each round: the claim, and each quotation beside what the tool call holds there."""
    checks = iter(_of(events, "GatekeeperChecked"))
    for answered in _of(events, "ExecutorAnswered"):
        checked = next(checks, None)
        structured = ((answered["content"] or {}).get("parsed") or {}).get("structured") or {}
        result = ((checked["content"] if checked else None) or {}).get("result") or {}
        for claim in structured.get("claims", ()):
            yield f'<div class="claim"><p><b>{_text(claim.get("claim_id"))}</b> {_text(claim.get("claim_text"))}</p>'
            rows = [
                (
                    binding.get("status"),
                    f"{binding.get('tool_name')} {binding.get('source_invocation_id')} {binding.get('raw_path')}",
                    binding.get("evidence_excerpt"),
                    binding.get("matched_text") or binding.get("message") or "",
                )
                for binding in result.get("checked_bindings", ())
                if binding.get("claim_id") == claim.get("claim_id")
            ]
            yield _table(("check", "where", "quotation", "what stands there"), rows) + "</div>"


def _none(events: Sequence[Mapping[str, Any]]) -> str:
    opened = any(event["content"] for event in _of(events, "ExecutorAnswered"))
    return "none" if opened else _ERASED


def _calls(events: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (
            event["facts"]["invocation_id"],
            (event["content"] or {}).get("tool_name", _ERASED),
            event["facts"]["evidence_status"],
            json.dumps((event["content"] or {}).get("input_params", ""), ensure_ascii=False),
        )
        for event in _of(events, "ToolInvoked")
    ]
    return _table(("id", "tool", "result", "arguments"), rows)


def _proofs(found: VerifiedBundle, key: Ed25519PublicKey) -> str:
    head = found.head
    return _table(
        ("", ""),
        [
            ("verified with the public key", fingerprint(key)),
            ("log", head.log_id),
            ("signed", f"{head.time.isoformat()}, over {head.size} events, root {head.root}"),
            ("events of this session", f"{found.events}, each chained to the one before and proven to be in that log"),
            ("contents", f"{found.opened} shown as they were sealed, {found.sealed} sealed"),
            ("not proven", "that the log is the only one this key signed; a witness who keeps heads can tell"),
        ],
    )


def _hidden(events: Sequence[Mapping[str, Any]], found: VerifiedBundle) -> str:
    rows = [(one["version"], one["type"], one["time"]) for one in events if one["sealed"] and one["content"] is None]
    said = "The session's content was erased." if found.erased else "The session was not erased."
    return f"<p>{said}</p>" + (_table(("version", "event", "time"), rows) if rows else "")


def _section(title: str, inside: str) -> str:
    return f"<h2>{escape(title)}</h2>{inside}"


def _pre(text: str) -> str:
    return f"<pre>{_text(text)}</pre>"


def _table(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names) if any(names) else ""
    inside = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{inside}</table>" if rows else "<p>none</p>"


def _text(value: object) -> str:
    return escape(plain("" if value is None else str(value)), quote=True)
