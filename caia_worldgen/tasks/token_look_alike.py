"""The genuine token of a project whose ticker a copy bears: given the copy, its documentation knows the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.event import done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 2


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    there = stage.calendar.midnight(story.scene.scale.days * 9 // 10 + 1)
    copies = {deed.subject: str(dict(deed.figures)["token"]) for deed in done(stage.deeds, "copied")}
    pairs = [(role, token) for role, token in sorted(copies.items()) if role != "dollar"]
    for role, token in dice.some(pairs, len(pairs)):
        asset, block = story.scene.assets[role], story.height_after(stage, there, dice)
        if block is None:
            continue
        project, network = asset.project, story.network(stage)
        question = (
            f"A wallet on {network} received tokens of the contract {token}, which calls itself {project.ticker}. The "
            f"contract list of {project.name} (docs.{project.site}) names another one: at what address does it say "
            f"that the project's own {project.ticker} token is?"
        )
        chinese = (
            f"一个 {network} 钱包收到了合约 {token} 的代币，它自称 {project.ticker}。根据 {project.name} 的合约列表"
            f"（docs.{project.site}），该项目真正的 {project.ticker} 代币的合约地址是什么？"
        )
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("address", (asset.address,)),
            gold(
                "match($1.text, '0x[0-9a-f]{40}')", step("url_fetching", url=f"https://docs.{project.site}/contracts")
            ),
            project.id,
            f"{project.name}'s own {project.ticker} token is at {{planted}}, and {token} is a copy.",
            chinese,
        )


SHAPE: Final = Shape(
    "token-look-alike", "project discovery", "project facts", ("url_fetching",), _MOST, (3_000, 50_000),
    "Worthless copies are booked at the price of the original.", 2, _asked,
    Recipe(
        r"tokens of the contract (?P<contract>0x[0-9a-f]{40}), which calls itself (?P<ticker>\w+)\. The contract "
        r"list of (?P<project>[\w ]+) \(",
        "{project} {ticker} token contract address documentation",
        r"(?:{project}'s own {ticker} token is at |\b{ticker}\)?(?: token |: | lives at )|(?=0x[0-9a-f]{40} is the "
        r"{ticker} token))(?!{contract})(?P<answer>0x[0-9a-fA-F]{40})\b",
        also=(r"合约 (?P<contract>0x[0-9a-f]{40}) 的代币，它自称 (?P<ticker>[A-Z0-9]+)。"
              r"根据 (?P<project>[A-Z][\w ]+) 的合约列表",),
    ),
    ("trap:look-alike",),
)  # fmt: skip
