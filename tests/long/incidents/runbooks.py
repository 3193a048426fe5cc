"""Documents of the knowledge base: one for the incident's alert, and others beside it."""

from __future__ import annotations

from collections.abc import Sequence

from tests.long.incidents.draw import Draw
from tests.long.incidents.incident import Alert

OTHERS = {
    "backup-restore.md": """# Restoring a backup

## When

A table was dropped.

## Steps

1. Fetch the newest dump.
2. `pg_restore --list dump.bin`
""",
    "onboarding.md": """# Onboarding

Ask in the channel of the team for access to the cluster.

## Tools

`kubectl`, `vault`, `psql`.
""",
    "release-process.md": """# How we release

## Windows

Monday to Thursday, 09:00 to 16:00.

## Announcing

Post the version in the channel.
""",
    "值班手册.md": """# 值班手册

## 交接

每周一 10:00 交接，记录未关闭的告警。

## 升级路径

一线 → 二线 → 架构组。
""",
    "ArchiveStoreFull.md": """# ArchiveStoreFull

## Meaning

The archive volume has little space left.

## Diagnosis

```
du -sh /archive/*
```
""",
}


def runbooks(
    draw: Draw, alert: Alert, errors: Sequence[str], diagnosis: list[str], mitigation: list[str]
) -> tuple[str, dict[str, str]]:
    """The name of the one that is about the incident, and all. It is headed by the alert or by the text of an error,
    in one of two languages."""
    write = _chinese if draw.chance(0.5) else _english
    if errors and draw.chance(0.3):
        title, name = draw.of(errors), f"troubleshooting-{draw.randint(2, 40):02d}.md"
    else:
        title, name = alert.name, draw.pick(f"{alert.name}.md", f"{alert.name.lower()}.md", f"runbook-{alert.name}.md")
    others = draw.sample(sorted(OTHERS), draw.randint(1, 3))
    return name, {name: write(title, diagnosis, mitigation)} | {other: OTHERS[other] for other in others}


def _block(commands: list[str]) -> str:
    return "```\n" + "\n".join(commands) + "\n```\n"


def _english(title: str, diagnosis: list[str], mitigation: list[str]) -> str:
    return (
        f"# {title}\n\n## Meaning\n\nSomebody has to look at this within the hour.\n\n"
        f"## Diagnosis\n\nCollect these before anything is touched:\n\n{_block(diagnosis)}\n"
        f"## Mitigation\n\nOnly with the owner's consent:\n\n{_block(mitigation)}"
    )


def _chinese(title: str, diagnosis: list[str], mitigation: list[str]) -> str:
    return (
        f"# {title}\n\n## 含义\n\n需要值班人员一小时内处理。\n\n"
        f"## 诊断\n\n先收集以下信息：\n\n{_block(diagnosis)}\n"
        f"## 缓解\n\n需负责人同意后执行：\n\n{_block(mitigation)}"
    )
