"""The explorer's account module: balances, and the transactions, transfers and blocks of an address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from caia_replay.errors import ForkFault
from caia_worldgen.services.etherscan_form import (
    Parameters,
    Refusal,
    address_in,
    blocks_in,
    checked_address,
    decimal,
    hash_in,
    listed,
    page_of,
    sorted_page,
    told,
)
from caia_worldgen.services.etherscan_history import History, Internal, Mined, Rpc

PAID: Final = "Sorry, it looks like you are trying to access an API Pro endpoint. Contact us to upgrade to API Pro."
_MOST_ACCOUNTS: Final = 20


def balance(history: History, parameters: Parameters, head: int) -> Any:
    """An account's wei."""
    _need_latest(parameters)
    return told(_balance(history, address_in(parameters), head))


def balancemulti(history: History, parameters: Parameters, head: int) -> Any:
    """The wei of up to twenty accounts, in the order asked."""
    _need_latest(parameters)
    accounts = [checked_address(text) for text in parameters.get("address", "").split(",")]
    if len(accounts) > _MOST_ACCOUNTS:
        raise Refusal(f"Error! Maximum of {_MOST_ACCOUNTS} addresses in a single request")
    return told([{"account": account, "balance": _balance(history, account, head)} for account in accounts])


def tokenbalance(history: History, parameters: Parameters, head: int) -> Any:
    """What an account holds of a token, in smallest units."""
    token, owner = address_in(parameters, "contractaddress"), address_in(parameters)
    _need_latest(parameters)
    return told(_number(history, token, "0x70a08231" + owner[2:].rjust(64, "0"), head))


def tokensupply(history: History, parameters: Parameters, head: int) -> Any:
    """How much there is of a token, in smallest units."""
    return told(_number(history, address_in(parameters, "contractaddress"), "0x18160ddd", head))


def txlist(history: History, parameters: Parameters, head: int) -> Any:
    """The transactions an address sent or received, and the one that created it."""
    mined = history.by_account.get(address_in(parameters), [])
    found = history.up_to(mined, *blocks_in(parameters, "startblock", "endblock", head))
    return listed([_transaction(item, head) for item in sorted_page(found, parameters)])


def txlistinternal(history: History, parameters: Parameters, head: int) -> Any:
    """Calls that moved coins, and creations: of a transaction, an address, or a range of blocks."""
    if parameters.get("txhash"):
        mined = history.by_hash.get(hash_in(parameters))
        if mined is None or mined.block > head:
            return listed([])
        rows = [_internal(item) for item in history.internals_of(mined.transaction["hash"])]
        return listed([{name: row[name] for name in row if name not in ("hash", "traceId")} for row in rows])
    first, last = blocks_in(parameters, "startblock", "endblock", head)
    found = [item for item in history.internals if first <= item.mined.block <= last]
    if parameters.get("address"):
        account = address_in(parameters)
        found = [item for item in found if account in _parties(item)]
    return listed([_internal(item) for item in sorted_page(found, parameters)])


def tokentx(history: History, parameters: Parameters, head: int) -> Any:
    """Movements of tokens that are alike (ERC-20)."""
    return _transfers(history, parameters, head, topics=3)


def tokennfttx(history: History, parameters: Parameters, head: int) -> Any:
    """Movements of tokens that are each one of a kind (ERC-721)."""
    return _transfers(history, parameters, head, topics=4)


def getminedblocks(history: History, parameters: Parameters, head: int) -> Any:
    """The blocks whose fees went to an address, newest first; uncles there are none."""
    miner, uncles = address_in(parameters), parameters.get("blocktype", "blocks") == "uncles"
    found = [] if uncles else [block for block in history.blocks[head::-1] if block["miner"] == miner]
    rows = [
        {
            "blockNumber": decimal(block["number"]),
            "timeStamp": decimal(block["timestamp"]),
            "blockReward": str(tips_wei(history, int(block["number"], 16))),
        }
        for block in page_of(found, parameters)
    ]
    return listed(rows)


def tips_wei(history: History, number: int) -> int:
    """What the fee recipient of a block was paid: the fees without what was burnt."""
    base = int(history.blocks[number]["baseFeePerGas"], 16)
    return sum(
        (int(found.receipt["effectiveGasPrice"], 16) - base) * int(found.receipt["gasUsed"], 16)
        for found in history.up_to(history.mined, number, number)
    )


