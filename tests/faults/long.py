"""The long fault test, by one command: `python -m tests.faults.long [--kills 200] [--sessions 100] [--seed N]`.

Kills workers, nats-server and PostgreSQL at random points, and on the way: stops a worker beyond its messages'
deadline, takes PostgreSQL away for a minute, fills the log's disk, slows the model beyond the deadline, delivers
messages twice and after their session ended. Prints the seed, a line for each fault, and what held.
Filling the disk needs root, for a small tmpfs; without it that part is left out and said so.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import UUID

from handlers.application import jetstream, runner_on
from handlers.runner import Superseded
from handlers.session_ids import session_id_for
from infra.access import Role
from infra.event_log.errors import LogError, LogFull
from infra.models.extractive.app import complete
from infra.streams import EVENTS, consumer_configs
from tests.faults.plant import HERE, OneServer, Plant
from tests.faults.questions import QUESTIONS

ACK_WAIT_S = 3.0
TOOL_S = 0.4
PATIENCE_S = 300.0
DISK = "64m"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--postgres-down", type=float, default=60.0, metavar="SECONDS")
    arguments = parser.parse_args()
    sys.path.insert(0, str(HERE))  # where the settings' `counting_tools:make` is found
    random.seed(arguments.seed)
    print(f"seed {arguments.seed}", flush=True)
    for part in (
        lambda: kills(arguments.sessions, arguments.kills),
        lambda: frozen_worker(),
        lambda: postgres_away(arguments.postgres_down),
        lambda: slow_model(),
        lambda: delivered_again(),
        lambda: full_disk(),
    ):
        part()
    print("everything held", flush=True)
    return 0


@contextmanager
def plant(workers: int = 2, *, tool_s: float = TOOL_S, **settings: str) -> Iterator[Plant]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)
        running = Plant(folder, OneServer(folder / "nats"), ACK_WAIT_S, tool_s, settings)
        try:
            running.start(workers)
            yield running
        finally:
            running.stop()


def report(fault: str, started: float, figures: object) -> None:
    print(f"{fault}: {figures}, {time.monotonic() - started:.0f} s", flush=True)


async def ended(broken: Plant, sessions: list[UUID]) -> dict[str, int]:
    """Every session ends, and every promise holds."""
    left = await broken.all_closed(sessions, PATIENCE_S)
    assert left == [], f"sessions that never ended: {left}"
    return await broken.check(sessions)


async def opened(broken: Plant, count: int) -> list[UUID]:
    return [await broken.open_session(QUESTIONS[number % len(QUESTIONS)]) for number in range(count)]


# ---------------------------------------------------------------- the faults


def kills(sessions: int, count: int) -> None:
    """SIGKILL of anything while sessions run; the log is looked at after each, so that nothing seen may vanish."""
    started, struck = time.monotonic(), Counter[str]()
    with plant() as broken:

        async def scenario() -> dict[str, int]:
            running: list[UUID] = []
            for number in range(max(sessions, count)):
                if number < sessions:
                    running += await opened(broken, 1)
                await asyncio.sleep(random.uniform(0.1, 1.0))
                if number < count:
                    target = random.choices(("worker", "nats", "postgres"), (4, 2, 1))[0]
                    await asyncio.to_thread(broken.kill, target)
                    struck[target] += 1
                    async with broken.log() as events:
                        await broken.look(events)
            return await ended(broken, running)

        figures = asyncio.run(scenario())
    report(f"kills {dict(struck)}", started, figures)


def frozen_worker() -> None:
    """SIGSTOP of a worker beyond its messages' deadline: another takes over, and the sleeper's append loses."""
    started = time.monotonic()
    with plant(tool_s=1.0) as broken:

        async def scenario() -> dict[str, int]:
            running = await opened(broken, 6)
            await asyncio.sleep(0.8)
            broken.workers[0].send_signal(signal.SIGSTOP)
            try:
                assert await broken.all_closed(running, PATIENCE_S) == []
            finally:
                broken.workers[0].send_signal(signal.SIGCONT)
            await asyncio.sleep(ACK_WAIT_S)  # the sleeper wakes and tries to record what it had begun
            return await ended(broken, running)

        figures = asyncio.run(scenario())
    report("frozen worker", started, figures)


def postgres_away(seconds: float) -> None:
    """Sessions need the log alone; the read models catch up when PostgreSQL is back."""
    started = time.monotonic()
    with plant() as broken:

        async def scenario() -> dict[str, int]:
            broken.postgres.stop()
            running = await opened(broken, 5)
            assert await broken.all_closed(running, PATIENCE_S) == []
            await asyncio.sleep(max(0.0, seconds - (time.monotonic() - started)))
            broken.postgres.ensure_running()
            return await ended(broken, running)

        figures = asyncio.run(scenario())
    report(f"PostgreSQL away for {seconds:.0f} s", started, figures)


def slow_model() -> None:
    """Each model call takes longer than the deadline of its message: nobody else takes it meanwhile."""
    started = time.monotonic()
    with slow_server(2 * ACK_WAIT_S) as url, plant(OPENAI_BASE_URL=url, ASSAY_MODEL="extractive") as broken:

        async def scenario() -> dict[str, int]:
            running = await opened(broken, 4)
            figures = await ended(broken, running)
            async with broken.log() as events:
                for session_id in running:
                    asked = [e for e in await events.load(session_id) if e.event.TOPIC == "AgentStepRecorded"]
                    assert len(asked) <= 6, "a model call was made again"
            return figures

        figures = asyncio.run(scenario())
    assert figures["tool calls repeated"] == 0
    report("slow model", started, figures)


def delivered_again() -> None:
    """The same step asked for twice at once, and every message once more after its session ended."""
    started = time.monotonic()
    with plant() as broken:
        os.environ.update(broken.environment)  # this process runs tools, too

        async def scenario() -> dict[str, int]:
            running = await opened(broken, 5)
            async with broken.log() as events:
                runner = runner_on(events, broken.settings)
                for session_id in running:
                    for phase in ("planner", "executor", "verifier"):
                        with suppress(Superseded):
                            await runner.advance(session_id, phase)
                await ended(broken, running)
                end = await events.last_position()
            await redeliver_everything(broken)
            async with broken.log() as events:
                assert await events.last_position() == end, "a message after the end of its session made an event"
            return await broken.check(running)

        figures = asyncio.run(scenario())
    report("delivered again", started, figures)


async def redeliver_everything(broken: Plant) -> None:
    """Make every consumer anew, so that it begins with the first event, and wait until all is acknowledged."""
    async with jetstream(broken.servers, Role.ADMIN) as js:
        for consumer in consumer_configs(ACK_WAIT_S):
            await js.delete_consumer(EVENTS, str(consumer.name))
            await js.add_consumer(EVENTS, consumer)
        deadline = time.monotonic() + PATIENCE_S
        for consumer in consumer_configs(ACK_WAIT_S):
            while True:
                info = await js.consumer_info(EVENTS, str(consumer.name))
                if not info.num_pending and not info.num_ack_pending:
                    break
                assert time.monotonic() < deadline, f"{consumer.name} still has messages"
                await asyncio.sleep(0.2)


def full_disk() -> None:
    """The log's disk is full: new work is refused by name, and goes on once there is room."""
    started = time.monotonic()
    if os.geteuid() != 0:
        print("full disk: left out, a tmpfs needs root", flush=True)
        return
    with plant() as broken, small_disk(broken) as grow:

        async def scenario() -> dict[str, int]:
            running = await opened(broken, 2)
            assert await broken.all_closed(running, PATIENCE_S) == []
            ballast = broken.folder / "nats" / "store" / "ballast"
            fill(ballast)
            refused = await refused_session(broken)
            ballast.unlink()
            grow()
            await asyncio.to_thread(broken.nats.kill)  # the server needs a restart to trust its disk again
            running += await opened(broken, 2)
            print(f"full disk: refused with: {refused}", flush=True)
            return await ended(broken, running)

        figures = asyncio.run(scenario())
    report("full disk", started, figures)


