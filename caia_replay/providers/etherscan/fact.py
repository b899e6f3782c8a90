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
from caia_replay.providers.endpoint import answered_at, content_of, content_or_none, is_of_now
from caia_replay.providers.etherscan.height import Heights, timestamp
from caia_replay.providers.etherscan.request import EtherscanRequest, number, question_of, whole

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

_BY_TIME: Final = ("block", "getblocknobytime")
_REFUSAL: Final = "Error!"
"""How the vendor begins most refusals of a question."""

Content = Mapping[str, Any]


def holds(question: EtherscanRequest, found: Recorded, now: int, heights: Heights) -> bool:
    """Whether a recording of exactly this question is its answer at ``now``."""
    try:
        if found.reply.status != 200:
            return is_of_now(found, now)
        content = content_of(found.reply)
        if not isinstance(content, dict) or not content.keys() & {"result", "error"}:
            return False
        if _is_said_of_the_question(content):
            return True
        if question.key == _BY_TIME and content.get("status") == "1" and _told_block(found) is None:
            return False
        if is_of_now(found, now):
            return _had_come(question, content, now, heights) is not False
        asked = answered_at(found.reply)
        settled = _is_settled(question, content, now, heights, asked)
        return settled and ((asked is not None and asked <= now) or _had_come(question, content, now, heights) is True)
    except (Miss, ValueError, LookupError, TypeError, AttributeError):
        return False


def is_refusal(question: EtherscanRequest, found: Recorded, now: int) -> bool:
    """Whether a list's recording, which has no rows, refuses the question: for ever, or in the vendor's words at
    ``now``. Any other word in a list's place may be the vendor's trouble of that minute."""
    if found.reply.status != 200:
        return is_of_now(found, now)
    content = content_or_none(found.reply)
    if not isinstance(content, dict):
        return False
    said = content.get("result")
    worded = content.get("status") == "0" and isinstance(said, str) and said.startswith(_REFUSAL)
    return _is_said_of_the_question(content) or (worded and is_of_now(found, now))


def between(recorded: Sequence[Recorded], question: EtherscanRequest, now: int) -> HttpReply | None:
    """The block nearest to a moment, where it is the same for a recorded moment before it and one after it.

    Raises ``Miss`` where recordings contradict each other: no block is before the one of an earlier moment.
    """
    if question.key != _BY_TIME:
        return None
    wanted = _moment(question.fields)
    if wanted is None or wanted > now:
        return None
    items: list[tuple[int, int, HttpReply]] = []
    for found in recorded:
        moment, block, asked = _moment(question_of(found.request).fields), _told_block(found), answered_at(found.reply)
        if moment is not None and block is not None and asked is not None and moment <= asked:
            items.append((moment, block, found.reply))
    before = max((item for item in items if item[0] <= wanted), key=lambda item: item[1], default=None)
    after = min((item for item in items if item[0] >= wanted), key=lambda item: item[1], default=None)
    if before is None or after is None or before[1] < after[1]:
        return None
    if before[1] > after[1]:
        raise Miss("http", question.words(), "recorded answers, which contradict each other",
                   f"block {before[1]} up to moment {before[0]}, block {after[1]} from {after[0]} on")  # fmt: skip
    # Of "after", the block itself may be later than now: it lies at or after the later of the two moments.
    return before[2] if question.fields.get("closest") == "before" else None


def _told_block(found: Recorded) -> int | None:
    """The number an answer to the question for a moment's block gives."""
    content = content_or_none(found.reply)
    if found.reply.status != 200 or not isinstance(content, dict) or content.get("status") != "1":
        return None
    result = content.get("result")
    return whole(result) if isinstance(result, str) else None


def _is_said_of_the_question(content: Content) -> bool:
    if content.get("status") != "0":
        return False
    said = f"{content.get('message')} {content.get('result')}".lower()
    return any(words in said for words in _SAID_OF_THE_QUESTION)


def _is_settled(question: EtherscanRequest, content: Content, now: int, heights: Heights, asked: int | None) -> bool:
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
    if question.key == _BY_TIME:
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


def _had_come(question: EtherscanRequest, content: Content, now: int, heights: Heights) -> bool | None:
    """Whether what is told of was there at ``now``; None where that cannot be told."""
    module, action = question.key
    result = content.get("result")
    if module == "contract" and action != "getcontractcreation":
        return _was_verified(question, content, now, heights)
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
    if question.key == _BY_TIME and isinstance(result, str):
        # Before a moment that is not after now there is nothing that is after now.
        moment = _moment(question.fields)
        if question.fields.get("closest") == "before" and moment is not None and moment <= now:
            return True
        return _made_by(result, question, now, heights)
    return None


def _made_by(block: Any, question: EtherscanRequest, now: int, heights: Heights) -> bool | None:
    try:
        return timestamp(heights.chain(question.chain_id), number(block)) <= now
    except (Miss, ValueError):
        return None


def _was_verified(question: EtherscanRequest, content: Content, now: int, heights: Heights) -> bool | None:
    """Whether a told source is of code that stood at ``now``; None where the tables do not tell.

    Code does not change, so that a source verified later is the source of the code of then. When somebody verified it
    is in no table: a recording of later may tell a source that nobody could read yet.
    """
    result = content.get("result")
    value = result[0].get("SourceCode") if isinstance(result, list) and result else result
    address: Any = ADDRESS.encode(question.fields.get("address", ""))
    if content.get("status") != "1" or not value or address is UNFIT:
        return None
    try:
        chain = heights.chain(question.chain_id)
        row = chain.account(address, heights.at(question.chain_id, now))
    except Miss:
        return None
    return row.code_hash not in (EMPTY_CODE_HASH, NO_ACCOUNT_HASH)


def _source_is_settled(question: EtherscanRequest, result: Any, now: int, heights: Heights) -> bool:
    """Of a verified contract; of a proxy only while it stands for the same code."""
    if not isinstance(result, list) or len(result) != 1 or not isinstance(result[0], dict):
        return False
    row = result[0]
    if not row.get("SourceCode"):
        return False
    if row.get("Proxy") != "1":
        return True
    address: Any = ADDRESS.encode(question.fields.get("address", ""))
    chain, height = heights.chain(question.chain_id), heights.at(question.chain_id, now)
    return "0x" + chain.storage(address, _IMPLEMENTATION_SLOT, height)[-20:].hex() == str(row["Implementation"]).lower()


def _moment(fields: Mapping[str, str]) -> int | None:
    return whole(fields.get("timestamp", ""))
