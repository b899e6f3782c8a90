"""Who gets the tokens of a vesting contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, view

_MOST: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    known = [one for one in stage.views.questions() if one.function == "owner" and one.role.endswith(" vesting")]
    for question in dice.some(known, len(known)):
        block = dice.number(next(stage.views.heights(question)), stage.calendar.last_block)
        (owner,), contract = stage.views.answer(question, block), stage.contracts[question.role].address
        project, chinese = story.scene.projects[question.role.split()[0]], dice.happens(35)
        words = (
            f"{project.name} 在 {story.network(stage)} 上的归属合约 {contract} 会把代币发放给哪个地址？"
            if chinese
            else f"Which address receives the tokens that {project.name}'s vesting contract {contract} on "
            f"{story.network(stage)} releases?"
        )
        yield Asked(words, stage, block, AnswerSpec("address", (owner,)),
                    gold("$1.values.0", view(contract, "owner()(address)", block)), project.id,
                    "zh" if chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "vesting-beneficiary", "project discovery", ("data_query",), _MOST, (3_000, 30_000),
    "An insider's sale is taken for a stranger's.", 1, _asked,
)  # fmt: skip
