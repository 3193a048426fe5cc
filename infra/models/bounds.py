"""A model server's answer is read up to a limit, whatever its length was said to be (R72)."""

from __future__ import annotations

from collections.abc import AsyncIterator

from httpx2 import AsyncByteStream, Response

MOST_BYTES = 2 * 1024**2
MOST_COMPRESSED_BYTES = 128 * 1024
"""Of an answer that may unpack to a thousand times as much."""


class ReplyTooLarge(Exception):
    """The answer is longer than any reply."""


class _Bounded(AsyncByteStream):
    def __init__(self, stream: AsyncByteStream, most_bytes: int) -> None:
        self._stream = stream
        self._left = self._most = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._left -= len(chunk)
            if self._left < 0:
                raise ReplyTooLarge(f"the answer has more than {self._most:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def bounded(response: Response) -> None:
    """A response hook of httpx: reading the body beyond the limit raises ReplyTooLarge."""
    if isinstance(response.stream, AsyncByteStream):
        is_plain = response.headers.get("content-encoding", "identity").strip().lower() in ("", "identity")
        response.stream = _Bounded(response.stream, MOST_BYTES if is_plain else MOST_COMPRESSED_BYTES)
