"""The hosts that recordings are made of, on this machine: real TLS under their real names.

Two things alone differ from the internet: names resolve to a port of this machine, and certificates come from an
authority of the tests' own, told to the recorder by ``SSL_CERT_FILE``.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme

HOSTS = (
    *("api.etherscan.io", "pro-api.coingecko.com", "google.serper.dev", "r.jina.ai", "api.llama.fi"),
    *("api.x.com", "api.binance.com", "yields.llama.fi"),
)
STRANGER, MISNAMED, EXPIRED = "stranger.example", "misnamed.example", "expired.example"
"""Hosts whose certificates are of another authority, of another host, and of another year."""


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Origin:
    """Answers by ``https://host/path`` without the query; a list is given in order, and its last answer stays."""

    port: int = 0
    answers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)

    def on(self, url: str, *replies: dict[str, Any]) -> str:
        """Answer ``url`` with ``replies``: each of status, headers, body; or ``raw`` bytes, after which the connection
        ends, with TLS's own goodbye where ``goodbye`` is true."""
        self.answers[url] = list(replies)
        return url


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Any

    def do_GET(self) -> None:
        origin: Origin = self.server.origin
        url = f"https://{self.headers['host']}{self.path}"
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        origin.asked.append(Asked(self.command, url, dict(self.headers.items()), body))
        replies = origin.answers.get(url.partition("?")[0], [{"status": 404, "body": b"{}"}])
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if callable(reply):
            reply = reply(origin.asked[-1])
        if "raw" in reply:
            self.wfile.write(reply["raw"])
            self.close_connection = True
            if reply.get("goodbye"):
                with suppress(OSError):
                    self.connection.unwrap()
            return
        content = reply.get("body", b"")
        self.send_response_only(reply.get("status", 200))
        for name, value in reply.get("headers", {}).items():
            for line in value if isinstance(value, list) else [value]:
                self.send_header(name, line)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        """Stay silent."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that refuses a certificate hangs up; that is its answer."""


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """The tests' own authority."""
    return trustme.CA()


@pytest.fixture(scope="session")
def server_context(authority: trustme.CA) -> ssl.SSLContext:
    """Certificates for every host, chosen by the name a client asks for."""
    certificates = {host: authority.issue_cert(host) for host in HOSTS}
    certificates[STRANGER] = trustme.CA().issue_cert(STRANGER)
    certificates[MISNAMED] = authority.issue_cert("api.etherscan.io")
    certificates[EXPIRED] = authority.issue_cert(
        EXPIRED, not_before=datetime(2019, 1, 1, tzinfo=UTC), not_after=datetime(2020, 1, 1, tzinfo=UTC)
    )
    contexts = {}
    for host, certificate in certificates.items():
        contexts[host] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(contexts[host])

    def choose(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        connection.context = contexts[name or HOSTS[0]]

    first = contexts[HOSTS[0]]
    first.sni_callback = choose
    return first


@pytest.fixture
def tls_origin(
    authority: trustme.CA, server_context: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Origin]:
    """The hosts, answering on a port of this machine; every other name fails to resolve, and is noted."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.socket = server_context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    origin = Origin(server.server_address[1])
    server.origin = origin  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()

    def resolve(host: Any, port: Any, *_: Any, **__: Any) -> list[Any]:
        origin.resolved.append(host)
        if host not in (*HOSTS, STRANGER, MISNAMED, EXPIRED):
            raise socket.gaierror(socket.EAI_NONAME, f"{host} is not a host of these tests")
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", origin.port))]

    file = tmp_path.parent / f"{tmp_path.name}-authority.pem"
    authority.cert_pem.write_to_path(str(file))
    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolve)
        patch.setenv("SSL_CERT_FILE", str(file))
        yield origin
    server.shutdown()
    thread.join()
    server.server_close()
