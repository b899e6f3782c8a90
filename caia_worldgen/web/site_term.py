"""The terms of what the story's projects run, as slots: limits and rates of contracts, as they were deployed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from caia_worldgen.act.vest import schedule_of
from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import done
from caia_worldgen.view import ViewCall
from caia_worldgen.web import number
from caia_worldgen.web.page import Told
from caia_worldgen.web.site_fact import Slot, other
from caia_worldgen.web.truth import Truth

_HOLDS: Final[Mapping[str, Mapping[str, str]]] = {
    "native": {"a_wrapped": "wrapped token", "a_pad": "launchpad"},
    "exchange": {"a_router": "router", "a_factory": "factory", "a_native_pool": "native/dollar"},
    "lend": {"a_governor": "governor", "a_timelock": "timelock", "a_vault": "fee vault proxy",
             "a_native_desk": "native lending market", "a_exchange_desk": "exchange lending market",
             "a_oracle": "price oracle"},
    "bridge": {"a_bridge": "bridge vault"},
    "arena": {"a_stake": "arena staking pool"},
    "storage": {"a_stake": "storage staking pool"},
    "feeds": {"a_oracle": "price oracle"},
    "dollar": {"a_oracle": "price oracle"},
}  # fmt: skip
"""Role -> slot -> what the story calls the contract."""
_GROUPS: Final = ("founders", "investors", "advisers")


def terms_of(truth: Truth, role: str, moment: int) -> dict[str, Slot]:
    """The terms that a project's pages can quote at a moment: addresses, limits, rates, calendars."""
    main = truth.scene.main
    slots: dict[str, Slot] = {slot: other(main.contracts[name].address, f"contract:{name}", moment)
                              for slot, name in _HOLDS.get(role, {}).items() if name in main.contracts}  # fmt: skip
    if role == "lend":
        slots |= _lending(truth) | _governing(truth, moment)
    if role in ("arena", "storage", "index"):
        slots |= _staking(truth, "storage" if role == "index" else role)
    if role == "native":
        for deed in done(main.deeds, "opened launchpad"):
            slots |= {"pad_fee": _bps(deed.figure("fee_bps")), "pad_goal": _coins(deed.figure("graduation_wei"))}
    if role == "social":
        for at, deed in truth.happened("opened airdrop"):
            if at <= moment:
                slots |= {"drop_total": _coins(deed.figure("total"), 0), "drop_people": str(deed.figure("recipients")),
                          "drop_end": number.day(deed.figure("deadline")), "drop_begin": number.day(at)}  # fmt: skip
                slots["a_drop"] = other(main.contracts["airdrop"].address, "contract:airdrop", moment)
    if role == "bridge":
        minter = truth.scene.rollup.contracts["bridge minter"].address
        slots["a_minter"] = other(minter, "contract:bridge minter", moment)
    if role in ("feeds", "dollar"):
        slots |= _posted(truth, moment)
    return slots | _burns(truth, role, moment) | _vesting(truth, role)


