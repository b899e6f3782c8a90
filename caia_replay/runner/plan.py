"""What a replay is asked to do, checked before anything starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from caia_replay.agents.external import EXTERNAL_AGENT
from caia_replay.agents.react import ReactAgent
from caia_replay.canonical import digest
from caia_replay.core.agent import TURNS, Budget
from caia_replay.core.model import Price
from caia_replay.errors import BadInput, nearest
from caia_replay.models.external import EXTERNAL, SERVE
from caia_replay.models.human import HUMAN, require_human_name
from caia_replay.models.resolve import POLICY, RECORDED
from caia_replay.runner.dose import dose_text, parse_dose
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import catalog_of
from caia_replay.tools.defences import parse_defence
from caia_replay.tools.tool_set import COMPACT, NONE, tool_set

CLEAN = "clean"
ARMS = (CLEAN, "attacked", "placebo", "labelled", "authority-only")
"""clean: the world as it is. attacked: under a campaign. placebo: under as many pages of its style that say nothing
false. labelled: attacked, and every source says how far it can be trusted. authority-only: attacked, without the tools
of the open web."""
ATTACKED = ("attacked", "labelled", "authority-only")
"""The arms in which a campaign lies."""
DEFAULT_ARMS = ("clean", "attacked")
NO_TOOLS = "no-tools"
CONDITIONS = ("tools", NO_TOOLS)
MOST_TURNS = 10_000
DEFAULT_CAMPAIGN = "edited"


@dataclass(frozen=True, slots=True)
class Cell:
    """One arm under one condition: a subfolder of the run folder."""

    arm: str
    condition: str

    @property
    def folder(self) -> str:
        """The subfolder's name."""
        return f"{self.arm}-{self.condition}"


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Everything that decides a replay's outcome besides the world's bytes. ``world`` is its folder.

    ``turns, calls, tokens, usd`` are what one run may spend (None: no limit; ``usd`` is decimal text). ``record_model``
    names the tape that the model's traffic is kept as, and decides nothing. ``dose`` changes every dose of the
    campaign, as in "items=3". ``defence`` stands between the agent and its tools in every cell, "" for none.
    ``tools`` are the only ones an agent is given where it has tools, in catalog order, after ``compact`` where they are
    told in fewer words; empty for all in full. ``confidence``: the agent is asked how sure it is of its answer.
    """

    suite: str
    world: str
    tasks: tuple[str, ...]
    arms: tuple[str, ...]
    conditions: tuple[str, ...]
    model: str
    agent: str
    runs: int
    seed: int
    campaign: str
    turns: int = TURNS
    calls: int | None = None
    tokens: int | None = None
    usd: str | None = None
    record_model: str | None = None
    dose: str = ""
    defence: str = ""
    tools: tuple[str, ...] = ()
    confidence: bool = False

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell, arms before conditions, as asked."""
        return tuple(Cell(arm, condition) for arm in self.arms for condition in self.conditions)

    @property
    def size(self) -> int:
        """How many runs there are in all."""
        return len(self.cells) * len(self.tasks) * self.runs

    def tool_names(self, condition: str) -> tuple[str, ...] | None:
        """The tools that an agent may have under a condition, before its arm narrows them; None for all."""
        return () if condition == NO_TOOLS else tuple(name for name in self.tools if name != COMPACT) or None

    @property
    def compact(self) -> bool:
        """Whether tools are told in fewer words."""
        return COMPACT in self.tools

    def limits(self) -> dict[str, Any]:
        """What one run may spend, as JSON."""
        return {"turns": self.turns, "calls": self.calls, "tokens": self.tokens, "usd": self.usd}

    def budget(self, price: Price | None) -> Budget:
        """What one run may spend. Raises ``BadInput`` for a limit in dollars where the model's price is not known."""
        if self.usd is None:
            return Budget(self.turns, self.calls, self.tokens)
        if price is None:
            raise BadInput(
                f"no price of {self.model!r} is known, so a limit in dollars cannot be kept",
                where="--max-usd",
                next_command="--max-tokens, or a model with a price in caia-replay models, without OPENAI_BASE_URL",
            )
        return Budget(self.turns, self.calls, self.tokens, Decimal(self.usd), price)

    def digest(self, world_digest: str) -> str:
        """Identifies this plan on this world, so that ``--resume`` never mixes two."""
        return digest({**self.plain(), "world": world_digest})

    def plain(self) -> dict[str, Any]:
        """As JSON; a defence, a toolset and asking for confidence are said where there are any, so that plans
        without keep the digest they always had."""
        fields = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}
        return {key: value for key, value in fields.items() if value or key not in ("defence", "tools", "confidence")}

    def shard(self, index: int, count: int) -> RunPlan:
        """Every ``count``-th task from ``index``: whole tasks, so that a worker re-pins its fork least.

        Raises ``BadInput`` where there is none.
        """
        tasks = self.tasks[index::count]
        if not tasks:
            what = f"shard {index + 1} of {count} has no task: there are {len(self.tasks)}"
            raise BadInput(what, where="--shard", next_command=f"--shard 1/{len(self.tasks)}, or fewer")
        return replace(self, tasks=tasks)

    def episodes(self) -> Iterator[tuple[str, Cell, int]]:
        """Every (task, cell, attempt); attempts start at 1."""
        for task in self.tasks:
            for cell in self.cells:
                for attempt in range(1, self.runs + 1):
                    yield task, cell, attempt

    def in_order(self) -> Iterator[tuple[str, Cell, int]]:
        """As ``episodes``, in the order they are begun in.

        A person meets every task once, in one of its cells, before any task again: they remember. Which cell that is,
        and the order of tasks, are drawn from the seed and the person's name, with as many tasks for one cell as for
        another. So nobody can tell an arm by its place.
        """
        if not self.model.startswith(HUMAN):
            yield from self.episodes()
            return
        own = [(cell, attempt) for cell in self.cells for attempt in range(1, self.runs + 1)]
        dealt = {task: at for at, task in enumerate(self._drawn("deal"))}
        for again in range(len(own)):
            for task in self._drawn(f"round {again}"):
                yield (task, *own[(dealt[task] + again) % len(own)])

    def _drawn(self, what: str) -> list[str]:
        return sorted(self.tasks, key=lambda task: digest([self.seed, self.model, what, task]))


