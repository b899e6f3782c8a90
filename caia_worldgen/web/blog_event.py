"""What the story makes happen, as told on the blogs of those it happened to; what did not happen is not told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent
from caia_worldgen.web import number
from caia_worldgen.web.site_fact import Slot, other
from caia_worldgen.web.site_post import Posted, post
from caia_worldgen.web.site_text import Voice, in_the_day, last_moment, soon_after
from caia_worldgen.web.truth import Subject, Truth

_UNIT: Final = 10**18
_SWITCHED: Final = (("paused", "pause_body", "[{credit} is paused|Pause of {credit}]"),
                    ("unpaused", "resume_body", "[{credit} moves again|{credit}: pause over]"))  # fmt: skip
_OUTCOMES: Final = {"succeeded": "passed", "defeated": "did not pass"}


def events(truth: Truth, voice: Voice) -> Iterator[Posted]:
    """Every post about a deed, by project."""
    yield from _burns(truth, voice)
    yield from _airdrop(truth, voice)
    yield from _staking(truth, voice)
    yield from _crash(truth, voice)
    yield from _governance(truth, voice)
    yield from _pauses(truth, voice)
    yield from _copies(truth, voice)


def _tell(
    truth: Truth, voice: Voice, subject: Subject, name: str, passage: str, title: str, moment: int,
    more: dict[str, Slot], after_h: tuple[int, int] = (1, 9),
) -> Iterator[Posted]:  # fmt: skip
    """A post some hours after a moment, from one passage, which has leads of its own."""
    at = soon_after(truth, truth.rng(f"blog_event/{subject.id}/{name}"), moment, *after_h)
    if at <= last_moment(truth):
        layout: Sequence[str] = (f"{passage}_lead", f"{passage}*4", f"{passage}*3")
        voice.phrases = {**voice.phrases, "title": (title,)}
        yield post(truth, voice, subject, name, "title", layout, at, "event", more)


def _burns(truth: Truth, voice: Voice) -> Iterator[Posted]:
    for at, deed in truth.happened("announced a burn"):
        more = _burnt(deed) | {"due": number.day(truth.midnight(deed.figure("day")))}
        yield from _tell(truth, voice, truth.subject(deed.subject), "burn-announced", "burn_ahead",
                         "[A burn is coming|We will burn {ticker}|Notice of a burn|Burning {burn} {ticker}]",
                         at, more)  # fmt: skip
    for at, deed in truth.happened("burned"):
        yield from _tell(truth, voice, truth.subject(deed.subject), "burn-done", "burn_done",
                         "[Burnt: {burn} {ticker}|The burn is done|{burn} fewer|Burn completed]",
                         at, _burnt(deed))  # fmt: skip


def _airdrop(truth: Truth, voice: Voice) -> Iterator[Posted]:
    subject = truth.subject("social")
    claimed = [at for at, _ in truth.happened("claimed", "social")]
    for at, deed in truth.happened("opened airdrop"):
        yield from _tell(truth, voice, subject, "airdrop-open", "drop_open",
                         "[The airdrop is open|Claim your {ticker}|{drop_people} accounts, {drop_total} {ticker}]",
                         at, {})  # fmt: skip
        moment = min(deed.figure("deadline") - 6 * DAY_S, last_moment(truth) - DAY_S)
        for name, words in (("airdrop-reminder", "Reminder: claims end on {drop_end}"),
                            ("airdrop-last-days", "[Last days to claim|A few days left]")):  # fmt: skip
            moment = in_the_day(truth.rng(f"blog_event/{name}"), moment)
            more: dict[str, Slot] = {"claims": str(sum(one <= moment for one in claimed))}
            yield from _tell(truth, voice, subject, name, "drop_late", words, moment, more)
            moment += 4 * DAY_S
    for at, deed in truth.happened("swept airdrop"):
        more = {"swept": _whole(deed.figure("amount")), "claims": str(sum(one <= at for one in claimed))}
        yield from _tell(truth, voice, subject, "airdrop-over", "drop_done",
                         "[The airdrop is over|Airdrop: the count|What was not claimed]",
                         at, more)  # fmt: skip


def _staking(truth: Truth, voice: Voice) -> Iterator[Posted]:
    for role in ("arena", "storage"):
        subject, pool = truth.subject(role), f"{role} staking pool"
        for at, _ in truth.happened("opened", pool):
            yield from _tell(truth, voice, subject, "staking-open", "stake_open",
                             "[Staking is open|Stake {ticker}|The staking pool opens]",
                             at, {}, (26, 40))  # fmt: skip
        refused = [at for at, deed in truth.happened("was refused", pool) if dict(deed.figures)["error"] == "Unfunded"]
        if not refused:
            continue
        first = refused[0]
        at = soon_after(truth, truth.rng("blog_event/dry"), first, 2, 6)
        more: dict[str, Slot] = {"refused": str(sum(one <= at for one in refused))}
        yield from _tell(truth, voice, subject, "claims-refused", "dry_body",
                         "[Why claims fail|Our staking pool is dry|Claims are refused: what happened]",
                         at, more)  # fmt: skip
        for paid, deed in truth.happened("funded", pool):
            if paid > first:
                more = {"funded": _whole(deed.figure("amount")), "gap": str((paid - first) // DAY_S)}
                yield from _tell(truth, voice, subject, "claims-work-again", "relief_body",
                                 "[The pool is funded|Claims work again|Post-mortem of a dry pool]",
                                 paid, more)  # fmt: skip


def _crash(truth: Truth, voice: Voice) -> Iterator[Posted]:
    """The day with most liquidations, if there was a day with several."""
    fallen = list(truth.happened("liquidated"))
    days = Counter((at - truth.begun) // DAY_S for at, _ in fallen)
    if not days:
        return
    day = max(sorted(days), key=lambda one: days[one])
    midnight, native = truth.midnight(day), truth.subject("native").id
    if days[day] < 2 or midnight + 3 * DAY_S > last_moment(truth):
        return
    repaid = sum(deed.figure("repaid") for at, deed in fallen if midnight <= at < midnight + DAY_S)
    hours = [midnight + hour * 3_600 for hour in range(24)]
    low = min(hours, key=lambda one: (truth.price_usd(native, one), one))
    more: dict[str, Slot] = {
        "crash_day": number.day(midnight), "liquidations": str(days[day]),
        "repaid": number.exact(Fraction(repaid, 10**6)).words, "coin_low": truth.price(native, low),
        "coin_high": truth.price(native, max(truth.begun, low - 2 * DAY_S)),
    }  # fmt: skip
    yield from _tell(truth, voice, truth.subject("lend"), "liquidations-post-mortem", "crash_body",
                     "[What happened on {crash_day}|Post-mortem: {liquidations} liquidations|After the fall]",
                     midnight + DAY_S, more, (10, 44))  # fmt: skip


def _governance(truth: Truth, voice: Voice) -> Iterator[Posted]:
    subject = truth.subject("lend")
    for at, deed in truth.happened("proposed"):
        more: dict[str, Slot] = {"motion": deed.subject}
        yield from _tell(truth, voice, subject, f"vote-{deed.subject}", "vote_ahead",
                         "[Vote: {motion}|On chain: {motion}|Should we {motion}?]",
                         at, more)  # fmt: skip
    for verb, outcome in _OUTCOMES.items():
        for at, deed in truth.happened(verb):
            more = {"motion": deed.subject, "outcome": outcome, "quorum_votes": _whole(deed.figure("quorum")),
                    "votes": truth.votes(deed.figure("id"), at)}  # fmt: skip
            yield from _tell(truth, voice, subject, f"result-{deed.subject}", "vote_end",
                             "[Result: {motion}|'{motion}' {outcome}|The vote is over: {motion}]",
                             at, more)  # fmt: skip
    swept = list(truth.happened("swept", "fee vault"))
    for at, deed in truth.happened("upgraded", "fee vault"):
        code = str(dict(deed.figures)["implementation"])
        more = {"new_code": other(code, "contract:fee vault code 2", at)}
        for moment, sweep in swept[:1]:
            if moment <= at + 3_600:
                more |= {"swept_burn": _whole(sweep.figure("burned")), "swept_rest": _whole(sweep.figure("sent"))}
        yield from _tell(truth, voice, subject, "fee-vault-2", "up_body",
                         "[Fee vault 2 is live|The fee vault is upgraded|Upgrade executed]",
                         at, more)  # fmt: skip


def _pauses(truth: Truth, voice: Voice) -> Iterator[Posted]:
    subject = truth.subject("dollar")
    more: dict[str, Slot] = {"credit": truth.scene.projects["credit"].ticker}
    for verb, passage, title in _SWITCHED:
        for at, _ in truth.happened(verb, "credit"):
            yield from _tell(truth, voice, subject, f"credit-{verb}", passage, title, at, more)
    for at, _ in truth.happened("unpaused", "dollar"):
        yield from _tell(truth, voice, subject, "pause-drill", "moment_body",
                         "[A drill: {ticker} paused for a block|We tested the switch]",
                         at, more)  # fmt: skip


def _copies(truth: Truth, voice: Voice) -> Iterator[Posted]:
    for at, deed in truth.happened("copied"):
        false = str(dict(deed.figures)["token"])
        more: dict[str, Slot] = {"false": other(false, f"look-alike:{deed.subject}", at)}
        yield from _tell(truth, voice, truth.subject(deed.subject), "look-alike", "copy_body",
                         "[A false {ticker}|Beware of a copy|Look-alike token]",
                         at, more)  # fmt: skip


def _burnt(deed: ChainEvent) -> dict[str, Slot]:
    return {"burn": _whole(deed.figure("amount"))}


def _whole(amount: int) -> str:
    return number.exact(Fraction(amount, _UNIT)).words
