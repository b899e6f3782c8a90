"""Questions of markets outside the chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.price import FUNDING_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, iso_time, midnights
from caia_worldgen.tasks.page_reading import stated
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step

_LEAST_E8, _USUAL_E8 = 10_000, 10_000
"""The least sum to ask for, and what a venue charges when nothing moves: a hundredth of a per cent."""
_VOLUME_SHARE_DAYS: Final = 14
_VOLUME_SHARE_PER_CENT: Final = "0.05"
_VOLUME_SHARE_APART: Final = 2 * Fraction(_VOLUME_SHARE_PER_CENT) / 100
"""How far, of the share, that of a window a day earlier, later, longer or shorter is from it."""
_NEAR: Final = ((-1, -1), (1, 1), (0, -1), (1, 0))
"""By how many days the ends of other windows are moved."""


def diluted_value(story: Story, rng: Rng) -> Iterator[Asked]:
    """What all there is of a token was worth as a day began: a contract's supply times a market's price, worked out."""
    per_cent = "0.5"
    # How far, of the answer, that of another midnight is from it, and the market capitalisation.
    apart = 2 * Fraction(per_cent) / 100
    stage = story.scene.main
    assets = [asset for asset in story.tokens() if asset.role != "dollar"]
    days, prices = midnights(story, 3, 2), story.book.prices
    for at, day in enumerate(rng.some(days, len(days))):
        asset, midnight = assets[at % len(assets)], stage.calendar.midnight(day)
        coin, block = story.book.coin(asset.project.id), story.height_after(stage, midnight, rng)
        if coin is None or block is None or coin.listed_at > midnight - DAY_S:
            continue
        moments = (midnight - DAY_S, midnight, midnight + DAY_S)
        before, price, after = (prices.price_e8(coin, moment) or 0 for moment in moments)
        supply, ticker = stage.ledger.supply(asset.address, stage.calendar.at(midnight)), asset.project.ticker
        locked = 1 - Fraction(story.book.supply(coin, midnight).circulating, supply)
        if not price or locked <= apart or any(abs(one - price) <= apart * price for one in (before, after)):
            continue
        calls = (
            step("supply_query", asset=asset.address, time=iso(midnight)),
            step("price_feed", asset=f"id:{asset.project.id}", at=iso(midnight)),
            step("code_execution", code="= join('', list('from decimal import Decimal; print(Decimal(\"', "
                 "$1.on_chain.0.total_supply, '\") * Decimal(\"', $2.price, '\"))'))"),
        )  # fmt: skip
        yield Asked(
            question=f"What was the fully diluted value of {asset.project.name} ({ticker}) in US dollars at 00:00 UTC "
            f"on {english(midnight)}: the total supply on {story.network(stage)} times CoinGecko's price then?",
            stage=stage,
            block=block,
            answer=number(Fraction(supply * price, asset.unit * 10**8), "USD", per_cent),
            gold=gold("round(match($3.stdout, '[0-9.]+'), 2)", *calls),
            project=asset.project.id,
            claim=f"At 00:00 UTC on {stated(midnight)} the fully diluted value of {ticker} was ${{planted}}.",
        )


def funding_paid(story: Story, rng: Rng) -> Iterator[Asked]:
    """What a long position paid in funding over some days: every payment inside the window, with its sign."""
    per_cent, span = "0.5", 7
    apart = 2 * Fraction(per_cent) / 100
    stage, coins = (
        story.scene.main,
        [coin for coin in story.book.coins if coin.traded and not coin.role.startswith("outsider")],
    )
    days = midnights(story, 2, span + 3)
    for day in rng.some(days, len(days)):
        first, coin = stage.calendar.midnight(day) + 4 * 3_600, rng.one(coins)
        end = first + span * 86_400
        block = story.height_after(stage, end, rng)
        if block is None or coin.listed_at > first:
            continue
        paid = range(-(-first // FUNDING_S) * FUNDING_S, end + 1, FUNDING_S)
        rates = [story.book.derivatives.funding_e8(coin, moment) for moment in paid]
        rate = sum(rates)
        # One payment more or less, as by whole UTC days, is to be another answer; so is the same one every time.
        others = [rate - rates[0], rate - rates[-1], len(rates) * _USUAL_E8]
        if abs(rate) < _LEAST_E8 or any(abs(other - rate) <= apart * abs(rate) for other in others):
            continue
        ticker = coin.symbol.upper()
        call = step(
            "positioning_analysis", asset=f"id:{coin.id}", metric="funding", start=iso_time(first), end=iso_time(end)
        )
        yield Asked(
            question=f"Somebody was long the {ticker} ({coin.name}) perpetual on Binance from {english(first)}, 04:00 "
            f"UTC, to {english(end)}, 04:00 UTC. What was the sum of the funding rates of that time, in per cent of "
            "the position? Above zero means that longs paid; give five decimals.",
            stage=stage,
            block=block,
            answer=number(Fraction(rate, 10**6), "%", per_cent, direction="up"),
            gold=gold("$1.summary.sum * 100", call),
            project=coin.id,
            claim=f"From {stated(first)} to {english(end)} the funding rates of the {ticker} perpetual added up to "
            "{planted}%.",
        )


def highest_close(story: Story, rng: Rng) -> Iterator[Asked]:
    """The highest daily close of a coin on the spot venue over a week: closes, not highs."""
    per_cent, span = "0.1", 7
    apart = 2 * Fraction(per_cent) / 100
    stage, coins = story.scene.main, [coin for coin in story.book.coins if coin.traded]
    days, told = midnights(story, 2, span + 2), set[int]()
    for day in rng.some(days, len(days)):
        first, end, coin = stage.calendar.midnight(day), stage.calendar.midnight(day + span), rng.one(coins)
        block = story.height_after(stage, end, rng)
        if block is None or coin.listed_at > first:
            continue
        candles = [story.book.day(coin, first + turn * DAY_S) for turn in range(span + 2)]
        closes = [candle.close_e8 for candle in candles]
        highest = max(closes[1:-1])
        # Highs instead of closes, and a day more at either end, are to be other answers.
        others = [max(candle.high_e8 for candle in candles[1:-1]), closes[0], closes[-1]]
        if others[0] - highest <= apart * highest or max(others[1:]) > highest or highest in told:
            continue
        told.add(highest)
        ticker = coin.symbol.upper()
        call = step(
            "price_feed", asset=f"id:{coin.id}", source="binance", interval="1d", start=iso(first), end=iso(end)
        )
        yield Asked(
            question=f"What was the highest daily closing price of {ticker} ({coin.name}) on Binance spot from "
            f"{english(first)} to {english(end - 1)} (UTC days, both included)? Closing prices, not intraday highs, to "
            "five significant digits.",
            chinese=f"{chinese(first)}至{chinese(end - 1)}（UTC，含首尾两天），{ticker}（{coin.name}）在币安现货的"
            "日收盘价最高是多少？要收盘价，不是盘中最高价，保留五位有效数字。",
            stage=stage,
            block=block,
            answer=number(Fraction(highest, 10**8), "USDT", per_cent),
            gold=gold("max($1.rows[*].close)", call),
            project=coin.id,
            claim=f"In the week from {stated(first)} the highest daily close of {ticker} was ${{planted}}.",
        )


def market_cap_rank(story: Story, rng: Rng) -> Iterator[Asked]:
    """Which place a coin had by market cap at the moment of asking."""
    most = 4
    stage = story.scene.main
    for _ in range(3 * most):
        block = story.height_from(stage, stage.calendar.last_block // 5, rng)
        ranking = story.book.ranking(stage.calendar.times[block])
        place = rng.number(5, min(30, len(ranking)))
        coin = ranking[place - 1]
        ticker = coin.symbol.upper()
        yield Asked(
            question=f"By market cap, which rank does {coin.name} ({ticker}) hold right now among all listed coins?",
            chinese=f"按市值计算，{coin.name}（{ticker}）目前在所有上市币种中排名第几？",
            stage=stage,
            block=block,
            answer=number(place, "rank"),
            gold=gold("$1.coins.0.position", step("ranking_query", symbols=(f"id:{coin.id}",))),
            project=coin.id,
            claim=f"{coin.name} ({ticker}) now holds market cap rank {{planted}}.",
        )


def volume_share(story: Story, rng: Rng) -> Iterator[Asked]:
    """Which part of two weeks' trading on decentralised exchanges one of them had."""
    stage, flow = story.scene.main, story.metrics.flow
    exchanges = [one for one in story.metrics.protocols if flow.has(one, "volume")]
    # Windows that share no day, since the shares of those that do are nearly the same.
    days = midnights(story, 2, _VOLUME_SHARE_DAYS + 2)[::_VOLUME_SHARE_DAYS]
    traded, told = {one.slug: flow.daily_e8(one, "volume") for one in exchanges}, list[Fraction]()
    for at, day in enumerate(rng.some(days, len(days))):
        first, end = stage.calendar.midnight(day), stage.calendar.midnight(day + _VOLUME_SHARE_DAYS)
        block = story.height_after(stage, end, rng)
        turn = at % len(exchanges)
        shares = {one: _clear_share(traded, one.slug, day, told) for one in (*exchanges[turn:], *exchanges[:turn])}
        one, share = next(((one, share) for one, share in shares.items() if share), (exchanges[0], None))
        if share is None or block is None:
            continue
        told.append(share)
        question = (
            f"By DefiLlama, of everything that decentralised exchanges on all chains traded from {iso(first)} to "
            f"{iso(end - 1)} (UTC days, both included), what share in per cent was {one.name}'s? Give three decimals."
        )
        yield Asked(
            question,
            stage,
            block,
            number(round(share, 6), "%", _VOLUME_SHARE_PER_CENT),
            gold(
                f"first(where($1.window_ranking, 'name', '{one.name}')).share_percent",
                step("exchange_overview", start=iso(first), end=iso(end - 1), limit=50),
            ),
            one.slug,
            f"From {iso(first)} to {iso(end - 1)} {one.name} had {{planted}} % of all trading on such exchanges.",
        )


