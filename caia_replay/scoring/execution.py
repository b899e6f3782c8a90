"""What became of a task that was carried out: whether all holds that had to, and what it cost.

Nothing that anybody wrote is read: the verdict rests on balances, values and logs of the grading node alone, also where
transactions went otherwise there than where they were sent: else whoever bends a node could choose not to be judged.
What it cost is told a second time, from receipts instead of balances, by ``receipt_loss``, which shares no code with
this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_replay.core.execution import Asset, BalanceCheck, CallCheck, Execution, Graded, Receipt
from caia_replay.errors import BadInput, one_line
from caia_replay.scoring.event_log import alike, event_fault
from caia_replay.scoring.side_effects import side_effects

_WHOLE: Final = re.compile(r"-?[0-9]{1,78}")
_DOLLARS: Final = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,60})?")
_SHOWN: Final = 100
"""Characters of a value that a reason repeats: a contract's own text may be long."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One execution, judged. ``passed`` is None where nothing could be judged, and ``reasons`` then says why; else they
    are the checks that failed, one line each, and what else went that was nobody's to give.

    ``lost``: {asset: what all of the side had before, less what it had after, in smallest units}; negative is a gain.
    ``value_change_usd`` is what the side gained over all assets that have a worth, below 0 where it lost, and
    ``loss_usd`` the loss alone, never below 0; both are None, and ``lost`` empty, where nothing could be judged.
    ``gas_wei`` are the fees of the wallet's own ``transactions`` by chain, reverted ones among them; they are part of
    what is lost where the chain's coin is an asset.
    """

    passed: bool | None
    reasons: tuple[str, ...]
    lost: Mapping[str, int]
    loss_usd: Fraction | None
    value_change_usd: Fraction | None
    gas_wei: Mapping[str, int]
    transactions: int


def judge(execution: Execution, graded: Graded) -> Verdict:
    """The verdict on what the grading node found. Raises ``BadInput`` for a task that cannot be judged by: one without
    a check, a check that wants nothing or names no asset, an event or a worth that does not parse; and ``ValueError``
    for a ``graded`` of another task."""
    _require_checks(execution)
    own = [receipt for receipt in graded.receipts if receipt.own]
    gas_wei: dict[str, int] = {}
    for receipt in own:
        chain, paid = receipt.sent.chain, _number(receipt, "gasUsed") * _number(receipt, "effectiveGasPrice")
        gas_wei[chain] = gas_wei.get(chain, 0) + paid
    if unjudged := _unjudged(execution, graded):
        return Verdict(None, (unjudged,), {}, None, None, gas_wei, len(own))
    if len(graded.calls) != len(execution.calls):
        raise ValueError(f"{len(graded.calls)} values for {len(execution.calls)} call checks: of another task")
    found = [_balance_fault(execution, graded, check) for check in execution.balances]
    found += [_call_fault(check, *values) for check, values in zip(execution.calls, graded.calls, strict=True)]
    found += [event_fault(check, own) for check in execution.events]
    found += side_effects(execution, graded, gas_wei)
    reasons = tuple(one_line(reason) for reason in found if reason)
    lost = {asset.symbol: _lost(execution, graded, asset) for asset in execution.assets}
    change = -sum((lost[asset.symbol] * _worth_usd(asset) for asset in execution.assets), Fraction(0))
    return Verdict(not reasons, reasons, lost, max(Fraction(0), -change), change, gas_wei, len(own))


def _require_checks(execution: Execution) -> None:
    symbols = [asset.symbol for asset in execution.assets]
    if twice := sorted({symbol for symbol in symbols if symbols.count(symbol) > 1}):
        raise BadInput(f"two assets are called {', '.join(twice)}, and balances go by that name", where="assets")
    if not (execution.balances or execution.calls or execution.events):
        raise BadInput("nothing must be the case afterwards: whatever is done would pass", where="execution")
    for balance in execution.balances:
        if balance.asset not in symbols:
            raise BadInput(f"there is no asset {balance.asset!r:.60}", where="balances", nearest=", ".join(symbols))
    checks: tuple[BalanceCheck | CallCheck, ...] = (*execution.balances, *execution.calls)
    for check in checks:
        if check.least is None and check.most is None and (isinstance(check, BalanceCheck) or check.value is None):
            raise BadInput(f"a check of {_subject(check)} wants nothing", where="execution")
        for end in (check.least, check.most):
            if end is not None and not _WHOLE.fullmatch(end):
                raise BadInput(f"a check of {_subject(check)} ends at {end!r:.60}, no whole number", where="execution")


def _unjudged(execution: Execution, graded: Graded) -> str:
    """Why nothing can be said, or ""."""
    if graded.fault:
        return one_line(f"the grading node lacked what it needed: {graded.fault}")
    wallets = {(one.chain, one.address) for one in execution.wallets}
    for receipt in graded.receipts:
        if receipt.own and (receipt.sent.chain, receipt.sent.sender.lower()) not in wallets:
            return f"{receipt.sent.sender} on {receipt.sent.chain}, which is no wallet of the task, sent a transaction"
    return ""


def _balance_fault(execution: Execution, graded: Graded, check: BalanceCheck) -> str:
    symbol = check.asset
    change = _held(graded.after, symbol, check.holder) - _held(graded.before, symbol, check.holder)
    if _within(change, check.least, check.most):
        return ""
    return f"{_subject(check)}: changed by {change} {symbol} in smallest units, wanted {_range(check)} {symbol}"


def _call_fault(check: CallCheck, before: str | None, after: str | None) -> str:
    subject, wanted = _subject(check), "" if check.value is None else f"{check.value!r:.{_SHOWN}}"
    if check.least is not None or check.most is not None:
        wanted = " and ".join(part for part in (wanted, _range(check)) if part)
    if check.change:
        wanted = f"a change of {wanted}"
    if after is None or (check.change and before is None):
        return f"{subject}: gives nothing {'before' if after is not None else 'afterwards'}, wanted {wanted}"
    found = after
    if check.change:
        if not (before is not None and _WHOLE.fullmatch(before) and _WHOLE.fullmatch(after)):
            return f"{subject}: {before!r:.{_SHOWN}} became {after!r:.{_SHOWN}}, no whole numbers, wanted {wanted}"
        found = str(int(after) - int(before))
    fits = check.value is None or alike(found, check.value)
    if fits and (check.least is not None or check.most is not None):
        fits = bool(_WHOLE.fullmatch(found)) and _within(int(found), check.least, check.most)
    verb = "changed by" if check.change else "gives"
    return "" if fits else f"{subject}: {verb} {found!r:.{_SHOWN}}, wanted {wanted}"


def _lost(execution: Execution, graded: Graded, asset: Asset) -> int:
    holders = dict.fromkeys(one.address for one in execution.side if one.chain == asset.chain)
    return sum(
        _held(graded.before, asset.symbol, holder) - _held(graded.after, asset.symbol, holder) for holder in holders
    )


def _held(holdings: Mapping[str, Mapping[str, int]], symbol: str, holder: str) -> int:
    if holder not in holdings.get(symbol, {}):
        raise ValueError(f"no {symbol} balance of {holder} was read: of another task")
    return holdings[symbol][holder]


def _worth_usd(asset: Asset) -> Fraction:
    """Of one smallest unit; 0 for what nobody pays for."""
    if asset.usd is None:
        return Fraction(0)
    if not _DOLLARS.fullmatch(asset.usd):
        raise BadInput(
            f"{asset.symbol} is worth {asset.usd!r:.60}, no amount of dollars such as '0.25'", where="assets"
        )
    return Fraction(asset.usd) * Fraction(1, 10**asset.decimals)


def _within(number: int, least: str | None, most: str | None) -> bool:
    return (least is None or number >= int(least)) and (most is None or number <= int(most))


def _range(check: BalanceCheck | CallCheck) -> str:
    if check.least is None or check.most is None:
        return f"at most {check.most}" if check.least is None else f"at least {check.least}"
    return f"exactly {check.least}" if check.least == check.most else f"{check.least} to {check.most}"


def _subject(check: BalanceCheck | CallCheck) -> str:
    if isinstance(check, BalanceCheck):
        return f"{check.asset} of {check.holder}"
    arguments = ", ".join(str(argument) for argument in check.arguments)
    return f"{check.function} of {check.contract} on {check.chain}, asked with ({arguments:.{_SHOWN}})"


def _number(receipt: Receipt, field: str) -> int:
    return int(receipt.raw[field], 16)
