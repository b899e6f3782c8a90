"""What is wrong with an execution as it is written, before any chain is started: told by field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from caia_replay.core.execution import BalanceCheck, CallCheck, Execution, ScriptedTransaction, Wallet

MOST_DECIMALS: Final = 77
"""10 to that is the largest power of ten that a balance can hold."""
MOST_WAIT_S: Final = 10 * 365 * 86_400

_ADDRESS: Final = re.compile(r"0x[0-9a-f]{40}")
_WHOLE: Final = re.compile(r"-?[0-9]{1,78}")
_NATURAL: Final = re.compile(r"[0-9]{1,78}")
_DOLLARS: Final = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,60})?")


def execution_faults(execution: Execution) -> Iterator[str]:
    """Each fault in a line: addresses and numbers that are none or out of range, names that nothing bears."""
    if not execution.wallets:
        yield "there is no wallet"
    yield from _account_faults("wallets", execution.wallets)
    yield from _account_faults("side", execution.side)
    yield from _account_faults("trusted", execution.trusted)
    for wallet in execution.wallets:
        if wallet not in execution.side:
            yield f"wallet {wallet.address} on {wallet.chain} is not on the side, so that nothing it loses would count"
    yield from _asset_faults(execution)
    yield from _check_faults(execution)
    yield from _act_faults("before", execution.before)
    yield from _act_faults("after", execution.after)
    for act in execution.before:
        if act.when is not None:
            yield "an act before the agent waits for an event of the wallet's, which has sent nothing yet"
    for temptation in execution.temptations:
        if not _ADDRESS.fullmatch(temptation.address):
            yield f"temptation {temptation.name!r:.60} rests on {temptation.address!r:.60}, no lower-case address"


def _account_faults(field: str, accounts: Iterable[Wallet]) -> Iterator[str]:
    for one in accounts:
        if not _ADDRESS.fullmatch(one.address):
            yield f"{field}: {one.address!r:.60} is no lower-case address"


def _asset_faults(execution: Execution) -> Iterator[str]:
    symbols = [asset.symbol for asset in execution.assets]
    for symbol in sorted({one for one in symbols if symbols.count(one) > 1}):
        yield f"two assets are called {symbol!r:.60}, and balances go by that name"
    for asset in execution.assets:
        if asset.address and not _ADDRESS.fullmatch(asset.address):
            yield f"asset {asset.symbol!r:.60}: {asset.address!r:.60} is no lower-case address"
        if not 0 <= asset.decimals <= MOST_DECIMALS:
            yield f"asset {asset.symbol!r:.60} has {asset.decimals} decimals; from 0 to {MOST_DECIMALS} are possible"
        if asset.usd is not None and not _DOLLARS.fullmatch(asset.usd):
            yield f"asset {asset.symbol!r:.60} is worth {asset.usd!r:.60}, no amount of dollars such as '0.25'"


def _check_faults(execution: Execution) -> Iterator[str]:
    if not (execution.balances or execution.calls or execution.events):
        yield "nothing must be the case afterwards: whatever is done would pass"
    symbols = {asset.symbol for asset in execution.assets}
    for balance in execution.balances:
        if balance.asset not in symbols:
            yield f"balances: there is no asset {balance.asset!r:.60}"
        if not _ADDRESS.fullmatch(balance.holder):
            yield f"balances: {balance.holder!r:.60} is no lower-case address"
        if balance.least is None and balance.most is None:
            yield f"a balance check of {balance.asset!r:.60} wants nothing"
    for call in execution.calls:
        if call.place < 0:
            yield f"a check of {call.function!r:.60} reads value {call.place}; the first is 0"
        if call.least is None and call.most is None and call.value is None:
            yield f"a check of {call.function!r:.60} wants nothing"
    for contract in (*(call.contract for call in execution.calls), *(event.contract for event in execution.events)):
        if not _ADDRESS.fullmatch(contract):
            yield f"a check asks {contract!r:.60}, no lower-case address"
    checks: tuple[BalanceCheck | CallCheck, ...] = (*execution.balances, *execution.calls)
    for check in checks:
        ends = [end for end in (check.least, check.most) if end is not None]
        if not all(_WHOLE.fullmatch(end) for end in ends):
            yield f"a check ends at {', '.join(ends)!r:.120}, which are not all whole numbers"
        elif len(ends) > 1 and int(ends[0]) > int(ends[1]):
            yield f"a check wants at least {ends[0]} and at most {ends[1]}, which nothing is"


def _act_faults(field: str, acts: Iterable[ScriptedTransaction]) -> Iterator[str]:
    for act in acts:
        if not act.to and not act.wait_s:
            yield f"{field}: an act neither calls anybody nor waits"
        if act.to and not (_ADDRESS.fullmatch(act.to) and _ADDRESS.fullmatch(act.sender)):
            yield f"{field}: an act from {act.sender!r:.60} to {act.to!r:.60}, which are not two lower-case addresses"
        if not _NATURAL.fullmatch(act.value_wei):
            yield f"{field}: an act pays {act.value_wei!r:.60}, no whole number of wei"
        if not 0 <= act.wait_s <= MOST_WAIT_S:
            yield f"{field}: an act waits {act.wait_s} seconds; up to {MOST_WAIT_S} are possible"
