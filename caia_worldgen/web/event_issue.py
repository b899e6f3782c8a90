"""What issuers, makers and teams did: dollars made and unmade, transfers paused, collectibles, projects portrayed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from caia_worldgen.calendar import DAY_S
from caia_worldgen.web import number
from caia_worldgen.web.coin_fact import coins_of
from caia_worldgen.web.event import Event, brief, on, token
from caia_worldgen.web.fact_sheet import Fact
from caia_worldgen.web.place import link, team
from caia_worldgen.web.truth import Truth


def issue_events(truth: Truth) -> Iterator[Event]:
    """All of them, strand by strand."""
    yield from _pauses(truth)
    yield from _dollars(truth)
    yield from _collectibles(truth)
    yield from _profiles(truth)


def _pauses(truth: Truth) -> Iterator[Event]:
    dollar = truth.subject("dollar")
    for at, _ in truth.happened("paused", "dollar"):
        failed = next((one.figure("amount") for then, one in truth.happened("was refused", "dollar token")
                       if then == at and dict(one.figures).get("error") == "EnforcedPause"), 0)  # fmt: skip
        yield Event("pause_dollar", str(at), at,
                    {"name": dollar.name, "ticker": dollar.ticker, **on(at), "failed": coins_of(failed, 6, 2)},
                    dollar.id, 5)  # fmt: skip
    begun = 0
    switched = [(at, verb) for verb in ("paused", "unpaused") for at, _ in truth.happened(verb, "credit")]
    for at, done in sorted(switched):
        facts = token(truth, "credit") | on(at) | {"dollar": dollar.ticker}
        if done == "paused":
            begun = at
            yield Event("credit_pause", str(at), at, facts, "", 4, more="credit_more")
        else:
            days = str(max(1, (at - begun + DAY_S // 2) // DAY_S))
            yield Event("credit_resume", str(at), at, facts | {"days": days}, "", 4, more="credit_more")


def _dollars(truth: Truth) -> Iterator[Event]:
    one, vault = truth.subject("dollar"), truth.scene.main.contracts["bridge vault"].address
    made = [(at, deed.figure("amount")) for at, deed in truth.happened("issued", "dollar")]
    gone = [(at, deed.figure("amount")) for at, deed in truth.happened("redeemed", "dollar")]
    for day in range(14, truth.days, 10):
        at = truth.midnight(day) + 8 * 3_600
        since = at - 14 * DAY_S
        facts: dict[str, Fact] = {
            **on(at),
            "vault": truth.balance("dollar", vault, at), "supply": truth.supply(one.id, at),
            "supply_before": truth.supply(one.id, since), "day": number.day(at),
            "stamp": f"{number.clock_time(at)} on {number.day(at)}",
        }  # fmt: skip
        for name, moved in (("issued", made), ("redeemed", gone)):
            if summed := sum(amount for then, amount in moved if since < then <= at):
                facts[name] = coins_of(summed, 6)
        yield Event("dollar_supply", str(day), at, facts, one.id, 2, "data")


def _collectibles(truth: Truth) -> Iterator[Event]:
    native, fees = truth.subject("native"), {}
    for at, deed in truth.happened("opened collection"):
        fees[deed.subject] = number.percent(deed.figure("fee_bps") * 100, 2).words
        yield Event("nft_open", deed.subject, at,
                    {"name": truth.scene.projects[deed.subject].name, "fee": fees[deed.subject],
                     "who": brief(deed.actor), **on(at)}, "", 1, "culture")  # fmt: skip
    prices: dict[str, list[int]] = defaultdict(list)
    for at, deed in truth.happened("purchased"):
        told, paid = dict(deed.figures), deed.figure("price_wei")
        sold = prices[deed.subject]
        sold.append(paid)
        worth = truth.price_usd(native.id, at) * Fraction(paid, 10**18)
        facts: dict[str, Fact] = {
            "name": truth.scene.projects[deed.subject].name, "id": str(told["id"]), "paid": coins_of(paid, places=3),
            "fee_paid": coins_of(deed.figure("fee_wei"), places=4), "buyer": brief(deed.actor),
            "seller": brief(str(told["seller"])), "nth_sale": str(len(sold)), "sum": coins_of(sum(sold), places=3),
            "top": coins_of(max(sold), places=3), "worth": number.exact(worth).around("$").words, **on(at),
        }  # fmt: skip
        if deed.subject in fees:
            facts["fee"] = fees[deed.subject]
        yield Event("nft_sale", f"{deed.subject}/{at}/{told['id']}", at, facts, "", 2, "culture", "nft_more")


def _profiles(truth: Truth) -> Iterator[Event]:
    rounds = {one.project: one for one in truth.rounds}
    teams = truth.cast.teams
    for place, (id, one) in enumerate(sorted(truth.subjects.items())):
        people = teams.get(one.role) or teams.get(id) or ()
        if len(people) < 2:
            continue
        about = one.about[:1].upper() + one.about[1:]
        facts: dict[str, Fact] = {"about_cap": about, "heads": str(len(people)), "team_page": link("page", team(one))}
        for name, who in (("lead", people[0]), ("second", people[1])):
            facts |= {f"{name}_name": who.name, f"{name}_title": who.title, f"{name}_field": who.field}
        if id in rounds:
            made = rounds[id]
            facts |= {"round_name": made.name, "round_lead": made.lead, "raised": truth.raised(made)}
        at = truth.midnight(9) + (truth.days - 12) * DAY_S * place // len(truth.subjects)
        at = max(at, one.listed_at + 2 * DAY_S) // 3_600 * 3_600 + truth.dice(f"profile/{id}").number(0, 11) * 3_600
        yield Event("profile", id, at, facts | on(at), id, 2, "features")