def _clear_share(traded: Mapping[str, Sequence[int]], slug: str, day: int, told: Sequence[Fraction]) -> Fraction | None:
    """One exchange's share, unless another window's, a round number or one told before is nearly the same."""
    share = _share(traded, slug, day, day + _VOLUME_SHARE_DAYS)
    near = [_share(traded, slug, day + since, day + _VOLUME_SHARE_DAYS + until) for since, until in _NEAR]
    near += [*told, Fraction(round(share))]
    return None if any(abs(other - share) <= _VOLUME_SHARE_APART * share for other in near) else share


def _share(traded: Mapping[str, Sequence[int]], slug: str, first: int, end: int) -> Fraction:
    """One exchange's per cent of what all traded from a day until before another."""
    whole = sum(sum(days[first:end]) for days in traded.values())
    return Fraction(sum(traded[slug][first:end]) * 100, whole or 1)


def volume_turnover(story: Story, rng: Rng) -> Iterator[Asked]:
    """A day's volume of a decentralised exchange over what was locked in it as that day ended."""
    per_cent, least_percent = "0.5", Fraction(1, 20)
    # How far, of the answer, that of another day is from it, and that by what was locked as the day began.
    apart = 2 * Fraction(per_cent) / 100
    # Numbers that are guessed too easily.
    guessed = (*range(13), 18, 95)
    stage, flow, days = story.scene.main, story.metrics.flow, midnights(story, 2, 3)
    exchanges = [one for one in story.metrics.protocols if flow.has(one, "volume")]
    for at, day in enumerate(rng.some(days, len(days))):
        one, midnight = exchanges[at % len(exchanges)], stage.calendar.midnight(day)
        end = midnight + 86_400
        held, block = story.metrics.tvl.value_e8(one, end), story.height_after(stage, end, rng)
        if not held or block is None:
            continue
        share = Fraction(flow.daily_e8(one, "volume")[day] * 100, held)
        others = [Fraction(flow.daily_e8(one, "volume")[near] * 100, held) for near in (day - 1, day + 1)]
        others.append(Fraction(flow.daily_e8(one, "volume")[day] * 100, story.metrics.tvl.value_e8(one, midnight) or 1))
        others += [Fraction(one) for one in guessed]
        if share < least_percent or any(abs(other - share) <= apart * share for other in others):
            continue
        question = rng.one((
            f"How large was the trading volume of {one.name} on {english(midnight)} (UTC) as a percentage of the value "
            "locked in it (TVL) at the end of that day? Use DefiLlama's figures for both and"
            " give four decimals.",
            f"By DefiLlama, what {one.name} traded on {english(midnight)} (UTC) is how many per cent of the TVL it was "
            "left with when that day was over? Give four decimals.",
        ))  # fmt: skip
        in_chinese = (
            f"{chinese(midnight)}（UTC）当天，{one.name} 的交易量相当于当日结束时其锁仓总价值（TVL）的百分之几？"
            "两项均以 DefiLlama 的数据为准，保留四位小数。"
        )
        calls = (
            step("exchange_summary", exchange=one.slug, start=iso(midnight), end=iso(midnight)),
            step("protocol_metrics", protocol=one.slug, at=iso(end)),
            step("code_execution", code="= join('', list('from decimal import Decimal\nprint(round(Decimal(\"', "
                 "$1.window.sums.volume_usd, '\") / Decimal(\"', $2.last_up_to_it.tvl_usd, '\") * 100, 8))'))"),
        )  # fmt: skip
        claim = f"The volume of {one.name} on {stated(midnight)} came to {{planted}}% of what was locked in it."
        yield Asked(
            question,
            stage,
            block,
            number(round(share, 4), "%", per_cent),
            gold("round(match($3.stdout, '[0-9.]+'), 4)", *calls),
            one.slug,
            claim,
            in_chinese,
        )
