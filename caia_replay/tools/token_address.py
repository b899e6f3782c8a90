"""Which contract of a chain an argument means: an address, or a listed asset by its contract there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from caia_replay.errors import ToolError
from caia_replay.tools.argument import address_argument
from caia_replay.tools.asset import Asset, resolve_asset

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

_NATIVE: Final = ("native", "native coin", "coin")


def is_address(text: str) -> bool:
    """Whether a text is meant as an address, well written or not."""
    return "".join(text.split()).strip("'\"`").lower().startswith("0x")


def is_native(text: str) -> bool:
    """Whether a text names the coin of the chain itself, whatever it is called."""
    return text.strip(" \t\r\n'\"`").lower() in _NATIVE


def is_coin_of(asset: Asset, chain: str) -> bool:
    """Whether an asset is the chain's own coin: the list gives both one name, and the coin has no contract there."""
    return asset.id == chain and chain not in asset.platforms


def token_argument(world: ToolContext, chain: str, token: str | None) -> str | None:
    """A token's contract on ``chain``; None for the chain's own coin. Raises ``ToolError``, and ``Miss``."""
    if token is None or is_native(token):
        return None
    if is_address(token):
        return address_argument(token)
    asset = resolve_asset(world, token)
    if is_coin_of(asset, chain):
        return None
    if chain not in asset.platforms:
        known = ", ".join(f"{name} {address}" for name, address in asset.platforms.items()) or "no network"
        raise ToolError(f"{asset.name} ({asset.symbol.upper()}) has no contract on {chain}; it is listed on {known}")
    return asset.platforms[chain]
