"""Two witnesses: what the scenario wrote down as it went, and what the chain itself answers afterwards.

Movements are compared all, block by block, and deeds as far as their block speaks of them. Of the other facts
(balances, supplies, reserves and every view an act wrote down, at any height, and who was active on a day) any number
can be drawn by lot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from eth_abi import abi
from eth_abi.exceptions import DecodingError
from eth_utils.crypto import keccak

from caia_replay.core.task import ZERO_ADDRESS
from caia_replay.errors import CheckFailed
from caia_worldgen.artifact import load_artifact
from caia_worldgen.event import FAILED, ChainEvent
from caia_worldgen.ledger import Movement
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage

Ask = Callable[..., Any]
"""One JSON-RPC call that must succeed: method and parameters."""

_BLOCKS_AT_ONCE: Final = 100
_ENDS: Final = ("from", "to")

OFF_CHAIN: Final = frozenset(
    (
        # announcements, whom a look-alike looks like, and state, which views and storage tell
        ("announced a burn", "amount"), ("was allotted", "amount"),
        ("faked a transfer", "imitated"), ("sent nothing", "imitated"), ("paid a look-alike", "meant"),
        ("failed to purchase", "price_wei"), ("granted", "cliff"), ("upgraded", "before"),
        ("rug pulled", "reserve_wei"), ("defeated", "quorum"), ("succeeded", "quorum"),
        ("ran out of gas", "gas"),  # a field of the transaction that is no word
    )
)  # fmt: skip
"""Verb and figure of what the story knows and no transaction's data or event of its block says."""


def _topic(signature: str) -> str:
    return "0x" + keccak(text=signature).hex()


