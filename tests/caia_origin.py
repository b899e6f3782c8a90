"""The hosts that CAIA's tools ask, on this machine: real TLS under their real names, over one synthetic economy.

What differs from the internet: names lead to a port of this machine, certificates come from an authority of the tests'
own (``SSL_CERT_FILE``), and the world behind them is ``caia_economy``'s. Its clock stands at the story's last second,
weeks after most questions' moments, so a live endpoint says what is the case then and not what was asked.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

import pytest
import trustme

from caia_replay.canonical import canonical_bytes
from caia_replay.origin.economy_record import market_services
from caia_replay.origin.economy_web import web_services
from caia_replay.origin.services.etherscan import Etherscan
from caia_replay.origin.services.serper import Serper
from caia_replay.origin.services.service import Answer, Asked, Service
from caia_replay.origin.services.x_api import XApi
from tests.caia_economy import Economy, living_economy
from tests.caia_shelf import Shelf, ShelfArchive, ShelfReader

KEYS: Final[Mapping[str, str]] = {
    "api.etherscan.io": "ES" * 17,
    "google.serper.dev": "5e" * 20,
    "pro-api.coingecko.com": "CG-" + "pro" * 8,
    "pro-api.llama.fi": "llama" * 6,
    "api.x.com": "AAAA" + "bearer" * 10,
    "r.jina.ai": "jina_" + "reader" * 6,
    "api.github.com": "ghp_" + "hub" * 12,
}
"""A good key of each host that wants one, or takes one."""

OF_A_FREE_PLAN: Final = "free" * 8
VARIABLES: Final[Mapping[str, str]] = {
    "ETHERSCAN_API_KEY": KEYS["api.etherscan.io"],
    "SERPER_API_KEY": KEYS["google.serper.dev"],
    "X_BEARER_TOKEN": KEYS["api.x.com"],
    "JINA_API_KEY": KEYS["r.jina.ai"],
    "GITHUB_TOKEN": KEYS["api.github.com"],
    "DEFILLAMA_API_KEY": OF_A_FREE_PLAN,
}
"""What a user has in the environment: good keys, but of the DeFi index one that its paid endpoints refuse."""

_KEYLESS: Final[Mapping[str, Answer]] = {
    "google.serper.dev": Answer(403, {"message": "Unauthorized.", "statusCode": 403}),
    "api.etherscan.io": Answer(200, {"status": "0", "message": "NOTOK", "result": "Missing/Invalid API Key"}),
    "pro-api.llama.fi": Answer(402, {"message": "This endpoint needs a paid plan."}),
}
"""What they say without it; the social network and the paid market API say it themselves."""


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


@dataclass
class CaiaOrigin:
    """The hosts, answering. ``today`` is what time it is there, in seconds since 1970, UTC; ``asked`` every request
    in its order. ``rpc_urls`` lead to an archive node of each chain, by the chain's name."""

    economy: Economy
    shelf: Shelf
    port: int = 0
    authority: Path = Path()
    asked: list[Asked] = field(default_factory=list)
    keyless: dict[str, Answer] = field(default_factory=lambda: dict(_KEYLESS))
    """Hosts that answer nobody without their key, and what they say then. Tests may take one out."""
    now: int | None = None
    """What time it is there, where it is not the story's last second."""
    _rules: list[tuple[str, Answer | None, int]] = field(default_factory=list)
    _services: dict[str, Service] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        truth, scene = self.economy.truth, self.economy.scene
        social = [one for one in web_services(truth, self.economy.web) if isinstance(one, XApi)]
        explorer = Etherscan((scene.main, scene.rollup), truth.book)
        shelved = (ShelfReader(self.shelf), ShelfArchive(self.shelf), ShelfSearch(self.shelf))
        for service in (*market_services(truth), explorer, *social, *shelved):
            self._services |= {origin.partition("://")[2]: service for origin in service.origins}

    @property
    def today(self) -> int:
        """The moment every host answers at; a reply's Date is it."""
        return self.economy.today if self.now is None else self.now

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every name that is answered for."""
        return tuple(self._services)

    @property
    def rpc_urls(self) -> Mapping[str, str]:
        """The archive nodes: the story's own."""
        return {"ethereum": self.economy.scene.main.url, "base": self.economy.scene.rollup.url}

    # what tests do to it

    def refuse(self, address: str, status: int, content: Any, **headers: str) -> None:
        """From now on everything that begins with ``https://host/path`` is refused so. Undone by ``allow``."""
        self._rules.insert(0, (address, Answer(status, content, headers), -1))

    def busy(self, address: str, times: int = 1) -> None:
        """The next ``times`` requests that begin so are told to come back later, in the vendor's own words."""
        self._rules.insert(0, (address, None, times))

    def still_busy(self, address: str) -> int:
        """How many requests of those that ``busy`` named have not come yet."""
        return sum(left for prefix, _, left in self._rules if prefix == address and left > 0)

    def allow(self, address: str) -> None:
        """Take back what ``refuse`` or ``busy`` said of an address."""
        self._rules = [rule for rule in self._rules if rule[0] != address]

    @contextmanager
    def as_found(self) -> Iterator[None]:
        """Whatever the block does to rules, keys, pages and time is undone at its end; ``asked`` begins anew."""
        kept = list(self._rules), dict(self.keyless), dict(self.shelf.pages), self.now
        captures = {url: list(found) for url, found in self.shelf.captures.items()}
        self.asked.clear()
        try:
            yield
        finally:
            self._rules, self.keyless, self.shelf.pages, self.now = kept
            self.shelf.captures = captures

    # how it answers

    def answer(self, asked: Asked) -> Answer:
        """What its host says."""
        with self._lock:  # the nodes behind the explorer have one connection each
            self.asked.append(asked)
            host = asked.origin.partition("://")[2]
            service = self._services.get(host)
            if service is None:
                return Answer(404, {"error": f"nobody answers for {host}"})
            ruled = self._ruled(f"{asked.origin}{asked.path}?{asked.query}", service, asked)
            if ruled is not None:
                return ruled
            if host in self.keyless and not _has_key(asked, KEYS[host]):
                return self.keyless[host]
            return service.answer(asked, self.today)

    def _ruled(self, address: str, service: Service, asked: Asked) -> Answer | None:
        for at, (prefix, answer, left) in enumerate(self._rules):
            if not address.startswith(prefix) or left == 0:
                continue
            self._rules[at] = (prefix, answer, left - 1 if left > 0 else left)
            return self._soon(service.busy(asked)) if answer is None else answer
        return None

    @staticmethod
    def _soon(busy: Answer) -> Answer:
        """A refusal of now, its pause cut to none: how long is the vendor's matter, that it is waited for is ours."""
        headers = {name: "0" if name.lower() == "retry-after" else text for name, text in busy.headers.items()}
        return Answer(busy.status, busy.content, headers)

    # how others are led here

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


