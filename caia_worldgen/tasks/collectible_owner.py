"""Who owned one collectible at the end of a block, and sold it since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 4
_WORDS: Final = (
    ("Which account owned item {item} of the collection {contract} on {network} when block {block} ended?",
     "在 {network} 的区块 {block} 结束时，藏品系列 {contract} 的 {item} 号归哪个账户所有？"),
    ("Somebody offers me number {item} out of {contract}, a collection on {network}. In whose wallet was it right "
     "after block {block}?",
     "有人要卖给我 {network} 上系列 {contract} 的第 {item} 号藏品。区块 {block} 之后，它在谁的钱包里？请给出地址。"),
)  # fmt: skip
"""One question in several wordings of both languages: two that differed in their figures alone would be one."""
_RECIPE: Final = Recipe(
    question=r"owned item (?P<item>\d+) of the collection (?P<contract>0x[0-9a-f]{40}) on (?P<network>[A-Z][\w ]+) "
    r"when block (?P<block>\d+) ended",
    also=(
        r"number (?P<item>\d+) out of (?P<contract>0x[0-9a-f]{40}), a collection on (?P<network>[A-Z][\w ]+)\. "
        r"In whose wallet was it right after block (?P<block>\d+)",
        r"^有人要卖给我 (?P<network>[A-Z][\w ]+) 上系列 (?P<contract>0x[0-9a-f]{40}) 的第 (?P<item>\d+) 号藏品。"
        r"区块 (?P<block>\d+) 之后",
        r"^在 (?P<network>[A-Z][\w ]+) 的区块 (?P<block>\d+) 结束时，藏品系列 (?P<contract>0x[0-9a-f]{40}) 的 "
        r"(?P<item>\d+) 号归",
    ),
    query="collection {contract} item {item} owner {network} block {block}",
    pattern=r"\bItem {item} of the collection {contract} belonged to (?P<answer>0x[0-9a-fA-F]{40}) at block {block}\b",
    chain=ChainRecipe(
        "balance_query", {"token": "{contract}", "token_id": "{item}", "block": "{block}"},
        r'"owner":"(?P<answer>0x[0-9a-fA-F]{40})"',
    ),
)  # fmt: skip


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    newest = story.heights[stage.name][-1]
    known = [one for one in stage.views.questions() if one.function == "ownerOf" and one.role.endswith(" collection")]
    asked: Counter[str] = Counter()
    owners: set[str] = set()
    for question in dice.some(known, len(known)):
        sales = [block for block in stage.views.heights(question) if block <= newest]
        if len(sales) < 2:
            continue
        # Who asks at the task's own block instead is told of another owner.
        at = dice.number(0, len(sales) - 2)
        height, block = dice.number(sales[at], sales[at + 1] - 1), story.height_from(stage, sales[at + 1], dice)
        (owner,), (item,) = stage.views.answer(question, height), question.arguments
        if owner in owners or stage.views.answer(question, block) == (owner,):
            continue
        owners.add(owner)
        collection, turn = stage.contracts[question.role].address, asked[question.role] % len(_WORDS)
        english, chinese = _WORDS[turn]
        asked[question.role] += 1
        slots = {"item": item, "contract": collection, "network": story.network(stage), "block": height}
        yield Asked(
            question=english.format(**slots),
            chinese=chinese.format(**slots),
            stage=stage,
            block=block,
            answer=AnswerSpec("address", (owner,)),
            gold=gold("$1.owner", step("balance_query", token=collection, token_id=item, block=height)),
            project=collection,
            claim=f"Item {item} of the collection {collection} belonged to {{planted}} at block {height}.",
        )


SHAPE: Final = Shape(
    "collectible-owner", "on-chain analysis", "point look-up", ("balance_query",), _MOST, (500, 8_000),
    "A collectible is bought from somebody who does not own it.", 1, _asked, _RECIPE,
)  # fmt: skip
