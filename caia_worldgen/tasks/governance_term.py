"""One of the rules by which a project is governed: each contract tells its own in a unit of its own."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day_reading import NUMBER
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, view
from caia_worldgen.view import ViewCall

_MOST: Final = 2
_TERMS: Final = (
    ("timelock", "minimum delay", "getMinDelay", 3_600, "hours",
     "how many hours must pass between queueing and executing a decision"),
    ("governor", "proposal threshold", "proposalThreshold", 10**18, None,
     "how many votes (not their smallest unit) does it take to make a proposal"),
)  # fmt: skip
"""Rules told in another unit than people speak in: contract, the rule's name, function, what one unit is in the
contract's own, the unit, and the words."""
_RECIPE: Final = Recipe(
    question=r"What is the (?P<term>[a-z]+ [a-z]+) of the (?P<role>[a-z]+) (?P<contract>0x[0-9a-f]{40}) on "
    r"(?P<network>[A-Z][\w ]+):",
    query="{role} {contract} {term} {network} governance",
    pattern=rf"{{term}} of the {{role}} {{contract}} is {NUMBER}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    for role, term, function, unit, name, words in dice.some(_TERMS, len(_TERMS)):
        question = ViewCall(role, function)
        block = story.height_from(stage, next(stage.views.heights(question)), dice)
        (told,), contract = stage.views.answer(question, block), stage.contracts[role].address
        call = view(contract, f"{function}()(uint256)", block)
        yield Asked(
            question=f"What is the {term} of the {role} {contract} on {story.network(stage)}: {words}?",
            stage=stage,
            block=block,
            answer=number(Fraction(told, unit), name),
            gold=gold(f"$1.values.0 / {unit}", call),
            project=role,
            claim=f"The {term} of the {role} {contract} is {{planted}} {name or 'votes'}.",
        )


SHAPE: Final = Shape(
    "governance-term", "on-chain analysis", "contract metadata", ("data_query",), _MOST, (3_000, 25_000),
    "Holders are told of a change after they could have left.", 2, _asked, _RECIPE, ("trap:units",),
)  # fmt: skip
