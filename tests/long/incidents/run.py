"""Runs incidents: written to a folder, asked, judged; in processes of their own where there are several."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.long.incidents.asking import ask_all
from tests.long.incidents.baseline import baseline
from tests.long.incidents.generate import generate
from tests.long.incidents.judging import Judged, judged

Both = tuple[list[Judged], list[Judged]]


def run_one(number: int, seed: int, folder: Path | None = None) -> Both:
    """The answers to the four questions of one incident, and the baseline's to its why."""
    incident = generate(seed, number)
    with nullcontext(folder / f"{seed}-{number}") if folder else TemporaryDirectory(prefix="incident-") as name:
        places = incident.write(Path(name))
        replies = ask_all(incident, places, incident.questions)
    results = [judged(incident, *one) for one in zip(incident.questions, replies, strict=True)]
    whys = [one for one in incident.questions if one.kind == "why"]
    return results, [judged(incident, one, baseline(incident, one)) for one in whys]


def run_many(seed: int, cases: int, workers: int = 1, folder: Path | None = None, first: int = 0) -> Iterator[Both]:
    """`folder`: where the incidents are kept; else they are removed."""
    one = partial(run_one, seed=seed, folder=folder)
    if workers <= 1:
        yield from map(one, range(first, first + cases))
        return
    with get_context("spawn").Pool(workers) as pool:
        yield from pool.imap(one, range(first, first + cases))
