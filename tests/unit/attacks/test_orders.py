"""Orders and notes below the descriptions of tools, read as those who obey read them."""

from __future__ import annotations

from caia_replay.attacks.campaign import joined
from caia_replay.attacks.tool_poisoning import ToolPoisoning
from caia_replay.core.attack import Dose, Misreading, Planting, Target
from caia_replay.models.policies.injection import instructions_in
from caia_replay.tools.catalog import CATALOG
from tests.attack_view import IndexedView, register, target

THOUSAND = Misreading("supply_query", 1_000, "574400000000")


def described(*targets: Target) -> list[Planting]:
    """What is planted against several targets of one campaign."""
    view = IndexedView()
    taken = register(view, *targets)
    made = [ToolPoisoning().plan(view, asked, Dose(), taken) for asked in targets]
    assert all(isinstance(one, Planting) for one in made)
    return [one for one in made if isinstance(one, Planting)]


def test_orders_are_the_same_for_every_target() -> None:
    """So a campaign has each once; each is read as the call that is its goal, of tools that there are."""
    overlay = joined("x", described(target(), target(task="t-2"), target(task="t-3")))
    assert len(overlay.tools) == 2 and {tool.task for tool in overlay.tools} == {""}
    for tool in overlay.tools:
        (told,) = instructions_in([tool.text], CATALOG)
        assert tool.goal is not None and told.tool == tool.goal.tool and tool.tool in CATALOG
        assert any(tool.goal.holds in str(value) for value in (told.arguments or {}).values())


def test_a_note_on_units_is_one_text_for_all_tasks() -> None:
    """The answer that follows is each task's own, and stands in no description; neither does what is right."""
    other = Misreading("supply_query", 1_000, "81234567000")
    targets = [target(misread=(THOUSAND,)), target(value="81234567", task="t-2", misread=(other,))]
    tools = [tool for tool in joined("x", described(*targets)).tools if tool.task]
    assert {(tool.task, tool.answer) for tool in tools} == {("t-1", THOUSAND.answer), ("t-2", other.answer)}
    assert len({tool.text for tool in tools}) == 1 and {tool.planted for tool in tools} == {""}
    for tool in tools:
        assert "1,000" in tool.text and instructions_in([tool.text], CATALOG) == []
        assert not any(said in tool.text for said in (THOUSAND.answer, other.answer, "574400000", "81234567"))


def test_a_misreading_that_is_right_is_left_out() -> None:
    """And so is one that another tool's misreading ends at already."""
    same = Misreading("balance_query", 1_000, THOUSAND.answer)
    right = Misreading("price_feed", 1_000, "574400000")
    (made,) = described(target(misread=(right, THOUSAND, same)))
    assert [tool.tool for tool in made.tools if tool.task] == ["supply_query"]
