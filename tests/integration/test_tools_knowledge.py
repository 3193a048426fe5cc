"""`lookup_knowledge` over real folders of Markdown."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from domain.events import Source, sources_at
from domain.evidence.extraction import extract_evidence
from infra.tools.contract import Tool, ToolContext, ToolResult
from infra.tools.knowledge import knowledge_map, knowledge_tool
from infra.tools.knowledge_reading import MAP_CHARACTERS
from infra.tools.markdown import BLOCK_CHARACTERS, Block, parsed

CONTEXT = ToolContext(datetime(2031, 3, 4, 12, 0, tzinfo=UTC), 60, 7, "session")

PRINT = """# 打印机手册

## 卡纸
先打开后盖，再取出纸张。错误码 `E-1402` 表示后盖未关。

```
# 这不是标题
```

### 取纸之后
运行一次自检。

## 墨水不足
更换墨盒，然后打印测试页。
"""
TAPE = """---
terms: [磁带库, SpoolSlotsLow]
---
# Tape library

When slots run low, drain the oldest spool first.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "runbooks").mkdir()
    (tmp_path / "runbooks" / "print.md").write_text(PRINT)
    (tmp_path / "tape.md").write_text(TAPE)
    return tmp_path


def at(folder: Path) -> Sequence[Source]:
    return sources_at({"knowledge": str(folder)})


def run(tool: Tool, query: Any, **arguments: Any) -> ToolResult:
    return asyncio.run(tool.run({"query": query, **arguments}, CONTEXT))


def found(folder: Path, query: str, **arguments: Any) -> list[tuple[str, str]]:
    result = run(knowledge_tool(at(folder)), query, **arguments)
    assert result.success, result.error_message
    return [(block["source"], block["layer"]) for block in json.loads(result.output)["evidence_blocks"]]


def read_blocks(folder: Path) -> list[Block]:
    files = sorted(folder.rglob("*.md"))
    return [one for file in files for one in parsed(file.relative_to(folder).as_posix(), file.read_text()).blocks]


def mapped(folder: Path) -> str:
    text = asyncio.run(knowledge_map(at(folder))).text
    assert text is not None
    return text


def test_sections_are_blocks_with_their_path_of_headings(folder: Path) -> None:
    """R18: `file.md#n` counts the blocks of a file; a heading in a code fence is text."""
    blocks = [(block.title, block.source) for block in read_blocks(folder)]
    assert blocks == [
        ("打印机手册 / 卡纸", "runbooks/print.md#1"),
        ("打印机手册 / 卡纸 / 取纸之后", "runbooks/print.md#2"),
        ("打印机手册 / 墨水不足", "runbooks/print.md#3"),
        ("Tape library", "tape.md#1"),
    ]


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("卡纸", "runbooks/print.md#1"),
        ("tape LIBRARY", "tape.md#1"),
        ("请问 E-1402 是什么意思", "runbooks/print.md#1"),
        ("tape-service 的 SpoolSlotsLow 告警怎么处理", "tape.md#1"),
        ("磁带库满了怎么办", "tape.md#1"),
    ],
)
def test_an_exact_title_or_a_term_is_found_in_layer_0(folder: Path, query: str, source: str) -> None:
    """R54: `retrieval_layer` L0."""
    assert found(folder, query)[0] == (source, "L0")


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("怎么更换墨盒", "runbooks/print.md#3"),
        ("oldest spool slots", "tape.md#1"),
        ("如何取出纸张", "runbooks/print.md#1"),
    ],
)
def test_words_of_the_text_are_found_in_layer_1(folder: Path, query: str, source: str) -> None:
    """R54: `retrieval_layer` L1, Chinese and English."""
    assert found(folder, query) == [(source, "L1")]


@pytest.mark.parametrize(
    "query", ["红烧肉怎么做", "kubernetes 节点 NotReady 怎么处理", "今天天气怎么样", "的", "E-14", "？？"]
)
def test_an_irrelevant_query_finds_nothing(folder: Path, query: str) -> None:
    """003: no filler; nothing found is a success with total=0."""
    assert found(folder, query) == []


