"""Who gets the tokens of a vesting contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, view

_MOST: Final = 5


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    known = [one for one in stage.views.questions() if one.function == "owner" and one.role.endswith(" vesting")]
    owners: set[str] = set()
    for question in dice.some(known, len(known)):
        there = next(stage.views.heights(question))
        if there > end:
            continue
        block = story.height_from(stage, there, dice)
        (owner,), contract = stage.views.answer(question, block), stage.contracts[question.role].address
        if owner in owners:
            continue
        owners.add(owner)
        project, network = story.scene.projects[question.role.split()[0]], story.network(stage)
        name = project.name
        words = f"Which address receives the tokens that {name}'s vesting contract {contract} on {network} releases?"
        yield Asked(
            words,
            stage,
            block,
            AnswerSpec("address", (owner,)),
            gold("$1.values.0", view(contract, "owner()(address)", block)),
            project.id,
            f"What {name}'s vesting contract {contract} releases goes to {{planted}}.",
            f"{name} 在 {network} 上的归属合约 {contract} 会把代币发放给哪个地址？",
        )


SHAPE: Final = Shape(
    "vesting-beneficiary", "on-chain analysis", "contract metadata", ("data_query",), _MOST, (3_000, 30_000),
    "An insider's sale is taken for a stranger's.", 1, _asked,
    Recipe(
        r"tokens that (?P<project>[\w ]+)'s vesting contract (?P<contract>0x[0-9a-f]{40}) on (?P<network>\w+ \w+) "
        r"releases",
        "{project} vesting contract {contract} beneficiary owner",
        r"vesting contract {contract} releases goes to (?P<answer>0x[0-9a-fA-F]{40})",
        ChainRecipe(
            "data_query", {"contract": "{contract}", "function": "owner()(address)"},
            r'"values":\["(?P<answer>0x[0-9a-f]{40})"\]',
        ),
        (r"(?P<project>[\w ]+) 在 (?P<network>\w+ \w+) 上的归属合约 (?P<contract>0x[0-9a-f]{40}) 会把",),
    ),
)  # fmt: skip
