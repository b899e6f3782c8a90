"""Chat completions that somebody recorded with vcrpy, made into a model tape: one cassette is one run.

The run is keyed by the cassette's name as its task; each interaction is a turn, in the file's order. Retries are turns
too, for a cassette does not say which requests were one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from caia_replay.canonical import strict_json
from caia_replay.cassette.cassette import Interaction
from caia_replay.core.model import RunKey
from caia_replay.core.tape import TapedReply, TapedTurn
from caia_replay.errors import BadInput, one_line
from caia_replay.recording.content_coding import decoded
from caia_replay.recording.scrub import refuse_leaks, scrub, scrub_url, secrets_of
from caia_replay.recording.vcr_file import MAX_FILE_BYTES, read_vcr
from caia_replay.store.tape_file import run_path, tape_bytes
from caia_replay.store.tape_publication import TapeWriter, publish

IMPORTED: Final = "imported"
"""The suite and agent of what other people recorded, where nobody says better."""


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """What became of a cassette: its run, and a line for each interaction that is no chat completion."""

    key: RunKey
    turns: int
    left_out: tuple[str, ...]


def import_tape(cassette: Path, name: str, root: Path, *, suite: str = IMPORTED, agent: str = IMPORTED) -> ImportedRun:
    """Publish the chat completions of ``cassette`` (vcrpy, YAML or JSON) as the tape ``name`` below ``root``.

    Other interactions are left out. A second cassette of the same model joins the tape. Raises ``BadInput`` when the
    file is no cassette, when it holds no chat completion, when a credential would be left in it, and as ``publish``.
    """
    key = RunKey(cassette.stem, "clean", "tools", agent, 1)
    run_path(key)
    items = read_vcr(cassette)
    chats = [(number, item) for number, item in enumerate(items) if _is_chat(item)]
    if not chats:
        raise BadInput("holds no chat completion", where=cassette, next_command="caia-replay import vcr PATH")
    turns = tuple(_turns(chats, cassette))
    secrets = frozenset[str]().union(*map(secrets_of, items))
    refuse_leaks(tape_bytes(key, turns), secrets, cassette)
    models = sorted({str(strict_json(turn.request).get("model", "unknown")) for turn in turns})
    with tempfile.TemporaryDirectory() as folder:
        recorded = Path(folder, "tape")
        TapeWriter(recorded).keep(key, turns)
        publish(recorded, name, root, suite=suite, model=", ".join(models), price=None)
    taken = {number for number, _ in chats}
    others = [(number, item) for number, item in enumerate(items) if number not in taken]
    told = (f"interaction {number} is no chat completion: {item.method} {_place(item)}" for number, item in others)
    return ImportedRun(key, len(turns), tuple(map(one_line, told)))


def _turns(chats: Iterable[tuple[int, Interaction]], cassette: Path) -> Iterator[TapedTurn]:
    room_bytes = MAX_FILE_BYTES
    for number, item in chats:
        where = f"interaction {number}"
        try:
            body = decoded(item.body, item.headers.get("content-encoding", ()), room_bytes)
        except BadInput as fault:
            raise BadInput(f"{where}: its body {fault.what}", where=cassette) from None
        room_bytes -= len(body)
        clean = scrub(item)
        request = _text(clean.request_body, f"{where}: its request", cassette)
        kind = next(iter(clean.headers.get("content-type", ())), "")
        yield TapedTurn(request, TapedReply(item.status, kind, _text(body, f"{where}: its body", cassette)))


def _is_chat(item: Interaction) -> bool:
    if item.method != "POST" or not urlsplit(item.uri).path.endswith("/chat/completions"):
        return False
    try:
        body = strict_json(item.request_body)
    except ValueError:
        return False
    return isinstance(body, dict) and isinstance(body.get("messages"), list)


def _place(item: Interaction) -> str:
    """Which host and path, without what may hold a credential."""
    parts = urlsplit(scrub_url(item.uri))
    return f"{parts.hostname}{parts.path}"


def _text(data: bytes, what: str, cassette: Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{what} is no text", where=cassette) from None
