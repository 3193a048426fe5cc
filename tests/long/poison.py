"""`python -m tests.long.poison [NAME…] [--seconds 60]`: whatever a session can be made of that is hostile (R72).

Each poison goes to a running service with two workers, beside a normal session. Prints how each ended, and exits 1
where a normal session did not end PASS, a poisoned one did not end with a reason, either took too long, all processes
together grew too large, or the service did not stop in time while poison was at work.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import io
import json
import os
import random
import signal
import socket
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import UUID

from domain.events import SessionCompleted, SessionFailed, Source, SourceKind, ToolInvoked
from domain.session.decide import InvalidCommand
from domain.session.evolve import fold
from domain.session.state import Closed
from handlers.application import runner_on
from handlers.session_ids import session_id_for
from infra.event_log.session_log import SessionLog
from infra.scenario.scenario import sample_scenario
from tests.faults.plant import OneServer, Plant
from tests.integration.test_hostile_documents import BOMB, deep, paragraph, sparse
from tests.long import hostile_tools
from tests.long.hostile_model import REPLIES, WHOLE, hostile_model

HERE = Path(__file__).parent
NORMAL = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"
MOST_SECONDS, MOST_BYTES, STOP_SECONDS = 60.0, 1.5 * 1024**3, 15.0
SETTINGS = {"ASSAY_TOOLS": "hostile_tools:make", "ASSAY_TOOL_SECONDS": "15", "ASSAY_MODEL": "hostile"} | {
    "ASSAY_BUDGET_SECONDS": "20"  # of a round: a model that drips has as long
}
MB = 1024**2


@dataclass(frozen=True, slots=True)
class Poison:
    """`sources` are made in a folder of their own; `asks_model`: it needs the hostile model server."""

    question: str
    sources: Callable[[Path], Sequence[Source]] = lambda _: ()
    asks_model: bool = False


@dataclass(slots=True)
class Ending:
    seconds: float
    status: str
    reason: str = ""


# ---------------------------------------------------------------- the set


def _in(kind: SourceKind, make: Callable[[Path], object], question: str) -> Poison:
    def sources(folder: Path) -> Sequence[Source]:
        folder.mkdir(parents=True)
        made = make(folder)
        return (Source(kind=kind, name=kind, address=str(made if isinstance(made, str | Path) else folder)),)

    return Poison(question, sources)


def _book(make: Callable[[Path], object]) -> Poison:
    def with_another(folder: Path) -> None:
        (folder / "good.md").write_text("# OOMKilled\n\n## Diagnosis\n\nLook at the memory.\n")
        make(folder)

    return _in("knowledge", with_another, "OOMKilled 的排查步骤是什么？")


def _skill(text: Callable[[], str]) -> Poison:
    def with_another(folder: Path) -> None:
        for name, content in {"good": "---\nname: good\ndescription: fine\n---\nLook.\n", "bad": text()}.items():
            (folder / name).mkdir()
            (folder / name / "SKILL.md").write_text(content, errors="surrogateescape")

    return _in("skills", with_another, "order-service 怎么排查内存问题？")


def _logs(make: Callable[[Path], object]) -> Poison:
    return _in("logs", make, "过去一小时 order-service 日志中是否有 OOMKilled？")


def _alerts(text: Callable[[Path], object]) -> Poison:
    return _in("metrics", lambda folder: text(folder / "alerts.json") or folder / "alerts.json", NORMAL)


def _gzip(path: Path, blocks: Iterator[bytes]) -> None:
    with gzip.open(path, "wb", compresslevel=1) as out:
        for block in blocks:
            out.write(block)


def _nested_zip(folder: Path) -> None:
    inner = b"2026-07-08T11:00:00Z ERROR x\n" * 100_000
    for level in range(6):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for copy in range(8):
                archive.writestr(f"{level}-{copy}.{'log' if level == 0 else 'zip'}", inner)
        inner = buffer.getvalue()
    (folder / "nested.zip").write_bytes(inner)


def _odd_tar(folder: Path) -> None:
    with tarfile.open(folder / "odd.tar.gz", "w:gz") as archive:
        for name in ("../../outside.log", "/etc/passwd.log", "a/" * 500 + "deep.log"):
            entry = tarfile.TarInfo(name)
            entry.size = 10
            archive.addfile(entry, io.BytesIO(b"ERROR boom"))
        link = tarfile.TarInfo("link.log")
        link.type, link.linkname = tarfile.SYMTYPE, "/dev/zero"
        archive.addfile(link)


def _many_files(folder: Path) -> None:
    for number in range(20_000):
        (folder / f"{number}.log").write_text("2026-07-08T11:00:00Z INFO fine\n")


def _many_alerts(path: Path) -> None:
    labels = {"alertname": "HighMemoryUsage", "service": "order-service", "severity": "critical"}
    alert = {
        "labels": labels,
        "annotations": {"summary": "x" * 400},
        "state": "firing",
        "activeAt": "2026-07-08T11:00:00Z",
    }
    path.write_text(json.dumps({"status": "success", "data": {"alerts": [alert] * 60_000}}))


def _big_file(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b'{"status":"success","data":{"alerts":[')
        for _ in range(200):
            file.write(b"0," * (MB // 2))


QUESTIONS = {
    "times": "昨天下午3点到今天早上9点 order-service 有没有报错，" * 300,
    "quotes": '“a”和"b"，' * 900,
    "exclusions": "不要看 a，除了 b，而不是 c 的 order-service 错误；" * 250,
    "brackets": "order-service " + "([{（【" * 1_590,
    "numbers": "1234567.89% 5ms 3GB " * 400,
    "services": "order-service payment-service " * 260,
    "one_word": "慢" * 8_000,
    "letters": "aB-" * 2_600,
    "addresses": "http://a.b/c?d=e&password=f " * 280,
    "controls": "order-service \x1b]52;c;eA==\x07\u202e 有没有告警 " * 180,
}


def poisons(servers: Mapping[str, str]) -> dict[str, Poison]:
    """By name. `servers`: addresses of metric servers that never come to an end."""
    lines = "2026-07-08T11:00:00Z ERROR order-service boom\n"
    found: dict[str, Poison] = {
        "book_sparse_2_gb": _book(lambda folder: sparse(folder / "big.md")),
        "book_paragraph_200_mb": _book(lambda folder: paragraph(folder / "big.md")),
        "book_deep_folders": _book(lambda folder: deep(folder / "x")),
        "book_fifo": _book(lambda folder: os.mkfifo(folder / "pipe.md")),
        "book_device": _book(lambda folder: (folder / "zero.md").symlink_to("/dev/zero")),
        "book_link_loop": _book(lambda folder: (folder / "loop.md").symlink_to("loop.md")),
        "book_headings": _book(lambda f: (f / "h.md").write_text("".join(f"# h{n}\n" for n in range(200_000)))),
        "book_stars": _book(lambda folder: (folder / "s.md").write_text("**" * 900_000)),
        "skill_bomb": _skill(lambda: f"---\nname: bad\ndescription: x\n{BOMB}---\nx\n"),
        "skill_deep": _skill(lambda: f"---\nname: bad\nx: {'[' * 50_000}\n---\n"),
        "skill_5_mb": _skill(lambda: f"---\nname: bad\ndescription: {'x' * 5_000_000}\n---\n"),
        "log_zeros_packed": _logs(lambda f: _gzip(f / "z.log.gz", (bytes(MB) for _ in range(1_500)))),
        "log_nested_zip": _logs(_nested_zip),
        "log_odd_tar": _logs(_odd_tar),
        "log_cut_zip": _logs(lambda folder: (folder / "cut.zip").write_bytes(b"PK\3\4" + b"\0" * 1_000)),
        "log_one_line_200_mb": _logs(lambda folder: paragraph(folder / "line.log")),
        "log_deep_json": _logs(lambda folder: (folder / "d.log").write_text(('{"a":' * 100_000 + "\n") * 5)),
        "log_many_files": _logs(_many_files),
        "log_binary": _logs(lambda folder: (folder / "b.log").write_bytes(random.Random(1).randbytes(20 * MB))),
        "log_escapes": _logs(lambda folder: (folder / "e.log").write_text(lines * 1_000 + "\x1b]8;;x\x07" * 500_000)),
        "alerts_200_mb": _alerts(_big_file),
        "alerts_deep": _alerts(lambda path: path.write_text("[" * 5_000_000) and None),
        "alerts_60000": _alerts(_many_alerts),
    }
    for name, url in servers.items():
        source = Source(kind="metrics", name="metrics", address=url)
        found[f"metrics_{name}"] = Poison(NORMAL, lambda _, source=source: (source,))
    for name, question in QUESTIONS.items():
        found[f"question_{name}"] = Poison(question[:8_000])
    for name in hostile_tools.ACTS:
        found[f"tool_{name}"] = Poison(f"order-service poison act={name} 是否发生故障？", asks_model=True)
    for name in (*REPLIES, *WHOLE):
        found[f"reply_{name}"] = Poison(f"order-service poison executor={name} 是否发生故障？", asks_model=True)
    for agent in ("planner", "verifier"):
        for name in ("four_mb", "deep"):
            found[f"{agent}_{name}"] = Poison(f"order-service poison {agent}={name} 是否故障？", asks_model=True)
    return found


# ---------------------------------------------------------------- servers without end


@contextmanager
def endless_servers() -> Iterator[dict[str, str]]:
    """Metric servers that drip, that pour, and that take a connection and say nothing."""

    class Endless(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                if "drip" in self.path:
                    for _ in range(1_200):
                        self.wfile.write(b" ")
                        time.sleep(0.25)
                while True:
                    self.wfile.write(b" " * MB)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{server.server_port}"
        yield {
            "drips": f"{address}/drip",
            "pours": f"{address}/pour",
            "says_nothing": f"http://127.0.0.1:{silent.getsockname()[1]}",
        }
    server.shutdown()


# ---------------------------------------------------------------- the service


@dataclass(slots=True)
class Memory:
    """The greatest sum of memory of a plant's workers, of its servers, and of whatever they began."""

    plant: Plant
    most: int = 0
    _ends: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Memory:
        threading.Thread(target=self._sample, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()

    def _sample(self) -> None:
        while not self._ends.wait(0.2):
            self.most = max(self.most, sum(resident for _, resident in family(self.plant)))


def family(plant: Plant) -> list[tuple[int, int]]:
    """Process ids and bytes of the service: its workers, the servers in its folder, and what they began.

    The bytes are proportional set sizes: a page that several processes share (PostgreSQL's buffers) counts once in all.
    """
    parents, ours = dict[int, int](), {worker.pid for worker in plant.workers}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with suppress(OSError, IndexError, ValueError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if str(plant.folder).encode() in (entry / "cmdline").read_bytes():
                ours.add(int(entry.name))
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return [(pid, proportional(pid)) for pid in ours - {os.getpid()}]


def proportional(pid: int) -> int:
    """Its proportional set size in bytes; 0 where it has ended, the resident size where the other is not told."""
    with suppress(FileNotFoundError, ProcessLookupError):
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except PermissionError:
            return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return 1024 * next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return 0


@contextmanager
def service(folder: Path, model_url: str) -> Iterator[Plant]:
    """Two workers on servers of their own."""
    folder.mkdir(mode=0o711, exist_ok=True)
    for above in (folder, folder.parent):
        above.chmod(0o711)  # PostgreSQL may run as another account
    if str(HERE) not in sys.path:  # where the settings' `hostile_tools:make` is found, here and by the workers
        sys.path.insert(0, str(HERE))
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    settings = {**SETTINGS, "OPENAI_BASE_URL": model_url}
    running = Plant(folder, OneServer(folder / "nats"), 30.0, 0.0, settings)
    try:
        running.start(2)
        yield running
    finally:
        running.stop()


async def opened(plant: Plant, events: SessionLog, poison: Poison, folder: Path) -> UUID:
    sources = await asyncio.to_thread(poison.sources, folder)
    command = plant.open_command(poison.question)
    command = replace(command, sources=sources, base_url=command.base_url if poison.asks_model else None)
    if sources and sources != sample_scenario().sources:
        command = replace(command, settings=command.settings.model_copy(update={"source": "given"}))
    if not poison.asks_model:
        models = dict.fromkeys(command.settings.models, "extractive")
        command = replace(command, settings=command.settings.model_copy(update={"models": models}))
    session_id = session_id_for(None)
    await runner_on(events, plant.settings).submit(session_id, command)
    return session_id


async def ending(events: SessionLog, session_id: UUID, patience_s: float) -> Ending:
    started = time.monotonic()
    while True:
        history = await events.load(session_id)
        state, seconds = fold(history), time.monotonic() - started
        if isinstance(state, Closed):
            return Ending(seconds, *_told(state, history))
        if seconds > patience_s:
            return Ending(seconds, "unfinished", history[-1].event.TOPIC)
        await asyncio.sleep(0.2)


def _told(state: Closed, history: Sequence[object]) -> tuple[str, str]:
    failed = [
        f"{done.event.facts.error_kind}"
        for done in history
        if isinstance(getattr(done, "event", None), ToolInvoked) and not done.event.facts.success  # type: ignore[attr-defined]
    ]
    match state.end:
        case SessionCompleted(facts=facts):
            return str(facts.verdict), f"{facts.outcome} {' '.join(failed)}".strip()
        case SessionFailed(facts=facts):
            return "failed", f"{facts.stage} {facts.reason_code}"
        case end:
            return end.TOPIC, ""


async def beside_a_normal_one(plant: Plant, poison: Poison, folder: Path, patience_s: float) -> tuple[Ending, Ending]:
    """How the poisoned session ended, and a normal one opened right behind it."""
    ordinary = Poison(NORMAL, lambda _: sample_scenario().sources)
    async with plant.log() as events:
        try:
            poisoned = await opened(plant, events, poison, folder)
        except InvalidCommand as refusal:  # masking may make a question longer than questions may be
            ended = Ending(0.0, "refused", str(refusal))
            return ended, await ending(events, await opened(plant, events, ordinary, folder), patience_s)
        normal = await opened(plant, events, ordinary, folder)
        told = await asyncio.gather(ending(events, poisoned, patience_s), ending(events, normal, patience_s))
    return told[0], told[1]


def faults(name: str, poisoned: Ending, normal: Ending, most_seconds: float) -> list[str]:
    return [
        f"{name}: {what}"
        for what, is_wrong in (
            (f"the poisoned session is {poisoned.status} ({poisoned.reason})", poisoned.status == "unfinished"),
            (f"the normal session ended {normal.status} ({normal.reason})", normal.status != "PASS"),
            (f"the poisoned session took {poisoned.seconds:.0f} s", poisoned.seconds > most_seconds),
            (f"the normal session took {normal.seconds:.0f} s", normal.seconds > most_seconds),
        )
        if is_wrong
    ]


def stopped(plant: Plant, names: Sequence[str], all_poisons: Mapping[str, Poison], folder: Path) -> float:
    """Seconds until both workers have ended, told to stop while poison is at work."""

    async def begin() -> None:
        async with plant.log() as events:
            for name in names:
                await opened(plant, events, all_poisons[name], folder / name)
        await asyncio.sleep(3)

    asyncio.run(begin())
    started = time.monotonic()
    for worker in plant.workers:
        worker.send_signal(signal.SIGTERM)
    for worker in plant.workers:
        with suppress(Exception):
            worker.wait(60)
    return time.monotonic() - started


WHILE_STOPPING = ("tool_ignores_cancelling", "tool_computes_for_ever", "tool_many_secrets", "log_zeros_packed")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="of poisons; all by default")
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS)
    arguments = parser.parse_args()
    found: list[str] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        everything = poisons(stack.enter_context(endless_servers()))
        plant = stack.enter_context(service(folder / "service", stack.enter_context(hostile_model())))
        memory = stack.enter_context(Memory(plant))
        chosen = arguments.names or list(everything)
        for name in chosen:
            memory.most = 0
            ran = beside_a_normal_one(plant, everything[name], folder / name, arguments.seconds + 30)
            poisoned, normal = asyncio.run(ran)
            new = faults(name, poisoned, normal, arguments.seconds)
            if memory.most > MOST_BYTES:
                new.append(f"{name}: {memory.most / MB:.0f} MiB")
            told = f"{poisoned.seconds:5.1f} s {poisoned.status} ({poisoned.reason}), normal {normal.seconds:4.1f} s"
            print(f"{name:32} {told} {normal.status}, {memory.most / MB:5.0f} MiB{' FAULT' if new else ''}", flush=True)
            found += new
        seconds = stopped(plant, WHILE_STOPPING, everything, folder / "stopping")
        print(f"stopped in {seconds:.1f} s", flush=True)
        found += [f"the service took {seconds:.0f} s to stop"] if seconds > STOP_SECONDS else []
    print(*(found or [f"all {len(chosen)} held"]), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
