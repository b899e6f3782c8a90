"""Numbers of posts, as a social network hands them out: they grow with time and tell when a post was written."""

from __future__ import annotations

from typing import Final

from caia_replay.errors import BadInput

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
