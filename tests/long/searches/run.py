"""Runs cases in process: the folder on disk, the question read, the tool asked as the offline model plans it, the refs
extracted. No server, no model, nothing recorded."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tests.long.searches.asking import answer
from tests.long.searches.case import Case
from tests.long.searches.generate import generate
from tests.long.searches.tally import Result, result_of


def written(case: Case, folder: Path) -> None:
    """The files of the case in `folder`, changed when the case says."""
    for path, content in case.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        at = case.changed[path].timestamp()
        os.utime(file, (at, at))


def run_case(case: Case, *, reads: bool = True) -> Result:
    """What one case comes to. `reads`: as in `answer`."""
    with tempfile.TemporaryDirectory(prefix="searches") as name:
        folder = Path(name)
        written(case, folder)
        return result_of(case, answer(case, folder, reads=reads))


def run_seeds(seeds: Iterable[int], reads: bool = True) -> list[Result]:
    """The cases of these seeds, one after the other."""
    return [run_case(generate(seed), reads=reads) for seed in seeds]


def run_many(first: int, cases: int, workers: int, *, reads: bool = True) -> Iterator[Result]:
    """So many cases from seed `first` on, in processes of their own."""
    step = 50
    chunks = [range(start, min(start + step, first + cases)) for start in range(first, first + cases, step)]
    if workers <= 1:
        yield from (run_case(generate(seed), reads=reads) for chunk in chunks for seed in chunk)
        return
    with get_context("spawn").Pool(workers) as pool:
        for results in pool.imap(partial(run_seeds, reads=reads), chunks):
            yield from results
