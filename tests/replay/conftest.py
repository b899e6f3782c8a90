"""The hosts that recordings are made of, on this machine: real TLS under their real names.

Two things alone differ from the internet: names resolve to a port of this machine, and certificates come from an
authority of the tests' own, told to the recorder by ``SSL_CERT_FILE``.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import trustme

from tests.tls_hosts import Received, answering

HOSTS = (
    *("api.etherscan.io", "pro-api.coingecko.com", "google.serper.dev", "r.jina.ai", "api.llama.fi"),
    *("api.x.com", "api.binance.com", "yields.llama.fi"),
)
STRANGER, MISNAMED, EXPIRED = "stranger.example", "misnamed.example", "expired.example"
"""Hosts whose certificates are of another authority, of another host, and of another year."""


@dataclass
class Origin:
    """Answers by ``https://host/path`` without the query; a list is given in order, and its last answer stays."""

    port: int = 0
    answers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    asked: list[Received] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)

    def on(self, url: str, *replies: dict[str, Any]) -> str:
        """Answer ``url`` with ``replies``, each as ``tls_hosts.Respond`` gives one, or made of the request."""
        self.answers[url] = list(replies)
        return url

    def respond(self, asked: Received) -> Mapping[str, Any]:
        """The next reply of the address."""
        self.asked.append(asked)
        replies = self.answers.get(asked.url.partition("?")[0], [{"status": 404, "body": b"{}"}])
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        return reply(asked) if callable(reply) else reply


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
    origin = Origin()

    def resolve(host: Any, port: Any, *_: Any, **__: Any) -> list[Any]:
        origin.resolved.append(host)
        if host not in (*HOSTS, STRANGER, MISNAMED, EXPIRED):
            raise socket.gaierror(socket.EAI_NONAME, f"{host} is not a host of these tests")
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", origin.port))]

    file = tmp_path.parent / f"{tmp_path.name}-authority.pem"
    authority.cert_pem.write_to_path(str(file))
    with answering(server_context, origin.respond) as origin.port, monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolve)
        patch.setenv("SSL_CERT_FILE", str(file))
        yield origin
