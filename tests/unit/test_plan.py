import pytest

from domain.agents.plan import parse_plan
from domain.contracts import PlannerPlan


def test_a_plan_is_read_from_the_planners_json():
    """R2: also behind a fence."""
    raw = (
        '```json\n{"selected_skill":"memory","selection_reason":"匹配","plan":["查告警","查日志"],"reasoning":""}\n```'
    )
    assert parse_plan(raw) == PlannerPlan(selected_skill="memory", selection_reason="匹配", plan=("查告警", "查日志"))


@pytest.mark.parametrize("skill", ["null", '"null"', '"None"', '""', '"无"'])
def test_no_skill_is_none_however_it_is_written(skill):
    """R2: name or null."""
    assert parse_plan(f'{{"selected_skill": {skill}, "plan": []}}') == PlannerPlan()


def test_steps_in_other_forms_are_kept():
    """R2: one string is one step, an object is kept as JSON."""
    assert parse_plan('{"plan": "查告警"}').plan == ("查告警",)
    assert parse_plan('{"plan": [{"step": 1}, null, "查日志"]}').plan == ('{"step": 1}', "查日志")


@pytest.mark.parametrize(
    "raw", ["", "先查告警，再查日志", '{"steps": []}', '{"plan": null}', '{"plan": []} {"plan": []}']
)
def test_what_cannot_be_parsed_is_no_plan(raw):
    """R2: the Executor then gets the raw text as its plan."""
    assert parse_plan(raw) is None
