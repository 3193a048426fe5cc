"""Heads of a log are found whatever its data folder is called now: a rollback cannot hide behind a name (R75)."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

QUESTION = "请排查 payment-service 当前是否存在 HighCPUUsage 告警，只确认 CPU 使用率过高这一件事。"


def found(assay: Any, folder: Path) -> tuple[int, list[str], int]:
    """What `verify` says of a data folder: exit status, kinds of faults, heads."""
    ran = assay.here("verify", "--json", ASSAY_DATA_DIR=str(folder))
    assert ran.out, ran.err
    return ran.status, [one["kind"] for one in ran.document["findings"]], ran.document["heads"]


def test_a_rolled_back_copy_is_found_by_link_moved_and_under_another_name(new_assay: Any) -> None:
    """R75: also where database and log are of the same earlier day, and nothing is recorded behind them."""
    assay = new_assay()
    data = assay.folder / "data"
    assay.ask(QUESTION)
    older = assay.folder / "older"
    subprocess.run(["cp", "-a", str(data), str(older)], check=True)  # owners too
    assay.ask(QUESTION)
    status, faults, heads = found(assay, data)
    assert (status, faults) == (0, [])

    link, moved = assay.folder / "link", assay.folder / "moved"
    link.symlink_to(data)
    assert found(assay, link) == (0, [], heads)
    data.rename(moved)
    assert found(assay, moved) == (0, [], heads)
    assay.ask(QUESTION, ASSAY_DATA_DIR=str(moved))
    assert found(assay, moved)[:2] == (0, [])

    older_link = assay.folder / "older link"
    older_link.symlink_to(older)
    for folder in (older, older_link):
        assert found(assay, folder)[:2] == (3, ["rolled-back log", "rolled-back log"])  # and of the verdicts
        asked = assay.here("ask", QUESTION, ASSAY_DATA_DIR=str(folder))
        assert asked.status == 1
        assert "was cut or rolled back, and nothing may be recorded" in asked.err
        assert "rolled back" in assay.here("doctor", ASSAY_DATA_DIR=str(folder)).out
    older.rename(data)  # back under the name of the log that was moved
    assert found(assay, data)[:2] == (3, ["rolled-back log", "rolled-back log"])
