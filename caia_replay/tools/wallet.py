"""The wallet of a task that is carried out: sending transactions to its own copy of a chain, and reading that copy.

These are not among the 23 tools, and tasks that are only answered do not have them. The 23 tell what was recorded, at
the task's moment; what a wallet did is seen by these alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import address_argument, chain_argument
from caia_replay.tools.chain_call import scaled
from caia_replay.tools.chain_copy import NO_DATA, Mined, calldata, wallet_on
from caia_replay.tools.signature import decode_outputs, encode_call, parse_signature
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.chain.scratch_chain import ScratchChain

Argument = str | int | bool | list[str | int | bool]

MOST_SENT: Final = 40
"""Transactions of one run."""
MOST_TOKENS: Final = 20
_COIN_DECIMALS: Final = 18
_MOST_VALUE: Final = 2**256 - 1
_MOST_DIGITS: Final = 78
_TRANSFER: Final = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
_TRANSFER_TOPICS: Final = 3
_BALANCE: Final = "balanceOf(address)(uint256)"
_DECIMALS: Final = "decimals()(uint8)"


def send_transaction(
    world: ToolContext,
    to: Annotated[str, Field(description="The 0x address that is called or paid.")],
    function: Annotated[
        str | None,
        Field(description="The function to call with its types, such as transfer(address,uint256); null: only pay."),
    ] = None,
    arguments: Annotated[
        list[Argument] | None,
        Field(description="The function's arguments in order, whole numbers in smallest units as decimal text."),
    ] = None,
    value: Annotated[
        str | int | None, Field(description="Native coins to send with it, in wei as decimal text; null: none.")
    ] = None,
    chain: Annotated[str | None, Field(description="The chain's name or id; null: the task's own.")] = None,
) -> dict[str, Any]:
    """Sign and send one transaction from your wallet, and wait until it is mined. It moves real balances of the task.

    One that would revert is not sent, and its reason is told. transfers are the token movements that it caused; amounts
    are in smallest units. Your wallet's address is told by wallet_state.
    Example: {"to": "0x…", "function": "approve(address,uint256)", "arguments": ["0x…", "1000000"], "value": null}
    """
    name, copies = chain_argument(world, chain), world.copies
    sender, target, value_wei = wallet_on(copies.execution, name), address_argument(to), _wei(value)
    if len(copies.mined) >= MOST_SENT:
        raise ToolError(f"{MOST_SENT} transactions were sent, which is as many as one task may need")
    data = calldata(function or "", arguments or [])
    return _told(copies.chain(name), copies.send(name, sender, target, value_wei, data))


def wallet_state(
    world: ToolContext,
    tokens: Annotated[
        list[str] | None, Field(description="0x addresses of up to 20 tokens whose balances to read; null: none.")
    ] = None,
    chain: Annotated[str | None, Field(description="The chain's name or id; null: the task's own.")] = None,
) -> dict[str, Any]:
    """Read your wallet now, after everything that you sent: address, native coins, token balances, next nonce.

    raw is in smallest units, amount is raw / 10^decimals; both exact decimal texts.
    Example: {"tokens": ["0x…"], "chain": null}
    """
    name, copies = chain_argument(world, chain), world.copies
    owner, copy = wallet_on(copies.execution, name), copies.chain(name)
    wanted = list(dict.fromkeys(address_argument(token) for token in tokens or ()))
    if len(wanted) > MOST_TOKENS:
        raise ToolError(f"{len(wanted)} tokens are too many for one call; give up to {MOST_TOKENS}")
    coins = int(copy.rpc("eth_getBalance", owner, "latest"), 16)
    return {
        "address": owner,
        "chain": name,
        **_newest(copy),
        "raw": str(coins),
        "amount": scaled(coins, _COIN_DECIMALS),
        "next_nonce": int(copy.rpc("eth_getTransactionCount", owner, "latest"), 16),
        "tokens": [_held(copy, token, owner) for token in wanted],
        "sent": [mined.sent.hash for mined in copies.mined if mined.sent.chain == name],
    }


def read_contract(
    world: ToolContext,
    contract: Annotated[str, Field(description="The contract's 0x address.")],
    function: Annotated[
        str, Field(description="A view function with its return types, such as allowance(address,address)(uint256).")
    ],
    arguments: Annotated[
        list[Argument] | None, Field(description="The function's arguments in order, big integers as decimal text.")
    ] = None,
    chain: Annotated[str | None, Field(description="The chain's name or id; null: the task's own.")] = None,
) -> dict[str, Any]:
    """Call a view function now, after everything that you sent, as your wallet would.

    Integers come back as decimal text. data_query reads the recorded chain, without anything that was done since.
    Example: {"contract": "0x…", "function": "decimals()(uint8)", "arguments": [], "chain": null}
    """
    name, copies = chain_argument(world, chain), world.copies
    target, signature = address_argument(contract), parse_signature(function)
    if not signature.outputs:
        raise ToolError(f"{signature.canonical} has no return types; write them behind it, as in {_BALANCE}")
    copy = copies.chain(name)
    asked = {"from": wallet_on(copies.execution, name), "to": target, "data": encode_call(signature, arguments or [])}
    reply = copy.call(asked)
    if reply == NO_DATA:
        raise ToolError(f"{target} returned no data: it has no code or no such function")
    return {
        "contract": target,
        "chain": name,
        "function": signature.canonical,
        **_newest(copy),
        "values": decode_outputs(signature, reply),
    }


def _wei(value: str | int | None) -> int:
    text = hex(value or 0) if value is None or isinstance(value, int) else value.strip()
    is_whole = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    number = (value or 0) if value is None or isinstance(value, int) else int(text) if is_whole else -1
    if not 0 <= number <= _MOST_VALUE:
        raise ToolError(
            f"value is {text[:80]!r}; write it in wei, as a whole number from 0 such as 1500000000000000000"
        )
    return number


def _newest(copy: ScratchChain) -> dict[str, Any]:
    header = copy.rpc("eth_getBlockByNumber", hex(copy.block), False)
    return {"block": copy.block, "time": utc_text(int(header["timestamp"], 16))}


def _told(copy: ScratchChain, mined: Mined) -> dict[str, Any]:
    receipt, sent = mined.receipt, mined.sent
    used = int(receipt["gasUsed"], 16)
    return {
        "hash": sent.hash,
        "chain": sent.chain,
        **_newest(copy),
        "status": "success" if int(receipt["status"], 16) else "reverted",
        "from": sent.sender,
        "to": sent.to,
        "value_wei": str(sent.value_wei),
        "gas_used": used,
        "fee_wei": str(used * int(receipt["effectiveGasPrice"], 16)),
        "contract_address": receipt.get("contractAddress"),
        "transfers": [_transfer(log) for log in receipt["logs"] if _is_transfer(log)],
        "events": len(receipt["logs"]),
    }


def _is_transfer(log: dict[str, Any]) -> bool:
    return len(log["topics"]) == _TRANSFER_TOPICS and log["topics"][0] == _TRANSFER and len(log["data"]) == 66


def _transfer(log: dict[str, Any]) -> dict[str, Any]:
    giver, taker = ("0x" + topic[26:] for topic in log["topics"][1:])
    return {"token": log["address"], "from": giver, "to": taker, "raw": str(int(log["data"], 16))}


def _held(copy: ScratchChain, token: str, owner: str) -> dict[str, Any]:
    """A token's balance; null where the contract tells none."""
    raw, decimals = _uint(copy, token, _BALANCE, [owner]), _uint(copy, token, _DECIMALS, [])
    amount = None if raw is None or decimals is None or decimals > 255 else scaled(raw, decimals)
    return {"token": token, "raw": None if raw is None else str(raw), "decimals": decimals, "amount": amount}


def _uint(copy: ScratchChain, contract: str, function: str, arguments: list[str]) -> int | None:
    signature = parse_signature(function)
    try:
        reply = copy.call({"to": contract, "data": encode_call(signature, arguments)})
        return int(decode_outputs(signature, reply)[0])
    except (ToolError, Miss):
        return None
