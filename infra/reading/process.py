"""A reading process: does the jobs it is given, one after the other, until its worker is gone.

Started as `python -m infra.reading.process PARENT MEMORY FILES`, its end of the socket as standard input. It imports
what a job names, no more; results are JSON, so that the worker need not trust what reading may have done to it.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import pickle
import resource
import signal
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

import orjson

from infra.reading.frames import Kind, TooLong, frame, read_frame

_MOST_JOB_BYTES = 1 << 40
_MESSAGE_CHARACTERS = 2_000
_DUMP = orjson.OPT_NON_STR_KEYS | orjson.OPT_UTC_Z
_OUT_OF_MEMORY = frame(Kind.LIMIT, b"memory")


def main(parent: int, memory_bytes: int, files: int) -> None:
    with _private_socket() as channel:
        _end_with(parent)
        _limit(memory_bytes, files)
        while True:
            try:
                _, job = read_frame(channel.recv, _MOST_JOB_BYTES)
            except EOFError:
                return
            _work(channel, job)


def _private_socket() -> socket.socket:
    """The socket, out of the reach of a function that reads or prints."""
    channel = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return channel


def _end_with(parent: int) -> None:
    """A worker that is killed takes a busy process with it; an idle one sees the end of the socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _limit(memory_bytes: int, files: int) -> None:
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_AS, memory_bytes)
    if files >= 0:
        _set(resource.RLIMIT_FSIZE, files)


def _set(kind: int, limit: int) -> None:
    hard = resource.getrlimit(kind)[1]
    with contextlib.suppress(ValueError):  # a platform without this limit
        resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _work(channel: socket.socket, job: bytes) -> None:
    try:
        function, arguments, cpu_seconds, output_bytes = pickle.loads(job)
        _set(resource.RLIMIT_CPU, math.ceil(time.process_time()) + cpu_seconds)
        result = _function(function)(*arguments)
        _send_result(channel, result, output_bytes)
    except MemoryError:
        channel.sendall(_OUT_OF_MEMORY)
    except TooLong:
        channel.sendall(frame(Kind.LIMIT, b"output"))
    except Exception as error:
        told = {"kind": type(error).__name__, "message": str(error)[:_MESSAGE_CHARACTERS]}
        channel.sendall(frame(Kind.ERROR, orjson.dumps(told)))


def _function(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _send_result(channel: socket.socket, result: Any, left: int) -> None:
    """What a generator gives is sent as it comes, so that it counts even if the job is ended. Raises TooLong."""
    if isinstance(result, Iterator):
        for part in result:
            left = _send(channel, Kind.PART, part, left)
        result = []
    _send(channel, Kind.END, result, left)


def _send(channel: socket.socket, kind: Kind, value: Any, left: int) -> int:
    body = orjson.dumps(value, option=_DUMP)
    if len(body) > left:
        raise TooLong
    channel.sendall(frame(kind, body))
    return left - len(body)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
    os._exit(0)
