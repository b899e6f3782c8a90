"""The hosts that CAIA's tools ask, on this machine: real TLS under their real names, over one synthetic economy.

What differs from the internet: names lead to a port of this machine, certificates come from an authority of the tests'
own (``SSL_CERT_FILE``). Behind them the economy's own generator tells a story in the months of CAIA's questions, on
chains with the ids, names and heights of four digits of real ones. Its clock stands at the story's last second, weeks
after most questions' moments, so a live endpoint says what is the case then and not what was asked.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email.utils import formatdate
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

import pytest
import trustme

from caia_replay.canonical import canonical_bytes
from caia_worldgen import calendar, stage
from caia_worldgen import economy as story
from caia_worldgen.calendar import Scale
from caia_worldgen.economy_record import market_services
from caia_worldgen.economy_web import web_of, web_services
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.repository import Repositories
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.services import coingecko_list
from caia_worldgen.services.etherscan import Etherscan
from caia_worldgen.services.serper import Serper
from caia_worldgen.services.service import Answer, Asked, Service
from caia_worldgen.services.x_api import XApi
from caia_worldgen.web import chinese_post, docs_page
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import Web
from tests.caia_shelf import Shelf, ShelfArchive, ShelfReader
from tests.living_dune import Dune
from tests.living_solana import SIGNATURE, SolanaNode
from tests.tls_hosts import Received, answering

SEED: Final = 9
SCALE: Final = Scale("caia", 48, 1, 1, 4, 30)
CHAIN, ROLLUP = "ethereum", "base"
FIRST_MIDNIGHT: Final = 1_757_030_400
"""2025-09-05, 00:00 UTC."""
QUIET: Final = 1_000
"""Blocks before anything happens."""
KEYS: Final[Mapping[str, str]] = {
    "api.etherscan.io": "ES" * 17,
    "google.serper.dev": "5e" * 20,
    "pro-api.coingecko.com": "CG-" + "pro" * 8,
    "pro-api.llama.fi": "llama" * 6,
    "api.x.com": "AAAA" + "bearer" * 10,
    "r.jina.ai": "jina_" + "reader" * 6,
    "api.github.com": "ghp_" + "hub" * 12,
    "api.dune.com": "dune" * 8,
}
"""A good key of each host that wants one, or takes one."""

OF_A_FREE_PLAN: Final = "free" * 8
VARIABLES: Final[Mapping[str, str]] = {
    "ETHERSCAN_API_KEY": KEYS["api.etherscan.io"],
    "SERPER_API_KEY": KEYS["google.serper.dev"],
    "X_BEARER_TOKEN": KEYS["api.x.com"],
    "JINA_API_KEY": KEYS["r.jina.ai"],
    "GITHUB_TOKEN": KEYS["api.github.com"],
    "DUNE_API_KEY": KEYS["api.dune.com"],
    "DEFILLAMA_API_KEY": OF_A_FREE_PLAN,
}
"""What a user has in the environment: good keys, but of the DeFi index one that its paid endpoints refuse."""

_KEYLESS: Final[Mapping[str, Answer]] = {
    "google.serper.dev": Answer(403, {"message": "Unauthorized.", "statusCode": 403}),
    "api.etherscan.io": Answer(200, {"status": "0", "message": "NOTOK", "result": "Missing/Invalid API Key"}),
    "pro-api.llama.fi": Answer(402, {"message": "This endpoint needs a paid plan."}),
    "api.dune.com": Answer(401, {"error": "invalid API Key"}),
}
"""What they say without it; the social network and the paid market API say it themselves."""


@dataclass(frozen=True)
class Economy:
    """The story told to its end, its chains still living. ``today`` is its last second; seconds since 1970, UTC."""

    truth: Truth
    web: Web

    @property
    def scene(self) -> Scene:
        """Everything the acts left."""
        return self.truth.scene

    @property
    def today(self) -> int:
        """2025-10-22, 23:59:59."""
        return self.truth.book.prices.end - 1


@contextmanager
def living_economy() -> Iterator[Economy]:
    """The story, told in some ten seconds; its nodes end with the block."""
    with pytest.MonkeyPatch.context() as patch:
        drawn = Rng(f"calendar/{SEED}").number(0, calendar._SPAN_DAYS)
        patch.setattr(calendar, "_EARLIEST", FIRST_MIDNIGHT // calendar.DAY_S - drawn)
        patch.setattr(calendar, "_OPENING_EVERY_S", 10)
        opening = calendar.OPENING + QUIET
        patch.setattr(calendar, "OPENING", opening)
        patch.setattr(stage, "OPENING", opening)
        for owner in (story, coingecko_list):
            patch.setattr(owner, "MAIN_CHAIN_ID", 1 - SEED)
            patch.setattr(owner, "ROLLUP_CHAIN_ID", 8453 - SEED)
        with story.economy(SEED, SCALE) as scene:
            scene.networks["main"] = replace(scene.networks["main"], id=CHAIN, name="Ethereum", ticker="ETH")
            scene.networks["rollup"] = replace(scene.networks["rollup"], id=ROLLUP, name="Base")
            for _ in range(QUIET):
                scene.main.mine()
            story.tell(scene)
            yield _finished(scene)


def _finished(scene: Scene) -> Economy:
    book = MarketBook(scene)
    metrics, code = Metrics(scene, book), Repositories(scene, book)
    truth, web = web_of(scene, book, metrics, code, (docs_page.pages,), (chinese_post.posts,))
    return Economy(truth, web)


class ShelfSearch:
    """The search API over whatever stands on the shelf when it is asked."""

    origins: Final = Serper.origins

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def answer(self, asked: Asked, now: int) -> Answer:
        """The result list of now."""
        return Serper(self._shelf.pages.values()).answer(asked, now)

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return Serper(()).busy(asked)


class Hosts:
    """Vendors' hosts of this machine, answering at ``today``. ``asked`` has every request in its order.

    Of the next requests to the page reader ``busy`` are told to come back later.
    """

    def __init__(self, today: int, services: Iterable[Service]) -> None:
        self.today = today
        self.port, self.authority = 0, Path()
        self.asked: list[Asked] = []
        self.busy = 0
        self._services = {origin.partition("://")[2]: one for one in services for origin in one.origins}
        self._lock = threading.Lock()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every name that is answered for."""
        return tuple(self._services)

    def respond(self, received: Received) -> Mapping[str, Any]:
        """What its host says, in HTTP."""
        origin, slash, rest = received.url.removeprefix("https://").partition("/")
        path, _, query = (slash + rest).partition("?")
        headers = {name.lower(): text for name, text in received.headers.items()}
        given = dict(parse_qsl(query, keep_blank_values=True))
        answer = self.answer(Asked(received.method, path, given, headers, received.body, f"https://{origin}", query))
        body = answer.content if isinstance(answer.content, bytes) else canonical_bytes(answer.content)
        told = {"content-type": "application/json; charset=utf-8", "date": formatdate(self.today, usegmt=True)}
        told |= {name.lower(): text for name, text in answer.headers.items()}
        return {"status": answer.status, "headers": told, "body": body}

    def answer(self, asked: Asked) -> Answer:
        """What its host says."""
        with self._lock:  # the nodes behind the explorer have one connection each
            self.asked.append(asked)
            host = asked.origin.partition("://")[2]
            service = self._services[host]
            if host == "r.jina.ai" and self.busy:
                self.busy -= 1  # with no pause: how long is the vendor's matter, that it is waited for is ours
                told = service.busy(asked)
                return Answer(told.status, told.content, {**told.headers, "retry-after": "0"})
            if host in _KEYLESS and not _has_key(asked, KEYS[host]):
                return _KEYLESS[host]
            return service.answer(asked, self.today)

    def environment(self, folder: Path) -> dict[str, str]:
        """What a process needs in its environment to be led here: the authority, and a Python that knows the names."""
        folder.mkdir(parents=True, exist_ok=True)
        names = f"NAMES, PORT = {sorted(self.hosts)!r}, {self.port}\n"
        (folder / "sitecustomize.py").write_text(names + _LED, "utf-8")
        return {"SSL_CERT_FILE": str(self.authority), "PYTHONPATH": str(folder)}

    @contextmanager
    def led(self) -> Iterator[None]:
        """The same for this process."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SSL_CERT_FILE", str(self.authority))
            patch.setattr(socket, "getaddrinfo", _resolver(socket.getaddrinfo, self.hosts, self.port))
            yield

    @contextmanager
    def living(self, folder: Path) -> Iterator[None]:
        """Answering until the block ends; ``folder`` keeps the authority."""
        authority = trustme.CA()
        self.authority = folder / "authority.pem"
        authority.cert_pem.write_to_path(str(self.authority))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*self.hosts).configure_cert(context)
        with answering(context, self.respond) as self.port:
            yield


class CaiaOrigin(Hosts):
    """The hosts over an economy; ``rpc_urls`` lead to an archive node of each chain, by the chain's name."""

    def __init__(self, economy: Economy, shelf: Shelf) -> None:
        self.economy, self.shelf = economy, shelf
        truth, scene = economy.truth, economy.scene
        social = [one for one in web_services(truth, economy.web) if isinstance(one, XApi)]
        explorer = Etherscan((scene.main, scene.rollup), truth.book)
        shelved = (ShelfReader(shelf), ShelfArchive(shelf), ShelfSearch(shelf))
        token, times = scene.assets["exchange"].address, scene.main.calendar.times
        moved = scene.main.ledger.within(token, 0, 10**9)
        trades = [(times[one.block], "exchange", one.sender, one.amount % 1_000_003) for one in moved]
        warehouse = Dune(trades, pending=1)
        node = SolanaNode({SIGNATURE: truth.midnight(9) + 7})
        super().__init__(economy.today, (*market_services(truth), explorer, *social, *shelved, warehouse, node))

    @property
    def rpc_urls(self) -> Mapping[str, str]:
        """The archive nodes: the story's own."""
        return {"ethereum": self.economy.scene.main.url, "base": self.economy.scene.rollup.url}

    @contextmanager
    def as_found(self) -> Iterator[None]:
        """Whatever the block does to pages is undone at its end; ``asked`` begins anew."""
        kept = dict(self.shelf.pages)
        self.asked.clear()
        try:
            yield
        finally:
            self.shelf.pages = kept


