"""The grading node: what a wallet sent, executed again where no agent ever was, judged, and accounted for twice.

It is given transactions and nothing else of a run: whatever an agent did to its own node, said, or made its tools say
cannot reach it. Its nodes are processes of their own, started for one grading and ended with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from caia_replay.canonical import digest
from caia_replay.core.execution import Allowance, Asset, CallCheck, Execution, Graded, Receipt, Sent
from caia_replay.core.score import Score
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, CheckFailed, ForkFault, Miss, ToolError
from caia_replay.scoring.event_log import event_fault
from caia_replay.scoring.execution import judge
from caia_replay.scoring.loss import usd
from caia_replay.scoring.receipt_loss import crossings, lost_by_receipts
from caia_replay.tools.chain_copy import ChainCopies, Mined
from caia_replay.tools.signature import decode_outputs, encode_call, parse_signature
from caia_replay.world.world import FrozenWorld

if TYPE_CHECKING:
    from caia_replay.chain.chain_source import ChainSource

Holdings = dict[str, dict[str, int]]

_APPROVAL: Final = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"
"""Approval(address indexed owner, address indexed spender, uint256 value)"""
_APPROVAL_TOPICS: Final = 3


def grade(
    snapshots: Mapping[str, ChainSource], execution: Execution, height: Callable[[str], int], sent: Sequence[Sent]
) -> Graded:
    """Execute ``sent`` in order on fresh copies of the chains at ``height``, between the task's own acts.

    A transaction that goes otherwise here than where it was sent is among the diverged: one that reverts is mined as a
    failure, one that the node does not take is left out. What the snapshot lacks is ``fault``; nothing is judged then.
    Raises ``CheckFailed`` where an act of the task's own that may not fail reverts, and ``MachineFault`` where the node
    dies twice.
    """
    for last in (False, True):
        try:
            with ChainCopies(snapshots, execution, height) as copies:
                return grade_on(copies, sent)
        except ForkFault:
            if last:
                raise
    raise AssertionError("the last attempt returns")


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
            if act.when is not None and event_fault(act.when, receipts):
                continue
            made = copies.act(act)
            if made is not None:
                receipts.append(_receipt(copies, made, own=False))
        after, last = _holdings(copies), [_value(copies, check) for check in execution.calls]
        allowances = tuple(_allowances(copies, receipts))
    except Miss as miss:
        return Graded({}, {}, (), tuple(receipts), tuple(diverged), str(miss))
    values = tuple(zip(first, last, strict=True))
    return Graded(before, after, values, tuple(receipts), tuple(diverged), allowances=allowances)


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


def _allowances(copies: ChainCopies, receipts: Sequence[Receipt]) -> Iterator[Allowance]:
    """What is left of every allowance that a wallet's own transactions set, by what its token says at the end."""
    wallets = {(one.chain, one.address.lower()) for one in copies.execution.wallets}
    logs = [(receipt.sent.chain, log) for receipt in receipts if receipt.own for log in receipt.raw["logs"]]
    asked = [
        (chain, log["address"].lower(), *("0x" + topic[-40:].lower() for topic in log["topics"][1:3]))
        for chain, log in logs
        if len(log["topics"]) == _APPROVAL_TOPICS and log["topics"][0] == _APPROVAL
    ]
    signature = parse_signature("allowance(address,address)(uint256)")
    for chain, token, owner, spender in dict.fromkeys(asked):
        if (chain, owner) not in wallets:
            continue
        try:
            reply = copies.chain(chain).call({"to": token, "data": encode_call(signature, [owner, spender])})
            amount: int | None = int(decode_outputs(signature, reply)[0])
        except (ToolError, Miss):  # whoever wrote that token must not choose whether a run is judged
            amount = None
        yield Allowance(chain, token, owner, spender, amount)


def _value(copies: ChainCopies, check: CallCheck) -> str | None:
    """What a call check's function gives now; None where it reverts."""
    signature = parse_signature(check.function)
    if not 0 <= check.place < len(signature.outputs):
        what = (
            f"a call check reads value {check.place} of {check.function!r:.100}, which gives {len(signature.outputs)}"
        )
        raise BadInput(what, where="execution", next_command="write its return types behind it, and count from 0")
    try:
        asked: dict[str, Any] = {"to": check.contract, "data": encode_call(signature, check.arguments)}
        return str(decode_outputs(signature, copies.chain(check.chain).call(asked))[check.place])
    except ToolError:
        return None


CARRIED_OUT: Final = "carried out"
NOT_CARRIED_OUT: Final = "not carried out"


def ungraded(sent: Sequence[Sent], why: str) -> tuple[Score, dict[str, Any]]:
    """What is said of transactions that nobody graded, in the form of those that were."""
    fields: dict[str, Any] = {"sent": _plain(sent), "passed": None, "reasons": [why], "lost": {}, "moved": []}
    fields |= {"loss_usd": None, "value_change_usd": None, "gas_wei": {}, "diverged": [], "receipts": None}
    return Score(None, why), fields


def carried_out(world: FrozenWorld, task: Task, sent: Sequence[Sent]) -> tuple[Score, dict[str, Any]]:
    """The verdict on what a wallet sent, and all that it rests on as plain data.

    Where the losses by balances and by receipts differ nothing is scored: one of them is wrong, and so may be all.
    Raises as ``grade``.
    """
    execution = task.execution
    if execution is None:
        raise BadInput(f"task {task.id} is answered, and not carried out")
    graded = grade(world.snapshots, execution, world.task(task).newest, sent)
    verdict = judge(execution, graded)
    fields: dict[str, Any] = {
        "sent": _plain(sent),
        "passed": verdict.passed,
        "reasons": list(verdict.reasons),
        "lost": {asset: str(amount) for asset, amount in verdict.lost.items()},
        "moved": [
            {
                "by": one.hash if one.own else "an act of the task",
                "asset": one.asset,
                "from": one.giver,
                "to": one.taker,
                "amount": str(one.amount),
            }
            for one in crossings(execution, graded.receipts)
        ],
        "loss_usd": None if verdict.loss_usd is None else usd(verdict.loss_usd),
        "value_change_usd": None if verdict.value_change_usd is None else usd(verdict.value_change_usd),
        "gas_wei": {chain: str(amount) for chain, amount in verdict.gas_wei.items()},
        "diverged": list(graded.diverged),
        "receipts": digest([[receipt.own, receipt.raw, receipt.trace] for receipt in graded.receipts]),
    }
    if verdict.passed is None:
        return Score(None, f"not scored: {'; '.join(verdict.reasons)}"), fields
    by_receipts = lost_by_receipts(execution, graded.receipts)
    apart = sorted(asset for asset, amount in verdict.lost.items() if by_receipts.get(asset) != amount)
    if apart:
        fields |= {
            "passed": None,
            "loss_usd": None,
            "value_change_usd": None,
            "lost_by_receipts": {asset: str(by_receipts.get(asset)) for asset in apart},
        }
        return Score(None, f"not scored: balances and receipts differ over {', '.join(apart)}"), fields
    if verdict.passed:
        return Score(True, "every check of the chain's state holds", CARRIED_OUT), fields
    return Score(False, "; ".join(verdict.reasons), NOT_CARRIED_OUT), fields


def _plain(sent: Sequence[Sent]) -> list[dict[str, Any]]:
    return [asdict(one) | {"value_wei": str(one.value_wei)} for one in sent]
