"""What the trade knows by heart, applied to this world: compounding, leverage, liquidation, impermanent loss."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from typing import Final

from caia_replay.core.task import AnswerSpec, Category
from caia_worldgen.questions import when as times
from caia_worldgen.questions.contract import address_on, contracts_page, view
from caia_worldgen.questions.expression import Composed, Plan, Source, Words, both, number
from caia_worldgen.questions.known import Known
from caia_worldgen.questions.term import Term, terms
from caia_worldgen.view import ViewCall

Kind = tuple[Category, Source]
_YEAR_S: Final = 31_536_000
_FEE: Final = 997


def _made(
    known: Known,
    form: str,
    skeleton: str,
    kind: Kind,
    slots: Mapping[str, Words],
    answer: AnswerSpec,
    plan: Plan,
    result: str,
    project: str,
) -> Composed:
    return Composed(form, f"{form} {skeleton}", *kind, slots, answer, plan.chain(result), project, known.now)


def _market(known: Known) -> tuple[str, dict[str, Term], dict[str, Words]]:
    """A lending market: the role of its collateral, its terms, and its words."""
    role, lend = known.rng.one(("native", "exchange")), known.truth.subject("lend")
    found = {one.function: one for one in terms(known) if one.role == f"{role} lending market"}
    slots: dict[str, Words] = {
        "name": both(lend.name.split()[0]),
        "ticker": both(known.truth.subject(role).ticker),
    }
    return role, found, slots


def _per_cent(known: Known, one: Term) -> Fraction:
    value = one.value(known)
    assert isinstance(value, Fraction)
    return value / 100


def apy(known: Known, kind: Kind) -> Composed | None:
    """A rate of a year, compounded every day."""
    role, found, slots = _market(known)
    rate = _per_cent(known, found["rateBpsPerYear"])
    value = Fraction((1 + float(rate) / 365) ** 365 - 1) * 100
    plan = Plan()
    gold = found["rateBpsPerYear"].gold(plan, known)
    result = f"match({plan.run('print(((1+float(<rate>)/36500)**365-1)*100)', rate=gold)}, '[0-9.]+')"
    lend = known.truth.subject("lend").id
    return _made(known, "apy", role, kind, slots, number(round(value, 6), "%"), plan, f"round({result}, 6)", lend)


def leverage(known: Known, kind: Kind) -> Composed | None:
    """How many times one's own money can be put to work by borrowing and buying again."""
    role, found, slots = _market(known)
    value = 1 / (1 - _per_cent(known, found["ltvBps"]))
    plan = Plan()
    gold = found["ltvBps"].gold(plan, known)
    lend = known.truth.subject("lend").id
    if value.denominator == 1:
        amount = known.rng.number(3, 19) * 1_250
        slots["amount"] = both(f"${amount:,}", f"{amount:,} 美元")
        answer = number(amount * _per_cent(known, found["ltvBps"]), "USD")
        return _made(known, "borrowable", role, kind, slots, answer, plan, f"{amount} * {gold} / 100", lend)
    return _made(
        known,
        "leverage",
        role,
        kind,
        slots,
        number(round(value, 6), None),
        plan,
        f"round(1 / (1 - {gold} / 100), 6)",
        lend,
    )


def cushion(known: Known, kind: Kind) -> Composed | None:
    """By how much collateral may fall before the largest loan on it can be liquidated."""
    role, found, slots = _market(known)
    value = round((1 - _per_cent(known, found["ltvBps"]) / _per_cent(known, found["liquidationBps"])) * 100, 6)
    plan = Plan()
    golds = [found[name].gold(plan, known) for name in ("ltvBps", "liquidationBps")]
    lend = known.truth.subject("lend").id
    return _made(
        known,
        "cushion",
        role,
        kind,
        slots,
        number(value, "%"),
        plan,
        f"round((1 - ({golds[0]}) / ({golds[1]})) * 100, 6)",
        lend,
    )


def impermanent_loss(known: Known, kind: Kind) -> Composed | None:
    """What a position of two halves lost against holding both, by the prices before and after some days."""
    subject, when = (
        known.rng.one([one for one in known.tokens() if one.role != "dollar" and known.coin(one).traded]),
        times.stretch(known),
    )
    prices = [known.price(subject, day) for day in (when.first, when.end)]
    if not all(prices):
        return None
    ratio = float(Fraction(prices[1] or 1) / Fraction(prices[0] or 1))
    loss = Fraction((1 - 2 * sqrt(ratio) / (1 + ratio)) * 100)
    if loss < Fraction(1, 10):
        return None
    plan = Plan()
    days = when.days(plan)
    quotes = [plan.call("price_feed", asset=f"id:{subject.id}", at=day) for day in (days.day(), days.day(when.length))]
    code = "r=float(<b>)/float(<a>);print((1-2*r**.5/(1+r))*100)"
    result = f"round(match({plan.run(code, a=f'{quotes[0]}.price', b=f'{quotes[1]}.price')}, '[0-9.]+'), 8)"
    slots = {
        "ticker": both(subject.ticker),
        "dollar": both(known.truth.subject("dollar").ticker),
        "when": dict(when.words),
    }
    return _made(
        known, "loss", when.skeleton, kind, slots, number(round(loss, 8), "%", "1"), plan, result, subject.project
    )


