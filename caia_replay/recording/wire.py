"""Where a canonical request really goes: to a loopback address of the host map, or to an allowed host over TLS.

Any other host is refused before its name is looked up. A reply is read whole and decoded here, so that one that was
cut short on its way never becomes a recording.
"""

from __future__ import annotations

import os
import re
import ssl
import time
from collections.abc import Callable, Collection, Mapping
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import httpcore2
import httpx2

from caia_replay.cassette.cassette import ENCODING_HEADERS
from caia_replay.cassette.side_file import MAX_BODY_BYTES
from caia_replay.cassette.vendor_key import places_of
from caia_replay.errors import BadInput, nearest, one_line
from caia_replay.models.deadline import Deadline, DeadlineBackend
from caia_replay.recording.content_coding import CODINGS, decoded
from caia_replay.recording.secret_scanner import key_like

ACCEPT_ENCODING = ", ".join(CODINGS)

# vcrpy replaces this attribute while it records; the wire under the recording must not be recorded a second time.
_SEND = httpx2.HTTPTransport.handle_request
LONGEST_REPLY_S: Final = 300.0
"""A whole reply takes no longer where the request has no time limit of its own."""
MOST_LIMITS: Final = 10
"""Nor than so many of a request's limits for one read."""
_HEX_KEY = re.compile(r"/[0-9a-fA-F]{32}(?=/|$)")


AuthInjector = Callable[[httpx2.URL, httpx2.Headers], tuple[httpx2.URL, httpx2.Headers]]


class ReplyDeadline(Deadline):
    """By when the calling thread must have a whole reply: a server that sends a byte now and then would otherwise keep
    a recording for ever."""

    def start(self, limit_s: float) -> None:
        """The calling thread's reply may take ``limit_s`` from now on."""
        self._own.limit_s = limit_s
        self.set(self._clock() + limit_s)

    def passed(self) -> Exception:
        """What to raise when the time is over."""
        return httpcore2.ReadTimeout(f"no whole reply within {self._own.limit_s:g} s")

    def why(self, error: Exception) -> str:
        """Why a reply did not come, on one line; where a read took too long, by which of the two limits."""
        if isinstance(error, httpx2.ReadTimeout):
            try:
                self.left_s()
            except httpcore2.ReadTimeout as passed:
                error = passed
        return one_line(str(error))[:160] or type(error).__name__


class Wire:
    """``host_map`` leads ``scheme://host[:port]`` to ``http://127.0.0.1:port``; the Host header stays canonical.

    ``allowed_hosts`` are asked for real, by host name, over TLS. Their certificates are always verified, by the
    authorities of the file that ``SSL_CERT_FILE`` names, or by the system's. No proxy is taken from the environment.
    ``replies`` counts the whole replies that came. ``dress`` puts a caller's keys on requests to allowed hosts, and may
    lead them to another of these: below the recording, where nothing of it is seen. ``clock`` counts the seconds that a
    reply takes.
    Raises ``BadInput`` when the map leads off this machine or ``SSL_CERT_FILE`` cannot be read.
    """

    def __init__(
        self,
        host_map: Mapping[str, str],
        allowed_hosts: Collection[str],
        tells_time: bool = False,
        dress: AuthInjector | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tells_time = tells_time
        self._dress = dress
        self._targets = {_mapped(canonical): _loopback(target) for canonical, target in host_map.items()}
        self._allowed = frozenset(host.lower() for host in allowed_hosts)
        # Without a host to ask for real there is nobody to trust.
        context = tls_context() if self._allowed else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._deadline = ReplyDeadline(LONGEST_REPLY_S, clock)
        self._transport = httpx2.HTTPTransport(verify=context, trust_env=False)
        # The transport takes no network of another's; its pool does.
        self._transport._pool.close()
        self._transport._pool = httpcore2.ConnectionPool(
            ssl_context=context,
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
            network_backend=DeadlineBackend(self._deadline),
        )
        self.replies = 0

    def is_live(self, url: httpx2.URL) -> bool:
        """Whether a request to ``url`` would leave this machine, or be refused."""
        return origin(url) not in self._targets and not _is_loopback(url.host)

    def send(self, request: httpx2.Request) -> httpx2.Response:
        """The reply, its body whole and decoded, without the headers that describe an encoding.

        The Date of a mapped host is dropped unless it ``tells_time``: a local server's clock tells nothing of the
        world it plays, and equal recordings are to be equal bytes. Raises ``BadInput`` for a host that is not allowed,
        a connection or certificate that fails, a reply that takes ``MOST_LIMITS`` times as long as the request allows
        for one read, and a body that is cut short, too large or does not decode.
        """
        target = self._targets.get(origin(request.url))
        url = self._checked(request.url) if target is None else request.url.copy_with(
            scheme=target.scheme, host=target.host, port=target.port
        )  # fmt: skip
        headers = request.headers
        if target is None and self._dress is not None:
            url, headers = self._dress(url, headers)
            url = self._checked(url)
            headers["Host"] = url.netloc.decode("ascii")
        wired = httpx2.Request(
            request.method, url, headers=headers, content=request.read(), extensions=request.extensions
        )
        dropped = ENCODING_HEADERS if target is None or self._tells_time else ENCODING_HEADERS | {"date"}
        read_s = request.extensions.get("timeout", {}).get("read")
        self._deadline.start(LONGEST_REPLY_S if read_s is None else MOST_LIMITS * read_s)
        try:
            response = _SEND(self._transport, wired)
        except httpx2.HTTPError as error:
            raise unreached(request, error, self._deadline.why(error)) from None
        try:
            body = whole_body(request, response, self._deadline)
        finally:
            response.close()
        items = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in dropped]
        reason = response.extensions.get("reason_phrase", b"")
        self.replies += 1
        return httpx2.Response(
            response.status_code,
            headers=items,
            stream=httpx2.ByteStream(body),  # ``content`` would add a Content-Length that is then recorded
            extensions={"reason_phrase": reason} if reason else {},
        )

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()

    def _checked(self, url: httpx2.URL) -> httpx2.URL:
        """``url`` if it may be asked for real."""
        if url.host.lower() not in self._allowed:
            raise BadInput(
                f"{origin(url)} is neither in the host map nor allowed; nothing was sent",
                where=place(url),
                nearest=nearest(origin(url), [*self._targets, *self._allowed]),
                next_command=f'Recorder(..., allowed_hosts={{"{url.host}"}}), or a host map with "{origin(url)}"',
            )
        if url.scheme != "https" and not _is_loopback(url.host):
            raise BadInput(
                f"{origin(url)} would be asked without TLS; nothing was sent",
                where=place(url),
                next_command=f"ask https://{url.host} instead",
            )
        return url


