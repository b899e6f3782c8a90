"""fleet.toml: models x agents x suites, each an ordinary replay of its own, and what all of them may spend."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.agent import TURNS
from caia_replay.core.model import Model, Price
from caia_replay.errors import BadInput, MissingKey, nearest
from caia_replay.models.request_limit import Allowance
from caia_replay.models.resolve import POLICY, RECORDED, allowance_of, endpoint_of, resolve_model
from caia_replay.runner.plan import DEFAULT_ARMS, DEFAULT_CAMPAIGN, RunPlan, make_plan
from caia_replay.store.ledger import require_dollars
from caia_replay.store.plain import build, read_toml
from caia_replay.store.tape_file import is_name
from caia_replay.store.tape_folder import open_tape, tape_names
from caia_replay.store.world_folder import WorldFolder, open_world

RUNS: Final = Path("runs")
NEXT: Final = "docs/fleet.md has every field"
LOCAL: Final = ""
"""The endpoint of policies and tapes: this machine's cores."""
_SECONDS: Final = Decimal(5)
_MOST_USD: Final = 10**9
_UNSET: Final = "unset"


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Dollars per million tokens, as texts or numbers."""

    prompt: Any
    completion: Any
    cached: Any = None


@dataclass(frozen=True, slots=True)
class ModelTable:
    """``[model."NAME"]``: where a model is asked, and how much of it. ``key_variable`` names the key's variable."""

    base_url: str = ""
    key_variable: str = ""
    concurrency: int | None = None
    requests_a_minute: int | None = None
    tokens_a_minute: int | None = None
    price: TokenPrice | None = None


@dataclass(frozen=True, slots=True)
class FleetFile:
    """The file's fields; those of one replay mean what the options of ``replay`` do."""

    models: tuple[str, ...]
    agents: tuple[str, ...] = ("react",)
    suites: tuple[str, ...] = ("",)
    tasks: tuple[str, ...] = ()
    arms: tuple[str, ...] = DEFAULT_ARMS
    conditions: tuple[str, ...] = ("tools",)
    runs: int = 5
    seed: int = 0
    campaign: str = DEFAULT_CAMPAIGN
    dose: str = ""
    defence: str = ""
    max_turns: int = TURNS
    max_calls: int | None = None
    max_tokens: int | None = None
    max_usd: Any = None
    concurrency: int | None = None
    seconds_a_completion: Any = _SECONDS
    model: Mapping[str, ModelTable] = field(default_factory=dict)


@dataclass(frozen=True)
class FleetModel:
    """One model of a fleet. ``environ`` is what its process sees: its own endpoint and key. ``endpoint`` is
    ``LOCAL`` where nobody is asked."""

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
        try:
            return resolve_model(self.name, environ, seed=seed, tape=tape, recorded=tape_names(Path.cwd()))
        except MissingKey as fault:
            what = f"model {self.name!r} needs {self.table.key_variable} in the environment"
            raise MissingKey(what, where="key_variable") if self.table.key_variable else fault from None

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
    try:
        file = build(FleetFile, read_toml(path), path)
    except BadInput as fault:
        raise BadInput(fault.what, where=fault.where, nearest=fault.nearest, next_command=NEXT) from None
    if not is_name(path.stem):
        raise BadInput(f"{path.stem!r:.90} cannot name a folder of runs/", where=path, nearest="a-z, 0-9, dash, dot")
    for name in ("models", "agents", "suites", "arms", "conditions"):
        given = getattr(file, name)
        if not given or len(set(given)) < len(given):
            what = "names nothing" if not given else "names one twice"
            raise BadInput(f"{name} {what}", where=path, next_command=NEXT)
    for name in file.model:
        if name not in file.models:
            what = f'[model."{name}"] is of no model in models'
            raise BadInput(what, where=path, nearest=nearest(name, file.models), next_command=NEXT)
    ceiling = None if file.max_usd is None else _amount(file.max_usd, "max_usd", path)
    seconds = _amount(file.seconds_a_completion, "seconds_a_completion", path)
    _require_counts(file, path)
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
            known = endpoint_of(name, own)
            endpoint, variable = known.base_url.rstrip("/"), known.key_variable
            if table.key_variable:
                own[variable] = environ.get(table.key_variable, "")
        elif table != ModelTable():
            raise BadInput(f'[model."{name}"]: nobody is asked, and nothing is to be set', where=path)
        model = FleetModel(name, own, endpoint, variable, table, table.concurrency, 1)
        if table.price is not None:
            assert model.price is not None
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
    worlds = [open_world(suite) for suite in file.suites]
    known = [task for world in worlds for task in world.suite.active()]
    for task in file.tasks:
        if task not in known:
            raise BadInput(f"no suite has task {task!r:.80}", where=path, nearest=nearest(task, known))
    found: dict[str, Entry] = {}
    for model in models:
        model.resolved(file.seed, needs_key=False).close()
        for agent in file.agents:
            resolve_agent(agent)
            for world in worlds:
                tasks = [task for task in world.suite.active() if task in file.tasks]
                if file.tasks and not tasks:
                    continue
                name = f"{model.name}-{agent}-{world.suite.id}".replace("/", "-")
                if name in found or not is_name(name):
                    what = f"two runs are called {name}" if name in found else f"{name!r:.90} cannot name a run folder"
                    raise BadInput(what, where=path, next_command="two fleets, or another name")
                plan = _plan(file, world, tasks, model.name, agent)
                found[name] = Entry(name, model, plan, world, folder / name)
    return list(found.values())


def _plan(file: FleetFile, world: WorldFolder, tasks: Sequence[str], model: str, agent: str) -> RunPlan:
    return make_plan(
        world,
        tasks=tasks,
        arms=file.arms,
        conditions=file.conditions,
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


def _require_counts(file: FleetFile, path: Path) -> None:
    counts = {"concurrency": file.concurrency}
    for name, table in file.model.items():
        for limit in ("concurrency", "requests_a_minute", "tokens_a_minute"):
            counts[f"model.{name}.{limit}"] = getattr(table, limit)
    for name, count in counts.items():
        if count is not None and count < 1:
            raise BadInput(f"{name} is {count}; at least one is needed", where=path, next_command=NEXT)


def _amount(given: Any, field: str, path: Path) -> Decimal:
    """A number above zero, written as a number or a text."""
    try:
        amount = Decimal(str(given)) if not isinstance(given, bool) else Decimal(0)
    except InvalidOperation:
        amount = Decimal(0)
    if not amount.is_finite() or not 0 < amount <= _MOST_USD:
        what = f"{field} is {given!r:.40}; a number above zero and at most a billion is needed"
        raise BadInput(what, where=path, next_command=f"{field} = 5, or leave it out")
    return amount
