"""Which tokens a transaction moved, by the standard events among its logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from caia_replay.errors import Miss
from caia_replay.tools.chain_call import read_or_none, read_symbol, scaled
from caia_replay.tools.interface import NOTHING_KNOWN, decoded_log

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

_ALIKE: Final = "Transfer(address,address,uint256)"
_SINGLE: Final = "TransferSingle(address,address,address,uint256,uint256)"
_BATCH: Final = "TransferBatch(address,address,address,uint256[],uint256[])"


@dataclass(frozen=True, slots=True)
class Moved:
    """One movement. ``token_id`` is None where the token's units are alike, ``raw`` where each is one of a kind."""

    standard: str
    token: str
    sender: str
    receiver: str
    token_id: str | None
    raw: str | None


def moved_tokens(logs: Iterable[Mapping[str, Any]]) -> Iterator[Moved]:
    """The movements of ERC-20, ERC-721 and ERC-1155 tokens in the order of their logs; batches one by one."""
    for log in logs:
        decoded = decoded_log(NOTHING_KNOWN, log["topics"], log["data"])
        if decoded is None:
            continue
        token, arguments = log["address"].lower(), decoded["arguments"]
        parties = (arguments.get("from", ""), arguments.get("to", ""))
        if decoded["event"] == _ALIKE and "value" in arguments:
            yield Moved("ERC-20", token, *parties, None, arguments["value"])
        elif decoded["event"] == _ALIKE:
            yield Moved("ERC-721", token, *parties, arguments["tokenId"], None)
        elif decoded["event"] == _SINGLE:
            yield Moved("ERC-1155", token, *parties, arguments["id"], arguments["value"])
        elif decoded["event"] == _BATCH and len(arguments["ids"]) == len(arguments["values"]):
            for token_id, raw in zip(arguments["ids"], arguments["values"], strict=True):
                yield Moved("ERC-1155", token, *parties, token_id, raw)


def shown_transfers(world: ToolContext, chain: str, block: int, moved: Iterable[Moved]) -> list[dict[str, Any]]:
    """Movements as the tool shows them, with what each token says of itself at the end of ``block``."""
    named: dict[str, tuple[str | None, int | None]] = {}
    shown = []
    for found in moved:
        if found.token not in named:
            named[found.token] = _named(world, chain, block, found.token)
        symbol, decimals = named[found.token]
        row: dict[str, Any] = {
            "standard": found.standard,
            "token": found.token,
            "symbol": symbol,
            "from": found.sender,
            "to": found.receiver,
        }
        if found.token_id is not None:
            row["token_id"] = found.token_id
        if found.raw is not None:
            row["raw"] = found.raw
        if found.raw is not None and found.token_id is None:
            row |= {
                "decimals": decimals,
                "amount": None if decimals is None else scaled(int(found.raw), decimals),
            }
        shown.append(row)
    return shown


def _named(world: ToolContext, chain: str, block: int, token: str) -> tuple[str | None, int | None]:
    """A token's symbol and decimals; None for what it does not say, and for what is not recorded."""
    try:
        with world.fork(block, chain) as fork:
            decimals = read_or_none(fork, token, "decimals()(uint8)")
            return read_symbol(fork, token), None if decimals is None else int(decimals)
    except Miss:
        return None, None
