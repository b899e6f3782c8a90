"""The explorer's logs, block and transaction modules."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from caia_worldgen.services.etherscan_account import tips_wei
from caia_worldgen.services.etherscan_form import (
    Parameters,
    Refusal,
    address_in,
    blocks_in,
    decimal,
    hash_in,
    listed,
    number_in,
    page_of,
    told,
)
from caia_worldgen.services.etherscan_history import History, Mined, Rpc

_LONGEST: Final = 1_000
_LAST_BLOCKS: Final = 10


def get_logs(history: History, parameters: Parameters, head: int) -> Any:
    """Events of an address, of topics, or of both, oldest first."""
    first, last = blocks_in(parameters, "fromblock", "toblock", head)
    address = address_in(parameters) if parameters.get("address") else None
    fits = _topic_test(parameters)
    if address is None and fits is None:
        raise Refusal("Error! Missing address or topic parameters")
    found = [
        (mined, log)
        for mined, log in history.logs
        if first <= mined.block <= last and address in (None, log["address"]) and (fits is None or fits(log["topics"]))
    ]
    return listed([_log(*pair) for pair in page_of(found, parameters, _LONGEST)], "No records found")


def block_reward(history: History, parameters: Parameters, head: int) -> Any:
    """A block and what its fee recipient was paid."""
    number = number_in(parameters, "blockno")
    if number > head:
        raise Refusal("Error! Block number does not exist")
    block = history.blocks[number]
    return told(
        {
            "blockNumber": str(number),
            "timeStamp": decimal(block["timestamp"]),
            "blockMiner": block["miner"],
            "blockReward": str(tips_wei(history, number)),
            "uncles": [],
            "uncleInclusionReward": "0",
        }
    )


def block_countdown(history: History, parameters: Parameters, head: int) -> Any:
    """How long until a block, at the pace of the last ten."""
    number = number_in(parameters, "blockno")
    if number <= head:
        raise Refusal("Error! Block number already pass")
    since = max(0, head - _LAST_BLOCKS)
    times = history.stage.calendar.times
    tenths = (number - head) * (times[head] - times[since]) * 10 // max(1, head - since)
    return told(
        {
            "CurrentBlock": str(head),
            "CountdownBlock": str(number),
            "RemainingBlock": str(number - head),
            "EstimateTimeInSec": f"{tenths // 10}.{tenths % 10}",
        }
    )


def block_by_time(history: History, parameters: Parameters, head: int) -> Any:
    """The block nearest to a moment, before or after it; a block at the moment itself is both."""
    moment, closest = number_in(parameters, "timestamp"), parameters.get("closest", "")
    times = history.stage.calendar.times[: head + 1]
    if closest not in ("before", "after"):
        raise Refusal("Error! Invalid value for closest parameter")
    number = bisect_right(times, moment) - 1 if closest == "before" else bisect_left(times, moment)
    if not 0 <= number <= head:
        raise Refusal("Error! No closest block found")
    return told(str(number))


def transaction_status(history: History, parameters: Parameters, head: int) -> Any:
    """Whether a transaction failed, and how."""
    mined = _known(history, parameters, head)
    failed = mined is not None and mined.receipt["status"] != "0x1"
    words = ""
    if mined is not None and failed:
        traces = history.stage.ask("trace_transaction", mined.transaction["hash"])
        words = next((trace["error"] for trace in traces if trace.get("error")), "")
    return told({"isError": "1" if failed else "0", "errDescription": words})


def receipt_status(history: History, parameters: Parameters, head: int) -> Any:
    """ "1" for success, "0" for failure, nothing for a transaction nobody knows."""
    mined = _known(history, parameters, head)
    return told({"status": "" if mined is None else decimal(mined.receipt["status"])})


def _known(history: History, parameters: Parameters, head: int) -> Mined | None:
    mined = history.by_hash.get(hash_in(parameters))
    return mined if mined is not None and mined.block <= head else None


def _topic_test(parameters: Parameters) -> Callable[[list[str]], bool] | None:
    """Topics joined from the left by the operators between neighbours, "and" where none is named."""
    wanted = [(at, parameters[f"topic{at}"].lower()) for at in range(4) if parameters.get(f"topic{at}")]
    if not wanted:
        return None
    joined = [
        parameters.get(f"topic{left}_{right}_opr", "and").lower() == "or" for (left, _), (right, _) in pairwise(wanted)
    ]

    def fits(topics: list[str]) -> bool:
        has = [at < len(topics) and topics[at] == topic for at, topic in wanted]
        found = has[0]
        for either, more in zip(joined, has[1:], strict=True):
            found = (found or more) if either else (found and more)
        return found

    return fits


def _log(mined: Mined, log: Rpc) -> Rpc:
    """The vendor writes zero as "0x" here."""
    hexadecimal = {
        "blockNumber": log["blockNumber"],
        "timeStamp": mined.header["timestamp"],
        "gasPrice": mined.receipt["effectiveGasPrice"],
        "gasUsed": mined.receipt["gasUsed"],
        "logIndex": log["logIndex"],
        "transactionIndex": log["transactionIndex"],
    }
    return {
        "address": log["address"],
        "topics": log["topics"],
        "data": log["data"],
        "blockHash": log["blockHash"],
        "transactionHash": log["transactionHash"],
        **{name: "0x" if text == "0x0" else text for name, text in hexadecimal.items()},
    }
