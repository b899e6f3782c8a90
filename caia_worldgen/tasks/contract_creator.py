"""Who created a contract: the account that sent the transaction, whatever the contract calls itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.act.inscribe import ROLE as INSCRIPTION
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage
from caia_worldgen.tasks.creation import creations
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 6
_RECIPE: Final = Recipe(
    question=r"created the contract (?P<contract>0x[0-9a-f]{40}) on (?P<network>[A-Z][\w ]+)",
    also=(r"^(?P<network>[A-Z][\w ]+) 上的合约 (?P<contract>0x[0-9a-f]{40}) 是由",),
    query="contract {contract} {network} creator deployed by",
    pattern=r"\bcontract {contract} was created by (?P<answer>0x[0-9a-fA-F]{40})",
    chain=ChainRecipe(
        "data_query", {"contract": "{contract}", "about": "creation"}, r'"creator":"(?P<answer>0x[0-9a-fA-F]{40})"'
    ),
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    pairs = [(stage, made) for stage in story.stages for made in sorted(creations(stage).items())]
    named = {(stage.name, made.address): role for stage in story.stages for role, made in stage.contracts.items()}
    creators: set[str] = set()
    for stage, (address, made) in dice.some(pairs, len(pairs)):
        role = named.get((stage.name, address))
        if (
            role is None
            or role == INSCRIPTION
            or made.block >= story.heights[stage.name][-1]
            or made.creator in creators
        ):
            continue
        creators.add(made.creator)
        network = story.network(stage)
        yield Asked(
            question=f"Which account created the contract {address} on {network}?",
            chinese=f"{network} 上的合约 {address} 是由哪个账户创建的？",
            stage=stage,
            block=story.height_from(stage, made.block + 1, dice),
            answer=AnswerSpec("address", (made.creator,)),
            gold=gold("$1.creator", step("data_query", contract=address, about="creation")),
            project=_project(story, stage, role, address),
            claim=f"On {network} the contract {address} was created by {{planted}}.",
        )


def _project(story: Story, stage: Stage, role: str, address: str) -> str:
    """Whose a contract is: a protocol's, a token's project's, or nobody's that is known, which is its address."""
    for protocol in story.metrics.protocols:
        if (stage.name, role) in protocol.contracts:
            return protocol.slug
    found = next((one for one in role.split() if one in story.scene.projects), None)
    return address if found is None else story.scene.projects[found].id


SHAPE: Final = Shape(
    "contract-creator", "on-chain analysis", "contract metadata", ("data_query",), _MOST, (1_000, 12_000),
    "A stranger's contract is taken for the project's own.", 1, _asked, _RECIPE,
)  # fmt: skip
