from typing import Any

import pytest
from eth_utils.crypto import keccak

from caia_replay.origin.act.lend import COLLATERALS
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.market.protocol import Protocol, stage_of
from caia_replay.origin.market.tvl import Tvl
from caia_replay.origin.scene import Scene

DAYS = (1, 20, 57, 90, 125)
_BALANCE_OF = "0x" + keccak(text="balanceOf(address)").hex()[:8]


@pytest.fixture(scope="module")
def metrics(scene: Scene, book: MarketBook) -> Metrics:
    """Every figure of the small economy."""
    return Metrics(scene, book)


def balance(scene: Scene, chain: str, token: str, holder: str, block: int) -> int:
    """What the chain itself says that ``holder`` owned."""
    question = {"to": token, "data": _BALANCE_OF + holder[2:].rjust(64, "0")}
    return int(stage_of(scene, chain).ask("eth_call", question, hex(block)), 16)


def summed(scene: Scene, book: MarketBook, one: Protocol, moment: int) -> dict[str, int]:
    """Coin id -> what the protocol's contracts own of it, asked of the chain token by token."""
    found: dict[str, int] = {}
    for chain in one.chains if one.kind != "bridge" else ("main",):
        stage, network = stage_of(scene, chain), scene.networks[chain].id
        block = stage.calendar.at(moment)
        tokens = [(coin.id, address) for coin in book.coins for on, address in coin.platforms if on == network]
        for holder in one.addresses(scene, chain):
            for coin, token in tokens:
                if stage.ask("eth_getCode", token, hex(block)) != "0x":
                    found[coin] = found.get(coin, 0) + balance(scene, chain, token, holder, block)
            if one.kind in ("bridge", "launch"):
                native = scene.networks["main"].id
                found[native] = found.get(native, 0) + int(stage.ask("eth_getBalance", holder, hex(block)), 16)
    return {coin: amount for coin, amount in found.items() if amount}


@pytest.mark.parametrize("day", DAYS)
def test_what_is_held_is_what_the_chain_says(scene: Scene, book: MarketBook, metrics: Metrics, day: int) -> None:
    """Of every protocol the tokens of its contracts by balanceOf, native coin by eth_getBalance, are what it holds."""
    moment = scene.main.calendar.midnight(day)
    for one in metrics.protocols:
        held = {
            coin: amount for (_, part, coin), amount in metrics.tvl.holdings(one, moment).items() if part != "borrowed"
        }
        told = summed(scene, book, one, moment)
        if one.kind == "stake":  # rewards of another token are not staked
            told = {coin: amount for coin, amount in told.items() if coin == one.slug}
        assert held == told, (one.slug, day)


@pytest.mark.parametrize("role", COLLATERALS)
def test_debt_is_what_the_market_itself_says(scene: Scene, metrics: Metrics, role: str) -> None:
    """At a block's own time the debt is the contract's totalDebt()."""
    market = scene.main.contracts[f"{role} lending market"]
    question: dict[str, Any] = {"to": market.address, "data": "0x" + market.artifact.call("totalDebt", ()).hex()}
    for day in DAYS:
        block = scene.main.calendar.blocks_of(day)[-1]
        told = int(scene.main.ask("eth_call", question, hex(block)), 16)
        assert metrics.tvl.debt(role, scene.main.calendar.times[block]) == told


def test_worth_is_amount_times_price(scene: Scene, book: MarketBook, metrics: Metrics) -> None:
    """A part's worth is the sum over its coins; chains and parts are kept apart; nothing is held before the story."""
    moment = scene.main.calendar.midnight(60)
    for one in metrics.protocols:
        held = metrics.tvl.holdings(one, moment)
        for part in ("tvl", "staking", "borrowed"):
            worth = 0
            for (_, kind, coin), amount in held.items():
                made = book.coin(coin)
                assert made is not None
                worth += amount * (book.prices.price_e8(made, moment) or 0) // made.unit * (kind == part)
            assert metrics.tvl.value_e8(one, moment, part) == worth
        assert metrics.tvl.holdings(one, book.prices.first - 1) == {}
    lend = next(one for one in metrics.protocols if one.kind == "lend")
    assert (
        metrics.tvl.value_e8(lend, moment, "borrowed") > 0 and metrics.tvl.value_e8(lend, moment, "tvl", "rollup") == 0
    )


def test_a_debt_forgotten_is_seen(scene: Scene, book: MarketBook, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison with the chain fails when interest since the last touch is left out."""
    monkeypatch.setattr("caia_replay.origin.market.tvl.next_index", lambda index, *_: index)
    broken = Tvl(scene, book)
    with pytest.raises(AssertionError):
        for role in COLLATERALS:
            market = scene.main.contracts[f"{role} lending market"]
            data = "0x" + market.artifact.call("totalDebt", ()).hex()
            block = scene.main.calendar.last_block
            told = int(scene.main.ask("eth_call", {"to": market.address, "data": data}, hex(block)), 16)
            assert broken.debt(role, scene.main.calendar.times[block]) == told
