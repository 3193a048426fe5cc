"""What a command costs before it does anything: listing sessions must not load what only answering needs."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

LOADED = """
import json, sys
from handlers.cli import main
status = main(sys.argv[1:])
print(json.dumps({"status": status, "modules": sorted(sys.modules)}), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [("session", "list"), ("session", "list", "--json")], ids=" ".join)
def test_listing_sessions_loads_neither_models_nor_the_broker(served: Any, arguments: tuple[str, ...]) -> None:
    """Done-when 8: it takes less than `import openai, faststream.nats`, because it imports neither."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], env=served.environment, capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stderr.splitlines()[-1])
    assert loaded["status"] == 0
    assert {"psycopg", "handlers.cli.session"} <= set(loaded["modules"])
    heavy = {
        "openai",
        "faststream",
        "nats",
        "httpx2",
        "jieba",
        "eventsourcing",
        "domain.events",
        "handlers.application",
    }
    assert heavy.isdisjoint(loaded["modules"])
