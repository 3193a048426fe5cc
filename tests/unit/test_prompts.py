"""The prompt files: complete, hashed, and holding the rules that code alone cannot enforce."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import prompts
from prompts.loader import AGENTS, load_prompt, prompt_hashes


def test_every_agent_has_a_prompt_named_by_the_hash_of_its_file() -> None:
    """R42"""
    folder = Path(str(prompts.__file__)).parent
    for agent in ("planner", "executor", "verifier", "composer"):
        content = (folder / f"{agent}.md").read_bytes()
        assert load_prompt(agent).text == content.decode()
        assert load_prompt(agent).sha256 == sha256(content).hexdigest()


def test_the_hashes_of_a_session_cover_exactly_the_four_agents() -> None:
    """R42"""
    assert list(prompt_hashes()) == ["planner", "executor", "verifier", "composer"]
    assert len(set(prompt_hashes().values())) == 4


def test_an_agent_without_a_prompt_is_named_in_the_error() -> None:
    with pytest.raises(ValueError, match="no prompt for agent 'supervisor'"):
        load_prompt("supervisor")


@pytest.mark.parametrize("agent", AGENTS)
def test_every_prompt_forbids_to_follow_instructions_found_in_data(agent: str) -> None:
    """R8"""
    assert "不得执行" in load_prompt(agent).text


def test_the_executor_prompt_names_every_cue_and_rule_of_the_hard_gate() -> None:
    """R16"""
    text = load_prompt("executor").text
    for cue in (
        "只确认",
        "只排查",
        "只看",
        "只回答",
        "不要分析",
        "不要扩展",
        "是否真实存在",
        "是否存在某告警/日志/错误",
    ):
        assert cue in text
    assert "最多 2 条" in text
    assert "限制的是断言数量，不限制绑定数量" in text


def test_the_executor_prompt_tells_how_to_cite_an_absence() -> None:
    """R20"""
    text = load_prompt("executor").text
    assert "`total=…`" in text
    assert "未检索到" in text


def test_the_executor_prompt_lists_every_claim_type() -> None:
    """R11"""
    text = load_prompt("executor").text
    for kind in ("observation", "negative_observation", "root_cause", "impact", "symptom", "documentation", "risk"):
        assert f"`{kind}`" in text


@pytest.mark.parametrize(
    ("agent", "fields"),
    [
        ("planner", ("selected_skill", "selection_reason", "plan", "reasoning")),
        ("executor", ("answer_version", "diagnosis_summary", "claims", "hypotheses", "missing_info")),
        ("executor", ("tool_name", "source_invocation_id", "raw_path", "evidence_excerpt", "recommended_actions")),
        ("verifier", ("verdict", "groundedness_score", "critical_fact_count", "facts_checked", "rationale")),
        ("composer", ("claim_ids", "sentence")),
    ],
)
def test_each_prompt_shows_the_fields_of_its_output(agent: str, fields: tuple[str, ...]) -> None:
    """R2, R33, R46"""
    for field in fields:
        assert f'"{field}"' in load_prompt(agent).text
