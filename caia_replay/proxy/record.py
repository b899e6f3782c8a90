"""Record: every exchange of a command, asked for real, scrubbed in memory and written as cassettes when it ends.

One cassette for each host. What may not be written (a reply that repeats a key, say) is left out by name; the rest is
written whole or not at all.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Final

from caia_replay.cassette.answer import lines_of
from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.cassette.identity import identity
from caia_replay.cassette.url import canonical_url
from caia_replay.errors import BadInput, CheckFailed, one_line
from caia_replay.proxy.exchange import Asked, Reply, own_reply
from caia_replay.proxy.told import plural, shown
from caia_replay.proxy.upstream import Upstream
from caia_replay.recording.record import proven_cassette, settled
from caia_replay.recording.scrub import refuse_leaks, scrub, secrets_of, unnamed_secrets
from caia_replay.recording.secret_scanner import key_like
from caia_replay.recording.wire import place

NO_ANSWER: Final = 502
_UNSAFE: Final = re.compile(r"[^a-z0-9._-]")
_MOST_TOLD: Final = 10_000


@dataclass(slots=True)
class Recorded:
    """What became of a recording: exchanges written, by cassette; what is not in it, one line each."""

    files: dict[str, int] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


class RecordingAnswerer:
    """Asks the real server and keeps what it said. ``secrets`` are values that must not be written anywhere."""

    blocks = True

    def __init__(self, upstream: Upstream, secrets: Iterable[str] = ()) -> None:
        self._upstream = upstream
        self._secrets = frozenset(secrets)
        self._kept: dict[int, Interaction] = {}
        self._open: dict[int, Asked] = {}
        self._count = 0
        self._lock = Lock()
        self.faults: list[str] = []

    def answer(self, asked: Asked) -> Reply:
        """The server's reply; where none came, one in our own name that says why."""
        with self._lock:  # in the order they were asked, whichever is answered first
            number, self._count = self._count, self._count + 1
            self._open[number] = asked
        try:
            item = self._upstream.exchange(asked)
        except BadInput as fault:
            return self._fault(asked, NO_ANSWER, "no_answer", fault.what, number)
        except Exception as fault:  # noqa: BLE001  whatever a client sent, the proxy goes on
            return self._fault(asked, NO_ANSWER, "no_answer", f"cannot be asked: {type(fault).__name__}", number)
        with self._lock:
            del self._open[number]
            self._kept[number] = item
        return Reply(item.status, lines_of(item.headers), item.body)

    def refuse(self, asked: Asked, kind: str, message: str) -> Reply:
        """Count a request that the proxy cannot pass on; the reply that says so."""
        return self._fault(asked, 501, kind, message)

    def sorted_out(self) -> tuple[dict[str, list[Interaction]], frozenset[str], list[str]]:
        """The exchanges that may be written, by cassette; the credentials they were made with; the others, told."""
        with self._lock:
            exchanged = [self._kept[number] for number in sorted(self._kept)]
            late = [asked for _, asked in sorted(self._open.items())]
            left_out = list(self.faults)
        secrets = self._secrets.union(*(secrets_of(item) | unnamed_secrets(item) for item in exchanged))
        kept: dict[str, list[Interaction]] = {}
        left_out += [_told(one.method, one.url, "no_answer: the command ended before it came", secrets) for one in late]
        for item in exchanged:
            why = _why_not(item, secrets)
            if why:
                left_out.append(_told(item.method, item.uri, why, secrets))
            else:
                kept.setdefault(cassette_name(item.uri), []).append(item)
        return dict(sorted(kept.items())), secrets, left_out

    def to_write(self) -> tuple[list[Interaction], list[str]]:
        """The exchanges as they would be written, and what is left out, told."""
        kept, _, left_out = self.sorted_out()
        clean = [one for items in kept.values() for one in settled(map(scrub, items))]
        return clean, left_out

    def write(self, folder: Path) -> Recorded:
        """Write the cassettes into ``folder``, which ``require_new`` found to be new. Raises ``CheckFailed`` when a
        recording does not replay to what was answered, and ``BadInput`` for a credential that is still in one."""
        kept, secrets, left_out = self.sorted_out()
        done = Recorded(left_out=left_out)
        ready = {}
        for name, items in kept.items():
            refuse_leaks(name.encode(), secrets, "the name of a cassette")
            ready[name] = proven_cassette(settled(map(scrub, items)), items, secrets, folder / name).interactions
            done.files[name] = len(items)
        if ready:
            with tempfile.TemporaryDirectory(prefix=f".{folder.name[:80]}-", dir=folder.parent) as beside:
                whole = Path(beside) / "whole"
                for name, written in ready.items():
                    write_cassette(whole / name, written)
                whole.rename(folder)
        return done

    def _fault(self, asked: Asked, status: int, kind: str, message: str, number: int = -1) -> Reply:
        told = _told(asked.method, asked.url, f"{kind}: {message}", self._secrets)
        with self._lock:
            self._open.pop(number, None)
            if len(self.faults) < _MOST_TOLD:
                self.faults.append(told)
        return own_reply(status, kind, one_line(message))


def require_new(folder: Path) -> None:
    """Raise ``BadInput`` unless ``folder`` can become a new folder of cassettes."""
    if os.path.lexists(folder) and not (folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())):
        what = "exists, and nothing is written over"
        raise BadInput(what, where=folder, next_command="another --out, or caia-replay http refresh FOLDER -- COMMAND")
    folder.parent.mkdir(parents=True, exist_ok=True)


def cassette_name(url: str) -> str:
    """The file of a URL's host: ``api.example.com.json``, with its port where that is not the scheme's own."""
    parts = canonical_url(url)
    name = f"{parts.host}_{parts.port}" if parts.port else parts.host
    return f"{_UNSAFE.sub('_', name)[:200].lstrip('.')}.json"


def counted(files: Mapping[str, int]) -> str:
    """``12 exchanges with 3 hosts``."""
    return f"{plural(sum(files.values()), 'exchange')} with {plural(len(files), 'host')}"


def _why_not(item: Interaction, secrets: frozenset[str]) -> str:
    """Why an exchange may not be written; "" where it may."""
    try:
        clean = scrub(item)
        if identity(clean.method, clean.uri, clean.request_body) != identity(item.method, item.uri, item.request_body):
            return "without its key it would be another question"
        refuse_leaks(item.body, secrets, "", f"the reply of {item.method} {place(item.uri)}")
        proven_cassette([clean], [item], secrets, "")
    except (BadInput, CheckFailed) as fault:
        return fault.what if isinstance(fault, BadInput) else str(fault)
    except ValueError:
        return "its address cannot be taken apart"
    if next(key_like(clean.uri), None) is not None:
        return "its address holds what looks like a key; send the key as a header or an apikey parameter"
    return ""


def _told(method: str, url: str, why: str, secrets: Iterable[str]) -> str:
    return shown(f"{method} {url.partition('?')[0]}: {why}", secrets)
