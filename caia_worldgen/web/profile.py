"""The accounts of the social network as users see them: what they say of themselves, since when, and how followed."""

from __future__ import annotations

from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.services.x_api_body import User
from caia_worldgen.web.cast import Account
from caia_worldgen.web.prose import PhraseBook
from caia_worldgen.web.truth import Truth

_FOLLOWERS: Final = {"outlet": (9_000, 240_000), "project": (4_000, 90_000), "bot": (300, 9_000),
                     "analyst": (600, 48_000), "trader": (40, 14_000), "builder": (90, 8_000),
                     "holder": (3, 900)}  # fmt: skip
_FOLLOWING: Final = {"outlet": (20, 400), "project": (5, 160), "bot": (0, 3), "analyst": (150, 1_200),
                     "trader": (120, 2_100), "builder": (80, 900), "holder": (30, 800)}  # fmt: skip
_VERIFIED_PERCENT: Final = {"outlet": 90, "project": 100, "analyst": 30, "trader": 12, "builder": 10}
_AGE_DAYS: Final = (45, 1_900)
"""How old an account is when the story begins."""


def users(truth: Truth) -> tuple[User, ...]:
    """Every account of the cast, by handle; all of them are older than the story."""
    book = PhraseBook("profile", truth.seed)
    return tuple(_user(truth, one, book) for one in sorted(truth.cast.accounts, key=lambda account: account.handle))


def _user(truth: Truth, one: Account, book: PhraseBook) -> User:
    rng = truth.rng(f"social/profile/{one.handle}")
    passage = one.manner if one.language == "en" else f"{one.manner}_{one.language}"
    slots = _slots(truth, one)
    bio = book.say(passage if book.has(passage, slots) else one.manner, slots, rng).text
    created = truth.begun - rng.number(*_AGE_DAYS) * DAY_S - rng.number(0, DAY_S - 1)
    return User(
        one.handle, one.name, bio, created, rng.happens(_VERIFIED_PERCENT.get(one.manner, 0)),
        _drawn(rng, *_FOLLOWERS[one.manner]), rng.number(*_FOLLOWING[one.manner]),
    )  # fmt: skip


def _slots(truth: Truth, one: Account) -> dict[str, str]:
    """What an account may speak for."""
    native = truth.scene.networks["main"]
    made = {"name": one.name, "network": native.name, "ticker": f"${native.ticker}"}
    subject = truth.subjects.get(one.of)
    if subject is not None:
        made |= {
            "about": subject.about[:1].upper() + subject.about[1:],
            "home": f"https://{subject.site}/",
            "ticker": f"${subject.ticker}",
        }
    for outlet in (*truth.cast.newsrooms, *truth.cast.desks):
        if outlet.id == one.of:
            made["home"] = outlet.url("")
    return made


def _drawn(rng: Rng, fewest: int, most: int) -> int:
    """Many have few followers and few have many."""
    return min(rng.number(fewest, most) for _ in range(3))
