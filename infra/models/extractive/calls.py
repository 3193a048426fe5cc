"""Which tools to call, with which arguments, given the question and what came back so far."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from domain.evidence.window import utc_text
from domain.language.searching import concepts_of, is_known_name, names_a_mere_thing
from domain.language.sections import wanted_by
from domain.question.question import Period
from infra.models.extractive.alerts import firing_names, firing_services, relevant_alerts, runbooks_of
from infra.models.extractive.conversation import Answered, Call
from infra.models.extractive.inquiry import Inquiry, Source
from infra.models.extractive.logs import relevant_lines
from infra.models.extractive.survey import worst_message
from infra.models.extractive.texts import text
from infra.models.extractive.tool_names import KNOWLEDGE, LOGS, METRICS, SKILL, SURVEY
from infra.models.extractive.words import quoted_words

MAX_CALLS = 12  # of one round
MAX_QUERY = 600  # characters of a knowledge query
MAX_SECTIONS = 10  # of runbooks
UNASKED_LEVEL = "ERROR"  # of a search through the logs of all services for nothing in particular
TREND_MINUTES = 60
WIDER_WINDOW = 6  # times the default window, where a second round looks again

MAX_SURVEYED = 60
LEAD = timedelta(minutes=15)
MAX_ITEMS = 200  # of a search for the first of all
_BOUNDS = ("minutes", "since", "until", "ever", "limit")

Tools = Mapping[str, Mapping[str, Any]]


def offered_tools(tools: Any) -> Tools:
    """Tool name to its JSON schema of parameters, from the `tools` of a request."""
    functions = [tool.get("function") for tool in tools or () if isinstance(tool, dict)]
    return {
        str(function.get("name")): function.get("parameters") or {}
        for function in functions
        if isinstance(function, dict)
    }


def next_calls(
    inquiry: Inquiry,
    tools: Tools,
    answered: Sequence[Answered],
    *,
    skill: str | None,
    minutes: int | None,
    is_again: bool = False,
) -> list[Call]:
    """The calls that are still worth making; none once the question's sources have answered.

    `minutes`: the log window of a question that names no period, None for the tool's own default. `is_again`: the
    second round, which surveys nothing again.
    """
    window = _window(inquiry.period) if inquiry.period else _given(minutes=minutes)
    if inquiry.asks_since_when:
        window = (window if inquiry.period else {"ever": True}) | {"limit": MAX_ITEMS}
    elif inquiry.asks_how_many:
        window = window | {"limit": MAX_ITEMS}
    wished = [*_asked_for(inquiry, skill, window, is_again=is_again), *_follow_ups(inquiry, answered, window)]
    calls = [call for wish in wished if (call := _fitted(wish, tools)) is not None]
    made = {_key(done.call) for done in answered}
    fresh = {_key(call): call for call in calls if _key(call) not in made}
    return list(fresh.values())[: max(0, MAX_CALLS - len(answered))]


def _window(period: Period) -> dict[str, Any]:
    """The arguments for a period; one without a beginning is searched as far back as there is anything."""
    begins = {"ever": True} if period.start is None else {"since": utc_text(period.start)}
    return begins | _given(until=utc_text(period.end) if period.end else None)


def _with_lead(period: Period) -> dict[str, Any]:
    """The window of a survey: people name the time at which they saw it, not at which it began."""
    assert period.start is not None
    return _window(replace(period, start=period.start - LEAD))


def query_of(inquiry: Inquiry) -> str | None:
    """The words to find any of; what each line must hold stands beside every one of them. Phrases stay whole."""
    anchors = [quoted_words(anchor) for anchor in inquiry.anchors]
    terms = [term for term in inquiry.terms if term not in inquiry.anchors]
    telling = [term for term in terms if inquiry.quotes(term)] or [
        term
        for term in terms
        if not names_a_mere_thing(term)  # what happened, not to what
    ]
    words = [one for term in telling or terms for one in _worded(inquiry, term)]
    if anchors:  # where they stand, a Chinese phrase of no concept may be put otherwise, and in English
        words = [word for word in words if word.isascii() or concepts_of(word)]
    if not anchors or not words:
        return " AND ".join(anchors) or " ".join(words) or None
    return " ".join(" AND ".join([word, *anchors]) for word in words)


def _worded(inquiry: Inquiry, term: str) -> list[str]:
    """A term in a query: what is quoted word for word, a known thing by its name, other phrases by their words."""
    words = " AND ".join(inquiry.words_of(term))
    if inquiry.quotes(term) and not is_known_name(term) and not (term.isascii() and term.isalnum()):
        return [f'"{term.replace(chr(34), chr(39))}"']
    if not words:
        return [quoted_words(term)]
    known = (term if is_known_name(term) else (one.en or one.names)[0] for one in concepts_of(term))
    return [*map(quoted_words, dict.fromkeys(known)), words]


def _asked_for(inquiry: Inquiry, skill: str | None, window: Mapping[str, Any], *, is_again: bool) -> Iterable[Call]:
    services: Sequence[str | None] = inquiry.services or (None,)
    if skill:
        yield Call(SKILL, {"name": skill})
    if Source.METRICS in inquiry.sources:
        for service in services:
            for metric in inquiry.metrics:
                yield Call(METRICS, _given(expr=metric, service=service) | _span(inquiry, window))
            for alert in inquiry.alerts or (() if inquiry.metrics and not inquiry.question.alerts_asked else (None,)):
                yield Call(METRICS, _given(alert_name=alert, service=service))
        if inquiry.is_open:
            yield Call(METRICS, {})
    if inquiry.is_open and not is_again and "ever" not in window:
        before = _with_lead(inquiry.period) if inquiry.period else window
        yield Call(SURVEY, _given(service=next(iter(inquiry.services), None), limit=MAX_SURVEYED, **before))
    if Source.LOGS in inquiry.sources:
        names_something = bool(inquiry.services or inquiry.terms)
        level = inquiry.level or (None if names_something else UNASKED_LEVEL)
        query = query_of(inquiry)
        searches = [(None, level), (query, None)] if inquiry.is_either else [(query, level)]
        for service in services:
            for words, least in searches:
                yield Call(LOGS, _given(service=service, query=words, level=least, **window))
    if inquiry.sources == {Source.KNOWLEDGE} or (
        Source.KNOWLEDGE in inquiry.sources and wanted_by(inquiry.asked).is_to_do
    ):
        yield Call(KNOWLEDGE, {"query": inquiry.asked.strip()[:MAX_QUERY]})


def _span(inquiry: Inquiry, window: Mapping[str, Any]) -> dict[str, Any]:
    """The window of a value: the question's, or where it asks how the value went, TREND_MINUTES; else it is of now."""
    if inquiry.period and "since" in window:
        return dict(window)
    return {"minutes": TREND_MINUTES} if inquiry.asks_trend else {}


