"""A small living explorer of one chain: an account's transactions, a token's transfers and holders, by the moment."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from caia_replay.core.provider import HttpReply, HttpRequest

GENESIS, BLOCK_S = 1_700_000_000, 60
BLOCKS = 170
ACCOUNT, TOKEN = "0x" + "a1" * 20, "0x" + "b2" * 20
EARLY_PAGE = 50


def time_of(block: int) -> int:
    """When a block was made, in seconds."""
    return GENESIS + block * BLOCK_S


def _stamp(block: int) -> str:
    return datetime.fromtimestamp(time_of(block), UTC).strftime("%Y-%m-%dT%H:%M:%S.000000Z")


def transaction(block: int, height: int) -> dict[str, Any]:
    """A block's one transaction, as it is told when ``height`` is the newest block."""
    account = {"hash": ACCOUNT, "name": f"label of {height}", "is_contract": False}
    return {"hash": f"0x{block:064x}", "block_number": block, "timestamp": _stamp(block), "from": account, "to": None,
            "value": str(block), "position": 0, "confirmations": height - block + 1, "exchange_rate": str(height),
            "status": "ok", "fee": {"type": "actual", "value": "21000"}}  # fmt: skip


def transfer(block: int, height: int) -> dict[str, Any]:
    """The same transaction's transfer of the token."""
    token = {"address_hash": TOKEN, "decimals": "6", "type": "ERC-20", "holders_count": str(height)}
    return {"transaction_hash": f"0x{block:064x}", "block_number": block, "timestamp": _stamp(block), "log_index": 1,
            "token": token, "total": {"value": str(block), "decimals": "6"}}  # fmt: skip


def settled_by_hand(row: dict[str, Any]) -> dict[str, Any]:
    """A row as it is told of another moment, written without the provider."""
    kept = {name: value for name, value in row.items() if name not in ("confirmations", "exchange_rate")}
    if "from" in kept:
        kept["from"] = {"hash": kept["from"]["hash"]}
    if "token" in kept:
        kept["token"] = {name: kept["token"][name] for name in ("address_hash", "decimals", "type")}
    return kept


class Explorer:
    """The explorer of version 12, to which ``items_count`` is a page's size."""

    def __call__(self, request: HttpRequest, now: int) -> HttpReply:
        """The reply at ``now``, with its Date."""
        parts = urlsplit(request.url)
        told, height = dict(parse_qsl(parts.query)), min((now - GENESIS) // BLOCK_S, BLOCKS - 1)
        status, path = 200, parts.path.split("/")[3:]
        rows = self._rows(path, height)
        content: dict[str, Any]
        if rows is not None:
            content = self._page(rows, told)
        elif path[0] == "transactions" and int(path[1], 16) <= height:
            content = transaction(int(path[1], 16), height)
        elif path[0] == "addresses" and len(path) == 2:
            content = {"hash": path[1], "coin_balance": str(10**18 + height)}
        else:
            status, content = 404, {"message": "Not found"}
        date = {"date": formatdate(now, usegmt=True), "content-type": "application/json"}
        return HttpReply(status, date, json.dumps(content).encode())

    def _rows(self, path: list[str], height: int) -> list[dict[str, Any]] | None:
        blocks = range(height, 0, -1)
        if path[-1] == "transactions":
            return [transaction(block, height) for block in blocks]
        if path[-1] == "transfers":
            return [transfer(block, height) for block in blocks]
        if path[-1] == "holders":
            return [{"address": {"hash": f"0x{at:040x}"}, "value": str(10**6 - at)} for at in range(height)]
        return None

    def _page(self, rows: list[dict[str, Any]], told: dict[str, str]) -> dict[str, Any]:
        count = int(told.get("items_count", "0"))
        size = min(count, 100) if count else EARLY_PAGE
        start = 0
        if "value" in told:
            start = next(at for at, row in enumerate(rows, 1) if row["value"] == told["value"])
        elif "block_number" in told:
            start = next(at for at, row in enumerate(rows, 1) if str(row["block_number"]) == told["block_number"])
        kept, after = rows[start : start + size], None
        if start + size < len(rows):
            last = kept[-1]
            after = {"block_number": last.get("block_number"), "index": last.get("log_index", 0), "inserted_at": None}
            if "address" in last:
                after = {"value": int(last["value"]), "address_hash": last["address"]["hash"]}
        return {"items": kept, "next_page_params": after}
