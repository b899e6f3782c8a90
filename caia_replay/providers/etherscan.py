"""Etherscan's API, version 2: one explorer for many chains.

    GET https://api.etherscan.io/v2/api?chainid=...&module=...&action=...
    {"status": "1", "message": "OK", "result": ...}

Answers come from recordings, and where no recording has them from the chain's own recorded tables. Refusals for the
caller's pace or key, which this vendor tells with status 200, are no answers to what was asked and are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from caia_replay.canonical import canonical_bytes
from caia_replay.chain.chain_source import ChainSource
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import content_of, derived, is_of_now
from caia_replay.providers.etherscan_account_index import AccountIndex
from caia_replay.providers.etherscan_fact import between, holds
from caia_replay.providers.etherscan_height import Heights
from caia_replay.providers.etherscan_page import Row, runs_of, window_of
from caia_replay.providers.etherscan_question import (
    ENDLESS,
    KEY,
    ORIGIN,
    PATH,
    WINDOW,
    WINDOW_NAMES,
    Listing,
    Question,
    Window,
    block_of,
    ends,
    family_of,
    is_passing,
    moment_of,
    question_of,
    request_of,
    rows_of,
)
from caia_replay.providers.etherscan_table import Table

_JSON: Final = {"content-type": "application/json; charset=utf-8"}


class EtherscanProvider:
    """The explorer over recordings and over ``chains``, the recorded tables by name."""

    name = "etherscan"
    authority: Authority = "authoritative"
    ignored_parameters: frozenset[str] = frozenset({KEY})
    has_other_sources = True

    def __init__(self, chains: Mapping[str, ChainSource]) -> None:
        self._heights = Heights(chains)
        self._index = AccountIndex()

    def match(self, request: HttpRequest) -> bool:
        """Whether the request goes to the one address this API has."""
        parts = urlsplit(request.url)
        return request.method == "GET" and f"{parts.scheme}://{parts.netloc}" == ORIGIN and parts.path == PATH

    def family(self, request: HttpRequest) -> str:
        """Everything but pages, order, ranges of blocks, the moment of a block, and the key."""
        return family_of(question_of(request))

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """Of a list all of it, oldest first, in the longest pages; anything else as it is asked."""
        question = question_of(request)
        listing, window = question.listing, question.window() if question.listing else None
        if listing is None or window is None:
            return (request,)
        return (_page(question, listing, Window(0, ENDLESS, listing.newest_first, 1, listing.longest)),)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """The next page while pages are full; past the vendor's window the list again from the last block seen."""
        question = question_of(request)
        listing, window = question.listing, question.window() if question.listing else None
        rows = None if is_passing(reply) else rows_of(reply)
        if listing is None or window is None or not rows or ends(len(rows), window.offset):
            return None
        if len(rows) == window.offset and window.stop + window.offset <= WINDOW:
            return _page(question, listing, Window(window.first, window.last, window.descending, window.page + 1,
                                                   window.offset))  # fmt: skip
        try:
            block = block_of(rows[-1])
        except ValueError:
            return None
        first, last = (window.first, block) if window.descending else (block, window.last)
        if listing.newest_first or (first, last) == (window.first, window.last):
            return None
        return _page(question, listing, Window(first, last, window.descending, 1, window.offset))

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The answer at ``now``, out of recordings or out of the chain's tables. Raises ``Miss``."""
        question = question_of(request)
        usable = [found for found in recorded if not is_passing(found.reply)]
        same = [found for found in usable if question_of(found.request).identity == question.identity]
        for found in same:
            if _is_list_of_now(found, now) if question.listing else holds(question, found, now, self._heights):
                return found.reply
        listing = question.listing
        if listing is not None:
            return self._listed(question, listing, usable, same, now)
        return between(usable, question, now) or self._tabled(question, usable, now)

    def _listed(
        self, question: Question, listing: Listing, usable: Sequence[Recorded], same: Sequence[Recorded], now: int
    ) -> HttpReply:
        for found in same:
            # A refusal of the question itself; rows are weighed below.
            if rows_of(found.reply) is None and holds(question, found, now, self._heights):
                return found.reply
        window = question.window()
        if window is None:
            raise Miss("http", question.words(), "what the vendor makes of this range or page is not recorded")
        newest = self._heights.known(question.chain_id, now)
        try:
            rows = self._from_pages(usable, window, now, newest, question)
        except Miss as missed:
            try:
                rows = self._table(question, now).rows(question, _tokens(usable))
            except Miss as unknown:
                where = f"{_words(missed)}; {_words(unknown)}"
                raise Miss("http", question.words(), where, missed.detail.nearest) from missed
        content: Any = {"status": "1", "message": "OK", "result": rows}
        if not rows:
            content = {"status": "0", "message": listing.none, "result": []}
        for found in same:
            if content_of(found.reply) == content:
                return found.reply
        return derived(content, usable[0].reply) if usable else HttpReply(200, _JSON, canonical_bytes(content))

    def _from_pages(
        self, usable: Sequence[Recorded], window: Window, now: int, newest: int | None, question: Question
    ) -> list[Row]:
        """Rows count their confirmations from the newest block: counted anew, or recorded at ``now``."""

        def height(moment: int) -> int | None:
            return self._heights.known(question.chain_id, moment)

        rows = window_of(runs_of(usable, now, height), window, now, newest)
        if not any("confirmations" in row for row in rows):
            return rows
        if newest is None:
            of_now = [found for found in usable if is_of_now(found, now)]
            return window_of(runs_of(of_now, now, height), window, now, newest)
        return [{**row, "confirmations": str(newest - block_of(row) + 1)} if "confirmations" in row else row
                for row in rows]  # fmt: skip

    def _tabled(self, question: Question, usable: Sequence[Recorded], now: int) -> HttpReply:
        try:
            content = self._table(question, now).content(question)
        except Miss as unknown:
            near = f"{len(usable)} recordings, none of which holds at this moment" if usable else "no recording of it"
            raise Miss("http", question.words(), _words(unknown), near) from unknown
        return HttpReply(200, _JSON, canonical_bytes(content))

    def _table(self, question: Question, now: int) -> Table:
        chain_id = question.chain_id
        return Table(self._heights.chain(chain_id), self._heights.at(chain_id, now), self._index)