def _need_latest(parameters: Parameters) -> None:
    """Any other moment is the paid tier's."""
    if parameters.get("tag", "latest") not in ("", "latest"):
        raise Refusal(PAID)


def _balance(history: History, account: str, head: int) -> str:
    return decimal(history.stage.ask("eth_getBalance", account, hex(head)))


def _number(history: History, token: str, data: str, head: int) -> str:
    """One word a contract returns, as a number; what is no token has none of anything, as the vendor says it."""
    try:
        answer = history.call(token, data, head)
    except ForkFault:
        return "0"
    return str(int(answer, 16)) if len(answer) == 66 else "0"


def _transaction(found: Mined, head: int) -> Rpc:
    transaction, receipt = found.transaction, found.receipt
    failed = receipt["status"] != "0x1"
    return {
        **_shared(found, head),
        "to": transaction["to"] or "",
        "from": transaction["from"],
        "value": decimal(transaction["value"]),
        "input": transaction["input"],
        "contractAddress": receipt["contractAddress"] or "",
        "isError": "1" if failed else "0",
        "txreceipt_status": "0" if failed else "1",
    }


def _shared(found: Mined, head: int) -> Rpc:
    """What rows of transactions and of transfers have in common. Names of functions this explorer does not know."""
    transaction, receipt = found.transaction, found.receipt
    return {
        "blockNumber": str(found.block),
        "timeStamp": decimal(found.header["timestamp"]),
        "hash": transaction["hash"],
        "nonce": decimal(transaction["nonce"]),
        "blockHash": transaction["blockHash"],
        "transactionIndex": str(found.place),
        "gas": decimal(transaction["gas"]),
        "gasPrice": decimal(receipt["effectiveGasPrice"]),
        "gasUsed": decimal(receipt["gasUsed"]),
        "cumulativeGasUsed": decimal(receipt["cumulativeGasUsed"]),
        "methodId": transaction["input"][:10],
        "functionName": "",
        "confirmations": str(head - found.block + 1),
    }


def _parties(item: Internal) -> Sequence[str]:
    action, result = item.trace["action"], item.trace.get("result") or {}
    return [
        party
        for party in (
            action.get("from"),
            action.get("to"),
            action.get("address"),
            action.get("refundAddress"),
            result.get("address"),
        )
        if party
    ]


def _internal(item: Internal) -> Rpc:
    trace, action, result = item.trace, item.trace["action"], item.trace.get("result") or {}
    return {
        "blockNumber": str(item.mined.block),
        "timeStamp": decimal(item.mined.header["timestamp"]),
        "hash": item.mined.transaction["hash"],
        "from": action.get("from") or action.get("address"),
        "to": action.get("to") or action.get("refundAddress") or "",
        "value": decimal(action.get("value") or action.get("balance") or "0x0"),
        "contractAddress": result.get("address") or "",
        "input": "",
        "type": trace["type"],
        "gas": decimal(action.get("gas") or "0x0"),
        "gasUsed": decimal(result.get("gasUsed") or "0x0"),
        "traceId": "_".join(map(str, trace["traceAddress"])),
        "isError": "1" if item.failed else "0",
        "errCode": trace.get("error") or "",
    }


def _transfers(history: History, parameters: Parameters, head: int, topics: int) -> Any:
    account = address_in(parameters) if parameters.get("address") else None
    token = address_in(parameters, "contractaddress") if parameters.get("contractaddress") or not account else None
    first, last = blocks_in(parameters, "startblock", "endblock", head)
    found = [
        (mined, log)
        for mined, log in history.transfers
        if first <= mined.block <= last
        and len(log["topics"]) == topics
        and token in (None, log["address"])
        and (account is None or account[2:] in (log["topics"][1][26:], log["topics"][2][26:]))
    ]
    return listed([_transfer(history, mined, log, head) for mined, log in sorted_page(found, parameters)])


def _transfer(history: History, mined: Mined, log: Rpc, head: int) -> Rpc:
    named = history.token(log["address"])
    single = len(log["topics"]) == 4
    moved = {"tokenID": decimal(log["topics"][3])} if single else {"value": str(int(log["data"][2:66] or "0", 16))}
    return {
        **_shared(mined, head),
        **moved,
        "from": "0x" + log["topics"][1][26:],
        "to": "0x" + log["topics"][2][26:],
        "contractAddress": log["address"],
        "tokenName": named.name,
        "tokenSymbol": named.symbol,
        "tokenDecimal": named.decimals,
        "input": "deprecated",
    }
