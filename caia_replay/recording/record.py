"""A client that writes down what it was answered, and proves that the file answers the same.

vcrpy listens; it patches its process, so one recording runs at a time. Requests are made to canonical URLs, the ones
that are recorded; on the wire they go to the loopback addresses of a host map (the synthetic origin), or to hosts
that were explicitly allowed (the live internet). Any other host is refused before a name is resolved.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2
import vcr
from vcr.persisters.filesystem import CassetteNotFoundError

from caia_replay.cassette.cassette import Cassette, Interaction, bodies_of, cassette_bytes, write_cassette
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.side_file import side_files
from caia_replay.errors import BadInput, CheckFailed, Miss, nearest
from caia_replay.recording.scrub import refuse_leaks, scrub, secrets_of

_ONE_AT_A_TIME = threading.Lock()
# vcrpy replaces this attribute while it records; the wire under the recording must not be recorded a second time.
_SEND = httpx2.HTTPTransport.handle_request
_DECODABLE = frozenset({"gzip", "x-gzip", "deflate", "identity"})


class Recorder:
    """``with Recorder(path, host_map) as client:`` records every exchange of ``client`` into ``path``.

    ``host_map`` leads ``scheme://host[:port]`` to ``http://127.0.0.1:port``; the Host header stays canonical.
    ``allowed_hosts`` may be reached for real, by host name. ``secrets`` are values that must not be in the file
    wherever they would turn up; credentials known by name are scrubbed without being listed.

    Nothing is written when the block raises. Leaving it raises ``BadInput`` for an undecodable reply or a credential
    that would leak, and ``CheckFailed`` when a recorded request does not replay to what was answered.
    """

    def __init__(
        self,
        path: Path,
        host_map: Mapping[str, str],
        *,
        allowed_hosts: Collection[str] = frozenset(),
        secrets: Collection[str] = frozenset(),
        timeout_s: float = 30.0,
    ) -> None:
        self._path = path
        self._wire = _Wire(host_map, allowed_hosts)
        self._secrets = frozenset(secrets)
        self._timeout_s = timeout_s
        self._tape = _Tape()
        self._stack = ExitStack()

    def __enter__(self) -> httpx2.Client:
        if not _ONE_AT_A_TIME.acquire(blocking=False):
            raise BadInput("another recording is running in this process", where=self._path)
        with ExitStack() as stack:
            stack.callback(_ONE_AT_A_TIME.release)
            recorder = vcr.VCR(serializer="json", record_mode="all")
            recorder.register_persister(self._tape)
            stack.enter_context(recorder.use_cassette(str(self._path)))
            # MockTransport is httpx2's "call this function"; vcrpy records what passes it: the canonical request.
            client = httpx2.Client(
                transport=httpx2.MockTransport(self._wire.send),
                headers={"Accept-Encoding": "gzip, deflate"},
                timeout=self._timeout_s,
                trust_env=False,
            )
            stack.callback(self._wire.close)
            stack.enter_context(client)
            self._stack = stack.pop_all()
        return client

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, traceback)
        if error is None:
            self._write()

    def _write(self) -> None:
        exchanged = [_interaction(request, response) for request, response in self._tape.exchanges]
        kept = _settled(scrub(item) for item in exchanged)
        data, beside = cassette_bytes(kept), side_files(bodies_of(kept))
        secrets = self._secrets.union(*(secrets_of(item) for item in exchanged))
        for written in (data, *beside.values()):
            refuse_leaks(written, secrets, self._path)
        cassette = Cassette.parse(data, str(self._path), beside.__getitem__)
        prove(cassette, exchanged)
        write_cassette(self._path, cassette.interactions)


class _Tape:
    """vcrpy's persister: keeps the exchanges in memory, so nothing unscrubbed ever touches the disk."""

    def __init__(self) -> None:
        self.exchanges: list[tuple[Any, dict[str, Any]]] = []

    def load_cassette(self, cassette_path: str, serializer: object) -> None:
        raise CassetteNotFoundError

    def save_cassette(self, cassette_path: str, cassette_dict: dict[str, Any], serializer: object) -> None:
        self.exchanges = list(zip(cassette_dict["requests"], cassette_dict["responses"]))


