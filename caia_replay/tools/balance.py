"""Balances at the end of a block: the chain's own coin, tokens, and tokens that are one of a kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from caia_replay.canonical import strict_json
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import address_argument, chain_argument, number_argument
from caia_replay.tools.asset import token_argument
from caia_replay.tools.chain_call import read_contract, read_or_none, read_symbol, scaled
from caia_replay.tools.chain_height import height_argument, shown_block
from caia_replay.tools.tool_context import ToolContext

if TYPE_CHECKING:
    from caia_replay.chain.fork_pool import Fork

MOST_ADDRESSES: Final = 50
COIN_DECIMALS: Final = 18
_LARGEST: Final = 2**256 - 1

# ERC-165's names for the two standards of tokens that have ids.
_ONE_OF_A_KIND: Final = "0x80ac58cd"
_SEVERAL_KINDS: Final = "0xd9b67a26"


def balance_query(
    world: ToolContext,
    address: Annotated[
        str | list[str] | None,
        Field(description="The account's 0x address, or up to 50 of them; null only to ask who owns a token_id."),
    ] = None,
    token: Annotated[
        str | None,
        Field(description="A token's 0x contract address, ticker or name; null for the chain's own coin."),
    ] = None,
    block: Annotated[
        int | str | None, Field(description="Block height; null for the newest block of this moment.")
    ] = None,
    time: Annotated[
        str | int | None, Field(description="Instead of block: a date or time, for the last block at or before it.")
    ] = None,
    token_id: Annotated[
        str | int | None, Field(description="Which one of an NFT (ERC-721) or multi-token (ERC-1155) contract.")
    ] = None,
    chain: Annotated[str | None, Field(description="The chain's name or id; null: the task's own.")] = None,
) -> dict[str, Any]:
    """Read what accounts hold of a chain's own coin or of a token, at the end of a block; or who owns an NFT.

    raw is in the smallest unit, amount is raw / 10^decimals; both exact decimal texts. decimals and amount are null
    where a contract tells none. Several addresses give balances, each address once, and their total.
    Example: {"address": "0x…", "token": null, "block": null, "time": null, "token_id": null, "chain": null}
    """
    name = chain_argument(world, chain)
    holders = _addresses(address)
    contract = token_argument(world, name, token)
    height = height_argument(world, name, block, time)
    shown = {"chain": name, "token": contract, **shown_block(world, name, height)}
    with world.fork(height, name) as fork:
        if token_id is not None:
            if contract is None:
                raise ToolError("token_id is of a token: give its contract as token")
            return shown | _of_kind(fork, contract, _token_id(token_id), holders)
        if not holders:
            raise ToolError("address is missing; only the owner of a token_id can be asked for without one")
        if contract is None:
            raws = [int(fork.rpc("eth_getBalance", [holder, "latest"]), 16) for holder in holders]
            decimals: int | None = COIN_DECIMALS
        else:
            raws = [int(read_contract(fork, contract, "balanceOf(address)(uint256)", [holder])) for holder in holders]
            value = read_or_none(fork, contract, "decimals()(uint8)")
            decimals = None if value is None else int(value)
            shown["symbol"] = _symbol(fork, contract)
    return shown | {"decimals": decimals} | _told(address, holders, raws, decimals)


def _told(address: str | list[str] | None, holders: list[str], raws: list[int], decimals: int | None) -> dict[str, Any]:
    """One balance as it is, several as a list."""
    rows = [{"address": holder, **_amounts(raw, decimals)} for holder, raw in zip(holders, raws, strict=True)]
    if len(rows) == 1 and isinstance(address, str):
        return rows[0]
    return {"balances": rows, "total": _amounts(sum(raws), decimals)}


def _amounts(raw: int, decimals: int | None) -> dict[str, Any]:
    return {"raw": str(raw), "amount": None if decimals is None else scaled(raw, decimals)}


def _of_kind(fork: Fork, contract: str, token_id: int, holders: list[str]) -> dict[str, Any]:
    """Who has a token of a contract whose tokens have ids."""
    shown: dict[str, Any] = {"token_id": str(token_id), "symbol": _symbol(fork, contract)}
    if _supports(fork, contract, _ONE_OF_A_KIND):
        owner = read_contract(fork, contract, "ownerOf(uint256)(address)", [str(token_id)])
        owned = [{"address": holder, "owns": holder == owner} for holder in holders]
        return shown | {"standard": "ERC-721", "owner": owner} | ({"balances": owned} if holders else {})
    if _supports(fork, contract, _SEVERAL_KINDS):
        if not holders:
            raise ToolError("tokens of this contract (ERC-1155) have no single owner; give address")
        ask = "balanceOf(address,uint256)(uint256)"
        raws = [int(read_contract(fork, contract, ask, [holder, str(token_id)])) for holder in holders]
        rows = [{"address": holder, "raw": str(raw)} for holder, raw in zip(holders, raws, strict=True)]
        return shown | {"standard": "ERC-1155", "balances": rows}
    raise ToolError(f"{contract} says at this block that it is neither ERC-721 nor ERC-1155: leave token_id null")


def _supports(fork: Fork, contract: str, interface: str) -> bool:
    return read_or_none(fork, contract, "supportsInterface(bytes4)(bool)", [interface]) is True


def _symbol(fork: Fork, contract: str) -> str | None:
    """What the token calls itself; None where it does not, or where that is not recorded."""
    try:
        return read_symbol(fork, contract)
    except Miss:
        return None


def _addresses(address: str | list[str] | None) -> list[str]:
    """One address or several, each once, in their order."""
    if isinstance(address, str):
        text = address.strip()
        try:
            address = strict_json(text) if text.startswith("[") else text.split(",")
        except ValueError:
            raise ToolError(f"address is {address[:100]!r}; write one 0x address or a list of them") from None
    found = list(dict.fromkeys(address_argument(str(item)) for item in address or ()))
    if len(found) > MOST_ADDRESSES:
        raise ToolError(f"{len(found)} addresses are too many for one call; give up to {MOST_ADDRESSES}")
    return found


def _token_id(token_id: str | int) -> int:
    text = str(token_id).strip()
    if isinstance(token_id, str) and text.lower().startswith("0x"):
        try:
            number = int(text, 16)
        except ValueError:
            raise ToolError(f"token_id is {text[:80]!r}; write it as a whole number") from None
    else:
        exact = number_argument(token_id, "token_id")
        number = int(exact)
        if exact != number:
            raise ToolError(f"token_id is {text[:80]!r}; write it as a whole number")
    if not 0 <= number <= _LARGEST:
        raise ToolError(f"token_id is {text[:80]!r}; it goes from 0 to 2^256 - 1")
    return number
