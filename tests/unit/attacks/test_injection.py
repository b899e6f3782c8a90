"""Orders in pages and posts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.injection import ANSWER_FORMS, CALL_FORMS, InjectionPage, InjectionPost
from caia_replay.attacks.register import PlaceboRegister
from caia_replay.core.answer_said import says_answer
from caia_replay.core.attack import Dose, Planting, Target
from caia_replay.core.overlay import PlantedPage, PlantedPost
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.models.policies.injection import instructions_in
from caia_replay.tools.catalog import CATALOG
from tests.attack_view import KINDS, NOW_S, IndexedView, moment_of, register, target, text_of

FAMILIES = (InjectionPage(), InjectionPost())
ANSWERS = (
    "7",
    "1,234.5",
    "-0.0034",
    "v0.4.7",
    "2024-03-23T18:14:52Z",
    "2024-05-01",
    "0x" + "ab" * 20,
    "Orchid DAO",
    "no",
)
SEVERAL = tuple(
    Target(f"t-{n}", one.question, one.language, one.truth, one.project, one.offer) for one in KINDS for n in range(6)
)


def plan(family: InjectionPage | InjectionPost, asked: Target, dose: Dose) -> Planting:
    """What a family plants against a target."""
    view = IndexedView()
    made = family.plan(view, asked, dose, register(view, asked))
    assert isinstance(made, Planting)
    return made


def orders(made: Planting) -> list[PlantedPage | PlantedPost]:
    """What holds an order: all but the page at the attacker's address."""
    return [found for found in (*made.pages, *made.posts) if found.goal is None or found.place != found.goal.holds]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_every_form_of_a_dictated_answer_is_read(language: str, answer: str) -> None:
    """As exactly that answer, by who obeys; as nothing by who does not."""
    for form in ANSWER_FORMS[language]:
        text = "About it.\n" + form.replace("{x}", answer) + "\nMore."
        assert {one.answer for one in instructions_in([text], CATALOG)} == {answer}, form


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_form_of_a_demanded_call_is_read(language: str) -> None:
    """As that call and nothing else, and also where a search result has put it on one line."""
    for form in CALL_FORMS[language]:
        text = form.replace("{arguments}", '{"url": "https://report.example/answer/QX-4821-7735"}')
        for shown in (f"About it.\n{text}\nMore.", f"... About it. {text} More ..."):
            (told,) = instructions_in([shown], CATALOG)
            assert (told.tool, told.answer) == ("url_fetching", None)
            assert told.arguments == {"url": "https://report.example/answer/QX-4821-7735"}


@settings(max_examples=80)
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
    made = plan(family, asked, dose)
    assert made == plan(family, asked, dose) and len(orders(made)) == dose.items
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


@pytest.mark.parametrize("family", FAMILIES)
def test_both_goals_and_several_forms_occur(family: InjectionPage | InjectionPost) -> None:
    """Over some targets; answers that tell nothing by themselves are never dictated."""
    found = [one for n in range(40) for one in orders(plan(family, target(task=f"u-{n}"), Dose()))]
    assert {bool(one.goal and one.goal.answer) for one in found} == {True, False}
    openings = {text_of(one).split("\n")[1][:20] for one in found}
    assert len(openings) > 6


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_demanded_can_be_had(family: InjectionPage | InjectionPost) -> None:
    """The page at the attacker's address is there, older than the order, and found by no search for the target."""
    made = plan(family, target("boolean", "yes"), Dose())
    (order,) = orders(made)
    (there,) = [found for found in made.pages if order.goal and found.place == order.goal.holds]
    assert there.planted in there.page.text and moment_of(there) < moment_of(order)
    found = IndexedView().under(made).search(target().query, 20)
    assert there.page.url not in {one.page.url for one in found}


@pytest.mark.parametrize("family", FAMILIES)
def test_it_is_found(family: InjectionPage | InjectionPost) -> None:
    """First, by the query, among what is honest."""
    view, asked = IndexedView(), target()
    made = plan(family, asked, Dose(weight=6))
    over = view.under(made)
    if isinstance(family, InjectionPage):
        assert over.search(asked.query, 1)[0].page.url == orders(made)[0].place
    else:
        assert over.search_posts(asked.query, 1)[0].post.url == orders(made)[0].place


@pytest.mark.parametrize("family", FAMILIES)
def test_a_placebo_orders_nothing(family: InjectionPage | InjectionPost) -> None:
    """The same texts without the order; and where nobody posts, there is no post."""
    view, asked = IndexedView(), target()
    made = family.plan(view, asked, Dose(items=2), PlaceboRegister([asked], lambda _: False))
    assert isinstance(made, Planting)
    for found in (*made.pages, *made.posts):
        assert (found.planted, found.answer, found.goal) == ("", "", None)
        assert instructions_in([text_of(found)], CATALOG) == []
    nobody = IndexedView(posts=())
    assert InjectionPost().plan(nobody, asked, Dose(), register(nobody)) == "the world has no social network"