class _Wire:
    """Where a canonical request really goes."""

    def __init__(self, host_map: Mapping[str, str], allowed_hosts: Collection[str]) -> None:
        self._targets = {_origin(httpx2.URL(canonical)): _loopback(target) for canonical, target in host_map.items()}
        self._allowed = frozenset(host.lower() for host in allowed_hosts)
        self._transport = httpx2.HTTPTransport(trust_env=False)

    def send(self, request: httpx2.Request) -> httpx2.Response:
        target = self._targets.get(_origin(request.url))
        if target is not None:
            url = request.url.copy_with(scheme=target.scheme, host=target.host, port=target.port)
        elif request.url.host.lower() in self._allowed:
            url = request.url
        else:
            known = [*self._targets, *self._allowed]
            raise BadInput(
                f"{_origin(request.url)} is neither in the host map nor allowed; nothing was sent",
                where=str(request.url.copy_with(query=None, userinfo=b"")),
                nearest=nearest(_origin(request.url), known),
                next_command="caia-replay record --task ID --origin live",
            )
        wired = httpx2.Request(
            request.method, url, headers=request.headers, content=request.read(), extensions=request.extensions
        )
        return _SEND(self._transport, wired)

    def close(self) -> None:
        self._transport.close()


def _origin(url: httpx2.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def _loopback(target: str) -> httpx2.URL:
    url = httpx2.URL(target)
    try:
        local = ip_address(url.host).is_loopback
    except ValueError:
        local = False
    if not local or url.scheme != "http":
        raise BadInput(f"the host map leads to {target!r}, which is not http on a loopback address")
    return url


def _interaction(request: Any, response: dict[str, Any]) -> Interaction:
    headers = {name.lower(): tuple(lines) for name, lines in response["headers"].items()}
    return Interaction(
        method=request.method,
        uri=request.uri,
        request_body=request.body or b"",
        request_headers={name.lower(): (value,) for name, value in request.headers.items()},
        status=response["status"]["code"],
        reason=response["status"]["message"] or "",
        headers=headers,
        body=_decoded(headers, response["body"]["string"], request.uri),
    )


def _decoded(headers: Mapping[str, tuple[str, ...]], body: bytes, url: str) -> bytes:
    codings = [word.strip().lower() for line in headers.get("content-encoding", ()) for word in line.split(",")]
    odd = sorted(set(codings) - _DECODABLE)
    if odd:
        raise BadInput(f"the reply is encoded as {odd[0]!r}, which was not asked for", where=_place(url))
    names = ["gzip" if coding == "x-gzip" else coding for coding in codings]
    try:
        return httpx2.Response(
            200, headers={"content-encoding": ", ".join(names)} if names else {}, content=body
        ).content
    except httpx2.DecodingError as error:
        raise BadInput(f"the reply's body does not decode: {error}", where=_place(url)) from None


def _place(url: str) -> str:
    """A URL for messages, without its query, where credentials live."""
    return url.partition("?")[0]


def _settled(items: Iterable[Interaction]) -> list[Interaction]:
    """Without the repeats at the end of each question's sequence: playback stays on the last answer anyway."""
    grouped: dict[bytes, list[Interaction]] = {}
    for item in items:
        grouped.setdefault(identity(item.method, item.uri, item.request_body), []).append(item)
    for answers in grouped.values():
        while len(answers) > 1 and _answer(answers[-1]) == _answer(answers[-2]):
            del answers[-1]
    return [item for answers in grouped.values() for item in answers]


def _answer(item: Interaction) -> tuple[Any, ...]:
    return item.status, item.reason, item.headers, item.body


def prove(cassette: Cassette, exchanged: list[Interaction]) -> None:
    """Raise ``CheckFailed`` unless every exchange, asked again in order, replays to the status and body it had."""
    recordings, cursor = Recordings([cassette]), Cursor()
    for item in exchanged:
        try:
            reply = recordings.play(item.method, item.uri, item.request_body, cursor)
        except Miss as miss:
            raise CheckFailed(f"{item.method} {_place(item.uri)} does not find its own recording") from miss
        if (reply.status, reply.body) != (item.status, item.body):
            raise CheckFailed(f"{item.method} {_place(item.uri)} does not replay to what was answered")
