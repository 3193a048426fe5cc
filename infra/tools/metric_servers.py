"""Where metrics come from: a Prometheus server, an Alertmanager, or a file with an answer of either."""

from __future__ import annotations

import asyncio
import os
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import httpx2
import orjson
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from domain.events import Source
from infra.tools.alertmanager import as_prometheus
from infra.tools.contract import ToolError

TIMEOUT_S = 15.0
MAX_FILE_BYTES = 64 * 2**20


class AlertData(BaseModel):
    alerts: list[dict[str, Any]]


Point = tuple[Annotated[float, Field(ge=0, le=253_402_300_799)], str]
"""Seconds since 1970 and a value as text, which keeps its form."""


class Sample(BaseModel):
    metric: dict[str, str]
    value: Point | None = None
    values: list[Point] | None = None


class SeriesData(BaseModel):
    resultType: Literal["vector", "matrix"]
    result: list[Sample]


class ScalarData(BaseModel):
    resultType: Literal["scalar", "string"]
    result: Point


class Response(BaseModel):
    """What a Prometheus server answers. `warnings` say that the answer may be incomplete."""

    status: Literal["success"]
    data: AlertData | Annotated[SeriesData | ScalarData, Field(discriminator="resultType")]
    warnings: list[str] = []


class Refusal(BaseModel):
    status: Literal["error"]
    errorType: str = ""
    error: str


_ANSWER: TypeAdapter[Response | Refusal] = TypeAdapter(Annotated[Response | Refusal, Field(discriminator="status")])


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


def _read(path: Path) -> bytes:
    """A file that holds a response. Raises ToolError for what is none: a pipe or device may never end."""
    if path.exists() and not path.is_file():
        raise ToolError("source", f"{path} is no regular file")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ToolError("source", f"{path} has more than {MAX_FILE_BYTES // 2**20} MiB")
    return path.read_bytes()


class NoExpressions(ToolError):
    """A source that holds alerts alone was asked for the value of an expression."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_arguments", f"{message} and evaluates no expression")


async def ask(source: Source, expr: str, now: datetime) -> Response:
    """Its alerts, or the value of an expression. Raises ToolError or OSError."""
    address = source.address
    if is_url(address):
        return await _ask_server(address, _headers(source.credential), expr, now)
    if expr:
        raise NoExpressions(f"{address} is a file: it holds one response")
    return _answer(await asyncio.to_thread(_read, Path(address)), address)


async def _ask_server(address: str, headers: dict[str, str], expr: str, now: datetime) -> Response:
    """A server that does not answer like Prometheus may be an Alertmanager: what it has is asked for there."""
    try:
        if expr:
            return await _fetch(address, headers, "api/v1/query", {"query": expr, "time": str(now.timestamp())})
        return await _fetch(address, headers, "api/v1/alerts", {})
    except Unrecognised as unrecognised:
        try:
            alerts = await _fetch(address, headers, "api/v2/alerts", {})
        except ToolError:
            raise unrecognised from None
    if expr:
        raise NoExpressions(f"{shown_source(address)} is an Alertmanager: it holds alerts")
    return alerts


def _headers(credential: str | None) -> dict[str, str]:
    """The bearer token, from where this worker finds it. Raises ToolError that names the place and not the token."""
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
    return {"Authorization": f"Bearer {token}"}


async def _fetch(source: str, headers: dict[str, str], path: str, parameters: dict[str, str]) -> Response:
    try:
        url = _url(source)
        async with httpx2.AsyncClient(timeout=TIMEOUT_S, follow_redirects=True, headers=headers) as client:
            address = url.copy_with(path=f"{url.path.rstrip('/')}/{path}")
            response = await client.get(address, params=parameters)
    except httpx2.TimeoutException as error:
        raise ToolError("timeout", f"{shown_source(source)} did not answer within {TIMEOUT_S:.0f} s") from error
    except httpx2.HTTPError as error:
        raise ToolError("source", f"cannot reach {shown_source(source)}: {error or type(error).__name__}") from error
    return _answer(response.content, f"{shown_source(source)} (HTTP {response.status_code})")


class Unrecognised(ToolError):
    """An answer in neither server's form."""


def _answer(body: bytes, place: str) -> Response:
    try:
        document = orjson.loads(body)
        if isinstance(document, list):
            return Response(status="success", data=AlertData(alerts=as_prometheus(document)))
        answer = _ANSWER.validate_python(document)
    except orjson.JSONDecodeError as error:
        raise Unrecognised("source", f"{place}: no answer of Prometheus or Alertmanager, not JSON ({error})") from error
    except ValidationError as error:
        raise Unrecognised("source", f"{place}: no answer of Prometheus or Alertmanager we know") from error
    if isinstance(answer, Refusal):
        kind: Literal["bad_arguments", "source"] = "bad_arguments" if answer.errorType == "bad_data" else "source"
        raise ToolError(kind, f"{place} refused the query: {answer.error}")
    return answer
