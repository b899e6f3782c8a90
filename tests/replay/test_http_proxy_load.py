"""The proxy under many clients at once, and what it adds to a replay without it."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from statistics import median
from urllib.parse import urlsplit

import pytest
import trustme

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.requests_adapter import replay_session
from caia_replay.proxy.authority import Authority
from caia_replay.proxy.exchange import Asked, Reply
from caia_replay.proxy.replay import ReplayAnswerer
from caia_replay.proxy.server import ProxyServer

HOST = "api.example.com"
CLIENTS, ROUNDS = 200, 3


def recordings(count: int) -> Recordings:
    """``count`` questions, each with two answers that say which they are."""
    items = [
        Interaction("GET", f"https://{HOST}/n?i={number}", b"", {}, 200, "", {}, b"%d.%d" % (number, turn))
        for number in range(count)
        for turn in range(2)
    ]
    return Recordings([Cassette("made", "", tuple(items))])


def client_of(proxy: ProxyServer) -> http.client.HTTPSConnection:
    """A client of the standard library, through a tunnel, that trusts the proxy's authority alone."""
    context = ssl.create_default_context(cadata=proxy.authority.certificate.decode())
    at = urlsplit(proxy.url)
    connection = http.client.HTTPSConnection(at.hostname or "", at.port, timeout=120, context=context)
    connection.set_tunnel(HOST, 443)
    return connection


def asked(connection: http.client.HTTPSConnection, path: str) -> bytes:
    connection.request("GET", path)
    return connection.getresponse().read()


def test_two_hundred_clients_get_their_own_answers() -> None:
    """Each of 200 clients at once is given the answers to its own questions, in their order."""
    with ProxyServer(ReplayAnswerer(recordings(CLIENTS)), Authority()) as proxy, ThreadPoolExecutor(CLIENTS) as threads:

        def play(number: int) -> list[bytes]:
            connection = client_of(proxy)
            try:
                return [asked(connection, f"/n?i={number}") for _ in range(ROUNDS)]
            finally:
                connection.close()

        told = list(threads.map(play, range(CLIENTS)))
    assert told == [[b"%d.0" % number, b"%d.1" % number, b"%d.1" % number] for number in range(CLIENTS)]


class Waiting:
    """Answers each request once all of them have come."""

    blocks = True

    def __init__(self, count: int) -> None:
        self._all = threading.Barrier(count)

    def answer(self, request: Asked) -> Reply:
        self._all.wait(120)
        return Reply(200, (), request.url[-2:].encode())

    def refuse(self, request: Asked, kind: str, message: str) -> Reply:
        return Reply(500, (), message.encode())


def test_requests_of_a_recording_wait_beside_each_other() -> None:
    """A server that is slow for one request holds up no other: all of thirty are on their way together."""
    with ProxyServer(Waiting(30), Authority()) as proxy, ThreadPoolExecutor(30) as threads:
        paths = [f"/n?i={number}" for number in range(10, 40)]
        assert list(threads.map(lambda path: asked(client_of(proxy), path), paths)) == [
            path[-2:].encode() for path in paths
        ]


@contextmanager
def bare_tls() -> Iterator[http.client.HTTPSConnection]:
    """A client of the smallest server over TLS there is: it reads a request's bytes and writes the same reply."""
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusted = ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())

    def serve() -> None:
        with listening.accept()[0] as plain, context.wrap_socket(plain, server_side=True) as connection:
            while connection.recv(65536):
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n0.1")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        client = http.client.HTTPSConnection("127.0.0.1", listening.getsockname()[1], timeout=60, context=trusted)
        yield client
        client.close()
        thread.join(10)


def seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


@pytest.mark.check
def test_the_proxy_adds_little_to_a_replay(record_property: Callable[[str, object], None]) -> None:
    """It adds less than 3 ms a request to replay in the client's process, or ten bare round trips on a busy machine."""
    recorded = recordings(50)
    direct = replay_session(recorded, Cursor())
    with ProxyServer(ReplayAnswerer(recorded), Authority()) as proxy, bare_tls() as floor:
        tunnel = client_of(proxy)
        asked(tunnel, "/n?i=0")
        asked(floor, "/n?i=0")
        times: dict[str, list[float]] = {"direct": [], "proxy": [], "floor": []}
        for at in range(600):
            path = f"/n?i={at % 50}"
            times["direct"].append(seconds(lambda: direct.get(f"https://{HOST}{path}").content))  # noqa: B023
            times["proxy"].append(seconds(lambda: asked(tunnel, path)))  # noqa: B023
            times["floor"].append(seconds(lambda: asked(floor, path)))  # noqa: B023
    middle = {name: 1000 * median(found) for name, found in times.items()}
    for name, value in middle.items():
        record_property(f"{name}_ms", round(value, 3))
    added = middle["proxy"] - middle["direct"]
    assert added < max(3.0, 10 * middle["floor"]), middle
