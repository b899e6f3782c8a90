"""What contracts say of themselves: limits, rates, delays and dates of view functions, each in its own unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_replay.core.task import AnswerSpec, Category
from caia_worldgen.event import done
from caia_worldgen.questions.contract import address_on, contracts_page, view
from caia_worldgen.questions.expression import Composed, Plan, Source, Words, both, column, iso, number, table
from caia_worldgen.questions.known import Known
from caia_worldgen.view import ViewCall

Kind = tuple[Category, Source]
_DAY: Final = 86_400
_OPENED: Final = {"graduationWei": "graduation_wei", "feeBps": "fee_bps", "basePriceWei": "base_wei"}
"""The launchpad's terms as the story has them."""


@dataclass(frozen=True, slots=True)
class Term:
    """``role`` is the contract's in the story, ``label`` its line in the documentation of ``project`` (a role too).
    What ``function`` answers is divided by ``scale``; "date" is a moment."""

    name: str
    project: str
    role: str
    label: str
    function: str
    scale: int
    unit: str | None
    en: str
    zh: str

    def value(self, known: Known) -> Fraction | str | None:
        """What holds now; ``None`` where the story has no such answer yet."""
        stage = known.scene.main
        try:
            said = stage.views.answer(ViewCall(self.role, self.function), stage.calendar.at(known.now))[0]
        except KeyError:
            opened = next(iter(done(stage.deeds, "opened launchpad")), None)
            if self.role != "launchpad" or opened is None:
                return None
            said = opened.figure(_OPENED[self.function])
        return iso(int(said)) if self.unit == "date" else Fraction(int(said), self.scale)

    def gold(self, plan: Plan, known: Known) -> str:
        """An expression for it."""
        subject = known.truth.subject(self.project)
        contract = address_on(plan, subject.name, subject.site, self.label)
        told = view(plan, contract, f"{self.function.removesuffix('()')}()(uint256)", known.chain("main"))
        return f"utc_date({told}.values.0)" if self.unit == "date" else f"{told}.values.0 / {self.scale}"


