"""A small living Solana node behind JSON-RPC: finalised transactions by signature, of before the moment alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_worldgen.services.service import Answer, Asked

ORIGIN: Final = "https://api.mainnet-beta.solana.com"
SIGNATURE: Final = "4Q" * 43 + "k"
PAYER, POOL, MINT = "PayerAaBb111111111111111111111111111111111", "Poo1" * 10, "MintXyZ" * 6
FEE, PAID = 5_000, 10_000_000


def transaction(at: int) -> dict[str, Any]:
    """A purchase: the payer gives a hundredth of a coin and the fee, and gets tokens."""
    token = {"mint": MINT, "owner": PAYER, "accountIndex": 1}
    amounts = [{"amount": str(raw), "decimals": 6, "uiAmountString": "0"} for raw in (0, 1_234_567)]
    return {
        "slot": 364_000_000,
        "blockTime": at,
        "meta": {
            "err": None,
            "fee": FEE,
            "preBalances": [90_000_000, 2_039_280],
            "postBalances": [90_000_000 - FEE - PAID, 2_039_280 + PAID],
            "preTokenBalances": [{**token, "uiTokenAmount": amounts[0]}],
            "postTokenBalances": [{**token, "uiTokenAmount": amounts[1]}],
            "logMessages": ["Program log: Instruction: Buy"],
        },
        "transaction": {
            "signatures": [SIGNATURE],
            "message": {
                "accountKeys": [{"pubkey": PAYER, "signer": True}, {"pubkey": POOL, "signer": False}],
                "instructions": [
                    {
                        "program": "system",
                        "programId": "1" * 32,
                        "parsed": {"type": "transfer", "info": {"lamports": PAID}},
                    },
                    {"programId": POOL, "data": "3Bxs4"},
                ],
            },
        },
    }


class SolanaNode:
    """The service. ``known``: when each transaction was made, by its signature."""

    origins: Final = (ORIGIN,)

    def __init__(self, known: Mapping[str, int]) -> None:
        self._known = known

    def answer(self, asked: Asked, now: int) -> Answer:
        """One JSON-RPC reply; null for what it does not know at ``now``."""
        body = strict_json(asked.body)
        told = {"jsonrpc": "2.0", "id": body["id"]}
        if body["method"] != "getTransaction":
            return Answer(200, {**told, "error": {"code": -32601, "message": "Method not found"}})
        at = self._known.get(body["params"][0])
        return Answer(200, {**told, "result": None if at is None or at > now else transaction(at)})
