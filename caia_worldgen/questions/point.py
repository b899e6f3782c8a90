"""Points of chain state: supplies, stakes, loans, bridge balances, votes and holders, at a block or as a day begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Final

from caia_replay.core.task import ZERO_ADDRESS, AnswerSpec, Category
from caia_worldgen.questions import when as times
from caia_worldgen.questions.contract import address_on, contracts_page, token_address, view
from caia_worldgen.questions.expression import Composed, Plan, Source, When, Words, both, column, number, table, text
from caia_worldgen.questions.known import Known, subject_of
from caia_worldgen.view import ViewCall

Kind = tuple[Category, Source]
_WHOLE: Final = 10**18
_VOTE: Final = "proposalVotes(uint256)(uint256,uint256,uint256)"


def _made(
    form: str,
    skeleton: str,
    kind: Kind,
    slots: Mapping[str, Words],
    answer: AnswerSpec,
    plan: Plan,
    result: str,
    project: str,
    over: int,
) -> Composed:
    return Composed(form, f"{form} {skeleton}", *kind, slots, answer, plan.chain(result), project, over)


def _midnight(when: When) -> Words:
    return both(f"at 00:00 UTC {when.words['en']}", f"{when.words['zh']}零点（UTC）")


def supply(known: Known, kind: Kind, chain: str = "main") -> Composed | None:
    """How many of a token there were as a day began."""
    subject = known.rng.one([one for one in known.tokens() if chain == "main" or one.role in known.scene.bridged])
    when = times.day(known)
    value = known.supply(subject, when.first, chain)
    if not value or (value.denominator == 1 and str(value.numerator).endswith("00000")):
        return None
    plan = Plan()
    found = plan.call("supply_query", asset=subject.ticker, time=when.days(plan).day())
    result = f"first(where({found}.on_chain, 'chain', '{known.chain(chain)}')).total_supply"
    slots = {"ticker": both(subject.ticker), "when": _midnight(when), "network": both(known.scene.networks[chain].name)}
    return _made("supply", f"{chain} {when.skeleton}", kind, slots, number(value, subject.ticker, "0.001"), plan,
        result,
                 subject.project, known.midnight(when.end))  # fmt: skip


def supply_change(known: Known, kind: Kind, chain: str = "main") -> Composed | None:
    """By how many tokens a supply changed over some days."""
    subject = known.rng.one([one for one in known.tokens() if chain == "main" or one.role in known.scene.bridged])
    when = times.stretch(known)
    moved = known.supply(subject, when.end, chain) - known.supply(subject, when.first, chain)
    if abs(moved) < 100:
        return None
    plan = Plan()
    days = when.days(plan)
    golds = [f"first(where({plan.call('supply_query', asset=subject.ticker, time=day)}.on_chain, 'chain', "
             f"'{known.chain(chain)}')).total_supply" for day in (days.day(), days.day(when.length))]  # fmt: skip
    slots = {
        "ticker": both(subject.ticker),
        "when": dict(when.words),
        "network": both(known.scene.networks[chain].name),
    }
    answer = number(moved, subject.ticker, "0.5", direction="up")
    return _made("supply_change", f"{chain} {when.skeleton}", kind, slots, answer, plan, f"{golds[1]} - {golds[0]}",
                 subject.project, known.midnight(when.end) + 3_600)  # fmt: skip


def staked(known: Known, kind: Kind, as_share: bool = False) -> Composed | None:
    """What lay in a staking pool as a day began, or which part of the supply that was."""
    subject = known.truth.subject(known.rng.one(("arena", "storage")))
    when = times.day(known)
    if not known.sees(contracts_page(subject.site)):
        return None
    plan = Plan()
    days = when.days(plan)
    pool = address_on(plan, subject.name, subject.site, "staking pool")
    held = f"{view(plan, pool, 'totalStaked()(uint256)', known.chain('main'), days.day())}.values.0 / {_WHOLE}"
    slots = {"name": both(subject.name.split()[0]), "ticker": both(subject.ticker), "when": dict(when.words)}
    # A date as a block means its last: the state as the day ends.
    amount = Fraction(known.view("main", f"{subject.role} staking pool", "totalStaked", when.end), _WHOLE)
    if not as_share:
        return _made("staked", when.skeleton, kind, slots, number(amount, subject.ticker, "0.01"), plan, held,
            subject.id,
                     known.midnight(when.end) + 3_600)  # fmt: skip
    asset = known.scene.assets[subject.role]
    whole = Fraction(known.scene.main.ledger.supply(asset.address, known.block("main", when.end)), asset.unit)
    told = plan.call("supply_query", asset=subject.ticker, time=days.day(1))
    result = f"round({held} * 100 / first(where({told}.on_chain, 'chain', '{known.chain('main')}')).total_supply, 6)"
    return _made("staked_share", when.skeleton, kind, slots, number(round(amount * 100 / whole, 6), "%", "0.5"), plan,
        result,
                 subject.id, known.midnight(when.end) + 3_600)  # fmt: skip


def utilisation(known: Known, kind: Kind) -> Composed | None:
    """Cash, debt and their ratio in a lending market as a day ended."""
    role, lend = known.rng.one(("native", "exchange")), known.truth.subject("lend")
    if not known.sees(contracts_page(lend.site)):
        return None
    when, unit = times.day(known), known.scene.assets["dollar"].unit
    block = known.block("main", when.end)
    cash = Fraction(known.view("main", f"{role} lending market", "cash", when.end), unit)
    debt = Fraction(known.truth.metrics.tvl.debt(role, known.scene.main.calendar.times[block]), unit)
    if debt < 10:
        return None
    plan = Plan()
    day = when.days(plan).day()
    market = address_on(plan, lend.name, lend.site, f"{role} lending market")
    chain = known.chain("main")
    golds = [
        f"{view(plan, market, f'{name}()(uint256)', chain, day)}.values.0 / {unit}" for name in ("cash", "totalDebt")
    ]
    slots = {
        "name": both(lend.name.split()[0]),
        "ticker": both(known.truth.subject(role).ticker),
        "when": dict(when.words),
    }
    over = known.midnight(when.end) + 3_600
    if known.rng.happens(50):
        share = round(debt * 100 / (debt + cash), 6)
        result = f"round({golds[1]} * 100 / ({golds[0]} + {golds[1]}), 6)"
        return _made("utilisation", f"{when.skeleton}", kind, slots, number(share, "%"), plan, result, lend.id, over)
    dollar = known.truth.subject("dollar").ticker
    answer = table([(cash, debt)], column("cash", unit=dollar), column("debt", unit=dollar))
    return _made(
        "cash_debt",
        f"{when.skeleton}",
        kind,
        slots,
        answer,
        plan,
        f"join(' | ', list({', '.join(golds)}))",
        lend.id,
        over,
    )


def bridged(known: Known, kind: Kind) -> Composed | None:
    """What the bridge's vault held of a token as a day began, what of it was out on the roll-up, or in transit."""
    role = known.rng.one(sorted(set(known.scene.bridged) - {"native"}))
    subject, bridge = known.truth.subject(role), known.truth.subject("bridge")
    when = times.day(known)
    if not known.sees(contracts_page(bridge.site)):
        return None
    asset, vault = known.scene.assets[role], known.scene.main.contracts["bridge vault"].address
    held = Fraction(known.scene.main.ledger.balance(asset.address, vault, known.block("main", when.first)), asset.unit)
    minted = known.supply(subject_of(known.truth.coin(subject.id)), when.first, "rollup")
    plan = Plan()
    day = when.days(plan).day()
    place = address_on(plan, bridge.name, bridge.site, "vault")
    locked = plan.call("balance_query", address=f"= {place}", token=subject.ticker, time=day, chain=known.chain("main"))
    told = plan.call("supply_query", asset=subject.ticker, time=day)
    out = f"first(where({told}.on_chain, 'chain', '{known.chain('rollup')}')).total_supply"
    slots = {"ticker": both(subject.ticker), "when": _midnight(when), "name": both(bridge.name.split()[0]),
             "network": both(known.scene.networks["rollup"].name)}  # fmt: skip
    over = known.midnight(when.end)
    if held - minted > 10 and known.rng.happens(60):
        return _made("in_transit", when.skeleton, kind, slots, number(held - minted, subject.ticker), plan,
                     f"{locked}.amount - {out}", subject.id, over)  # fmt: skip
    answer = table(
        [(held, minted)],
        column("locked", unit=subject.ticker, tolerance="0.01"),
        column("minted", unit=subject.ticker, tolerance="0.01"),
    )
    return _made(
        "backing",
        when.skeleton,
        kind,
        slots,
        answer,
        plan,
        f"join(' | ', list({locked}.amount, {out}))",
        subject.id,
        over,
    )


