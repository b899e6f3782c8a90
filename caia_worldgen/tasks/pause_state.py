"""Whether a token's transfers stood still at the end of a block: they did, and do no more when it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, view, yes_no
from caia_worldgen.view import ViewCall

_MOST: Final = 2
_TURNS: Final = 12
_WORDS: Final = (
    ("Were transfers of {ticker} ({token}) on {network} paused at the end of block {block}? Answer yes or no.",
     "在区块 {block} 结束时，{network} 上的 {ticker}（合约 {token}）是否处于暂停转账的状态？请回答是或否。"),
    ("A holder complains that no {ticker} ({token}, on {network}) could be moved as of block {block}. Did its contract "
     "say at the end of that block that it was paused? Answer yes or no.",
     "有持有者抱怨 {network} 上的 {ticker}（合约 {token}）在第 {block} 个区块时无法转出。该区块结束时，"
     "合约是否显示为已暂停？请回答是或否。"),
)  # fmt: skip
"""One question in several wordings of both languages: two that differed in their figures alone would be one."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    stopped = [one for role in ("credit", "dollar") for one in _stopped(stage, role, end)]
    for at, (role, first, until) in enumerate(stopped * _TURNS):
        project, token = story.scene.projects[role], stage.contracts[f"{role} token"].address
        height = dice.number(first, min(until, end + 1) - 1)
        words, chinese = _WORDS[at % len(_WORDS)]
        slots = {"ticker": project.ticker, "token": token, "network": story.network(stage), "block": height}
        yield Asked(
            words.format(**slots),
            stage,
            # What the contract says by then is no, if it says so by the last block.
            story.height_from(stage, until if until <= end else height, dice),
            yes_no(True),
            gold("choose($1.values.0 == 'true', 'yes', 'no')", view(token, "paused()(bool)", height)),
            project.id,
            f"Transfers of {project.ticker} ({token}) paused at the end of block {height}: {{planted}}.",
            chinese.format(**slots),
        )


def _stopped(stage: Stage, role: str, end: int) -> Iterator[tuple[str, int, int]]:
    """The token, the block that stopped its transfers, and the one that let them go on, past ``end`` where none did."""
    question = ViewCall(f"{role} token", "paused")
    changes = [*stage.views.heights(question), end + 1]
    for first, until in pairwise(changes):
        if first <= end and stage.views.answer(question, first) == (True,):
            yield role, first, until


SHAPE: Final = Shape(
    "pause-state", "project discovery", "contract metadata", ("data_query",), _MOST, (4_000, 30_000),
    "A payment is promised in a token that cannot move.", 1, _asked,
    Recipe(
        r"Were transfers of (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\) on (?P<network>\w+ \w+) paused at the end "
        r"of block (?P<block>\d+)",
        "{ticker} {contract} transfers paused block {block}",
        r"Transfers of {ticker} \({contract}\) paused at the end of block {block}: (?P<answer>[Yy]es|[Nn]o)\b",
        ChainRecipe(
            "data_query", {"contract": "{contract}", "function": "paused()(bool)", "block": "{block}"},
            r'"values":\[(?P<answer>true|false)\]',
        ),
        (
            r"no (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40}), on (?P<network>\w+ \w+)\) could be moved as of block "
            r"(?P<block>\d+)",
            r"有持有者抱怨 (?P<network>\w+ \w+) 上的 (?P<ticker>\w+)（合约 (?P<contract>0x[0-9a-f]{40})）在第 "
            r"(?P<block>\d+) 个区块",
            r"在区块 (?P<block>\d+) 结束时，(?P<network>\w+ \w+) 上的 (?P<ticker>\w+)（合约 "
            r"(?P<contract>0x[0-9a-f]{40})）是否处于暂停转账",
        ),
    ),
)  # fmt: skip
