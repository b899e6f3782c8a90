"""The draw of a suite's drafts from all shapes: so many, in CAIA's proportions, from a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from caia_replay.core.suite import Recipe
from caia_replay.core.task import Anchor, Category, Task
from caia_replay.errors import CheckFailed
from caia_worldgen.finished import canary
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.every_shape import SHAPES
from caia_worldgen.tasks.height import places_of
from caia_worldgen.tasks.shape import Draft, Shape, Source, Story
from caia_worldgen.tasks.wording import MOST_ALIKE, language_faults, likeness

ADDED: Final = "2026-11-23"
"""The day on which the suite's tasks were added."""
VERSION: Final = "2.0.0"


def suite_name(count: int) -> str:
    """What a suite of so many tasks is called, and its world."""
    return f"synthetic-{count}"


def tasks_of(drafts: Sequence[Draft], seed: int) -> tuple[Task, ...]:
    """The drafts as tasks, in their order, each named after the suite's size, its shape and its place among those."""
    places: Counter[str] = Counter()
    made = []
    for draft in drafts:
        places[draft.shape] += 1
        identity = f"s{len(drafts)}-{draft.shape}-{places[draft.shape]}"
        made.append(
            Task(
                id=identity,
                question=draft.question,
                category=draft.category,
                language=draft.language,
                shape=draft.shape,
                anchor=draft.anchor,
                answer=draft.answer,
                gold=draft.gold,
                stake_usd=draft.stake_usd,
                stake_reason=draft.stake_reason,
                tags=(*draft.tags, f"source:{draft.source.replace(' ', '-').lower()}"),
                canary=canary("economy", seed, identity),
                difficulty=draft.difficulty,
                project=draft.project,
            )
        )
    return tuple(made)


def recipes_of(drafts: Sequence[Draft]) -> dict[str, Recipe]:
    """How policies read the shapes that the drafts are of."""
    used = {draft.shape for draft in drafts}
    return {shape.name: shape.recipe for shape in SHAPES if shape.name in used}


CAIA: Final[Mapping[tuple[Category, Source], int]] = {
    ("on-chain analysis", "point look-up"): 24,
    ("on-chain analysis", "aggregate"): 22,
    ("on-chain analysis", "contract metadata"): 18,
    ("on-chain analysis", "other chain"): 13,
    ("project discovery", "project facts"): 40,
    ("project discovery", "DeFi metrics"): 7,
    ("project discovery", "contract metadata"): 2,
    ("tokenomics", "supply and unlocks"): 23,
    ("overlap", "DeFi metrics"): 11,
    ("overlap", "market price"): 3,
    ("trend analysis", "DeFi metrics"): 6,
    ("trend analysis", "market price"): 2,
    ("general knowledge", "general knowledge"): 7,
}
WHOLE: Final = sum(CAIA.values())
CHINESE: Final = 26
"""How many of CAIA's questions are asked in Chinese."""

Key = TypeVar("Key")


