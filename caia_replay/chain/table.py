"""The tables of a snapshot, column by column.

Names are cryo's where it has the dataset; 256-bit quantities carry cryo's ``_binary`` suffix and
are 32 big-endian bytes. ``rpc_row`` turns JSON-RPC objects into rows of these tables and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from caia_replay.chain.column import (
    ADDRESS,
    BLOOM,
    DATA,
    FLAG,
    HASH,
    HASHES,
    JSON,
    SEAL_NONCE,
    UINT64,
    UINT256,
    Column,
)

EXTRA: Final = "extra"
TOPIC_FIELDS: Final = ("topics.0", "topics.1", "topics.2", "topics.3")
"""A log's topics as single fields while it is encoded; no node names a field with a dot."""


@dataclass(frozen=True, slots=True)
class RpcTable:
    """A table whose rows are RPC objects. ``order`` sorts it and is unique; ``foreign`` are fields
    whose content lives in another table and must not be in a row."""

    name: str
    columns: tuple[Column, ...]
    order: tuple[str, ...]
    foreign: tuple[str, ...] = ()

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema; required columns are not nullable."""
        fields = [pa.field(c.name, c.form.arrow, nullable=not c.required) for c in self.columns]
        return pa.schema([*fields, pa.field(EXTRA, pa.string())])


@dataclass(frozen=True, slots=True)
class StateTable:
    """A table of plain typed values: one row for one key over one interval of blocks."""

    name: str
    schema: pa.Schema
    order: tuple[str, ...]


BLOCKS: Final = RpcTable(
    "blocks",
    (
        Column("block_number", "number", UINT64, required=True),
        Column("block_hash", "hash", HASH, required=True),
        Column("parent_hash", "parentHash", HASH, required=True),
        Column("timestamp", "timestamp", UINT64, required=True),
        Column("author", "miner", ADDRESS),
        Column("uncles_hash", "sha3Uncles", HASH),
        Column("state_root", "stateRoot", HASH),
        Column("transactions_root", "transactionsRoot", HASH),
        Column("receipts_root", "receiptsRoot", HASH),
        Column("logs_bloom", "logsBloom", BLOOM),
        Column("difficulty_binary", "difficulty", UINT256),
        Column("total_difficulty_binary", "totalDifficulty", UINT256),
        Column("gas_limit", "gasLimit", UINT64),
        Column("gas_used", "gasUsed", UINT64),
        Column("extra_data", "extraData", DATA),
        Column("mix_hash", "mixHash", HASH),
        Column("nonce", "nonce", SEAL_NONCE),
        Column("base_fee_per_gas", "baseFeePerGas", UINT64),
        Column("withdrawals_root", "withdrawalsRoot", HASH),
        Column("withdrawals", "withdrawals", JSON),
        Column("blob_gas_used", "blobGasUsed", UINT64),
        Column("excess_blob_gas", "excessBlobGas", UINT64),
        Column("parent_beacon_block_root", "parentBeaconBlockRoot", HASH),
        Column("requests_hash", "requestsHash", HASH),
        Column("size", "size", UINT64),
        Column("uncles", "uncles", HASHES),
        Column("transaction_hashes", "transactions", HASHES),
    ),
    ("block_number",),
)

TRANSACTIONS: Final = RpcTable(
    "transactions",
    (
        Column("block_number", "blockNumber", UINT64, required=True),
        Column("transaction_index", "transactionIndex", UINT64, required=True),
        Column("transaction_hash", "hash", HASH, required=True),
        Column("block_hash", "blockHash", HASH, required=True),
        Column("from_address", "from", ADDRESS, required=True),
        Column("to_address", "to", ADDRESS, null_cell=True),
        Column("nonce", "nonce", UINT64),
        Column("value_binary", "value", UINT256),
        Column("input", "input", DATA),
        Column("gas_limit", "gas", UINT64),
        Column("gas_price", "gasPrice", UINT64),
        Column("max_fee_per_gas", "maxFeePerGas", UINT64),
        Column("max_priority_fee_per_gas", "maxPriorityFeePerGas", UINT64),
        Column("max_fee_per_blob_gas", "maxFeePerBlobGas", UINT64),
        Column("transaction_type", "type", UINT64),
        Column("chain_id", "chainId", UINT64),
        Column("access_list", "accessList", JSON),
        Column("blob_versioned_hashes", "blobVersionedHashes", HASHES),
        Column("authorization_list", "authorizationList", JSON),
        Column("v", "v", UINT64),
        Column("r", "r", UINT256),
        Column("s", "s", UINT256),
        Column("y_parity", "yParity", UINT64),
        Column("block_timestamp", "blockTimestamp", UINT64),
    ),
    ("block_number", "transaction_index"),
)

RECEIPTS: Final = RpcTable(
    "receipts",
    (
        Column("block_number", "blockNumber", UINT64, required=True),
        Column("transaction_index", "transactionIndex", UINT64, required=True),
        Column("transaction_hash", "transactionHash", HASH, required=True),
        Column("block_hash", "blockHash", HASH, required=True),
        Column("from_address", "from", ADDRESS),
        Column("to_address", "to", ADDRESS, null_cell=True),
        Column("contract_address", "contractAddress", ADDRESS, null_cell=True),
        Column("cumulative_gas_used", "cumulativeGasUsed", UINT64),
        Column("gas_used", "gasUsed", UINT64),
        Column("effective_gas_price", "effectiveGasPrice", UINT64),
        Column("transaction_type", "type", UINT64),
        Column("status", "status", UINT64),
        Column("root", "root", HASH),
        Column("logs_bloom", "logsBloom", BLOOM),
        Column("blob_gas_used", "blobGasUsed", UINT64),
        Column("blob_gas_price", "blobGasPrice", UINT64),
        Column("block_timestamp", "blockTimestamp", UINT64),
    ),
    ("block_number", "transaction_index"),
    foreign=("logs",),
)

LOGS: Final = RpcTable(
    "logs",
    (
        Column("block_number", "blockNumber", UINT64, required=True),
        Column("transaction_index", "transactionIndex", UINT64, required=True),
        Column("log_index", "logIndex", UINT64, required=True),
        Column("transaction_hash", "transactionHash", HASH, required=True),
        Column("block_hash", "blockHash", HASH, required=True),
        Column("address", "address", ADDRESS, required=True),
        *(Column(f"topic{at}", field, HASH) for at, field in enumerate(TOPIC_FIELDS)),
        Column("data", "data", DATA, required=True),
        Column("block_timestamp", "blockTimestamp", UINT64),
        Column("removed", "removed", FLAG),
    ),
    ("block_number", "log_index"),
    foreign=TOPIC_FIELDS,
)

_INTERVAL: Final = (pa.field("from_block", pa.uint64(), False), pa.field("to_block", pa.uint64(), False))

ACCOUNTS: Final = StateTable(
    "accounts",
    pa.schema(
        [
            pa.field("address", pa.binary(20), False),
            *_INTERVAL,
            pa.field("balance", pa.binary(32), False),
            pa.field("nonce", pa.uint64(), False),
            pa.field("code_hash", pa.binary(32), False),
        ]
    ),
    ("address", "from_block"),
)

STORAGE: Final = StateTable(
    "storage",
    pa.schema(
        [
            pa.field("address", pa.binary(20), False),
            pa.field("slot", pa.binary(32), False),
            *_INTERVAL,
            pa.field("value", pa.binary(32), False),
        ]
    ),
    ("address", "slot", "from_block"),
)

CODES: Final = StateTable(
    "codes",
    pa.schema([pa.field("code_hash", pa.binary(32), False), pa.field("code", pa.binary(), False)]),
    ("code_hash",),
)

REPLIES: Final = StateTable(
    "replies",
    pa.schema(
        [
            pa.field("question", pa.binary(32), False),
            pa.field("block_number", pa.uint64(), False),
            pa.field("method", pa.string(), False),
            pa.field("params", pa.string(), False),
            pa.field("reply", pa.string(), False),
        ]
    ),
    ("question",),
)
"""What no other table can give: a node's own words to one exact question, such as a trace."""

TABLES: Final[Mapping[str, RpcTable | StateTable]] = {
    table.name: table for table in (BLOCKS, TRANSACTIONS, RECEIPTS, LOGS, ACCOUNTS, STORAGE, CODES, REPLIES)
}
