"""The parts of an answer, as the one who asked sees them: what is confirmed, what to do next, what is quoted."""

from __future__ import annotations

import re

HEADINGS = {
    "confirmed": ("已确认信息", "Confirmed"),
    "gaps": ("当前缺口", "证据缺口", "Gaps", "Missing evidence"),
    "steps": ("建议下一步", "Next steps"),
}
HEADING = re.compile(r"^(?:{})[：:]?\s*$".format("|".join(one for names in HEADINGS.values() for one in names)))
ABOUT_THE_SEARCH = re.compile(r"^(?:检索范围|按配置排除|Searched|Excluded by configuration)[：: ]")
NOTHING = ("无", "None", "")
QUOTED = re.compile(r"“([^”]{8,})”")
FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def normal(text: str) -> str:
    """With every run of blanks as one."""
    return " ".join(text.split())


def part(answer: str, name: str) -> list[str]:
    """The lines below a heading. Without any heading the whole answer is what is confirmed."""
    lines = FENCE.sub("[block]", answer).splitlines()
    if not any(HEADING.match(line) for line in lines):
        return [line for line in lines if _tells(line)] if name == "confirmed" else []
    found, inside = [], False
    for line in lines:
        if HEADING.match(line):
            inside = line.rstrip("：: ") in HEADINGS[name]
        elif inside and _tells(line):
            found.append(line.lstrip("- "))
    return found


def _tells(line: str) -> bool:
    return line.strip("- ") not in NOTHING and not ABOUT_THE_SEARCH.match(line)


def statements(answer: str) -> int:
    """How much there is to read: each confirmed line, and each further quotation within one line."""
    return sum(max(1, len(QUOTED.findall(line))) for line in part(answer, "confirmed"))
