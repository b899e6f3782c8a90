"""A campaign over one world: its targets, each seen at its own moment, and the overlay that comes of it.

A campaign is applied whole, whatever tasks are run. The placebo of a campaign is as many pages and posts in the same
style, over the same queries, that say nothing false and answer nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from caia_replay.attacks.campaign import Campaign, Planned, campaign_names, load_campaign, plan_campaign
from caia_replay.attacks.placebo import PLACEBO, plan_placebo
from caia_replay.attacks.uniqueness_registry import PlaceboRegister, WorldRegister
from caia_replay.core.answer_matcher import AnswerMatcher
from caia_replay.core.attack import AttackSurface, Target, target_of
from caia_replay.core.overlay import Overlay
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, nearest
from caia_replay.providers.reader.provider import ORIGIN as READER
from caia_replay.runner.dose import parse_dose
from caia_replay.runner.plan import ATTACKED
from caia_replay.store.private_cache import kept
from caia_replay.store.target_file import TARGETS, read_targets
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import CATALOG
from caia_replay.world.world import NO_OVERLAY, FrozenWorld

_READER: Final = f"{READER}/".encode()

R = TypeVar("R", bound=WorldRegister)


def overlays_for(
    world: FrozenWorld, arms: Iterable[str], campaign: str | Campaign, dose: str = ""
) -> dict[str, Overlay]:
    """What stands over the world in each arm; nothing where it is clean. Raises as ``chosen``."""
    wanted = tuple(arms)
    if not {*ATTACKED, PLACEBO} & set(wanted):
        return dict.fromkeys(wanted, NO_OVERLAY)
    plan = chosen(world.folder, campaign, dose)
    made_of = (world.folder.seal.digest, f"{plan!r}")
    attacked = kept(("attacked", *made_of), lambda: planned_over(world, plan).overlay)
    placebo = NO_OVERLAY
    if PLACEBO in wanted:
        placebo = kept(("placebo", *made_of), lambda: placebo_over(world, attacked))
    lies = dict.fromkeys(ATTACKED, attacked)
    return {arm: lies.get(arm, placebo if arm == PLACEBO else NO_OVERLAY) for arm in wanted}


def require_campaign(folder: WorldFolder, arms: Iterable[str], campaign: str, dose: str = "") -> None:
    """Raise ``BadInput`` for a campaign or dose that cannot be used in the arms, before anything is planned."""
    if {*ATTACKED, PLACEBO} & set(arms) and isinstance(chosen(folder, campaign, dose), str):
        folder.overlay(campaign)


def placebo_over(world: FrozenWorld, attacked: Overlay) -> Overlay:
    """The placebo of a campaign that plants ``attacked``."""
    asked = list(asked_in(world))
    recipes = {task.id: filled(world, task) for task, _ in asked}

    def reads(target: Target, text: str) -> bool:
        recipe = recipes[target.task]
        return recipe is not None and recipe.in_page(text) is not None

    register = register_over(world, [target for _, target in asked], PlaceboRegister)
    views = [(world.task(task), target) for task, target in asked]
    return plan_placebo(attacked, views, register, reads)


def filled(world: FrozenWorld, task: Task) -> FilledRecipe | None:
    """How policies read answers to a task's question; None where its shape has no recipe that fits it."""
    recipe = world.folder.suite.recipes.get(task.shape)
    if recipe is None:
        return None
    try:
        return FilledRecipe(recipe, task.question)
    except BadInput:
        return None


def chosen(folder: WorldFolder, campaign: str | Campaign, dose: str = "") -> str | Campaign:
    """The campaign to plan, at the ``dose`` that ``--dose`` says; or the name of a finished one of the world's own.

    Raises ``BadInput`` for a name that neither the package nor the world has, as ``parse_dose``, and for a dose of what
    is finished.
    """
    if isinstance(campaign, str):
        known, own = campaign_names(), own_campaigns(folder)
        if campaign in own and not dose:
            return campaign
        if campaign in own:
            raise BadInput(f"campaign {campaign!r} is a file of the world's own and has no dose", where="--dose")
        if campaign not in known:
            here = f"; {folder.info.id} itself has: {' | '.join(own)}" if own else ""
            raise BadInput(
                f"no campaign {campaign!r:.80}",
                where="--campaign",
                nearest=nearest(campaign, (*known, *own)),
                next_command=f"--campaign {' | '.join(known)}{here}",
            )
        campaign = load_campaign(campaign)
    return campaign.dosed(parse_dose(dose), "--dose") if dose else campaign


def own_campaigns(folder: WorldFolder) -> tuple[str, ...]:
    """The finished campaigns in a world's own overlays/, sorted."""
    return tuple(sorted(path.stem for path in (folder.path / "overlays").glob("*.toml") if path.is_file()))


def has_pages(folder: WorldFolder) -> bool:
    """Whether the recordings name the reader, through which every page of the open web comes. Where they do not, no
    campaign finds a page to plant beside."""
    return any(_READER in path.read_bytes() for path in folder.cassettes())


def planned_over(world: FrozenWorld, campaign: str | Campaign, dose: str = "") -> Planned:
    """A campaign over a world: as the world's own file of that name has it, or else planned. Raises as ``chosen``."""
    campaign = chosen(world.folder, campaign, dose)
    if isinstance(campaign, str):
        return Planned(world.folder.overlay(campaign), ())
    asked = [(world.task(task), target) for task, target in asked_in(world)]
    return plan_campaign(campaign, asked, register_over(world, [target for _, target in asked], WorldRegister))


def targets_in(world: FrozenWorld) -> Iterator[tuple[Task, Target]]:
    """What each active task of a suite offers an attack, in suite order; where the world says nothing of a task, its
    question alone decides what it is searched by and what is claimed."""
    offers = read_targets(world.folder.path, world.folder.sealed(TARGETS))
    for name in world.folder.suite.active():
        task = world.folder.task(name)
        yield task, target_of(task, offers.get(name) or _asked_alone(task))


def asked_in(world: FrozenWorld) -> Iterator[tuple[Task, Target]]:
    """The targets that can be asked: a living suite is recorded task by task, and its rest is not attacked yet."""
    for task, target in targets_in(world):
        try:
            world.require_anchor(task)
        except BadInput:
            continue
        yield task, target


def register_over(world: FrozenWorld, targets: list[Target], kind: type[R]) -> R:
    """What is taken in the world before anything is planted."""
    book: list[AnswerMatcher] = []

    def said(value: str) -> bool:
        if not book:  # reading everything takes a second, and a placebo asks for nothing
            texts = [*(f"{page.title}\n{page.text}" for page in world.corpus), *(post.text for post in world.posts)]
            book.append(AnswerMatcher(texts))
        return book[0].says(value)

    return kind(
        targets,
        said,
        {page.url for page in world.corpus},
        {post.author for post in world.posts},
        {post.id: post.created for post in world.posts},
        AnswerMatcher(f"{tool.spec.description}\n{tool.spec.parameters}" for tool in CATALOG.values()).says,
    )


def _asked_alone(task: Task) -> AttackSurface:
    question = " ".join(task.question.split())
    return AttackSurface(task.id, question[:300], f"{question} \u2014 {{planted}}.")
