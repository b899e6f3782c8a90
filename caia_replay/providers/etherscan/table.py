"""An explorer's answers out of a chain's recorded tables: transactions, transfers, events, balances, blocks,
and, in its proxy module, what a node says of plain state.

Nothing is executed here. What only a contract can say (balances of tokens, supplies, calls), internal transactions
and what a vendor knows beside the chain (sources, prices) is not in the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final

from eth_hash.auto import keccak

from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.column import ADDRESS, HASH, UNFIT, to_hex
from caia_replay.chain.log_filter import LogFilter
from caia_replay.errors import Miss
from caia_replay.providers.etherscan.account_index import AccountIndex
from caia_replay.providers.etherscan.height import nearest_block, timestamp
from caia_replay.providers.etherscan.request import EtherscanRequest, Window, whole
from caia_replay.providers.etherscan.row import Row, field, log_row, transaction_row, transfer_row

_TRANSFER: Final = keccak(b"Transfer(address,address,uint256)")

_FIRST_BLOCKS: Final = 64
_QUANTITY: Final = re.compile(r"0x[0-9a-f]{1,64}")

Log = dict[str, Any]
Tokens = Mapping[str, Mapping[str, Any]]
"""By address, rows that name a token: no table says what a token calls itself."""


class Table:
    """One chain at the end of block ``height``. Every method raises ``Miss`` for what the tables do not know."""

    def __init__(self, chain: ChainSource, height: int, index: AccountIndex) -> None:
        self._chain = chain
        self._height = height
        self._index = index

    def rows(self, question: EtherscanRequest, tokens: Tokens) -> list[Row]:
        """The rows of the window that a list asks for."""
        window, of = question.window(), _LISTS.get(question.key)
        if window is None or of is None:
            raise _unknown(question, self._chain)
        last = min(self._height, window.last)
        return of(self, question, Window(window.first, last, window.descending, window.page, window.offset), tokens)

    def content(self, question: EtherscanRequest) -> Any:
        """The whole answer of anything else."""
        of = _FACTS.get(question.key)
        if of is None:
            raise _unknown(question, self._chain)
        result = of(self, question)
        if question.key[0] == "proxy":
            return {"jsonrpc": "2.0", "id": 1, "result": result}
        return {"status": "1", "message": "OK", "result": result}

    def _txlist(self, question: EtherscanRequest, window: Window, tokens: Tokens) -> list[Row]:
        address = _bytes(question, "address", ADDRESS)
        if window.first > window.last:
            return []
        found = self._index.transactions(self._chain, address, window.first, window.last)
        found = found[::-1] if window.descending else found
        return [self._transaction(to_hex(hash_)) for hash_ in found[window.start : window.stop]]

    def _transaction(self, hash_: str) -> Row:
        transaction, receipt = self._mined(hash_)
        self._require_nameless(transaction)
        return transaction_row(transaction, receipt, self._moment(transaction["blockNumber"]), self._height)

    def _transfers(self, question: EtherscanRequest, window: Window, tokens: Tokens, topics: int) -> list[Row]:
        token = _bytes(question, "contractaddress", ADDRESS) if question.fields.get("contractaddress") else None
        party = _bytes(question, "address", ADDRESS) if question.fields.get("address") else None
        if token is None and party is None:
            raise _unknown(question, self._chain)
        if window.first > window.last:
            return []
        moved, of = frozenset({_TRANSFER}), frozenset({token} if token else ())
        who = frozenset({party.rjust(32, b"\0")} if party else ())
        filters = [LogFilter(of, (moved, who)), LogFilter(of, (moved, frozenset(), who))] if who else [
            LogFilter(of, (moved,))
        ]  # fmt: skip
        return [self._transfer(log, tokens) for log in self._logs(filters, window, topics)]

    def _transfer(self, log: Log, tokens: Tokens) -> Row:
        if log["address"] not in tokens:
            raise Miss("http", f"what token {log['address']} calls itself", "recorded rows of this list")
        transaction, receipt = self._mined(log["transactionHash"])
        self._require_nameless(transaction)
        moment = self._moment(log["blockNumber"])
        return transfer_row(log, transaction, receipt, moment, self._height, tokens[log["address"]])

    def _get_logs(self, question: EtherscanRequest, window: Window, tokens: Tokens) -> list[Row]:
        filters = _filters(question)
        if filters is None:
            raise _unknown(question, self._chain)
        return [self._log(log) for log in self._logs(filters, window)]

    def _log(self, log: Log) -> Row:
        receipt = self._mined(log["transactionHash"])[1]
        return log_row(log, receipt, self._moment(log["blockNumber"]))

    def _logs(self, filters: Sequence[LogFilter], window: Window, topics: int | None = None) -> list[Log]:
        """The window of what matches any of the filters, each once; of logs with so many ``topics``, where it says.

        Blocks are read in growing parts from where the list begins, and no further than the window reaches.
        """
        found: list[Log] = []
        low, high, blocks = window.first, window.last, _FIRST_BLOCKS
        while low <= high and len(found) < window.stop:
            first, last = (
                (max(low, high - blocks + 1), high) if window.descending else (low, min(high, low + blocks - 1))
            )
            part = {
                (int(log["blockNumber"], 16), int(log["logIndex"], 16)): log
                for wanted in filters
                for log in self._chain.logs(first, last, wanted)
                if topics in (None, len(log["topics"]))
            }
            found += [part[place] for place in sorted(part, reverse=window.descending)]
            low, high = (low, first - 1) if window.descending else (last + 1, high)
            blocks *= 4
        return found[window.start : window.stop]

    def _mined(self, hash_: str) -> tuple[dict[str, Any], dict[str, Any]]:
        raw = bytes.fromhex(hash_[2:])
        transaction, receipt = self._chain.transaction(raw, self._height), self._chain.receipt(raw, self._height)
        if transaction is None or receipt is None:
            raise Miss("receipt", hash_, f"{self._chain.name} at block {self._height}")
        return transaction, receipt

    def _require_nameless(self, transaction: Mapping[str, Any]) -> None:
        """Names of called functions are the vendor's own knowledge; the synthetic explorer has none."""
        if len(field(transaction, "input")) > 2 and getattr(self._chain, "provenance", "") != "synthetic":
            raise Miss("http", f"the name of the function {transaction['hash']} calls", f"tables of {self._chain.name}")

    def _moment(self, block: str) -> str:
        return hex(timestamp(self._chain, int(block, 16)))

    def _balance(self, question: EtherscanRequest) -> Any:
        _require_latest(question, self._chain)
        return self._wei(_bytes(question, "address", ADDRESS))

    def _balances(self, question: EtherscanRequest) -> Any:
        _require_latest(question, self._chain)
        accounts = [account.lower() for account in question.fields.get("address", "").split(",")]
        encoded: list[Any] = [ADDRESS.encode(account) for account in accounts]
        if len(accounts) > 20 or UNFIT in encoded:
            raise _unknown(question, self._chain)
        return [{"account": account, "balance": self._wei(raw)} for account, raw in zip(accounts, encoded, strict=True)]

    def _wei(self, address: bytes) -> str:
        return str(self._chain.account(address, self._height).balance)

    def _receipt_status(self, question: EtherscanRequest) -> Any:
        receipt = self._chain.receipt(_bytes(question, "txhash", HASH), self._height)
        return {"status": "" if receipt is None else str(int(field(receipt, "status"), 16))}

    def _status(self, question: EtherscanRequest) -> Any:
        """Of what succeeded, or is not there: why a transaction failed is in no table."""
        receipt = self._chain.receipt(_bytes(question, "txhash", HASH), self._height)
        if receipt is not None and field(receipt, "status") != "0x1":
            raise _unknown(question, self._chain)
        return {"isError": "0", "errDescription": ""}

    def _by_time(self, question: EtherscanRequest) -> Any:
        moment, closest = whole(question.fields.get("timestamp", "")), question.fields.get("closest", "")
        if closest not in ("before", "after") or moment is None:
            raise _unknown(question, self._chain)
        return str(nearest_block(self._chain, moment, closest == "after", self._height))

    def _node_block(self, question: EtherscanRequest) -> Any:
        full = {"true": True, "false": False}.get(question.fields.get("boolean", ""))
        if full is None:
            raise _unknown(question, self._chain)
        number = self._tag(question)
        return None if number > self._height else self._chain.block(number, full)

    def _node_count(self, question: EtherscanRequest) -> Any:
        number = self._tag(question)
        return None if number > self._height else hex(len(self._chain.block(number, False)["transactions"]))

    def _node_uncle(self, question: EtherscanRequest) -> Any:
        number = self._tag(question)
        if number <= self._height and self._chain.header(number).get("uncles") != []:
            raise _unknown(question, self._chain)
        return None

    def _node_code(self, question: EtherscanRequest) -> Any:
        row = self._chain.account(self._node_bytes(question, "address", ADDRESS), self._state(question))
        return to_hex(self._chain.code(row.code_hash))

    def _node_nonce(self, question: EtherscanRequest) -> Any:
        return hex(self._chain.account(self._node_bytes(question, "address", ADDRESS), self._state(question)).nonce)

    def _node_storage(self, question: EtherscanRequest) -> Any:
        position = question.fields.get("position", "")
        if not _QUANTITY.fullmatch(position):
            raise _unknown(question, self._chain)
        slot = int(position, 16).to_bytes(32, "big")
        address = self._node_bytes(question, "address", ADDRESS)
        return to_hex(self._chain.storage(address, slot, self._state(question)))

    def _node_transaction(self, question: EtherscanRequest) -> Any:
        return self._chain.transaction(self._node_bytes(question, "txhash", HASH), self._height)

    def _node_receipt(self, question: EtherscanRequest) -> Any:
        return self._chain.receipt(self._node_bytes(question, "txhash", HASH), self._height)

    def _tag(self, question: EtherscanRequest) -> int:
        text = question.fields.get("tag", "")
        if text in ("latest", "earliest"):
            return self._height if text == "latest" else 0
        if not _QUANTITY.fullmatch(text):
            raise _unknown(question, self._chain)
        return int(text, 16)

    def _state(self, question: EtherscanRequest) -> int:
        number = self._tag(question)
        if number > self._height:
            raise _unknown(question, self._chain)
        return number

    def _node_bytes(self, question: EtherscanRequest, name: str, form: Any) -> bytes:
        found: Any = form.encode(question.fields.get(name, ""))
        if found is UNFIT:
            raise _unknown(question, self._chain)
        return bytes(found)