def reward_rate(known: Known, kind: Kind) -> Composed | None:
    """What a staking pool paid a year, by its rate and what was staked as a day ended."""
    subject, when = known.truth.subject(known.rng.one(("arena", "storage"))), times.day(known)
    if not known.sees(contracts_page(subject.site)):
        return None
    pool = f"{subject.role} staking pool"
    rate, staked = (
        known.view("main", pool, "ratePerSecond", when.end),
        known.view("main", pool, "totalStaked", when.end),
    )
    end = known.view("main", pool, "end", when.end)
    if end <= known.midnight(when.end):
        return None
    plan = Plan()
    day = when.days(plan).day()
    place = address_on(plan, subject.name, subject.site, "staking pool")
    golds = [
        view(plan, place, f"{name}()(uint256)", known.chain("main"), day) for name in ("ratePerSecond", "totalStaked")
    ]
    value = round(Fraction(rate * _YEAR_S * 100, staked), 6)
    slots = {"name": both(subject.name.split()[0]), "when": dict(when.words)}
    result = f"round({golds[0]}.values.0 * {_YEAR_S} * 100 / {golds[1]}.values.0, 6)"
    made = _made(known, "reward_rate", f"{subject.role}", kind, slots, number(value, "%"), plan, result, subject.id)
    return made if known.midnight(when.end) + 3_600 < known.now else None


def quorum(known: Known, kind: Kind) -> Composed | None:
    """How many votes a quorum takes, of the supply as a day ended."""
    lend, when = known.truth.subject("lend"), times.day(known)
    one = known.scene.assets["lend"]
    supply = known.scene.main.ledger.supply(one.address, known.block("main", when.first))
    part = int(
        known.scene.main.views.answer(ViewCall("governor", "quorumNumerator()"), known.block("main", when.first))[0]
    )
    if not known.sees(contracts_page(lend.site)):
        return None
    plan = Plan()
    day = when.days(plan).day()
    governor = address_on(plan, lend.name, lend.site, "governor")
    told = view(plan, governor, "quorumNumerator()(uint256)", known.chain("main"))
    counted = plan.call("supply_query", asset=lend.ticker, time=day)
    result = f"first(where({counted}.on_chain, 'chain', '{known.chain('main')}')).total_supply * {told}.values.0 / 100"
    slots = {"name": both(lend.name.split()[0]), "ticker": both(lend.ticker), "when": dict(when.words)}
    return _made(
        known,
        "quorum",
        when.skeleton,
        kind,
        slots,
        number(Fraction(supply * part, 100 * one.unit), lend.ticker, "0.01"),
        plan,
        result,
        lend.id,
    )


def swap_out(known: Known, kind: Kind) -> Composed | None:
    """What a constant-product pool would have paid for dollars as a day ended, its fee taken."""
    subject = known.truth.subject(
        known.rng.one(("lend", "arena", "storage", "bridge", "exchange", "compute", "feeds", "social", "payments"))
    )
    when = times.day(known)
    if not known.sees(contracts_page(subject.site)):
        return None
    market, asset, dollar = (
        known.scene.markets[subject.role, "dollar"],
        known.scene.assets[subject.role],
        known.scene.assets["dollar"],
    )
    side = market.side(asset)
    reserves = known.scene.main.views.answer(
        ViewCall(f"{subject.role}/dollar", "getReserves"), known.block("main", when.end)
    )
    own, other = int(reserves[side]), int(reserves[1 - side])
    amount = known.rng.number(4, 60) * 1_000
    paid = amount * dollar.unit * _FEE
    got = Fraction(paid * own // (other * 1_000 + paid), asset.unit)
    plan = Plan()
    day = when.days(plan).day()
    pair = address_on(plan, subject.name, subject.site, "pair|pool people|pool against|main market")
    told = view(plan, pair, "getReserves()(uint112,uint112,uint32)", known.chain("main"), day)
    result = f"{paid} * {told}.values.{side} // ({told}.values.{1 - side} * 1000 + {paid}) / {asset.unit}"
    slots = {"ticker": both(subject.ticker), "dollar": both(known.truth.subject("dollar").ticker),
             "amount": both(f"{amount:,}"), "when": dict(when.words)}  # fmt: skip
    made = _made(known, "swap_out", when.skeleton, kind, slots, number(got, subject.ticker), plan, result, subject.id)
    return made if known.midnight(when.end) + 3_600 < known.now else None


FORMS: Final = {"apy": apy, "leverage": leverage, "cushion": cushion, "loss": impermanent_loss, "rewards": reward_rate,
                "quorum": quorum, "swap": swap_out}  # fmt: skip
