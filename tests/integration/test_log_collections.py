"""Lines as public collections of logs have them: what they name, and what only may be a name (R68)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from domain.events import Source
from domain.evidence.coverage import Coverage
from infra.tools.contract import ToolContext
from infra.tools.logs import logs_tool

NOW = datetime(2031, 3, 4, 12, 0, tzinfo=UTC)
CONTEXT = ToolContext(now=NOW, window_minutes=60, invocation_id=7, session_id="session")
EVER = {"since": "2001-01-01T00:00:00Z", "until": "2031-03-04T12:00:00Z"}

THUNDERBIRD = (
    "- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228/dn228 crond[2915]: power lost\n"
    "- 1131566462 2005.11.09 dn228 Nov 9 12:01:02 dn228/dn228 ACPI: power lost\n"
    "- 1131566463 2005.11.09 dn228 Nov 9 12:01:03 dn228/dn228 IOAPIC[0]: power lost\n"
)
OPENSTACK = (
    "nova-api.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 25746 INFO a.wsgi.server [req-1 - - -] GET\n"
    "nova-compute.log.1.2017-05-16_13:55:31 2017-05-16 00:00:04.500 2931 INFO a.manager [req-2 - - -] GET\n"
)
APACHE = "[Sun Dec 04 04:47:44 2005] [error] mod_jk child workerEnv in error state 6\n"


def search(folder: Path, text: str, service: str, **asked: str) -> Coverage:
    (folder / "all.log").write_text(text)
    source = Source(kind="logs", name="logs", address=str(folder), zone="UTC")
    result = asyncio.run(logs_tool([source]).run({"service": service, **EVER, **asked}, CONTEXT))
    assert result.success, result.error_message
    assert result.retrieval.coverage is not None
    return result.retrieval.coverage


@pytest.mark.parametrize(
    ("text", "service", "matched", "doubted"),
    [
        (THUNDERBIRD, "kernel", 0, 2),
        (THUNDERBIRD, "crond", 1, 2),
        (OPENSTACK, "nova-api", 1, 1),
        (OPENSTACK, "nova-compute", 1, 1),
        (APACHE, "apache2", 1, 0),
        (APACHE, "order-service", 0, 1),
    ],
)
def test_a_name_that_may_be_one_selects_and_excludes_nothing(
    tmp_path: Path, text: str, service: str, matched: int, doubted: int
) -> None:
    """R68."""
    coverage = search(tmp_path, text, service)
    assert (coverage.counts.matched, sum(one.count for one in coverage.doubts if not one.unknown)) == (matched, doubted)
    assert coverage.complete is not bool(doubted)