def _require_latest(question: EtherscanRequest, chain: ChainSource) -> None:
    if question.fields.get("tag", "latest") not in ("", "latest"):
        raise _unknown(question, chain)


def _filters(question: EtherscanRequest) -> list[LogFilter] | None:
    """Filters any of which a log of the answer matches; None where the vendor's meaning is not plain."""
    fields = question.fields
    addresses = frozenset({_bytes(question, "address", ADDRESS)} if fields.get("address") else ())
    topics = {at: _bytes(question, f"topic{at}", HASH) for at in range(4) if fields.get(f"topic{at}")}
    if not topics:
        return [LogFilter(addresses)] if addresses else None
    places = sorted(topics)
    needed = {f"topic{left}_{right}_opr" for left, right in pairwise(places)}
    given = {name: text.lower() for name, text in fields.items() if name.endswith("_opr")}
    if not needed <= given.keys() or len(set(given.values())) > 1 or not set(given.values()) <= {"and", "or"}:
        return None

    def at(*wanted: int) -> tuple[frozenset[bytes], ...]:
        return tuple(frozenset({topics[place]} if place in wanted else ()) for place in range(4))

    if "or" in given.values():
        return [LogFilter(addresses, at(place)) for place in places]
    return [LogFilter(addresses, at(*places))]


