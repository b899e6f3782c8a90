"""CoinGecko's API v3 in both tiers: which recordings answer a question, and what is worth recording for one.

    series     market_chart/range, history, candles of up to 30 days: the past does not change, and is cut at the
               world's clock; a chart by days is one with the price of the moment at its end
    static     platforms, quote currencies
    now        prices, listings, pages of coins, rankings, trends: only what was recorded at the world's clock says
               what is the case then

docs/providers/coingecko.md has the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from caia_replay.core.provider import AsOfFilter, HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.as_of import by_name, listed, mapped, named, texts
from caia_replay.providers.coingecko.chart import DEMO_DAYS, LATE_S, narrow_chart, widen_chart
from caia_replay.providers.coingecko.listing import MOST_ROWS, narrow_parts, narrow_prices, narrow_rows, next_page
from caia_replay.providers.coingecko.ohlc import narrow_candles, widen_candles
from caia_replay.providers.coingecko.reply import DAY_S, ParsedReply, is_settled, parsed_replies
from caia_replay.providers.coingecko.request import (
    DEMO,
    INCLUDED,
    KEYS,
    PARTS,
    PREFIX,
    PRO,
    CoinGeckoRequest,
    question_of,
)
from caia_replay.providers.endpoint import derived, reads_from

_NARROWED: Final = {
    "markets": narrow_rows,
    "pages": narrow_rows,
    "simple": narrow_prices,
    "coin": narrow_parts,
    "coins": narrow_parts,
}
_DAYS_PAGE: Final = frozenset({"id", "symbol", "name", "localization", "image", "market_data", "community_data",
                               "developer_data", "public_interest_stats"})  # fmt: skip
_FIGURES: Final = frozenset({"current_price", "market_cap", "total_volume"})
"""What is known of a past day's page: any other part may be of the moment of the recording."""
_LISTS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    ("coins", "list"): ("id", "symbol", "name"),
    ("asset_platforms",): ("id", "chain_identifier", "name", "shortname", "native_coin_id"),
    ("coins", "categories", "list"): ("category_id", "name"),
    ("exchanges", "list"): ("id", "name"),
}
_COIN: Final = ("id", "symbol", "name", "web_slug", "asset_platform_id", "categories", "hashing_algorithm",
                "genesis_date")  # fmt: skip
_CONTRACT: Final = ("decimal_place", "contract_address")
"""What names a list's row, a coin and its contract: kept of replies of later."""


class CoinGeckoProvider(Provider):
    """The market API. See ``Provider`` for what the functions owe."""

    name = "coingecko"
    authority: Authority = "authoritative"
    ignored_parameters = KEYS

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to one of the two hosts."""
        return reads_from(request, DEMO, PRO) and urlsplit(request.url).path.startswith(PREFIX)

    def family(self, request: HttpRequest) -> str:
        """The endpoint with everything but window, page, ids and the parts asked for."""
        return question_of(request).family()

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """The request with more of everything that ``narrow`` can leave out again."""
        asked = question_of(request)
        match asked.kind:
            case "chart":
                return widen_chart(asked, request, now)
            case "ohlc":
                return widen_candles(asked, request)
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

    def as_of(self, request: HttpRequest) -> AsOfFilter | None:
        """What coins, networks, categories and venues are called; no text, no figure and no link.

        Its histories need nothing of this: they are cut at the clock whenever they were recorded.
        """
        asked = question_of(request)
        if asked.path == ("simple", "supported_vs_currencies"):
            return _words
        if asked.kind == "coin":
            return _coin
        names = _LISTS.get(asked.path)
        return None if names is None else partial(_rows, names)

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The answer at ``now``. Raises ``Miss``, naming what is recorded nearest."""
        asked = question_of(request)
        items = [one for one in parsed_replies(recorded, now) if one.question.kind == asked.kind]
        if asked.kind == "chart":
            return narrow_chart(items, asked, now)
        if asked.kind == "history":
            return _history(items, asked, now)
        same = [one for one in items if one.question.words() == asked.words() and one.is_answer]
        # A refusal may be about a key that another recording had.
        for one in sorted(same, key=lambda one: one.found.reply.status != 200):
            is_static = asked.kind == "static" and one.found.reply.status == 200 and one.is_before(now)
            if (is_static or one.is_of(now)) and one.is_known(now):
                return one.found.reply
        if asked.kind == "ohlc":
            return narrow_candles(items, asked, now)
        if asked.kind in _NARROWED:
            fresh = [one for one in items if one.is_of(now) and one.content is not None]
            return _NARROWED[asked.kind](fresh, asked, now)
        raise _miss(items, asked, "nothing of it was recorded at this moment")


