"""Where metrics come from: a Prometheus server, an Alertmanager, or a file with an answer of either."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from domain.events import Source
from domain.evidence.window import Window
from infra.tools.contract import ToolError
from infra.tools.metric_answers import (
    Response,
    Rule,
    RuleData,
    Silence,
    Unrecognised,
    read_answer,
    read_rules,
    read_silences,
)

TIMEOUT_S = 15.0
ANSWER_S = 3 * TIMEOUT_S  # for the whole of an answer that keeps dripping
MAX_BYTES = 16 * 2**20


def is_url(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def shown_source(source: str) -> str:
    """The source as people and models see it: a URL without credentials, the name of a file."""
    if not is_url(source):
        return Path(source).name
    url = _url(source)
    return str(url.copy_with(userinfo=b"", query=None))


def _url(source: str) -> httpx2.URL:
    """Raises ToolError. A port beyond 65,535 is found here, not in the middle of connecting."""
    try:
        url = httpx2.URL(source)
        if url.host and urlsplit(source).port != 0:
            return url
    except (httpx2.InvalidURL, ValueError):
        pass
    raise ToolError("source", f"{source!r} is no usable URL")


class NoExpressions(ToolError):
    """A source that holds alerts alone was asked for the value of an expression."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_arguments", f"{message} and evaluates no expression")


async def ask(source: Source, expr: str, now: datetime) -> Response:
    """Its alerts, or the value of an expression. Raises ToolError or OSError."""
    if not expr:
        return await _ask(source, "api/v1/alerts", {})
    return await _ask(source, "api/v1/query", {"query": expr, "time": str(now.timestamp())})


async def ask_range(source: Source, expr: str, window: Window, step_s: int) -> Response:
    """The values of an expression in a window that has a start, one each `step_s` seconds.

    Raises ToolError or OSError.
    """
    assert window.start is not None
    span = {"start": str(window.start.timestamp()), "end": str(window.end.timestamp()), "step": str(step_s)}
    return await _ask(source, "api/v1/query_range", {"query": expr, **span})


async def rules_of(source: Source) -> list[Rule] | None:
    """The alerting rules of a server; None where it lists none: an Alertmanager, a store without rules, a file.

    Raises ToolError.
    """
    try:
        answer = await _fetch(source, "api/v1/rules", {"type": "alert"}) if is_url(source.address) else None
    except Unrecognised:
        return None
    if answer is None or not isinstance(answer.data, RuleData):
        return None
    return await asyncio.to_thread(read_rules, answer.data, shown_source(source.address))


async def names_of(source: Source, label: str) -> list[str] | None:
    """Every value of a label that a server knows, of `__name__` its metrics; None where it lists none.

    Raises ToolError.
    """
    try:
        answer = await _fetch(source, f"api/v1/label/{label}/values", {}) if is_url(source.address) else None
    except Unrecognised:
        return None
    return answer.data if answer is not None and isinstance(answer.data, list) else None


async def silences_of(source: Source, ids: Iterable[str]) -> dict[str, Silence]:
    """Those of an Alertmanager's silences, by id; none from a file. Raises ToolError."""
    wanted = frozenset(ids)
    if not (wanted and is_url(source.address)):
        return {}
    body, place = await _get(source, "api/v2/silences", {})
    silences = await asyncio.to_thread(read_silences, body, place)
    return {silence.id: silence for silence in silences if silence.id in wanted}


# ---------------------------------------------------------------- files


async def _ask(source: Source, path: str, parameters: dict[str, str]) -> Response:
    if is_url(source.address):
        return await _ask_server(source, path, parameters)
    if parameters:
        raise NoExpressions(f"{source.address} is a file: it holds one response")
    return await asyncio.to_thread(_answer_of_file, Path(source.address))


def _answer_of_file(path: Path) -> Response:
    return read_answer(_read(path), str(path))


def _read(path: Path) -> bytes:
    """A file that holds a response. Raises ToolError for what is none: a pipe or device may never end."""
    if path.exists() and not path.is_file():
        raise ToolError("source", f"{path} is no regular file")
    if path.stat().st_size > MAX_BYTES:
        raise ToolError("source", f"{path} has more than {MAX_BYTES // 2**20} MiB")
    return path.read_bytes()


# ---------------------------------------------------------------- servers


async def _ask_server(source: Source, path: str, parameters: dict[str, str]) -> Response:
    """A server that does not answer like Prometheus may be an Alertmanager: what it has is asked for there."""
    try:
        return await _fetch(source, path, parameters)
    except Unrecognised as unrecognised:
        try:
            alerts = await _fetch(source, "api/v2/alerts", {})
        except ToolError:
            raise unrecognised from None
    if parameters:
        raise NoExpressions(f"{shown_source(source.address)} is an Alertmanager: it holds alerts")
    return alerts


async def _fetch(source: Source, path: str, parameters: dict[str, str]) -> Response:
    body, place = await _get(source, path, parameters)
    return await asyncio.to_thread(read_answer, body, place)


async def _get(source: Source, path: str, parameters: dict[str, str]) -> tuple[bytes, str]:
    """The body of an answer, and whose it is. Raises ToolError, also where there is more than MAX_BYTES of it."""
    shown = shown_source(source.address)
    url = _url(source.address)
    headers = _headers(source.credential)
    body = bytearray()
    try:
        client = httpx2.AsyncClient(timeout=TIMEOUT_S, follow_redirects=True, headers=headers)
        async with asyncio.timeout(ANSWER_S), client:
            address = url.copy_with(path=f"{url.path.rstrip('/')}/{path}")
            async with client.stream("GET", address, params=parameters) as response:
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > MAX_BYTES:
                        raise ToolError("source", f"{shown} answers with more than {MAX_BYTES // 2**20} MiB")
    except httpx2.TimeoutException as error:
        raise ToolError("timeout", f"{shown} did not answer within {TIMEOUT_S:.0f} s") from error
    except TimeoutError as error:
        raise ToolError("timeout", f"{shown} came to no end within {ANSWER_S:.0f} s") from error
    except httpx2.HTTPError as error:
        raise ToolError("source", f"cannot reach {shown}: {error or type(error).__name__}") from error
    return bytes(body), f"{shown} (HTTP {response.status_code})"


def _headers(credential: str | None) -> dict[str, str]:
    """The bearer token, or a scheme and what it needs (`Basic …`), from where this worker finds it.

    Raises ToolError that names the place and not the token.
    """
    if credential is None:
        return {}
    where, _, place = credential.partition(":")
    try:
        token = os.environ.get(place, "") if where == "env" else Path(place).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError("source", f"the token file {place} cannot be read: {error}") from None
    token = token.strip()
    if not (token.isascii() and token.isprintable() and token):
        raise ToolError("source", f"{'the variable' if where == 'env' else 'the file'} {place} holds no token")
    return {"Authorization": token if " " in token else f"Bearer {token}"}