async def refused_session(broken: Plant) -> str:
    """The words of the refusal. The server may still have room for a few events."""
    for _ in range(200):
        try:
            async with broken.log() as events:
                await runner_on(events, broken.settings).submit(session_id_for(None), broken.open_command(QUESTIONS[0]))
        except (LogFull, LogError) as error:
            return f"{type(error).__name__}: {error}"
    raise AssertionError("a full disk refused nothing")


def fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        while True:
            try:
                file.write(b"\0" * 65536)
            except OSError:
                return


@contextmanager
def small_disk(broken: Plant) -> Iterator[Callable[[], None]]:
    """Puts the log's store on a tmpfs of its own; yields how to make it larger."""
    store = broken.folder / "nats" / "store"
    broken.nats.stop()
    moved = store.rename(store.with_name("moved"))
    store.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(store)], check=True)
    try:
        subprocess.run(["cp", "-a", f"{moved}/.", str(store)], check=True)
        broken.nats.ensure_running()
        yield lambda: subprocess.run(["mount", "-o", "remount,size=256m", str(store)], check=True)
        broken.nats.stop()
    finally:
        subprocess.run(["umount", "-l", str(store)], check=True)


@contextmanager
def slow_server(seconds: float) -> Iterator[str]:
    """The extractive model behind a port, each answer after `seconds`."""

    class Slow(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(seconds)
            body = json.dumps(complete(request)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()


if __name__ == "__main__":
    raise SystemExit(main())