def terms(known: Known) -> Iterator[Term]:
    """Every term there is of contracts that can be found by now."""
    lend, native, own = (known.truth.subject(role) for role in ("lend", "native", "exchange"))
    rows: list[Term] = []
    for role, coin in (("native", native), ("exchange", own)):
        market = f"{role} lending market"
        for function, en, zh in (
            ("ltvBps", "max LTV", "最高 LTV"), ("liquidationBps", "liquidation threshold", "清算门槛"),
            ("bonusBps", "liquidation bonus", "清算奖励"), ("rateBpsPerYear", "borrow APR", "借款年利率"),
        ):  # fmt: skip
            rows.append(Term(f"{function}_{role}", "lend", market, market, function, 100, "%",
                             f"{en} in {lend.name.split()[0]}'s {coin.ticker} market",
                             f"{lend.name.split()[0]} 的 {coin.ticker} 市场{zh}"))  # fmt: skip
    short = lend.name.split()[0]
    rows += [
        Term("delay", "lend", "governor", "governor", "votingDelay", 1, "blocks",
            f"voting delay in {short} governance", f"{short} 治理的投票延迟"),
        Term("period", "lend", "governor", "governor", "votingPeriod", 1, "blocks",
            f"voting period in {short} governance", f"{short} 治理的投票期"),
        Term("threshold", "lend", "governor", "governor", "proposalThreshold", 10**18, lend.ticker,
             f"{lend.ticker} needed to submit a {short} proposal", f"在 {short} 提交提案所需的 {lend.ticker}"),
        Term("timelock", "lend", "timelock", "timelock", "getMinDelay", 3_600, "hours",
            f"minimum timelock delay at {short}", f"{short} 时间锁的最短延迟"),
        Term("vault_fee", "lend", "fee vault", "fee vault", "feeBps", 100, "%", f"fee set in {short}'s fee vault",
            f"{short} 费用金库的费率"),
        Term("burn_share", "lend", "fee vault", "fee vault", "burnShareBps", 100, "%",
            f"burn share of {short}'s fee vault", f"{short} 费用金库的销毁比例"),
    ]  # fmt: skip
    network = known.scene.networks["main"].name.split()[0]
    rows += [
        Term("graduation", "native", "launchpad", "launchpad", "graduationWei", 10**18, native.ticker,
             f"{native.ticker} a token must raise to graduate from the {network} launchpad",
                 f"{network} 发射台代币毕业所需募集的 {native.ticker}"),
        Term("pad_fee", "native", "launchpad", "launchpad", "feeBps", 100, "%",
            f"trading fee on the {network} launchpad", f"{network} 发射台的交易费率"),
        Term("pad_price", "native", "launchpad", "launchpad", "basePriceWei", 10**9, "gwei",
            f"starting price per token on the {network} launchpad, in gwei",
             f"{network} 发射台的起始单价（gwei）"),
        Term("airdrop_deadline", "social", "airdrop", "airdrop", "deadline", 1, "date",
            f"deadline for claiming {known.truth.subject('social').name.split()[0]}'s airdrop",
             f"{known.truth.subject('social').name.split()[0]} 空投的领取截止日期"),
    ]  # fmt: skip
    for role in ("arena", "storage"):
        subject = known.truth.subject(role)
        word = subject.name.split()[0]
        pool = f"{role} staking pool"
        rows += [
            Term(f"rewards_{role}", role, pool, "staking pool", "ratePerSecond", 10**18, subject.ticker,
                 f"reward rate per second of {word}'s staking pool", f"{word} 质押池每秒发放的奖励"),
            Term(f"pool_end_{role}", role, pool, "staking pool", "end", 1, "date",
                 f"day {word}'s staking rewards run out", f"{word} 质押奖励结束的日期"),
        ]  # fmt: skip
    for emission in known.truth.metrics.emissions.all():
        word, role = known.scene.projects[emission.role].name.split()[0], emission.role
        for section, en, zh in (
            ("founders", "founder", "创始人"),
            ("investors", "investor", "投资人"),
            ("advisers", "adviser", "顾问"),
        ):
            contract = f"{role} {section} vesting"
            if contract in known.scene.main.contracts:
                rows += [
                    Term(f"cliff_{section}_{role}", role, contract, f"{section} vesting", "cliff", 1, "date",
                         f"cliff date of {word}'s {en} vesting contract", f"{word} {zh}锁仓合约的 cliff 日期"),
                    Term(f"end_{section}_{role}", role, contract, f"{section} vesting", "end", 1, "date",
                         f"end date of {word}'s {en} vesting contract", f"{word} {zh}锁仓合约的结束日期"),
                    Term(f"length_{section}_{role}", role, contract, f"{section} vesting", "duration", _DAY, "days",
                         f"length of {word}'s {en} vesting contract", f"{word} {zh}锁仓合约的期限"),
                ]  # fmt: skip
    for one in rows:
        if known.sees(contracts_page(known.truth.subject(one.project).site)):
            yield one


def _answer(known: Known, one: Term, value: Fraction | str) -> AnswerSpec:
    if isinstance(value, str):
        return AnswerSpec("date", (value,))
    return number(value, one.unit, "0.01")


def single(known: Known, kind: Kind) -> Composed | None:
    """One term."""
    one = known.rng.one(list(terms(known)))
    value = one.value(known)
    if value is None or (isinstance(value, Fraction) and value in (2, 5, 10, 48)):
        return None  # The usual delay and bonuses would be guessed.
    plan = Plan()
    result = one.gold(plan, known)
    slots = {"what": both(one.en, one.zh), "unit": both(_unit(one, "en"), _unit(one, "zh"))}
    family = one.name.rpartition("_")[0] or one.name
    return Composed("term", f"term {family}", *kind, slots, _answer(known, one, value), plan.chain(result),
                    known.truth.subject(one.project).id, known.now)  # fmt: skip


