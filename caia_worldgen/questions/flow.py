"""What contracts logged: flows of events, counted, summed, ranked, dated and explained by one transaction.

A flow is known twice: as deeds or movements of the story, and as a contract's events, once the contract is found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_replay.core.task import ZERO_ADDRESS, AnswerSpec, Category
from caia_worldgen.event import done
from caia_worldgen.questions import when as times
from caia_worldgen.questions.contract import address_on, contracts_page, token_address
from caia_worldgen.questions.expression import (
    Composed,
    Days,
    Plan,
    Source,
    When,
    Words,
    both,
    column,
    iso,
    listed,
    number,
    table,
)  # fmt: skip
from caia_worldgen.questions.known import TRANSFER, Known

_LIMIT: Final = 1_000
_LATER_S: Final = 3_600
_APART: Final = Fraction(103, 100)

Row = tuple[int, str, int]
"""Block, who, and how much in smallest units."""


@dataclass(frozen=True, slots=True)
class Flow:
    """``chain`` is "main" or "rollup". ``argument`` names the amount in an event and ``actor`` who did it; ``rows`` is
    what the story has of it, oldest first; ``contract`` finds what logs it."""

    name: str
    chain: str
    event: str
    argument: str
    actor: str
    unit: int
    ticker: str
    project: str
    words: Words
    rows: Callable[[], list[Row]]
    contract: Callable[[Plan], str]
    where: tuple[str, ...] = ()

    def within(self, known: Known, when: When) -> list[Row]:
        """The rows of some days."""
        calendar = known.stage(self.chain).calendar
        return [row for row in self.rows() if when.first <= calendar.day_of(row[0]) < when.end]

    def events(self, plan: Plan, known: Known, days: Days) -> str:
        """The reference to the events of some days."""
        found = plan.call("data_query", contract=f"= {self.contract(plan)}", event=self.event, from_block=days.begin(),
                          to_block=days.last, chain=known.chain(self.chain), limit=_LIMIT,
                          where=self.where or None)  # fmt: skip
        return f"{found}.events"


_DOCS: Final = (
    # name, project's role, label in its list of contracts, event, argument, actor, verb, subject, figure, what it is in
    ("borrowed_native", "lend", "native lending market", "Borrowed", "amount", "borrower", "borrowed",
     "native lending market", "amount", "dollar", "borrows in {lend}'s {native} market", "{lend} 的 {native} 市场借款"),
    ("borrowed_exchange", "lend", "exchange lending market", "Borrowed", "amount", "borrower", "borrowed",
     "exchange lending market", "amount", "dollar", "borrows in {lend}'s {exchange} market",
         "{lend} 的 {exchange} 市场借款"),
    ("lent_native", "lend", "native lending market", "Deposited", "amount", "lender", "lent", "native lending market",
     "amount", "dollar", "lender deposits in {lend}'s {native} market", "{lend} 的 {native} 市场存款"),
    ("repaid_native", "lend", "native lending market", "Repaid", "amount", "borrower", "repaid",
        "native lending market",
     "amount", "dollar", "loan repayments in {lend}'s {native} market", "{lend} 的 {native} 市场还款"),
    ("liquidated_native", "lend", "native lending market", "Liquidated", "repaid", "borrower", "liquidated",
     "native lending market", "repaid", "dollar", "liquidations in {lend}'s {native} market",
         "{lend} 的 {native} 市场清算"),
    ("staked_arena", "arena", "staking pool", "Staked", "amount", "account", "staked", "arena staking pool", "amount",
     "arena", "stakes into the {arena} pool", "{arena} 质押池的质押"),
    ("unstaked_arena", "arena", "staking pool", "Unstaked", "amount", "account", "unstaked", "arena staking pool",
     "amount", "arena", "unstakes from the {arena} pool", "{arena} 质押池的赎回"),
    ("claimed_arena", "arena", "staking pool", "Claimed", "amount", "account", "claimed", "arena staking pool",
     "amount", "arena", "reward claims at the {arena} pool", "{arena} 质押池的奖励领取"),
    ("staked_storage", "storage", "staking pool", "Staked", "amount", "account", "staked", "storage staking pool",
     "amount", "storage", "stakes into the {storage} pool", "{storage} 质押池的质押"),
    ("unstaked_storage", "storage", "staking pool", "Unstaked", "amount", "account", "unstaked",
     "storage staking pool", "amount", "storage", "unstakes from the {storage} pool", "{storage} 质押池的赎回"),
    ("bought_launch", "native", "launchpad", "Bought", "paidWei", "buyer", "bought", None, "paid_wei", "native",
     "buys on the {network} launchpad", "{network} 发射台的买入"),
    ("sold_launch", "native", "launchpad", "Sold", "paidWei", "seller", "sold", None, "paid_wei", "native",
     "sells on the {network} launchpad", "{network} 发射台的卖出"),
    ("fee_income", "lend", "fee vault", "Deposited", "amount", "from", "paid fees", "fee vault", "amount", "lend",
     "{lend} fee vault deposits in {lend}", "{lend} 费用金库以 {lend} 计的入账"),
    ("airdrop_claims", "social", "airdrop", "Claimed", "amount", "", "claimed", "social", "amount", "social",
     "{social} airdrop claims", "{social} 空投领取"),
)  # fmt: skip


def flows(known: Known) -> Iterator[Flow]:
    """Every flow whose contract can be found by now."""
    slots = {
        role: known.truth.subject(role).ticker for role in ("native", "exchange", "lend", "arena", "storage", "social")
    }
    slots["network"] = known.scene.networks["main"].name.split()[0]
    for name, role, label, event, argument, actor, verb, subject, figure, coin, en, zh in _DOCS:
        project = known.scene.networks["main"] if role == "native" else known.scene.projects[role]
        if not known.sees(contracts_page(project.site)) or name == "fee_income":
            continue
        asset = known.scene.assets[coin]

        def rows(verb: str = verb, subject: str | None = subject, figure: str = figure) -> list[Row]:
            deeds = done(known.scene.main.deeds, verb, subject)
            who = "borrower" if verb == "liquidated" else ""
            return [
                (deed.block, str(dict(deed.figures)[who]) if who else deed.actor, deed.figure(figure)) for deed in deeds
            ]

        def contract(plan: Plan, name: str = project.name, site: str = project.site, label: str = label) -> str:
            return address_on(plan, name, site, label)

        ticker = known.truth.subject(coin).ticker
        yield Flow(name, "main", event, argument, actor, asset.unit, ticker, project.id,
                   both(en.format(**slots), zh.format(**slots)), rows, contract)  # fmt: skip
    yield from _tokens(known)


def _tokens(known: Known) -> Iterator[Flow]:
    """Transfers of tokens on both chains."""
    bridged = set(known.scene.bridged) - {"native"}
    for chain, roles in (
        ("main", [one.role for one in known.tokens() if one.role in known.scene.assets]),
        ("rollup", sorted(bridged)),
    ):
        stage, network = known.stage(chain), known.scene.networks[chain].name
        for role in roles:
            asset = known.scene.assets[role] if chain == "main" else known.scene.bridged[role]
            subject = known.truth.subject(role)

            def rows(stage: object = stage, token: str = asset.address) -> list[Row]:
                moved = stage.ledger.within(token, 0, stage.calendar.last_block)  # type: ignore[attr-defined]
                return [(one.block, one.sender, one.amount) for one in moved]

            def contract(plan: Plan, ticker: str = subject.ticker, chain: str = chain) -> str:
                return token_address(plan, ticker, known.chain(chain))

            yield Flow(f"transfers_{chain}", chain, TRANSFER, "value", "from", asset.unit, subject.ticker, subject.id,
                       both(f"{subject.ticker} transfers on {network}", f"{network} 上 {subject.ticker} 的转账"),
                           rows, contract)  # fmt: skip


def draw(
    known: Known, chain: str = "main", fewest: int = 3, is_token: bool | None = None
) -> tuple[Flow, When, list[Row]] | None:
    """A flow and days within which it has at least so many events, and not more than are told at once."""
    every = [one for one in flows(known) if one.chain == chain]
    every = [one for one in every if is_token is None or one.name.startswith("transfers") is is_token]
    if not every:
        return None
    flow = known.rng.one(every)
    when = times.stretch(known)
    rows = flow.within(known, when)
    return (flow, when, rows) if fewest <= len(rows) < _LIMIT else None


Kind = tuple[Category, Source]
_ACTORS: Final = {
    "from": ("sender", "发送方"), "borrower": ("borrower", "借款人"), "lender": ("lender", "存款人"),
    "account": ("staker", "质押者"), "buyer": ("buyer", "买家"), "seller": ("seller", "卖家"), "": ("address", "地址"),
}  # fmt: skip
"""Who did it, by the argument of the event that names them."""


def _single(words: Words) -> Words:
    """One of a flow: "CNV transfer on Aspenplot Rollup"."""
    return both(re.sub(r"s(?= (?:in|into|from|at|on) |\Z)", "", words["en"], count=1), words["zh"])


def _made(
    known: Known, form: str, flow: Flow, when: When, answer: AnswerSpec, plan: Plan, result: str, kind: Kind
) -> Composed:
    slots = {"what": flow.words, "single": _single(flow.words), "when": dict(when.words), "ticker": both(flow.ticker),
             "actor": both(*_ACTORS[flow.actor])}  # fmt: skip
    return Composed(form, f"{form} {flow.name} {when.skeleton}", *kind, slots, answer, plan.chain(result), flow.project,
                    known.midnight(when.end) + _LATER_S)  # fmt: skip


def count(known: Known, kind: Kind, chain: str = "main", is_token: bool | None = None) -> Composed | None:
    """How many events there were."""
    if (found := draw(known, chain, 13, is_token)) is None:
        return None
    flow, when, rows = found
    plan = Plan()
    events = flow.events(plan, known, when.days(plan)).removesuffix(".events")
    return _made(known, "flow_count", flow, when, number(len(rows), None, "0"), plan, f"{events}.count", kind)


def total(known: Known, kind: Kind, chain: str = "main", is_token: bool | None = None) -> Composed | None:
    """All that was moved."""
    if (found := draw(known, chain, 3, is_token)) is None:
        return None
    flow, when, rows = found
    plan = Plan()
    events = flow.events(plan, known, when.days(plan))
    value = Fraction(sum(row[2] for row in rows), flow.unit)
    return _made(known, "flow_total", flow, when, number(value, flow.ticker), plan,
                 f"sum({events}[*].arguments.{flow.argument}) / {flow.unit}", kind)  # fmt: skip


def actors(known: Known, kind: Kind, chain: str = "main", is_token: bool | None = None) -> Composed | None:
    """How many different accounts, and how much of it each had on average: two figures."""
    if (found := draw(known, chain, 6, is_token)) is None:
        return None
    flow, when, rows = found
    if not flow.actor:
        return None
    people, amount = {row[1] for row in rows} - {ZERO_ADDRESS}, Fraction(sum(row[2] for row in rows), flow.unit)
    if len(people) < 4 or ZERO_ADDRESS in {row[1] for row in rows}:
        return None
    plan = Plan()
    events = flow.events(plan, known, when.days(plan))
    result = (f"join(' | ', list(count(unique({events}[*].arguments.{flow.actor})), "
              f"sum({events}[*].arguments.{flow.argument}) / {flow.unit}))")  # fmt: skip
    answer = table([(len(people), amount)], column("addresses", tolerance="0"), column("total", unit=flow.ticker))
    return _made(known, "flow_actors", flow, when, answer, plan, result, kind)


def largest(known: Known, kind: Kind, chain: str = "main", is_token: bool | None = None) -> Composed | None:
    """The largest single one: how much, and by whom."""
    if (found := draw(known, chain, 4, is_token)) is None:
        return None
    flow, when, rows = found
    best, second = sorted(rows, key=lambda row: -row[2])[:2]
    if best[2] < second[2] * _APART or best[1] == ZERO_ADDRESS or not flow.actor:
        return None
    plan = Plan()
    events = flow.events(plan, known, when.days(plan))
    code = (
        "v=[<values>];w='<who>'.split(', ');i=v.index(max(v));from fractions import Fraction as F;"
        f"print(w[i],'|',float(F(v[i],{flow.unit})))"
    )
    result = plan.run(
        code, values=listed(f"{events}[*].arguments.{flow.argument}"), who=listed(f"{events}[*].arguments.{flow.actor}")
    )
    answer = table(
        [(best[1], Fraction(best[2], flow.unit))], column("address", "address"), column("amount", unit=flow.ticker)
    )
    return _made(known, "flow_largest", flow, when, answer, plan, result, kind)


def block_of(known: Known, kind: Kind, chain: str = "main", is_token: bool | None = None) -> Composed | None:
    """Which block holds the largest one of some days: the transaction that explains it is found, then read."""
    if (found := draw(known, chain, 4, is_token)) is None:
        return None
    flow, when, rows = found
    best, second = sorted(rows, key=lambda row: -row[2])[:2]
    if best[2] < second[2] * _APART:
        return None
    plan = Plan()
    events = flow.events(plan, known, when.days(plan))
    code = "v=[<values>];print('<hashes>'.split(', ')[v.index(max(v))])"
    printed = plan.run(
        code, values=listed(f"{events}[*].arguments.{flow.argument}"), hashes=listed(f"{events}[*].transaction")
    )
    plan.call("transaction_query", hash=f"= match({printed}, '0x[0-9a-f]+')", chain=known.chain(flow.chain))
    result = f"${len(plan.steps)}.block"
    # The story knows the block; the hash is the chain's alone, so the block is what both are asked for.
    answer = number(best[0], None, "0")
    return _made(known, "flow_block", flow, when, answer, plan, result, kind)


def top_actor(known: Known, kind: Kind, chain: str = "main", is_token: bool | None = None) -> Composed | None:
    """Who did most of it, and what part of it that was, in per cent."""
    if (found := draw(known, chain, 6, is_token)) is None:
        return None
    flow, when, rows = found
    sums: Counter[str] = Counter()
    for _, who, amount in rows:
        sums[who] += amount
    if len(sums) < 3 or ZERO_ADDRESS in sums or not flow.actor:
        return None
    (first, most), (_, next_one) = sums.most_common(2)
    if most < next_one * _APART:
        return None
    part = round(Fraction(most * 100, sum(sums.values())), 6)
    plan = Plan()
    events = flow.events(plan, known, when.days(plan))
    code = ("from collections import Counter as C\nc=C()\nfor w,v in zip('<who>'.split(', '),[<values>]):c[w]+=v\n"
            "w,v=c.most_common(1)[0];print(w,'|',v*100/sum(c.values()))")  # fmt: skip
    result = plan.run(
        code, values=listed(f"{events}[*].arguments.{flow.argument}"), who=listed(f"{events}[*].arguments.{flow.actor}")
    )
    answer = table([(first, part)], column("address", "address"), column("share", unit="%"))
    return _made(known, "flow_top", flow, when, answer, plan, result, kind)


def busiest(known: Known, kind: Kind, chain: str = "main", is_token: bool | None = None) -> Composed | None:
    """The day with most of it, by amount."""
    if (found := draw(known, chain, 8, is_token)) is None:
        return None
    flow, when, rows = found
    calendar, sums = known.stage(chain).calendar, Counter[int]()
    for block, _, amount in rows:
        sums[calendar.day_of(block)] += amount
    ranked = sums.most_common(2)
    if len(ranked) < 2 or ranked[0][1] < ranked[1][1] * _APART:
        return None
    plan = Plan()
    events = flow.events(plan, known, when.days(plan))
    code = ("from collections import Counter as C\nfrom fractions import Fraction as F\nc=C()\n"
            "for d,v in zip('<days>'.split(', '),[<values>]):c[d[:10]]+=v\n"
            f"d,v=c.most_common(1)[0];print(d,'|',float(F(v,{flow.unit})))")  # fmt: skip
    result = plan.run(
        code, values=listed(f"{events}[*].arguments.{flow.argument}"), days=listed(f"{events}[*].time_utc")
    )
    row = (iso(known.midnight(ranked[0][0])), Fraction(ranked[0][1], flow.unit))
    answer = table([row], column("day", "date"), column("amount", unit=flow.ticker))
    return _made(known, "flow_busiest", flow, when, answer, plan, result, kind)


FORMS: Final = {"count": count, "total": total, "actors": actors, "largest": largest, "block": block_of,
                "top": top_actor, "busiest": busiest}  # fmt: skip
