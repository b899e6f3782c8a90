"""View functions of contracts, called on a pinned fork, and amounts in whole units."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any, Final

from caia_replay.errors import ToolError, one_line
from caia_replay.tools.signature import decode_outputs, encode_call, parse_signature

if TYPE_CHECKING:
    from caia_replay.chain.fork_pool import Fork

_EXACT: Final = Context(prec=400)
"""The largest uint256 has 78 digits, and a token's decimals go up to 255."""
_LONGEST_SYMBOL: Final = 60
_SYMBOL: Final = "0x95d89b41"
_WORD_CHARACTERS: Final = 66


def call_contract(fork: Fork, contract: str, data: str) -> str:
    """An eth_call from ``fork.caller`` at the lease's block.

    No data back means no code or no such function there, and is a ``ToolError``.
    """
    reply: str = fork.rpc("eth_call", [{"from": fork.caller, "to": contract, "data": data}, "latest"])
    if reply == "0x":
        raise ToolError(f"{contract} returned no data: it has no code or no such function at this block")
    return reply


def read_contract(fork: Fork, contract: str, function: str, arguments: Sequence[Any] = ()) -> Any:
    """The first value a view function gives, as JSON. Raises ``ToolError`` as ``call_contract``, and ``Miss``."""
    signature = parse_signature(function)
    return decode_outputs(signature, call_contract(fork, contract, encode_call(signature, arguments)))[0]


def read_or_none(fork: Fork, contract: str, function: str, arguments: Sequence[Any] = ()) -> Any:
    """``read_contract``, and None where the contract has no such function or answers otherwise. Raises ``Miss``."""
    try:
        return read_contract(fork, contract, function, arguments)
    except ToolError:
        return None


def read_symbol(fork: Fork, contract: str) -> str | None:
    """What a token calls itself, which anybody may write; None where it says nothing. Raises ``Miss``."""
    try:
        reply = call_contract(fork, contract, _SYMBOL)
        if len(reply) == _WORD_CHARACTERS:  # some early tokens return 32 bytes
            text = bytes.fromhex(reply[2:]).rstrip(b"\0").decode("utf-8", "replace")
        else:
            text = decode_outputs(parse_signature("symbol()(string)"), reply)[0]
    except ToolError:
        return None
    return one_line(text)[:_LONGEST_SYMBOL] or None


def scaled(raw: int, decimals: int) -> str:
    """``raw / 10**decimals`` as an exact decimal text without trailing zeros."""
    text = format(_EXACT.scaleb(Decimal(raw), -decimals), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
