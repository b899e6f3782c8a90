"""The markets of the small economy: supplies and worths are what the chain's own contracts say."""

from __future__ import annotations

from typing import Any

import pytest
from eth_utils.crypto import keccak

from caia_worldgen.act.lend import COLLATERALS
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.protocol import Protocol, stage_of
from caia_worldgen.scene import Scene

pytestmark = pytest.mark.check
_TOTAL = "0x" + keccak(text="totalSupply()").hex()[:8]
_BALANCE = "0x" + keccak(text="balanceOf(address)").hex()[:8]


def test_supplies_are_what_the_contracts_say(scene: Scene, book: MarketBook) -> None:
    """Total and circulating supply of every token, at three heights, by eth_call."""
    checked = 0
    for coin in (found for found in book.coins if found.platforms and found.role != "native"):
        for share in (40, 70, 99):
            block = scene.main.calendar.last_block * share // 100
            moment = scene.main.calendar.times[block]
            if coin.listed_at > moment:
                continue
            ask = _asker(scene, coin.platforms[0][1], block)
            supply = book.supply(coin, moment)
            held = sum(ask(_BALANCE + holder[2:].rjust(64, "0")) for holder in book._locked)
            assert (supply.total, supply.circulating) == (ask(_TOTAL), ask(_TOTAL) - held), coin.id
            checked += 1
    assert checked >= 40


def _asker(scene: Scene, token: str, block: int):  # type: ignore[no-untyped-def]
    return lambda data: int(scene.main.ask("eth_call", {"to": token, "data": data}, hex(block)), 16)


@pytest.fixture(scope="module")
def metrics(scene: Scene, book: MarketBook) -> Metrics:
    """Every figure of the small economy."""
    return Metrics(scene, book)


DAYS = (1, 20, 57, 90, 125)
_BALANCE_OF = "0x" + keccak(text="balanceOf(address)").hex()[:8]


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
