"""The Verifier's part: classes of facts by the overlap of their values and names with the checked text (R34).

It is stricter than a language model where it cannot read: a cause or conclusion that the text does not spell out is
at best indirect support.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from domain.answer.documentation import quoted_part
from domain.gatekeeper.not_found import says_not_found
from domain.language.tongues import SENTENCE_WORDS, Language
from infra.models.extractive.atoms import Atoms, atoms_of, states_in
from infra.models.extractive.conversation import Payload
from infra.models.extractive.inquiry import language_in
from infra.models.extractive.texts import text as worded
from infra.models.extractive.vocabulary import CONCLUSIONS
from infra.models.extractive.words import features, holds_name

DIRECT, INDIRECT, NO_EVIDENCE, CONTRADICTED = "direct_evidence", "indirect_support", "no_evidence", "contradicted"
_WORTH = {DIRECT: Fraction(1), INDIRECT: Fraction(3, 5), NO_EVIDENCE: Fraction(0), CONTRADICTED: Fraction(0)}
_TOTAL = re.compile(r"total=(\d+)(?::\s*(.*))?", re.DOTALL)
_SENTENCE_END = re.compile(r"[。！？!?\n]+|(?<=[a-z)”\"])\.(?=\s+[A-Z]|\s*\Z)")
_CLAUSE_END = re.compile(r"[。！？!?；;，,\n]+|(?<=[a-z)”\"])\.(?=\s+[A-Z]|\s*\Z)")


def verify(payload: Payload) -> dict[str, Any]:
    """The Verifier's output for its payload (R33)."""
    structured = payload.get("executor_structured_output") or {}
    gatekeeper = payload.get("gatekeeper_result") or {}
    checked = [b for b in gatekeeper.get("checked_bindings") or () if b.get("status") == "pass"]
    traces = payload.get("tool_trace_summary") or ()
    language = language_in(payload)
    facts = [_claim_fact(claim, checked, traces, language) for claim in structured.get("claims") or ()]
    facts += _unclaimed_facts(structured, checked, language)
    return _judged(
        facts, language, passed=gatekeeper.get("status") == "pass", rejected=gatekeeper.get("severity") == "reject"
    )


def classify(claim_type: str, text: str, evidence: Sequence[str]) -> str:
    """The class of a statement against the checked texts. Of documentation, it is what follows the lead-in."""
    text = _documented(text) if claim_type == "documentation" else text
    if not evidence:
        return NO_EVIDENCE
    if claim_type == "negative_observation":
        return _absence_class(text, evidence)
    examples = (item.partition(", example=")[2] for item in evidence)  # a field may stand at their beginning
    held = atoms_of("\n".join([*evidence, *examples, f"{len(evidence)} 条 {len(evidence)} 个"]))  # how many they are
    stated = atoms_of(text)
    if _is_contradicted(text, stated, held, evidence):
        return CONTRADICTED
    if _is_verbatim(text, evidence):
        return DIRECT
    found = _found(stated, held, evidence)
    if stated.count == 0:
        return INDIRECT if _shares_most_words(text, evidence) else NO_EVIDENCE
    if found == 0:
        return NO_EVIDENCE
    says_more = _concludes_more(claim_type, text, evidence) or not _bears_out_every_clause(text, evidence)
    return INDIRECT if found < stated.count or says_more else DIRECT


def _documented(text: str) -> str:
    """Without its lead, or whatever stands before a colon in its place."""
    quoted = quoted_part(text)
    return quoted if quoted != text else text.partition("：")[2] or text


def _absence_class(text: str, evidence: Sequence[str]) -> str:
    """Nothing found proves the absence; a list that bears every name of the claim disproves it."""
    totals = [total for item in evidence if (total := _TOTAL.search(item))]
    if not totals or not says_not_found(text):
        return NO_EVIDENCE
    names = atoms_of(text).names
    listed = [total[2] or "" for total in totals if int(total[1]) > 0]
    disproved = any(names and all(holds_name(entries, name) for name in names) for entries in listed)
    return CONTRADICTED if disproved else DIRECT


def _found(stated: Atoms, held: Atoms, evidence: Sequence[str]) -> int:
    whole = "\n".join(evidence)
    names = sum(name in held.names or holds_name(whole, name) for name in stated.names)
    literals = sum(literal in held.literals or literal in whole.lower() for literal in stated.literals)
    return len(stated.values & held.values) + names + literals


def _is_contradicted(text: str, stated: Atoms, held: Atoms, evidence: Sequence[str]) -> bool:
    """The same field with other values only, or a state where the text names only others."""
    there: dict[str, set[str]] = {}
    for key, value in held.fields:
        there.setdefault(key, set()).add(value)
    if any(key in there and value not in there[key] for key, value in stated.fields):
        return True
    claimed, given = states_in(text), states_in("\n".join(evidence))
    return bool(claimed) and bool(given) and not claimed & given


def _concludes_more(claim_type: str, text: str, evidence: Sequence[str]) -> bool:
    whole = "\n".join(evidence).lower()
    return claim_type in ("root_cause", "impact") or any(
        word in text.lower() and word not in whole for word in CONCLUSIONS
    )


