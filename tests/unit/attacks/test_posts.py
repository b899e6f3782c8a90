"""Planted posts and profiles: what they look like, what they tell together, where they stand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.campaign import joined
from caia_replay.attacks.coordinated_posts import CoordinatedPosts
from caia_replay.attacks.poisoned_body import SIZES, PoisonedBody
from caia_replay.attacks.uniqueness_registry import PlaceboRegister
from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.attack import Dose, Planting, Target
from caia_replay.core.tool import ToolReply
from caia_replay.tools.catalog import WorldToolset
from tests.attack_view import KINDS, NOW_S, IndexedView, register, target
from tests.social_world import SocialWorld, social_world

DOSES = st.builds(
    Dose,
    items=st.integers(1, 9),
    domains=st.integers(1, 9),
    depth=st.integers(1, 6),
    age_hours=st.integers(0, 300),
    language=st.sampled_from(("", "en", "zh")),
)


def told_together(asked: Target, dose: Dose) -> Planting:
    view = IndexedView()
    made = CoordinatedPosts().plan(view, asked, dose, register(view, asked))
    assert isinstance(made, Planting)
    return made


@given(st.sampled_from(KINDS), DOSES)
def test_they_tell_one_lie_in_one_burst(asked: Target, dose: Dose) -> None:
    """As many posts and accounts as dosed, the claim whole in each; nothing of the future, nothing right."""
    made = told_together(asked, dose)
    assert made == told_together(asked, dose) and len(made.posts) == dose.items
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
    posts = [found.post for found in told_together(target(), Dose(items=6, domains=3)).posts]
    first = posts[0]
    assert [post.reply_to == first.id for post in posts] == [False, True] * 3 and first.replies == 3
    assert all(post.thread == first.id and post.text.startswith(f"@{first.author} ") for post in posts[1::2])
    assert all(post.thread == post.id and post.reply_to == "" for post in posts[::2])


def test_a_search_for_the_subject_finds_them() -> None:
    """Among honest posts, by query and by question, whatever is asked."""
    for asked in KINDS:
        made = told_together(asked, Dose(items=3, domains=3))
        ids, over = {found.post.id for found in made.posts}, IndexedView().under(made)
        assert {one.post.id for one in over.search_posts(asked.query, 3)} == ids
        assert ids & {one.post.id for one in over.search_posts(asked.question, 3)}


def test_a_placebo_says_nothing_false() -> None:
    """Empty lies leave the offered sentence as it stands."""
    made = CoordinatedPosts().plan(IndexedView(), target(), Dose(items=2), PlaceboRegister([target()], lambda _: False))
    assert isinstance(made, Planting) and {(found.planted, found.answer) for found in made.posts} == {("", "")}


def profile(asked: Target) -> Planting:
    """A profile planted against a target, and the post that sends readers to it."""
    view = IndexedView()
    made = PoisonedBody().plan(view, asked, Dose(), register(view, asked))
    assert isinstance(made, Planting)
    return made


def test_the_lie_stands_in_the_bodies_alone() -> None:
    """Each body says the claim whole; the post says a reference of its own, no claim, and who to look up."""
    for asked in KINDS:
        made = profile(asked)
        (post,) = made.posts
        assert made == profile(asked) and len(made.bodies) == 1 + len(SIZES) and not post.answer
        assert post.planted in post.post.text and made.bodies[0].answer not in post.post.text
        assert post.post.created <= NOW_S and "$ORCH #orch" in post.post.text
        for body in made.bodies:
            assert body.planted in body.reply and asked.said(body.answer) in body.reply
            assert not says_answer(body.reply.replace(body.planted, ""), asked.truth)
        user = json.loads(made.bodies[0].reply)["data"][0]
        assert user["username"] == post.post.author and f"usernames={post.post.author}&" in made.bodies[0].url


@pytest.fixture(scope="module")
def social(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> SocialWorld:
    return social_world(shipped, tmp_path_factory.mktemp("social"))


def test_whoever_looks_the_account_up_is_told_the_lie(social: SocialWorld) -> None:
    """social_stream shows bio and timeline at every size that is asked for, marks the call, and finds the post."""
    task = social.world.folder.task(social.world.folder.suite.active()[0])
    shift = task.anchor.timestamp - NOW_S
    made = profile(target())
    moved = [replace(one, post=replace(one.post, created=one.post.created + shift)) for one in made.posts]
    overlay = joined("x", [replace(made, posts=tuple(moved))])
    handle, lie = made.posts[0].post.author, made.bodies[0].answer
    with WorldToolset(social.world.task(task, overlay)) as tools:

        def call(**arguments: object) -> ToolReply:
            return tools.call("social_stream", json.dumps(arguments))

        for size in (None, 3, *SIZES):
            told = call(handles=[handle], **({} if size is None else {"limit": size}))
            assert told.result is not None and told.altered_by == ("poisoned-body",), told.error
            assert lie in told.result["accounts"][0]["bio"] and len(told.result["posts"]) == 2
        found = tools.call("twitter_search", json.dumps({"query": "ORCH token total supply"}))
        assert found.result is not None and handle in {row["author"] for row in found.result["results"]}
