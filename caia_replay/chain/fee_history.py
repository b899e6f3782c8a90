"""eth_feeHistory from recorded headers and receipts, as the execution API specification words it.

Every figure is a header's own, or follows from headers by EIP-1559 and EIP-4844. Where one is not
recorded, or only reconstructed, the whole answer is a ``Miss``: a series with a hole is no series.

The last fees are those of the block after the newest one. Up to the pin that block is recorded; at
the pin they are computed under the newest block's rules, as nodes do it. Chains may have rules of
their own for their base fee, so it is computed only where the newest block's own fee follows from
its parent's by EIP-1559, or where the parent is not recorded and the chain is known for that rule.

The pinned Anvil deviates, measured on 1.7.1: its last fees are always those of the block after its
head, whatever the newest block asked for; percentiles are rounded to whole numbers; a newest block
past its head, "safe" and a count of zero give an answer; blocks are missing until a cache of its own
has caught up; a genesis block before blobs has a blob fee of 1. Nothing here copies that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.manifest import HARDFORKS
from caia_replay.chain.rpc_parameter import at, block_number
from caia_replay.errors import Miss, ToolError

_MOST_BLOCKS: Final = 1024
_MOST_PERCENTILES: Final = 100
"""go-ethereum's limit."""

_CHANGE_DENOMINATOR: Final = 8
_ELASTICITY: Final = 2
_EIP_1559_CHAINS: Final = frozenset((1, 11155111, 17000, 560048))
"""Mainnet, Sepolia, Holesky and Hoodi: their base fee is known to have no other rule."""

_PRICED: Final = frozenset(("baseFeePerGas", "gasUsed", "gasLimit"))
"""The fields of a header that its child's base fee follows from."""

_BLOB_GAS: Final = 1 << 17
_BLOB_RULES: Final[Mapping[str, tuple[int, int, int]]] = {
    "cancun": (3 * _BLOB_GAS, 6 * _BLOB_GAS, 3_338_477),
    "prague": (6 * _BLOB_GAS, 9 * _BLOB_GAS, 5_007_716),
}
"""Mainnet's target and maximum of blob gas in a block, and the update fraction of its price (EIP-4844,
EIP-7691). Other chains chose others; from Osaka on they change between hard forks (EIP-7892)."""

_MAINNET: Final = 1
_OTHER_LEAST_BLOB_FEE: Final = frozenset((100, 10200))
"""Gnosis and Chiado, where blobs cost more than EIP-4844's one wei at least."""

_COUNT: Final = re.compile(r"0x[0-9a-fA-F]{1,64}|[0-9]{1,64}")

_Header = Mapping[str, Any]


def fee_history(chain: ChainSource, pin: int, params: Sequence[Any]) -> dict[str, Any]:
    """The result for ``[block count, newest block, percentiles]`` at block ``pin``.

    ``baseFeePerGas`` and ``baseFeePerBlobGas`` in wei, one more than there are blocks; ratios from 0
    to 1; ``reward`` in wei per gas, per block and percentile, only when percentiles are given. Fewer
    blocks than asked for only where the chain began. Raises ``Miss`` and ``ToolError``.
    """
    where = f"{chain.name} at block {pin}"
    count, percentiles = _count(at(params, 0)), _percentiles(at(params, 2))
    newest = block_number(at(params, 1), pin, where)
    numbers = range(max(newest - count + 1, 0), newest + 1)
    headers = [_header(chain, number) for number in numbers]
    following = _header(chain, newest + 1, required=False) if newest < pin else None
    out: dict[str, Any] = {
        "oldestBlock": hex(numbers[0]),
        "baseFeePerGas": [
            *(hex(_field(chain, header, "baseFeePerGas")) for header in headers),
            hex(_next_base_fee(chain, headers[-1], following)),
        ],
        "gasUsedRatio": [_gas_ratio(chain, header) for header in headers],
        "baseFeePerBlobGas": [
            *(hex(_blob_fee(chain, header)) for header in headers),
            hex(_next_blob_fee(chain, headers[-1], following)),
        ],
        "blobGasUsedRatio": [_blob_ratio(chain, header) for header in headers],
    }
    if percentiles:
        out["reward"] = [_rewards(chain, header, percentiles) for header in headers]
    return out


