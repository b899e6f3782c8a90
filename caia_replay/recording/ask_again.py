"""The origin, asked once more for what was published: politely, scrubbed, and each answer kept until all are there.

Every question is a recording of its own below the journal's folder, named by what was asked. A run that was stopped
leaves those it has; the next asks for the others. What may pass, a host that does not answer or refuses a key, is not
kept, and is asked again.
"""

from __future__ import annotations

import fcntl
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Final
from urllib.parse import urlsplit

import httpx2

from caia_replay.canonical import canonical_bytes
from caia_replay.cassette.answer import key_of
from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.identity import identity
from caia_replay.cassette.retry_after import BUSY
from caia_replay.cassette.secret import SCRUBBED_BAD, KeyClass
from caia_replay.errors import BadInput
from caia_replay.recording.api_key import Keys, hosts_with_key
from caia_replay.recording.rate_limit import STUMBLES
from caia_replay.recording.record import Recorder
from caia_replay.recording.request_allowlist import origins_of
from caia_replay.recording.scrub import MIN_SECRET_CHARS, reworded
from caia_replay.recording.secret_scanner import key_like
from caia_replay.recording.wire import origin
from caia_replay.store.seal import write_atomic

PAID: Final = frozenset({401, 402, 403})
"""Statuses of a host that answers, but not to this caller."""

_BAD_KEY: Final = "caia-replay-no-such-key"
"""Sent where a recording was made with a key that the origin refuses; it is told to the recorder as a bad one."""

_OWNER: Final = "owner.json"
_ANSWERS: Final = "answers"
_MOST_FAILURES: Final = 3


@dataclass(frozen=True, slots=True)
class Asking:
    """How the origin is asked; ``host_map``, ``pause_s``, ``patience_s``, ``wait``, ``timeout_s`` and ``tells_time``
    are a ``Recorder``'s.

    ``allow`` names hosts beyond the providers' own. ``keys`` are put on below the recording, but never in the
    place of a bad one. ``headers`` are sent where the recorded request has a header of that name, again but for a bad
    one, and are scrubbed. More than ``most_requests`` are not begun.
    """

    host_map: Mapping[str, str] = field(default_factory=dict)
    allow: Collection[str] = frozenset()
    pause_s: float = 0.5
    patience_s: float = 600.0
    wait: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    timeout_s: float = 30.0
    tells_time: bool = False
    keys: Keys = field(default_factory=lambda: Keys({}))
    headers: Mapping[str, str] = field(default_factory=dict)
    most_requests: int = 50_000


@dataclass(frozen=True, slots=True)
class RepeatedRequest:
    """One question with keys of one class, and the statuses of the answers that were published for it, in order."""

    item: Interaction
    statuses: tuple[int, ...]

    @property
    def name(self) -> tuple[bytes, KeyClass]:
        """What makes two requests one question."""
        return question_of(self.item)

    @property
    def times(self) -> int:
        """How often it is asked: a refusal that was kept comes with the answer after it."""
        answers = sum(status not in BUSY for status in self.statuses)
        return answers + (self.statuses[-1] in BUSY)


class Silent(Exception):
    """A question that could not be asked to its end now; the text says why, and the next run may fare better."""


def question_of(item: Interaction) -> tuple[bytes, KeyClass]:
    """A request's identity and the class of its key."""
    return identity(item.method, item.uri, item.request_body), key_of(item)


def questions_of(cassettes: Iterable[Sequence[Interaction]]) -> list[RepeatedRequest]:
    """The questions of several cassettes, each once, in the order in which they first stand there.

    One that several cassettes answer is asked as often as the one with the most answers needs.
    """
    found: dict[tuple[bytes, KeyClass], RepeatedRequest] = {}
    for cassette in cassettes:
        here: dict[tuple[bytes, KeyClass], list[Interaction]] = {}
        for item in cassette:
            here.setdefault(question_of(item), []).append(item)
        for name, items in here.items():
            if name not in found or len(found[name].statuses) < len(items):
                found[name] = RepeatedRequest(items[0], tuple(item.status for item in items))
    return list(found.values())


def put_on(asking: Asking, question: RepeatedRequest) -> frozenset[str]:
    """The keys that are put on a question. Raises ``BadInput`` where a key is wanted that is missing."""
    url = httpx2.URL(question.item.uri)
    if _with_bad_key(question.item) != question.item or origin(url) in origins_of(asking.host_map):
        return frozenset()
    return asking.keys.sent_to(url.host)


def _with_bad_key(item: Interaction) -> Interaction:
    """A scrubbed request with a key that is none where it had a bad one."""
    return reworded(item, lambda value: _BAD_KEY if value == SCRUBBED_BAD else value)