def _motion(known: Known) -> tuple[str, int, int] | None:
    """A vote that is over: its name, which proposal it was, and the id."""
    ended = [
        deed for verb in ("succeeded", "defeated") for moment, deed in known.truth.happened(verb) if moment < known.now
    ]
    if not ended or not known.sees(contracts_page(known.truth.subject("lend").site)):
        return None
    deed = known.rng.one(ended)
    order = [str(one.subject) for _, one in known.truth.happened("proposed")]
    return deed.subject, order.index(deed.subject), deed.figure("id")


def votes(known: Known, kind: Kind) -> Composed | None:
    """How a vote ended: for, against and abstaining, its turnout, or the margin over the quorum."""
    if (found := _motion(known)) is None:
        return None
    motion, turn, id = found
    lend, stage = known.truth.subject("lend"), known.scene.main
    tally = [
        Fraction(one, _WHOLE)
        for one in stage.views.answer(ViewCall("governor", "proposalVotes", (id,)), stage.calendar.at(known.now))
    ]
    plan = Plan()
    chain = known.chain("main")
    governor = address_on(plan, lend.name, lend.site, "governor")
    made = plan.call("data_query", contract=f"= {governor}", event="ProposalCreated", from_block=0, chain=chain)
    counted = view(plan, governor, _VOTE, chain, arguments=(f"{made}.events.{turn}.arguments.proposalId",))
    slots = {"motion": both(motion), "name": both(lend.name.split()[0]), "ticker": both(lend.ticker)}
    choice = known.rng.number(0, 2)
    if choice == 0:
        golds = [f"{counted}.values.{at} / {_WHOLE}" for at in (1, 0, 2)]
        columns = [column(name, unit=lend.ticker, tolerance="0.1") for name in ("for", "against", "abstain")]
        return _made("tally", motion, kind, slots, table([(tally[1], tally[0], tally[2])], *columns), plan,
                     f"join(' | ', list({', '.join(golds)}))", lend.id, known.now)  # fmt: skip
    if choice == 1:
        asset, snapshot = (
            known.scene.assets["lend"],
            next(d for _, d in known.truth.happened("proposed", motion)).figure("snapshot"),
        )
        whole = Fraction(stage.ledger.supply(asset.address, snapshot), _WHOLE)
        told = plan.call(
            "supply_query", asset=lend.ticker, block=f"{made}.events.{turn}.arguments.voteStart", chain=chain
        )
        result = (f"round(({counted}.values.0 + {counted}.values.1 + {counted}.values.2) / {_WHOLE} * 100 / "
                  f"{told}.on_chain.0.total_supply, 6)")  # fmt: skip
        return _made(
            "turnout",
            motion,
            kind,
            slots,
            number(round(sum(tally) * 100 / whole, 6), "%"),
            plan,
            result,
            lend.id,
            known.now,
        )
    ballots = [deed for _, deed in known.truth.happened("voted", motion)]
    best = max(ballots, key=lambda deed: deed.figure("weight"))
    cast = plan.call("data_query", contract=f"= {governor}", event="VoteCast", from_block=0, chain=chain)
    code = (
        "r=[(int(v),w) for p,v,w in zip('<ids>'.split(', '),'<weights>'.split(', '),'<who>'.split(', ')) "
        "if p=='<id>'];v,w=max(r);print(w,'|',v/10**18,'|',len(r))"
    )
    inputs = {
        name: f"join(', ', {cast}.events[*].arguments.{field})"
        for name, field in (("ids", "proposalId"), ("weights", "weight"), ("who", "voter"))
    }
    result = plan.run(code, id=f"{made}.events.{turn}.arguments.proposalId", **inputs)
    answer = table([(best.actor, Fraction(best.figure("weight"), _WHOLE), len(ballots))],
                   column("address", "address"), column("votes", unit=lend.ticker), column("voters",
                       tolerance="0"))  # fmt: skip
    return _made("voters", motion, kind, slots, answer, plan, result, lend.id, known.now)


