"""Single answers of a Solana node: blocks and transactions of for good, and what is the case now.

A block or transaction with a ``blockTime`` is told at every moment from then on. Balances, supplies, accounts and
heights have no past on this chain's nodes: their recordings answer at their own moment and at no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from caia_replay.errors import Miss
from caia_replay.providers.endpoint import AS_OF_NOW_S, utc
from caia_replay.providers.solana.call import Call, Told

FOR_GOOD: Final = frozenset({"getBlock", "getTransaction", "getBlockTime"})
SOURCES: Final[Mapping[str, frozenset[str]]] = {
    "getBlockTime": frozenset({"getBlockTime", "getBlock"}),
    "getBalance": frozenset({"getBalance", "getAccountInfo"}),
}
"""Methods whose recordings can hold an answer to another one."""
_NOT_YET: Final = frozenset({-32004, -32005, -32014, -32016})
"""Errors about the node's own state: a block it does not have yet, being behind."""
_VERSIONED: Final = "maxSupportedTransactionVersion"
_PARSED: Final = (None, "json", "jsonParsed")

Part = Mapping[str, Any]


def fact(told: Sequence[Told], asked: Call, now: int, wanted: str) -> tuple[Part, Told]:
    """What a call is answered at ``now``, and the recording that says so. Raises ``Miss``.

    The answer is that recording's own where it was asked the same.
    """
    same = [one for one in told if one.call.key == asked.key]
    for one in sorted(same, key=lambda one: _far(one, now)):
        if not _is_put_off(one) and (_is_now(one, now) or (asked.method in FOR_GOOD and _was_so(one, now))):
            return one.part, one
    if asked.method in FOR_GOOD:
        for one in told:
            if one.call.subject[:1] == asked.subject[:1] and len(one.call.subject) == len(asked.subject) == 1:
                for result in _made_of(one, asked):
                    if _is_now(one, now) or _was_so(one, now):
                        return {"result": result}, one
    if asked.method == "getBalance":
        for one in told:
            if _is_now(one, now) and (result := _balance(one, asked)) is not None:
                return {"result": result}, one
    made = [one.made for one in same if one.made is not None]
    when = f"{len(same)} recordings of it" + (
        f", the nearest at {utc(min(made, key=lambda at: abs(at - now)))}" if made else ""
    )
    raise Miss("http", wanted, when if same else "this call is not recorded")


def _far(told: Told, now: int) -> tuple[bool, int]:
    return told.made is None, abs((told.made or 0) - now)


def _is_now(told: Told, now: int) -> bool:
    """Made about now, and silent about later where it says when something was."""
    if told.made is None or abs(told.made - now) > AS_OF_NOW_S:
        return False
    at = _moment(told)
    return at is None or at <= now


def _was_so(told: Told, now: int) -> bool:
    """Whether a result of for good was there at ``now``, as finalized: newer ones may still be taken back."""
    at = _moment(told)
    return at is not None and at <= now and "commitment" not in told.call.options


def _moment(told: Told) -> int | None:
    """When what a result of for good tells of happened."""
    result = told.result
    at = result.get("blockTime") if isinstance(result, dict) else result if told.call.method == "getBlockTime" else None
    return at if type(at) is int else None


def _is_put_off(told: Told) -> bool:
    error = told.part.get("error")
    return isinstance(error, dict) and error.get("code") in _NOT_YET


def _made_of(told: Told, asked: Call) -> Iterator[Any]:
    """The answer to another question about the same block or transaction, if a result holds it."""
    result, have, want = told.result, told.call.options, asked.options
    if not isinstance(result, dict):
        return
    if asked.method == "getBlockTime" and told.call.method == "getBlock":
        if not asked.options and "blockTime" in result:
            yield result["blockTime"]
        return
    varying = (_VERSIONED, "transactionDetails", "rewards") if asked.method == "getBlock" else (_VERSIONED,)
    if told.call.method != asked.method or have.get(_VERSIONED, 0) != 0:
        return
    details, full = want.get("transactionDetails", "full"), have.get("transactionDetails", "full") == "full"
    left_out = (*varying, *(("encoding",) if details in ("signatures", "none") else ()))
    if told.call.without(*left_out) != asked.without(*left_out):
        return
    if details != have.get("transactionDetails", "full") and not full:
        return
    if want.get("rewards", True) and not have.get("rewards", True):
        return
    made = _of_version(result, have, want, asked.method)
    made = None if made is None else _in_detail(made, details, have)
    if made is not None:
        yield made if want.get("rewards", True) else {name: value for name, value in made.items() if name != "rewards"}


def _of_version(result: Part, have: Part, want: Part, method: str) -> dict[str, Any] | None:
    """A result as it is told to who understands ``want``'s versions: who names none gets no ``version``."""
    if want.get(_VERSIONED) == have.get(_VERSIONED):
        return dict(result)
    if want.get(_VERSIONED) is not None:
        return None
    if method == "getTransaction":
        rest = {name: value for name, value in result.items() if name != "version"}
        return rest if result.get("version") == "legacy" else None
    rows = result.get("transactions")
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.get("version") == "legacy" for row in rows):
        return None
    return {**result, "transactions": [{name: row[name] for name in row if name != "version"} for row in rows]}


def _in_detail(result: dict[str, Any], details: str, have: Part) -> dict[str, Any] | None:
    """A block with less of its transactions."""
    if details == have.get("transactionDetails", "full"):
        return result
    rows, rest = result.get("transactions"), {name: value for name, value in result.items() if name != "transactions"}
    if details == "none":
        return rest
    if details != "signatures" or have.get("encoding") not in _PARSED or not isinstance(rows, list):
        return None
    try:
        return {**rest, "signatures": [row["transaction"]["signatures"][0] for row in rows]}
    except (KeyError, TypeError, IndexError):
        return None


def _balance(told: Told, asked: Call) -> Any:
    """An account's lamports out of the account itself."""
    result = told.result
    if told.call.method != "getAccountInfo" or told.call.subject != asked.subject or asked.without("commitment"):
        return None
    if told.call.options.get("commitment") != asked.options.get("commitment") or not isinstance(result, dict):
        return None
    value = result.get("value")
    lamports = value.get("lamports") if isinstance(value, dict) else None
    return {"context": result.get("context"), "value": lamports} if type(lamports) is int else None
