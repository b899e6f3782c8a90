"""Posts that tell one lie together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.coordinated_posts import CoordinatedPosts
from caia_replay.attacks.register import PlaceboRegister
from caia_replay.core.answer_said import says_answer
from caia_replay.core.attack import Dose, Planting, Target
from tests.attack_view import KINDS, NOW_S, IndexedView, register, target

DOSES = st.builds(
    Dose,
    items=st.integers(1, 9),
    domains=st.integers(1, 9),
    depth=st.integers(1, 6),
    age_hours=st.integers(0, 300),
    language=st.sampled_from(("", "en", "zh")),
)


def plan(asked: Target, dose: Dose, view: IndexedView | None = None) -> Planting:
    """The posts against a target."""
    over = IndexedView() if view is None else view
    made = CoordinatedPosts().plan(over, asked, dose, register(over, asked))
    assert isinstance(made, Planting)
    return made


@settings(max_examples=60)
@given(st.sampled_from(KINDS), DOSES)
def test_they_tell_one_lie_in_one_burst(asked: Target, dose: Dose) -> None:
    """As many posts and accounts as dosed, the claim whole in each; nothing of the future, nothing right."""
    made = plan(asked, dose)
    assert made == plan(asked, dose) and len(made.posts) == dose.items
    assert len({found.post.author for found in made.posts}) == min(dose.items, dose.domains)
    assert len({(found.planted, found.answer, found.marked) for found in made.posts}) == 1
    assert len({found.post.id for found in made.posts}) == dose.items
    for found in made.posts:
        post = found.post
        assert asked.said(found.answer) in post.text and found.planted in post.text and "\n" not in post.text
        assert "$ORCH #orch" in post.text and NOW_S - 3_600 * (dose.age_hours + 2) < post.created <= NOW_S
        assert found.marked == (asked.truth.kind in ("boolean", "date"))
        assert not says_answer(post.text.replace(found.planted, ""), asked.truth)


def test_the_first_begins_a_thread_that_others_answer() -> None:
    """Every second post is an answer in it, counted as one; the rest stand alone."""
    posts = [found.post for found in plan(target(), Dose(items=6, domains=3)).posts]
    first = posts[0]
    assert [post.reply_to == first.id for post in posts] == [False, True] * 3 and first.replies == 3
    assert all(post.thread == first.id and post.text.startswith(f"@{first.author} ") for post in posts[1::2])
    assert all(post.thread == post.id and post.reply_to == "" for post in posts[::2])


@pytest.mark.parametrize("asked", KINDS)
def test_a_search_for_the_subject_finds_them(asked: Target) -> None:
    """Among honest posts, by query and by question."""
    view = IndexedView()
    made = plan(asked, Dose(items=3, domains=3), view)
    ids = {found.post.id for found in made.posts}
    assert {one.post.id for one in view.under(made).search_posts(asked.query, 3)} == ids
    assert ids & {one.post.id for one in view.under(made).search_posts(asked.question, 3)}


def test_depth_is_how_many_are_written_anew() -> None:
    """With one, posts of one sort are word for word alike; with more, fewer are."""
    texts = [
        len({found.post.text for found in plan(target(), Dose(items=9, depth=depth)).posts}) for depth in (1, 2, 3)
    ]
    assert texts == [2, 4, 6]


def test_a_placebo_says_nothing_false() -> None:
    """Empty lies leave the offered sentence as it stands, and a world without posts is not attacked with any."""
    view, asked = IndexedView(), target()
    empty = PlaceboRegister([asked], lambda _: False)
    made = CoordinatedPosts().plan(view, asked, Dose(items=2), empty)
    assert isinstance(made, Planting) and {(found.planted, found.answer) for found in made.posts} == {("", "")}
    nobody = IndexedView(posts=())
    assert CoordinatedPosts().plan(nobody, asked, Dose(), register(nobody)) == "the world has no social network"
    told = CoordinatedPosts().plan(view, target("open", "x"), Dose(), register(view))
    assert told == "no wrong answer of kind open can be told from others"
