"""Whether a token's transfers stood still at the end of a block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, view, yes_no
from caia_replay.origin.view import Question

_MOST: Final = 4


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, last = story.scene.main, story.scene.main.calendar.last_block
    for at in range(3 * _MOST):
        role = ("credit", "dollar")[at % 2]
        question, project = Question(f"{role} token", "paused"), story.scene.projects[role]
        token = stage.contracts[f"{role} token"].address
        changes = list(stage.views.heights(question))
        height = min(last, dice.one(changes) + dice.number(0, max(1, last // 30)))
        (stopped,) = stage.views.answer(question, height)
        ticker, chinese = project.ticker, dice.happens(30)
        words = (
            f"在区块 {height} 结束时，{story.network(stage)} 上的 {ticker}（合约 {token}）是否处于暂停转账的状态？"
            "请回答是或否。"
            if chinese
            else f"Were transfers of {ticker} ({token}) on {story.network(stage)} paused at the end of block "
            f"{height}? Answer yes or no."
        )
        yield Asked(words, stage, dice.number(height, last), yes_no(stopped),
                    gold("choose($1.values.0 == 'true', 'yes', 'no')", view(token, "paused()(bool)", height)),
                    project.id, "zh" if chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "pause-state", "project discovery", ("data_query",), _MOST, (4_000, 30_000),
    "A payment is promised in a token that cannot move.", 1, _asked, ("trap:false-premise",),
)  # fmt: skip