def _bytes(question: EtherscanRequest, name: str, form: Any) -> bytes:
    found: Any = form.encode(question.fields.get(name, ""))
    if found is UNFIT:
        raise Miss("http", question.words(), f"{name} is malformed: recorded answers only")
    return bytes(found)


def _unknown(question: EtherscanRequest, chain: ChainSource) -> Miss:
    return Miss("http", question.words(), f"no table of {chain.name} says this")


_LISTS: Final[dict[tuple[str, str], Callable[[Table, EtherscanRequest, Window, Tokens], list[Row]]]] = {
    ("account", "txlist"): Table._txlist,
    ("account", "tokentx"): partial(Table._transfers, topics=3),
    ("account", "tokennfttx"): partial(Table._transfers, topics=4),
    ("logs", "getLogs"): Table._get_logs,
}
_FACTS: Final[dict[tuple[str, str], Callable[[Table, EtherscanRequest], Any]]] = {
    ("account", "balance"): Table._balance,
    ("account", "balancemulti"): Table._balances,
    ("transaction", "gettxreceiptstatus"): Table._receipt_status,
    ("transaction", "getstatus"): Table._status,
    ("block", "getblocknobytime"): Table._by_time,
    ("proxy", "eth_blockNumber"): lambda table, question: hex(table._height),
    ("proxy", "eth_getBlockByNumber"): Table._node_block,
    ("proxy", "eth_getBlockTransactionCountByNumber"): Table._node_count,
    ("proxy", "eth_getUncleByBlockNumberAndIndex"): Table._node_uncle,
    ("proxy", "eth_getTransactionByHash"): Table._node_transaction,
    ("proxy", "eth_getTransactionReceipt"): Table._node_receipt,
    ("proxy", "eth_getCode"): Table._node_code,
    ("proxy", "eth_getTransactionCount"): Table._node_nonce,
    ("proxy", "eth_getStorageAt"): Table._node_storage,
}
