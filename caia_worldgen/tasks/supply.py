"""Questions of how much there is of a coin or token, what was made and burnt of it, and what all of it is worth."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.event import done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.page_reading import stated
from caia_worldgen.tasks.shape import TRANSFER, Asked, Story, gold, number, step, view, yes_no
from caia_worldgen.tasks.shelf import Shelf
from caia_worldgen.tasks.wording import is_sayable, is_told_apart

_SQL: Final = "SELECT CAST(sum(CAST(base_fee_per_gas AS HUGEINT) * gas_used) AS VARCHAR) AS burnt FROM blocks"
_SUPPLY_CHANGE_MOST: Final = 4
_SUPPLY_CHANGE_TOLERANCE: Final = "0.01"
_SUPPLY_CHANGE_DECIMALS: Final = 4


def burnt_fees(story: Story, rng: Rng) -> Iterator[Asked]:
    """How much of a chain's coin was burnt as base fees on one UTC day: what all of its blocks used, times their
    fee."""
    tolerance, decimals, gwei = "0.01", 2, 10**9
    # Gwei. A chain that is new falls to the lowest fee there is within days; of what is burnt then nothing depends.
    least = 10
    stage, coin = story.scene.main, next(one for one in story.book.coins if one.role == "native")
    days = midnights(story, 1, 3)
    for day in rng.some(days, len(days)):
        midnight = stage.calendar.midnight(day)
        block = story.height_after(stage, midnight + 86_400, rng)
        if block is None:
            continue
        before, after = (story.book.supply(coin, midnight + seconds - 1).total for seconds in (0, 86_400))
        burnt = Fraction(before - after, gwei)
        if burnt < least or not is_sayable(burnt, tolerance, decimals):
            continue
        ticker, network = coin.symbol.upper(), story.network(stage)
        call = step(
            "data_query", sql=_SQL, from_block=f"{iso(midnight)}T00:00:00Z", to_block=f"{iso(midnight)}T23:59:59Z"
        )
        yield Asked(
            question=f"How many gwei (10^-9 {ticker}) were burnt as base fees on {network} during "
            f"{english(midnight)} (UTC)? Tips do not count; give two decimals.",
            chinese=f"{chinese(midnight)}（UTC）当天，{network} 因基础费销毁了多少 gwei（10^-9 {ticker}）？"
            "小费不计，保留两位小数。",
            stage=stage,
            block=block,
            answer=number(burnt, "gwei", tolerance),
            gold=gold(f"$1.rows.0.0 / {gwei}", call),
            project=coin.id,
            claim=f"On {stated(midnight)} the base fees of {network} burnt {{planted}} gwei of {ticker}.",
        )


def no_burn(story: Story, rng: Rng) -> Iterator[Asked]:
    """Whether any of a token was burnt within a range of blocks in which, whatever people say, none was."""
    most = 2
    # How often each token is tried.
    turns = 6
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    burns = {
        asset.role: [one.block for one in stage.ledger.within(asset.address, 1, end) if one.recipient == ZERO_ADDRESS]
        for asset in story.tokens()
    }
    # A token of which some was burnt at another time makes people say yes; where none was, any token will do.
    tempting = [asset for asset in story.tokens() if burns[asset.role]]
    assets = tempting if len(tempting) >= most else list(story.tokens())
    for asset in rng.some(assets, len(assets)) * turns:
        last = rng.number(end // 3, end)
        first = last - rng.number(last // 8, last // 4)
        known = next((block for block in burns[asset.role] if not first <= block <= last), 0)
        if any(first <= block <= last for block in burns[asset.role]) or (burns[asset.role] and not known):
            continue
        if not stage.ledger.within(asset.address, first, last):
            continue
        ticker, network = asset.project.ticker, story.network(stage)
        question = (
            f"People say that {asset.project.name} burnt some of its {ticker} ({asset.address}) on "
            f"{network} between blocks {first} and {last}, both included. Did it happen? Answer yes or no."
        )
        call = step("data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last,
                    where=(f"to={ZERO_ADDRESS}",))  # fmt: skip
        yield Asked(
            question,
            stage,
            story.height_from(stage, max(last, known), rng),
            yes_no(False),
            gold("yes_no($1.count > 0)", call),
            asset.project.id,
            f"Was any {ticker} ({asset.address}) burnt between blocks {first} and {last}? We looked: {{planted}}.",
        )


def official_supply(story: Story, rng: Rng) -> Iterator[Asked]:
    """All there is of a project's token, of the contract that its own documentation names: copies bear the same
    ticker."""
    tolerance, decimals, tries = "0.0001", 4, 24
    stage, shelf = story.scene.main, Shelf(story)
    copied = {deed.subject: deed.block for deed in done(stage.deeds, "copied")}
    for role in rng.some(sorted(copied), len(copied)) * tries:
        asset, last = story.scene.assets[role], story.heights[stage.name][-1]
        project, network = asset.project, story.network(stage)
        height = rng.number(copied[role] + 1, last)
        address = f"docs.{project.site}/contracts"
        listed = shelf.height(f"https://{address}", stage, rng)
        if listed is None:
            continue
        block = story.height_from(stage, max(height, listed), rng)
        # Documentation may still tell the supply of the token's first days.
        supply, later, opening = (
            Fraction(stage.ledger.supply(asset.address, at), asset.unit) for at in (height, block, copied[role])
        )
        if not is_sayable(supply, tolerance, decimals) or not all(
            is_told_apart(supply, other, tolerance) for other in (later, opening)
        ):
            continue
        question = (
            f"More than one contract on {network} calls itself {project.ticker}. Of the one that {project.name} lists "
            f"as its token at {address}, how many {project.ticker} existed at the end of block {height}? Give four "
            "decimals."
        )
        chinese = (
            f"{network} 上自称 {project.ticker} 的合约不止一个。以 {project.name} 官方文档（{address}）所列的代币合约"
            f"为准，截至第 {height} 个区块末，{project.ticker} 的总供应量是多少？请保留四位小数。"
        )
        calls = (
            step("url_fetching", url=f"https://{address}"),
            step("supply_query", asset="= match($1.text, '0x[0-9a-f]{40}')", block=height),
        )
        yield Asked(
            question,
            stage,
            block,
            number(supply, project.ticker, tolerance),
            gold("$2.on_chain.0.total_supply", *calls),
            project.id,
            f"Of the {project.ticker} that {project.name} lists, {{planted}} existed at the end of block {height}.",
            chinese,
        )


def supply_change(story: Story, rng: Rng) -> Iterator[Asked]:
    """By how much a dollar token's supply changed between two blocks: what was issued minus what was redeemed."""
    telling = list(_drawn(story, rng, telling=True))
    # A short story may have nothing but issues; there net and gross are the same.
    yield from telling or _drawn(story, rng, telling=False)


