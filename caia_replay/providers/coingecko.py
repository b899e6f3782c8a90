"""CoinGecko's API v3 in both tiers: which recordings answer a question, and what is worth recording for one.

    series     market_chart/range and history: the past does not change, and is cut at the world's clock
    static     platforms, quote currencies
    now        prices, listings, pages of coins, rankings, trends, charts by days, OHLC: only what was recorded at
               the world's clock says what is the case then

docs/providers/coingecko.md has the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.coingecko_chart import DAY_S, DEMO_DAYS, LATE_S, narrow_chart, widen_chart
from caia_replay.providers.coingecko_market import MOST_ROWS, narrow_parts, narrow_prices, narrow_rows, next_page, read
from caia_replay.providers.coingecko_question import DEMO, INCLUDED, KEYS, PARTS, PREFIX, PRO, Question, question_of
from caia_replay.providers.endpoint import derived, endpoint_of, is_of_now

_NARROWED: Final = {
    "markets": narrow_rows,
    "pages": narrow_rows,
    "simple": narrow_prices,
    "coin": narrow_parts,
    "coins": narrow_parts,
}


class CoinGeckoProvider:
    """The market API. See ``Provider`` for what the functions owe."""

    name = "coingecko"
    authority: Authority = "authoritative"
    ignored_parameters = KEYS
    has_other_sources = False

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to one of the two hosts."""
        scheme, _, rest = request.url.partition("://")
        host, _, path = rest.partition("/")
        return request.method == "GET" and f"{scheme}://{host}".lower() in (DEMO, PRO) and f"/{path}".startswith(PREFIX)

    def family(self, request: HttpRequest) -> str:
        """The endpoint with everything but window, page, ids and the parts asked for."""
        return question_of(request).family()

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """The request with more of everything that ``narrow`` can leave out again."""
        asked = question_of(request)
        match asked.kind:
            case "chart":
                return widen_chart(asked, request, now)
            case "history":
                return (asked.request(request, localization=None),)
            case "markets" | "pages":
                return (asked.request(request, per_page=str(MOST_ROWS), page="1"),)
            case "simple" if asked.parameters.get("vs_currencies"):
                given = asked.several("vs_currencies")
                more = ",".join(given if "usd" in given else ["usd", *given])
                return (asked.request(request, vs_currencies=more, **dict.fromkeys(INCLUDED, "true")),)
            case "coin":
                return (asked.request(request, **dict.fromkeys(PARTS), sparkline="true"),)
            case "coins":
                return (asked.request(request, include_platform="true"),)
        return (request,)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """The next page of a listing whose page is full."""
        asked = question_of(request)
        page = next_page(asked, reply) if asked.kind in ("markets", "pages") else None
        return None if page is None else asked.request(request, page=str(page))

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The answer at ``now``. Raises ``Miss``, naming what is recorded nearest."""
        asked = question_of(request)
        if asked.kind == "chart":
            return narrow_chart(recorded, asked, now)
        same = [found for found in recorded if question_of(found.request).words() == asked.words()]
        # A refusal may be about a key that another recording had.
        for found in sorted(same, key=lambda found: found.reply.status != 200):
            if is_of_now(found, now) or (asked.kind == "static" and found.reply.status == 200):
                return found.reply
        if asked.kind == "history":
            return _history(recorded, asked, now)
        fresh = [found for found in recorded if read(found) is not None and is_of_now(found, now)]
        if asked.kind in _NARROWED:
            return _NARROWED[asked.kind](fresh, asked)
        raise _miss(recorded, asked, "nothing of it was recorded at this moment")


def _history(recorded: Sequence[Recorded], asked: Question, now: int) -> HttpReply:
    """The figures of a past day, which are final once they are told: 35 minutes after the day began."""
    midnight, wanted = _midnight(asked.parameters.get("date", "")), asked.flag("localization")
    is_past = midnight is not None and midnight + LATE_S <= now
    is_near = asked.origin != DEMO or (midnight is not None and midnight >= now - DEMO_DAYS * DAY_S)
    for found in recorded:
        page, has = read(found), question_of(found.request).flag("localization")
        # Without figures it may be a coin that was not listed yet, or a day that had not begun.
        is_final = isinstance(page, dict) and "market_data" in page and is_past and is_near
        if not isinstance(page, dict) or wanted is None or has is None or not (is_final or is_of_now(found, now)):
            continue
        if has is wanted:
            return found.reply
        if has:
            return derived({name: part for name, part in page.items() if name != "localization"}, found.reply)
    why = "no recording of that day with these parts" if is_past else "that day has no figures yet"
    raise _miss(recorded, asked, why if is_near else "the demo tier looks back 365 days")


def _midnight(text: str) -> int | None:
    """The start of a day written ``dd-mm-yyyy``; None for another form."""
    try:
        return int(datetime.strptime(text, "%d-%m-%Y").replace(tzinfo=UTC).timestamp())
    except ValueError:
        return None


def _miss(recorded: Sequence[Recorded], asked: Question, why: str) -> Miss:
    near = "; ".join(endpoint_of(found.request).words(*KEYS) for found in recorded[:3])
    return Miss("http", asked.words(), why if not near else f"{why}; recorded: {near}", near)
