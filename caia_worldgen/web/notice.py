"""Notices of the custodial venue: listings, wallets, warnings, fees, guides, and its hot wallet week by week."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent
from caia_worldgen.web import number, place
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.prose import Written, join
from caia_worldgen.web.site_fact import Slot, facts_of, figures_of, listed, other
from caia_worldgen.web.site_term import grants, terms_of
from caia_worldgen.web.site_text import Voice, dated, in_the_day, last_moment, slug, soon_after
from caia_worldgen.web.truth import ROLES, Subject, Truth

BOOKS: Final = ("notice",)
_UNIT: Final = 10**18
_HELD: Final = tuple(role for role in ROLES if role != "native")
_TRAPS: Final = ("honeypot", "rug", "tax")
_MAINTENANCE_DAYS: Final = 5
_FRAUDS: Final = (("faked a transfer", "look-alike addresses", "sc_poison"),
                  ("drained", "approvals that drain", "sc_drainer"))  # fmt: skip


class Desk:
    """Who writes the notices: remembers no more than what was told."""

    def __init__(self, truth: Truth) -> None:
        self.truth, self.voice = truth, Voice.of(*BOOKS)

    def notice(
        self, name: str, subject: Subject, titles: str, layout: Sequence[str], moment: int,
        more: dict[str, Slot] | None = None, table: Written | None = None,
    ) -> Iterator[WebPage]:  # fmt: skip
        """One notice, if the story has not ended by then. ``table`` stands after the layout's first part."""
        if moment > last_moment(self.truth):
            return
        truth, key = self.truth, f"notice/{name}"
        rng = truth.rng(key)
        known = terms_of(truth, subject.role, moment) if subject.role in ROLES and moment > truth.begun + DAY_S else {}
        slots = {**known, **facts_of(truth, subject, moment, key).slots, **(more or {})}
        parts = [self.voice.lay(layout[:1], slots, rng), table or Written("", ()),
                 self.voice.lay(layout[1:], slots, rng)]  # fmt: skip
        title = self.voice.say(titles, slots, rng)
        yield dated(place.notice(truth, slug(name)), "notice", title, join(parts), moment, truth.cast.venue.authors[0])


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every notice."""
    desk = Desk(truth)
    yield from _listings(desk)
    yield from _guides(desk)
    yield from _maintenance(desk)
    yield from _fees(desk)
    yield from _removals(desk)
    yield from _wallets(desk)
    yield from _reports(desk)
    yield from _warnings(desk)
    yield from _projects(desk)
    yield from _pauses(desk)


def _listings(desk: Desk) -> Iterator[WebPage]:
    """Coins that live elsewhere were mostly listed in the year before the story; their notices have no figures."""
    truth = desk.truth
    for coin in truth.book.coins:
        if not coin.traded or coin.id not in truth.subjects:  # a short story never hears of some
            continue
        subject, rng = truth.subjects[coin.id], truth.rng(f"notice/listing day/{coin.id}")
        early = coin.role.startswith("outsider") and coin.listed_at < truth.midnight(1)
        opens = truth.midnight(-rng.number(15, 340)) if early else coin.listed_at
        more: dict[str, Slot] = {"open_day": number.day(opens)}
        moment = in_the_day(rng, opens - rng.number(1, 3) * DAY_S)
        layout = ("ls_open*2", "ls_more*4", "ls_more*4", "ls_end*2")
        yield from desk.notice(f"listing-{coin.id}", subject, "ls_title", layout, moment, more)


def _guides(desk: Desk) -> Iterator[WebPage]:
    for role in ROLES:
        subject, rng = desk.truth.subject(role), desk.truth.rng(f"notice/guide day/{role}")
        moment = in_the_day(rng, desk.truth.midnight(rng.number(2, desk.truth.days - 9)))
        layout = ("gd_body*3", "gd_body*3", "gd_body*3")
        yield from desk.notice(f"deposit-{subject.id}", subject, "gd_title", layout, moment)


def _maintenance(desk: Desk) -> Iterator[WebPage]:
    truth = desk.truth
    for day in range(4, truth.days - 4, _MAINTENANCE_DAYS):
        rng = truth.rng(f"notice/maintenance/{day}")
        subject = truth.subject(rng.one(ROLES))
        moment = in_the_day(rng, truth.midnight(day))
        more: dict[str, Slot] = {"work_day": number.day(moment + rng.number(2, 4) * DAY_S),
                                 "hours": str(rng.number(2, 6))}  # fmt: skip
        yield from desk.notice(f"maintenance-{number.iso_day(moment)}", subject, "mt_title",
                               ("mt_open", "mt_more*4", "mt_more*4", "mt_end"), moment, more)  # fmt: skip


def _fees(desk: Desk) -> Iterator[WebPage]:
    truth = desk.truth
    for turn, role in enumerate(truth.rng("notice/fees").some(ROLES, 7)):
        rng = truth.rng(f"notice/fee/{role}")
        moment = in_the_day(rng, truth.midnight(8 + turn * 15))
        fee = number.plain(Fraction(rng.number(2, 90), 100), 2).words
        more: dict[str, Slot] = {"fee": fee, "work_day": number.day(moment + 3 * DAY_S)}
        yield from desk.notice(f"fee-{truth.subject(role).id}", truth.subject(role), "fe_title",
                               ("fe_body_lead", "fe_body*2", "fe_body*4"), moment, more)  # fmt: skip


def _removals(desk: Desk) -> Iterator[WebPage]:
    """Cross pairs that are closed; every coin stays listed against the dollar."""
    truth = desk.truth
    for turn, coin in enumerate(truth.rng("notice/removals").some(listed(truth, truth.midnight(1)), 8)):
        rng = truth.rng(f"notice/removal/{coin.id}")
        moment = in_the_day(rng, truth.midnight(6 + turn * 13))
        cross = rng.one([one for one in listed(truth, truth.midnight(1)) if one.id != coin.id])
        more: dict[str, Slot] = {"other": cross.symbol.upper(), "work_day": number.day(moment + 7 * DAY_S)}
        yield from desk.notice(f"pair-{coin.id}-{cross.symbol}", truth.subjects[coin.id], "dl_title",
                               ("dl_body_lead", "dl_body*2", "dl_body*4"), moment, more)  # fmt: skip


def _wallets(desk: Desk) -> Iterator[WebPage]:
    """Each week the hot wallet's balances, as the ledger has them."""
    truth = desk.truth
    wallet = truth.scene.people.address("exchange")
    for week in range(1, truth.days // 7 + 1):
        rng = truth.rng(f"notice/wallet/{week}")
        moment = in_the_day(rng, truth.midnight(week * 7 - 1) + rng.number(0, 1) * DAY_S)
        if moment > last_moment(truth):
            continue
        roles = sorted(rng.some(_HELD, rng.number(5, len(_HELD))), key=lambda role: truth.subject(role).ticker)
        lines = []
        for role in roles:
            held: dict[str, Slot] = {"ticker": truth.subject(role).ticker, "held": truth.balance(role, wallet, moment)}
            lines.append(desk.voice.say("pr_line", held, rng))
        table = join([Written(f"- {line.text}", line.claims) for line in lines], "\n")
        more: dict[str, Slot] = {
            "wallet": other(wallet, "wallet:exchange", moment), "moved": _moved(truth, wallet, moment),
            "author": truth.cast.venue.authors[0],
        }  # fmt: skip
        yield from desk.notice(f"wallet-{number.iso_day(moment)}", truth.subject("native"), "pr_title",
                               ("pr_open", "pr_more*4", "pr_more*2", "pr_end"), moment, more, table)  # fmt: skip


def _moved(truth: Truth, wallet: str, moment: int) -> str:
    """The token whose balance grew most within a week, in relation to what there was."""

    def grown(role: str) -> Fraction:
        asset, ledger = truth.scene.assets[role], truth.scene.main.ledger
        before = max(truth.begun + 3_600, moment - 7 * DAY_S)
        now, then = (ledger.balance(asset.address, wallet, truth.block_at("main", at)) for at in (moment, before))
        return Fraction(now - then, max(1, then))

    return truth.subject(max(_HELD, key=lambda role: (grown(role), role))).ticker


def _reports(desk: Desk) -> Iterator[WebPage]:
    truth = desk.truth
    for day in range(20, truth.days - 1):
        if number.month(truth.midnight(day)) == number.month(truth.midnight(day - 1)):
            continue
        rng = truth.rng(f"notice/report/{day}")
        moment = in_the_day(rng, truth.midnight(day))
        coins = rng.some(listed(truth, moment), 9)
        lines = []
        for coin in coins:
            figures = figures_of(truth, truth.subjects[coin.id], moment, f"notice/report/{day}/{coin.id}")
            lines.append(desk.voice.say("mo_line", {**figures, "ticker": coin.symbol.upper()}, rng))
        table = join([Written(f"- {line.text}", line.claims) for line in lines], "\n")
        more: dict[str, Slot] = {"month": number.month(truth.midnight(day - 1))}
        yield from desk.notice(f"report-{number.month(truth.midnight(day - 1))}", truth.subject("native"), "mo_title",
                               ("mo_open", "mo_more*4"), moment, more, table)  # fmt: skip


def _warnings(desk: Desk) -> Iterator[WebPage]:
    truth = desk.truth
    for at, deed in truth.happened("copied"):
        false: dict[str, Slot] = {"false": other(str(dict(deed.figures)["token"]), f"look-alike:{deed.subject}", at)}
        moment = soon_after(truth, truth.rng(f"notice/copy/{deed.subject}"), at, 3, 30)
        yield from desk.notice(f"false-{truth.subject(deed.subject).id}", truth.subject(deed.subject), "wn_title",
                               ("wn_body_lead", "wn_body*2", "wn_body*3", "wn_body*2"), moment, false)  # fmt: skip
    for verb, words, passage in _FRAUDS:
        for at, _ in list(truth.happened(verb))[:1]:
            moment = soon_after(truth, truth.rng(f"notice/fraud/{verb}"), at, 20, 70)
            layout = (f"{passage}_lead", f"{passage}*3", f"{passage}*3")
            yield from desk.notice(f"security-{words}", truth.subject("dollar"), "sc_title", layout, moment,
                                   {"what": words})  # fmt: skip
    for role in _TRAPS:
        for subject in (one for one in truth.subjects.values() if one.role == role):
            made = truth.scene.main.contracts[f"{role} token"].address
            moment = soon_after(truth, truth.rng(f"notice/trap/{role}"), subject.listed_at, 100, 300)
            more: dict[str, Slot] = {"what": subject.ticker, "trap": subject.ticker, "trap_name": subject.name,
                                     "trap_address": other(made, f"contract:{role} token", moment)}  # fmt: skip
            yield from desk.notice(f"no-listing-{subject.id}", truth.subject("dollar"), "sc_title",
                                   ("sc_trap_lead", "sc_trap*2", "sc_trap*4"), moment, more)  # fmt: skip


def _projects(desk: Desk) -> Iterator[WebPage]:
    """What projects do that customers ask about: airdrop, unlocks, burns, new clients."""
    truth = desk.truth
    for at, _ in truth.happened("opened airdrop"):
        moment = soon_after(truth, truth.rng("notice/airdrop"), at, 3, 20)
        yield from desk.notice("airdrop-support", truth.subject("social"), "ad_title",
                               ("ad_body_lead", "ad_body*2", "ad_body*3"), moment)  # fmt: skip
    for role in ROLES:
        for group, start, cliff, end, total in grants(truth, role):
            moment = in_the_day(truth.rng(f"notice/unlock/{role}/{group}"), cliff - 3 * DAY_S)
            if moment > truth.midnight(1):
                more: dict[str, Slot] = {"group": group, "cliff": number.day(cliff), "end": number.day(end),
                                         "start": number.day(start), "total": number.exact(total).words}  # fmt: skip
                yield from desk.notice(f"unlock-{truth.subject(role).id}-{group}", truth.subject(role), "un_title",
                                       ("un_body_lead", "un_body*2", "un_body*4"), moment, more)  # fmt: skip
    for at, deed in truth.happened("burned"):
        moment = soon_after(truth, truth.rng(f"notice/burn/{deed.subject}"), at)
        yield from desk.notice(f"burn-{truth.subject(deed.subject).id}", truth.subject(deed.subject), "bn_title",
                               ("bn_body_lead", "bn_body*2", "bn_body*4"), moment, _burn(deed))  # fmt: skip
    native = truth.subject("native")
    repository = truth.code.repositories.get(f"{native.id}/node")
    for one in repository.past.releases if repository else ():
        moment = one.published_at + truth.rng(f"notice/node/{one.tag}").number(4, 30) * 3_600
        if not one.is_early and one.published_at > truth.midnight(1) and moment <= last_moment(truth):
            new: dict[str, Slot] = {"tag": one.tag, "date": number.day(one.published_at)}
            layout = ("nd_body_lead", "nd_body*2", "nd_body*4")
            yield from desk.notice(f"client-{one.tag}", native, "nd_title", layout, moment, new)


def _pauses(desk: Desk) -> Iterator[WebPage]:
    truth = desk.truth
    credit: dict[str, Slot] = {"ticker": truth.scene.projects["credit"].ticker}
    for verb, kind in (("paused", "su"), ("unpaused", "re")):
        for at, _ in truth.happened(verb, "credit"):
            moment = soon_after(truth, truth.rng(f"notice/{verb}"), at, 1, 3)
            layout = (f"{kind}_body_lead", f"{kind}_body*2", f"{kind}_body*4")
            yield from desk.notice(f"credit-{verb}", truth.subject("dollar"), f"{kind}_title", layout, moment, credit)


def _burn(deed: ChainEvent) -> dict[str, Slot]:
    return {"burn": number.exact(Fraction(deed.figure("amount"), _UNIT)).words}