def _drawn(story: Story, rng: Rng, *, telling: bool) -> Iterator[Asked]:
    """Questions; where they are to be telling, who counts gross, or up to another block, is wrong."""
    stage, asset = story.scene.main, story.scene.assets["dollar"]
    end, ticker = story.heights[stage.name][-1], asset.project.ticker
    for _ in range(30 * _SUPPLY_CHANGE_MOST):
        last = rng.number(end // 3, end)
        first = rng.number(end // 6, last - 3)
        block = story.height_from(stage, last, rng)
        before, after, later = (
            Fraction(stage.ledger.supply(asset.address, at), asset.unit) for at in (first, last, block)
        )
        issued = sum(
            one.amount for one in stage.ledger.within(asset.address, first + 1, last) if one.sender == ZERO_ADDRESS
        )
        gross, change = Fraction(issued, asset.unit), after - before
        wrong = (gross, gross - change, later - before)
        if not is_sayable(change, _SUPPLY_CHANGE_TOLERANCE, _SUPPLY_CHANGE_DECIMALS):
            continue
        if telling and not all(is_told_apart(change, other, _SUPPLY_CHANGE_TOLERANCE) for other in wrong):
            continue
        question = (
            f"By how many {ticker} did the total supply of {ticker} ({asset.address}) on {story.network(stage)} change "
            f"from the end of block {first} to the end of block {last}, issued minus redeemed? Negative where "
            "it fell; to four decimals."
        )
        code = (
            "= join('', list('from decimal import Decimal as D; print(D(\"', $2.on_chain.0.total_supply, "
            "'\") - D(\"', $1.on_chain.0.total_supply, '\"))'))"
        )
        calls = (*(step("supply_query", asset=asset.address, block=block) for block in (first, last)),
                 step("code_execution", code=code))  # fmt: skip
        yield Asked(
            question,
            stage,
            block,
            number(change, ticker, _SUPPLY_CHANGE_TOLERANCE, direction="up"),
            gold("match($3.stdout, '-?[0-9.]+')", *calls),
            asset.project.id,
            f"From the end of block {first} to the end of block {last} the supply of {ticker} changed by {{planted}} "
            f"{ticker}.",
        )


def token_decimals(story: Story, rng: Rng) -> Iterator[Asked]:
    """What an amount in a token's smallest unit is in the token: nothing but the contract says where the point goes."""
    # The decimals that everybody expects.
    ether = 18
    main, rollup = story.stages
    copies = [(rollup, copy) for _, copy in sorted(story.scene.bridged.items())]
    every = [*((main, asset) for asset in story.tokens()), *copies]
    # Who takes every token to have as many decimals as most is right once at the most.
    odd = [(stage, asset) for stage, asset in every if asset.decimals != ether]
    usual = [(stage, asset) for stage, asset in every if asset.decimals == ether]
    for stage, asset in (*rng.some(odd, len(odd)), rng.one(usual)):
        block, ticker = story.height_from(stage, stage.calendar.last_block // 4, rng), asset.project.ticker
        # Six digits behind the point at the most, however many the token has.
        amount = rng.odd(10**9, 10**12, digits=8) * asset.unit // 10**6
        question = (
            f"A wallet asks me to sign a transfer of {amount} of the smallest units of {ticker} ({asset.address}) on "
            f"{story.network(stage)}. How much is that in {ticker}, with all its decimals?"
        )
        code = (
            f"= join('', list('from decimal import Decimal; print(f\"{{Decimal({amount}).scaleb(-', $1.values.0, "
            "'):f}\")'))"
        )
        yield Asked(
            question,
            stage,
            block,
            number(Fraction(amount, asset.unit), ticker),
            gold(
                "match($2.stdout, '[0-9.]+')",
                view(asset.address, "decimals()(uint8)", block),
                step("code_execution", code=code),
            ),
            asset.project.id,
            f"Of {ticker} ({asset.address}), {amount} of the smallest units are {{planted}} {ticker}.",
        )


def token_supply(story: Story, rng: Rng) -> Iterator[Asked]:
    """All there is of a token at the end of a block: what was burnt since its mint is gone, what is locked is not."""
    tolerance, decimals, most, tries = "0.0001", 4, 6, 12
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    burnt = [asset for asset in story.tokens()
             if any(one.recipient == ZERO_ADDRESS for one in stage.ledger.within(asset.address, 0, end))]  # fmt: skip
    told: set[Fraction] = set()
    for at in range(tries * len(burnt) * most):
        asset, height = burnt[at % len(burnt)], rng.number(end // 6, end)
        block = story.height_from(stage, height, rng)
        supply, later = (Fraction(stage.ledger.supply(asset.address, one), asset.unit) for one in (height, block))
        made = sum(one.amount for one in stage.ledger.within(asset.address, 0, height) if one.sender == ZERO_ADDRESS)
        if supply in told or not is_sayable(supply, tolerance, decimals):
            continue
        if not all(is_told_apart(supply, other, tolerance) for other in (later, Fraction(made, asset.unit))):
            continue
        told.add(supply)
        ticker, network = asset.project.ticker, story.network(stage)
        # Two blocks alone make no two questions, so each token is asked about once in either wording.
        wording = at // len(burnt) % 2
        question = (
            f"What was the total supply of {ticker} ({asset.address}) on {network} at the end of "
            f"block {height}, net of everything burnt by then? Give {ticker} to four decimals.",
            f"Some {ticker} ({asset.address}) had been burnt on {network} before block {height} ended. How many were "
            f"left in all at that point? State the amount in {ticker}, to four decimals.",
        )[wording]
        chinese = (
            f"在区块 {height} 结束时，{network} 上 {ticker}（合约 {asset.address}）扣除已销毁部分后的总供应量是多少？"
            f"请以 {ticker} 为单位作答，保留四位小数。",
            f"{network} 上的代币 {ticker}（合约 {asset.address}）曾有一部分被销毁，截至区块 {height} 结束时"
            f"一共还剩多少？答案以 {ticker} 计，精确到小数点后四位。",
        )[wording]
        yield Asked(
            question,
            stage,
            block,
            number(supply, ticker, tolerance),
            gold("$1.on_chain.0.total_supply", step("supply_query", asset=asset.address, block=height)),
            asset.project.id,
            f"At the end of block {height} the total supply of {ticker} stood at {{planted}} {ticker}.",
            chinese,
        )