def test_the_retrieval_details_say_how_it_was_found(folder: Path) -> None:
    """R54: layers, counts and documents of 004 section 9.3."""
    result = run(knowledge_tool(at(folder)), "卡纸 更换墨盒")
    details = result.retrieval
    assert (details.retrieval_layer, details.l0_match_count, details.l1_match_count) == ("L1", 0, 1)
    assert (details.query, details.source_documents) == ("卡纸 更换墨盒", ("runbooks/print.md",))
    assert run(knowledge_tool(at(folder)), "天气").retrieval.relevance_level == "none"


def test_more_hits_than_top_k_are_counted_and_marked(folder: Path) -> None:
    """R20: an answer cut by a limit says so."""
    answer = json.loads(run(knowledge_tool(at(folder)), "打印机手册", top_k=2).output)
    assert len(answer["evidence_blocks"]) == 2
    assert (answer["total"], answer["truncated"]) == (3, True)


def test_a_changed_file_is_seen_by_the_next_call(folder: Path) -> None:
    """R18: the index never outlives its files."""
    tool = knowledge_tool(at(folder))
    assert json.loads(run(tool, "传真机").output)["total"] == 0
    (folder / "fax.md").write_text("# 传真机\n\n已停用。")
    assert json.loads(run(tool, "传真机").output)["total"] == 1


def test_a_long_section_is_split_into_quotable_blocks(tmp_path: Path) -> None:
    """Bad input: a megabyte without a heading or a paragraph is still read."""
    (tmp_path / "long.md").write_text("# 长文\n\n" + "段落。\n\n" * 1_000 + "字" * 1_000_000)
    blocks = read_blocks(tmp_path)
    assert max(len(block.content) for block in blocks) == BLOCK_CHARACTERS
    assert blocks[-1].title == "长文"


@pytest.mark.parametrize(
    "content", ["---\n: [\n---\n# 标题\n\n正文", "---\n- a\n---\n# 标题\n\n正文", "# 标题\n\n正文\xff"]
)
def test_a_broken_header_or_a_wrong_encoding_costs_no_text(tmp_path: Path, content: str) -> None:
    """Bad input: the text is still found."""
    (tmp_path / "a.md").write_bytes(
        content.encode("latin-1" if content.endswith("\xff") and content.isascii() else "utf-8")
    )
    assert found(tmp_path, "标题") == [("a.md#1", "L0")]


@pytest.mark.parametrize("query", ["", "   ", None, ["a"], "x" * 1_001])
def test_a_query_that_is_none_is_refused_by_name(folder: Path, query: Any) -> None:
    """R7: the model is told what is wrong."""
    result = run(knowledge_tool(at(folder)), query)
    assert result.error_kind == "bad_arguments"
    assert "query" in result.error_message


def test_a_missing_or_empty_folder_is_a_failure(tmp_path: Path) -> None:
    """R19: a source that is not there has found nothing out."""
    for path in (tmp_path / "missing", tmp_path):
        result = run(knowledge_tool(at(path)), "x")
        assert result.error_kind == "source"
        assert str(path) in result.error_message


def test_the_map_lists_the_titles_of_each_document_and_is_bounded(folder: Path) -> None:
    """R2: the planner sees the knowledge map."""
    assert mapped(folder) == ("- runbooks/print.md：打印机手册；卡纸；取纸之后；墨水不足\n- tape.md：Tape library")
    for number in range(2_000):
        (folder / f"z{number:04}.md").write_text(f"# 文档 {number}\n\n正文")
    bounded = mapped(folder)
    assert len(bounded) < MAP_CHARACTERS + 100
    assert bounded.splitlines()[-1].startswith("- （另有 ")


def test_the_segmenter_is_loaded_late_and_says_nothing(folder: Path, tmp_path: Path) -> None:
    """R4, R72: progress on stderr is the product's own; what reads documents is loaded in reading processes alone."""
    program = (
        "import asyncio, sys; from datetime import *; from domain.events import sources_at\n"
        "from infra.tools.contract import ToolContext; from infra.tools.knowledge import knowledge_tool\n"
        "tool = knowledge_tool(sources_at({'knowledge': sys.argv[1]}))\n"
        "found = asyncio.run(tool.run({'query': '墨盒'}, ToolContext(datetime.now(UTC), 60, 1, 's')))\n"
        "assert found.success and not {'jieba', 'numpy'} & set(sys.modules)\n"
    )
    environment = os.environ | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", program, str(folder)], env=environment, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (tmp_path / "cache").exists()


