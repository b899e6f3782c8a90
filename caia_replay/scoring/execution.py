"""What became of a task that was carried out: whether all holds that had to, and what it cost.

Nothing that anybody wrote is read: the verdict rests on balances, values and logs of the grading node alone, also where
transactions went otherwise there than where they were sent: else whoever bends a node could choose not to be judged.
What it cost is told a second time, from receipts instead of balances, by ``receipt_loss``, which shares no code with
this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from eth_abi import abi
from eth_abi.exceptions import DecodingError, ParseError
from eth_abi.grammar import BasicType, normalize, parse
from eth_utils.crypto import keccak

from caia_replay.core.execution import Asset, BalanceCheck, CallCheck, EventCheck, Execution, Graded, Receipt
from caia_replay.errors import BadInput, one_line

_WHOLE: Final = re.compile(r"-?[0-9]{1,78}")
_DOLLARS: Final = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,60})?")
_HEX: Final = re.compile(r"0x[0-9a-f]*", re.IGNORECASE)
_EVENT: Final = re.compile(r"\s*(?:event\s+)?([A-Za-z_$][\w$]*)\s*\(([^()]*)\)\s*;?\s*")
_SHOWN: Final = 100
"""Characters of a value that a reason repeats: a contract's own text may be long."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One execution, judged. ``passed`` is None where nothing could be judged, and ``reasons`` then says why; else they
    are the checks that failed, one line each.

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
    found += [_event_fault(check, own) for check in execution.events]
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
    fits = check.value is None or _alike(found, check.value)
    if fits and (check.least is not None or check.most is not None):
        fits = bool(_WHOLE.fullmatch(found)) and _within(int(found), check.least, check.most)
    verb = "changed by" if check.change else "gives"
    return "" if fits else f"{subject}: {verb} {found!r:.{_SHOWN}}, wanted {wanted}"


def _event_fault(check: EventCheck, own: list[Receipt]) -> str:
    event = _event(check.event)
    for name in check.values:
        if name not in event.names:
            known = ", ".join(event.names)
            raise BadInput(f"{event.canonical} has no parameter {name!r:.60}", where="events", nearest=known)
    emitted = list(_emitted(check, event, own))
    if any(all(event.alike(name, log[name], want) for name, want in check.values.items()) for log in emitted):
        return ""
    wanted = ", ".join(f"{name} {want}" for name, want in check.values.items()) or "any"
    last = ", ".join(f"{name} {emitted[-1][name]!s:.{_SHOWN}}" for name in check.values) if emitted else ""
    found = f"{len(emitted)} of the wallet's" + (f", the last with {last}" if last else "")
    return f"{check.contract} on {check.chain}: {event.canonical}: {found}; wanted one with {wanted}"


def _emitted(check: EventCheck, event: _Event, own: list[Receipt]) -> Iterator[Mapping[str, str]]:
    for receipt in own:
        if receipt.sent.chain != check.chain or not _number(receipt, "status"):
            continue
        for log in receipt.raw["logs"]:
            if log["address"].lower() == check.contract.lower() and (values := event.read(log)) is not None:
                yield values


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
        raise BadInput(f"{asset.symbol} is worth {asset.usd!r:.60}, no dollars such as '0.25'", where="assets")
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


def _alike(found: str, wanted: str) -> bool:
    """Equal as text; addresses, bytes and booleans in any case."""
    both = (found, wanted)
    any_case = all(_HEX.fullmatch(one) or one.lower() in ("true", "false") for one in both)
    return found.lower() == wanted.lower() if any_case else found == wanted


def _number(receipt: Receipt, field: str) -> int:
    return int(receipt.raw[field], 16)


@dataclass(frozen=True, slots=True)
class _Event:
    """An event of elementary types: ``names``, ``types`` and which are ``indexed``, in order."""

    canonical: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    indexed: tuple[bool, ...]

    def read(self, log: Mapping[str, Any]) -> Mapping[str, str] | None:
        """A log's values by name, as text; None for another event's. An indexed text or bytes is its hash."""
        topics = log["topics"]
        if not topics or topics[0] != "0x" + keccak(text=self.canonical).hex() or len(topics) != 1 + sum(self.indexed):
            return None
        kinds = dict(zip(self.names, self.types, strict=True))
        kept = dict(zip((name for name, one in zip(self.names, self.indexed) if one), topics[1:], strict=True))
        plain = [name for name in self.names if name not in kept]
        try:
            values = dict(zip(plain, abi.decode([kinds[name] for name in plain], _bytes(log["data"])), strict=True))
            for name, topic in kept.items():
                hashed = kinds[name] in ("string", "bytes")
                values[name] = _bytes(topic) if hashed else abi.decode([kinds[name]], _bytes(topic))[0]
        except (DecodingError, ValueError, OverflowError):
            return None
        return {name: _text(value) for name, value in values.items()}

    def alike(self, name: str, found: str, wanted: str) -> bool:
        """Texts letter by letter, all else as ``_alike``."""
        at = self.names.index(name)
        return found == wanted if self.types[at] == "string" and not self.indexed[at] else _alike(found, wanted)


@lru_cache(maxsize=256)
def _event(text: str) -> _Event:
    fault = BadInput(f"{text!r:.200} is no event, such as Paid(address indexed to, uint256 amount)", where="events")
    head = _EVENT.fullmatch(text)
    if head is None:
        raise fault
    names: list[str] = []
    types: list[str] = []
    indexed: list[bool] = []
    for part in head[2].split(",") if head[2].strip() else []:
        kind, *rest = part.split() or [""]
        words = [word for word in rest if word != "indexed"]
        normal: Callable[[str], str] = normalize
        try:
            kind = normal(kind)
            read = parse(kind)
            read.validate()
        except (ParseError, ValueError, TypeError):
            raise fault from None
        # Nested types would let a contract's data decide how long decoding takes.
        if not isinstance(read, BasicType) or read.arrlist or len(words) > 1 or len(rest) > len(words) + 1:
            raise fault
        names.append(words[0] if words else f"arg{len(names)}")
        types.append(kind)
        indexed.append(len(rest) > len(words))
    if len(set(names)) < len(names):
        raise fault
    return _Event(f"{head[1]}({','.join(types)})", tuple(names), tuple(types), tuple(indexed))


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def _text(value: Any) -> str:
    return "0x" + value.hex() if isinstance(value, bytes) else str(value)
