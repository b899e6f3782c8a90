"""A certificate authority for one command: made when it starts, known to it alone, gone when it ends.

Its private key is only in memory. What is written are certificates, in a folder of the command's own; OpenSSL reads a
host's key from a file, which lives for that moment in the system's folder for temporary files.
"""

from __future__ import annotations

import os
import ssl
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Any, Final

from caia_replay.errors import BadInput

_MOST_HOSTS: Final = 1_000
"""Whose certificates are kept ready; the oldest go first."""
_KNOWN_ROOTS: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


class Authority:
    """Certificates for any host. Raises ``BadInput`` where the extra ``proxy`` is not installed."""

    def __init__(self) -> None:
        try:
            import trustme
        except ImportError as fault:
            what = f"the proxy is not installed: {fault}"
            raise BadInput(what, next_command="pip install 'caia-replay[proxy]'") from fault
        self._authority: Any = trustme.CA(organization_name="caia-replay", organization_unit_name="one command")
        self._contexts: OrderedDict[str, ssl.SSLContext] = OrderedDict()
        self._lock = Lock()

    @property
    def certificate(self) -> bytes:
        """The authority's own certificate, as PEM."""
        pem: bytes = self._authority.cert_pem.bytes()
        return pem

    def context(self, host: str) -> ssl.SSLContext:
        """What a server of that name or address presents. Raises ``BadInput`` for a name that no certificate holds."""
        with self._lock:
            found = self._contexts.get(host)
            if found is not None:
                self._contexts.move_to_end(host)
                return found
            try:
                issued = self._authority.issue_cert(host)
            except (ValueError, UnicodeError) as fault:
                raise BadInput(f"{host!r:.80} is no name that a certificate can hold: {fault}") from None
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            issued.configure_cert(context)
            context.set_alpn_protocols(["http/1.1"])
            self._contexts[host] = context
            while len(self._contexts) > _MOST_HOSTS:
                self._contexts.popitem(last=False)
            return context


def system_roots() -> bytes:
    """What this machine trusts, as PEM: the caller's ``SSL_CERT_FILE`` or the system's authorities; b"" for none."""
    named = os.environ.get("SSL_CERT_FILE"), ssl.get_default_verify_paths().cafile
    for place in (*named, *_KNOWN_ROOTS):
        if place and Path(place).is_file():
            return Path(place).read_bytes()
    return b""