def shares(count: int, proportions: Mapping[Key, int]) -> dict[Key, int]:
    """``count`` divided in proportion; what is left over goes to the largest remainders, ties in the order given."""
    whole = sum(proportions.values())
    found = {key: count * part // whole for key, part in proportions.items()}
    left = sorted(proportions, key=lambda key: -(count * proportions[key] % whole))
    for key in left[: count - sum(found.values())]:
        found[key] += 1
    return found


_OVER: Final[frozenset[Source]] = frozenset(("point look-up", "aggregate", "other chain"))
"""Whose questions name the block or the day they are about, so that the answer is the same whenever they are asked."""


def draw(
    story: Story,
    count: int,
    proportions: Mapping[tuple[Category, Source], int] = CAIA,
    shapes: Sequence[Shape] = SHAPES,
) -> tuple[Draft, ...]:
    """``count`` drafts in suite order, the shapes of each kind taking turns; CAIA's share of them in Chinese.

    No two ask nearly the same, and none stands at the height of another while there is a draft at a height of its own.
    Raises ``CheckFailed`` where the shapes of a kind have too few, and for a question that is not written as it should
    be.
    """
    drawn: list[Draft] = []
    for (category, source), wanted in shares(count, proportions).items():
        ours = [shape for shape in shapes if (shape.category, shape.source) == (category, source)]
        found = _of(story, ours, wanted, drawn)
        if len(found) < wanted:
            raise CheckFailed(
                f"the shapes of {category} that {source} answer have {len(found)} drafts, {wanted} are wanted"
            )
        drawn += found
    whole = tuple(_in_both_languages(_spread(drawn, story), count * CHINESE // WHOLE))
    for draft in whole:
        for fault in language_faults(draft.question, draft.language):
            raise CheckFailed(f"{draft.shape}: {draft.question!r} {fault}")
    return whole


def _of(story: Story, shapes: Sequence[Shape], wanted: int, before: Sequence[Draft]) -> list[Draft]:
    """Drafts of one kind, a turn of all its shapes after the other; where nobody stands yet comes first."""
    taken = {_place(one) for one in before}
    hands = [list(shape.choice(story, Rng(f"tasks/{story.scene.seed}/{shape.name}"))) for shape in shapes]
    found: list[list[Draft]] = [[] for _ in shapes]
    left = wanted
    while left and any(hands):
        for shape, hand, chosen in zip(shapes, hands, found, strict=True):
            hand[:] = [one for one in hand if not _is_asked(one, [*before, *chosen])]
            if not hand or not left:
                continue
            at, draft = next(_alone(story, hand, taken), (0, hand[0]))
            del hand[at]
            left -= 1
            chosen.append(draft)
            taken.add(_place(draft))
            if len(chosen) == shape.most:
                hand.clear()
    return [draft for chosen in found for draft in chosen]


def _alone(story: Story, hand: Sequence[Draft], taken: set[tuple[str, int]]) -> Iterator[tuple[int, Draft]]:
    """The drafts that can stand where nobody does, each there, with its place in the hand."""
    for at, draft in enumerate(hand):
        for one in places_of(draft, story.scene, story.heights):
            if _place(one) not in taken:
                yield at, one


def _spread(drafts: Sequence[Draft], story: Story) -> list[Draft]:
    """The drafts, some of those that ask of a block or a day that is over asked later: where nobody stands yet."""
    found, places = list(drafts), Counter(map(_place, drafts))
    empty = [(stage, height) for stage in story.stages for height in story.heights[stage.name]
             if (story.chain(stage), height) not in places]  # fmt: skip
    for stage, height in empty:
        chain, moment = story.chain(stage), stage.calendar.times[height]
        for at, draft in enumerate(found):
            is_earlier = draft.anchor.chain == chain and draft.anchor.block < height
            if is_earlier and draft.source in _OVER and places[_place(draft)] > 1:
                places[_place(draft)] -= 1
                found[at] = replace(draft, anchor=Anchor(chain, height, moment))
                break
    return found


def _is_asked(draft: Draft, others: Sequence[Draft]) -> bool:
    """Whether another draft asks nearly the same in either language, or one of its shape has the same answer."""
    return any(
        likeness(draft.question, other.question) > MOST_ALIKE
        or (draft.chinese and other.chinese and likeness(draft.chinese, other.chinese) > MOST_ALIKE)
        or (draft.shape, draft.answer.kind != "boolean" and draft.answer.values) == (other.shape, other.answer.values)
        for other in others
    )


def _place(draft: Draft) -> tuple[str, int]:
    return draft.anchor.chain, draft.anchor.block


def _in_both_languages(drafts: Sequence[Draft], chinese: int) -> Iterator[Draft]:
    """The drafts in their order, so many of them asked in Chinese, as evenly over those that can be as may be.

    Raises ``CheckFailed`` where too few can.
    """
    able = [at for at, draft in enumerate(drafts) if draft.chinese is not None]
    if len(able) < chinese:
        raise CheckFailed(f"{len(able)} drafts can be asked in Chinese, {chinese} are wanted")
    chosen = {able[turn * len(able) // chinese] for turn in range(chinese)} if chinese else set()
    return (draft.in_chinese() if at in chosen else draft for at, draft in enumerate(drafts))
