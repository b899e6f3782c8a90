"""Drift: what real servers answer a command now, held field by field against what a folder recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import Recordings
from caia_replay.recording.field_change import Drift, Volatile, differences, question_text


def drift(old: Recordings, now: Iterable[Interaction], volatile: Sequence[Volatile]) -> Drift:
    """Answers of now, scrubbed, held against those recorded, each question's in their order."""
    found = Drift()
    asked: dict[bytes, list[Interaction]] = {}
    for item in now:
        asked.setdefault(identity(item.method, item.uri, item.request_body), []).append(item)
    for key, items in sorted(asked.items()):
        recorded = old.store.answers(key)
        if recorded is None:
            found.added.append(question_text(key))
        else:
            found.note(key, differences(recorded.every, items), volatile)
    found.unasked = sum(key not in asked for key in old.questions())
    return found
