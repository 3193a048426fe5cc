"""What the sections of a runbook are for, by the words of their headings, and which of them a question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from domain.language import cues
from domain.language.cue import Cue, pattern_of


class Section(StrEnum):
    """What a section tells."""

    MEANING = "meaning"
    IMPACT = "impact"
    SYMPTOM = "symptom"
    CAUSE = "cause"
    DIAGNOSIS = "diagnosis"
    MITIGATION = "mitigation"
    PREVENTION = "prevention"
    ESCALATION = "escalation"


HEADINGS: dict[Section, Cue] = {
    Section.PREVENTION: Cue(
        "预防|避免|长期|改进|后续优化|复盘|加固",
        "prevention|prevent|preventing|long term|long-term|follow-up|follow up|avoid|avoiding|hardening|post-mortem",
    ),
    Section.ESCALATION: Cue(
        "联系人|上报|升级路径|升级流程|值班|通报|负责人",
        "escalation|escalate|contact|contacts|on-call|oncall|owner|owners",
    ),
    Section.CAUSE: Cue(
        "原因|根因|成因|诱因",
        "cause|causes|root cause|root causes|possible causes|common causes|reasons",
    ),
    Section.SYMPTOM: Cue(
        "现象|症状|表现|错误信息|报错信息|日志样例|告警内容",
        "symptom|symptoms|error message|error messages|what you see|signs|log messages",
    ),
    Section.DIAGNOSIS: Cue(
        "排查|诊断|定位|排障|检查|确认|分析|查看|自查|核实",
        "diagnosis|diagnose|diagnostics|diagnosing|debug|debugging|troubleshoot|troubleshooting|investigation"
        "|investigate|investigating|triage|verify|verification|check|checks|checklist|inspect|inspection|analysis"
        "|identify",
    ),
    Section.MITIGATION: Cue(
        "处理|处置|缓解|恢复|解决|修复|应急|止血|止损|应对|措施|操作步骤|步骤|方案|预案|回滚|操作",
        "mitigation|mitigate|mitigating|remediation|remediate|resolution|resolve|resolving|recovery|recover|recovering"
        "|restore|fix|fixes|fixing|solution|solutions|workaround|workarounds|action|actions|action items|step|steps"
        "|procedure|procedures|response|what to do|how to fix|rollback|repair|countermeasures|instructions",
    ),
    Section.IMPACT: Cue(
        "影响|危害|后果",
        "impact|consequence|consequences|effect|effects|blast radius|severity",
    ),
    Section.MEANING: Cue(
        "含义|说明|描述|简介|概述|定义|背景|介绍|触发条件|释义|是什么|摘要",
        "meaning|description|overview|summary|about|definition|what it means|what this means|what does it mean"
        "|background|explanation|introduction|details|trigger|triggers|context",
    ),
}
"""The words of headings; of a heading that holds words of several rows, the row that stands first here tells."""

TITLES = Cue(
    "处理手册|排查手册|运维手册|操作手册|应急手册|手册|应急预案|处置预案|预案|指南|告警处理|告警说明|告警|报警|处理流程|排查流程|处理"
    "|排查|文档|知识库|规范|说明|总结",
    "runbook|runbooks|playbook|handbook|guide|sop|alert|alerts|alarm|troubleshooting|how to|howto|documentation|docs"
    "|procedure|the|for",
)
"""Words beside the name of a thing in a title; they name nothing."""
DOCUMENT_FIELDS = Cue("", "title|name|alert|alerts|alertname|alert_name|aliases|alias|terms|keywords|slug|id|linktitle")
"""Fields of a document's header that tell what it is about, as programs write them."""
ADDRESS_FIELDS = Cue("", "runbook|runbook_url|runbookurl|url|urls|permalink|link|canonical")
"""Those that tell its address."""

_FIX = Cue(
    "处理|处置|缓解|恢复|解决|修复|怎么办|应急|止血", "fix|mitigate|mitigation|remediation|resolve|recover|remedy"
)
_AVOID = Cue("避免|预防|防止", "avoid|prevent|prevention")
_EFFECT = Cue("影响|危害|后果", "impact|affected|consequence|consequences")
_NUMBERING = re.compile(
    r"^[\W_]*(?:\d{1,3}|[一二三四五六七八九十]{1,3}|[ivx]{1,4}(?=[.、)）:：]))[.、)）:：\s]+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The sections that a question asks for, those first that tell it best; empty: any."""

    sections: tuple[frozenset[Section], ...] = ()

    def rank(self, section: Section | None) -> int:
        """0 for what is asked for, and for all where nothing is; more for what is less so."""
        return next((place for place, wanted in enumerate(self.sections) if section in wanted), len(self.sections))

    @property
    def is_to_do(self) -> bool:
        """Whether it is asked what to do."""
        return any(Section.MITIGATION in wanted for wanted in self.sections[:1])


DIAGNOSIS = Wanted((frozenset((Section.DIAGNOSIS,)), frozenset((Section.MITIGATION, Section.CAUSE))))
"""What helps on where something is wrong."""


def wanted_by(question: str) -> Wanted:
    """怎么处理, how to fix: diagnosis and mitigation; 什么意思, what does X mean: its meaning, then its impact."""
    if _says(question, _AVOID):
        return _wanted((Section.PREVENTION,), (Section.MITIGATION, Section.CAUSE))
    if _says(question, cues.WHAT_TO_DO) or _says(question, _FIX):
        return _wanted((Section.DIAGNOSIS, Section.MITIGATION), (Section.ESCALATION, Section.CAUSE))
    if _says(question, cues.WHY):
        return _wanted((Section.CAUSE,), (Section.DIAGNOSIS,))
    if _says(question, _EFFECT):
        return _wanted((Section.IMPACT,), (Section.MEANING,))
    if _says(question, cues.DIAGNOSE):
        return DIAGNOSIS
    if _says(question, cues.MEANING):
        return _wanted((Section.MEANING,), (Section.IMPACT,))
    return Wanted()


@lru_cache(maxsize=4096)
def section_of(title: str) -> Section | None:
    """What a section is for, by the last of its headings (`above / own`) that tells."""
    return next(filter(None, map(_told_by, reversed(title.split(" / ")))), None)


def is_heading(line: str) -> bool:
    """Whether a line is nothing but the words of a heading, without the mark of one: `处理步骤：`, `二、Mitigation`."""
    text = _NUMBERING.sub("", line.strip()).strip("*_：: \t")
    return 0 < len(text) <= _LONGEST_HEADING and any(_is_only(text, cue) for cue in HEADINGS.values())


_LONGEST_HEADING = 24


def _is_only(text: str, cue: Cue) -> bool:
    rest = pattern_of(*HEADINGS.values()).sub("", text)
    return pattern_of(cue).search(text) is not None and not re.sub(r"[\W_]|与|和|及|的|and|or|步骤|方法|流程", "", rest)


def _told_by(heading: str) -> Section | None:
    return next((section for section, cue in HEADINGS.items() if pattern_of(cue).search(heading)), None)


def _wanted(*ranks: tuple[Section, ...]) -> Wanted:
    return Wanted(tuple(map(frozenset, ranks)))


def _says(text: str, cue: Cue) -> bool:
    return pattern_of(cue).search(text) is not None


def fields_of(cue: Cue) -> Iterator[str]:
    """The names of the fields of a row."""
    yield from cue.en.split("|")
