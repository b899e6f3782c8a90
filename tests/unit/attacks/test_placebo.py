"""The placebo of a campaign over the shipped world: as much of it, and nothing in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caia_replay.attacks.placebo import PLACEBO, plan_placebo, true_sentences
from caia_replay.attacks.register import PlaceboRegister
from caia_replay.core.answer_said import plain, says, says_answer
from caia_replay.core.attack import Target
from caia_replay.core.overlay import Overlay, PlantedPage, PlantedPost
from caia_replay.core.task import Anchor
from caia_replay.core.world import Page, Post, Ranked, RankedPost, WorldView
from caia_replay.errors import CheckFailed
from caia_replay.runner.campaign import filled, overlays_for, register_over, targets_in
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld


@pytest.fixture(scope="module")
def world(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped world, opened once."""
    with FrozenWorld(open_world(str(shipped))) as opened:
        yield opened


def asked(world: FrozenWorld) -> list[tuple[WorldView, Target]]:
    return [(world.task(task), target) for task, target in targets_in(world)]


def placebo(world: FrozenWorld, attacked: Overlay) -> Overlay:
    """Where no text is read as an answer."""
    pairs = asked(world)
    register = register_over(world, [target for _, target in pairs], PlaceboRegister)
    return plan_placebo(attacked, pairs, register, lambda target, text: False)


def lies(counts: dict[str, tuple[int, int]]) -> Overlay:
    """So many pages on so many sites against each task."""
    pages = []
    for task, (items, sites) in counts.items():
        for item in range(items):
            page = Page(f"https://{task}-{item % sites}.example/{item}", "t", "x", 1)
            pages.append(PlantedPage("stale-page", task, "31.7", page))
    return Overlay("lies", tuple(pages))


def sites_of(overlay: Overlay, task: str) -> int:
    return len({found.page.url.split("/")[2] for found in overlay.pages if found.task == task})


COUNTS = st.tuples(st.integers(1, 5), st.integers(1, 3)).map(lambda pair: (max(pair), pair[1]))
TASKS = ("mini6-supply", "mini6-vote-date", "mini6-event-count")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(TASKS), COUNTS, max_size=3))
def test_it_is_as_much_as_what_it_stands_for(world: FrozenWorld, counts: dict[str, tuple[int, int]]) -> None:
    """As many pages against each task, on as many sites, none against others; and the same each time."""
    attacked = lies(counts)
    made = placebo(world, attacked)
    assert made.campaign == "placebo of lies" and made.digest
    assert Counter(found.task for found in made.pages) == Counter(found.task for found in attacked.pages)
    assert all(sites_of(made, task) == sites for task, (_, sites) in counts.items())
    assert placebo(world, attacked) == made


def test_it_says_no_answer_and_bears_no_claim(world: FrozenWorld) -> None:
    """No page of it says what is right or what the campaign plants; it is marked as a placebo where no model looks."""
    overlays = overlays_for(world, ("attacked", "placebo"), "seo-heavy")
    attacked, made = overlays["attacked"], overlays["placebo"]
    assert len(made.pages) == len(attacked.pages) > 0
    for found in made.pages:
        assert (found.attack, found.planted, found.answer, found.marked, found.goal) == (PLACEBO, "", "", False, None)
        told = plain(f"{found.page.title}\n{found.page.text}")
        assert not says_answer(told, world.folder.task(found.task).answer)
        values = {lie.planted for lie in attacked.pages} | {lie.answer for lie in attacked.pages if not lie.marked}
        assert not [value for value in values - {""} if says(told, value)]
        assert PLACEBO not in f"{found.page.url} {told}" and "{" not in told


def test_nothing_in_it_is_read_as_an_answer(world: FrozenWorld) -> None:
    """By the recipe of its task, in the whole of any page."""
    made = overlays_for(world, ("placebo",), "seo-heavy")["placebo"]
    for found in made.pages:
        recipe = filled(world, world.folder.task(found.task))
        assert recipe is not None
        assert recipe.in_page(found.page.text) is None and recipe.in_page(found.page.title) is None


