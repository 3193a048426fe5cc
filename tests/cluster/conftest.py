"""Three nats-servers on loopback with every stream on all of them, and the plant of the fault tests on top."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import secrets
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import nats.errors
import pytest
from nats.js.api import StorageType
from nats.js.errors import APIError
from pydantic import TypeAdapter

from handlers.application import jetstream
from infra.access import Credentials, Role
from infra.embedded import Servers
from infra.embedded.nats_server import nats_config, nats_server_binary
from infra.embedded.process import LOOPBACK, free_port, last_lines, wait_until, write_private
from infra.event_log.errors import LogError
from infra.streams import ACCESS, BLOBS, EVENTS, VERDICTS
from tests.faults.plant import HERE, Plant

NODES = ("n1", "n2", "n3")
STREAMS = (EVENTS, BLOBS, VERDICTS, ACCESS)
_PATIENCE_SECONDS = 120.0


class NatsCluster:
    """Like one server to its users, whom it gives the addresses of all three. `kill` takes the servers in turn."""

    nodes = NODES
    replicas = len(NODES)

    def __init__(self, folder: Path) -> None:
        self.credentials_file = folder / "credentials.json"
        self._folder = folder
        self._ports = {name: free_port() for name in NODES}
        self._routes = {name: free_port() for name in NODES}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._victims = itertools.cycle(NODES)

    @property
    def url(self) -> str:
        return ",".join(map(self.url_of, NODES))

    @property
    def credentials(self) -> Mapping[Role, Credentials]:
        return TypeAdapter(dict[Role, Credentials]).validate_json(self.credentials_file.read_bytes())

    def ensure_running(self) -> None:
        """All three run, and a stream finds room on each of them."""
        if not self.credentials_file.exists():
            self._folder.mkdir()
            users = {role: {"user": role, "password": secrets.token_urlsafe(24)} for role in Role}
            write_private(self.credentials_file, json.dumps(users))
        for name in NODES:
            if name not in self._processes or self._processes[name].poll() is not None:
                self._processes[name] = self._launch(name)
        for _ in range(3):
            takes = wait_until(lambda: self._ended() != [] or asyncio.run(self._takes_streams()), _PATIENCE_SECONDS)
            ended = self._ended()
            for name in ended:  # another program took its port between choosing and using it
                self._ports[name], self._routes[name] = free_port(), free_port()
                self._processes[name] = self._launch(name)
            if not ended:
                break
        if takes and not ended:
            return
        said = "\n".join(f"{name}: {last_lines(self._folder / name / 'output')}" for name in NODES)
        raise AssertionError(f"no stream on three servers\n{said}")

    def _ended(self) -> list[str]:
        return [name for name, process in self._processes.items() if process.poll() is not None]

    def stop(self) -> None:
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            process.wait(20)

    def kill(self) -> None:
        """SIGKILL the next server in turn and start it again; back when every stream is whole on all three."""
        self._kill(next(self._victims))

    def kill_leader(self) -> None:
        """The same with the server that leads the events."""
        self._kill(asyncio.run(self.leader(EVENTS)))

    def _kill(self, name: str) -> None:
        self._processes[name].send_signal(signal.SIGKILL)
        self._processes[name].wait()
        self._processes[name] = self._launch(name)
        assert wait_until(lambda: asyncio.run(self._is_whole()), _PATIENCE_SECONDS), f"{name} did not catch up"

    def url_of(self, name: str) -> str:
        return f"nats://{LOOPBACK}:{self._ports[name]}"

    @contextlib.contextmanager
    def frozen(self, name: str) -> Iterator[None]:
        """One server is stopped inside the block and goes on behind it, with all that it has missed."""
        self._processes[name].send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._processes[name].send_signal(signal.SIGCONT)

    async def leader(self, stream: str) -> str:
        """The name of the server that leads a stream, which exists."""
        async with jetstream(self._servers, Role.ADMIN) as js:
            cluster = (await js.stream_info(stream)).cluster
        return str(cluster and cluster.leader)

    @property
    def _servers(self) -> Servers:
        return Servers(self.url, self.credentials, "")

    def _launch(self, name: str) -> subprocess.Popen[bytes]:
        folder = self._folder / name
        folder.mkdir(exist_ok=True)
        config = nats_config(folder, name, self._ports[name], self.credentials)
        routes = [f"nats://{LOOPBACK}:{port}" for port in self._routes.values()]
        config["cluster"] = {"name": "assay", "listen": f"{LOOPBACK}:{self._routes[name]}", "routes": routes}
        write_private(folder / "nats.json", json.dumps(config))
        with (folder / "output").open("ab") as output:
            return subprocess.Popen(
                [nats_server_binary(), "--config", str(folder / "nats.json")], stdout=output, stderr=output
            )

    async def _takes_streams(self) -> bool:
        """JetStream answers before it knows all its servers: only a stream that is made shows that it does."""
        try:
            async with asyncio.timeout(10), jetstream(self._servers, Role.ADMIN) as js:
                await js.add_stream(name="PROBE", storage=StorageType.MEMORY, num_replicas=self.replicas)
                return await js.delete_stream("PROBE")
        except (LogError, nats.errors.Error, APIError, OSError):
            return False

    async def _is_whole(self) -> bool:
        """Every replica of every stream is there and holds what its leader holds."""
        try:
            async with asyncio.timeout(10), jetstream(self._servers, Role.ADMIN) as js:
                clusters = [(await js.stream_info(stream)).cluster for stream in STREAMS]
        except (LogError, nats.errors.Error, APIError, OSError):
            return False
        replicas = [replica for cluster in clusters if cluster for replica in cluster.replicas or ()]
        return len(replicas) == len(STREAMS) * (len(NODES) - 1) and all(
            replica.current and not replica.offline for replica in replicas
        )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[NatsCluster]:
    """Running, without streams."""
    servers = NatsCluster(tmp_path / "nats")
    try:
        servers.ensure_running()
        yield servers
    finally:
        servers.stop()


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Plant]]:
    """`plant(workers, ack_wait_s=…, tool_s=…)`: workers on the cluster, with streams; `plant.nats` is the cluster."""
    monkeypatch.syspath_prepend(str(HERE))  # where the settings' `counting_tools:make` is found
    tmp_path.chmod(0o711)
    tmp_path.parent.chmod(0o711)
    built: list[Plant] = []

    def build(workers: int, *, ack_wait_s: float, tool_s: float) -> Plant:
        built.append(Plant(tmp_path, NatsCluster(tmp_path / "nats"), ack_wait_s, tool_s))
        built[-1].start(workers)
        return built[-1]

    yield build
    for each in built:
        each.stop()
