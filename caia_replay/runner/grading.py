"""The grading node: what a wallet sent, executed again where no agent ever was.

It is given transactions and nothing else of a run: whatever an agent did to its own node, said, or made its tools say
cannot reach it. Its nodes are processes of their own, started for one grading and ended with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from caia_replay.core.execution import Asset, CallCheck, Execution, Graded, Receipt, Sent
from caia_replay.errors import CheckFailed, Miss, ToolError
from caia_replay.tools.chain_copy import ChainCopies, Mined
from caia_replay.tools.signature import decode_outputs, encode_call, parse_signature

if TYPE_CHECKING:
    from caia_replay.chain.chain_source import ChainSource

Holdings = dict[str, dict[str, int]]


def grade(
    snapshots: Mapping[str, ChainSource], execution: Execution, height: Callable[[str], int], sent: Sequence[Sent]
) -> Graded:
    """Execute ``sent`` in order on fresh copies of the chains at ``height``, between the task's own acts.

    A transaction that goes otherwise here than where it was sent is among the diverged: one that reverts is mined as a
    failure, one that the node does not take is left out. What the snapshot lacks is ``fault``, and nothing is judged.
    Raises ``ForkFault``, and ``CheckFailed`` where an act of the task's own that may not fail reverts.
    """
    with ChainCopies(snapshots, execution, height) as copies:
        return grade_on(copies, sent)


def grade_on(copies: ChainCopies, sent: Sequence[Sent]) -> Graded:
    """``grade`` on copies that are there already, and that nobody has written to; they can be used once."""
    execution = copies.execution
    receipts: list[Receipt] = []
    diverged: list[str] = []
    try:
        before, first = _holdings(copies), [_value(copies, check) for check in execution.calls]
        for one in sent:
            try:
                mined = copies.send(one.chain, one.sender, one.to, one.value_wei, one.data, one.gas)
            except ToolError:  # this node does not even take it, as one that costs more coins than there are
                diverged.append(one.hash)
                continue
            receipts.append(_receipt(copies, mined, own=True))
            if mined.sent.hash != one.hash or not int(mined.receipt["status"], 16):
                diverged.append(one.hash)
        for act in execution.after:
            made = copies.act(act)
            if made is not None:
                receipts.append(_receipt(copies, made, own=False))
        after, last = _holdings(copies), [_value(copies, check) for check in execution.calls]
    except Miss as miss:
        return Graded({}, {}, (), tuple(receipts), tuple(diverged), str(miss))
    return Graded(before, after, tuple(zip(first, last, strict=True)), tuple(receipts), tuple(diverged))


def holders_of(execution: Execution, asset: Asset) -> tuple[str, ...]:
    """Whose balances of an asset are read: the side's, the wallets', and those that checks name; each once."""
    named = [one.address for one in (*execution.wallets, *execution.side) if one.chain == asset.chain]
    named += [check.holder for check in execution.balances if check.asset == asset.symbol]
    return tuple(dict.fromkeys(named))


def _receipt(copies: ChainCopies, mined: Mined, own: bool) -> Receipt:
    trace = copies.chain(mined.sent.chain).trace(mined.sent.hash)
    return Receipt(mined.sent, own, mined.receipt, trace)


def _holdings(copies: ChainCopies) -> Holdings:
    execution = copies.execution
    return {
        asset.symbol: {holder: _balance(copies, asset, holder) for holder in holders_of(execution, asset)}
        for asset in execution.assets
    }


def _balance(copies: ChainCopies, asset: Asset, holder: str) -> int:
    copy = copies.chain(asset.chain)
    if not asset.address:
        return int(copy.rpc("eth_getBalance", holder, "latest"), 16)
    signature = parse_signature("balanceOf(address)(uint256)")
    try:
        reply = copy.call({"to": asset.address, "data": encode_call(signature, [holder])})
        return int(decode_outputs(signature, reply)[0])
    except ToolError as fault:
        raise CheckFailed(f"asset {asset.symbol} tells no balance of {holder}: {fault}") from fault


def _value(copies: ChainCopies, check: CallCheck) -> str | None:
    """What a call check's function gives now; None where it reverts."""
    signature = parse_signature(check.function)
    try:
        asked: dict[str, Any] = {"to": check.contract, "data": encode_call(signature, check.arguments)}
        return str(decode_outputs(signature, copies.chain(check.chain).call(asked))[check.place])
    except ToolError:
        return None
