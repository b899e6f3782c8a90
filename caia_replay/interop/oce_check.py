"""What OCE's criteria say, as data where it is about balances and allowances, and by its reason where it is not."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final, Literal

_ADDRESS: Final = r"0x[0-9a-fA-F]{40}"
_AMOUNT: Final = r"(?P<about>about\s+|~\s*)?(?P<amount>\d[\d,]{0,30}(?:\.\d{1,30})?)(?!\s*%|[\d.]{0,9}\s*days)"
_WITHIN: Final = (
    r"(?:\s*(?:±|with|\+-)?\s*(?P<percent>\d+(?:\.\d+)?)\s*%(?:\s*(?:of\s+)?(?:fault\s+)?to\w+)?"
    r"|\s+with\s+(?P<none>no)\s+fault\s+tolerance)?"
)
_TURN: Final = r"(?P<turn>increase|decrease)[sd]?"
_UP_DOWN: Final[Mapping[str, Literal["up", "down"]]] = MappingProxyType({"increase": "up", "decrease": "down"})
_ASSET: Final = r"(?P<asset>[A-Za-z]{2,9}?)"
_NOT_WALLET: Final = re.compile(
    r"\b(?:pool|aave|lido|morpho|across|pair|collateral|debt|locked|protocol|position|nft|allowance|health)\b", re.I
)
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:the\s*)?{_ASSET}\s+balance(?P<target>\s+of\s+target\s+address)?\s+should\s+{_TURN}\s+(?:by\s+)?{_AMOUNT}"
        rf"(?:\s+(?P<unit>[A-Za-z]{{2,9}})(?=\s+with|[\s.,]*$))?{_WITHIN}",
        rf"(?:the\s+)?balance\s+of\s+(?P<holder>{_ADDRESS})\s+should\s+{_TURN}\s+(?:by\s+)?{_AMOUNT}\s+{_ASSET}\b{_WITHIN}",
        rf"(?:(?P<holder>{_ADDRESS})\s+)?wallet\s+(?:balance\s+of\s+)?{_ASSET}\s+(?:balance\s+)?(?:should\s+)?{_TURN}\s+(?:by\s+)?{_AMOUNT}{_WITHIN}",
        rf"(?:the\s+)?(?:wallet\s+)?balance\s+of\s+{_ASSET}\s+should\s+{_TURN}\s+(?:by\s+)?{_AMOUNT}{_WITHIN}",
        rf"(?:wallet\s+)?balal?n?ce(?:\s+of\s+the\s+wallet)?\s+should\s*:?\s*{_TURN}\s+(?:by\s+)?{_AMOUNT}\s*{_ASSET}\b{_WITHIN}",
        rf"wallet\s+balance\s+{_TURN}\s+(?:by\s+)?{_AMOUNT}\s*{_ASSET}\b{_WITHIN}",
        rf"balance\s+of\s+{_ASSET}\s+{_TURN}\s+(?:by\s+)?{_AMOUNT}(?:\s*(?:ETH|WETH))?{_WITHIN}",
        rf"{_ASSET}\s+(?:balance\s+)?{_TURN}\s*(?:by\s+|=\s*|expected\s+amount\s+)?{_AMOUNT}{_WITHIN}",
    )
)
"""Tried in this order on one clause; the first that fits the whole of its core reads it."""
_CLAUSES: Final = re.compile(
    r"(?:^|(?<=\s)(?<!about\s)(?<!by\s))\d\.\s*(?=\D)|[;\n]|(?<=[A-Za-z%)\d])\.\s+(?=[A-Z]|\d\.)|,\s+(?:and\s+)?|"
    r"\s+and\s+(?=the\s|0x|should\s)"
)
_SEND: Final = re.compile(
    rf"send\s+(?P<amount>\d[\d,.]{{0,30}})\s+(?P<asset>[A-Za-z]{{2,9}})\s+from\s+(?:address:?\s*)?(?P<giver>{_ADDRESS})\s+to\s+"
    rf"(?:address:?\s*)?(?P<taker>{_ADDRESS})",
    re.IGNORECASE,
)
_SPENDER: Final = re.compile(r"\bfor\s+address\s+(0x[0-9a-fA-F]{40})(?![0-9a-fA-F])", re.IGNORECASE)
_NAMED_SPENDER: Final = re.compile(r"\bfor\s+(?:address\s+)?(?P<name>[a-z][\w ]{1,40}?)\s+contract\b", re.IGNORECASE)
_POOL: Final = re.compile(rf"\bpool\s*\(?\s*address:?\s*(?P<address>{_ADDRESS})", re.IGNORECASE)
_OF_POOL: Final = re.compile(r"\bbalance of the pool\b", re.IGNORECASE)
_TWO_AMOUNTS: Final = re.compile(
    rf"(?P<head>balance of (?:{_ADDRESS}|the wallet) should (?:in|de)crease )"
    r"(?P<first>about [\d.,]{1,30} [a-z]{2,9}) and "
    r"corresponding number ?\((?P<second>about [\d.,]{1,30})\) of (?P<asset>[a-z]{2,9})",
    re.IGNORECASE,
)
_ALLOWANCE: Final = re.compile(
    r"allowance\s+(?:increase|change)s?\s+to\s+(?P<amount>\d[\d,.]{0,30})\s+(?P<asset>[A-Za-z]{2,9})", re.IGNORECASE
)
_TOUCH: Final = re.compile(rf"(?:interact|interaction)[^.;]{{0,80}}?(?P<address>{_ADDRESS})", re.IGNORECASE)
_CHAIN_ID: Final = re.compile(r"chain\s?id\s*(?:should\s+be|to\s+be|=|:)\s*:?\s*(?P<id>\d{1,7})", re.IGNORECASE)
_REASON_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "a lending position: debt, collateral or health of an account in a protocol": (
            r"debt|collateral|health factor|borrow shares"
        ),
        "a protocol's own balance, whose holder is not named by an address": (
            r"balance of (?:lido|the pool)|morpho \w+ ba(?:l|nal)|across protocol locked|lido weth balance"
        ),
        "a liquidity position, an NFT and its range": r"\bnft\b|tick(?:er|s)?\b|liquidity\s*=|position",
        "an amount that is not told": (
            r"reasonable number|expected share|equivalent|corresponding (?:number|token)|receive some|related amount|"
            r"some (?:eth )?gas|plus some|\+ fee|minus fees|expected amounts?(?!\s*\d)|spent|balance decreased"
        ),
        "a way to go, not a state: which calls are made in which order": (
            r"must (?:wrap|have the process|call)|path includes|\bcall \w+|swap should be|unwrap wsteth"
        ),
        "a name and its time": r"\bwens\b|remaining time",
        "a transaction hash to be checked": r"verify transaction hash",
        "a sentence that ends in its middle": r"^\W*the transaction\s*$|fault to\s*$",
    }
)
_REASONS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {reason: re.compile(words, re.IGNORECASE) for reason, words in _REASON_WORDS.items()}
)
"""Why a clause is no check, by its words; the first that fits is told."""
_NO_ASSETS: Final = frozenset({"wallet", "balance", "the", "balalnce", "address", "should", "of"})
_VERSION: Final = re.compile(r"uniswap (v\d)", re.IGNORECASE)
_LOCKED: Final = re.compile(
    r"locked (?:balance )?(?:should )?increases? by ~?(?P<amount>[\d.]+) (?P<asset>[A-Za-z]+)", re.I
)
_PAID: Final = re.compile(r"^bridge (?P<amount>[\d.]+) (?P<asset>[A-Za-z]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BalanceCheck:
    """One balance or allowance that must have changed. ``amount``: decimal text in whole ``asset``.

    ``holder`` and ``spender``: an address, or ``wallet``, the agent's own. ``direction`` "to" is a value afterwards, up
    and down are changes. ``tolerance_percent`` relative to ``amount``: "0" is exact; None where the criteria say
    "about" and no more, so that whoever grades must choose it.
    """

    asset: str
    direction: Literal["up", "down", "to"]
    amount: str
    tolerance_percent: str | None = None
    holder: str = "wallet"
    measure: Literal["balance", "allowance"] = "balance"
    spender: str | None = None


@dataclass(frozen=True, slots=True)
class Criteria:
    """A task's criteria taken apart; see ``ExecutionStub``."""

    checks: tuple[BalanceCheck, ...]
    must_touch: tuple[str, ...]
    destination_chain_id: int | None
    not_data: tuple[str, ...]
    doubts: tuple[str, ...]


