"""The embedded servers: durable, private, shared between processes, and gone when nobody uses them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from infra.access import Role
from infra.embedded import Servers, nats_server, running_servers
from infra.embedded.nats_server import NatsServer, nats_config
from infra.embedded.process import ServerError
from infra.settings import Settings

USER = """
import select, sys
from pathlib import Path
from infra.embedded import running_servers
from infra.settings import Settings

with running_servers(Settings(data_dir=Path(sys.argv[1]))) as servers:
    print(servers.nats_url, flush=True)
    while not select.select([sys.stdin], [], [], 0.1)[0]:
        pass
print("left", flush=True)
"""
"""A process that uses the servers until its input ends."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def start_user(folder: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        user = subprocess.Popen(
            [sys.executable, "-c", USER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(user)
        return user

    yield start
    for user in started:
        user.kill()
        user.communicate()
    for process in server_processes(folder):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def server_processes(folder: Path) -> list[psutil.Process]:
    """Living processes whose command line names the data folder, but for the users of the servers."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            command = " ".join(process.cmdline())
            if str(folder) in command and USER not in command and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def listens(url: str) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=2):
        return True
    return False


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def url_of(user: subprocess.Popen[str]) -> str:
    assert user.stdout is not None
    return user.stdout.readline().strip()


def leave(user: subprocess.Popen[str]) -> None:
    user.communicate(timeout=60)


# ------------------------------------------------------------ one user


def test_both_servers_run_inside_the_block_and_not_after(folder: Path) -> None:
    with running_servers(Settings(data_dir=folder)) as servers:
        assert listens(servers.nats_url)
        with psycopg.connect(servers.postgres_dsn) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        url = servers.nats_url

    assert not listens(url)
    assert server_processes(folder) == []


def test_an_error_inside_the_block_stops_the_servers(folder: Path) -> None:
    with pytest.raises(KeyboardInterrupt), running_servers(Settings(data_dir=folder)):
        raise KeyboardInterrupt

    assert server_processes(folder) == []


def test_data_credentials_and_ports_outlive_the_servers(folder: Path) -> None:
    with running_servers(Settings(data_dir=folder)) as servers:
        with psycopg.connect(servers.postgres_dsn, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA kept")
            connection.execute("CREATE TABLE kept.kept AS SELECT 7 AS n")
        first: Servers = servers

    with running_servers(Settings(data_dir=folder)) as second:
        assert second == first
        with psycopg.connect(second.postgres_dsn) as connection:
            assert connection.execute("SELECT n FROM kept.kept").fetchone() == (7,)


def test_a_folder_that_is_closed_to_others_meanwhile_keeps_no_server(folder: Path) -> None:
    """They stop, and run again on the next start: the folder is ours to open. As root PostgreSQL is somebody else."""
    for _ in range(2):
        with running_servers(Settings(data_dir=folder)) as servers:
            with psycopg.connect(servers.postgres_dsn) as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)
            folder.chmod(0o700)
        assert server_processes(folder) == []


def test_every_role_has_a_password_of_its_own_that_nobody_else_can_read(folder: Path) -> None:
    """R65."""
    with running_servers(Settings(data_dir=folder)) as servers:
        passwords = {role: servers.credentials[role].password.get_secret_value() for role in Role}

    assert len(set(passwords.values())) == len(Role)
    secret = [folder / "servers/nats/credentials.json", folder / "servers/nats/nats.json"]
    assert [path.stat().st_mode & 0o777 for path in [*secret, folder / "servers/postgres/password"]] == [0o600] * 3


def test_postgresql_refuses_a_wrong_password(folder: Path) -> None:
    """R65: a loopback port is open to every user of the machine."""
    with running_servers(Settings(data_dir=folder)) as servers:
        wrong = servers.postgres_dsn.replace("assay_owner:", "assay_owner:x")
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(wrong)


def test_an_acknowledged_event_is_on_the_disk(tmp_path: Path) -> None:
    """R50: the server's default would keep acknowledged writes in memory for two minutes."""
    with running_servers(Settings(data_dir=tmp_path)) as servers:
        written = json.loads((tmp_path / "servers/nats/nats.json").read_text())
        expected = nats_config(tmp_path / "servers/nats", written["server_name"], written["port"], servers.credentials)

    assert written == expected
    assert written["jetstream"]["sync_interval"] == "always"


def test_an_external_server_is_not_started(folder: Path) -> None:
    settings = Settings(data_dir=folder, nats_url="nats://example:4222", postgres_dsn="postgresql://example/assay")
    with running_servers(settings) as servers:
        assert (servers.nats_url, servers.postgres_dsn) == ("nats://example:4222", "postgresql://example/assay")

    assert not folder.exists()


def test_only_what_is_missing_is_started(folder: Path) -> None:
    with running_servers(Settings(data_dir=folder, nats_url="nats://example:4222")) as servers:
        assert servers.nats_url == "nats://example:4222"
        assert servers.postgres_dsn.startswith("postgresql://assay_owner:")
        assert {process.name() for process in server_processes(folder)} == {"postgres"}


# ------------------------------------------------------------ several users


def test_users_share_the_servers_and_the_last_one_stops_them(
    folder: Path, start_user: Callable[[], subprocess.Popen[str]]
) -> None:
    one, two = start_user(), start_user()
    url = url_of(one)
    assert url_of(two) == url

    leave(one)
    assert listens(url)

    leave(two)
    assert not listens(url)
    assert server_processes(folder) == []


def test_a_killed_user_does_not_keep_the_servers_running(
    folder: Path, start_user: Callable[[], subprocess.Popen[str]]
) -> None:
    one, two = start_user(), start_user()
    url_of(one), url_of(two)
    one.kill()
    one.wait()

    leave(two)
    assert server_processes(folder) == []


def test_servers_left_behind_by_killed_users_are_used_again(
    folder: Path, start_user: Callable[[], subprocess.Popen[str]]
) -> None:
    killed = start_user()
    url = url_of(killed)
    killed.kill()
    killed.wait()
    left_behind = {process.pid for process in server_processes(folder)}
    assert left_behind

    with running_servers(Settings(data_dir=folder)) as servers:
        assert servers.nats_url == url
        assert left_behind <= {process.pid for process in server_processes(folder)}

    assert server_processes(folder) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_last_user_stops_the_servers(
    folder: Path, start_user: Callable[[], subprocess.Popen[str]], number: signal.Signals
) -> None:
    user = start_user()
    url_of(user)
    user.send_signal(number)
    user.wait(timeout=60)

    assert within(5, lambda: server_processes(folder) == [])


def test_a_crashed_nats_server_is_restarted_on_its_port(folder: Path) -> None:
    with running_servers(Settings(data_dir=folder)) as servers:
        crashed = int((folder / "servers/nats/pid").read_text())
        os.kill(crashed, signal.SIGKILL)

        assert within(30, lambda: crashed not in {process.pid for process in server_processes(folder)})
        assert within(30, lambda: listens(servers.nats_url))


def test_a_nats_server_that_does_not_answer_is_gone_before_the_next_one_starts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R51: two of them on one store would each take the other's events for lost."""
    monkeypatch.setattr(nats_server, "_START_SECONDS", 2.0)
    monkeypatch.setattr(nats_server, "_STOP_SECONDS", 1.0)
    folder.mkdir()
    first, second = NatsServer(folder / "nats"), NatsServer(folder / "nats")
    first.ensure_running()
    (frozen,) = server_processes(folder)
    frozen.suspend()
    while any(psutil.Process(one.id).status() != psutil.STATUS_STOPPED for one in frozen.threads()):
        time.sleep(0.01)  # each of its threads stops when it is next due
    second.ensure_running()
    (running,) = server_processes(folder)
    assert running.pid != frozen.pid
    second.stop()
    assert server_processes(folder) == []


def test_a_nats_server_that_hangs_at_its_start_is_an_error_and_no_process(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes no number that it could be found by."""
    program = tmp_path / "hangs"
    program.write_text("#!/bin/sh\nwhile :; do sleep 0.1; done\n")
    program.chmod(0o700)
    monkeypatch.setattr(nats_server, "_START_SECONDS", 0.5)
    monkeypatch.setattr(nats_server, "nats_server_binary", lambda: str(program))
    folder.mkdir()
    with pytest.raises(ServerError, match="nats-server did not start"):
        NatsServer(folder / "nats").ensure_running()
    assert server_processes(folder) == []


def test_a_crashed_postgresql_is_restarted_on_its_port(folder: Path) -> None:
    def answers() -> bool:
        with suppress(psycopg.OperationalError), psycopg.connect(servers.postgres_dsn) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
        return False

    with running_servers(Settings(data_dir=folder)) as servers:
        postmaster = folder / "servers/postgres/data/postmaster.pid"
        os.kill(int(postmaster.read_text().splitlines()[0]), signal.SIGKILL)

        assert within(30, answers)


def test_ctrl_c_pressed_thrice_ends_at_once(folder: Path) -> None:
    """Whatever the process makes of it; the next user finds its servers."""
    deaf = USER.replace("with running", "import signal\nsignal.signal(signal.SIGINT, lambda *_: None)\nwith running")
    user = subprocess.Popen(
        [sys.executable, "-c", deaf, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    url_of(user)
    for _ in range(3):
        assert user.poll() is None
        user.send_signal(signal.SIGINT)
        time.sleep(0.3)
    assert user.wait(timeout=2) == 130
    user.communicate()
    with running_servers(Settings(data_dir=folder)):
        pass
    assert server_processes(folder) == []
