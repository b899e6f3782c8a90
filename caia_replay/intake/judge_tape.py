"""The judge's tape: what a live judge answered is kept in the intake folder, and replays without a key.

Tapes are those of any model (``store/tape_folder.py``), of the suite ``intake``. A screening that is broken off keeps
what was answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caia_replay.core.model import Model, RunKey
from caia_replay.errors import BadInput
from caia_replay.intake.judge import SUITE
from caia_replay.models.resolve import POLICY, RECORDED, resolve_model
from caia_replay.store.tape_folder import open_tape, tape_names
from caia_replay.store.tape_publication import TapeWriter, publish, require_room

_ASIDE: Final = ".tape"
"""Where a screening keeps what is not on its tape yet."""


@dataclass(slots=True)
class JudgeTape:
    """``model`` is to be asked; None: nobody is. ``tape`` is where its words were kept, once all is over."""

    model: Model | None
    tape: Path | None = None


@contextmanager
def open_judge(
    name: str | None, tape: str | None, folder: Path, environ: Mapping[str, str], keys: Sequence[RunKey]
) -> Iterator[JudgeTape]:
    """The judge called ``name``; a live one's replies are put on the tape when the block ends, however it ends.

    ``keys`` are the runs that may be asked for; one that is asked again takes the place of its first. Raises
    ``BadInput`` for a name, key or tape that cannot be used, before anybody is asked.
    """
    if name is None:
        if tape is not None:
            raise BadInput("no model is asked, so there is nothing to keep", where="--record-model")
        yield JudgeTape(None)
        return
    here = folder.resolve()
    played = open_tape(name.removeprefix(RECORDED), here) if name.startswith(RECORDED) else None
    model = resolve_model(name, environ, tape=played, recorded=tape_names(here))
    if name.startswith((POLICY, RECORDED)):
        if tape is not None:
            raise BadInput(f"{name} has no live traffic to keep", where="--record-model", next_command="leave it out")
        try:
            yield JudgeTape(model)
        finally:
            model.close()
        return
    from caia_replay.models.tape_recorder import recording

    called = tape or re.sub(r"[^A-Za-z0-9._-]+", "-", model.name).strip(".-") or "judge"
    require_room(called, folder, suite=SUITE, model=model.name, runs=())
    aside = folder / _ASIDE / called  # of this tape alone: a killed screening may have left another judge's words
    judge = JudgeTape(recording(model, TapeWriter(aside)))
    try:
        yield judge
    finally:
        model.close()
        if aside.exists():
            judge.tape = publish(
                aside,
                called,
                folder,
                suite=SUITE,
                model=model.name,
                price=model.price,
                parameters=model.identity["parameters"],
                again=keys,
            )
