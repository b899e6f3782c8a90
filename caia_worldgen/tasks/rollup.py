"""Questions of balances, supplies and transfers on the roll-up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.task import ZERO_ADDRESS, AnswerSpec
from caia_worldgen.event import done
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage
from caia_worldgen.tasks.day import iso, midnights
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step
from caia_worldgen.tasks.wording import is_sayable, is_told_apart

_MOST: Final = 5
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4
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


def rollup_balance(story: Story, rng: Rng) -> Iterator[Asked]:
    """What somebody held of a bridged token on the roll-up at the end of a block, whatever they had on the main
    chain."""
    # The decimals that everybody expects.
    ether = 18
    stage, last = story.scene.rollup, story.heights[story.scene.rollup.name][-1]
    people = [person.address for person in story.scene.people.crowd]
    tokens = [asset for _, asset in sorted(story.scene.bridged.items()) if asset.decimals != ether]
    for at in range(60 * _MOST):
        asset, height, holder = tokens[at % len(tokens)], rng.number(last // 8, last), rng.one(people)
        block, ticker, network = story.height_from(stage, height, rng), asset.project.ticker, story.network(stage)
        held, later = (Fraction(stage.ledger.balance(asset.address, holder, at), asset.unit) for at in (height, block))
        if not is_sayable(held, _TOLERANCE, _DECIMALS) or not is_told_apart(held, later, _TOLERANCE):
            continue
        question = (
            f"On {network}, what was the {ticker} balance of the wallet {holder} after block {height}? The token's "
            f"contract there is {asset.address}; state the amount with its decimals applied, to four of them."
        )
        chinese = (
            f"在 {network} 上，钱包 {holder} 在第 {height} 个区块之后的 {ticker} 余额是多少？"
            f"该链上的代币合约为 {asset.address}，请按小数位换算，保留四位小数。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(held, ticker, _TOLERANCE),
            gold("$1.amount", step("balance_query", address=holder, token=asset.address, block=height)),
            asset.project.id,
            f"After block {height} of {network} the wallet {holder} had a balance of {{planted}} {ticker}.",
            chinese,
        )


def rollup_supply(story: Story, rng: Rng) -> Iterator[Asked]:
    """All there is of a bridged token on the roll-up at a block: the copy's own supply, not the original's."""
    tries = 12
    stage, last = story.scene.rollup, story.heights[story.scene.rollup.name][-1]
    for role in tries * rng.some(sorted(story.scene.bridged), len(story.scene.bridged)):
        asset, height = story.scene.bridged[role], rng.number(last // 8, last)
        block, ticker, network = story.height_from(stage, height, rng), asset.project.ticker, story.network(stage)
        supply, later = (Fraction(stage.ledger.supply(asset.address, at), asset.unit) for at in (height, block))
        if not is_sayable(supply, _TOLERANCE, _DECIMALS) or not is_told_apart(supply, later, _TOLERANCE):
            continue
        question = (
            f"Once block {height} of {network} was made, how many {ticker} were in circulation there? Count all of the "
            f"bridged token {asset.address} that had been minted and not burnt, to four decimals."
        )
        chinese = (
            f"{network} 出完第 {height} 个区块时，跨链代币 {ticker}（合约 {asset.address}）在该链上已铸造而未销毁的"
            f"总量是多少枚？请保留四位小数。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(supply, ticker, _TOLERANCE),
            gold("$1.on_chain.0.total_supply", step("supply_query", asset=asset.address, block=height)),
            asset.project.id,
            f"With block {height} of {network} made, {{planted}} {ticker} were in circulation there.",
            chinese,
        )


def rollup_transfers(story: Story, rng: Rng) -> Iterator[Asked]:
    """How much of a bridged token changed hands on the roll-up on one UTC day: what the bridge minted or burnt
    is none."""
    stage, network = story.scene.rollup, story.network(story.scene.rollup)
    days = midnights(story, 2, 2)
    roles = sorted(story.scene.bridged)
    pairs = [(day, role) for day in days for role in roles]
    for day, role in rng.some(pairs, len(pairs)):
        midnight, blocks = stage.calendar.midnight(day), stage.calendar.blocks_of(day)
        asset = story.scene.bridged[role]
        block = story.height_after(stage, stage.calendar.midnight(day + 1), rng)
        if block is None or not blocks:
            continue
        every = stage.ledger.within(asset.address, blocks[0], blocks[-1])
        moved = [one.amount for one in every if ZERO_ADDRESS not in (one.sender, one.recipient)]
        crossed = [one.amount for one in every if ZERO_ADDRESS in (one.sender, one.recipient)]
        total = Fraction(sum(moved), asset.unit)
        # Without a crossing on that day gross and net would be the same.
        if len(moved) < 2 or not is_sayable(total, _TOLERANCE, _DECIMALS):
            continue
        if not is_told_apart(total, total + Fraction(sum(crossed), asset.unit), _TOLERANCE):
            continue
        ticker = asset.project.ticker
        question = (
            f"Add up the {ticker} that moved from one account to another on {network} on the UTC day "
            f"{iso(midnight)}, leaving out what the bridge minted or burnt. How many {ticker} is that, to four "
            f"decimals (contract {asset.address})?"
        )
        chinese = (
            f"{iso(midnight)}（UTC）全天，{network} 上 {ticker}（合约 {asset.address}）在账户之间的转账合计多少枚？"
            "跨链桥的铸造和销毁不计在内，保留四位小数。"
        )
        statement = (
            "SELECT CAST(sum(value) AS VARCHAR) AS moved FROM erc20_transfers "
            f"WHERE erc20 = '{asset.address}' AND from_address <> '{ZERO_ADDRESS}' AND to_address <> '{ZERO_ADDRESS}'"
        )
        call = step("data_query", sql=statement, from_block=f"{iso(midnight)}T00:00:00Z", to_block=iso(midnight))
        yield Asked(
            question,
            stage,
            block,
            number(total, ticker, _TOLERANCE),
            gold(f"$1.rows.0.0 / {asset.unit}", call),
            asset.project.id,
            f"On {iso(midnight)} {{planted}} {ticker} moved between accounts on {network}.",
            chinese,
        )


def rollup_user(story: Story, rng: Rng) -> Iterator[Asked]:
    """Who got the most of a token over the bridge within some days, or sent the most back: sums by account."""
    turns = 300
    # Days, with the first one not counted.
    longest = 60
    # Deed, event, whose argument it is, and the words for it in both languages.
    both = tuple(way[0] for way in _WAYS)
    stage, network = story.scene.rollup, story.network(story.scene.rollup)
    minter, days = stage.contracts["bridge minter"].address, list(midnights(story, 1, 9))
    roles, told = sorted(story.scene.bridged), set[str]()
    for at in range(turns * _MOST):
        first, (verb, event, argument, words, chinese_words) = rng.one(days), _WAYS[at % len(_WAYS)]
        last = first + rng.number(6, min(longest, story.scene.scale.days - first - 2))
        role = roles[at // len(_WAYS) % len(roles)]
        asset, block = story.scene.bridged[role], story.height_after(stage, stage.calendar.midnight(last + 1), rng)
        sums = {one: _sums(stage, one, role, first, last) for one in both}
        ranked = sums[verb].most_common(2)
        if block is None or len(ranked) < 2 or len(sums[verb]) < 3 or ranked[0][1] * 100 < ranked[1][1] * 101:
            continue
        net = Counter(sums[verb])
        net.subtract(sums[both[1 - both.index(verb)]])
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