def _is_list_of_now(found: Recorded, now: int) -> bool:
    """Whether it is a list that was recorded at ``now`` and holds nothing later."""
    rows = rows_of(found.reply)
    try:
        return rows is not None and is_of_now(found, now) and all(moment_of(row) <= now for row in rows)
    except ValueError:
        return False


def _words(miss: Miss) -> str:
    return f"{miss.detail.where}: {miss.detail.wanted}"


def _page(question: Question, listing: Listing, window: Window) -> HttpRequest:
    fields = {name: text for name, text in question.fields.items() if name not in WINDOW_NAMES}
    fields |= {"page": str(window.page), "offset": str(window.offset)}
    if not listing.newest_first:
        names = ("fromBlock", "toBlock") if listing.first_name == "fromblock" else ("startblock", "endblock")
        fields |= dict(zip(names, (str(window.first), str(window.last)), strict=True))
        if listing.first_name == "startblock":
            fields["sort"] = "desc" if window.descending else "asc"
    return request_of(fields)


def _tokens(usable: Sequence[Recorded]) -> dict[str, Row]:
    """Rows that say what a token calls itself, by its address."""
    found: dict[str, Row] = {}
    for recorded in usable:
        for row in rows_of(recorded.reply) or ():
            if {"tokenName", "tokenSymbol", "tokenDecimal"} <= row.keys() and isinstance(
                row.get("contractAddress"), str
            ):
                found.setdefault(row["contractAddress"].lower(), row)
    return found