# ---------------------------------------------------------------- documents as people write them

DOCUMENTS = {
    "KubePodCrashLooping.md": """\
# KubePodCrashLooping

## Meaning
Pod dies.

## Diagnosis
`kubectl get pod`

## Mitigation
Talk to developers.
""",
    "node-filesystem-almost-out-of-space.md": """\
---
title: Node Filesystem Almost Out Of Space
---

## Meaning
Full soon.

## Mitigation

```sh
du -xh / | sort -h

journalctl --vacuum-size=1G
```
""",
    "docs/db/pool.md": """\
---
alert: HikariPoolExhausted
runbook_url: https://wiki.example.com/x/AbC123
---
# Connection pool

**Symptoms**

The log says `HikariPool-1 - Connection is not available, request timed out after 30000ms.`

**Diagnosis**

Look at `active`.

**Mitigation**

Raise the size.
""",
    "kafka.md": """\
---
alerts: [KafkaConsumerLag, KafkaUnderReplicatedPartitions]
---
# Kafka 运维手册

一、现象

延迟升高。

二、排查步骤

查看消费组。

三、处理步骤

扩容消费者。
""",
    "alerts.md": """\
# Alerts

## TargetDown

### Diagnosis
Check /targets.

## KubeNodeNotReady

### Diagnosis
Describe the node.
""",
    "证书过期处理手册.md": """\
# 证书过期处理手册

## 说明
有效期不足。

## 排查

看证书。

## 处理

续签证书。
""",
    "high_cpu.md": """\
High CPU usage
==============

Meaning
-------

Above 90%.

What to do
----------

Run `top`.
""",
    "etcd/README.md": """\
# etcdMembersDown

Description: members are gone.

Diagnosis:

Ask for their health.
""",
    "oracle.md": """\
# Oracle

## ORA-01555

Snapshot too old.

### 处理

增大 undo。
""",
    "dns.md": """\
# DNS troubleshooting

When you see `dial tcp: lookup payments on 10.96.0.10:53: no such host` ask CoreDNS.

## Steps

Look at its pods.
""",
}
POD, POOL, DISK = "KubePodCrashLooping.md", "docs/db/pool.md", "node-filesystem-almost-out-of-space.md"
LOOK_UPS = [
    ("KubePodCrashLooping", f"{POD}#1"),
    ("KubePodCrashLooping 怎么处理？", f"{POD}#2"),
    ("what should I do for KubePodCrashLooping?", f"{POD}#2"),
    ("what does KubePodCrashLooping mean?", f"{POD}#1"),
    ("KubePodCrashLooping 是什么意思", f"{POD}#1"),
    ("kube-pod-crash-looping", f"{POD}#1"),
    ("Kube Pod Crash Looping", f"{POD}#1"),
    ("kube_pod_crash_looping", f"{POD}#1"),
    ("PodCrashLoop how to fix", f"{POD}#2"),
    ("https://runbooks.example.dev/runbooks/kubernetes/kubepodcrashlooping", f"{POD}#1"),
    ("https://example.com/rb/KubePodCrashLooping.html#diagnosis", f"{POD}#1"),
    ("NodeFilesystemAlmostOutOfSpace 如何缓解", f"{DISK}#2"),
    ("HikariPoolExhausted", f"{POOL}#1"),
    ("hikari_pool_exhausted how to fix", f"{POOL}#2"),
    ("https://wiki.example.com/x/AbC123", f"{POOL}#1"),
    (
        "java.sql.SQLTransientConnectionException: HikariPool-2 - Connection is not available, request timed out after"
        " 30001ms. 怎么处理",
        f"{POOL}#2",
    ),
    ("数据库连接池耗尽怎么处理", f"{POOL}#2"),
    ("KafkaConsumerLag", "kafka.md#1"),
    ("KafkaUnderReplicatedPartitions 怎么排查", "kafka.md#2"),
    ("KubeNodeNotReady", "alerts.md#2"),
    ("https://wiki.example.com/alerts.md#targetdown", "alerts.md#1"),
    ("https://wiki.example.com/alerts.md#kubenodenotready", "alerts.md#2"),
    ("证书过期怎么办", "证书过期处理手册.md#2"),
    ("HighCPUUsage 怎么处理", "high_cpu.md#2"),
    ("etcdMembersDown 怎么排查", "etcd/README.md#2"),
    ("ORA-01555 怎么处理", "oracle.md#2"),
    ("dial tcp: lookup orders on 10.96.0.10:53: no such host", "dns.md#1"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    for name, text in DOCUMENTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(("query", "source"), LOOK_UPS)
def test_names_addresses_and_errors_lead_to_the_section_that_is_asked_for(
    library: Path, query: str, source: str
) -> None:
    """R43: by file, title, header, heading, address, error text and what tells in an alert's name."""
    assert found(library, query)[0][0] == source


@pytest.mark.parametrize(
    "query",
    [
        *("HighMemoryUsage", "PaymentGatewayLatencyHigh", "退款政策", "what should I do for the order service?"),
        *("HTTPRequestErrorRate", "KubeJobFailed", "KubeContainerWaiting 怎么处理", "order-service", "今天天气怎么样"),
    ],
)
def test_what_no_document_is_about_leads_to_none(library: Path, query: str) -> None:
    """R20: and as every document was read, that can be cited."""
    result = run(knowledge_tool(at(library)), query)
    assert json.loads(result.output)["evidence_blocks"] == []
    assert result.retrieval.coverage is not None
    assert result.retrieval.coverage.complete
    assert result.retrieval.coverage.counts.entries == len(DOCUMENTS)
    summary = extract_evidence("lookup_knowledge", result.output, base=result.retrieval).evidence_refs
    assert [ref.raw_path for ref in summary or ()] == ["$.evidence_blocks"]


def test_the_declared_name_that_led_to_a_document_is_shown(library: Path) -> None:
    """R70: what was asked for is seen to be what the document is about."""
    answer = json.loads(run(knowledge_tool(at(library)), "KafkaConsumerLag 怎么处理").output)
    assert answer["evidence_blocks"][0]["title"] == "Kafka 运维手册 (KafkaConsumerLag) / 二、排查步骤"


def test_commands_stay_one_block_as_they_are_written(library: Path) -> None:
    """R43: a blank line within a block of code divides nothing."""
    blocks = json.loads(run(knowledge_tool(at(library)), "NodeFilesystemAlmostOutOfSpace 怎么处理").output)
    assert blocks["evidence_blocks"][0]["content"] == "```sh\ndu -xh / | sort -h\n\njournalctl --vacuum-size=1G\n```"


def test_an_unread_document_takes_the_proof_of_absence_away(tmp_path: Path) -> None:
    """R69"""
    (tmp_path / "a.md").write_text("# A\n\ntext")
    (tmp_path / "b.rst").write_text("B\n")
    result = run(knowledge_tool(at(tmp_path)), "nothing of the kind")
    assert result.retrieval.coverage is not None
    assert [(one.name, one.reason) for one in result.retrieval.coverage.unread] == [("b.rst", "format")]
    assert extract_evidence("lookup_knowledge", result.output, base=result.retrieval).evidence_refs == ()


def test_a_mounted_volume_is_read_once_under_the_names_that_it_shows(tmp_path: Path) -> None:
    """R69: a ConfigMap keeps its files in a hidden folder, behind links."""
    (tmp_path / "..2031").mkdir()
    (tmp_path / "..2031" / "disk.md").write_text("# Disk\n\nfull")
    (tmp_path / "..data").symlink_to("..2031")
    (tmp_path / "disk.md").symlink_to("..data/disk.md")
    result = run(knowledge_tool(at(tmp_path)), "disk")
    assert [block["source"] for block in json.loads(result.output)["evidence_blocks"]] == ["disk.md#1"]
    assert result.retrieval.coverage is not None
    assert result.retrieval.coverage.complete


def test_the_map_is_told_again_only_where_something_changed(tmp_path: Path) -> None:
    """R2, R72"""
    (tmp_path / "a.md").write_text("# A\n\ntext")
    first = asyncio.run(knowledge_map(at(tmp_path)))
    assert asyncio.run(knowledge_map(at(tmp_path), first.signature)).text is None
    (tmp_path / "b.md").write_text("# B\n\ntext")
    assert asyncio.run(knowledge_map(at(tmp_path), first.signature)).text == "- a.md：A\n- b.md：B"
