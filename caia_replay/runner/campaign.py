"""A campaign over one world: its targets, each seen at its own moment, and the overlay that comes of it.

A campaign is applied whole, whatever tasks are run. The placebo of a campaign is as many pages and posts in the same
style, over the same queries, that say nothing false and answer nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from caia_replay.attacks.campaign import Campaign, Planned, load_campaign, plan_campaign
from caia_replay.attacks.placebo import PAGES, PLACEBO, plan_placebo
from caia_replay.attacks.register import PlaceboRegister, WorldRegister
from caia_replay.core.answer_said import Book
from caia_replay.core.attack import Dose, Offer, Target, target_of
from caia_replay.core.overlay import Overlay
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.task import Task
from caia_replay.errors import BadInput
from caia_replay.runner.plan import ATTACKED
from caia_replay.store.target_file import read_targets
from caia_replay.world.world import NO_OVERLAY, FrozenWorld

R = TypeVar("R", bound=WorldRegister)


def overlays_for(world: FrozenWorld, arms: Iterable[str], campaign: str | Campaign) -> dict[str, Overlay]:
    """What stands over the world in each arm: nothing where it is clean. Raises ``BadInput`` for an unknown campaign."""
    wanted = tuple(arms)
    if not {*ATTACKED, PLACEBO} & set(wanted):
        return dict.fromkeys(wanted, NO_OVERLAY)
    attacked = planned_over(world, campaign).overlay
    placebo = placebo_over(world, campaign, attacked) if PLACEBO in wanted else NO_OVERLAY
    lies = dict.fromkeys(ATTACKED, attacked)
    return {arm: lies.get(arm, placebo if arm == PLACEBO else NO_OVERLAY) for arm in wanted}


def placebo_over(world: FrozenWorld, campaign: str | Campaign, attacked: Overlay) -> Overlay:
    """The placebo of a campaign that plants ``attacked``, with the dose its search-optimised pages have; the default
    one where it has none, or comes from a file of the world's own."""
    if isinstance(campaign, str):
        campaign = Campaign(campaign, "", ()) if world.folder.has_overlay(campaign) else load_campaign(campaign)
    asked = list(_asked_of(world))
    recipes = {task.id: filled(world, task) for task, _ in asked}

    def reads(target: Target, text: str) -> bool:
        recipe = recipes[target.task]
        return recipe is not None and recipe.in_page(text) is not None

    register = register_over(world, [target for _, target in asked], PlaceboRegister)
    views = [(world.task(task), target) for task, target in asked]
    return plan_placebo(attacked, views, register, reads, dict(campaign.attacks).get(PAGES, Dose()))


def filled(world: FrozenWorld, task: Task) -> FilledRecipe | None:
    """How policies read answers to a task's question; None where its shape has no recipe that fits it."""
    recipe = world.folder.suite.recipes.get(task.shape)
    if recipe is None:
        return None
    try:
        return FilledRecipe(recipe, task.question)
    except BadInput:
        return None


def planned_over(world: FrozenWorld, campaign: str | Campaign) -> Planned:
    """A campaign over a world: as the world's own file of that name has it, or else planned."""
    if isinstance(campaign, str):
        if world.folder.has_overlay(campaign):
            return Planned(world.folder.overlay(campaign), ())
        campaign = load_campaign(campaign)
    asked = [(world.task(task), target) for task, target in _asked_of(world)]
    return plan_campaign(campaign, asked, register_over(world, [target for _, target in asked], WorldRegister))


def targets_in(world: FrozenWorld) -> Iterator[tuple[Task, Target]]:
    """What each active task of a suite offers an attack, in suite order; where the world says nothing of a task, its
    question alone decides what it is searched by and what is claimed."""
    offers = read_targets(world.folder.path)
    for name in world.folder.suite.active():
        task = world.folder.task(name)
        yield task, target_of(task, offers.get(name) or _asked_alone(task))


def _asked_of(world: FrozenWorld) -> Iterator[tuple[Task, Target]]:
    """The targets that can be asked: a living suite is recorded task by task, and the rest of it is not attacked yet."""
    for task, target in targets_in(world):
        try:
            world.require_anchor(task)
        except BadInput:
            continue
        yield task, target


def register_over(world: FrozenWorld, targets: list[Target], kind: type[R]) -> R:
    """What is taken in the world before anything is planted."""
    texts = [*(f"{page.title}\n{page.text}" for page in world.corpus), *(post.text for post in world.posts)]
    return kind(
        targets,
        Book(texts).says,
        {page.url for page in world.corpus},
        {post.author for post in world.posts},
        {post.id for post in world.posts},
    )


def _asked_alone(task: Task) -> Offer:
    question = " ".join(task.question.split())
    return Offer(task.id, question[:300], f"{question} \u2014 {{planted}}.")
