"""What wallets hold when a task is asked: assets with their worth by the chain's own pools, and amounts as people say
them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import floor, log10
from typing import Final

from caia_replay.core.execution import Asset
from caia_replay.core.expression import render
from caia_replay.core.gold import GoldChain, GoldStep
from caia_worldgen.contracts.exchange import v2_out
from caia_worldgen.event import done
from caia_worldgen.execution.story import Story, gold, view
from caia_worldgen.people import Person
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset as Token
from caia_worldgen.stage import Stage

RESERVES: Final = "getReserves()(uint112,uint112,uint32)"
COIN_DECIMALS: Final = 18
_DIGITS: Final = 12
"""How many of a price's leading digits count."""


def reserves(story: Story, role: str, other: str, block: int) -> tuple[int, int]:
    """What the pair of two tokens holds of the first and of the second, in smallest units."""
    stage, markets = story.scene.main, story.scene.markets
    pair = (markets[role, other] if (role, other) in markets else markets[other, role]).pair.address
    first, second = (stage.ledger.balance(story.scene.assets[one].address, pair, block) for one in (role, other))
    return first, second


def worth(story: Story, role: str, block: int) -> Fraction:
    """Dollars for one whole token by the pools' reserves; a dollar token is one."""
    return Fraction(_priced(story, role, block)[0])


def dollar(story: Story) -> Asset:
    """The dollar token, which is taken for a dollar."""
    token = story.scene.assets["dollar"]
    return Asset(token.project.ticker, story.chain(story.scene.main), token.address, token.decimals, "1")


def token(story: Story, role: str, block: int) -> Asset:
    """A token of the main chain, worth what its pool says at the end of ``block``."""
    if role == "dollar":
        return dollar(story)
    held = story.scene.assets[role]
    usd, price = _priced(story, role, block)
    chain = story.chain(story.scene.main)
    return Asset(held.project.ticker, chain, held.address, held.decimals, usd, price)


def coin(story: Story, block: int) -> Asset:
    """The main chain's own coin, in which fees are paid; worth what its wrapped form is."""
    usd, price = _priced(story, "native", block)
    ticker = story.scene.assets["native"].project.ticker
    return Asset(ticker, story.chain(story.scene.main), "", COIN_DECIMALS, usd, price)


def worthless(stage: Stage, story: Story, symbol: str, address: str) -> Asset:
    """A token that nobody pays for."""
    return Asset(symbol, story.chain(stage), address, COIN_DECIMALS)


def quoted(story: Story, role: str, other: str, spent: int, block: int) -> int:
    """What ``spent`` of the token ``other`` buys of ``role`` in their pool, in smallest units."""
    bought, paid = reserves(story, role, other, block)
    return v2_out(spent, paid, bought)


def owners(story: Story, held: Token, block: int, least: int) -> list[Person]:
    """The people with at least so much of a token of the main chain at the end of ``block``, in the story's order; none
    who once let a thief take it, and may lose it whatever is done."""
    stage = story.scene.main
    signed = {one.actor for one in done(stage.deeds, "approved the drainer")}
    able = [one for one in story.scene.people.crowd if one.address not in signed]
    return [one for one in able if stage.ledger.balance(held.address, one.address, block) >= least]


def odd_amount(rng: Rng, low: int, high: int, decimals: int = 2) -> Fraction:
    """An amount that somebody wants moved: not a round one, with so many decimals at the most."""
    step = 10**decimals
    drawn = rng.number(low * step, high * step)
    return Fraction(drawn + (1 if drawn % step == 0 and decimals else 0), step)


def said(amount: Fraction) -> str:
    """1,234.5"""
    whole, _, rest = render(amount).partition(".")
    return f"{int(whole):,}" + (f".{rest}" if rest else "")


def raw(amount: Fraction, decimals: int) -> int:
    """An amount in smallest units. Raises ``ValueError`` for one that has none."""
    found = amount * 10**decimals
    if found.denominator != 1:
        raise ValueError(f"{amount} has more than {decimals} decimals")
    return int(found)


def rounded_down(amount: Fraction, digits: int = 5) -> Fraction:
    """An amount cut to so many leading digits, as a limit is said."""
    places = digits - 1 - _power(amount)
    unit = Fraction(10) ** -places
    return amount // unit * unit


def _priced(story: Story, role: str, block: int) -> tuple[str, GoldChain | None]:
    """Dollars for one whole token, and the calls that say so."""
    if role == "dollar":
        return "1", None
    other = "dollar" if (role, "dollar") in story.scene.markets else "native"
    exact, expression = _ratio(story, role, other, block, 1)
    pairs = [(role, other)]
    if other == "native":
        further, then = _ratio(story, "native", "dollar", block, 2)
        exact, expression = exact * further, f"{expression} * {then}"
        pairs.append(("native", "dollar"))
    places = _DIGITS - 1 - _power(exact)
    calls = (view(story.scene.markets[pair].pair.address, RESERVES, block) for pair in pairs)
    return render(Fraction(round(exact, places))), gold(f"round({expression}, {places})", *calls)


def _ratio(story: Story, role: str, other: str, block: int, step: int) -> tuple[Fraction, str]:
    """One whole token in whole units of another by their pair, as a number and as an expression over a step."""
    scene, market = story.scene, story.scene.markets[role, other]
    held, against = reserves(story, role, other, block)
    side, scale = market.side(scene.assets[role]), scene.assets[role].unit // scene.assets[other].unit
    return Fraction(against * scale, held), f"$%d.values.{1 - side} * {scale} / $%d.values.{side}" % (step, step)


def _power(amount: Fraction) -> int:
    """The power of ten of the leading digit."""
    power = floor(log10(amount))
    while Fraction(10) ** (power + 1) <= amount:
        power += 1
    while Fraction(10) ** power > amount:
        power -= 1
    return power


def bridged(story: Story, role: str, block: int) -> Asset:
    """A token of the roll-up, worth what the main chain's, which it stands for, is worth at the main chain's
    ``block``."""
    original, held = token(story, role, block), story.scene.bridged[role]
    main, price = story.chain(story.scene.main), original.price
    if price is not None:
        steps = (GoldStep(one.tool, {**one.arguments, "chain": main}) for one in price.steps)
        price = GoldChain(tuple(steps), price.result)
    return replace(
        original, symbol=held.project.ticker, chain=story.chain(story.scene.rollup), address=held.address, price=price
    )
