from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eth_abi import abi

from caia_replay.tools.call_view import CallView
from caia_replay.tools.signature import parse_signature
from caia_replay.tools.token_transfer import Moved, moved_tokens, shown_transfers

if TYPE_CHECKING:
    from tests.chain_world import ChainWorld

ALICE, BOB, TOKEN = "0x" + "aa" * 20, "0x" + "bb" * 20, "0x" + "cc" * 20


def log(event: str, indexed: list[str | int], types: list[str], values: list[Any]) -> dict[str, Any]:
    """A log as a node tells it."""
    words = [f"0x{int(value, 16) if isinstance(value, str) else value:064x}" for value in indexed]
    topics = ["0x" + parse_signature(event).hash.hex(), *words]
    return {"address": TOKEN, "topics": topics, "data": "0x" + abi.encode(types, values).hex()}


def test_each_standard_is_told_by_its_events() -> None:
    """Tokens that are alike, one of a kind, and of several kinds, in batches one by one; nothing else is a movement."""
    transfer = "Transfer(address,address,uint256)"
    both = ["uint256[]", "uint256[]"]
    batch = "TransferBatch(address,address,address,uint256[],uint256[])"
    logs = [
        log(transfer, [ALICE, BOB], ["uint256"], [2**255]),
        log(transfer, [ALICE, BOB, 7], [], []),
        log("TransferSingle(address,address,address,uint256,uint256)", [TOKEN, ALICE, BOB], ["uint256"] * 2, [8, 9]),
        log(batch, [TOKEN, ALICE, BOB], both, [[1, 2], [3, 4]]),
        log(batch, [TOKEN, ALICE, BOB], both, [[1, 2], [3]]),
        log("Approval(address,address,uint256)", [ALICE, BOB], ["uint256"], [5]),
        log("Deposit(address,uint256)", [ALICE], ["uint256"], [5]),
        log(transfer, [ALICE], ["address", "uint256"], [BOB, 5]),
    ]
    assert list(moved_tokens(logs)) == [
        Moved("ERC-20", TOKEN, ALICE, BOB, None, str(2**255)),
        Moved("ERC-721", TOKEN, ALICE, BOB, "7", None),
        Moved("ERC-1155", TOKEN, ALICE, BOB, "8", "9"),
        Moved("ERC-1155", TOKEN, ALICE, BOB, "1", "3"),
        Moved("ERC-1155", TOKEN, ALICE, BOB, "2", "4"),
    ]


def test_a_token_that_tells_no_decimals_has_no_amount(chain_world: ChainWorld) -> None:
    """What a token says of itself is used; what it does not say is null, and so is the amount."""
    token, other = chain_world.origin.tokens[1], chain_world.origin.emitters[0]
    moved = [Moved("ERC-20", at, ALICE, BOB, None, "1500000000000000000") for at in (token, other)]
    known, unknown = shown_transfers(CallView(chain_world.world), "origin", 5, moved)
    assert (known["symbol"], known["decimals"], known["amount"]) == ("T1", 18, "1.5")
    assert (unknown["symbol"], unknown["amount"], unknown["raw"]) == (None, None, "1500000000000000000")
