"""A client that writes down what it was answered, and proves that the file answers the same.

vcrpy listens; it patches its process, so one recording runs at a time. Requests are made to canonical URLs, the ones
that are recorded; ``wire`` knows where they really go, ``rate_limit`` how often they are asked and what is none,
``scrub`` what must not be written.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2
import vcr
from vcr.patch import PATCHER_NAMES
from vcr.persisters.filesystem import CassetteNotFoundError

from caia_replay.cassette.answer import key_of
from caia_replay.cassette.cassette import Cassette, Interaction, bodies_of, cassette_bytes, write_cassette
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.secret import KeyClass
from caia_replay.cassette.side_file import side_files
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import BadInput, CheckFailed, Miss
from caia_replay.recording.quiet import quiet_clients
from caia_replay.recording.rate_limit import PoliteTransport
from caia_replay.recording.scrub import MIN_SECRET_CHARS, declare_bad, refuse_leaks, scrub, secrets_of, unnamed_secrets
from caia_replay.recording.secret_scanner import key_like
from caia_replay.recording.wire import ACCEPT_ENCODING, AuthInjector, Wire, place

_ONE_AT_A_TIME = threading.Lock()


class Recorder:
    """``with Recorder(path, host_map) as client:`` records every exchange of ``client`` into ``path``.

    ``host_map`` leads ``scheme://host[:port]`` to ``http://127.0.0.1:port``; the Host header stays canonical.
    ``allowed_hosts`` may be reached for real, by host name and over TLS (``wire``).

    ``secrets`` are values that must not be in the file wherever they would turn up; credentials known by name are
    scrubbed without being listed. ``bad_keys`` are keys that the origin is known to refuse: what they were answered is
    what ``SCRUBBED_BAD`` is answered in replay. ``harmless`` are values that look like keys in an address and are none.

    Between two requests to one live host lie ``pause_s``, and a request waits up to ``patience_s`` in all for a host
    that says "later" (``rate_limit``); ``wait`` does the waiting, in seconds. Only the answer after that is recorded,
    or, with ``keep_refusals``, every refusal before it as well, in order.

    With ``tells_time`` the mapped hosts' Date is the moment of the world they play, and is kept; by default it is their
    machine's, and is not.

    ``dress`` puts keys on requests to allowed hosts where no tape sees it (``api_key``). ``unwanted`` says why an
    exchange must not be written, "" where it may. ``passing`` are hosts that others in this process ask meanwhile.

    No cookie is kept from one request to the next, as none is in replay. Nothing is written when the block raises.
    Leaving it raises ``BadInput`` for a credential that would leak, and ``CheckFailed`` when a recorded request does
    not replay to what was answered.
    """

    def __init__(
        self,
        path: Path,
        host_map: Mapping[str, str],
        *,
        allowed_hosts: Collection[str] = frozenset(),
        secrets: Collection[str] = frozenset(),
        bad_keys: Collection[str] = frozenset(),
        harmless: Collection[str] = frozenset(),
        keep_refusals: bool = False,
        tells_time: bool = False,
        dress: AuthInjector | None = None,
        unwanted: Callable[[Recorded], str] = lambda exchange: "",
        passing: Collection[str] = frozenset(),
        pause_s: float = 0.5,
        patience_s: float = 600.0,
        wait: Callable[[float], None] = time.sleep,
        timeout_s: float = 30.0,
    ) -> None:
        for name, texts in (("secrets", secrets), ("bad_keys", bad_keys), ("harmless", harmless)):
            if isinstance(texts, str):  # a collection of letters, none of which is meant
                raise BadInput(
                    f"{name} is one text, and a collection of texts is wanted", next_command=f"{name}={{...}}"
                )
        self._path = path
        self._wire = Wire(host_map, allowed_hosts, tells_time, dress)
        self._tells_time = tells_time
        self._unwanted = unwanted
        self._passing = sorted(passing)
        self._bad_keys = frozenset(bad_keys) - {""}
        self._secrets = frozenset(secrets) - {""} | {key for key in self._bad_keys if len(key) >= MIN_SECRET_CHARS}
        self._harmless = frozenset(harmless)
        self._manners: dict[str, Any] = {
            "keep_refusals": keep_refusals, "pause_s": pause_s, "patience_s": patience_s, "wait": wait
        }  # fmt: skip
        self._keep_refusals = keep_refusals
        self._timeout_s = timeout_s
        self._tape: Any = None
        self._superseded: set[int] = set()
        self._stack = ExitStack()

    def __enter__(self) -> httpx2.Client:
        if not _ONE_AT_A_TIME.acquire(blocking=False):
            raise BadInput("another recording is running in this process", where=self._path)
        with ExitStack() as stack:
            stack.callback(_ONE_AT_A_TIME.release)
            stack.enter_context(quiet_clients())
            # Nothing is played back while recording, so requests need not be compared: vcrpy would hold each new one
            # against all before it.
            recorder = vcr.VCR(
                serializer="json",
                record_mode="all",
                match_on=(),
                ignore_hosts=self._passing,
                skip_patchers=[name for name in PATCHER_NAMES if name != "httpx2"],
            )
            recorder.register_persister(_NoDisk)
            self._tape = stack.enter_context(recorder.use_cassette(str(self._path)))
            # MockTransport is httpx2's "call this function"; vcrpy records what passes it: the canonical request.
            inner = httpx2.MockTransport(self._wire.send)
            client = httpx2.Client(
                transport=PoliteTransport(
                    inner, self._wire.is_live, on_superseded=self._note_superseded, **self._manners
                ),
                headers={"Accept-Encoding": ACCEPT_ENCODING},
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
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

    def _note_superseded(self) -> None:
        self._superseded.add(len(self._tape.data) - 1)

    def _write(self) -> None:
        exchanged = [_interaction(request, response) for request, response in self._tape.data]
        if len(exchanged) != self._wire.replies:
            raise BadInput(
                "something else in this process used httpx2 while it was recorded; nothing is written",
                where=self._path,
                next_command="record in a process that does nothing else",
            )
        secrets = self._secrets.union(*(secrets_of(item) | unnamed_secrets(item) for item in exchanged))
        kept = [item for at, item in enumerate(exchanged) if self._keep_refusals or at not in self._superseded]
        kept = [item for item in kept if not self._unwanted(recorded_of(item))]
        asked = [declare_bad(item, self._bad_keys) for item in kept]
        written = settled(map(scrub, asked), self._tells_time)
        refuse_leaks(str(self._path).encode("utf-8", "replace"), secrets, "the name of the cassette")
        for item in written:
            refuse_leaks(item.body, secrets, self._path, f"the reply of {item.method} {place(item.uri)}")
        cassette = proven_cassette(written, asked, secrets, self._path)
        self._refuse_keys_in_addresses(written)
        write_cassette(self._path, cassette.interactions)

    def _refuse_keys_in_addresses(self, items: Iterable[Interaction]) -> None:
        # Addresses alone: honest replies are full of texts drawn at random, honest addresses are not.
        for item in items:
            if any(found not in self._harmless for found in key_like(item.uri)):
                raise BadInput(
                    f"the address of {item.method} {place(item.uri)} holds what looks like a key; nothing is written",
                    where=self._path,
                    next_command="send the key as a header or an apikey parameter, or pass the value as harmless",
                )


class _NoDisk:
    """vcrpy's persister: nothing is loaded and nothing is saved, so nothing unscrubbed ever touches the disk."""

    @staticmethod
    def load_cassette(cassette_path: str, serializer: object) -> None:
        raise CassetteNotFoundError

    @staticmethod
    def save_cassette(cassette_path: str, cassette_dict: dict[str, Any], serializer: object) -> None:
        """Leave it on the tape."""