def make_plan(
    folder: WorldFolder,
    *,
    tasks: Sequence[str] = (),
    arms: Sequence[str] = DEFAULT_ARMS,
    conditions: Sequence[str] | None = None,
    model: str = "policy/credulous",
    agent: str = "react",
    runs: int = 5,
    seed: int = 0,
    campaign: str = DEFAULT_CAMPAIGN,
    turns: int = TURNS,
    calls: int | None = None,
    tokens: int | None = None,
    usd: str | None = None,
    record_model: str | None = None,
    dose: str = "",
    defence: str = "",
    tools: Sequence[str] = (),
    confidence: bool = False,
) -> RunPlan:
    """A checked plan. ``tools`` are names of tools and of sets (``tools/tool_set.py``), none for all; "none" is the
    condition without tools, which ``conditions`` may then not contradict.

    Raises ``BadInput`` for an unknown or repeated task, arm or condition, a limit below one, tools that are none, a
    dose or defence that is none, and for traffic to keep where there is none: a policy is a script, a recorded model is
    on its tape already.
    """
    known = folder.suite.active()
    chosen = tuple(tasks) or known
    _refuse_retired(folder, chosen)
    _all_of("task", chosen, known, f"caia-replay verify --suite {folder.suite.id}")
    _all_of("arm", arms, ARMS, "caia-replay replay --help")
    chosen_tools = tool_set(tools, catalog_of(folder))
    if NONE in tools:
        if conditions not in (None, (NO_TOOLS,), [NO_TOOLS]):
            what = f"no tools are the condition {NO_TOOLS}, and {', '.join(conditions or ())} is asked for"
            raise BadInput(what, where="--tools", next_command=f"--condition tools,{NO_TOOLS}, without --tools")
        conditions = (NO_TOOLS,)
    conditions = ("tools",) if conditions is None else tuple(conditions)
    _all_of("condition", conditions, CONDITIONS, "caia-replay replay --help")
    if runs < 1:
        raise BadInput(f"--runs is {runs}; at least one run is needed")
    for name, limit in (("--max-turns", turns), ("--max-calls", calls), ("--max-tokens", tokens)):
        if limit is not None and limit < 1:
            raise BadInput(f"{name} is {limit}; at least one is needed", next_command=f"{name} 1, or leave it out")
    if turns > MOST_TURNS:
        raise BadInput(f"--max-turns is {turns}; at most {MOST_TURNS} are kept", next_command="--max-turns 20")
    if record_model is not None and model.startswith((POLICY, RECORDED, HUMAN)):
        raise BadInput(f"{model!r} has no live traffic to keep", where="--record-model", next_command="leave it out")
    if (agent == EXTERNAL_AGENT) != model.startswith(EXTERNAL):
        what = f"the agent {EXTERNAL_AGENT!r} plays with its own model, {EXTERNAL}NAME, and no other does"
        raise BadInput(what, where="--agent", next_command=SERVE)
    if model.startswith(HUMAN):
        require_human_name(model)
        if agent != ReactAgent.name:
            what = f"people play with the agent {ReactAgent.name!r}: what other agents want is text for machines"
            raise BadInput(what, where="--agent", next_command="leave it out")
    chosen_defence = parse_defence(defence)
    return RunPlan(
        suite=folder.suite.id,
        world=str(folder.path),
        tasks=tuple(task for task in known if task in chosen),
        arms=tuple(arms),
        conditions=conditions,
        model=model,
        agent=agent,
        runs=runs,
        seed=seed,
        campaign=campaign,
        turns=turns,
        calls=calls,
        tokens=tokens,
        usd=None if usd is None else _dollars(usd),
        record_model=record_model,
        dose=dose_text(parse_dose(dose)),
        defence="" if chosen_defence is None else chosen_defence.text,
        tools=chosen_tools,
        confidence=confidence,
    )


def _dollars(text: str) -> str:
    """Dollars above zero as plain decimal text, so that equal limits are equal plans."""
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        amount = Decimal(0)
    if not amount.is_finite() or not 0 < amount <= 10**9:
        what = f"--max-usd is {text!r:.40}; dollars above zero and at most a billion are needed"
        raise BadInput(what, next_command="--max-usd 0.25, or leave it out")
    return f"{amount.normalize():f}"


def _refuse_retired(folder: WorldFolder, tasks: Sequence[str]) -> None:
    retired = {entry.id: entry.retired for entry in folder.suite.entries if entry.retired is not None}
    for task in tasks:
        if task in retired:
            raise BadInput(
                f"task {task} was retired on {retired[task]} and is not run",
                where=folder.path / "suite.toml",
                next_command=f"caia-replay verify --suite {folder.suite.id} --task {task}, which still proves it",
            )


def _all_of(kind: str, given: Sequence[str], known: Sequence[str], next_command: str) -> None:
    for at, name in enumerate(given):
        if name not in known:
            raise BadInput(
                f"unknown {kind} {name!r}",
                nearest=nearest(name, known) or ", ".join(known),
                next_command=next_command,
            )
        if name in given[:at]:
            raise BadInput(f"{kind} {name!r} is given twice")
    if not given:
        raise BadInput(f"no {kind} is given; there are: {', '.join(known) or 'none'}")
