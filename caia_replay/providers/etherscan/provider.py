"""Etherscan's API, version 2: one explorer for many chains.

    GET https://api.etherscan.io/v2/api?chainid=...&module=...&action=...
    {"status": "1", "message": "OK", "result": ...}

Answers come from recordings, and where no recording has them from the chain's own recorded tables. Refusals for the
caller's pace or key, which this vendor tells with status 200, are no answers to what was asked and are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from caia_replay.canonical import canonical_bytes
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.column import ADDRESS, HASH, UNFIT
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at, content_of, is_of_now, reads_from
from caia_replay.providers.etherscan.account_index import AccountIndex
from caia_replay.providers.etherscan.fact import between, holds, is_refusal
from caia_replay.providers.etherscan.height import Heights
from caia_replay.providers.etherscan.page import Row, runs_of, window_of
from caia_replay.providers.etherscan.request import (
    ENDLESS,
    KEY,
    ORIGIN,
    PATH,
    WINDOW,
    WINDOW_NAMES,
    EtherscanRequest,
    Listing,
    Window,
    block_of,
    ends,
    family_of,
    is_passing,
    moment_of,
    number,
    question_of,
    request_of,
    rows_of,
)
from caia_replay.providers.etherscan.table import Table

_JSON: Final = {"content-type": "application/json; charset=utf-8"}
_NAMES: Final = ("tokenName", "tokenSymbol", "tokenDecimal")


class EtherscanProvider(Provider):
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
        return reads_from(request, ORIGIN) and urlsplit(request.url).path == PATH

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
        usable, same = [], []
        for found in recorded:
            with suppress(Miss):  # a request that cannot be read says nothing of this one
                is_same = question_of(found.request).identity == question.identity
                if not is_passing(found.reply):
                    usable.append(found)
                    same += [found] if is_same else []
        # Of several the one that was made nearest to the moment.
        same.sort(key=lambda found: abs((answered_at(found.reply) or 0) - now))
        if question.listing is not None:
            return self._listed(question, question.listing, usable, same, now)
        value = between(usable, question, now)
        for found in same:
            if holds(question, found, now, self._heights):
                return found.reply
        return value or self._tabled(question, usable, now)

    def _listed(
        self,
        question: EtherscanRequest,
        listing: Listing,
        usable: Sequence[Recorded],
        same: Sequence[Recorded],
        now: int,
    ) -> HttpReply:
        newest = self._heights.known(question.chain_id, now)
        window = question.window()
        for found in same:
            if _is_list_of_now(found, window, now, newest):
                return found.reply
        try:
            rows = self._rows(question, window, usable, now, newest)
        except Miss:
            # Refusals come last: what recordings or tables know was not refused.
            for found in same:
                if is_refusal(question, found, now):
                    return found.reply
            raise
        content: Any = {"status": "1", "message": "OK", "result": rows}
        if not rows:
            content = {"status": "0", "message": listing.none, "result": []}
        for found in same:
            if rows_of(found.reply) == rows and content_of(found.reply) == content:
                return found.reply
        types = [found.reply.headers.get("content-type", "") for found in usable if found.reply.status == 200]
        kind = next((text for text in types if "json" in text), _JSON["content-type"])
        return HttpReply(200, {"content-type": kind}, canonical_bytes(content))

    def _rows(
        self,
        question: EtherscanRequest,
        window: Window | None,
        usable: Sequence[Recorded],
        now: int,
        newest: int | None,
    ) -> list[Row]:
        """Rows count their confirmations from the newest block: counted anew, or recorded at ``now``."""
        if window is None:
            raise Miss("http", question.words(), "what the vendor makes of this range or page is not recorded")
        height = partial(self._heights.known, question.chain_id, anchored=False)
        try:
            runs = runs_of(usable, now, height)
            if not runs:
                _require_readable(question)
            rows = window_of(runs, window, now, newest)
            if newest is None and any("confirmations" in row for row in rows):
                of_now = [found for found in usable if is_of_now(found, now)]
                return window_of(runs_of(of_now, now, height), window, now, newest)
        except Miss as missed:
            try:
                return self._table(question, now).rows(question, _tokens(usable))
            except Miss as unknown:
                where = f"{_words(missed)}; {_words(unknown)}"
                raise Miss("http", question.words(), where, missed.detail.nearest) from missed
        return [row if newest is None or "confirmations" not in row else
                {**row, "confirmations": str(newest - block_of(row) + 1)} for row in rows]  # fmt: skip

    def _tabled(self, question: EtherscanRequest, usable: Sequence[Recorded], now: int) -> HttpReply:
        try:
            content = self._table(question, now).content(question)
        except Miss as unknown:
            near = f"{len(usable)} recordings, none of which holds at this moment" if usable else "no recording of it"
            raise Miss("http", question.words(), _words(unknown), near) from unknown
        return HttpReply(200, _JSON, canonical_bytes(content))

    def _table(self, question: EtherscanRequest, now: int) -> Table:
        chain_id = question.chain_id
        return Table(self._heights.chain(chain_id), self._heights.at(chain_id, now), self._index)


def _require_readable(question: EtherscanRequest) -> None:
    """Raise ``Miss`` for a question the vendor may refuse: above the newest block there is nothing of anybody, but
    that is not what is said of a malformed address."""
    forms = {"address": ADDRESS, "contractaddress": ADDRESS} | {f"topic{at}": HASH for at in range(4)}
    encoded: list[Any] = [form.encode(text) for name, form in forms.items() if (text := question.fields.get(name))]
    nameless = question.key[1] in ("txlist", "getminedblocks") and not question.fields.get("address")
    if UNFIT in encoded or nameless or (not encoded and question.key != ("account", "txlistinternal")):
        raise Miss("http", question.words(), "no page of this list, and what it is of cannot be read")


def _is_list_of_now(found: Recorded, window: Window | None, now: int, newest: int | None) -> bool:
    """Whether it is a list that was recorded at ``now`` and holds nothing later, nor counts on it.

    One made a little earlier may lack the newest rows, and on one made a little later rows of a later page of the
    newest may have moved: both are weighed as pages.
    """
    at, rows = answered_at(found.reply), rows_of(found.reply) if is_of_now(found, now) else None
    if at is None or at < now or rows is None:
        return False
    if rows and at > now and (window is None or (window.descending and window.page > 1)):
        return False
    try:
        if any(moment_of(row) > now for row in rows):
            return False
        return newest is None or all(number(row["confirmations"]) == newest - block_of(row) + 1
                                     for row in rows if "confirmations" in row)  # fmt: skip
    except ValueError:
        return False


def _words(miss: Miss) -> str:
    return f"{miss.detail.where}: {miss.detail.wanted}"


def _page(question: EtherscanRequest, listing: Listing, window: Window) -> HttpRequest:
    fields = {name: text for name, text in question.fields.items() if name not in WINDOW_NAMES}
    fields |= {"page": str(window.page), "offset": str(window.offset)}
    if not listing.newest_first:
        names = ("fromBlock", "toBlock") if listing.first_name == "fromblock" else ("startblock", "endblock")
        fields |= dict(zip(names, (str(window.first), str(window.last)), strict=True))
        if listing.first_name == "startblock":
            fields["sort"] = "desc" if window.descending else "asc"
    return request_of(fields)


def _tokens(usable: Sequence[Recorded]) -> dict[str, Row]:
    """Rows that say what a token calls itself, by its address; of one that changed its name nothing."""
    found: dict[str, list[Row]] = {}
    for recorded in usable:
        for row in rows_of(recorded.reply) or ():
            if set(_NAMES) <= row.keys() and isinstance(row.get("contractAddress"), str):
                found.setdefault(row["contractAddress"].lower(), []).append(row)
    return {address: rows[0] for address, rows in found.items()
            if all(row[name] == rows[0][name] for row in rows for name in _NAMES)}  # fmt: skip
