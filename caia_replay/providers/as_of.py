"""What a reply that was recorded after a moment proves about that moment.

A suite that is recorded today for questions about the past holds today's lists and histories. What they are called and
what was dated by then is kept; every figure and state of now is gone, and is neither set to zero nor computed anew.
docs/decisions/0011-what-a-later-recording-tells.md says what such a reply proves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from email.utils import formatdate
from functools import lru_cache
from typing import Final

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import BadInput, Miss
from caia_replay.providers.as_of_filter import AsOfFilter
from caia_replay.providers.binance.later import binance_turn
from caia_replay.providers.binance.provider import futures, spot
from caia_replay.providers.coingecko.later import coingecko_turn
from caia_replay.providers.coingecko.provider import CoinGeckoProvider
from caia_replay.providers.defillama.later import defillama_turn
from caia_replay.providers.defillama.provider import DefiLlamaProvider
from caia_replay.providers.endpoint import answered_at, content_of
from caia_replay.providers.x.later import x_turn
from caia_replay.providers.x.provider import XApiProvider

_VENDORS: Final[Sequence[tuple[Provider, Callable[[HttpRequest], AsOfFilter | None]]]] = (
    (CoinGeckoProvider(), coingecko_turn),
    (DefiLlamaProvider(), defillama_turn),
    (spot(), binance_turn),
    (futures(), binance_turn),
    (XApiProvider(), x_turn),
)
_KEPT: Final = 8
"""Bodies that are kept turned: the lists that every call asks for are megabytes, and few."""


def as_of(recorded: Iterable[Recorded], now: int) -> list[Recorded]:
    """What ``earlier`` makes of recordings, as recordings of their own requests; those made first come first."""
    dated = sorted(recorded, key=lambda found: answered_at(found.reply) or 0)
    return [Recorded(found.request, reply) for found in dated if (reply := earlier(found, now)) is not None]


def earlier(recorded: Recorded, now: int) -> HttpReply | None:
    """What of a reply made after ``now`` (seconds since 1970, UTC) was so at ``now``, dated ``now``.

    None for a reply that was not made after ``now`` or does not say when, for a refusal, for another shape than its
    endpoint's, for what had not begun, and for every endpoint whose later replies tell nothing of before.
    """
    made, request = answered_at(recorded.reply), recorded.request
    if made is None or made <= now or recorded.reply.status != 200 or _turn_of(request.method, request.url) is None:
        return None
    body = _body(request.method, request.url, recorded.reply.body, made, now)
    headers = {"content-type": "application/json; charset=utf-8", "date": formatdate(now, usegmt=True)}
    return None if body is None else HttpReply(200, headers, body)


def _turn_of(method: str, url: str) -> AsOfFilter | None:
    request = HttpRequest(method, url)
    try:
        return next((turn_of(request) for provider, turn_of in _VENDORS if provider.match(request)), None)
    except (Miss, BadInput):  # an address that cannot be read
        return None


@lru_cache(maxsize=_KEPT)
def _body(method: str, url: str, body: bytes, made: int, now: int) -> bytes | None:
    turn = _turn_of(method, url)
    try:
        content = None if turn is None else turn(content_of(HttpReply(200, {}, body)), made, now)
        return None if content is None else canonical_bytes(content)
    except (Miss, TypeError, ValueError, LookupError, AttributeError, OverflowError):
        return None
