"""What happened at protocols: liquidations, staking pools, votes, the bridge, fees, value locked, releases of code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from caia_worldgen.act.stake import POOLS
from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent
from caia_worldgen.web import number
from caia_worldgen.web.coin_fact import coins_of, ordinal
from caia_worldgen.web.event import Event, Fact, brief, listed, on, token
from caia_worldgen.web.place import board, forum, link
from caia_worldgen.web.truth import Truth


def protocol_events(truth: Truth) -> Iterator[Event]:
    """All of them, strand by strand."""
    yield from _liquidations(truth)
    yield from _pools(truth)
    yield from _votes(truth)
    yield from _vault(truth)
    yield from _bridge(truth)
    yield from _locked(truth)
    yield from _releases(truth)


def _liquidations(truth: Truth) -> Iterator[Event]:
    days: dict[int, list[tuple[int, ChainEvent]]] = defaultdict(list)
    for at, deed in truth.happened("liquidated"):
        days[at // DAY_S].append((at, deed))
    lender, dollar = truth.subject("lend"), truth.subject("dollar")
    for day, done in sorted(days.items()):
        at = done[-1][0]
        seized: dict[str, int] = defaultdict(int)
        for _, deed in done:
            seized[deed.subject.removesuffix(" lending market")] += deed.figure("seized")
        taken = " and ".join(
            f"{coins_of(amount, truth.scene.assets[role].decimals, 2)} {truth.subject(role).ticker}"
            for role, amount in sorted(seized.items())
        )
        repaid = sum(deed.figure("repaid") for _, deed in done)
        health = number.exact(min(deed.figure("health_bps") for _, deed in done), 0).value / 100
        yield Event("liquidation" if len(done) > 1 else "liquidation_one", str(day), at,
                    token(truth, "lend") | on(at)
                    | {"count": str(len(done)), "repaid": coins_of(repaid, 6), "seized": taken, "dollar": dollar.ticker,
                       "who": brief(done[0][1].actor), "health": number.exact(health, 1).words},
                    lender.id, 6 if len(done) > 3 else 3, more="liquidation_more")  # fmt: skip


def _pools(truth: Truth) -> Iterator[Event]:
    for at, deed in truth.happened("opened"):
        if not deed.subject.endswith("staking pool"):
            continue
        role, pool = deed.subject.removesuffix(" staking pool"), deed.subject
        unit, rate, end = truth.scene.assets[role].unit, deed.figure("rate_per_s"), deed.figure("end")
        paid = truth.subject(next(terms.paid for terms in POOLS if terms.staked == role)).ticker
        given = list(truth.happened("funded", pool))
        facts = token(truth, role) | {"paid": paid, "per_day": number.exact(rate * DAY_S // unit).words,
                                      "end": number.day(end), "funded": coins_of(given[0][1].figure("amount")),
                                      "pool_address": truth.scene.main.contracts[pool].address}  # fmt: skip
        coin = listed(truth, role)
        yield Event("stake_open", role, at, facts | on(at), coin, 3, more="stake_report_more")
        dry = [moment for moment, one in truth.happened("was refused", pool)
               if dict(one.figures).get("error") == "Unfunded"]  # fmt: skip
        if dry:
            refused = sum(moment == dry[0] for moment in dry)
            yield Event("stake_dry", role, dry[0],
                        facts | on(dry[0]) | {"refused": str(refused), "staked": truth.staked(role, dry[0])},
                        coin, 5)  # fmt: skip
        for moment, one in given[1:]:
            yield Event("stake_rescue", f"{role}/{moment}", moment,
                        facts | on(moment) | {"amount": coins_of(one.figure("amount"))}, coin, 4)  # fmt: skip
        for day in range(12, truth.days, 8):
            moment, before = truth.midnight(day) + 9 * 3_600, truth.midnight(day - 10) + 9 * 3_600
            ins = sum(before < then <= moment for then, _ in truth.happened("staked", pool))
            outs = sum(before < then <= moment for then, _ in truth.happened("unstaked", pool))
            more = {name: fact for name, fact in facts.items() if moment < end or name not in ("per_day", "end")}
            yield Event("stake_report", f"{role}/{day}", moment,
                        more | on(moment) | {"staked": truth.staked(role, moment), "in_count": str(ins),
                                             "out_count": str(outs), "staked_before": truth.staked(role, before)},
                        coin, 2, "data")  # fmt: skip


def _votes(truth: Truth) -> Iterator[Event]:
    lender = truth.subject("lend")
    quorums = {deed.figure("id"): deed.figure("quorum") for verb in ("defeated", "succeeded")
               for _, deed in truth.happened(verb)}  # fmt: skip
    for nth, (at, deed) in enumerate(truth.happened("proposed"), start=1):
        motion, text = deed.figure("id"), deed.subject
        facts: dict[str, Fact] = token(truth, "lend") | {
            "text": text, "text_cap": text[:1].upper() + text[1:], "nth": ordinal(nth),
            "forum": link("forum", forum(lender)),
        }  # fmt: skip
        if motion in quorums:
            facts["quorum"] = coins_of(quorums[motion])
        yield Event("gov_open", str(nth), at, facts | on(at), lender.id, 3, more="gov_more")
        cast = [then for then, one in truth.happened("voted", text) if one.figure("id") == motion]
        if len(cast) > 2:
            then = cast[len(cast) // 2]
            yield Event("gov_vote", str(nth), then, facts | on(then) | {"votes": truth.votes(motion, then)},
                        lender.id, 3, more="gov_more")  # fmt: skip
        for verb, topic in (("defeated", "gov_fail"), ("succeeded", "gov_pass"), ("executed", "gov_done")):
            for then, one in truth.happened(verb, text):
                if one.figure("id") == motion:
                    known = {} if topic == "gov_done" else {"votes": truth.votes(motion, then)}
                    yield Event(topic, str(nth), then, facts | on(then) | known, lender.id, 4, more="gov_more")


def _vault(truth: Truth) -> Iterator[Event]:
    lender, base = truth.subject("lend"), token(truth, "lend")
    if "fee vault proxy" in truth.scene.main.contracts:
        base = base | {"vault_address": truth.scene.main.contracts["fee vault"].address}
    for at, deed in truth.happened("upgraded"):
        told = dict(deed.figures)
        yield Event("upgrade", str(at), at,
                    base | on(at) | {"share": number.percent(deed.figure("burn_share_bps") * 100, 2).words,
                                     "before": str(told["before"]), "after": str(told["implementation"])},
                    lender.id, 4, more="vaultfees_more")  # fmt: skip
    for at, deed in truth.happened("swept"):
        yield Event("sweep", str(at), at,
                    base | on(at) | {"burned": coins_of(deed.figure("burned"), places=2),
                                     "sent": coins_of(deed.figure("sent"), places=2)},
                    lender.id, 4, more="vaultfees_more")  # fmt: skip
    paid = list(truth.happened("paid fees"))
    for day in range(30, truth.days, 30):
        at = truth.midnight(day)
        sums: dict[str, int] = defaultdict(int)
        since = [one for then, one in paid if at - 30 * DAY_S < then <= at]
        for one in since:
            sums[str(dict(one.figures)["token"])] += one.figure("amount")
        if sums:
            words = " and ".join(f"{coins_of(amount, truth.scene.assets[role].decimals, 2)} "
                                 f"{truth.subject(role).ticker}" for role, amount in sorted(sums.items()))  # fmt: skip
            yield Event("vaultfees", str(day), at, base | on(at) | {"payments": str(len(since)), "sums": words},
                        lender.id, 3, "data")  # fmt: skip


def _bridge(truth: Truth) -> Iterator[Event]:
    bridge, dollar = truth.subject("bridge"), truth.subject("dollar")
    vault = truth.scene.main.contracts["bridge vault"].address
    locks = [(at, deed) for at, deed in truth.happened("locked")]
    exits = [(at, deed) for at, deed in truth.happened("released") if "nonce" in dict(deed.figures)]
    for day in range(7, truth.days, 7):
        at = truth.midnight(day)
        ins = [deed for then, deed in locks if at - 7 * DAY_S < then <= at]
        outs = [deed for then, deed in exits if at - 7 * DAY_S < then <= at]
        usd = [deed.figure("amount") for deed in ins if deed.subject == "dollar"]
        others = sorted({truth.subject(deed.subject).ticker for deed in (*ins, *outs) if deed.subject != "dollar"})
        facts: dict[str, Fact] = token(truth, "bridge") | on(at) | {
            "locks": str(len(ins)), "exits": str(len(outs)), "both": str(len(ins) + len(outs)), "dollar": dollar.ticker,
            "locked_usd": coins_of(sum(usd), 6), "vault_address": vault, "vault": truth.balance("dollar", vault, at),
            "freed_usd": coins_of(sum(one.figure("amount") for one in outs if one.subject == "dollar"), 6),
        }  # fmt: skip
        if usd:
            facts["largest"] = coins_of(max(usd), 6)
        if others:
            facts["others"] = ", ".join(others)
        yield Event("bridge", str(day), at, facts, bridge.id, 2, "data")


def _locked(truth: Truth) -> Iterator[Event]:
    for one in truth.metrics.protocols:
        for day in range(9 + int(one.id) % 7, truth.days, 14):
            count = truth.midnight(day)
            now, before = truth.tvl(one.slug, count), truth.tvl(one.slug, count - 7 * DAY_S)
            held = truth.metrics.tvl
            if not held.value_e8(one, count):
                continue
            rises = held.value_e8(one, count) > held.value_e8(one, count - 7 * DAY_S)
            facts: dict[str, Fact] = {
                "protocol": one.name, "tvl": now, "tvl_before": before, "count_day": number.day(count),
                "count_date": number.short_day(count), "category": one.category.lower(), "words": one.words,
                "protocol_board": link("dashboard", board(truth, one.slug)),
            }  # fmt: skip
            if now.words != before.words:
                facts["tvl_went"] = "rises" if rises else "falls"
            for name, ask in (("volume", truth.volume), ("fees", truth.fees)):
                try:
                    facts[name] = ask(one.slug, count)
                except KeyError:
                    continue
            coin = listed(truth, one.role) if one.role else ""
            yield Event("tvl", f"{one.slug}/{day}", count, facts | on(count), coin, 2, "data")


def _releases(truth: Truth) -> Iterator[Event]:
    for full, code in sorted(truth.code.repositories.items()):
        made = [one for one in code.releases(truth.midnight(truth.days)) if not one.is_early]
        for nth, release in enumerate(sorted(made, key=lambda one: one.published_at), start=1):
            at = release.published_at
            if at < truth.begun + DAY_S or truth.release(full, at).words != release.tag:
                continue
            coin = next((id for id in truth.subjects if id == code.owner.login), "")
            facts: dict[str, Fact] = {
                "name": code.owner.name, "full": full, "repository": code.name, "tag": truth.release(full, at),
                "author": release.author.login, "stars": str(code.stars(at)), "issues": str(code.open_issues(at)),
                "commits": str(len(code.commits(at))), "forks": str(code.forks(at)), "nth_release": str(nth),
                "licence": code.licence.upper(),             }  # fmt: skip
            notes = [line.strip("-* ") for line in release.notes.splitlines() if line.strip() and line[0] != "#"]
            if notes:
                facts["notes"] = notes[0]
            languages = code.languages(at)
            if languages:
                facts["language"] = max(languages, key=lambda name: (languages[name], name))
            yield Event("release", f"{full}/{release.tag}", at, facts | on(at), coin, 1, "code")
