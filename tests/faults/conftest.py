"""The plant to break, on one nats-server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.faults.plant import HERE, OneServer, Plant


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Plant]]:
    monkeypatch.syspath_prepend(str(HERE))  # where the settings' `counting_tools:make` is found
    tmp_path.chmod(0o711)
    tmp_path.parent.chmod(0o711)
    built: list[Plant] = []

    def build(
        workers: int, *, ack_wait_s: float = 30.0, tool_s: float = 0.05, settings: Mapping[str, str] | None = None
    ) -> Plant:
        built.append(Plant(tmp_path, OneServer(tmp_path / "nats"), ack_wait_s, tool_s, settings))
        built[-1].start(workers)
        return built[-1]

    yield build
    for each in built:
        each.stop()