_TRANSFER: Final = _topic("Transfer(address,address,uint256)")
_DEPOSIT: Final = _topic("Deposit(address,uint256)")
_WITHDRAWAL: Final = _topic("Withdrawal(address,uint256)")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something the scenario says of its chain at the end of a block. ``answer`` is as eth_abi decodes it."""

    words: str
    block: int
    to: str
    data: bytes
    types: tuple[str, ...]
    answer: tuple[Any, ...]


def check_movements(stage: Stage, ask: Ask) -> int:
    """Compare every movement with the chain's own events, block by block. Returns how many agreed.

    Raises ``CheckFailed`` naming the first block, token and movement on which the two differ.
    """
    meant = stage.ledger.movements
    at = 0
    for first in range(0, stage.height, _BLOCKS_AT_ONCE):
        last = min(first + _BLOCKS_AT_ONCE, stage.height) - 1
        topics = [[_TRANSFER, _DEPOSIT, _WITHDRAWAL]]
        logs = ask("eth_getLogs", {"fromBlock": hex(first), "toBlock": hex(last), "topics": topics})
        told = Counter(found for found in map(_movement, logs) if found is not None)
        end = at
        while end < len(meant) and meant[end].block <= last:
            end += 1
        wanted = Counter(meant[at:end])
        if told != wanted:
            odd = sorted((told - wanted) + (wanted - told), key=lambda one: (one.block, one.token, one.amount))[0]
            raise CheckFailed(
                f"{stage.name}: {'the chain' if told[odd] > wanted[odd] else 'the ledger'} alone has {odd}"
            )
        at = end
    if at < len(meant):
        raise CheckFailed(f"{stage.name}: the ledger has {meant[at]} after the chain's last block, {stage.height - 1}")
    return len(meant)


def facts(stage: Stage, rng: Rng) -> Iterator[Fact]:
    """Facts drawn by lot, without end, or none of a chain on which nothing moved; each names itself."""
    tokens = [token for token in stage.ledger.tokens() if token not in stage.ledger.hollow]
    if not tokens:
        return
    token_functions = load_artifact("ProjectToken")
    views = stage.views.questions()
    while True:
        block = rng.number(1, stage.height - 1)
        kind = rng.number(1, 4 if views else 2)
        if kind == 1:
            token = rng.one(tokens)
            if not stage.ledger.within(token, 0, block):
                continue
            answer = (stage.ledger.supply(token, block),)
            data = token_functions.call("totalSupply", ())
            yield Fact(f"supply of {token}", block, token, data, ("uint256",), answer)
        elif kind == 2:
            token = rng.one(tokens)
            holders = stage.ledger.known(token)
            if not holders or not stage.ledger.within(token, 0, block):
                continue
            holder = rng.one(holders)
            answer = (stage.ledger.balance(token, holder, block),)
            data = token_functions.call("balanceOf", (holder,))
            yield Fact(f"balance of {holder} in {token}", block, token, data, ("uint256",), answer)
        else:
            question = rng.one(views)
            try:
                known = stage.views.answer(question, block)
            except KeyError:
                continue
            contract = stage.contracts[question.role]
            data = contract.artifact.call(question.function, question.arguments)
            types = contract.artifact.function(question.function).outputs
            words = f"{question.role}.{question.function}{question.arguments}"
            yield Fact(words, block, contract.address, data, types, known)


def check_fact(fact: Fact, ask: Ask) -> None:
    """Ask the chain. Raises ``CheckFailed`` when it answers anything else."""
    call = {"to": fact.to, "data": "0x" + fact.data.hex()}
    reply = bytes.fromhex(ask("eth_call", call, hex(fact.block))[2:])
    try:
        told = tuple(abi.decode(fact.types, reply))
    except (DecodingError, UnicodeDecodeError) as fault:
        raise CheckFailed(f"{fact.words} at block {fact.block}: the chain answers {reply.hex()[:80]!r}") from fault
    if told != fact.answer:
        raise CheckFailed(f"{fact.words} at block {fact.block}: the ledger says {fact.answer}, the chain {told}")


def check_days(stage: Stage, ask: Ask) -> int:
    """Compare who sent transactions on each day. Returns how many days agreed; raises ``CheckFailed``."""
    found: dict[int, set[str]] = {}
    for block in range(1, stage.height):
        for sent in ask("eth_getBlockByNumber", hex(block), True)["transactions"]:
            found.setdefault(stage.calendar.day_of(block), set()).add(sent["from"].lower())
    for day in sorted({*found, *stage.senders}):
        if found.get(day, set()) != stage.senders.get(day, set()):
            raise CheckFailed(f"{stage.name}: the ledger and the chain differ in who was active on day {day}")
    return len(found)


def check_deeds(stage: Stage, ask: Ask) -> int:
    """Find every deed in its block: its actor's failed transaction, or its figures among what the block says.

    What a block says is its transactions' data and values, and its events; an address or an amount of five digits and
    more must stand there as a 32-byte word, unless ``OFF_CHAIN`` has it. Returns how many figures and failures agreed;
    raises ``CheckFailed``.
    """
    by_block: dict[int, list[ChainEvent]] = {}
    for deed in stage.deeds:
        by_block.setdefault(deed.block, []).append(deed)
    agreed = 0
    for block in range(1, stage.height):
        sent = ask("eth_getBlockByNumber", hex(block), True)["transactions"]
        receipts = ask("eth_getBlockReceipts", hex(block))
        failed = Counter(one["from"] for one, told in zip(sent, receipts, strict=True) if told["status"] == "0x0")
        meant = Counter(deed.actor for deed in by_block.get(block, ()) if deed.verb in FAILED)
        if failed != meant:
            raise CheckFailed(f"{stage.name} block {block}: failed were {dict(failed)}, meant to fail {dict(meant)}")
        agreed += meant.total()
        said = _words(sent, receipts)
        for deed in by_block.get(block, ()):
            for name, figure in deed.figures:
                word = _word(figure)
                if word is None or (deed.verb, name) in OFF_CHAIN:
                    continue
                if word not in said:
                    raise CheckFailed(f"{stage.name} block {block} does not say the {name} of {deed}")
                agreed += 1
    return agreed


def _word(figure: int | str) -> str | None:
    """A figure as a 32-byte word in hex; None for a small number, which stands everywhere, and for a name."""
    if isinstance(figure, int):
        return f"{figure:064x}" if figure >= 10_000 else None
    return figure[2:].rjust(64, "0") if figure.startswith("0x") else None


def _words(sent: list[dict[str, Any]], receipts: list[dict[str, Any]]) -> str:
    parts = []
    for one, told in zip(sent, receipts, strict=True):
        parts += [
            one["input"][2:],
            _word(int(one["value"], 16)) or "",
            *(_word(one[side] or "") or "" for side in _ENDS),
        ]
        parts.append(_word(told.get("contractAddress") or "") or "")
        for log in told["logs"]:
            parts += [_word(log["address"]) or "", log["data"][2:], *(topic[2:] for topic in log["topics"])]
    return " ".join(parts)


def _movement(log: dict[str, Any]) -> Movement | None:
    """A token movement of an event; None for an NFT's, which has its number as a fourth topic."""
    topic, *indexed = log["topics"]
    who = ["0x" + one[-40:] for one in indexed]
    block, token = int(log["blockNumber"], 16), log["address"].lower()
    if topic == _TRANSFER and len(who) == 2:
        return Movement(block, token, who[0], who[1], int(log["data"], 16))
    if topic == _DEPOSIT and len(who) == 1:
        return Movement(block, token, ZERO_ADDRESS, who[0], int(log["data"], 16))
    if topic == _WITHDRAWAL and len(who) == 1:
        return Movement(block, token, who[0], ZERO_ADDRESS, int(log["data"], 16))
    return None