def _follow_ups(inquiry: Inquiry, answered: Sequence[Answered], window: Mapping[str, Any]) -> Iterable[Call]:
    """What fires leads on: to the logs of its services, if the question names none, and to its runbook."""
    firing = firing_names(inquiry, answered)
    if Source.LOGS in inquiry.sources and not inquiry.services and not _is_surveyed(answered):
        for service in firing_services(inquiry, answered):
            yield Call(LOGS, _given(service=service, query=query_of(inquiry), level=inquiry.level, **window))
    yield from _without_service(answered)
    yield from _elsewhere(inquiry, answered, window)
    if Source.KNOWLEDGE in inquiry.sources and (about := [*firing, *runbooks_of(inquiry, answered)]):
        yield Call(KNOWLEDGE, {"query": _for_runbooks(inquiry, about), "top_k": MAX_SECTIONS})
    if Source.KNOWLEDGE in inquiry.sources and (error := worst_message(inquiry, answered)):
        yield Call(KNOWLEDGE, {"query": _for_runbooks(inquiry, [error])})


def _for_runbooks(inquiry: Inquiry, about: Sequence[str]) -> str:
    """Names, addresses or the text of an error, with the words that ask for diagnosis and mitigation; those are found
    in whichever language they are."""
    return f"{' '.join(about)[:MAX_QUERY]} {text('query.to_do', inquiry.language)}"


def _elsewhere(inquiry: Inquiry, answered: Sequence[Answered], window: Mapping[str, Any]) -> Iterable[Call]:
    """A name that may be an alert's or stand in a log, where the first place to look holds none of it."""
    looked = {done.call.tool_name for done in answered}
    if METRICS in looked and not relevant_alerts(inquiry, answered):
        for name in inquiry.either:
            if name in inquiry.alerts:
                for service in inquiry.services or (None,):
                    yield Call(LOGS, _given(service=service, query=name, **window))
    if LOGS in looked and not any(relevant_lines(inquiry, done) for done in answered if done.call.tool_name == LOGS):
        for name in inquiry.either:
            if name not in inquiry.alerts:
                for service in inquiry.services or (None,):
                    yield Call(METRICS, _given(alert_name=name, service=service))


def _without_service(answered: Sequence[Answered]) -> Iterable[Call]:
    """What was searched for in one service alone, where what matched did not say of which it is."""
    for done in answered:
        is_unsaid = done.call.tool_name == LOGS and not done.items and "service" in done.doubts
        if is_unsaid and done.call.arguments.get("query"):
            yield Call(LOGS, {key: value for key, value in done.call.arguments.items() if key != "service"})


def _is_surveyed(answered: Sequence[Answered]) -> bool:
    """A survey has looked at the logs of all services."""
    return any(done.call.tool_name == SURVEY and done.items for done in answered)


def _given(**arguments: Any) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _fitted(wish: Call, tools: Tools) -> Call | None:
    """The wish in the tool's own parameters: what it has no parameter for goes into its query, if it has one."""
    schema = tools.get(wish.tool_name)
    if schema is None:
        return None
    known = schema.get("properties") or {}
    arguments = {name: value for name, value in wish.arguments.items() if name in known}
    left_over = [str(value) for name, value in wish.arguments.items() if name not in known and name not in _BOUNDS]
    if left_over and "query" in known:
        arguments["query"] = " ".join([*left_over, *([arguments["query"]] if "query" in arguments else [])])
    return Call(wish.tool_name, arguments) if set(schema.get("required") or ()) <= set(arguments) else None


def _key(call: Call) -> str:
    return call.tool_name + json.dumps(call.arguments, sort_keys=True, ensure_ascii=False)
