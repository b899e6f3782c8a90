"""What befell tokens: launches and graduations, exits and traps, burns, a gift, locked grants, scams."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.web import number
from caia_worldgen.web.coin_fact import HOUR_S, coins_of, ordinal
from caia_worldgen.web.event import Event, Fact, brief, listed, next_midnight, on, token
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
        at = max(at, one.listed_at + 2 * DAY_S) // 3_600 * 3_600 + truth.rng(f"profile/{id}").number(0, 11) * 3_600
        yield Event("profile", id, at, facts | on(at), id, 2, "features")


_GROUPS: Final = {"founders": "founders", "investors": "investors", "advisers": "advisers"}
_AHEAD_DAYS: Final = 5


def token_events(truth: Truth) -> Iterator[Event]:
    """All of them, strand by strand."""
    yield from _launches(truth)
    yield from _exits(truth)
    yield from _burns(truth)
    yield from _airdrop(truth)
    yield from _grants(truth)
    yield from _scams(truth)


def _launches(truth: Truth) -> Iterator[Event]:
    pad = next((one.name for one in truth.metrics.protocols if one.kind == "launch"), "the launchpad")
    terms = next(truth.happened("opened launchpad"), None)
    facts: dict[str, Fact] = {"pad": pad}
    if terms is not None:
        fee = number.percent(terms[1].figure("fee_bps") * 100, 2).words
        facts |= {"goal": coins_of(terms[1].figure("graduation_wei"), places=2), "pad_fee": fee}
    begun: dict[str, int] = {}
    for nth, (at, deed) in enumerate(truth.happened("launched"), start=1):
        begun[deed.subject] = at
        yield Event("launch", deed.subject, at,
                    facts | token(truth, deed.subject) | on(at)
                    | {"creator": brief(deed.actor), "n": str(nth), "nth": ordinal(nth)}, tellers=2,
                    more="launch_aside")  # fmt: skip
    for at, deed in truth.happened("graduated"):
        days = max(1, (at - begun.get(deed.subject, at)) // DAY_S)
        yield Event("graduate", deed.subject, at,
                    facts | token(truth, deed.subject) | on(at)
                    | {"raised": coins_of(deed.figure("raised_wei"), places=2), "days": str(days),
                       "pooled": coins_of(deed.figure("amount")), "pair": str(dict(deed.figures)["pair"]),
                       "buyer": brief(deed.actor), "n": str(sum(one <= at for one in begun.values()))},
                    listed(truth, deed.subject), 5)  # fmt: skip


def _exits(truth: Truth) -> Iterator[Event]:
    for at, deed in truth.happened("rug pulled"):
        yield Event("rug", deed.subject, at,
                    token(truth, deed.subject) | on(at)
                    | {"sold": coins_of(deed.figure("amount")), "taken": coins_of(deed.figure("paid_wei"), places=2),
                       "reserve": coins_of(deed.figure("reserve_wei"), places=2), "who": brief(deed.actor)},
                    listed(truth, deed.subject), 5)  # fmt: skip
    for at, deed in truth.happened("pulled liquidity"):
        role = deed.subject.partition("/")[0]
        yield Event("pull", role, at,
                    token(truth, role) | on(at)
                    | {"sold": coins_of(deed.figure("amount")), "taken": coins_of(deed.figure("native_wei"), places=2),
                       "who": brief(deed.actor)}, listed(truth, role), 5)  # fmt: skip
    for failed, (at, deed) in enumerate(truth.happened("could not sell", "honeypot"), start=1):
        if failed in (3, 9, 17):
            yield Event("honeypot", str(failed), at,
                        token(truth, "honeypot") | on(at) | {"failed": str(failed), "who": brief(deed.actor)},
                        listed(truth, "honeypot"), 3)  # fmt: skip
    for at, deed in truth.happened("raised the tax"):
        fee = number.percent(deed.figure("fee_bps") * 100, 0).words
        yield Event("tax", "tax", at, token(truth, "tax") | on(at) | {"fee": fee, "fee_before": "3%"},
                    listed(truth, "tax"), 3)  # fmt: skip


def _burns(truth: Truth) -> Iterator[Event]:
    for at, deed in truth.happened("announced a burn"):
        day = truth.midnight(deed.figure("day"))
        yield Event("burn_said", deed.subject, at,
                    token(truth, deed.subject) | on(at)
                    | {"amount": coins_of(deed.figure("amount")), "burn_day": number.day(day),
                       "treasury": deed.actor}, listed(truth, deed.subject), 4, more="burn_more")  # fmt: skip
    for at, deed in truth.happened("burned"):
        if (coin := listed(truth, deed.subject)) and deed.actor == truth.scene.people.address("treasury"):
            yield Event("burn_done", deed.subject, at,
                        token(truth, deed.subject) | on(at)
                        | {"amount": coins_of(deed.figure("amount")), "treasury": deed.actor,
                           "before": truth.supply(coin, at - HOUR_S), "after": truth.supply(coin, at)},
                        coin, 5, more="burn_more")  # fmt: skip


def _airdrop(truth: Truth) -> Iterator[Event]:
    opened = next(truth.happened("opened airdrop"), None)
    if opened is None:
        return
    began, deed = opened
    role, deadline, total = deed.subject, deed.figure("deadline"), deed.figure("total")
    facts = token(truth, role) | {"total": coins_of(total), "recipients": str(deed.figure("recipients")),
                                  "deadline": number.day(deadline),
                                  "contract": truth.scene.main.contracts["airdrop"].address}  # fmt: skip
    coin = listed(truth, role)
    claims = [(at, one.figure("amount")) for at, one in truth.happened("claimed", role) if at <= deadline]

    def told(topic: str, at: int, tellers: int) -> Event:
        taken = [amount for moment, amount in claims if moment <= at]
        left = coins_of(total - sum(taken))
        return Event(f"airdrop_{topic}", str(at), at,
                     facts | on(at) | {"claims": str(len(taken)), "claimed": coins_of(sum(taken)), "left": left},
                     coin, tellers, more="airdrop_more")  # fmt: skip

    yield told("open", began, 5)
    for at in range(began + 5 * DAY_S, deadline - 4 * DAY_S, 7 * DAY_S):
        if any(moment <= at for moment, _ in claims):
            yield told("claims", at, 2)
    yield told("soon", deadline - 2 * DAY_S, 3)
    yield told("over", deadline + HOUR_S, 4)
    for at, swept in truth.happened("swept airdrop", role):
        yield Event("airdrop_swept", str(at), at, facts | on(at) | {"left": coins_of(swept.figure("amount"))}, coin, 3,
                    more="airdrop_more")  # fmt: skip


def _grants(truth: Truth) -> Iterator[Event]:
    for emission in truth.metrics.emissions.all():
        role, coin = emission.role, emission.slug
        names = sorted({grant.section.lower() for grant in emission.grants})
        last = max(one.schedule.end for one in emission.grants)
        facts = token(truth, role) | {"granted": coins_of(emission.granted), "groups": " and ".join(names),
                                      "last_day": number.day(last)}  # fmt: skip
        for grant in emission.grants:
            cliff, group = grant.schedule.cliff, grant.section.lower()
            if not truth.begun + 2 * DAY_S < cliff < truth.midnight(truth.days - 2):
                continue
            more = facts | {
                "group": group,
                "cliff_day": number.day(cliff),
                "cliff_date": number.short_day(cliff),
                "amount": coins_of(grant.schedule.vested(cliff)),
                "grant": coins_of(grant.schedule.total),
            }
            at = max(truth.begun + 20 * HOUR_S, cliff - _AHEAD_DAYS * DAY_S)
            yield Event("unlock_soon", f"{role}/{group}", at, more | on(at), coin, 2, more="unlock_more")
            count = next_midnight(cliff)
            yield Event("unlock_day", f"{role}/{group}", count,
                        more | on(count) | _counted(truth, role, count), coin, 3, more="unlock_more")  # fmt: skip
        for day in range(31, truth.days, 14):
            count = truth.midnight(day)
            done = truth.unlocked(role, count)
            if done.claim is None or not done.claim.value:
                continue
            share = sum(emission.unlocked(section, count) for section in emission.sections())
            yield Event("unlock_month", f"{role}/{day}", count,
                        facts | on(count) | _counted(truth, role, count)
                        | {"share": number.percent(share * 10**6 // emission.granted).words,
                           "unlocked_before": truth.unlocked(role, truth.midnight(day - 30))},
                        coin, 2, "data", "unlock_more")  # fmt: skip


def _counted(truth: Truth, role: str, midnight: int) -> dict[str, Fact]:
    return {"unlocked": truth.unlocked(role, midnight), "count_day": number.day(midnight),
            "count_date": number.short_day(midnight)}  # fmt: skip


def _scams(truth: Truth) -> Iterator[Event]:
    dollar = truth.subject("dollar")
    for at, deed in truth.happened("copied"):
        if "supply" in dict(deed.figures) and (coin := listed(truth, deed.subject)):
            yield Event("copy", deed.subject, at,
                        token(truth, deed.subject) | on(at)
                        | {"fake": str(dict(deed.figures)["token"]), "who": brief(deed.actor),
                           "supply_fake": coins_of(deed.figure("supply"))}, coin, 3)  # fmt: skip
    facts: dict[str, Fact] = {"name": dollar.name, "ticker": dollar.ticker, "dollar": dollar.ticker}
    for at, deed in truth.happened("paid a look-alike"):
        told = dict(deed.figures)
        yield Event("poison", str(at), at,
                    facts | on(at)
                    | {"amount": coins_of(deed.figure("amount"), 6, 2), "looks_like": str(told["looks_like"]),
                       "meant": str(told["meant"]), "who": brief(deed.actor)}, dollar.id, 4)  # fmt: skip
    if "drainer" not in truth.scene.main.contracts:
        return
    facts["drainer"] = truth.scene.main.contracts["drainer"].address
    signed = list(truth.happened("approved the drainer"))
    if signed:
        at = signed[-1][0]
        yield Event("drain", str(at), at, facts | on(at) | {"victims": str(len(signed))}, dollar.id, 4)
    robbed = len(list(truth.happened("drained")))
    for at, deed in truth.happened("withdrew the loot"):
        yield Event("loot", str(at), at,
                    facts | on(at) | {"amount": coins_of(deed.figure("amount"), 6, 2), "robbed": str(robbed)},
                    dollar.id, 4, more="drain_more")  # fmt: skip
