"""Real servers for the integration tests: a nats-server and a PostgreSQL for a run, from their wheels or images."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.request import urlopen
from uuid import uuid4

import psycopg
import pytest
from pydantic import SecretStr
from testcontainers.community.postgres import PostgresContainer
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

from infra.access import Credentials, Role, accounts
from infra.embedded import Servers, running_servers
from infra.event_log.connection import Connection
from infra.event_log.keys import KeyDirectory
from infra.event_log.sealing import Algorithm
from infra.event_log.session_log import SessionLog
from infra.settings import Settings
from infra.streams import init_streams
from tests.superuser import may_make_databases

NATS_PORT = 4222


@pytest.fixture(scope="session")
def servers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Both servers, with all users, embedded or (`--containers`) in containers; streams and consumers exist."""
    option = request.config.getoption
    folder = None if option("--containers") else tmp_path_factory.mktemp("servers")
    if folder is None:
        starting = _containers(option("--nats-image"), option("--postgres-image"))
    else:
        starting = running_servers(Settings(data_dir=folder))
    with starting as running:
        if folder:
            may_make_databases(folder, running.postgres_dsn)
        asyncio.run(_initialise(running))
        yield running


@contextmanager
def _containers(nats_image: str, postgres_image: str) -> Iterator[Servers]:
    users = {role: Credentials(user=role, password=SecretStr(token_urlsafe(24))) for role in Role}
    config = {"port": NATS_PORT, "accounts": accounts(users)}
    config["jetstream"] = {"store_dir": "/tmp/jetstream", "sync_interval": "always"}
    nats = DockerContainer(nats_image).with_exposed_ports(NATS_PORT).with_command(["--config", "/tmp/nats.json"])
    nats.with_copy_into_container(json.dumps(config).encode(), "/tmp/nats.json")
    nats.waiting_for(LogMessageWaitStrategy("Server is ready"))
    with nats, PostgresContainer(postgres_image, dbname="postgres", driver=None) as postgres:
        nats_url = f"nats://{nats.get_container_host_ip()}:{nats.get_exposed_port(NATS_PORT)}"
        yield Servers(nats_url, users, postgres.get_connection_url())


async def _initialise(running: Servers) -> None:
    async with _connected(running, Role.ADMIN) as connection:
        await init_streams(connection.client.jetstream())


@asynccontextmanager
async def _connected(running: Servers, role: Role) -> AsyncIterator[Connection]:
    credentials = running.credentials[role]
    password = credentials.password.get_secret_value()
    connection = await Connection.open(running.nats_url, credentials.user, password, role.inbox_prefix)
    try:
        yield connection
    finally:
        await connection.close()


@pytest.fixture
def nats(servers: Servers) -> Servers:
    """The nats-server, shared by the whole run: `nats_url` and `credentials[role]`. Use fresh session ids."""
    return servers


@pytest.fixture
def connected(nats: Servers) -> Callable[[Role], object]:
    """`async with connected(Role.SERVICE) as connection`: an `infra.event_log.connection.Connection` of that user."""
    return lambda role: _connected(nats, role)


@pytest.fixture
def key_dir(tmp_path: Path) -> Path:
    """Where the `log` fixture's keys are."""
    return tmp_path / "keys"


@pytest.fixture
def open_log(nats: Servers, key_dir: Path) -> Callable[..., object]:
    """`async with open_log() as log`: a `SessionLog` of the service (or another role), with keys of this test's own."""

    @asynccontextmanager
    async def opened(role: Role = Role.SERVICE, seal: Algorithm = "aes-256-gcm") -> AsyncIterator[SessionLog]:
        async with _connected(nats, role) as connection:
            yield SessionLog(connection, KeyDirectory(key_dir), seal)

    return opened


@pytest.fixture
def postgres(servers: Servers) -> Iterator[str]:
    """DSN of an empty database of this test's own."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(servers.postgres_dsn, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        yield servers.postgres_dsn.rpartition("/")[0] + f"/{name}"
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


RULES = """
groups:
  - name: sample
    rules:
      - alert: SpoolSlotsLow
        expr: vector(91) > 85
        labels: {service: tape-service, severity: ticket}
        annotations: {current: "{{ $value }}%", description: "few slots left"}
      - alert: SpoolJammed
        expr: vector(0) > 1
      - alert: KubePodCrashLooping
        expr: label_replace(vector(1), "pod", "vault-keeper-7d9f8b6c5-abcde", "", "")
        labels: {namespace: bank, severity: warning}
        annotations: {description: "Pod is in waiting state (reason: CrashLoopBackOff)."}
"""
SCRAPING = """
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs:
  - job_name: prometheus
    static_configs: [{targets: ["ADDRESS"]}]
  - job_name: dead
    static_configs: [{targets: ["127.0.0.1:1"]}]
"""


@pytest.fixture(scope="session")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a Prometheus that has scraped itself and whose alert fires; its tests are marked `program`."""
    folder = tmp_path_factory.mktemp("prometheus")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    (folder / "rules.yml").write_text(RULES)
    (folder / "prometheus.yml").write_text(SCRAPING.replace("ADDRESS", address))
    command = ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([*command, f"--web.listen-address={address}"], stdout=log, stderr=log)
    try:
        while not (_fires(f"http://{address}") and _has(f"http://{address}", "query?query=count(up)%3D%3D2", "result")):
            assert server.poll() is None, (folder / "log").read_text()
            time.sleep(0.2)
        yield f"http://{address}"
    finally:
        server.terminate()
        server.wait()


def _fires(url: str) -> bool:
    return any(alert["state"] == "firing" for alert in _has(url, "alerts", "alerts"))


def _has(url: str, path: str, part: str) -> list[Any]:
    """A part of an answer's data; empty until there is any."""
    with suppress(OSError), urlopen(f"{url}/api/v1/{path}") as response:
        found: list[Any] = json.load(response)["data"][part]
        return found
    return []