def holders(known: Known, kind: Kind, top: int = 0) -> Composed | None:
    """How many addresses hold a token as a day ends, or who holds most of it, worked out from all its transfers."""
    subject, when = known.rng.one(known.tokens()), times.dated(known, known.rng.number(10, known.today - 2), 1)
    asset, block = known.scene.assets[subject.role], known.block("main", when.end)
    ledger = known.scene.main.ledger
    owned = Counter({one: ledger.balance(asset.address, one, block) for one in ledger.known(asset.address)})
    owned = Counter({one: amount for one, amount in owned.items() if amount > 0})
    if subject.role in ("tax",) or len(owned) < 13:
        return None
    plan = Plan()
    token = token_address(plan, subject.ticker, known.chain("main"))
    sql = (
        "SELECT a, sum(v) AS n FROM (SELECT to_address AS a, value AS v FROM erc20_transfers WHERE erc20='<token>' "
        "UNION ALL SELECT from_address, -value FROM erc20_transfers WHERE erc20='<token>') "
        "GROUP BY a HAVING n > 0 ORDER BY n DESC"
    )
    found = plan.call(
        "data_query",
        sql=text(sql, token=token),
        from_block=0,
        to_block=when.days(plan).day(),
        chain=known.chain("main"),
    )
    slots = {
        "ticker": both(subject.ticker),
        "when": dict(when.words),
        "network": both(known.scene.networks["main"].name),
    }
    over = known.midnight(when.end) + 3_600
    if not top:
        return _made(
            "holders",
            "count",
            kind,
            slots,
            number(len(owned), None, "0"),
            plan,
            f"{found}.total_rows",
            subject.project,
            over,
        )
    best = owned.most_common(top)
    if any(a[1] < b[1] * 102 // 100 for a, b in pairwise(best)) or best[0][0] == ZERO_ADDRESS:
        return None
    rows = ", ".join(f"join(' | ', list({found}.rows.{at}.0, {found}.rows.{at}.1 / {asset.unit}))" for at in range(top))
    answer = table([(who, Fraction(amount, asset.unit)) for who, amount in best], column("address", "address"),
                   column("balance", unit=subject.ticker))  # fmt: skip
    return _made(
        "top_holders", f"top {top}", kind, slots, answer, plan, f"join('\n', list({rows}))", subject.project, over
    )


def wallet(known: Known, kind: Kind) -> Composed | None:
    """What an address held of two tokens as a day ended, or what one of them was worth."""
    person = known.rng.one(known.scene.people.crowd)
    when = times.dated(known, known.rng.number(10, known.today - 2), 1)
    block, ledger = known.block("main", when.end), known.scene.main.ledger
    owned = []
    for subject in known.tokens():
        asset = known.scene.assets[subject.role]
        amount = Fraction(ledger.balance(asset.address, person.address, block), asset.unit)
        if amount > 50:
            owned.append((subject, amount))
    if len(owned) < 2:
        return None
    pair = known.rng.some(owned, 2)
    plan = Plan()
    day = when.days(plan).day(1)
    golds = [
        plan.call("balance_query", address=person.address, token=one.ticker, time=day, chain=known.chain("main"))
        for one, _ in pair
    ]
    slots = {
        "address": both(person.address),
        "when": dict(when.words),
        "one": both(pair[0][0].ticker),
        "two": both(pair[1][0].ticker),
    }
    over = known.midnight(when.end) + 3_600
    if known.rng.happens(50):
        prices = [known.price(one, when.end) for one, _ in pair]
        if not all(prices):
            return None
        worth = sum(amount * (price or 0) for (_, amount), price in zip(pair, prices))
        quotes = [plan.call("price_feed", asset=f"id:{one.id}", at=day) for one, _ in pair]
        result = " + ".join(f"{gold}.amount * {quote}.price" for gold, quote in zip(golds, quotes))
        return _made("worth", "two tokens", kind, slots, number(worth, "USD"), plan, result, pair[0][0].project, over)
    answer = table(
        [[amount for _, amount in pair]], *(column(one.ticker, unit=one.ticker, tolerance="0.01") for one, _ in pair)
    )
    return _made(
        "wallet",
        "two tokens",
        kind,
        slots,
        answer,
        plan,
        f"join(' | ', list({golds[0]}.amount, {golds[1]}.amount))",
        pair[0][0].project,
        over,
    )
