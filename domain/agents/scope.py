"""Narrow questions: what the user asked to leave alone, and claims that do not (R16; 003, HARD-GATE).

It limits claims, never bindings. The prompt asks for it first; code records a warning where it is broken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from domain.contracts import ClaimType, ExecutorOutput, Finding
from domain.language import cues
from domain.language.cue import pattern_of
from domain.language.searching import concepts_named_in
from domain.question.exclusions import without_all_but
from domain.question.reading import exclusions_in, plain

MAX_NARROW_CLAIMS = 2

_NARROW = re.compile(
    r"(?<!不)[只仅]\s*(?:需要?|要|想|用|是|须)?\s*(?:确认|排查|看|回答|检查|查|分析|关注|关心|判断)"
    r"|(?<!要)不要(?:分析|扩展|展开)|是否真实存在"
    r"|是否(?:当前|现在|目前|仍|还)*(?:真实)?(?:存在|出现|有)[^。？?！!；;\n]{0,60}(?:告警|报警|日志|错误|异常|报错|耗尽|超时)"
    r"|(?:只|仅)限"
    r"|\b(?:only|just) (?:confirm|check|look at|answer|verify)|\bdo(?: not|n['’]t) (?:analy[sz]e|expand)",
    re.IGNORECASE,
)
_ORDER = re.compile(r"(?:订单号?|order)[\s_#-]*(?P<id>[A-Za-z]*[0-9][\w-]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scope:
    """`excluded` are the subjects in the user's words; `forms` are all names to look for, each with its subject."""

    narrow: bool
    excluded: tuple[str, ...] = ()
    forms: tuple[tuple[str, str], ...] = ()


def narrow_scope(question: str) -> Scope:
    """Whether a question is narrow, and what it excludes. Names that the question itself asks about stay allowed."""
    text = plain(question)
    left_out = exclusions_in(text)
    asked = left_out.left_of(text)
    forms = ((form, subject) for subject in left_out.subjects for form in forms_of(subject))
    kept = tuple((form, subject) for form, subject in forms if not _stands_in(form, asked))
    return Scope(bool(_NARROW.search(text)) or left_out.is_order, left_out.subjects, kept)


def mentions_excluded(text: str, scope: Scope) -> str | None:
    """The first excluded subject that the text names, in the user's words; None if it names none."""
    said = without_all_but(unicodedata.normalize("NFKC", text)) if scope.forms else ""
    return next((subject for form, subject in scope.forms if _stands_in(form, said)), None)


def scope_warnings(output: ExecutorOutput, question: str) -> tuple[Finding, ...]:
    """`scope.claim_count`, `scope.claim_type` and `scope.excluded_subject`, where a narrow question is overstepped."""
    scope = narrow_scope(question)
    return tuple(_warnings(output, scope, _asks_for_documentation(question))) if scope.narrow else ()


def _warnings(output: ExecutorOutput, scope: Scope, documentation: bool) -> Iterator[Finding]:
    if len(output.claims) > MAX_NARROW_CLAIMS:
        message = f"{len(output.claims)} claims for a narrow question, at most {MAX_NARROW_CLAIMS}"
        yield Finding(rule="scope.claim_count", message=message)
    allowed = {ClaimType.OBSERVATION, ClaimType.NEGATIVE_OBSERVATION}
    allowed |= {ClaimType.DOCUMENTATION} if documentation else set()
    for claim in output.claims:
        if claim.claim_type not in allowed:
            message = f"a claim of type {claim.claim_type} for a narrow question"
            yield Finding(rule="scope.claim_type", message=message, subject=claim.claim_id)
        if subject := mentions_excluded(claim.claim_text, scope):
            message = f"the user excluded {subject!r}"
            yield Finding(rule="scope.excluded_subject", message=message, subject=claim.claim_id)


def _asks_for_documentation(question: str) -> bool:
    return pattern_of(cues.MEANING, cues.WHAT_TO_DO).search(question) is not None


# ---------------------------------------------------------------- the names of an excluded subject


def forms_of(subject: str) -> list[str]:
    """The subject as written and every other name for what it contains."""
    forms = [subject]
    for order in _ORDER.finditer(subject):
        forms += [f"order-{order['id']}", f"订单{order['id']}"]
    forms += [name for concept in concepts_named_in(subject) for name in concept.names]
    return list(dict.fromkeys(forms))


def _stands_in(form: str, text: str) -> bool:
    return _pattern(form).search(text) is not None


@lru_cache(maxsize=2048)
def _pattern(form: str) -> re.Pattern[str]:
    """Whole words of Latin letters and digits; blanks, hyphens and underscores are one and may be missing."""
    loose = r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", form)))
    loose = re.sub(r"(?<=[\u4e00-\u9fff])(?=[0-9])", r"[\\s#号-]*", loose)
    before = r"(?<![A-Za-z0-9])" if re.match(r"[A-Za-z0-9]", form) else ""
    after = r"(?![A-Za-z0-9])" if re.search(r"[A-Za-z0-9]$", form) else ""
    return re.compile(f"{before}{loose}{after}", re.IGNORECASE)