def read_criteria(question: str, criteria: str) -> Criteria:
    """What the criteria say. What no rule reads is in ``not_data``: a clause is never dropped without a reason."""
    question, criteria = (re.sub(r"[^\S\n]+", " ", text) for text in (question, criteria))
    checks: list[BalanceCheck] = []
    not_data: list[str] = []
    if re.search(r"changes match the expected amounts", criteria, re.IGNORECASE) and _SEND.search(question):
        checks += _sent(question)
        criteria_left = ""
    else:
        criteria_left = criteria
    for clause in _CLAUSES.split(_spelled_out(question, criteria_left)):
        check, rest = _read(clause.strip(" .,"), question, criteria)
        if check is not None:
            checks.append(check)
        if check is not None and check.tolerance_percent is None:
            not_data.append("an amount told as about, without a tolerance")
        repeats = bool(rest) and question.casefold().startswith(rest.casefold())
        if why := _named_reason(rest) or (_unread(rest) if check is None and not repeats else None):
            not_data.append(why)
    if not checks and not not_data:
        not_data.append("no balance, allowance or other fact that can be compared")
    touched = tuple(dict.fromkeys(found["address"].lower() for found in _TOUCH.finditer(criteria)))
    chain = _CHAIN_ID.search(criteria)
    found = tuple(dict.fromkeys(checks))
    doubts = (*_doubts(question, found), *_other_doubts(question, criteria))
    return Criteria(found, touched, int(chain["id"]) if chain else None, tuple(dict.fromkeys(not_data)), doubts)