def _interaction(request: Any, response: dict[str, Any]) -> Interaction:
    return Interaction(
        method=request.method,
        uri=request.uri,
        request_body=request.body or b"",
        request_headers={name.lower(): (value,) for name, value in request.headers.items()},
        status=response["status"]["code"],
        reason=response["status"]["message"] or "",
        headers={name.lower(): tuple(lines) for name, lines in response["headers"].items()},
        body=response["body"]["string"],
    )


def recorded_of(item: Interaction) -> Recorded:
    """An interaction as a provider is given it; of a header that came in several lines, the last."""
    asked = {name: lines[-1] for name, lines in item.request_headers.items() if lines}
    fields = {name: lines[-1] for name, lines in item.headers.items() if lines}
    request = HttpRequest(item.method, item.uri, item.request_body, asked)
    return Recorded(request, HttpReply(item.status, fields, item.body))


def settled(items: Iterable[Interaction], by_moment: bool = False) -> list[Interaction]:
    """Without the repeats at the end of each question's sequence: playback stays on the last answer anyway.

    A question asked with keys of several classes has a sequence for each. When it was answered makes no difference,
    unless ``by_moment``: where the origin plays a world's clock, the same words at another moment are another answer.
    """
    items = list(items)
    sequences: dict[tuple[bytes, KeyClass], list[int]] = {}
    for at, item in enumerate(items):
        sequences.setdefault((identity(item.method, item.uri, item.request_body), key_of(item)), []).append(at)
    idle = set()
    for places in sequences.values():
        while len(places) > 1 and _answer(items[places[-1]], by_moment) == _answer(items[places[-2]], by_moment):
            idle.add(places.pop())
    return [item for at, item in enumerate(items) if at not in idle]


def _answer(item: Interaction, by_moment: bool) -> tuple[Any, ...]:
    headers = {name: item.headers[name] for name in item.headers if by_moment or name != "date"}
    return item.status, item.reason, headers, item.body


def proven_cassette(
    written: Sequence[Interaction], exchanged: Sequence[Interaction], secrets: Collection[str], where: object
) -> Cassette:
    """What is to be written, as it will be read. Raises ``BadInput`` for a credential anywhere in it, and
    ``CheckFailed`` unless every exchange, asked again in order, replays to the status and body it had."""
    data, beside = cassette_bytes(written), side_files(bodies_of(written))
    for part in (data, *beside.values()):
        refuse_leaks(part, secrets, where)
    cassette = Cassette.parse(data, str(where), beside.__getitem__)
    recordings, cursor = Recordings([cassette]), Cursor()
    for item in exchanged:
        headers = {name: ", ".join(lines) for name, lines in item.request_headers.items()}
        try:
            reply = recordings.play(item.method, item.uri, item.request_body, cursor, headers)
        except Miss as miss:
            raise CheckFailed(f"{item.method} {place(item.uri)} does not find its own recording") from miss
        if (reply.status, reply.body) != (item.status, item.body):
            raise CheckFailed(f"{item.method} {place(item.uri)} does not replay to what was answered")
    return cassette
