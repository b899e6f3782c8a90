"""Posts of builders and holders: questions, complaints, jokes, support, claims, waiting for a bridge, warnings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.page import WebPost
from caia_worldgen.web.prose import PhraseBook
from caia_worldgen.web.social_fact import Thunk, other_claim
from caia_worldgen.web.social_pen import Pen
from caia_worldgen.web.social_project import project_slots
from caia_worldgen.web.truth import ROLES, Truth

_DAILY: Final = (("builder", 170), ("question", 120), ("complaint", 100), ("joke", 120), ("opinion", 120),
                 ("support", 60), ("launch", 45), ("life", 85), ("scam", 40), ("bridge", 55),
                 ("rumour", 45))  # fmt: skip
"""What is posted in a hundred days."""
_CLAIMS: Final = 26
_CLAIM_DAYS: Final = 24
_NEVER_LATER: Final = frozenset({"launch"})


def posts(truth: Truth) -> Iterator[WebPost]:
    """Everything builders and holders say."""
    pen, book = Pen(truth, "talk"), PhraseBook("social_talk", truth.seed)
    for day in range(1, truth.days):
        plan = truth.dice(f"social/talk/{day}")
        for kind, in_hundred in _DAILY:
            for count in range(in_hundred // 100 + plan.happens(in_hundred % 100)):
                made = _said(truth, pen, book, kind, day, truth.dice(f"social/talk/{day}/{kind}/{count}"))
                if made:
                    yield made
    for at, deed in truth.happened("opened airdrop"):
        first = (at - truth.begun) // DAY_S + 1
        for count in range(_CLAIMS):
            dice = truth.dice(f"social/talk/airdrop/{count}")
            day = min(first + dice.number(0, _CLAIM_DAYS), truth.days - 2)
            made = _said(truth, pen, book, "airdrop", day, dice, deed)
            if made:
                yield made


def _said(truth: Truth, pen: Pen, book: PhraseBook, kind: str, day: int, dice: Rng,
          airdrop: ChainEvent | None = None) -> WebPost | None:  # fmt: skip
    builds = kind == "builder" or (kind in ("opinion", "life", "scam") and dice.happens(25))
    author = pen.somebody(dice, "builder") if builds else pen.somebody(dice, "holder", "holder", "trader")
    moment = pen.moment(author, day, dice)
    if moment > pen.last:
        return None
    role = airdrop.subject if airdrop else dice.one(ROLES)
    if kind == "bridge":
        role = "bridge"
    if role == "dollar" and kind in ("opinion", "joke", "complaint"):
        role = "exchange"
    one = truth.subject(role)
    slots = project_slots(truth, one, moment, author, pen, dice) | _told_of(truth, kind, moment, dice)
    if airdrop:
        slots = slots | {"day": number.short_day(airdrop.figure("deadline")).rpartition(" ")[0]}
    protocol = truth.metrics.protocol(truth.subject("bridge").id)
    if kind == "bridge" and protocol is not None:
        midnight, money = truth.midnight(day), pen.voice(author).money
        slots = slots | {"tvl": lambda: truth.tvl(protocol.slug, midnight, money)}
    if not book.has(kind, slots):
        return None
    manner = "builder" if builds else "holder"
    said = pen.told(book, kind, slots, dice, manner, "lead_talk", f"tail_{manner}")
    return pen.post(author, moment, kind, said, dice, rumour=one.id if kind == "rumour" else "")


def _told_of(truth: Truth, kind: str, moment: int, dice: Rng) -> dict[str, Thunk | str]:
    """Small tokens that were launched by then, and what thieves have done."""
    made: dict[str, Thunk | str] = {}
    launched = [str(dict(deed.figures)["name"]) for at, deed in truth.happened("launched") if at <= moment]
    if launched:
        made["launch"] = dice.one(launched)
    if kind == "scam":
        lost = [(at, deed) for verb in ("paid a look-alike", "drained") for at, deed in truth.happened(verb)
                if moment - 12 * DAY_S <= at <= moment]  # fmt: skip
        if lost:
            at, deed = dice.one(lost)
            figures = dict(deed.figures)
            written = number.exact(deed.figure("amount") // 10**6)
            made["amount"] = lambda: other_claim(truth.subject("dollar").id, at, written.words)
            if "meant" in figures:
                made |= {"lookalike": str(figures["looks_like"]), "meant": str(figures["meant"])}
    return made
