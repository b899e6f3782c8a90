"""fleet.toml as it is written: its fields, their bounds, and what is refused told by the names that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

from caia_replay.core.agent import TURNS
from caia_replay.errors import BadInput, nearest
from caia_replay.runner.plan import ARMS, CONDITIONS, DEFAULT_ARMS, DEFAULT_CAMPAIGN, MOST_TURNS
from caia_replay.store.plain import build, read_toml
from caia_replay.store.tape_file import is_name

NEXT: Final = "docs/fleet.md has every field"
_SECONDS: Final = Decimal(5)
_MOST_USD: Final = 10**9


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
    tools: tuple[str, ...] = ()
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


def read_file(path: Path) -> FleetFile:
    """The file's fields, each within its bounds. Raises ``BadInput``."""
    try:
        file = build(FleetFile, read_toml(path), path)
    except BadInput as fault:
        raise BadInput(fault.what, where=fault.where, nearest=fault.nearest, next_command=NEXT) from None
    if not is_name(path.stem):
        what = f"{path.stem!r:.90} cannot name a folder of runs/"
        raise BadInput(what, where=path, nearest="a-z, 0-9, dash, dot", next_command="rename the file")
    for name in ("models", "agents", "suites", "arms", "conditions"):
        given = getattr(file, name)
        if not given or len(set(given)) < len(given):
            what = "names nothing" if not given else "names one twice"
            raise BadInput(f"{name} {what}", where=path, next_command=NEXT)
    for name, known in (("arms", ARMS), ("conditions", CONDITIONS)):
        for one in getattr(file, name):
            if one not in known:
                some = f"{name} may be {' | '.join(known)}"
                raise BadInput(f"{name}: no {one!r:.80}", where=path, nearest=nearest(one, known), next_command=some)
    for name in file.model:
        if name not in file.models:
            what = f'[model."{name}"] is of no model in models'
            raise BadInput(what, where=path, nearest=nearest(name, file.models), next_command=NEXT)
    _require_counts(file, path)
    return file


@contextmanager
def named(path: Path, field: str, model: str = "", table: ModelTable | None = None) -> Iterator[None]:
    """Tell what is refused inside by the file's ``field``, where ``in_file`` knows no nearer one."""
    try:
        yield
    except BadInput as fault:
        raise in_file(fault, path, field, model, table or ModelTable()) from None


def in_file(fault: BadInput, path: Path, field: str, model: str, table: ModelTable) -> BadInput:
    """What others tell by an option or a variable, told by the field that its user wrote, in the file at ``path``."""
    under = f'under [model."{model}"]'
    place, option = field, fault.where.removeprefix("--").replace("-", "_")
    if fault.where.startswith("--"):
        place = option
    elif "OPENAI_BASE_URL" in fault.where:
        place = f"base_url {under}" if table.base_url else "OPENAI_BASE_URL"
    elif fault.where.endswith("_KEY") or fault.where == "key_variable":
        place = f"key_variable {under}" if table.key_variable else fault.where
    then = re.sub(r"^(?:--[a-z-]+ |[A-Z]+=)", lambda _: f"{place} = ", fault.next_command)
    then = re.sub(r"OPENAI_BASE_URL=(\S+)", lambda found: f'base_url = "{found[1]}" {under}', then)
    return type(fault)(f"{place}: {fault.what}", where=path, nearest=fault.nearest, next_command=then or NEXT)


def _require_counts(file: FleetFile, path: Path) -> None:
    counts = {name: getattr(file, name) for name in ("runs", "max_turns", "max_calls", "max_tokens", "concurrency")}
    for name, table in file.model.items():
        for limit in ("concurrency", "requests_a_minute", "tokens_a_minute"):
            counts[f"model.{name}.{limit}"] = getattr(table, limit)
    for name, count in counts.items():
        if count is not None and count < 1:
            raise BadInput(f"{name} is {count}; at least one is needed", where=path, next_command=NEXT)
    if file.max_turns > MOST_TURNS:
        what = f"max_turns is {file.max_turns}; at most {MOST_TURNS} are kept"
        raise BadInput(what, where=path, next_command=NEXT)


def amount_of(given: Any, field: str, path: Path) -> Decimal:
    """A number above zero, written as a number or a text."""
    try:
        amount = Decimal(str(given)) if not isinstance(given, bool) else Decimal(0)
    except InvalidOperation:
        amount = Decimal(0)
    if not amount.is_finite() or not 0 < amount <= _MOST_USD:
        what = f"{field} is {given!r:.40}; a number above zero and at most a billion is needed"
        raise BadInput(what, where=path, next_command=f"{field} = 5, or leave it out")
    return amount