def grants(truth: Truth, role: str) -> list[tuple[str, int, int, int, int]]:
    """A project's grants: group, start, cliff and end in seconds, whole tokens."""
    found = []
    for deed in done(truth.scene.main.deeds, "granted"):
        if dict(deed.figures)["project"] == role:
            terms = schedule_of(deed)
            group = deed.subject.removeprefix(f"{role} ").removesuffix(" vesting")
            found.append((group, terms.start, terms.cliff, terms.end, terms.total // 10**18))
    return found


def _lending(truth: Truth) -> dict[str, Slot]:
    slots: dict[str, Slot] = {}
    for role in ("native", "exchange"):
        name = f"{role} lending market"
        for deed in done(truth.scene.main.deeds, "opened", name):
            slots |= {f"{role}_ltv": _bps(deed.figure("ltv_bps")), f"{role}_rate": _bps(deed.figure("rate_bps")),
                      f"{role}_limit": _bps(deed.figure("liquidation_bps"))}  # fmt: skip
            bonus = truth.scene.main.views.answer(ViewCall(name, "bonusBps"), deed.block)
            slots[f"{role}_bonus"] = _bps(bonus[0])
    return slots | {
        "exchange_name": truth.subject("exchange").name,
        "exchange_ticker": truth.subject("exchange").ticker,
    }


def _governing(truth: Truth, moment: int) -> dict[str, Slot]:
    views, block = truth.scene.main.views, truth.block_at("main", moment)
    asked = {name: views.answer(ViewCall("governor", name), block)[0]
             for name in ("votingDelay", "votingPeriod", "proposalThreshold", "quorumNumerator()")}  # fmt: skip
    slots: dict[str, Slot] = {
        "vote_delay": f"{asked['votingDelay']} blocks" if asked["votingDelay"] > 1 else "one block",
        "vote_period": f"{asked['votingPeriod']} blocks", "quorum": f"{asked['quorumNumerator()']}%",
        "threshold": _coins(asked["proposalThreshold"], 0),
        "lock_days": str(views.answer(ViewCall("timelock", "getMinDelay"), block)[0] // DAY_S),
        "vault_fee": _bps(views.answer(ViewCall("fee vault", "feeBps"), block)[0]),
    }  # fmt: skip
    for at, deed in truth.happened("upgraded", "fee vault"):
        if at <= moment:
            slots |= {"burn_share": _bps(deed.figure("burn_share_bps")), "upgraded_on": number.day(at)}
    return slots


def _staking(truth: Truth, role: str) -> dict[str, Slot]:
    slots: dict[str, Slot] = {}
    paid = truth.subject("arena" if role == "arena" else "index").ticker
    for at, deed in truth.happened("opened", f"{role} staking pool"):
        rate = deed.figure("rate_per_s")
        slots |= {"stake_rate": _coins(rate, 4), "stake_day": _coins(rate * DAY_S, 0), "stake_paid": paid,
                  "stake_end": number.day(deed.figure("end")), "stake_begin": number.day(at)}  # fmt: skip
    return slots


def _posted(truth: Truth, moment: int) -> dict[str, Slot]:
    slots: dict[str, Slot] = {"feed_count": "3", "feed_jump": "5%"}
    for role in ("native", "exchange", "dollar"):
        posted = [(at, deed) for at, deed in truth.happened("posted price", role) if at <= moment]
        if posted:
            at, deed = posted[-1]
            slots |= {f"posted_{role}": _e8(deed.figure("price_e8")), f"posted_{role}_at": number.short_day(at),
                      f"posted_{role}_times": str(len(posted))}  # fmt: skip
    slots["exchange_ticker"] = truth.subject("exchange").ticker
    return slots


def _burns(truth: Truth, role: str, moment: int) -> dict[str, Slot]:
    burned = [(at, deed) for at, deed in truth.happened("burned", role) if at <= moment]
    if not burned:
        return {}
    at, deed = burned[-1]
    return {"burned": _coins(deed.figure("amount"), 0), "burned_on": number.day(at)}


def _vesting(truth: Truth, role: str) -> dict[str, Slot]:
    slots: dict[str, Slot] = {}
    for group, start, cliff, end, total in grants(truth, role):
        slots |= {f"{group}_total": number.exact(total).words, f"{group}_cliff": number.day(cliff),
                  f"{group}_end": number.day(end), f"{group}_start": number.day(start)}  # fmt: skip
    return slots


def contracts_of(truth: Truth, role: str, moment: int) -> list[tuple[str, Told]]:
    """What a project's list of contracts names besides token and pool, and the addresses."""
    main = truth.scene.main
    names = [*_HOLDS.get(role, {}).values(), *(f"{role} {group} vesting" for group in _GROUPS)]
    if role == "social" and any(at <= moment for at, _ in truth.happened("opened airdrop")):
        names.append("airdrop")
    found = [(name, main.contracts[name].address) for name in names if name in main.contracts]
    if role == "bridge":
        found.append(("bridge minter on the roll-up", truth.scene.rollup.contracts["bridge minter"].address))
    return [(name, other(address, f"contract:{name}", moment)) for name, address in found]


def _bps(value: int) -> str:
    return number.percent(value * 100, 2 if value % 100 else 0).words


def _coins(amount: int, decimals: int = 2) -> str:
    return number.exact(Fraction(amount, 10**18), decimals).words


def _e8(price: int) -> str:
    return "$" + number.price(Fraction(price, 10**8)).words