_PARTED: Final = re.compile(r"(?P<head>.+?) (?P<tail>(?:in|of|on|at) .+)")
_PARTED_ZH: Final = re.compile(r"(?P<head>.+(?:市场|合约的|治理的|金库的|质押池|发射台的))(?P<tail>.+)")


def _pair_words(first: Term, second: Term) -> tuple[Words, Words]:
    """Two terms side by side: what they have in common is said once."""
    en, zh = f"the {first.en}", second.zh
    other = f"the {second.en}"
    one, two = _PARTED.fullmatch(first.en), _PARTED.fullmatch(second.en)
    if one and two and one["tail"] == two["tail"]:
        en = f"the {one['head']}"
    elif one and two and one["head"] == two["head"]:
        other = f"that {two['tail']}"
    mine, its = _PARTED_ZH.fullmatch(first.zh), _PARTED_ZH.fullmatch(second.zh)
    if mine and its and mine["head"] == its["head"]:
        zh = its["tail"]
    return both(en, first.zh), both(other, zh)


def pair(known: Known, kind: Kind) -> Composed | None:
    """Two terms of one project, in a row."""
    every = list(terms(known))
    first = known.rng.one(every)
    mates = [one for one in every if one.project == first.project and one.name != first.name and one.unit == first.unit]
    if not mates:
        return None
    second = known.rng.one(mates)
    values = [one.value(known) for one in (first, second)]
    if any(value is None for value in values) or values[0] == values[1]:
        return None
    plan = Plan()
    golds = [one.gold(plan, known) for one in (first, second)]
    columns = [column(name, "number" if one.unit != "date" else "date", one.unit if one.unit != "date" else None,
        "0.01")
               for name, one in (("first", first), ("second", second))]  # fmt: skip
    if first.unit == "date":
        columns = [column("first", "date"), column("second", "date")]
    slots = dict(zip(("what", "other"), _pair_words(first, second), strict=True))
    family = " ".join(sorted(one.name.rpartition("_")[0] or one.name for one in (first, second)))
    answer = table([[value for value in values if value is not None]], *columns)
    return Composed("term_pair", f"term_pair {family}", *kind, slots, answer,
        plan.chain(f"join(' | ', list({', '.join(golds)}))"),
                    known.truth.subject(first.project).id, known.now)  # fmt: skip


def spread(known: Known, kind: Kind) -> Composed | None:
    """How far apart two lending markets' terms are, in percentage points or days."""
    every = list(terms(known))
    first = known.rng.one([one for one in every if one.unit in ("%", "days")])
    stem = first.name.rpartition("_")[0]
    mates = [
        one for one in every if one.name.startswith(f"{stem}_") and one.name != first.name and one.unit == first.unit
    ]
    if not stem or not mates:
        return None
    second = known.rng.one(mates)
    values = [one.value(known) for one in (first, second)]
    if not all(isinstance(value, Fraction) for value in values):
        return None
    gap = abs(Fraction(values[0] or 0) - Fraction(values[1] or 0))
    if gap < 3 or gap in (5, 10):
        return None
    plan = Plan()
    golds = [one.gold(plan, known) for one in (first, second)]
    unit = "percentage points" if first.unit == "%" else "days"
    what, other = _pair_words(first, second)
    slots = {"what": what, "other": other,
             "unit": both(unit, "个百分点" if first.unit == "%" else "天")}  # fmt: skip
    return Composed("term_gap", f"term_gap {stem}", *kind, slots, number(gap, unit, "0.1"),
                    plan.chain(f"abs({golds[0]} - {golds[1]})"), known.truth.subject(first.project).id,
                        known.now)  # fmt: skip


def _unit(one: Term, language: str) -> str:
    if one.unit == "date":
        return "date" if language == "en" else "日期"
    zh = {"%": "百分比", "blocks": "区块数", "hours": "小时", "days": "天数"}
    return (one.unit or "") if language == "en" else zh.get(one.unit or "", one.unit or "")