def _bears_out_every_clause(text: str, evidence: Sequence[str]) -> bool:
    """Names alone entail nothing that is said of them: a clause needs a value, or most of its words in the evidence."""
    clauses = [clause for clause in _CLAUSE_END.split(text) if clause.strip()]
    stated = [(clause, atoms_of(clause)) for clause in clauses]
    return all(
        atoms.values or atoms.literals or _states_of_a_name(clause, atoms) or _shares_most_words(clause, evidence)
        for clause, atoms in stated
    )


def _states_of_a_name(clause: str, atoms: Atoms) -> bool:
    """An alert's name and its state are all that is said: Watchdog 告警（firing）."""
    states = states_in(clause)
    return bool(states) and any(name not in states for name in atoms.names)


def _is_verbatim(text: str, evidence: Sequence[str]) -> bool:
    """Whether every sentence stands in the evidence."""
    sentences = [words for part in _SENTENCE_END.split(text) if (words := " ".join(part.split()))]
    whole = " ".join(" ".join(evidence).split())
    return bool(sentences) and all(sentence in whole for sentence in sentences)


def _shares_most_words(text: str, evidence: Sequence[str]) -> bool:
    asked = features(text) - SENTENCE_WORDS
    return 2 * len(asked & features(" ".join(evidence))) >= len(asked) > 0


# ---------------------------------------------------------------- facts


def _claim_fact(
    claim: Mapping[str, Any],
    checked: Sequence[Mapping[str, Any]],
    traces: Sequence[Mapping[str, Any]],
    language: Language,
) -> dict[str, Any]:
    claim_type, text = str(claim.get("claim_type")), str(claim.get("claim_text"))
    own = [binding for binding in checked if binding.get("claim_id") == claim.get("claim_id")]
    evidence = [str(binding["matched_text"]) for binding in own if binding.get("matched_text")]
    verification = classify(claim_type, text, evidence)
    return {
        "fact": text,
        "claim_id": claim.get("claim_id"),
        "is_critical": claim_type != "risk",
        "verification": verification,
        "detail": worded(f"fact.{verification}", language),
        "evidence_refs": list(_trace_refs(own, traces, language)),
    }


def _trace_refs(
    bindings: Sequence[Mapping[str, Any]], traces: Sequence[Mapping[str, Any]], language: Language
) -> Iterable[dict[str, Any]]:
    cited = {binding.get("source_invocation_id") for binding in bindings}
    for trace in traces:
        shared = [number for number in trace.get("source_invocation_ids") or () if number in cited]
        if shared:
            yield {
                "trace_ref": trace.get("trace_ref", ""),
                "tool_name": trace.get("tool_name", ""),
                "topic_domain": trace.get("topic_domain", "general"),
                "source_invocation_ids": shared,
                "note": worded("fact.ref", language),
            }


def _unclaimed_facts(
    structured: Mapping[str, Any], checked: Sequence[Mapping[str, Any]], language: Language
) -> list[dict[str, Any]]:
    """Sentences of `user_facing_answer` that name or measure something no claim does (R38)."""
    answer = structured.get("user_facing_answer")
    claims = [atoms_of(str(claim.get("claim_text"))) for claim in structured.get("claims") or ()]
    evidence = [str(binding.get("matched_text") or "") for binding in checked]
    facts: list[dict[str, Any]] = []
    for sentence in _SENTENCE_END.split(answer) if isinstance(answer, str) else ():
        stated = atoms_of(sentence)
        if stated.count and not any(stated.values <= c.values and stated.names <= c.names for c in claims):
            verification = classify("observation", sentence, evidence)
            facts.append(
                {
                    "fact": sentence.strip(),
                    "is_critical": True,
                    "verification": verification,
                    "detail": worded(f"fact.{verification}", language),
                    "evidence_refs": [],
                }
            )
    return facts


# ---------------------------------------------------------------- verdict (R35)


def _judged(facts: list[dict[str, Any]], language: Language, *, passed: bool, rejected: bool) -> dict[str, Any]:
    critical = [fact["verification"] for fact in facts if fact["is_critical"]]
    score = sum((_WORTH[kind] for kind in critical), Fraction(0)) / len(critical) if critical else Fraction(0)
    if rejected or CONTRADICTED in critical:
        verdict, score = "REJECT", Fraction(0)
    elif passed and DIRECT in critical and NO_EVIDENCE not in critical and not _any_contradicted(facts):
        verdict = "PASS"
    else:
        verdict = "LOW_CONFID"
    return {
        "verdict": verdict,
        "groundedness_score": round(float(score), 4),
        "critical_fact_count": len(critical),
        "facts_checked": facts,
        "rationale": _rationale(critical, language),
    }


def _any_contradicted(facts: Iterable[Mapping[str, Any]]) -> bool:
    return any(fact["verification"] == CONTRADICTED for fact in facts)


def _rationale(critical: Sequence[str], language: Language) -> str:
    if not critical:
        return worded("rationale.none", language)
    return worded(
        "rationale",
        language,
        n=len(critical),
        direct=critical.count(DIRECT),
        indirect=critical.count(INDIRECT),
        none=critical.count(NO_EVIDENCE),
        contradicted=critical.count(CONTRADICTED),
    )
