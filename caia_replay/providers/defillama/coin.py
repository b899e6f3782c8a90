"""Prices out of recorded prices, coin by coin: of now, of a moment, first ones, changes and charts; and blocks.

Every answer of these pages is a mapping of coins, so an answer is put together from whatever recordings settle its
coins. A coin is left out where a recording shows that there was nothing to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama.chart import narrow_chart
from caia_replay.providers.defillama.parsed_reply import (
    Found,
    ParsedReply,
    Unsettled,
    absent,
    agreed,
    moment_of,
    nearest_first,
    parsed_reply,
    settled,
)
from caia_replay.providers.defillama.request import DefiLlamaRequest, fold, is_settled
from caia_replay.providers.endpoint import answered_at, content_of, content_or_none, derived, is_of_now, utc

_SURE_WIDTH_S: Final = 4 * 3_600
"""The search width where none is given: no shorter than this."""
_CHANGE_WIDTH_S: Final = 900
_DAY_S: Final = 86_400


def narrow_coins(recorded: Sequence[Recorded], asked: DefiLlamaRequest, now: int) -> HttpReply:
    """The answer to ``asked``. Raises ``Miss`` naming the first coin that no recording settles."""
    items = [one for one in (parsed_reply(found, now) for found in nearest_first(recorded, now)) if one is not None]
    settle = {"current": _current, "historical": _historical, "first": _first, "percentage": _change,
              "chart": narrow_chart}  # fmt: skip
    built: dict[str, Any] = {}
    for coin in asked.coins:
        key = fold(coin)
        item = settle[asked.page]([one for one in items if key in one.knows], asked, coin, now)
        if item is not None:
            built[coin] = item[0]
    content = {"coins": built}
    for one in items:
        if one.content == content:
            return one.reply
    return derived(content, items[0].reply)


def narrow_block(recorded: Sequence[Recorded], asked: DefiLlamaRequest, now: int) -> HttpReply:
    """The recorded block nearest to a moment, where nothing can have come nearer by now. Raises ``Miss``."""
    moment = asked.number(asked.parts[-1])
    if moment > now:
        raise Miss("http", asked.words(), f"{utc(moment)} is after now")

    def block(found: Recorded) -> Any:
        made = _made(found)
        if made is None or made > now or not is_settled(moment, abs(made - moment), answered_at(found.reply), now):
            raise Unsettled(
                lambda: f"recorded is the block of {utc(made or 0)}, and others may be nearer at {utc(now)}"
            )
        return content_of(found.reply)

    known = [found for found in nearest_first(recorded, now) if _made(found) is not None]
    final = partial(is_of_now, now=now)
    unlike = "recorded are several blocks for this moment"
    return agreed(known, block, final, asked.words(), "no recording", lambda one, other: unlike)[0].reply


def _made(found: Recorded) -> int | None:
    """When a recorded block was made; None for what is no block."""
    content = content_or_none(found.reply) if found.reply.status == 200 else None
    made = content.get("timestamp") if isinstance(content, dict) else None
    return made if type(made) is int else None


def _current(known: Sequence[ParsedReply], asked: DefiLlamaRequest, coin: str, now: int) -> Found:
    def settle(reply: ParsedReply) -> Found:
        if not reply.of_now:
            raise Unsettled(lambda: f"recorded {reply.when()}, not at {utc(now)}")
        item, same = reply.of(coin), _width(reply.asked) == _width(asked)
        if item is None and not same:
            raise Unsettled(lambda: "recorded with another search width, without a price")
        if item is None:
            return None
        made = moment_of(item)
        if made > now:
            raise Unsettled(lambda: f"recorded is the price of {utc(made)}, which is after {utc(now)}")
        if not same and now - made > (_width(asked) or _SURE_WIDTH_S):
            raise Unsettled(lambda: f"recorded with another search width, and the price is of {utc(made)}")
        return (item,)

    return settled(known, asked, coin, settle)[1]


def _historical(known: Sequence[ParsedReply], asked: DefiLlamaRequest, coin: str, now: int) -> Found:
    moment = asked.number(asked.parts[-2])

    def settle(reply: ParsedReply) -> Found:
        wide, wanted, item = _width(reply.asked), _width(asked), reply.of(coin)
        if item is None and wide == wanted:
            return absent(moment, _DAY_S if wide is None else wide, reply, now)
        if item is None:
            if wide is None or wanted is None or wide < wanted:
                raise Unsettled(lambda: "recorded with a shorter search width, without a price")
            return absent(moment, wanted, reply, now)
        made = moment_of(item)
        distance = abs(made - moment)
        if made > now:
            raise Unsettled(lambda: f"recorded is the price of {utc(made)}, which is after {utc(now)}")
        if not is_settled(moment, distance, reply.at, now):
            raise Unsettled(lambda: f"recorded {reply.when()}: a nearer price may have come by {utc(now)}")
        if wide == wanted or distance <= (_SURE_WIDTH_S if wanted is None else wanted):
            return (item,)
        if wanted is None:
            raise Unsettled(lambda: f"recorded is the price of {utc(made)}, as far as the usual search width may reach")
        return None

    return settled(known, asked, coin, settle)[1]


def _first(known: Sequence[ParsedReply], asked: DefiLlamaRequest, coin: str, now: int) -> Found:
    def settle(reply: ParsedReply) -> Found:
        item = reply.of(coin)
        if item is None:
            if reply.at is None or reply.at < now:
                raise Unsettled(lambda: f"recorded {reply.when()}, without a first price yet")
            return None
        return (item,) if moment_of(item) <= now else None

    return settled(known, asked, coin, settle)[1]


def _change(known: Sequence[ParsedReply], asked: DefiLlamaRequest, coin: str, now: int) -> Found:
    latest = None
    if "timestamp" in asked.parameters:
        latest = asked.number(asked.parameters["timestamp"]) + _CHANGE_WIDTH_S
        latest += asked.seconds("period", "1d") * (asked.parameters.get("lookForward", "").lower() == "true")

    def settle(reply: ParsedReply) -> Found:
        past = latest is not None and reply.at is not None and latest < min(reply.at, now)
        if not past and not reply.of_now:
            raise Unsettled(lambda: f"recorded {reply.when()}, not at {utc(now)}")
        if fold(coin) not in reply.coins:
            return None
        change = reply.coins[fold(coin)]  # null where it cannot be computed: the coin is known all the same
        if change is not None and type(change) not in (int, float):
            raise Unsettled(lambda: "recorded is a change that is no number")
        return (change,)

    return settled(known, asked, coin, settle)[1]


def _width(asked: DefiLlamaRequest) -> int | None:
    return asked.seconds("searchWidth", "0") if "searchWidth" in asked.parameters else None
