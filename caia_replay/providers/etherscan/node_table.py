"""The explorer's proxy module out of a chain's tables: what a node says of blocks, transactions and plain state."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.column import ADDRESS, HASH, UNFIT, to_hex
from caia_replay.errors import Miss
from caia_replay.providers.etherscan.request import EtherscanRequest

_QUANTITY: Final = re.compile(r"0x[0-9a-f]{1,64}")


def node_content(chain: ChainSource, question: EtherscanRequest, height: int) -> Any:
    """The answer in JSON-RPC's envelope, where ``height`` is the newest block. Raises ``Miss``: nothing is executed."""
    of = _METHODS.get(question.key[1])
    if of is None:
        raise _unknown(chain, question)
    return {"jsonrpc": "2.0", "id": 1, "result": of(chain, question, height)}


def _block(chain: ChainSource, question: EtherscanRequest, height: int) -> Any:
    full = {"true": True, "false": False}.get(question.fields.get("boolean", ""))
    if full is None:
        raise _unknown(chain, question)
    number = _tag(chain, question, height)
    return None if number > height else chain.block(number, full)


def _count(chain: ChainSource, question: EtherscanRequest, height: int) -> Any:
    number = _tag(chain, question, height)
    return None if number > height else hex(len(chain.block(number, False)["transactions"]))


def _uncle(chain: ChainSource, question: EtherscanRequest, height: int) -> Any:
    number = _tag(chain, question, height)
    if number <= height and chain.header(number).get("uncles") != []:
        raise _unknown(chain, question)
    return None


def _code(chain: ChainSource, question: EtherscanRequest, height: int) -> Any:
    row = chain.account(_bytes(chain, question, "address", ADDRESS), _state(chain, question, height))
    return to_hex(chain.code(row.code_hash))


def _nonce(chain: ChainSource, question: EtherscanRequest, height: int) -> Any:
    return hex(chain.account(_bytes(chain, question, "address", ADDRESS), _state(chain, question, height)).nonce)


def _storage(chain: ChainSource, question: EtherscanRequest, height: int) -> Any:
    position = question.fields.get("position", "")
    if not _QUANTITY.fullmatch(position):
        raise _unknown(chain, question)
    slot = int(position, 16).to_bytes(32, "big")
    address = _bytes(chain, question, "address", ADDRESS)
    return to_hex(chain.storage(address, slot, _state(chain, question, height)))


def _transaction(chain: ChainSource, question: EtherscanRequest, height: int) -> Any:
    return chain.transaction(_bytes(chain, question, "txhash", HASH), height)


def _receipt(chain: ChainSource, question: EtherscanRequest, height: int) -> Any:
    return chain.receipt(_bytes(chain, question, "txhash", HASH), height)


def _tag(chain: ChainSource, question: EtherscanRequest, height: int) -> int:
    text = question.fields.get("tag", "")
    if text in ("latest", "earliest"):
        return height if text == "latest" else 0
    if not _QUANTITY.fullmatch(text):
        raise _unknown(chain, question)
    return int(text, 16)


def _state(chain: ChainSource, question: EtherscanRequest, height: int) -> int:
    number = _tag(chain, question, height)
    if number > height:
        raise _unknown(chain, question)
    return number


def _bytes(chain: ChainSource, question: EtherscanRequest, name: str, form: Any) -> bytes:
    found: Any = form.encode(question.fields.get(name, ""))
    if found is UNFIT:
        raise _unknown(chain, question)
    return bytes(found)


def _unknown(chain: ChainSource, question: EtherscanRequest) -> Miss:
    return Miss("http", question.words(), f"no table of {chain.name} says this")


_METHODS: Final[dict[str, Callable[[ChainSource, EtherscanRequest, int], Any]]] = {
    "eth_blockNumber": lambda chain, question, height: hex(height),
    "eth_getBlockByNumber": _block,
    "eth_getBlockTransactionCountByNumber": _count,
    "eth_getUncleByBlockNumberAndIndex": _uncle,
    "eth_getTransactionByHash": _transaction,
    "eth_getTransactionReceipt": _receipt,
    "eth_getCode": _code,
    "eth_getTransactionCount": _nonce,
    "eth_getStorageAt": _storage,
}
