"""A small living Solana node: a few slots with transactions, a function of the calls and of the moment."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

from caia_replay.core.provider import HttpReply, HttpRequest

GENESIS = 1_700_000_000
SLOT_S = 60
SKIPPED = frozenset({7, 20})
ADDRESS, OTHER = "Harbour1111111111111111111111111111111111111", "Pier111111111111111111111111111111111111111"
SLOTS = 60


def time_of(slot: int) -> int:
    """When a slot was made, in seconds."""
    return GENESIS + slot * SLOT_S


def signature(slot: int, number: int) -> str:
    """The signature of a slot's transaction."""
    return f"Sig{slot:03d}x{number}"


class Node:
    """Two transactions in every slot, the second about OTHER too."""

    def __call__(self, request: HttpRequest, now: int) -> HttpReply:
        """The reply at ``now``, with its Date."""
        call = json.loads(request.body)
        body = json.dumps({"jsonrpc": "2.0", "id": call["id"], **self._part(call, now)}).encode()
        return HttpReply(200, {"date": formatdate(now, usegmt=True), "content-type": "application/json"}, body)

    def _part(self, call: dict[str, Any], now: int) -> dict[str, Any]:
        params = call.get("params", [])
        options = params[-1] if params and isinstance(params[-1], dict) else {}
        newest = min((now - GENESIS) // SLOT_S, SLOTS - 1)
        method = getattr(self, "_" + call["method"])
        try:
            return {"result": method(params[0] if params else None, options, newest)}
        except LookupError as fault:
            return {"error": {"code": fault.args[0], "message": "no"}}

    def _getBlockTime(self, slot: int, options: dict[str, Any], newest: int) -> int:
        return int(self._getBlock(slot, {"transactionDetails": "none"}, newest)["blockTime"])

    def _getBlock(self, slot: int, options: dict[str, Any], newest: int) -> dict[str, Any]:
        if slot > newest:
            raise LookupError(-32004)
        if slot in SKIPPED:
            raise LookupError(-32007)
        details = options.get("transactionDetails", "full")
        block: dict[str, Any] = {"blockTime": time_of(slot), "parentSlot": slot - 1}
        if details == "full":
            block["transactions"] = [self._transaction(slot, number, options) for number in (0, 1)]
        if details == "signatures":
            block["signatures"] = [signature(slot, number) for number in (0, 1)]
        return block | ({"rewards": [{"lamports": slot}]} if options.get("rewards", True) else {})

    def _transaction(self, slot: int, number: int, options: dict[str, Any]) -> dict[str, Any]:
        version: Any = 0 if slot % 10 == 3 else "legacy"
        told = options.get("maxSupportedTransactionVersion")
        if told is None and version == 0:
            raise LookupError(-32015)
        names = [signature(slot, number)]
        sent: Any = (
            {"signatures": names, "parsed": True} if options.get("encoding") == "jsonParsed" else {"signatures": names}
        )
        if options.get("encoding") == "base64":
            sent = [names[0], "base64"]
        return {"transaction": sent, "meta": {"fee": 5_000}} | ({} if told is None else {"version": version})

    def _getTransaction(self, name: str, options: dict[str, Any], newest: int) -> dict[str, Any] | None:
        slot, number = int(name[3:6]), int(name[-1])
        if slot > newest or slot in SKIPPED:
            return None
        return self._transaction(slot, number, options) | {"slot": slot, "blockTime": time_of(slot)}

    def _getSignaturesForAddress(self, address: str, options: dict[str, Any], newest: int) -> list[dict[str, Any]]:
        numbers = (1, 0) if address == ADDRESS else (1,)
        slots = [slot for slot in range(newest, -1, -1) if slot not in SKIPPED]
        rows = [{"signature": signature(slot, number), "slot": slot, "blockTime": time_of(slot), "err": None,
                 "memo": None, "confirmationStatus": "finalized"} for slot in slots for number in numbers]  # fmt: skip
        names = [row["signature"] for row in rows]
        if "before" in options:
            rows = rows[names.index(options["before"]) + 1 :] if options["before"] in names else []
        if options.get("until") in [row["signature"] for row in rows]:
            rows = rows[: [row["signature"] for row in rows].index(options["until"])]
        elif options.get("until") in names:
            rows = []
        return rows[: options.get("limit", 1_000)]
