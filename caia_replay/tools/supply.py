"""How much there is of an asset: by its contracts at a block, by the explorer, by the market API; never mixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.argument import chain_argument
from caia_replay.tools.asset import COINGECKO, Asset, is_address, is_coin_of, is_native, resolve_asset, token_argument
from caia_replay.tools.chain_call import read_contract, read_or_none, scaled
from caia_replay.tools.chain_height import height_argument, shown_block
from caia_replay.tools.figure import reading
from caia_replay.tools.interface import ETHERSCAN
from caia_replay.tools.tool_context import ToolContext

COIN_DECIMALS: Final = 18
_BY_CALL: Final = "totalSupply() run on the chain's state at this block"
_BY_EXPLORER: Final = "the explorer's count at this moment; fees that were burnt are not taken off"
_BY_MARKET: Final = "the market API at this moment"
_NOT_ADDED: Final = (
    "Supplies are told per network and not added up: what a bridge issued on one network is locked on another, and "
    "would count twice. The contracts, the explorer and the market API count for themselves and may differ."
)
_MARKET_FIGURES: Final = ("circulating_supply", "total_supply", "max_supply")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is asked about: contracts by chain, chains whose own coin it is, networks nobody recorded, and the asset
    as it is listed, if it is."""

    asset: Asset | None
    contracts: Mapping[str, str]
    coins: tuple[str, ...]
    elsewhere: Mapping[str, str]


def supply_query(
    world: ToolContext,
    asset: Annotated[
        str,
        Field(description="A ticker, name or id, a token's 0x contract address, or \"native\" for the chain's coin."),
    ],
    chain: Annotated[
        str | None,
        Field(description="The chain's name or id; null: every chain the asset is on, of an address the task's own."),
    ] = None,
    block: Annotated[
        int | str | None, Field(description="Block height on the one chain; null for the newest of this moment.")
    ] = None,
    time: Annotated[
        str | int | None, Field(description="Instead of block: a date or time, for each chain's last block by then.")
    ] = None,
) -> dict[str, Any]:
    """Read the supply of an asset: what its contract on each chain says at a block or date and, when neither is given,
    what the market API says now (circulating, total, maximum) and the explorer of a chain's own coin.

    raw is in the smallest unit, total_supply is raw / 10^decimals; both exact decimal texts. Of several
    chains, one whose contract was not there yet has total_supply null. The market's figures are floats; null is one it
    does not tell.
    Example: {"asset": "USDC", "chain": null, "block": null, "time": "2024-05-31"}
    """
    wanted = _wanted(world, asset, chain, block)
    is_now = block is None and time is None
    if not wanted.contracts and not is_now:
        what = f"{asset[:80]!r} has no contract on a recorded chain"
        raise ToolError(f"{what}, so its supply is told for now alone: leave block and time null")
    rows = [_by_contract(world, name, address, block, time) for name, address in wanted.contracts.items()]
    if rows and all(row["raw"] is None for row in rows):
        raise ToolError("; ".join(f"{row['contract']} on {row['chain']}: {row['why_null']}" for row in rows))
    shown: dict[str, Any] = {
        "asset": wanted.asset and {name: getattr(wanted.asset, name) for name in ("id", "symbol", "name")},
        "on_chain": rows,
    }
    shown["own_coin"] = [_by_explorer(world, name) if is_now else _untold(name) for name in wanted.coins]
    if is_now and wanted.asset is not None:
        shown["market"] = _by_market(world, wanted.asset)
    shown["unavailable_networks"] = [{"network": name, "contract": at} for name, at in wanted.elsewhere.items()]
    return shown | {"note": _NOT_ADDED}


def _wanted(world: ToolContext, text: str, chain: str | None, block: int | str | None) -> _Wanted:
    one = chain is not None or block is not None or is_address(text) or is_native(text)
    name = chain_argument(world, chain)
    if is_address(text) or is_native(text):
        contract = token_argument(world, name, text)
        return _Wanted(None, {name: contract} if contract else {}, () if contract else (name,), {})
    asset = resolve_asset(world, text)
    chains = [name] if one else list(world.chains)
    contracts = {found: asset.platforms[found] for found in chains if found in asset.platforms}
    coins = tuple(found for found in chains if is_coin_of(asset, found))
    if one and not contracts and not coins:
        token_argument(world, name, text)  # raises, and says where it is
    elsewhere = {} if one else {found: at for found, at in asset.platforms.items() if found not in world.chains}
    return _Wanted(asset, contracts, coins, elsewhere)


def _by_contract(
    world: ToolContext, chain: str, contract: str, block: int | str | None, time: str | int | None
) -> dict[str, Any]:
    height = height_argument(world, chain, block, time)
    shown = {"chain": chain, "chain_id": world.chain(chain).chain_id, "contract": contract}
    shown |= shown_block(world, chain, height)
    raw = decimals = why = None
    with world.fork(height, chain) as fork:
        try:
            raw = int(read_contract(fork, contract, "totalSupply()(uint256)"))
        except ToolError as refusal:
            why = str(refusal)
        else:
            value = read_or_none(fork, contract, "decimals()(uint8)")
            decimals = None if value is None else int(value)
    amount = None if raw is None or decimals is None else scaled(raw, decimals)
    shown |= {"raw": None if raw is None else str(raw), "decimals": decimals, "total_supply": amount}
    if amount is None:
        shown["why_null"] = why or "the contract tells no decimals: only raw is known"
    return shown | {"source": _BY_CALL}


def _by_explorer(world: ToolContext, chain: str) -> dict[str, Any]:
    chain_id = world.chain(chain).chain_id
    value = world.ask(ETHERSCAN, chainid=chain_id, module="stats", action="ethsupply")
    with reading(f"the supply of the coin of {chain}"):
        if value["status"] != "1" or not isinstance(value["result"], str):
            raise ValueError("a refusal")
        raw = int(value["result"])
    figures = {"raw": str(raw), "decimals": COIN_DECIMALS, "total_supply": scaled(raw, COIN_DECIMALS)}
    return {"chain": chain, "chain_id": chain_id, **figures, "source": _BY_EXPLORER}


def _untold(chain: str) -> dict[str, Any]:
    return {"chain": chain, "total_supply": None, "why_null": "a chain's own coin is counted for now alone"}


def _by_market(world: ToolContext, asset: Asset) -> dict[str, Any] | None:
    """The asset's row of the market list; None where the list has none."""
    rows = world.ask(f"{COINGECKO}/coins/markets", vs_currency="usd", ids=asset.id)
    with reading(f"the market of {asset.id}"):
        found = next((row for row in rows if row["id"] == asset.id), None)
        if found is None:
            return None
        figures = {name: found.get(name) for name in _MARKET_FIGURES}
        return {**figures, "as_of": found.get("last_updated"), "source": _BY_MARKET}
