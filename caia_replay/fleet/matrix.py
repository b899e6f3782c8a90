"""A fleet: models x agents x suites, each an ordinary replay of its own, and what all of them may spend."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Final

from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.model import Model, Price
from caia_replay.errors import BadInput, MissingKey, nearest
from caia_replay.fleet.fleet_file import FleetFile, ModelTable, amount_of, named, read_file
from caia_replay.models.request_limit import Allowance
from caia_replay.models.resolve import POLICY, RECORDED, allowance_of, endpoint_of, resolve_model
from caia_replay.runner.campaign import chosen
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.store.ledger import require_dollars
from caia_replay.store.tape_file import is_name
from caia_replay.store.tape_folder import open_tape, tape_names
from caia_replay.store.world_folder import WorldFolder, find_world, open_world

RUNS: Final = Path("runs")
LOCAL: Final = ""
"""The endpoint of policies and tapes: this machine's cores."""
_UNSET: Final = "unset"


@dataclass(frozen=True)
class FleetModel:
    """One model of the fleet in the file at ``path``. ``environ`` is what its process sees: its own endpoint and key.
    ``endpoint`` is ``LOCAL`` where nobody is asked."""

    path: Path
    name: str
    environ: Mapping[str, str]
    endpoint: str
    key_variable: str
    table: ModelTable
    concurrency: int | None
    share: int

    @property
    def is_live(self) -> bool:
        """Whether somebody is asked, and paid."""
        return self.endpoint != LOCAL

    @cached_property
    def why_not(self) -> str:
        """Why it cannot be asked as things are; empty where it can."""
        try:
            self.resolved(0).close()
        except BadInput as fault:
            return fault.what
        return ""

    def resolved(self, seed: int, *, needs_key: bool = True) -> Model:
        """The model itself, not connected. Raises ``BadInput`` as ``resolve_model``."""
        tape = open_tape(self.name.removeprefix(RECORDED), Path.cwd()) if self.name.startswith(RECORDED) else None
        environ = dict(self.environ)
        if self.is_live and not needs_key:
            environ[self.key_variable] = environ.get(self.key_variable) or _UNSET
        with named(self.path, "models", self.name, self.table):
            if self.table.key_variable and not environ[self.key_variable].strip():
                what = f"model {self.name!r} needs {self.table.key_variable} in the environment"
                then = f"export {self.table.key_variable}=..., then the same command"
                raise MissingKey(what, where="key_variable", next_command=then)
            return resolve_model(self.name, environ, seed=seed, tape=tape, recorded=tape_names(Path.cwd()))

    @cached_property
    def price(self) -> Price | None:
        """What its tokens cost by the fleet's file, or else by the registry or its tape."""
        given = self.table.price
        if given is None:
            return self.resolved(0, needs_key=False).price
        cached = None if given.cached is None else str(given.cached)
        return Price(str(given.prompt), str(given.completion), "", "the fleet's file", cached)

    @property
    def allowance(self) -> Allowance:
        """What may be asked a minute, by the fleet's file or else by the registry."""
        known = allowance_of(endpoint_of(self.name, self.environ)) if self.is_live else Allowance()
        return Allowance(
            self.table.requests_a_minute or known.requests_a_minute,
            self.table.tokens_a_minute or known.tokens_a_minute,
        )


@dataclass(frozen=True)
class Entry:
    """One replay of the fleet: a model with an agent on a suite. ``name`` is its run folder's."""

    name: str
    model: FleetModel
    plan: RunPlan
    world: WorldFolder
    out: Path

    @property
    def digest(self) -> str:
        """Identifies its plan on its world, as its journal says it."""
        return self.plan.digest(self.world.seal.digest)


@dataclass(frozen=True)
class Fleet:
    """A checked file: what is to be played, where the run folders are, and the ceiling in dollars."""

    path: Path
    file: FleetFile
    folder: Path
    models: tuple[FleetModel, ...]
    entries: tuple[Entry, ...]
    ceiling: Decimal | None
    seconds_a_completion: Decimal

    def of(self, model: FleetModel) -> tuple[Entry, ...]:
        """A model's entries, in order."""
        return tuple(entry for entry in self.entries if entry.model is model)

    def require_ready(self) -> None:
        """Raise ``BadInput`` where a key is missing, or a price without which the ceiling cannot be kept: before
        anything is started."""
        for model in self.models:
            model.resolved(self.file.seed).close()
            if self.ceiling is not None and model.is_live and model.price is None:
                raise BadInput(
                    f"no price of {model.name!r} is known, so max_usd cannot be kept",
                    where=self.path,
                    next_command=f'add price = {{ prompt = "1.25", completion = "10" }} under [model."{model.name}"]',
                )


