"""The generated incidents are what they say they are (issue of the open question: R70, R90)."""

from __future__ import annotations

import gzip
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from tests.long.incidents import Incident, generate
from tests.long.incidents.baseline import LINES, WORST_FIRST, baseline
from tests.long.incidents.generate import KINDS
from tests.long.incidents.incident import LONG
from tests.long.incidents.judging import STATES_A_CAUSE
from tests.long.incidents.questions import MISSING_ALERTS

INCIDENTS = [generate(1, number) for number in range(20)]
ONE = INCIDENTS[3]
AN_HOUR = timedelta(minutes=60)
each = pytest.mark.parametrize("incident", INCIDENTS, ids=lambda one: f"{one.seed}-{one.kind}")


def unescaped(text: str) -> str:
    """As far as quotes go: within JSON, and within JSON in JSON."""
    return text.replace("\\\\\\", "\\").replace('\\"', '"').replace("\\\\", "\\").replace('\\"', '"')


def text_of(incident: Incident, service: str) -> str:
    """All that a service wrote."""
    found = []
    for path, content in incident.files.items():
        if incident.owners[path] == service:
            found.append((gzip.decompress(content) if path.endswith(".gz") else content).decode())
    return unescaped("".join(found))


def test_a_seed_always_tells_the_same_incident() -> None:
    """To the byte, in files, alerts, documents and questions."""
    again = generate(1, 3)
    assert (again.files, again.alert_file, again.runbooks) == (ONE.files, ONE.alert_file, ONE.runbooks)
    assert (again.questions, again.decisive, again.entries) == (ONE.questions, ONE.decisive, ONE.entries)


def test_another_seed_tells_another() -> None:
    others = (generate(2, number) for number in range(20))
    same = next(one for one in others if one.kind == ONE.kind)
    assert not {one.text for one in same.questions} & {one.text for one in ONE.questions}
    assert same.services != ONE.services


def test_twenty_in_a_row_are_of_twenty_kinds() -> None:
    assert len({one.kind for one in INCIDENTS}) == len(KINDS) == 20


def test_two_thirds_of_the_questions_are_chinese() -> None:
    langs = [question.lang for one in INCIDENTS for question in one.questions]
    assert 0.55 <= langs.count("zh") / len(langs) <= 0.78
    for question in (question for one in INCIDENTS for question in one.questions):
        assert bool(re.search(r"[一-鿿]", question.text)) is (question.lang == "zh")


@each
def test_an_incident_has_services_alerts_and_four_questions(incident: Incident) -> None:
    assert 3 <= len(incident.services) <= 8
    assert set(incident.owners.values()) == set(incident.services)
    assert 2 <= len(incident.alerts) <= 9
    assert [question.kind for question in incident.questions] == ["narrow", "why", "absent", "planted"]
    assert 2 <= len(incident.decisive) <= 4


@each
def test_each_decisive_text_stands_in_the_logs_of_its_service_alone(incident: Incident) -> None:
    for decisive in incident.decisive:
        holders = [service for service in incident.services if decisive.text in text_of(incident, service)]
        assert holders == [decisive.service], decisive
        assert decisive.telling in decisive.text
        assert decisive.telling == decisive.text or decisive.line_length > LONG


@each
def test_what_is_decisive_is_new_and_near_the_onset(incident: Incident) -> None:
    for decisive in incident.decisive:
        times = [one.time for one in incident.entries if decisive.text in one.message]
        assert min(times) > incident.onset - timedelta(minutes=60)
        assert (min(times) < incident.onset) is (decisive.part == "change")
        assert max(times) < incident.now


@each
def test_what_is_old_was_written_before_the_incident_too(incident: Incident) -> None:
    """So that no answer may rest on it."""
    for text in incident.old_texts:
        times = [one.time for one in incident.entries if text in one.message]
        assert min(times) < incident.onset - timedelta(minutes=60), text
    assert not set(incident.old_texts) & set(incident.new_texts)


@each
def test_what_is_planted_is_written_once_in_the_last_hour(incident: Incident) -> None:
    for text in incident.planted:
        (entry,) = [one for one in incident.entries if text in one.message]
        assert incident.now - AN_HOUR < entry.time < incident.now
    question = incident.questions[3]
    assert all(words in text_of(incident, question.service) for words in question.shows)


@each
def test_what_is_absent_is_nowhere_in_the_service_asked_about(incident: Incident) -> None:
    question = incident.questions[2]
    (word,) = question.shows
    if word in MISSING_ALERTS:
        assert word not in incident.alert_file
    assert word.lower() not in text_of(incident, question.service).lower()


@each
def test_without_a_line_that_states_a_cause_no_text_does(incident: Incident) -> None:
    """But for stack traces, whose causes are known."""
    stating = [one.message for one in incident.entries if STATES_A_CAUSE.search(one.message)]
    assert all(any(cause in message for cause in incident.causes) for message in stating)
    texts = [incident.alert_file, *incident.runbooks.values()]
    assert not [text for text in texts if STATES_A_CAUSE.search(text)]


@each
def test_the_alert_asked_about_fires_for_its_service(incident: Incident) -> None:
    question = incident.questions[0]
    document = json.loads(incident.alert_file)
    rows = document["data"]["alerts"] if isinstance(document, dict) else document
    (row,) = [row for row in rows if row["labels"]["alertname"] == question.shows[0]]
    spoken = json.dumps(row).lower().replace("-", "").replace("_", "")
    assert question.service.lower().replace("-", "").replace("_", "") in spoken
    assert len(rows) == len(incident.alerts)


@each
def test_one_document_is_about_it_with_commands_to_look_and_to_mend(incident: Incident) -> None:
    names = [one.name for one in incident.alerts if one.service]
    assert incident.guide_title in (*names, *(one.telling for one in incident.decisive))
    assert len(incident.guide_commands) >= 2
    assert len(incident.runbooks) >= 2


def test_the_files_lie_below_the_folder_and_are_as_old_as_their_last_line(tmp_path: Path) -> None:
    logs, alerts, knowledge = ONE.write(tmp_path)
    written = {str(file.relative_to(logs)): file for file in logs.rglob("*") if file.is_file()}
    assert set(written) == set(ONE.files)
    assert all(written[path].stat().st_mtime == ONE.changed[path].timestamp() for path in written)
    assert json.loads(alerts.read_text())
    assert {file.name for file in knowledge.iterdir()} == set(ONE.runbooks)


@each
def test_the_baseline_is_the_worst_of_the_named_service(incident: Incident) -> None:
    question = incident.questions[1]
    lines = baseline(incident, question).answer.splitlines()
    assert len(lines) <= LINES
    heard = [
        one for one in incident.entries if incident.now - AN_HOUR <= one.time and question.service in ("", one.service)
    ]
    ranks = [min(WORST_FIRST.index(one.level) for one in heard if line == f"- {one.message}") for line in lines]
    assert ranks == sorted(ranks)
    assert ranks[0] == min(WORST_FIRST.index(one.level) for one in heard)
