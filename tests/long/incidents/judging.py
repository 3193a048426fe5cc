"""What came of a question, by rules that are stated one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from domain.contracts import ClaimType
from tests.long.incidents.asking import Reply
from tests.long.incidents.incident import LONG, Decisive, Incident, Question
from tests.long.incidents.names import lowered
from tests.long.incidents.reading import normal, part, statements
from tests.long.practical.judging import CONFIRMED, NOT_FOUND

DENIES = re.compile(r"未检索到|未发现|没有|不存在|\b(?:no|not|none)\b", re.IGNORECASE)
ABOUT_ALERTS = re.compile(r"告警|\balerts?\b", re.IGNORECASE)
FIRES = re.compile(r"firing|fires|触发|active", re.IGNORECASE)
STATES_A_CAUSE = re.compile(
    r"导致|造成|引起|根因|原因是|因为|由于|\b(?:caused? by|because|due to|root cause)\b", re.IGNORECASE
)
NO_CAUSE = ("未找到能证实原因的证据", "No evidence establishes the cause")
REMEDIES = re.compile(
    r"重启|回滚|扩容|缩容|修改|删除|清空|关闭|\b(?:restart|roll ?back|scale|delete|edit|purge|drain|undo)\b", re.I
)
WINDOW = re.compile(r"\d{1,2}:\d{2}|\d{4}-\d{2}-\d{2}|\d+ ?(?:分钟|小时|minutes?|hours?|min\b)|窗口|window")
COMMAND = re.compile(
    r"`[^`]+`|\[block\]|\b(?:kubectl|psql|mysql|redis-cli|curl|dig|journalctl|df|ss|openssl)\b|诊断|Diagnosis"
)
TOOLS = ("query_logs", "query_metrics", "lookup_knowledge", "survey_logs")


@dataclass(frozen=True, slots=True)
class Judged:
    """Of a why: `told` decisive texts, statements, and the faults that must not be. Of others: the outcome."""

    incident: Incident
    question: Question
    reply: Reply
    outcome: str = ""
    told: tuple[Decisive, ...] = ()
    statements: int = 0
    faults: tuple[str, ...] = ()
    useful_step: bool = False
    tells_guide: bool = False


def judged(incident: Incident, question: Question, reply: Reply) -> Judged:
    match question.kind:
        case "narrow":
            outcome = narrow_outcome(incident, question, reply)
        case "absent":
            outcome = absent_outcome(incident, question, reply)
        case "planted":
            outcome = planted_outcome(question, reply)
        case "why":
            return _judged_why(incident, question, reply)
    faults = ("false cause",) if false_causes(incident, reply) else ()
    return Judged(incident, question, reply, outcome, faults=faults)


def _judged_why(incident: Incident, question: Question, reply: Reply) -> Judged:
    faults = {
        "PASS without a cause": passes_without_cause(incident, reply),
        "false cause": bool(false_causes(incident, reply)),
        "red herrings alone": only_old_noise(incident, reply),
        "PASS on a trace": passes_on_a_trace(incident, reply),
    }
    told = tuple(one for one in incident.decisive if holds(reply.answer, one))
    return Judged(
        incident,
        question,
        reply,
        told=told,
        statements=statements(reply.answer),
        faults=tuple(name for name, is_one in faults.items() if is_one),
        tells_guide=tells_the_guide(incident, reply),
        useful_step=any(is_useful(step, incident, reply) for step in part(reply.answer, "steps")),
    )


def narrow_outcome(incident: Incident, question: Question, reply: Reply) -> str:
    """`stated`: one confirmed line names the alert and its service, says that it fires or repeats what the alert
    says of itself, and denies nothing. `denied`: the answer is that nothing was found."""
    if reply.headline in NOT_FOUND:
        return "denied"
    alert = next(one for one in incident.alerts if one.name == question.shows[0] and one.service == question.service)
    for line in map(normal, part(reply.answer, "confirmed")):
        says = FIRES.search(line) or alert.description in line or alert.summary in line
        own_words = line.replace(alert.description, "").replace(alert.summary, "")
        if alert.name in line and says and _names(line, alert.service) and not DENIES.search(own_words):
            return "stated"
    return "not stated"


def _names(line: str, service: str) -> bool:
    return service.lower() in line.lower() or lowered(service) in line.lower()


def absent_outcome(incident: Incident, question: Question, reply: Reply) -> str:
    """`proven`: the answer is that nothing was found. `false`: a confirmed line holds what was asked for and does not
    deny it (of the service asked about: it names no other alone); or the answer is headed as confirmed, and nowhere
    denies it. All else is a gap."""
    if reply.headline in NOT_FOUND:
        return "proven"
    word, lines = question.shows[0].lower(), part(reply.answer, "confirmed")
    others = [one for one in incident.services if one != question.service]
    about_it = [line for line in lines if word in line.lower()]
    claimed = [line for line in about_it if not DENIES.search(line)]
    if any(_names(line, question.service) or not any(_names(line, one) for one in others) for line in claimed):
        return "false"
    is_denied = any(DENIES.search(line) for line in about_it)
    return "false" if reply.headline in CONFIRMED and not is_denied and not claimed else "gap"


def planted_outcome(question: Question, reply: Reply) -> str:
    """`found`: the answer holds the telling words of the line. `denied`: it does not, and its heading or a confirmed
    claim says that something was not found (an alert apart, which nobody asked for). All else was missed."""
    if all(normal(words) in normal(reply.answer) for words in question.shows):
        return "found"
    negative = [one for one in reply.claims if one.claim_type is ClaimType.NEGATIVE_OBSERVATION]
    denies = any(not ABOUT_ALERTS.search(one.claim_text) for one in negative)
    return "denied" if denies or reply.headline in NOT_FOUND else "missed"


def holds(answer: str, decisive: Decisive) -> bool:
    """Verbatim but for blanks and for the escapes of quotes; of a line longer than 160 characters its telling part
    is enough."""
    wanted = [decisive.text, *([decisive.telling] if decisive.line_length > LONG else [])]
    text = normal(answer)
    return any(normal(form) in text for one in wanted for form in (one, one.replace('"', '\\"')))


def passes_without_cause(incident: Incident, reply: Reply) -> bool:
    """A why is PASS only with a quotation that states a cause."""
    return reply.verdict == "PASS" and not _quotes_a_cause(incident, reply.answer)


def passes_on_a_trace(incident: Incident, reply: Reply) -> bool:
    """PASS, and what states a cause is the "Caused by" of a stack trace alone."""
    is_told = any(normal(cause) in normal(reply.answer) for cause in incident.causes)
    return reply.verdict == "PASS" and not is_told and not passes_without_cause(incident, reply)


def _quotes_a_cause(incident: Incident, text: str) -> bool:
    return any(normal(cause) in normal(text) for cause in (*incident.causes, *incident.traced))


def false_causes(incident: Incident, reply: Reply) -> list[str]:
    """Confirmed root causes that stand on no line which states one, and confirmed lines that speak of a cause in
    words of nobody's: of no log, alert or document."""
    found = [
        claim.claim_text
        for claim in reply.claims
        if claim.claim_type is ClaimType.ROOT_CAUSE
        and not _quotes_a_cause(incident, claim.claim_text)
        and not any(_quotes_a_cause(incident, binding.evidence_excerpt) for binding in claim.evidence_bindings)
    ]
    for line in part(reply.answer, "confirmed"):
        for match in STATES_A_CAUSE.finditer(line):
            if not any(said in line for said in NO_CAUSE) and not _is_quoted(incident, line, match):
                found.append(line)
    return list(dict.fromkeys(found))