def next_base_fee(base_fee: int, gas_used: int, gas_limit: int) -> int:
    """The base fee in wei of the block after one of these figures (EIP-1559)."""
    target = gas_limit // _ELASTICITY
    change = base_fee * abs(gas_used - target) // max(target, 1) // _CHANGE_DENOMINATOR
    if gas_used == target:
        return base_fee
    return base_fee + max(change, 1) if gas_used > target else base_fee - change


def blob_base_fee(excess_blob_gas: int, update_fraction: int) -> int:
    """The price in wei of one unit of blob gas: e to the power of excess by fraction (EIP-4844)."""
    total, term, step = 0, update_fraction, 1
    while term > 0:
        total += term
        term = term * excess_blob_gas // (update_fraction * step)
        step += 1
    return total // update_fraction


def blob_price(chain: ChainSource, number: int, header: Mapping[str, Any]) -> int | None:
    """What BLOBBASEFEE gives in wei in a block with this header, under the rules of recorded block ``number``:
    that block itself, or one that a fork mined after it.

    None where that is not known. Before blobs there is no such opcode, and the price is 0.
    """
    recorded = {name: value for name, value in header.items() if name not in chain.reconstructed.get(number, ())}
    try:
        if int(header["number"], 16) != number:
            # The node counted on with a target of its own, which is the chain's where the next price is known.
            _next_blob_fee(chain, _header(chain, number), None)
        return _blob_fee(chain, {**recorded, "number": hex(number)})
    except Miss:
        return None


def _header(chain: ChainSource, number: int, required: bool = True) -> _Header:
    """A header's recorded fields without those that were reconstructed; none of an optional one that is not there."""
    try:
        header = chain.header(number)
    except Miss:
        if required:
            raise
        return {}
    absent = chain.reconstructed.get(number, ())
    return {"number": hex(number), **{name: value for name, value in header.items() if name not in absent}}


def _field(chain: ChainSource, header: _Header, name: str) -> int:
    value = header.get(name)
    if not isinstance(value, str):
        raise _miss(chain, header, name)
    return int(value, 16)


def _miss(chain: ChainSource, header: _Header, what: str) -> Miss:
    return Miss("block", f"{what} of block {int(header['number'], 16)}", chain.name)


def _next_base_fee(chain: ChainSource, newest: _Header, following: _Header | None) -> int:
    if following is not None and "baseFeePerGas" in following:
        return _field(chain, following, "baseFeePerGas")
    number = int(newest["number"], 16)
    fee = _field(chain, newest, "baseFeePerGas")
    parent = _header(chain, number - 1, required=False) if number else {}
    known = chain.chain_id in _EIP_1559_CHAINS
    if parent.keys() >= _PRICED:
        # A fee that stays as it was, as it does at its floor, tells nothing about the rule.
        known = _by_rule(chain, parent) == fee and (known or fee != _field(chain, parent, "baseFeePerGas"))
    if not known:
        raise _miss(chain, {"number": hex(number + 1)}, "baseFeePerGas")
    return _by_rule(chain, newest)


def _by_rule(chain: ChainSource, header: _Header) -> int:
    fee, used, limit = (_field(chain, header, name) for name in ("baseFeePerGas", "gasUsed", "gasLimit"))
    return next_base_fee(fee, used, limit)


def _gas_ratio(chain: ChainSource, header: _Header) -> float:
    used, limit = _field(chain, header, "gasUsed"), _field(chain, header, "gasLimit")
    if not limit:
        raise _miss(chain, header, "a gas limit above zero")
    return used / limit


def _before_blobs(chain: ChainSource, header: _Header) -> bool:
    """Whether the block provably comes before EIP-4844, where the specification says zero.

    Raises ``Miss`` for a header that has one blob field only, or none where its rules have blobs.
    """
    number = int(header["number"], 16)
    known = [name for name in ("blobGasUsed", "excessBlobGas") if name in header]
    absent = {"blobGasUsed", "excessBlobGas"}.intersection(chain.reconstructed.get(number, ()))
    if len(known) == 2:
        return False
    if known or absent or HARDFORKS.index(_rules(chain, header)) >= HARDFORKS.index("cancun"):
        raise _miss(chain, header, "blob gas")
    return True


