"""A task that was carried out: its transactions graded on nodes of their own, judged, and accounted for twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from caia_replay.canonical import digest
from caia_replay.core.execution import Sent
from caia_replay.core.score import Score
from caia_replay.core.task import Task
from caia_replay.errors import BadInput
from caia_replay.runner.grading import grade
from caia_replay.scoring.execution import judge
from caia_replay.scoring.loss import usd
from caia_replay.scoring.receipt_loss import crossings, lost_by_receipts
from caia_replay.world.world import FrozenWorld

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