def _history(replies: Sequence[ParsedReply], asked: CoinGeckoRequest, now: int) -> HttpReply:
    """The figures of a past day, which are final once they are told: 35 minutes after the day began."""
    midnight, wanted = _midnight(asked.parameters.get("date", "")), asked.flag("localization")
    told_at = None if midnight is None else midnight + LATE_S
    is_near = asked.origin != DEMO or (midnight is not None and midnight >= now - DEMO_DAYS * DAY_S)
    final = [one for one in replies if is_near and _is_final(one, told_at, now)]
    is_certain = all(is_settled(final[:1], one, now) for one in final if _figures(one) != _figures(final[0]))
    good = [one for one in final if is_certain and _figures(one) == _figures(final[0])]
    good += [one for one in replies if not final and _is_so_now(one, told_at, now)]
    for one in good:
        if one.question.words() == asked.words():
            return one.found.reply
    for one in good:
        if one.question.flag("localization") and wanted is False and one.content is not None:
            page = {name: part for name, part in one.content.items() if name != "localization"}
            return derived(page, one.found.reply)
    if told_at is None or told_at > now:
        raise _miss(replies, asked, "that day has no figures yet")
    why = "no recording of that day with these parts" if is_certain else "recordings of that day contradict each other"
    raise _miss(replies, asked, why if is_near else "the demo tier looks back 365 days")


def _is_final(one: ParsedReply, told_at: int | None, now: int) -> bool:
    """Whether a page has the figures of a day that were told by ``now``, and nothing beside them of later."""
    # Without figures it may be a coin that was not listed yet, or a day that had not begun.
    if told_at is None or one.at is None or not told_at <= min(now, one.at) or not _figures(one):
        return False
    is_plain = one.content.keys() <= _DAYS_PAGE and _figures(one).keys() <= _FIGURES
    return (one.is_before(now) or is_plain) and one.is_known(now)


def _is_so_now(one: ParsedReply, told_at: int | None, now: int) -> bool:
    """Whether it was answered at ``now``, and the day's figures came neither since nor in between."""
    is_same = told_at is None or one.at is None or (one.at < told_at) is (now < told_at)
    return one.is_answer and one.is_of(now) and is_same and one.is_known(now)


def _figures(one: ParsedReply) -> dict[str, Any]:
    """A day's figures; none where the page has none."""
    figures = one.content.get("market_data") if one.content is not None else None
    return figures if isinstance(figures, dict) else {}


def _rows(names: tuple[str, ...], content: Any, made: int, now: int) -> list[dict[str, Any]]:
    return by_name(_row(row, names) for row in listed(content))


def _row(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    found = named(row, names)
    return found | {"platforms": texts(row["platforms"])} if isinstance(row.get("platforms"), dict) else found


def _words(content: Any, made: int, now: int) -> list[str] | None:
    words = listed(content)
    return sorted(words) if all(isinstance(word, str) for word in words) else None


def _coin(content: Any, made: int, now: int) -> dict[str, Any] | None:
    if _began(mapped(content).get("genesis_date")) > now:
        return None
    found = _row(content, _COIN)
    details = content.get("detail_platforms")
    if isinstance(details, dict):
        found["detail_platforms"] = {name: named(one, _CONTRACT) for name, one in details.items()}
    return found


def _began(day: Any) -> int:
    """The first second of a day; 0 where none is told."""
    if not isinstance(day, str):
        return 0
    return int(datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC).timestamp())


def _midnight(text: str) -> int | None:
    """The start of a day written ``dd-mm-yyyy``; None for another form."""
    if not text.isascii():
        return None
    try:
        return int(datetime.strptime(text, "%d-%m-%Y").replace(tzinfo=UTC).timestamp())
    except ValueError:
        return None


def _miss(replies: Sequence[ParsedReply], asked: CoinGeckoRequest, why: str) -> Miss:
    near = "; ".join(one.question.words() for one in replies[:3])
    return Miss("http", asked.words(), why if not near else f"{why}; recorded: {near}", near)
