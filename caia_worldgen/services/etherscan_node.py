"""The explorer's proxy module (a node's own methods), and what it computes of a whole chain: supply, price, gas."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from caia_replay.errors import ForkFault
from caia_worldgen.chain import GWEI
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.price import E8
from caia_worldgen.services.etherscan_form import Parameters, Refusal, told
from caia_worldgen.services.etherscan_history import History, Rpc
from caia_worldgen.venue import HOUR_S

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")
_QUANTITY: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")
_DATA: Final = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_LOOKED_AT: Final = 5


class _Fault(Exception):
    """A node's own error."""


def node_answer(history: History, action: str, parameters: Parameters, head: int) -> Any:
    """The answer of one method in JSON-RPC's envelope. Raises ``Refusal`` for a method that is not passed on."""
    if action not in _METHODS:
        raise Refusal("Error! Missing Or invalid Action name")
    try:
        return {"jsonrpc": "2.0", "id": 1, "result": _METHODS[action](history, parameters, head)}
    except _Fault as fault:
        return {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": str(fault)}}
    except ForkFault:
        return {"jsonrpc": "2.0", "id": 1, "error": {"code": 3, "message": "execution reverted"}}


def ether_supply(history: History) -> Any:
    """The coins there are, in wei; fees that were burnt are not taken off."""
    return told(str(history.stage.genesis_supply_wei))


def ether_price(book: MarketBook, now: int) -> Any:
    """The native coin's price in dollars and, as "btc", in the dearest layer-1 coin of another network."""
    others = [coin for coin in book.listed(now) if coin.category == "layer-1" and coin.role != "native"]
    native = next(coin for coin in book.coins if coin.role == "native")
    usd = book.prices.price_e8(native, now) or 0
    btc = max((book.prices.price_e8(coin, now) or 0 for coin in others), default=0) or usd
    ratio = usd * E8 // btc
    moment = str(book.prices.first + book.prices.hour_of(now) * HOUR_S)
    return told(
        {
            "ethbtc": f"{ratio // E8}.{ratio % E8:08d}",
            "ethbtc_timestamp": moment,
            "ethusd": f"{usd // E8}.{usd % E8 // 10**6:02d}",
            "ethusd_timestamp": moment,
        }
    )


def gas_oracle(history: History, head: int) -> Any:
    """What to pay, in gwei: the next block's base fee, and with it the tips of the newest blocks."""
    blocks = [history.blocks[number] for number in range(max(0, head - _LOOKED_AT + 1), head + 1)]
    base = _next_base_fee(history.blocks[head])
    tips = sorted(
        int(found.receipt["effectiveGasPrice"], 16) - int(found.header["baseFeePerGas"], 16)
        for found in history.up_to(history.mined, head - _LOOKED_AT + 1, head)
    ) or [0]
    safe, proposed, fast = (base + tips[len(tips) * part // 100] for part in (10, 50, 90))
    ratios = [int(block["gasUsed"], 16) * 10**9 // int(block["gasLimit"], 16) for block in blocks]
    return told(
        {
            "LastBlock": str(head),
            "SafeGasPrice": _gwei(safe),
            "ProposeGasPrice": _gwei(proposed),
            "FastGasPrice": _gwei(fast),
            "suggestBaseFee": _gwei(base),
            "gasUsedRatio": ",".join(_gwei(ratio) for ratio in ratios),
        }
    )


def _gwei(amount: int) -> str:
    """A thousand-millionth of an amount in decimal digits, without zeros at the end."""
    return f"{amount // GWEI}.{amount % GWEI:09d}".rstrip("0").rstrip(".")


def _next_base_fee(block: Rpc) -> int:
    """EIP-1559."""
    base, used, target = (int(block[name], 16) for name in ("baseFeePerGas", "gasUsed", "gasLimit"))
    target //= 2
    change = base * abs(used - target) // target // 8
    return base + max(1, change) if used > target else base - change if used < target else base


def _block(parameters: Parameters, head: int, name: str = "tag") -> int | None:
    """The block a tag names; None for one that does not exist yet."""
    text = parameters.get(name, "") or "latest"
    if text in ("latest", "earliest"):
        return head if text == "latest" else 0
    number = int(_need(_QUANTITY, text, name), 16)
    return number if number <= head else None


def _state(parameters: Parameters, head: int) -> str:
    number = _block(parameters, head)
    if number is None:
        raise _Fault("header not found")
    return hex(number)


def _need(pattern: re.Pattern[str], text: str, name: str) -> str:
    if not pattern.fullmatch(text):
        raise _Fault(f"invalid argument: {name}")
    return text.lower()


def _address(parameters: Parameters, name: str) -> str:
    return _need(_ADDRESS, parameters.get(name, ""), name)


def _get_block(history: History, parameters: Parameters, head: int) -> Any:
    number, full = _block(parameters, head), parameters.get("boolean", "true").lower() == "true"
    return None if number is None else history.stage.ask("eth_getBlockByNumber", hex(number), full)


def _count(history: History, parameters: Parameters, head: int) -> Any:
    number = _block(parameters, head)
    return None if number is None else hex(len(history.blocks[number]["transactions"]))


def _by_hash(history: History, parameters: Parameters, head: int, receipt: bool) -> Any:
    mined = history.by_hash.get(_need(_HASH, parameters.get("txhash", ""), "txhash"))
    if mined is None or mined.block > head:
        return None
    method = "eth_getTransactionReceipt" if receipt else "eth_getTransactionByHash"
    return history.stage.ask(method, mined.transaction["hash"])


def _call(history: History, parameters: Parameters, head: int) -> Any:
    to, data = _address(parameters, "to"), _need(_DATA, parameters.get("data", ""), "data")
    return history.stage.ask("eth_call", {"to": to, "data": data}, _state(parameters, head))


def _of_account(method: str) -> Callable[[History, Parameters, int], Any]:
    def answer(history: History, parameters: Parameters, head: int) -> Any:
        return history.stage.ask(method, _address(parameters, "address"), _state(parameters, head))

    return answer


def _storage(history: History, parameters: Parameters, head: int) -> Any:
    slot = int(_need(_QUANTITY, parameters.get("position", ""), "position"), 16)
    address = _address(parameters, "address")
    return history.stage.ask("eth_getStorageAt", address, hex(slot), _state(parameters, head))


_METHODS: Final[dict[str, Callable[[History, Parameters, int], Any]]] = {
    "eth_blockNumber": lambda history, parameters, head: hex(head),
    "eth_getBlockByNumber": _get_block,
    "eth_getBlockTransactionCountByNumber": _count,
    "eth_getUncleByBlockNumberAndIndex": lambda history, parameters, head: None,
    "eth_getTransactionByHash": partial(_by_hash, receipt=False),
    "eth_getTransactionReceipt": partial(_by_hash, receipt=True),
    "eth_call": _call,
    "eth_getCode": _of_account("eth_getCode"),
    "eth_getTransactionCount": _of_account("eth_getTransactionCount"),
    "eth_getStorageAt": _storage,
    "eth_gasPrice": lambda history, parameters, head: hex(_next_base_fee(history.blocks[head]) + GWEI),
}
