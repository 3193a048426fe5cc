"""One model call: an OpenAI-compatible server is asked once, and whatever happens comes back as a value (R7).

The openai library is imported at the first use: it costs more than half a second that commands without a model call
must not pay.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from infra.models.completion import NotACompletion, error_text, read_completion

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Headers
    from openai import AsyncOpenAI, OpenAIError

DEFAULT_TIMEOUT_S = 120.0
NO_KEY = "none"  # for servers that ask for no key; the library insists on one


class ModelClient:
    """Asks one server. Retries are the caller's: every attempt is a recorded step (R54)."""

    def __init__(self, openai: AsyncOpenAI, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._openai = openai
        self._timeout_s = timeout_s

    async def complete(
        self, *, model: str, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None = None
    ) -> ModelReply | ModelFailure:
        """The reply to `messages` (chat completion form), or why there is none. `tools` are OpenAI function tools.

        The timeout bounds the whole call, so that a server that drips bytes cannot hold a session.
        """
        from openai import OpenAIError

        from infra.models.bounds import ReplyTooLarge

        request: dict[str, Any] = {"model": model, "messages": list(messages)}
        if tools:
            request["tools"] = list(tools)
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._openai.chat.completions.with_raw_response.create(**request)
            return read_completion(response.content, messages, _elapsed_ms(started))
        except TimeoutError:
            failure = ModelFailure(ErrorKind.TIMEOUT, f"no answer within {self._timeout_s:g} s")
        except (NotACompletion, ReplyTooLarge) as error:
            failure = ModelFailure(ErrorKind.NOT_A_COMPLETION, str(error))
        except UnicodeEncodeError as error:
            failure = ModelFailure(ErrorKind.BAD_REQUEST, f"the request holds text that is no UTF-8: {error.reason}")
        except OpenAIError as error:
            failure = self._failure(error)
        return replace(failure, message=self._without_our_header(failure.message), duration_ms=_elapsed_ms(started))

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._openai.close()

    def _failure(self, error: OpenAIError) -> ModelFailure:
        import openai

        match error:
            case openai.APIStatusError(status_code=status, response=response):
                message = f"HTTP {status}: {error_text(response.content)}"
                return ModelFailure(_kind_of_status(status), message, retry_after_s=_retry_after_s(response.headers))
            case openai.APITimeoutError():
                return ModelFailure(ErrorKind.TIMEOUT, f"no answer within {self._timeout_s:g} s")
            case _:
                cause = error.__cause__ or error
                return ModelFailure(ErrorKind.UNREACHABLE, f"the model server cannot be reached: {cause}")

    def _without_our_header(self, message: str) -> str:
        """A server may complain of the header that we sent, whole. The key is sought nowhere else: one named `order`
        would rewrite what the model says (R22)."""
        key = self._openai.api_key
        if key == NO_KEY:
            return message
        header = rf"(?i:(authorization\W{{1,6}}|bearer\s+)){re.escape(key)}(?![A-Za-z0-9_-])"
        return re.sub(header, r"\1***", message)


def build_client(
    base_url: str, api_key: SecretStr | None = None, *, timeout_s: float = DEFAULT_TIMEOUT_S
) -> ModelClient:
    """A client for the server at `base_url` (with its `/v1`). Raises ValueError for a URL or key of no usable form."""
    key = api_key.get_secret_value().strip() if api_key else ""
    if not (key.isascii() and key.isprintable()):
        raise ValueError("the API key holds characters that no HTTP header can carry")
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("the model server's URL must look like https://host/v1 or http://host:port/v1")
    return _client(base_url, key or NO_KEY, timeout_s)


def extractive_client(*, timeout_s: float = DEFAULT_TIMEOUT_S) -> ModelClient:
    """A client of the offline model `extractive`, which answers in this process and opens no port."""
    from httpx2 import ASGITransport, AsyncClient

    from infra.models.extractive.app import app

    http_client = AsyncClient(transport=ASGITransport(app))
    return _client("http://extractive/v1", NO_KEY, timeout_s, http_client)


def _client(base_url: str, api_key: str, timeout_s: float, http_client: AsyncClient | None = None) -> ModelClient:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    from infra.models.bounds import bounded

    if http_client is None:
        http_client = DefaultAsyncHttpxClient(event_hooks={"response": [bounded]}, timeout=timeout_s)
    openai = AsyncOpenAI(base_url=base_url, api_key=api_key, max_retries=0, timeout=timeout_s, http_client=http_client)
    return ModelClient(openai, timeout_s=timeout_s)


def _kind_of_status(status: int) -> ErrorKind:
    match status:
        case 401 | 403:
            return ErrorKind.AUTH
        case 408 | 504:
            return ErrorKind.TIMEOUT
        case 429:
            return ErrorKind.RATE_LIMITED
        case _ if status >= 500:
            return ErrorKind.SERVER
        case _:
            return ErrorKind.BAD_REQUEST


def _retry_after_s(headers: Headers) -> float | None:
    """Seconds from now, from either form of the header; None where it is absent or says nothing usable."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value) if value.strip().isdigit() else parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, OverflowError):
        return None
    return max(0.0, seconds)


def _elapsed_ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