def _rules(chain: ChainSource, header: _Header) -> str:
    number = int(header["number"], 16)
    if number < chain.heights[0][0]:
        raise _miss(chain, header, "hard fork")
    return chain.hardfork(number)


def _blob_rules(chain: ChainSource, header: _Header) -> tuple[int, int, int]:
    found = _BLOB_RULES.get(_rules(chain, header))
    if found is None or chain.chain_id != _MAINNET:
        raise _miss(chain, header, "blob gas target and price fraction")
    return found


def _blob_fee(chain: ChainSource, header: _Header) -> int:
    if _before_blobs(chain, header):
        return 0
    return _blob_price(chain, header, _field(chain, header, "excessBlobGas"))


def _blob_price(chain: ChainSource, header: _Header, excess: int) -> int:
    if excess:
        return blob_base_fee(excess, _blob_rules(chain, header)[2])
    if chain.chain_id in _OTHER_LEAST_BLOB_FEE:
        raise _miss(chain, header, "least price of blob gas")
    return 1


def _next_blob_fee(chain: ChainSource, newest: _Header, following: _Header | None) -> int:
    if following is not None and "excessBlobGas" in following:
        return _blob_fee(chain, following)
    if _before_blobs(chain, newest):
        return 0
    sum_of_both = _field(chain, newest, "excessBlobGas") + _field(chain, newest, "blobGasUsed")
    excess = max(sum_of_both - _blob_rules(chain, newest)[0], 0) if sum_of_both else 0
    return _blob_price(chain, newest, excess)


def _blob_ratio(chain: ChainSource, header: _Header) -> float:
    if _before_blobs(chain, header):
        return 0.0
    used = _field(chain, header, "blobGasUsed")
    return used / _blob_rules(chain, header)[1] if used else 0.0


def _rewards(chain: ChainSource, header: _Header, percentiles: Sequence[float]) -> list[str]:
    """Per percentile of the block's gas, transactions in ascending order of tip, the tip it falls on."""
    number = int(header["number"], 16)
    base_fee, used = _field(chain, header, "baseFeePerGas"), _field(chain, header, "gasUsed")
    paid: list[tuple[int, int]] = []
    for receipt in chain.receipts(number):
        price, gas = receipt.get("effectiveGasPrice"), receipt.get("gasUsed")
        if not isinstance(price, str) or not isinstance(gas, str) or int(price, 16) < base_fee:
            raise Miss("receipt", f"tip paid by {receipt.get('transactionHash')}", f"{chain.name}, block {number}")
        paid.append((int(price, 16) - base_fee, int(gas, 16)))
    if not paid:
        return [hex(0)] * len(percentiles)
    paid.sort(key=lambda item: item[0])
    out: list[str] = []
    place, reached = 0, paid[0][1]
    for percentile in percentiles:
        threshold = int(used * percentile / 100)
        while reached < threshold and place < len(paid) - 1:
            place += 1
            reached += paid[place][1]
        out.append(hex(paid[place][0]))
    return out


def _count(value: Any) -> int:
    count = value
    if isinstance(value, str):
        count = int(value, 16 if value.startswith("0x") else 10) if _COUNT.fullmatch(value) else None
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= _MOST_BLOCKS:
        raise ToolError(f"eth_feeHistory takes a block count from 1 to {_MOST_BLOCKS}, not {value!r:.60}")
    return count


def _percentiles(value: Any) -> list[float]:
    if value is None:
        return []
    plain = isinstance(value, list | tuple) and len(value) <= _MOST_PERCENTILES
    if not plain or any(isinstance(item, bool) or not isinstance(item, int | float) for item in value):
        raise ToolError(f"reward percentiles are a list of at most {_MOST_PERCENTILES} numbers, not {value!r:.60}")
    if any(not 0 <= item <= 100 for item in value) or any(after < before for before, after in pairwise(value)):
        raise ToolError(f"reward percentiles are from 0 to 100 and ascend, not {value!r:.60}")
    return [float(item) for item in value]