def _spelled_out(question: str, criteria: str) -> str:
    """The criteria with a pool by the address that it is named with, and a clause for each of two amounts."""
    pool = _POOL.search(question) or _POOL.search(criteria)
    if pool is not None:
        criteria = _OF_POOL.sub(f"balance of {pool['address']}", criteria)
    return _TWO_AMOUNTS.sub(r"\g<head>\g<first>; \g<head>\g<second> \g<asset>", criteria)


def _read(clause: str, question: str, criteria: str) -> tuple[BalanceCheck | None, str]:
    """The check that a clause is, and the words of the clause that are no part of it."""
    if found := _ALLOWANCE.search(clause):
        spender = _spender(question, criteria)
        if spender is None:
            return None, clause
        amount = _decimal(found["amount"])
        return BalanceCheck(found["asset"], "to", amount, "0", measure="allowance", spender=spender), ""
    for form in _FORMS:
        found = form.search(clause)
        if not found or _NOT_WALLET.search(clause[: found.end()]):
            continue
        parts = found.groupdict()
        asset = parts.get("unit") or _known(parts["asset"])
        holder = _target(question) if parts.get("target") else parts.get("holder") or "wallet"
        if holder is None or asset.lower() in _NO_ASSETS:
            continue
        value = "0" if parts.get("none") else parts.get("percent")
        tolerance = value if value or parts["about"] else "0"
        turn = _UP_DOWN[parts["turn"].lower()]
        rest = clause[: found.start()] + " " + clause[found.end() :]
        return BalanceCheck(asset, turn, _decimal(parts["amount"]), tolerance, holder.lower()), rest
    return None, clause


def _named_reason(words: str) -> str | None:
    return next((reason for reason, form in _REASONS.items() if form.search(words)), None)


def _unread(clause: str) -> str | None:
    """Why a clause without a check is none; None where it says nothing, or what another field holds."""
    if _ALLOWANCE.search(clause):
        return "an allowance for a contract that is named without an address"
    if "target address" in clause:
        return "a target address that the question does not name"
    if _TOUCH.search(clause) or _CHAIN_ID.search(clause):
        return None
    bare = re.sub(rf"{_ADDRESS}|v[1-4]\b", "", clause, flags=re.IGNORECASE)
    if re.search(r"\d|increase|decrease|should|must", bare, re.IGNORECASE):
        return "a sentence that no rule here reads"
    return None


def _sent(question: str) -> list[BalanceCheck]:
    found = _SEND.search(question)
    assert found is not None
    amount, asset = _decimal(found["amount"]), found["asset"]
    return [
        BalanceCheck(asset, "down", amount, "0", found["giver"].lower()),
        BalanceCheck(asset, "up", amount, "0", found["taker"].lower()),
    ]


def _spender(question: str, criteria: str) -> str | None:
    """Whom the question approves: by its address, or by a contract's name that the criteria give the address of."""
    if found := _SPENDER.search(question):
        return found[1].lower()
    if named := _NAMED_SPENDER.search(question):
        value = re.search(rf"{re.escape(named['name'])}\s+contract\s*\(({_ADDRESS})\)", criteria, re.IGNORECASE)
        return value[1].lower() if value else None
    return None


def _target(question: str) -> str | None:
    found = re.search(_ADDRESS, question)
    return found[0] if found else None


def _doubts(question: str, checks: Iterable[BalanceCheck]) -> Iterator[str]:
    """Where the wallet is to pay, by the criteria, what the question does not say, neither at once nor in all."""
    paid: dict[str, list[Decimal]] = defaultdict(list)
    for amount, asset in re.findall(r"(?<![\w.,])(\d[\d,]{0,30}(?:\.\d{1,30})?)\s+([A-Za-z]{2,9})", question):
        paid[asset.casefold()].append(Decimal(amount.replace(",", "")))
    for check in checks:
        name = check.asset.casefold()
        twin = name[1:] if name == "weth" else f"w{name}"
        if check.direction != "down":
            continue
        if name in ("eth", "weth") and name not in paid and twin in paid:
            yield f"the question pays {twin.upper()}, its criteria {check.asset}"
        elif paid[name] and Decimal(check.amount) not in (*paid[name], sum(paid[name])):
            yield f"the question says {paid[name][0]} {check.asset}, its criteria {check.amount}"


def _other_doubts(question: str, criteria: str) -> Iterator[str]:
    """A version of a protocol, or an amount that it locks, which is not the question's."""
    asked, value = ({found.lower() for found in _VERSION.findall(text)} for text in (question, criteria))
    if asked and value - asked:
        yield f"the question says Uniswap {', '.join(sorted(asked))}, its criteria {', '.join(sorted(value - asked))}"
    locked, paid = _LOCKED.search(criteria), _PAID.search(question)
    if locked and paid and locked["asset"].lower() == paid["asset"].lower() and locked["amount"] != paid["amount"]:
        amounts = f"{paid['amount']} {paid['asset']}, its criteria lock {locked['amount']}"
        yield f"the question says {amounts}"


def _known(asset: str) -> str:
    return asset[3:] if asset.lower().startswith("the") and len(asset) > 5 else asset


def _decimal(text: str) -> str:
    return text.replace(",", "").rstrip(".")