def _mapped(canonical: str) -> str:
    """A key of the host map as ``origin`` writes it. Raises ``BadInput`` for anything but a scheme and a host."""
    url = httpx2.URL(canonical) if isinstance(canonical, str) else httpx2.URL()
    if url.scheme not in ("http", "https") or not url.host or url.path not in ("", "/") or url.query or url.userinfo:
        raise BadInput(
            f"the host map leads from {canonical!r:.80}, which is no scheme and host",
            next_command='write it as {"https://api.example": "http://127.0.0.1:PORT"}',
        )
    return origin(url)


def origin(url: httpx2.URL) -> str:
    """``scheme://host[:port]``."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def place(url: httpx2.URL | str) -> str:
    """A URL for messages: without user and query, where credentials live, and without parts of the path like keys."""
    bare = httpx2.URL(url).copy_with(query=None, fragment=None, userinfo=b"")
    plain, places = str(bare), places_of(bare.host.lower())
    for found in () if places is None else places.keys(urlsplit(plain).path):
        plain = plain.replace(found, "***")
    for found in key_like(plain):
        plain = plain.replace(found, "***")
    return _HEX_KEY.sub("/***", plain)


def tls_context() -> ssl.SSLContext:
    """Verification of certificates and host names, by ``SSL_CERT_FILE`` or the system's authorities.

    Raises ``BadInput`` when that file cannot be read or holds no certificate.
    """
    file = os.environ.get("SSL_CERT_FILE")
    try:
        return ssl.create_default_context(cafile=file) if file else httpx2.create_ssl_context(trust_env=False)
    except OSError as error:  # ssl.SSLError is one
        raise BadInput(
            f"SSL_CERT_FILE names no file of certificates: {error.strerror or error}",
            where=file,
            next_command="unset SSL_CERT_FILE",
        ) from None


def whole_body(request: httpx2.Request, response: httpx2.Response, deadline: ReplyDeadline) -> bytes:
    """The reply's body, all of it, decoded. Raises ``BadInput`` for one that is cut, too large or not decodable."""
    stream = response.extensions.get("network_stream")
    socket = stream.get_extra_info("socket") if stream is not None else None
    if isinstance(socket, ssl.SSLSocket):
        # A body without a length ends where the connection does, and Python takes a cut for that end unless told.
        socket.suppress_ragged_eofs = False  # type: ignore[attr-defined]  # the stubs lack it
    where = place(request.url)
    parts: list[bytes] = []
    size = 0
    try:
        for part in response.iter_raw():
            parts.append(part)
            size += len(part)
            if size > MAX_BODY_BYTES:
                raise BadInput(f"the reply's body has more than {MAX_BODY_BYTES} bytes", where=where)
    except httpx2.HTTPError as error:
        raise BadInput(
            f"the reply's body is cut short after {size} bytes ({deadline.why(error)}); it is not recorded",
            where=where,
            next_command="record again",
        ) from None
    try:
        return decoded(b"".join(parts), response.headers.get_list("content-encoding"), from_the_wire=True)
    except BadInput as error:
        raise BadInput(f"the reply's body {error.what}; it is not recorded", where=where) from None


def unreached(request: httpx2.Request, error: httpx2.HTTPError, why: str) -> BadInput:
    """What to raise for a request without an answer; a refused certificate is told as that."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return BadInput(
            f"the certificate of {request.url.host} is refused: {cause.verify_message}; nothing was asked",
            next_command="name the file of its authority in SSL_CERT_FILE, if you trust it",
        )
    return BadInput(f"{origin(request.url)} does not answer: {why}", next_command="record again")


def _loopback(target: str) -> httpx2.URL:
    url = httpx2.URL(target) if isinstance(target, str) else httpx2.URL()
    if url.scheme != "http" or not _is_loopback(url.host):
        raise BadInput(f"the host map leads to {target!r}, which is not http on a loopback address")
    return url


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