_LED: Final = """
import socket

_known = socket.getaddrinfo


def _led(host, port, *more, **others):
    name = host.decode() if isinstance(host, bytes) else host
    if name in NAMES:
        return _known("127.0.0.1", PORT, *more, **others)
    if name in (None, "::1", "localhost") or name.startswith("127."):  # a fork has an address of its own
        return _known(host, port, *more, **others)
    raise socket.gaierror(socket.EAI_NONAME, f"{name} is not a host of these tests")


socket.getaddrinfo = _led
"""


def _resolver(known: Callable[..., Any], names: Sequence[str], port: int) -> Callable[..., Any]:
    space: dict[str, Any] = {"NAMES": frozenset(names), "PORT": port}
    # The very lines that a process of its own runs; loaded here they would replace the name for everybody.
    exec(_LED.replace("socket.getaddrinfo = _led\n", "").replace("_known = socket.getaddrinfo\n", ""), space)
    space["_known"] = known
    led: Callable[..., Any] = space["_led"]
    return led


def _has_key(asked: Asked, key: str) -> bool:
    """Whether a key comes with a request: in a header, a parameter, or the path."""
    return any(key in text for text in (*asked.headers.values(), *asked.parameters.values(), asked.path))


@contextmanager
def living_caia_origin(folder: Path) -> Iterator[CaiaOrigin]:
    """The economy told, its pages published and archived, the hosts answering; ``folder`` keeps the authority.

    The archive kept every page of the story an hour after it came to be.
    """
    with living_economy() as economy:
        shelf = Shelf()
        for made in economy.web.pages:
            shelf.put(made.page, (made.page.known_since or 0) + 3_600)
        origin = CaiaOrigin(economy, shelf)
        with origin.living(folder):
            yield origin