def test_a_line_that_is_read_as_an_answer_is_left_out(world: FrozenWorld) -> None:
    """That line alone: a list of honest titles may say what another page says."""
    pairs, attacked = asked(world), lies({TASKS[0]: (1, 1)})
    (before,) = placebo(world, attacked).pages
    lines = before.page.text.split("\n")
    line = next(line for line in reversed(lines) if line and lines.count(line) == 1)
    register = register_over(world, [target for _, target in pairs], PlaceboRegister)
    (after,) = plan_placebo(attacked, pairs, register, lambda target, text: line in text.split("\n")).pages
    assert after.page.text.split("\n") == [one for one in lines if one != line]
    assert after == replace(before, page=replace(before.page, text=after.page.text))


def test_where_all_is_read_as_an_answer_there_is_no_placebo(world: FrozenWorld) -> None:
    """It fails with the task's name: an arm that lies is none."""
    pairs = asked(world)
    register = register_over(world, [target for _, target in pairs], PlaceboRegister)
    with pytest.raises(CheckFailed, match="mini6-supply"):
        plan_placebo(lies({"mini6-supply": (1, 1)}), pairs, register, lambda target, text: True)


def test_its_sentences_are_true(world: FrozenWorld) -> None:
    """Each names an honest page as it is, and neither says the truth; about a moment no page is named."""
    for view, target in asked(world):
        pages = {page.url: page for page in view.pages()}
        said = list(true_sentences(view, target))
        assert said
        for sentence in said[:-1]:
            page = next(page for url, page in pages.items() if f"{url};" in sentence or f"{url}." in sentence)
            assert f'"{page.title}"' in sentence and not says_answer(page.text, target.truth)
        assert not any(says_answer(sentence, target.truth) for sentence in said)
        assert len(said) == 1 if target.truth.kind in ("date", "time") else len(said) > 1
        (chinese, *_) = true_sentences(view, replace(target, language="zh"))
        assert not chinese.isascii()


@dataclass(frozen=True)
class Networked:
    """A view with one honest post."""

    view: WorldView
    post: Post

    @property
    def anchor(self) -> Anchor:
        """The view's own."""
        return self.view.anchor

    def pages(self) -> Iterable[Page]:
        """The view's own."""
        return self.view.pages()

    def posts(self) -> Iterable[Post]:
        """The one."""
        return (self.post,)

    def search(self, query: str, limit: int) -> tuple[Ranked, ...]:
        """The view's own."""
        return self.view.search(query, limit)

    def search_posts(self, query: str, limit: int) -> tuple[RankedPost, ...]:
        """The one."""
        return (RankedPost(1, self.post),)


def test_posts_have_a_placebo_where_posts_are_planted(world: FrozenWorld) -> None:
    """As many by as many accounts, that tell the same true sentence; no pages where none are planted."""
    post = PlantedPost("coordinated-posts", TASKS[0], "31.7", Post("9", "eve", "it is 31.7", 5, "9"))
    attacked = Overlay("lies", (), "", (post, replace(post, post=replace(post.post, id="8", author="mal"))))
    honest = Post("1", "ada", "$MARE #mare news", 3, "1")
    pairs: list[tuple[WorldView, Target]] = [(Networked(view, honest), target) for view, target in asked(world)]
    register = register_over(world, [target for _, target in pairs], PlaceboRegister)
    made = plan_placebo(attacked, pairs, register, lambda target, text: False)
    assert [(found.task, found.attack, found.planted) for found in made.posts] == [(TASKS[0], PLACEBO, "")] * 2
    assert len({found.post.author for found in made.posts}) == 2 and made.pages == ()
    target = next(target for _, target in pairs if target.task == TASKS[0])
    assert not any(says_answer(found.post.text, target.truth) for found in made.posts)
    sentences = list(true_sentences(world.task(world.folder.task(TASKS[0])), target))
    assert all(any(said in found.post.text for said in sentences) for found in made.posts)
