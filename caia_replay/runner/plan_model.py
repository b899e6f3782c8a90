"""The model a plan names, with the tape it plays from or is kept on."""

from __future__ import annotations

import os
from pathlib import Path

from caia_replay.core.model import Model, Price, RunKey
from caia_replay.core.tape import TapeSource
from caia_replay.models.resolve import RECORDED, resolve_model
from caia_replay.runner.plan import RunPlan
from caia_replay.store.run_folder import Journal
from caia_replay.store.tape_folder import open_tape, tape_names
from caia_replay.store.tape_publication import TapeWriter, publish, require_room

TAPE = "tape"
"""The folder of a journal that holds the traffic of its runs until they are finished."""


def model_of(plan: RunPlan) -> Model:
    """The model, not connected to anything yet. Raises ``BadInput`` for a name, key or tape that cannot be used."""
    here = Path.cwd()
    return resolve_model(plan.model, os.environ, seed=plan.seed, tape=_tape(plan.model), recorded=tape_names(here))


def taped(model: Model, plan: RunPlan, journal: Journal) -> Model:
    """``model``, its traffic kept in ``journal`` where the plan asks for it."""
    if plan.record_model is None:
        return model
    from caia_replay.models.tape_recorder import recording

    return recording(model, TapeWriter(journal.path / TAPE))


def require_tape_room(plan: RunPlan) -> None:
    """Raise ``BadInput`` when the plan's traffic could not be kept; to be asked before any of it is paid for."""
    if plan.record_model is not None:
        runs = {RunKey(task, cell.arm, cell.condition, plan.agent, attempt) for task, cell, attempt in plan.episodes()}
        require_room(plan.record_model, Path.cwd(), suite=plan.suite, model=plan.model, runs=runs)


def publish_tape(plan: RunPlan, journal: Journal, price: Price | None) -> Path | None:
    """Put the traffic kept in ``journal`` where ``recorded/NAME`` finds it; the tape's folder, or None without one.

    Runs that are played once more, because of how they ended on the tape, replace the first; no others do.
    """
    if plan.record_model is None:
        return None
    runs = {
        RunKey(task, cell.arm, cell.condition, plan.agent, attempt): journal.is_again(cell.folder, task, attempt)
        for task, cell, attempt in plan.episodes()
    }
    return publish(
        journal.path / TAPE,
        plan.record_model,
        Path.cwd(),
        suite=plan.suite,
        model=plan.model,
        price=price,
        again=[key for key, again in runs.items() if again],
        expected=runs,
    )


def _tape(name: str) -> TapeSource | None:
    return open_tape(name.removeprefix(RECORDED), Path.cwd()) if name.startswith(RECORDED) else None
