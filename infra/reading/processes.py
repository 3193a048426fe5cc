"""The reading processes of a worker: started when they are needed, kept, replaced when they exceed their limits."""

from __future__ import annotations

import asyncio
import atexit
import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, Self

from infra.reading.child import Child, Job
from infra.reading.limits import Limits, ReadingError

WORK_AT_ONCE = 2
WORK_LIMITS = Limits(memory_bytes=640 * 1024**2, cpu_seconds=20, wall_seconds=40.0)
KEPT_BYTES = 200 * 1024**2
"""A process that has grown beyond it is replaced: what a job took is seldom given back."""
JOBS_EACH = 200
"""A process is replaced after so many jobs, for the memory that they leave behind counts."""


class ReadingProcesses:
    """At most `count` processes; of more jobs the rest waits. Usable from any event loop, and without one.

    A job is a function "module:name" of this code, called with `arguments`, which must be picklable. Its result comes
    back as JSON would: dataclasses as dicts, times as text, tuples as lists. What a generator yields comes back as a
    list, and in `ReadingLimit.parts` if a limit ends it. `own`: see `Child`.
    """

    def __init__(self, count: int | None = None, limits: Limits | None = None, *, own: bool = False) -> None:
        self._own = own
        self.count = count or min(4, os.cpu_count() or 1)
        self._limits = limits or Limits()
        self._idle: deque[Child] = deque()
        self._jobs: set[Job] = set()
        # the system ends a child with the thread that started it: these live as long as the pool
        self._threads = ThreadPoolExecutor(self.count, "reading")

    @classmethod
    def until_exit(cls, count: int | None = None, limits: Limits | None = None, *, own: bool = False) -> Self:
        """Processes that are ended with this one."""
        made = cls(count, limits, own=own)
        atexit.register(made.close)
        return made

    async def run(self, function: str, *arguments: Any, timeout_s: float | None = None) -> Any:
        """The result of the job. Raises ReadingLimit, ReadingError, OSError. A cancelled call ends its process."""
        job = self._job(function, arguments, timeout_s)
        try:
            return await asyncio.wrap_future(self._submit(job))
        except asyncio.CancelledError:
            job.cancel()
            raise

    def run_blocking(self, function: str, *arguments: Any, timeout_s: float | None = None) -> Any:
        """The same for code without an event loop."""
        job = self._job(function, arguments, timeout_s)
        try:
            return self._submit(job).result()
        except BaseException:
            job.cancel()
            raise

    async def aclose(self) -> None:
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """End all processes, those at work too."""
        for job in list(self._jobs):
            job.cancel()
        self._threads.shutdown(cancel_futures=True)
        while self._idle:
            self._idle.pop().end()

    def _job(self, function: str, arguments: tuple[Any, ...], timeout_s: float | None) -> Job:
        return Job(function, arguments, self._limits.wall_seconds if timeout_s is None else timeout_s)

    def _submit(self, job: Job) -> Future[Any]:
        return self._threads.submit(self._work, job)

    def _work(self, job: Job) -> Any:
        child = self._take()
        is_well = True
        self._jobs.add(job)
        try:
            return child.call(job) if job.begin(child) else None
        except BaseException as error:
            is_well = isinstance(error, ReadingError)
            raise
        finally:
            self._jobs.discard(job)
            if job.finish() and is_well and child.jobs < JOBS_EACH and child.resident_bytes < KEPT_BYTES:
                self._idle.append(child)
            else:
                child.end()

    def _take(self) -> Child:
        while self._idle:
            child = self._idle.pop()
            if child.is_alive:
                return child
            child.end()
        return Child(self._limits, own=self._own)


@cache
def reading_processes() -> ReadingProcesses:
    """Those of this process, ended with it."""
    return ReadingProcesses.until_exit()


@cache
def working_processes() -> ReadingProcesses:
    """For what takes long over texts at hand; folders that are read never make it wait."""
    return ReadingProcesses.until_exit(WORK_AT_ONCE, WORK_LIMITS)


def shares(sizes: Sequence[int], count: int) -> list[list[int]]:
    """The places of `sizes` in at most `count` shares of about the same sum, each in order; none is empty."""
    filled: list[tuple[int, list[int]]] = [(0, []) for _ in range(count)]
    for place in sorted(range(len(sizes)), key=lambda place: -sizes[place]):
        least = min(range(count), key=lambda share: filled[share][0])
        total, places = filled[least]
        filled[least] = (total + sizes[place] + 1, [*places, place])
    return sorted(sorted(places) for _, places in filled if places)
