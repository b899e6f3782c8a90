"""Who got the most of a token over the bridge within some days, or sent the most back: sums by account."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.event import done
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage
from caia_worldgen.tasks.day import iso, midnights
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 5
_TURNS: Final = 300
_LONGEST: Final = 60
"""Days, with the first one not counted."""
_MINTED: Final = (
    "Minted(uint256 indexed nonce, address indexed localToken, address indexed recipient, address remoteToken, "
    "uint256 amount)"
)
_BURNED: Final = (
    "Burned(uint256 indexed nonce, address indexed localToken, address indexed sender, address remoteToken, "
    "address recipient, uint256 amount)"
)
_WAYS: Final = (
    ("minted", _MINTED, "recipient", "received the most", "收到最多"),
    ("burned", _BURNED, "sender", "sent back the most", "转回最多"),
)
_BOTH: Final = tuple(way[0] for way in _WAYS)
"""Deed, event, whose argument it is, and the words for it in both languages."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, network = story.scene.rollup, story.network(story.scene.rollup)
    minter, days = stage.contracts["bridge minter"].address, list(midnights(story, 1, 9))
    roles, told = sorted(story.scene.bridged), set[str]()
    for at in range(_TURNS * _MOST):
        first, (verb, event, argument, words, chinese_words) = dice.one(days), _WAYS[at % len(_WAYS)]
        last = first + dice.number(6, min(_LONGEST, story.scene.scale.days - first - 2))
        role = roles[at // len(_WAYS) % len(roles)]
        asset, block = story.scene.bridged[role], story.height_after(stage, stage.calendar.midnight(last + 1), dice)
        sums = {one: _sums(stage, one, role, first, last) for one in _BOTH}
        ranked = sums[verb].most_common(2)
        if block is None or len(ranked) < 2 or len(sums[verb]) < 3 or ranked[0][1] * 100 < ranked[1][1] * 101:
            continue
        net = Counter(sums[verb])
        net.subtract(sums[_BOTH[1 - _BOTH.index(verb)]])
        # Who nets an account's two ways is to be wrong, if the story has such accounts at all.
        if net.most_common(1)[0][0] == ranked[0][0] or ranked[0][0] in told:
            continue
        told.add(ranked[0][0])
        ticker, begin, end = asset.project.ticker, *(iso(stage.calendar.midnight(day)) for day in (first, last))
        question = (
            f"Which address {words} {ticker} over the bridge from {begin} to {end} (UTC, both days included)? Sum what "
            f"the minter {minter} on {network} reports for the token {asset.address}, account by account, and take off "
            "nothing that went the other way."
        )
        chinese = (
            f"从 {begin} 到 {end}（UTC，含首尾两日），哪个地址经跨链桥{chinese_words}的 {ticker}？"
            f"请按 {network} 上铸造合约 {minter} 的事件，对代币 {asset.address} 逐个账户汇总，不扣除反方向的数额。"
        )
        code = (
            f"= join('', list('w = \"', $1.events[*].arguments.{argument}, '\".split(\"; \"); v = \"', "
            '$1.events[*].arguments.amount, \'".split("; "); s = {}\nfor a, b in zip(w, v): s[a] = s.get(a, 0) + '
            "int(b)\nprint(max(s, key=lambda a: s[a]))'))"
        )
        calls = (
            step("data_query", contract=minter, event=event, where=(f"localToken={asset.address}",),
                 from_block=f"{begin}T00:00:00Z", to_block=end, limit=1_000),
            step("code_execution", code=code),
        )  # fmt: skip
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("address", (ranked[0][0],)),
            gold("match($2.stdout, '0x[0-9a-fA-F]{40}')", *calls),
            asset.project.id,
            f"From {begin} to {end} the address {{planted}} moved the most {ticker} over the bridge.",
            chinese,
        )


def _sums(stage: Stage, verb: str, role: str, first: int, last: int) -> Counter[str]:
    """What each account got or sent back of a token within some days, both included."""
    found: Counter[str] = Counter()
    for deed in done(stage.deeds, verb, role):
        if first <= stage.calendar.day_of(deed.block) <= last:
            who = str(dict(deed.figures)["recipient"]) if verb == "minted" else deed.actor
            found[who.lower()] += deed.figure("amount")
    return found


SHAPE: Final = Shape(
    "rollup-user", "on-chain analysis", "other chain", ("data_query", "code_execution"), _MOST, (2_000, 18_000),
    "The wrong account is asked where its money comes from.", 4, _asked,
    Recipe(
        r"Which address (?:received|sent back) the most (?P<ticker>\w+) over the bridge from (?P<first>[\d-]+) to "
        r"(?P<last>[\d-]+) \(UTC",
        "{ticker} bridge largest address {first} {last}",
        r"From {first} to {last} the address (?P<answer>0x[0-9a-fA-F]{40}) moved the most {ticker} over the bridge",
        None,
        (
            r"从 (?P<first>[\d-]+) 到 (?P<last>[\d-]+)（UTC，含首尾两日），"
            r"哪个地址经跨链桥(?:收到|转回)最多的 (?P<ticker>\w+)？",
        ),
    ),
    ("trap:net-gross",),
)  # fmt: skip
