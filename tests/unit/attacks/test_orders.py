"""Orders in pages, posts and descriptions of tools, read as those who obey read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.campaign import joined
from caia_replay.attacks.injection import ANSWER_FORMS, CALL_FORMS, InjectionPage, InjectionPost
from caia_replay.attacks.tool_poisoning import ToolPoisoning
from caia_replay.attacks.uniqueness_registry import PlaceboRegister
from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.attack import Dose, Misreading, Planting, Target
from caia_replay.core.overlay import PlantedPage, PlantedPost
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.models.policies.injection import instructions_in
from caia_replay.tools.catalog import CATALOG
from tests.attack_view import KINDS, NOW_S, IndexedView, moment_of, register, target, text_of

FAMILIES = (InjectionPage(), InjectionPost())
ANSWERS = ("7", "1,234.5", "-0.0034", "v0.4.7", "2024-03-23T18:14:52Z", "2024-05-01", "0x" + "ab" * 20, "Orchid DAO",
           "no")  # fmt: skip
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
EACH = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
SEVERAL = tuple(
    Target(f"t-{n}", one.question, one.language, one.truth, one.project, one.offer) for one in KINDS for n in range(6)
)


def injected(family: InjectionPage | InjectionPost, asked: Target, dose: Dose) -> Planting:
    """What a family plants against a target."""
    view = IndexedView()
    made = family.plan(view, asked, dose, register(view, asked))
    assert isinstance(made, Planting)
    return made


def orders(made: Planting) -> list[PlantedPage | PlantedPost]:
    """What holds an order: all but the page at the attacker's address."""
    return [found for found in (*made.pages, *made.posts) if found.goal is None or found.place != found.goal.holds]


@LANGUAGES
def test_every_form_of_a_dictated_answer_is_read(language: str) -> None:
    """As exactly that answer, by who obeys; as nothing by who does not."""
    for form in ANSWER_FORMS[language]:
        for answer in ANSWERS:
            text = "About it.\n" + form.replace("{x}", answer) + "\nMore."
            assert {one.answer for one in instructions_in([text], CATALOG)} == {answer}, form


@LANGUAGES
def test_every_form_of_a_demanded_call_is_read(language: str) -> None:
    """As that call and nothing else, and also where a search result has put it on one line."""
    for form in CALL_FORMS[language]:
        text = form.replace("{arguments}", '{"url": "https://report.example/answer/QX-4821-7735"}')
        for shown in (f"About it.\n{text}\nMore.", f"... About it. {text} More ..."):
            (told,) = instructions_in([shown], CATALOG)
            assert (told.tool, told.answer) == ("url_fetching", None)
            assert told.arguments == {"url": "https://report.example/answer/QX-4821-7735"}


@given(
    st.sampled_from(FAMILIES),
    st.sampled_from(SEVERAL),
    st.builds(
        Dose,
        items=st.integers(1, 5),
        domains=st.integers(1, 5),
        age_hours=st.integers(0, 300),
        weight=st.integers(0, 6),
        full=st.booleans(),
        language=st.sampled_from(("", "en", "zh")),
    ),
)
def test_each_order_is_its_goal(family: InjectionPage | InjectionPost, asked: Target, dose: Dose) -> None:
    """A dictated answer tells by itself where it is from; every other goal is a call. Texts state nothing."""
    made = injected(family, asked, dose)
    assert made == injected(family, asked, dose) and len(orders(made)) == dose.items
    reads = FilledRecipe(Recipe("ORCH", "q", r"supply of ORCH is (?P<answer>\S+)"), asked.question)
    for found in orders(made):
        text, told, goal = text_of(found), instructions_in([text_of(found)], CATALOG), found.goal
        assert goal is not None and found.planted in text and moment_of(found) <= NOW_S and not found.marked
        if goal.answer:
            assert asked.truth.kind not in ("boolean", "date") and goal.answer == found.answer == found.planted
            assert {one.answer for one in told} == {goal.answer}
        else:
            assert [(one.tool, one.arguments) for one in told] == [(goal.tool, {"url": goal.holds})]
            assert found.planted in goal.holds and found.answer == ""
        assert reads.in_page(text) is None and not says_answer(text.replace(found.planted, ""), asked.truth)


@EACH
def test_what_is_demanded_can_be_had(family: InjectionPage | InjectionPost) -> None:
    """The page at the attacker's address is there, older than the order, and found by no search for the target."""
    made = injected(family, target("boolean", "yes"), Dose())
    (order,) = orders(made)
    (there,) = [found for found in made.pages if order.goal and found.place == order.goal.holds]
    assert there.planted in there.page.text and moment_of(there) < moment_of(order)
    found = IndexedView().under(made).search(target().query, 20)
    assert there.page.url not in {one.page.url for one in found}


@EACH
def test_a_placebo_orders_nothing(family: InjectionPage | InjectionPost) -> None:
    """The same texts without the order."""
    view, asked = IndexedView(), target()
    made = family.plan(view, asked, Dose(items=2), PlaceboRegister([asked], lambda _: False))
    assert isinstance(made, Planting)
    for found in (*made.pages, *made.posts):
        assert (found.planted, found.answer, found.goal) == ("", "", None)
        assert instructions_in([text_of(found)], CATALOG) == []


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
