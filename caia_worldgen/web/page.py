"""What the synthetic web consists of: pages, posts, and the claims that are read in them.

A claim is a statement of fact that can be held against chain and APIs. Its words stand in the text letter by letter.

    true       was the case at its moment
    stale      was the case at its moment, and is told as if it still were
    mistaken   was never the case: an honest mistake
    rumour     nobody knows; told as such
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from caia_replay.core.world import Page, Post
from caia_replay.errors import BadInput

Status = Literal["true", "stale", "mistaken", "rumour"]
Kind = Literal[
    "price",  # subject: coin id; dollars at the moment's hour
    "cap",  # subject: coin id; dollars at the moment
    "supply",  # subject: coin id; whole coins, all there are, at the end of the newest block of the moment
    "tvl",  # subject: protocol slug, or "chain:<network name>"; dollars at the midnight
    "volume",  # subject: protocol slug; dollars swapped within the day that ended at the midnight
    "fees",  # subject: protocol slug; dollars of the day that ended at the midnight
    "staked",  # subject: role of the staking pool's stake; whole coins at the end of the newest block
    "balance",  # subject: "<coin id>/<holder address>"; whole coins at the end of the newest block
    "unlocked",  # subject: project id; whole tokens all vesting contracts have vested at the midnight
    "address",  # subject: coin id or "pool:<coin id>"; the contract on the main chain
    "block",  # subject: chain "main" or "rollup"; the newest block's height at the moment
    "release",  # subject: "owner/name"; the tag of the latest release at the moment
    "votes",  # subject: proposal id; whole votes in favour, at the end of the newest block
    "round",  # subject: project id; dollars raised; told on the web alone
    "other",  # told on the web alone
]


@dataclass(frozen=True, slots=True)
class Claim:
    """``words`` stand in the text. ``value`` is what they say, as a number (or a text: an address, a tag), and ``step``
    what one in its last written digit is worth, 0 for texts: 12.4 million has the step 100,000. ``moment``, in seconds
    since 1970 UTC, is when it is said to be the case."""

    kind: Kind
    subject: str
    moment: int
    words: str
    value: Fraction | str
    step: Fraction
    status: Status = "true"


@dataclass(frozen=True, slots=True)
class Told:
    """Words ready for a sentence, and what they claim, if anything."""

    words: str
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page with what only its makers know: ``kind``, what it states, and of which page it is meant to be a near
    copy (an address, or ""). An undated page has ``page.first_seen`` instead: when it came to be."""

    page: Page
    kind: str
    claims: tuple[Claim, ...] = ()
    copy_of: str = ""


@dataclass(frozen=True, slots=True)
class WebPost:
    """A post with what only its makers know."""

    post: Post
    kind: str
    claims: tuple[Claim, ...] = ()


EPOCH_MS: Final = 1_356_998_400_000
"""2013-01-01: before any account of any world."""
_BITS: Final = 22
_SECOND_MS: Final = 1_000


def post_id(moment: int, number: int) -> str:
    """The id of the post with this ``number`` (0 to 4,194,303, its writer's own) of a ``moment`` in seconds.

    Two posts have one id only if they have one number and one moment. Raises ``BadInput`` for others.
    """
    since_ms = moment * _SECOND_MS + number * 37 % _SECOND_MS - EPOCH_MS
    if since_ms < 0 or not 0 <= number < 1 << _BITS:
        raise BadInput(f"no post has the number {number} at {moment}")
    return str((since_ms << _BITS) + number)


def written_at(id: str) -> int:
    """The second in which a post was written, by its id."""
    return ((int(id) >> _BITS) + EPOCH_MS) // _SECOND_MS
