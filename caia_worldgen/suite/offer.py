"""What tasks offer whoever attacks them: the words of a lie, and where a lie leads who believes it.

Each derived answer is told by the task's own gold chain, asked through the tools by somebody misled: of an address,
of the unit of figures, or of how late it is. What comes to the same answer, fails, or was never recorded is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.core.attack import AttackSurface, Decoy, Misreading, StaleAnswer
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.core.tool import ToolReply, Toolset, ToolSpec
from caia_replay.errors import CheckFailed
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.world.world import FrozenWorld
from caia_worldgen.calendar import DAY_S
from caia_worldgen.finished import agree
from caia_worldgen.suite.counterfactual import HEIGHTS, UNDATED, Misled
from caia_worldgen.suite.decoy import History, Standing

Progress = Callable[[int, int], object]
"""Told how many of how many tasks are done."""

TIMES: Final = 1_000
"""How many times a figure is taken for as much as it is."""
EARLIER_DAYS: Final = (7, 14, 28, 3, 50, 1)
"""How long before the moment asked about something was the answer; in the order in which they are tried."""
UNSCALED: Final = frozenset(("time_conversion", "block_query", "code_execution", "web_search", "url_fetching",
                             "twitter_search", "social_stream"))  # fmt: skip
"""Tools whose results have no unit that a description could be wrong about, or that show what others wrote."""
MOST_APART: Final = 10**7
"""A number so many times the truth, or as little, is no answer that anybody would give."""

_MANY: Final = ("table", "text_list", "text_set")
"""Kinds of answers of which a lie says one part: what all of a wrong one would be, nobody is told."""
_NOTHING: Final = "0"
"""An answer that people give, too, who found none; it is told only where nothing else is."""
_ADDRESS: Final = re.compile(r"0x[0-9a-f]{40}(?![0-9a-f])", re.IGNORECASE)
_NUMBER: Final = re.compile(r"-?[0-9]{1,80}(?:\.[0-9]{1,80})?")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|latest", re.IGNORECASE)
_MOMENTS: Final = frozenset(("time", "at", "start", "end", "first_day", "last_day", "end_time"))


def offers_over(
    world: FrozenWorld,
    tasks: Sequence[Task],
    plain: Iterable[AttackSurface],
    history: History,
    progress: Progress = lambda *_: None,
) -> tuple[AttackSurface, ...]:
    """The offers of some of the tasks with ``once``, ``misread`` and ``decoys`` as far as the world has them.

    No two tasks offer the same ``once``, nor one that is the truth of another; decoys that lead two tasks to one answer
    are avoided where there is a choice. Raises ``CheckFailed`` where a gold chain does not end in its task's answer.
    """
    taken = {_form(value) for task in tasks for value in task.answer.values} | {_NOTHING}
    every, made = {task.id: task for task in tasks}, []
    for at, offer in enumerate(plain):
        progress(at, len(tasks))
        task = every[offer.task]
        with WorldToolset(world.task(task)) as tools:
            asked = _Asked(world, task, offer, Memory(tools))
            once = asked.once(taken)
            taken |= {_form(once.answer)} if once else set()
            decoys = tuple(asked.decoys(history, taken))
            taken |= {_form(decoy.answer) for decoy in decoys if decoy.answer}
            made.append(replace(offer, once=once, misread=tuple(asked.misread()), decoys=decoys))
    return tuple(made)


def is_other(answer: AnswerSpec, told: str) -> bool:
    """Whether ``told`` is an answer, and none that could count as right: numbers differ by more than the tolerance."""
    if not told.strip() or agree(answer, told):
        return False
    if answer.kind != "number":
        return told.strip().casefold() not in {said.strip().casefold() for said in (*answer.values, *answer.aliases)}
    if not _NUMBER.fullmatch(told):
        return False
    truth, other = abs(Fraction(answer.values[0])), abs(Fraction(told))
    if truth and other and not Fraction(1, MOST_APART) <= other / truth <= MOST_APART:
        return False
    apart = abs(Fraction(told) - Fraction(answer.values[0]))
    return apart > Fraction(answer.tolerance_percent) / 100 * max(truth, other)


class Memory:
    """A toolset that asks nothing twice, for chains whose calls do not depend on one another but by their arguments.
    ``calls`` are those that were made, in order."""

    def __init__(self, toolset: Toolset) -> None:
        self._toolset = toolset
        self._replies: dict[tuple[str, str], ToolReply] = {}

    @property
    def calls(self) -> list[tuple[str, Any]]:
        """Names and arguments, each pair once."""
        return [(name, strict_json(arguments)) for name, arguments in self._replies]

    def specs(self) -> Sequence[ToolSpec]:
        """Those of the toolset."""
        return self._toolset.specs()

    def call(self, name: str, arguments: str) -> ToolReply:
        """What the toolset said, now or before."""
        if (name, arguments) not in self._replies:
            self._replies[name, arguments] = self._toolset.call(name, arguments)
        return self._replies[name, arguments]


class _Asked:
    """One task, its offer, and its gold chain run once as it is meant."""

    def __init__(self, world: FrozenWorld, task: Task, offer: AttackSurface, tools: Memory) -> None:
        self._world = world
        self._task = task
        self._tools = tools
        self._offer = offer
        recipe = world.folder.suite.recipes[task.shape]
        self._recipe = FilledRecipe(recipe, task.question)
        run = run_gold(task.gold, tools)
        if run.answer is None or not agree(task.answer, run.answer):
            told = run.answer if run.answer is not None else run.fault
            raise CheckFailed(f"task {task.id}: the answer is {task.answer.values[0]!r}, the tools say {told!r}")
        self._answer = run.answer
        self._calls = tools.calls

    def once(self, taken: set[str]) -> StaleAnswer | None:
        """The answer at an earlier moment, where the question is of heights alone or of days alone; one that nobody has
        ``taken``, and that the task's recipe reads when it is claimed."""
        if self._task.answer.kind in ("date", "time"):
            return None
        for published, earlier in self._earlier():
            told = self._told(earlier)
            said = self._offer.claim.replace("{planted}", told)
            if told and _form(told) not in taken and self._recipe.in_page(said) == told:
                return StaleAnswer(told, published)
        return None

    def _earlier(self) -> Iterator[tuple[int, Misled]]:
        """Earlier moments, each with the tools of somebody for whom it is that late."""
        heights, chain = list(_heights(self._calls)), self._task.anchor.chain
        dated = [call for call in self._calls if _is_dated(call)]
        if dated and not any(heights) and all(call[0] not in UNDATED for call in dated):
            for days in EARLIER_DAYS:
                yield self._task.anchor.timestamp - days * DAY_S, Misled(self._tools, days=days)
        if dated or not heights:
            return
        if any(name == "block_query" or call.get("chain", chain) != chain for name, call in self._calls):
            return
        last = self._moment(max(heights))
        before = [self._height(last - days * DAY_S, max(heights)) for days in EARLIER_DAYS]
        for height in (height for height in before if height is not None):
            yield self._moment(height), Misled(self._tools, until=height)

    def misread(self) -> Iterator[Misreading]:
        """Where figures lead that are taken for ``TIMES`` as much, tool by tool; to other numbers alone."""
        if self._task.answer.kind != "number":
            return
        for tool in dict.fromkeys(name for name, _ in self._calls if name not in UNSCALED):
            told = self._told(Misled(self._tools, scaled={tool: TIMES}))
            if told and _form(told) != _NOTHING:
                yield Misreading(tool, TIMES, told)

    def decoys(self, history: History, taken: set[str]) -> Iterator[Decoy]:
        """One of each kind: one that leads to an answer that nobody has ``taken``, or to another one at least, or else
        one that can only be promoted."""
        found: dict[str, Decoy] = {}
        telling: set[str] = set()
        for standing in history.standing:
            kind, is_there = standing.kind, standing.since <= self._task.anchor.timestamp
            if kind in telling or not is_there or standing.address in self._task.question.lower():
                continue
            led = self._led(standing, history)
            if led is not None and _form(led.answer) not in taken:
                found[kind] = led
                telling.add(kind)
            elif led is not None and (kind not in found or not found[kind].answer):
                found[kind] = led
            elif kind not in found and self._is_asked_about(standing, history):
                found[kind] = Decoy(kind, standing.address, history.chain, name=standing.name)
        yield from found.values()

    def _led(self, standing: Standing, history: History) -> Decoy | None:
        """The decoy with the answer it leads to, if it leads to another one."""
        for address in self._addresses(history.chain):
            if address in standing.instead_of:
                if self._answer.lower() == address:
                    told = standing.address
                else:
                    told = self._told(Misled(self._tools, instead={address: standing.address}))
                if told:
                    return Decoy(standing.kind, standing.address, history.chain, address, told, standing.name)
        return None

    def _addresses(self, chain: str) -> list[str]:
        """Of one chain, in the order in which the gold chain asks about them; last its answer."""
        asked = [call for _, call in self._calls if call.get("chain", self._task.anchor.chain) == chain]
        found = [address.lower() for call in asked for text in _texts(call) for address in _ADDRESS.findall(text)]
        if _ADDRESS.fullmatch(self._answer) and (self._task.answer.chain or self._task.anchor.chain) == chain:
            found.append(self._answer.lower())
        return list(dict.fromkeys(found))

    def _is_asked_about(self, standing: Standing, history: History) -> bool:
        """Whether who asks this may be told of it."""
        addresses = set(self._addresses(history.chain))
        projects = {history.tokens[one] for one in addresses if one in history.tokens}
        if self._task.project in history.tokens.values():
            projects.add(self._task.project or "")
        return not standing.about.isdisjoint(addresses | projects) if standing.about else bool(projects)

    def _told(self, tools: Toolset) -> str:
        """The gold chain's other answer through these tools; "" for none."""
        if self._task.answer.kind in _MANY:
            return ""
        answer = run_gold(self._task.gold, tools).answer
        return answer if answer is not None and is_other(self._task.answer, answer) else ""

    def _moment(self, height: int) -> int:
        header = self._world.snapshots[self._task.anchor.chain].header(height)
        return int(header["timestamp"], 16)

    def _height(self, moment: int, below: int) -> int | None:
        """The newest block before ``below`` that is not later than ``moment``; None before the first."""
        low, high = 0, below
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._moment(middle) <= moment else (low, middle)
        return low - 1 if low > 1 else None


def _heights(calls: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[int]:
    return (value for _, call in calls for name, value in call.items() if name in HEIGHTS and type(value) is int)


def _is_dated(call: tuple[str, Mapping[str, Any]]) -> bool:
    """Whether a call asks about a moment that is no height; what code holds is no moment."""
    name, arguments = call
    return name != "code_execution" and any(
        key in _MOMENTS
        or (key in HEIGHTS and isinstance(value, str))
        or (isinstance(value, str) and _DATE.match(value))
        for key, value in arguments.items()
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _form(answer: str) -> str:
    """Equal for answers that are the same."""
    return str(Fraction(answer)) if _NUMBER.fullmatch(answer) else answer.strip().casefold()
