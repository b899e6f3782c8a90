"""How ``replay`` has a person play: the page, the diary, and what is refused before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

from caia_replay.errors import BadInput


@contextmanager
def seated(plan: Any, target: Path, again: str, *, resume: bool) -> Iterator[tuple[Any, Any]]:
    """A person at the page while the block runs: the plan's model, and what is to be called as each run ends.

    Nothing is told of a run in the terminal: it would say which arm it was of, and how it went.
    """
    from caia_replay.intake.play_server import PlayServer
    from caia_replay.loopback import LoopbackServer
    from caia_replay.models.human import HumanModel, Seat
    from caia_replay.report.terminal import tell
    from caia_replay.runner.run_end import RunEnd
    from caia_replay.store.person_diary import PersonDiary, read_events
    from caia_replay.store.run_folder import Journal

    folder = Journal(target)
    folder.check(replace=False, resume=resume)
    journal = folder.path
    if not resume and any(event["event"] == "said" for event in read_events(journal)):
        raise BadInput("a person has begun to play there", where=journal, next_command=again)
    diary = PersonDiary(journal)
    seat = Seat(diary, plan.size, f"stopped; what was done is kept in {journal}; next: {again}")

    def ended(end: RunEnd) -> None:
        seat.run_ended()

    try:
        with LoopbackServer(PlayServer(seat, diary, plan.model, plan.turns)) as server:
            tell(f"open {server.url}/ in a browser; Ctrl-C or the page stops it, and --resume goes on")
            yield HumanModel(plan.model, seat), ended
    finally:
        diary.close()
        if seat.has_declined:
            rmtree(journal, ignore_errors=True)
