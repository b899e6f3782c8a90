"""Whether a token that bears a project's ticker is the project's own, where the documentation knows another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.deed import done
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, step, yes_no

_MOST: Final = 3


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    there = stage.calendar.midnight(story.scene.scale.days * 9 // 10 + 1)
    copies = {deed.subject: str(dict(deed.figures)["token"]) for deed in done(stage.deeds, "copied")}
    pairs = [(role, token) for role, token in sorted(copies.items()) if role != "dollar"]
    genuine = [(role, story.scene.assets[role].address) for role, _ in pairs[:1]]
    for role, token in dice.some([*pairs, *genuine], len(pairs) + len(genuine)):
        asset, block = story.scene.assets[role], story.height_after(stage, there, dice)
        if block is None:
            continue
        project = asset.project
        question = (
            f"A wallet on {story.network(stage)} received tokens of the contract {token}, which calls itself "
            f"{project.ticker}. By the contract list of {project.name} (docs.{project.site}), is it the project's own "
            "token? Answer yes or no."
        )
        call = step("url_fetching", url=f"https://docs.{project.site}/contracts")
        result = f"yes_no(match($1.text, '0x[0-9a-f]{{40}}') == '{token}')"
        yield Asked(question, stage, block, yes_no(token == asset.address), gold(result, call), project.id)


SHAPE: Final = Shape(
    "token-look-alike", "project discovery", ("url_fetching",), _MOST, (3_000, 50_000),
    "Worthless copies are booked at the price of the original.", 2, _asked, ("trap:look-alike", "trap:false-premise"),
)  # fmt: skip
