"""What is counted of a wallet: what its order is about, and all else that it holds and that has a price."""

from __future__ import annotations

from typing import Final

from caia_replay.core.execution import Asset, CallCheck
from caia_worldgen.act.lend import COLLATERALS
from caia_worldgen.act.stake import POOLS
from caia_worldgen.execution.holding import COIN_DECIMALS, bridged, coin, reserves, token, worth
from caia_worldgen.execution.story import Story
from caia_worldgen.view import ViewCall

_LEAST_USD: Final = 1
"""What a wallet holds less of than this is not worth a line."""
_FEES_WEI: Final = 10**12
"""More than any fees of 40 transactions, and less than a thousandth of a cent."""


def belongings(story: Story, wallet: str, block: int, *dealt: Asset) -> tuple[Asset, ...]:
    """On the main chain at the end of ``block``: ``dealt``, what the order is about, first; then coins, wrapped ones,
    and every token with a pool of which the wallet holds a dollar's worth."""
    scene, ledger = story.scene, story.scene.main.ledger
    found = {(one.chain, one.address): one for one in (*dealt, coin(story, block), _wrapped(story, block))}
    for role, asset in scene.assets.items():
        held = ledger.balance(asset.address, wallet, block)
        if not held or role == "native" or not _has_price(story, role, block):
            continue
        if worth(story, role, block) * held >= _LEAST_USD * asset.unit:
            one = token(story, role, block)
            found.setdefault((one.chain, one.address), one)
    return tuple(found.values())


def belongings_beyond(story: Story, wallet: str, block: int, *dealt: Asset) -> tuple[Asset, ...]:
    """The same on the roll-up at the end of its ``block``, whose gas coin has no price."""
    scene, stage = story.scene, story.scene.rollup
    chain, before = story.chain(stage), scene.main.calendar.at(stage.calendar.times[block])
    found = {(one.chain, one.address): one for one in (*dealt, Asset("fees", chain, "", COIN_DECIMALS))}
    for role, asset in scene.bridged.items():
        held = stage.ledger.balance(asset.address, wallet, block)
        if worth(story, role, before) * held >= _LEAST_USD * asset.unit:
            found.setdefault((chain, asset.address), bridged(story, role, before))
    return tuple(found.values())


def kept(story: Story, wallet: str, block: int) -> tuple[CallCheck, ...]:
    """What a wallet lent, pledged and staked before may not become less, nor its debts more: what is taken out of there
    and given away is missing in no balance."""
    stage = story.scene.main
    markets, pools = (f"{one} lending market" for one in COLLATERALS), (f"{one.staked} staking pool" for one in POOLS)
    functions = [(market, function) for market in markets for function in ("sharesOf", "collateralOf")]
    functions += [(pool, "stakedOf") for pool in pools]
    chain, found = story.chain(stage), []
    for name, function in functions:
        contract = stage.contracts[name].address
        if _told(story, name, function, wallet, block):
            found.append(CallCheck(chain, contract, f"{function}(address)(uint256)", (wallet,), least="0", change=True))
            if function == "collateralOf":
                owed = "scaledDebtOf(address)(uint256)"
                found.append(CallCheck(chain, contract, owed, (wallet,), most="0", change=True))
    return tuple(found)


def spent_coins(wei: int) -> tuple[str, str]:
    """The ends of what a wallet's coins may change by where it spends so many: that, and fees."""
    return str(-wei - _FEES_WEI), str(-wei)


def _wrapped(story: Story, block: int) -> Asset:
    """The main chain's coin as a token; its symbol is its own, since balances go by symbols."""
    found = token(story, "native", block)
    return Asset(f"W{found.symbol}", found.chain, found.address, found.decimals, found.usd, found.price)


def _told(story: Story, name: str, function: str, wallet: str, block: int) -> int:
    """What a contract knows of the wallet; nought where it never did."""
    try:
        (answer,) = story.scene.main.views.answer(ViewCall(name, function, (wallet,)), block)
    except KeyError:
        return 0
    return int(answer)


def _has_price(story: Story, role: str, block: int) -> bool:
    """Whether a token is a dollar's, or has a pool that is not empty."""
    if role == "dollar":
        return True
    other = next((one for one in ("dollar", "native") if (role, one) in story.scene.markets), None)
    return other is not None and all(reserves(story, role, other, block))
