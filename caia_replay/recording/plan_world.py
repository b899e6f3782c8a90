"""A world that holds nothing: it notes every request that tools make of it and answers with stand-ins.

It takes the place of ``world.world.TaskWorld`` under a ``ToolContext`` and has as much of it as tools use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.core.tool import Served
from caia_replay.core.world import Page, Post, Ranked, RankedPost
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.reader.address import capture_url, is_archived, page_url
from caia_replay.providers.reader.provider import page_request
from caia_replay.providers.web_archive.provider import WebArchiveProvider
from caia_replay.providers.web_archive.rows import digits_of
from caia_replay.recording.capture_request import NO_FORK
from caia_replay.recording.live_search import FIRST_RESULTS, posts_question, web_question
from caia_replay.recording.plan_ask import Ask
from caia_replay.recording.plan_chain import KNOWN, Hint, PlanChain, PlanFork
from caia_replay.recording.plan_explorer import (
    etherscan,
    page_stand_in,
    post_stand_in,
    ranked_posts,
    ranked_stand_ins,
    x_api,
)
from caia_replay.recording.plan_index import defillama
from caia_replay.recording.plan_market import binance, coingecko
from caia_replay.recording.plan_stand_in import StandIn
from caia_replay.search.window import parse_window
from caia_replay.world.clock import Clock

_YEARS_MS: Final = 3 * 365 * 86_400_000
_RESULTS: Final = 5
"""How many stand-ins a search gives."""


class Asked(NamedTuple):
    """A request; ``is_wide`` where the recorder asks it as it is, and otherwise what its provider makes of it."""

    request: HttpRequest
    is_wide: bool = False


@dataclass(slots=True)
class Calling:
    """What a call is about, for those who answer it."""

    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    hint: Hint = field(default_factory=Hint)


class PlanWorld:
    """``chains`` are the names of chains that the task's steps may ask; ``highest`` is a height they all have.

    ``asked`` are the requests in their order, of all calls.
    """

    def __init__(self, anchor: Anchor, now: int, stand: StandIn, chains: tuple[str, ...], highest: int) -> None:
        self.anchor = anchor
        self.clock = Clock(Anchor(anchor.chain, anchor.block, now))
        self.planted = SimpleNamespace(posts={})
        self.asked: list[Asked] = []
        self.calling = Calling()
        self._stand = stand
        self._chains = {name: self._chain(name, highest) for name in chains if name not in NO_FORK}
        self.world = SimpleNamespace(snapshots=self._chains)

    @property
    def chains(self) -> Mapping[str, PlanChain]:
        """The chains by name."""
        return self._chains

    def begin(self, calling: Calling) -> None:
        """Say which call the next requests belong to."""
        self.calling = calling
        for chain in self._chains.values():
            chain.hint = calling.hint

    def newest(self, chain: str) -> int:
        """The newest block of a chain. Raises ``ToolError`` for one that no fork stands on."""
        return self._found(chain).newest

    @contextmanager
    def fork(self, block: int | None = None, chain: str | None = None) -> Iterator[PlanFork]:
        """A lease that answers with stand-ins. Raises ``ToolError`` as the world's own."""
        found = self._found(self.anchor.chain if chain is None else chain)
        height = found.newest if block is None else block
        if not 0 <= height <= found.newest:
            raise ToolError(f"block {height} does not exist at this moment; the newest is {found.newest}")
        yield PlanFork(found, height)

    def answer(self, request: HttpRequest) -> tuple[HttpReply, Served]:
        """Note a request and answer it in its vendor's shape. Raises ``Miss`` for a host that no tool asks."""
        self.asked.append(Asked(request))
        calling = self.calling
        ask = Ask(request, self._stand, self.clock.now, calling.arguments, tuple(self._chains), calling.hint)
        told: Any
        if ask.host == "api.coingecko.com":
            told = coingecko(ask)
        elif ask.host in ("api.binance.com", "fapi.binance.com"):
            told = binance(ask)
        elif ask.host.endswith("llama.fi"):
            told = defillama(ask)
        elif ask.host == "api.etherscan.io":
            told = etherscan(ask)
        elif ask.host == "api.x.com":
            told = x_api(ask)
        else:
            raise Miss("http", request.url, "no tool asks there")
        if told is None:
            return HttpReply(404, {}, b"{}"), Served.HIT
        return HttpReply(200, {"content-type": "application/json"}, canonical_bytes(told)), Served.HIT

    def alteration(self, request: HttpRequest) -> tuple[str, str]:
        """Nobody plants anything here."""
        return "", ""

    def search(self, query: str, limit: int, offset: int = 0, tbs: str = "") -> tuple[Ranked, ...]:
        """The search API is asked, and the first pages it names are read as they were."""
        self._require_window(tbs)
        self.asked.append(Asked(web_question(query, tbs, self.clock.now), is_wide=True))
        for at in range(FIRST_RESULTS):
            self._read(f"https://{self._stand.word(f'result {at} of {query}')}.example/")
        return ranked_stand_ins(self._stand, query, min(limit, _RESULTS), self.clock.now)

    def search_posts(
        self, query: str, limit: int, offset: int = 0, tbs: str = "", newest_first: bool = False
    ) -> tuple[RankedPost, ...]:
        """The archive of posts is searched up to the task's moment."""
        self._require_window(tbs)
        self.asked.append(Asked(posts_question(query, self.clock.now)))
        return ranked_posts(self._stand, query, min(limit, _RESULTS), self.clock.now)

    def page(self, url: str) -> Page:
        """The page is read as it was. Raises ``ToolError`` for what is no address."""
        address = page_url(url)
        self._read(address)
        return page_stand_in(self._stand, address, self.clock.now)

    def post(self, number: str) -> Post:
        """The conversation that a post begins is searched for."""
        self.asked.append(Asked(posts_question(f"conversation:{number}", self.clock.now)))
        return post_stand_in(self._stand, f"post {number}", self.clock.now - 86_400, number)

    def posts(self) -> tuple[Post, ...]:
        """None is recorded."""
        return ()

    def _read(self, address: str) -> None:
        """The archive's list of captures, and the reader on the latest one, whose moment the list tells."""
        if not is_archived(address):
            now = self.clock.now
            listing = WebArchiveProvider().widen(HttpRequest("GET", capture_url(address, digits_of(now))), now)[0]
            self.asked.append(Asked(listing, is_wide=True))
            address = capture_url(address, digits_of(now - self._stand.seconds(address, 1, 300)))
        self.asked.append(Asked(page_request(address), is_wide=True))

    def _require_window(self, tbs: str) -> None:
        if parse_window(tbs, self.clock.now) is None:
            raise ToolError(f"{tbs[:80]!r} is no window")

    def _found(self, chain: str) -> PlanChain:
        if chain not in self._chains:
            raise ToolError(f"{chain[:80]} has no fork here: its recordings are asked by its own API alone")
        return self._chains[chain]

    def _chain(self, name: str, highest: int) -> PlanChain:
        if name == self.anchor.chain and self.anchor.block >= 0:
            newest = self.anchor.block
        else:
            usual = _YEARS_MS // KNOWN.get(name, (0, 2_000))[1]
            newest = max(usual, highest) + 200_000 + self._stand.number(f"newest of {name}") % 1_000_000
        return PlanChain(name, newest, self.clock.now, self._stand)