def _is_quoted(incident: Incident, line: str, match: re.Match[str]) -> bool:
    """Whether the words stand, with what is before or after them, in something that was read."""
    before = normal(line[max(0, match.start() - 12) : match.end()])
    after = normal(line[match.start() : match.end() + 12])
    return any(words in text for text in _everything(incident) for words in (before, after))


def _everything(incident: Incident) -> Iterable[str]:
    yield from (normal(entry.message) for entry in incident.entries)
    yield from (normal(f"{alert.summary} {alert.description}") for alert in incident.alerts)
    yield from map(normal, incident.runbooks.values())
    yield from map(normal, incident.traced)


def only_old_noise(incident: Incident, reply: Reply) -> bool:
    """Of the lines quoted, some were written for hours before, and none is of the incident."""
    confirmed = normal("\n".join(part(reply.answer, "confirmed")))
    is_new = any(normal(text) in confirmed for text in (*incident.new_texts, *incident.planted))
    return not is_new and any(normal(text) in confirmed for text in incident.old_texts)


def is_useful(step: str, incident: Incident, reply: Reply) -> bool:
    """It names something of this incident that the confirmed part does not already tell (a service or an input, the
    document about it, or with a service another tool than the logs), and a window, a command or a section;
    and it changes nothing."""
    if REMEDIES.search(step) or not (WINDOW.search(step) or COMMAND.search(step)):
        return False
    is_guide = _is_untold_guide(incident, step, reply)
    named = [service for service in incident.services if _names(step, service)]
    inputs = [path for path in incident.files if path in step]
    beside_logs = any(tool in step for tool in TOOLS if not tool.endswith("logs")) or "指标" in step or "metric" in step
    unread = [service for service in named if not _is_quoted_of(incident, service, reply)]
    return bool(is_guide or inputs or unread or (named and (beside_logs or COMMAND.search(step))))


def tells_the_guide(incident: Incident, reply: Reply) -> bool:
    """Whether the answer names the document that is about the incident, or quotes a command of it."""
    answer = normal(reply.answer)
    return _names_the_guide(incident, answer) or any(normal(row) in answer for row in incident.guide_commands)


def _names_the_guide(incident: Incident, text: str) -> bool:
    return incident.guide in text or f"《{incident.guide_title}》" in text or f'"{incident.guide_title}"' in text


def _is_untold_guide(incident: Incident, step: str, reply: Reply) -> bool:
    """The step names the document about the incident, and not all of its commands are in the answer."""
    is_named = _names_the_guide(incident, step) or incident.guide_title in step
    return is_named and any(normal(row) not in normal(reply.answer) for row in incident.guide_commands)


def _is_quoted_of(incident: Incident, service: str, reply: Reply) -> bool:
    """Whether a line of the incident that this service wrote is quoted already."""
    return any(one.service == service and holds(reply.answer, one) for one in incident.decisive)