def read_fleet(path: Path, environ: Mapping[str, str] = os.environ) -> Fleet:
    """The fleet that a file describes. Raises ``BadInput`` for an unknown field, value, model, agent, suite or arm."""
    file = read_file(path)
    ceiling = None if file.max_usd is None else amount_of(file.max_usd, "max_usd", path)
    seconds = amount_of(file.seconds_a_completion, "seconds_a_completion", path)
    models = _models(file, environ, path)
    folder = RUNS / path.stem
    entries = tuple(_entries(file, models, folder, path))
    return Fleet(path, file, folder, models, entries, ceiling, seconds)


def _models(file: FleetFile, environ: Mapping[str, str], path: Path) -> tuple[FleetModel, ...]:
    found = []
    for name in file.models:
        table = file.model.get(name, ModelTable())
        own = dict(environ) | ({"OPENAI_BASE_URL": table.base_url} if table.base_url else {})
        endpoint, variable = LOCAL, ""
        if not name.startswith((POLICY, RECORDED)):
            with named(path, "models", name, table):
                known = endpoint_of(name, own)
            endpoint, variable = known.base_url.rstrip("/"), known.key_variable
            if table.key_variable:
                own[variable] = environ.get(table.key_variable, "")
        elif table != ModelTable():
            what = f'[model."{name}"]: nobody is asked, and nothing is to be set'
            raise BadInput(what, where=path, next_command="remove that table")
        model = FleetModel(path, name, own, endpoint, variable, table, table.concurrency, 1)
        if table.price is not None:
            assert model.price is not None
            with named(path, f'price under [model."{name}"]'):
                require_dollars(model.price, path)
        found.append(model)
    lanes = [model.endpoint for model in found]
    return tuple(_shared(model, lanes.count(model.endpoint), file.concurrency) for model in found)


def _shared(model: FleetModel, share: int, concurrency: int | None) -> FleetModel:
    """A model with its part of what its endpoint is asked at once."""
    if not model.is_live or model.concurrency is not None:
        return model
    if concurrency is None:
        return replace(model, share=share)
    return replace(model, concurrency=max(1, concurrency // share))


def _entries(file: FleetFile, models: Sequence[FleetModel], folder: Path, path: Path) -> list[Entry]:
    for suite in file.suites:
        with named(path, "suites"):
            find_world(suite, Path.cwd())
    worlds = [open_world(suite) for suite in file.suites]
    known = [task for world in worlds for task in world.suite.active()]
    for task in file.tasks:
        if task not in known:
            what, then = f"tasks: no suite has {task!r:.80}", f"caia-replay task list --suite {worlds[0].suite.id}"
            raise BadInput(what, where=path, nearest=nearest(task, known), next_command=then)
    for world in worlds if {*file.arms} - {"clean"} else ():
        with named(path, "campaign"):
            chosen(world, file.campaign, file.dose)
    for agent in file.agents:
        with named(path, "agents"):
            resolve_agent(agent)
    found: dict[str, Entry] = {}
    for model in models:
        model.resolved(file.seed, needs_key=False).close()
        for agent in file.agents:
            for world in worlds:
                tasks = [task for task in world.suite.active() if task in file.tasks]
                if file.tasks and not tasks:
                    continue
                name = f"{model.name}-{agent}-{world.suite.id}".replace("/", "-")
                if name in found or not is_name(name):
                    what = f"two runs are called {name}" if name in found else f"{name!r:.90} cannot name a run folder"
                    raise BadInput(what, where=path, next_command="two fleets, or another name")
                with named(path, "the fleet"):
                    plan = _plan(file, world, tasks, model.name, agent)
                found[name] = Entry(name, model, plan, world, folder / name)
    return list(found.values())


def _plan(file: FleetFile, world: WorldFolder, tasks: Sequence[str], model: str, agent: str) -> RunPlan:
    return make_plan(
        world,
        tasks=tasks,
        arms=file.arms,
        conditions=file.conditions,
        tools=file.tools,
        model=model,
        agent=agent,
        runs=file.runs,
        seed=file.seed,
        campaign=file.campaign,
        dose=file.dose,
        defence=file.defence,
        turns=file.max_turns,
        calls=file.max_calls,
        tokens=file.max_tokens,
    )
