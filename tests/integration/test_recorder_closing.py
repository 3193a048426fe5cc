"""R7: an application that is closed while another of its threads reads leaves no thread waiting for ever."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from infra.event_log.errors import LogUnavailable
from infra.event_log.recorder import LoopThread


def test_a_call_in_flight_ends_when_the_connection_is_closed() -> None:
    loop, under_way = LoopThread(), threading.Event()

    async def read() -> None:
        under_way.set()
        await asyncio.sleep(3_600)

    with ThreadPoolExecutor() as threads:
        call = threads.submit(lambda: loop.call(read()))
        under_way.wait()
        loop.close()
        with pytest.raises(LogUnavailable, match="was closed"):
            call.result()


def test_a_call_on_a_closed_connection_is_refused() -> None:
    loop = LoopThread()
    loop.close()
    with pytest.raises(LogUnavailable, match="was closed"):
        loop.call(asyncio.sleep(0))