class AskAgain:
    """``with AskAgain(folder, owner, asking) as origin:`` keeps what was asked below ``folder``.

    ``owner`` says whose answers these are; a folder that was begun for another is begun anew. ``asked`` counts the
    questions that went out, ``kept`` those that an earlier run had asked.
    """

    def __init__(self, folder: Path, owner: str, asking: Asking) -> None:
        self._folder = folder
        self._owner = canonical_bytes({"owner": owner})
        self._asking = asking
        self._stack = ExitStack()
        self._last: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self.asked = 0
        self.kept = 0

    def __enter__(self) -> AskAgain:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = self._stack.enter_context((self._folder / "lock").open("a"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            owner = self._folder / _OWNER
            if not owner.is_file() or owner.read_bytes() != self._owner:
                shutil.rmtree(self._folder / _ANSWERS, ignore_errors=True)
                write_atomic(owner, self._owner)
        except BlockingIOError:
            self._stack.close()
            raise BadInput("another run is rehydrating to the same place", where=self._folder) from None
        except OSError as fault:
            self._stack.close()
            raise BadInput(f"what is asked cannot be kept: {fault.strerror}", where=self._folder) from fault
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def answers(self, question: RepeatedRequest) -> tuple[Interaction, ...]:
        """What the origin answers, at least once, scrubbed, in order. Raises ``Silent``."""
        path = self._path(question)
        if path.is_file():
            try:
                found = Cassette.open(path).interactions
            except BadInput:
                found = ()  # cut by a stop or by hand
            if found:
                self.kept += 1
                return found
        host = (urlsplit(question.item.uri).hostname or "").lower()
        if self._failures.get(host, 0) >= _MOST_FAILURES:
            raise Silent(f"{host} failed {_MOST_FAILURES} times in a row and was not asked again")
        try:
            self._ask(question, path)
        except BadInput as fault:
            self._failures[host] = self._failures.get(host, 0) + 1
            raise Silent(f"{fault.where}: {fault.what}" if fault.where else fault.what) from None
        found = Cassette.open(path).interactions
        statuses = {item.status for item in found} - set(question.statuses)
        if statuses & (STUMBLES | BUSY):
            path.unlink()
            self._failures[host] = self._failures.get(host, 0) + 1
            raise Silent(f"HTTP {min(statuses & (STUMBLES | BUSY))}, which may pass")
        self._failures[host] = 0
        if statuses & PAID:
            path.unlink()
        return found

    def discard(self) -> None:
        """Remove what was kept: it is in its place now."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, question: RepeatedRequest) -> Path:
        key, key_class = question.name
        # A file a question, and not all in one folder.
        name = sha256(key + b"\n" + key_class.encode("ascii")).hexdigest()
        return self._folder / _ANSWERS / name[:2] / f"{name}.json"

    def _ask(self, question: RepeatedRequest, path: Path) -> None:
        asking = self._asking
        item = _with_bad_key(question.item)
        url = httpx2.URL(item.uri)
        is_mapped = origin(url) in origins_of(asking.host_map)
        has_bad = item != question.item
        if not is_mapped:
            self._keep_distance(url.host)
        given = {} if has_bad else {name.lower(): value for name, value in asking.headers.items()}
        given = {name: value for name, value in given.items() if name in item.request_headers}
        keeps_refusals = any(status in BUSY for status in question.statuses)
        ends_busy = question.statuses[-1] in BUSY
        recorder = Recorder(
            path,
            asking.host_map,
            allowed_hosts=frozenset() if is_mapped else {url.host, *hosts_with_key(url.host)},
            dress=None if has_bad else asking.keys.dress,
            # Only what was sent can come back, and every key more is looked for in every reply.
            secrets=put_on(asking, question) | {one for one in given.values() if len(one) >= MIN_SECRET_CHARS},
            bad_keys={_BAD_KEY} if has_bad else frozenset(),
            harmless=frozenset(key_like(question.item.uri)),
            keep_refusals=keeps_refusals,
            tells_time=asking.tells_time,
            pause_s=asking.pause_s,
            patience_s=0.0 if ends_busy else asking.patience_s,
            wait=asking.wait,
            timeout_s=asking.timeout_s,
        )
        headers = [(name, given.get(name, line)) for name, lines in item.request_headers.items() for line in lines]
        self.asked += 1
        try:
            with recorder as client:
                for _ in range(question.times):
                    client.request(item.method, item.uri, content=item.request_body or None, headers=headers)
        finally:
            self._last[url.host] = asking.clock()

    def _keep_distance(self, host: str) -> None:
        # Each question has a recorder of its own, which knows nothing of the one before.
        rest_s = self._last.get(host, float("-inf")) + self._asking.pause_s - self._asking.clock()
        if rest_s > 0:
            self._asking.wait(rest_s)
