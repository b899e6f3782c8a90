"""When a recorded answer that is no list still holds: facts of the past do for ever, once they came to be.

A recording made at the world's moment answers as it is. One made earlier answers what cannot change any more. One
made later answers that too, where it can be shown that what it tells of was there already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from caia_replay.chain.column import ADDRESS, UNFIT
from caia_replay.chain.state_row import EMPTY_CODE_HASH, NO_ACCOUNT_HASH
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at, content_of, is_of_now
from caia_replay.providers.etherscan_height import Heights, timestamp
from caia_replay.providers.etherscan_question import Question, number, question_of

_IMPLEMENTATION_SLOT: Final = bytes.fromhex("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")
"""Where a proxy keeps the address of its code (EIP-1967)."""

_SAID_OF_THE_QUESTION: Final = (
    "invalid address format",
    "invalid txn hash format",
    "missing or invalid action",
    "missing or invalid module",
    "missing or unsupported chainid",
    "api pro endpoint",
    "result window is too large",
)
"""Refusals that no moment changes."""

_NUMBERED: Final = frozenset({"eth_getBlockByNumber", "eth_getBlockTransactionCountByNumber", "eth_call", "eth_getCode",
                              "eth_getStorageAt", "eth_getTransactionCount",
                              "eth_getUncleByBlockNumberAndIndex"})  # fmt: skip

Content = Mapping[str, Any]


def holds(question: Question, found: Recorded, now: int, heights: Heights) -> bool:
    """Whether a recording of exactly this question is its answer at ``now``."""
    try:
        content = content_of(found.reply)
        if found.reply.status != 200 or not isinstance(content, dict):
            return is_of_now(found, now)
        if _is_said_of_the_question(content):
            return True
        if is_of_now(found, now):
            return _had_come(question, content, now, heights) is not False
        asked = answered_at(found.reply)
        settled = _is_settled(question, content, now, heights, asked)
        return settled and ((asked is not None and asked <= now) or _had_come(question, content, now, heights) is True)
    except (Miss, ValueError, KeyError, TypeError, AttributeError):
        return False


def between(recorded: Sequence[Recorded], question: Question, now: int) -> HttpReply | None:
    """The block nearest to a moment, where it is the same for a recorded moment before it and one after it."""
    if question.key != ("block", "getblocknobytime"):
        return None
    wanted = _moment(question.fields)
    if wanted is None or wanted > now:
        return None
    told: list[tuple[int, str, HttpReply]] = []
    for found in recorded:
        moment, content, asked = (
            _moment(question_of(found.request).fields),
            content_of(found.reply),
            answered_at(found.reply),
        )
        if moment is not None and content.get("status") == "1" and asked is not None and moment <= asked:
            told.append((moment, content["result"], found.reply))
    before = max((item for item in told if item[0] <= wanted), key=lambda item: item[0], default=None)
    after = min((item for item in told if item[0] >= wanted), key=lambda item: item[0], default=None)
    if before is None or after is None or before[1] != after[1]:
        return None
    # Of "after", the block itself may be later than now: it lies at or after the later of the two moments.
    return before[2] if question.fields.get("closest") == "before" else None


def _is_said_of_the_question(content: Content) -> bool:
    if content.get("status") != "0":
        return False
    said = f"{content.get('message')} {content.get('result')}".lower()
    return any(words in said for words in _SAID_OF_THE_QUESTION)


def _is_settled(question: Question, content: Content, now: int, heights: Heights, asked: int | None) -> bool:
    """Whether what is told can change no more, from when it first could be told on."""
    module, action = question.key
    result = content.get("result")
    if module == "proxy":
        if action in ("eth_getTransactionByHash", "eth_getTransactionReceipt"):
            return isinstance(result, dict) and result.get("blockNumber") is not None
        past = action in _NUMBERED and "result" in content and question.fields.get("tag", "").startswith("0x")
        return past and (result is not None or action == "eth_getUncleByBlockNumberAndIndex")
    if content.get("status") != "1":
        return False
    if (module, action) == ("contract", "getsourcecode"):
        return _source_is_settled(question, result, now, heights)
    if (module, action) == ("block", "getblocknobytime"):
        moment = _moment(question.fields)
        return moment is not None and asked is not None and moment <= min(asked, now)
    if (module, action) == ("transaction", "gettxreceiptstatus"):
        return isinstance(result, dict) and result.get("status") in ("0", "1")
    if (module, action) == ("transaction", "getstatus"):
        # A transaction nobody knows yet is told as one without an error.
        return isinstance(result, dict) and result.get("isError") == "1"
    if (module, action) == ("contract", "getcontractcreation"):
        # Contracts that are not there yet are left out of the list.
        asked_for = question.fields.get("contractaddresses", "").split(",")
        return isinstance(result, list) and len(result) == len(set(asked_for))
    if (module, action) == ("account", "txlistinternal"):
        return bool(result)
    return (module, action) in {("contract", "getabi"), ("block", "getblockreward")}


def _had_come(question: Question, content: Content, now: int, heights: Heights) -> bool | None:
    """Whether what is told of was there at ``now``; None where that cannot be told."""
    module, action = question.key
    result = content.get("result")
    if module == "contract" and action != "getcontractcreation":
        return _has_code(question, now, heights)
    if module == "proxy":
        if isinstance(result, dict) and result.get("timestamp"):
            return number(result["timestamp"]) <= now
        block = result.get("blockNumber") if isinstance(result, dict) else question.fields.get("tag")
        return _made_by(block, question, now, heights)
    if isinstance(result, dict) and result.get("timeStamp"):
        return number(result["timeStamp"]) <= now
    if isinstance(result, list):
        times = [row.get("timeStamp") or row.get("timestamp") for row in result if isinstance(row, dict)]
        if times and all(times):
            return all(number(moment) <= now for moment in times)
        return None
    if (module, action) == ("block", "getblocknobytime") and isinstance(result, str):
        # Before a moment that is not after now there is nothing that is after now.
        moment = _moment(question.fields)
        if question.fields.get("closest") == "before" and moment is not None and moment <= now:
            return True
        return _made_by(result, question, now, heights)
    return None


def _made_by(block: Any, question: Question, now: int, heights: Heights) -> bool | None:
    try:
        return timestamp(heights.chain(question.chain_id), number(block)) <= now
    except (Miss, ValueError):
        return None


def _has_code(question: Question, now: int, heights: Heights) -> bool | None:
    address: Any = ADDRESS.encode(question.fields.get("address", ""))
    if address is UNFIT:
        return None
    try:
        row = heights.chain(question.chain_id).account(address, heights.at(question.chain_id, now))
    except Miss:
        return None
    return row.code_hash not in (EMPTY_CODE_HASH, NO_ACCOUNT_HASH)


def _source_is_settled(question: Question, result: Any, now: int, heights: Heights) -> bool:
    """Of a verified contract; of a proxy only while it stands for the same code."""
    row = result[0]
    if not row.get("SourceCode"):
        return False
    if row.get("Proxy") != "1":
        return True
    address: Any = ADDRESS.encode(question.fields.get("address", ""))
    chain, height = heights.chain(question.chain_id), heights.at(question.chain_id, now)
    return "0x" + chain.storage(address, _IMPLEMENTATION_SLOT, height)[-20:].hex() == str(row["Implementation"]).lower()


def _moment(fields: Mapping[str, str]) -> int | None:
    text = fields.get("timestamp", "")
    return int(text) if text.isascii() and text.isdigit() else None
