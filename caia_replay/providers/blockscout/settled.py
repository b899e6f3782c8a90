"""What an explorer tells of a mined transaction, transfer or block at every later moment alike.

Prices, confirmations, names, labels, scores and decoded input are the explorer's of the day it is asked: a label such
as "exploiter" is given afterwards. What is recorded at another moment is told without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from caia_replay.providers.blockscout.question import Kind

Row = Mapping[str, Any]

_COMMON: Final = frozenset({"block_number", "timestamp", "from", "to", "type", "transaction_hash", "tx_hash"})
_KEPT: Final[Mapping[Kind, frozenset[str]]] = {
    "transaction": _COMMON | {
        "hash", "status", "result", "block", "created_contract", "value", "fee", "gas_limit", "gas_used", "gas_price",
        "max_fee_per_gas", "max_priority_fee_per_gas", "priority_fee", "base_fee_per_gas", "transaction_burnt_fee",
        "tx_burnt_fee", "nonce", "position", "raw_input",
    },
    "transfer": _COMMON | {"block_hash", "log_index", "token", "token_type", "total"},
    "internal": _COMMON | {
        "block_index", "created_contract", "error", "gas_limit", "index", "success", "transaction_index", "value",
    },
    "block": frozenset({
        "height", "hash", "parent_hash", "timestamp", "miner", "gas_used", "gas_limit", "size", "nonce", "difficulty",
        "base_fee_per_gas", "burnt_fees", "transactions_count", "transaction_count", "tx_count",
    }),
}  # fmt: skip
_ACCOUNTS: Final = frozenset({"from", "to", "created_contract", "miner"})
_INSIDE: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(_ACCOUNTS, frozenset({"hash"})),
    "token": frozenset({"address", "address_hash", "decimals", "type"}),
    "total": frozenset({"value", "decimals", "token_id"}),
}


def moment_of(row: Any) -> int | None:
    """When what a row tells of was mined, in seconds; None for what was not, or does not say."""
    try:
        moment = datetime.fromisoformat(row["timestamp"])
        return int(moment.timestamp()) if moment.tzinfo is not None else None
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def settled(row: Row, kind: Kind) -> dict[str, Any]:
    """A row without what the explorer may have told otherwise at another moment."""
    kept = _KEPT.get(kind, frozenset())
    return {name: _inside(name, value) for name, value in row.items() if name in kept}


def _inside(name: str, value: Any) -> Any:
    kept = _INSIDE.get(name)
    if kept is None or not isinstance(value, dict):
        return value
    return {inner: told for inner, told in value.items() if inner in kept}
