"""The model a plan names, with the tape it plays from or is kept on."""

from __future__ import annotations

import os
from pathlib import Path

from caia_replay.core.model import Model
from caia_replay.core.tape import TapeSource
from caia_replay.models.resolve import resolve_model
from caia_replay.runner.plan import RunPlan
from caia_replay.store.run_folder import Journal

RECORDED = "recorded/"
TAPE = "tape"
"""The folder of a journal that holds the traffic of its runs until they are finished."""


def model_of(plan: RunPlan) -> Model:
    """The model, not connected to anything yet. Raises ``BadInput`` for a name, key or tape that cannot be used."""
    return resolve_model(plan.model, os.environ, seed=plan.seed, tape=_tape(plan.model))


def taped(model: Model, plan: RunPlan, journal: Journal) -> Model:
    """``model``, its traffic kept in ``journal`` where the plan asks for it."""
    if plan.record_model is None:
        return model
    from caia_replay.models.tape_recorder import recording
    from caia_replay.store.tape_folder import TapeWriter

    return recording(model, TapeWriter(journal.path / TAPE))


def _tape(name: str) -> TapeSource | None:
    if not name.startswith(RECORDED):
        return None
    from caia_replay.store.tape_folder import open_tape

    return open_tape(name.removeprefix(RECORDED), Path.cwd())
