"""Folders as servers leave them, asked as an on-call engineer asks (a share of `python -m tests.long.practical`)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.long.practical.__main__ import EXCLUDED, chosen, says_excluded
from tests.long.practical.asking import Answered
from tests.long.practical.host_questions import HOST
from tests.long.practical.judging import GOOD, Outcome, judged, names_and_mends, outcome_of
from tests.long.practical.pods_questions import PODS
from tests.long.practical.question import Folder, Question
from tests.long.practical.reader import WITHOUT_RIGHTS, ask_as, closed_to
from tests.long.practical.spring_questions import SERVICE
from tests.long.practical.tree import remove

RIGHTS = WITHOUT_RIGHTS if os.geteuid() == 0 else ()


def asked(served: Any, folder: Folder, root: Path, question: Question, *more: str) -> Answered:
    flags = ["--logs", str(root), "--log-zone", folder.zone, "--now", folder.now.isoformat(), *more]
    return Answered(served.ask(question.text, *flags, ASSAY_ZONE=folder.zone))


@pytest.mark.parametrize("folder", [HOST, PODS, SERVICE], ids=lambda folder: folder.name)
def test_what_is_there_is_found_and_what_is_not_is_proven(served: Any, folder: Folder, tmp_path: Path) -> None:
    """R68 to R70: with every right to read."""
    root = tmp_path / "log"
    folder.write(root)
    questions = chosen(folder, 15)[3::6]
    came = {question.text: outcome_of(question, asked(served, folder, root, question)) for question in questions}
    assert came == {question.text: GOOD[question.is_planted] for question in questions}


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The server's `/var/log`, as somebody sees it who is not of the group adm."""
    root = tmp_path_factory.mktemp("closed") / "log"
    HOST.write(root, as_others_see=True)
    yield root
    remove(root)


def some(texts: Sequence[str]) -> list[Question]:
    return [question for question in HOST.questions if any(text in question.text for text in texts)]


def test_without_rights_a_gap_names_what_is_closed_and_how_to_mend_it(closed: Path) -> None:
    """R69: what stands there and what does not are told apart by nobody who may not read it."""
    questions = some(("no live upstreams", "segfault", "openssl"))
    results = judged(questions, ask_as(RIGHTS, HOST, closed, questions))
    readable = [one.question.text for one in results if one.outcome is Outcome.FOUND]
    assert readable == ["本周升级过 openssl 吗？"]  # dpkg.log is open to all
    others = [one for one in results if one.outcome is not Outcome.FOUND]
    assert [(one.outcome, names_and_mends(one.answered)) for one in others] == [(Outcome.GAP, True)] * len(others)


def test_what_is_left_out_is_said_and_then_an_absence_is_proven(closed: Path) -> None:
    """R69: by `--exclude`, with every input that is closed."""
    questions = [one for one in some(("segfault", "ORD-4418", "No space left")) if not one.is_planted]
    answers = ask_as(RIGHTS, HOST, closed, questions, closed_to(RIGHTS, closed))
    results = judged(questions, answers)
    assert {one.outcome for one in results} == {Outcome.PROVEN}
    assert all(says_excluded(one) and any(words in one.answered.answer for words in EXCLUDED) for one in results)