_LED: Final = """
import socket

_known = socket.getaddrinfo


def _led(host, port, *more, **others):
    name = host.decode() if isinstance(host, bytes) else host
    if name in NAMES:
        return _known("127.0.0.1", PORT, *more, **others)
    if name in (None, "127.0.0.1", "::1", "localhost"):
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


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one write: two small ones wait for each other's acknowledgement, some 40 ms a reply.
    wbufsize = 1 << 16
    disable_nagle_algorithm = True
    server: Any

    def do_GET(self) -> None:
        origin: CaiaOrigin = self.server.origin
        path, _, query = self.path.partition("?")
        asked = Asked(
            self.command,
            path,
            dict(parse_qsl(query, keep_blank_values=True)),
            {name.lower(): text for name, text in self.headers.items()},
            self.rfile.read(int(self.headers.get("content-length", 0))),
            f"https://{self.headers['host']}",
            query,
        )
        answer = origin.answer(asked)
        body = answer.content if isinstance(answer.content, bytes) else canonical_bytes(answer.content)
        told = {"content-type": "application/json; charset=utf-8", "date": formatdate(origin.today, usegmt=True)}
        told |= {name.lower(): text for name, text in answer.headers.items()}
        self.send_response_only(answer.status)
        for name, text in (told | {"content-length": str(len(body))}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        """Stay silent."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no matter of ours."""


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
        authority = trustme.CA()
        origin.authority = folder / "authority.pem"
        authority.cert_pem.write_to_path(str(origin.authority))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*origin.hosts).configure_cert(context)
        server = _Server(("127.0.0.1", 0), _Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        origin.port = server.server_address[1]
        server.origin = origin  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield origin
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
