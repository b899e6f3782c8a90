"""``http/playback.toml`` of a world: how single questions with several recorded answers are played.

    [[entry]]
    url = "https://api.example/price?ids=aave"
    mode = "once"            # sequence-then-last (as without an entry), once, or cycle
    method = "POST"          # GET when left out
    body = '{"a": 1}'        # the request's body; empty when left out

It stands beside the cassettes and not in them: stock vcrpy keeps reading every cassette, recording a cassette anew
does not lose it, and the world's seal covers it like any other file. An entry names its question as a request, so a
question that is asked in two cassettes has one mode. How far a run has played is in the run's own ``Cursor``.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

from caia_replay.cassette.identity import describe, identity
from caia_replay.cassette.recordings import AnswerStore, Policy
from caia_replay.errors import BadInput
from caia_replay.store.plain import build, read_toml

PLAYBACK = "playback.toml"


@dataclass(frozen=True, slots=True)
class PlaybackFile:
    """playback.toml."""

    entry: tuple[PlaybackEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaybackEntry:
    """One question and its mode."""

    url: str
    mode: Policy
    method: str = "GET"
    body: str = ""


def read_playback(path: Path, store: AnswerStore, sealed: str = "") -> dict[bytes, Policy]:
    """The modes by identity; none when there is no file. ``sealed`` as in ``read_toml``.

    Raises ``BadInput`` for a malformed file, an unknown mode, and a question that is named twice or is not in
    ``store``: a mode that silently applies to nothing would play something else than its author meant.
    """
    if not path.exists():
        return {}
    modes: dict[bytes, Policy] = {}
    for entry in build(PlaybackFile, read_toml(path, sealed), path).entry:
        try:
            key = identity(entry.method, entry.url, entry.body.encode("utf-8"))
        except BadInput as error:
            raise BadInput(error.what, where=path) from None
        if key in modes:
            raise BadInput(f"{describe(key):.200} has two entries", where=path)
        if store.answers(key) is None:
            known = store.questions()
            at = min(bisect_left(known, key), len(known) - 1)
            near = known[max(0, at) : at + 1]
            raise BadInput(
                f"{describe(key):.200} is not recorded", where=path, nearest=describe(near[0])[:200] if near else ""
            )
        modes[key] = entry.mode
    return modes
