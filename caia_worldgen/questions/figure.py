"""The figures of a suite of composed questions, each beside its limit, from its folder alone.

``floor`` is what somebody gets who never looks at the world: the usual answer to such a question, and the answer that
most others of its form have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from statistics import median
from typing import Final

from caia_replay.core.expression import references
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.errors import BadInput
from caia_replay.store.world_folder import WorldFolder
from caia_worldgen.questions.limit import COUNTS, LIMITS, has_address, pointers
from caia_worldgen.questions.wording import REGISTERS, alike, english_words, masked

_USUAL: Final[Mapping[str | None, str]] = {
    "%": "50",
    "days": "365",
    "hours": "48",
    "blocks": "7200",
    "USD": "1000000",
    None: "10",
}
"""What somebody says who only knows in what is counted."""

_OPEN_WEB: Final = frozenset(("web_search", "url_fetching", "twitter_search", "social_stream"))


@dataclass(frozen=True, slots=True)
class Figure:
    """``value`` and ``limit`` as they are printed."""

    name: str
    value: str
    limit: str
    holds: bool


def figures(folder: WorldFolder) -> Iterator[Figure]:
    """Every figure of a suite. Raises ``BadInput`` for one whose tasks are not tagged as composed ones are."""
    tasks = [folder.task(one) for one in folder.suite.active()]
    untagged = next((task.id for task in tasks if not _tag(task, "skeleton")), None)
    if untagged is not None or not tasks:
        raise BadInput(
            f"task {untagged} of suite {folder.suite.id} says nothing of its skeleton: it was not composed",
            where=folder.path,
            next_command="caia-replay world questions --suite synthetic-178 --seed 1 --out DIR",
        )
    whole, english = len(tasks), [task for task in tasks if task.language == "en"]
    yield _equal("tasks", whole, LIMITS.tasks)
    sources = {_slug(name): count for name, count in _summed(1).items()}
    counted = (
        ("categories", _summed(0), Counter(str(task.category) for task in tasks)),
        ("sources", sources, Counter(_tag(task, "source") for task in tasks)),
    )
    for what, wanted, told in counted:
        off = sum(abs(told[name] - count) for name, count in wanted.items())
        yield Figure(f"tasks off CAIA's count of {what}", str(off), "0", not off)
    yield _equal("asked in Chinese", whole - len(english), LIMITS.chinese)
    yield _least(
        "registers of English", len({_tag(task, "register") for task in english} & set(REGISTERS)), len(REGISTERS)
    )
    yield _least("heights", len({(task.anchor.chain, task.anchor.block) for task in tasks}), LIMITS.heights)
    yield _most("questions with an address", sum(has_address(task.question) for task in tasks), LIMITS.addresses)
    yield _most("questions with any pointer", sum(bool(pointers(task.question)) for task in tasks), LIMITS.pointers)
    yield _most(
        "median English words", int(median(english_words(task.question) for task in english)), LIMITS.median_words
    )
    yield _most("pairs with masked likeness of 0.7 or more", _pairs(folder, tasks), LIMITS.alike_pairs)
    yield _most(
        "tasks of one skeleton", max(Counter(_tag(task, "skeleton") for task in tasks).values()), LIMITS.of_skeleton
    )
    yield _most("tasks of one project", max(Counter(task.project for task in tasks).values()), LIMITS.of_project)
    steps = [len(task.gold.steps) for task in tasks]
    yield _least("median calls of a gold chain", int(median(steps)), LIMITS.median_steps)
    yield _least("gold chains of 4 calls or more", sum(count >= 4 for count in steps), LIMITS.four_steps)
    yield _least("gold chains of 6 calls or more", sum(count >= 6 for count in steps), LIMITS.six_steps)
    yield _least("tasks that resolve an entity first", sum(map(resolves, tasks)), LIMITS.resolved)
    yield _least("answers of several parts", sum(parts(task.answer) > 1 for task in tasks), LIMITS.several_parts)
    yield _least("open-source tasks", sum(map(is_open, tasks)), LIMITS.open_web)
    yield _least(
        "of them with sources that differ", sum(_tag(task, "sources") == "differ" for task in tasks), LIMITS.differing
    )
    yield _most("yes/no forms with one answer only", _one_sided(tasks), 0)
    found = sum(is_guessed(task, tasks) for task in tasks)
    yield Figure(
        "answered without the world",
        f"{found} ({found * 100 / whole:.1f} %)",
        "3 %",
        Fraction(found, whole) <= LIMITS.floor,
    )


def resolves(task: Task) -> bool:
    """Whether a call about the world takes an argument from an earlier one's result."""
    calls = (step for step in task.gold.steps if step.tool != "code_execution")
    return any("$" in str(value) for step in calls for value in step.arguments.values())


def is_open(task: Task) -> bool:
    """Whether the answer is read off pages and posts alone, whatever was called to find out whose."""
    steps, made_of = task.gold.steps, set[str]()
    left = list(references(task.gold.result))
    while left:
        step = steps[left.pop() - 1]
        if step.tool == "code_execution":
            left += references(str(step.arguments["code"]))
        else:
            made_of.add(step.tool)
    return bool(made_of) and made_of <= _OPEN_WEB


def parts(answer: AnswerSpec) -> int:
    """How many things an answer has to say: cells of a table, members of a list."""
    return len(answer.values) * max(1, len(answer.columns or ()))


def is_guessed(task: Task, tasks: Sequence[Task]) -> bool:
    """Whether somebody is right who knows the question, how such questions are answered, and no world."""
    answer = task.answer
    others = Counter(other.answer.values for other in tasks if other.shape == task.shape and other.id != task.id)
    guesses = [values for values, _ in others.most_common(1)]
    if answer.kind == "boolean":
        guesses.append(("yes",))
    elif answer.kind == "number":
        guesses.append((_USUAL.get(answer.unit, "1000"),))
    elif answer.kind == "text_list":
        guesses.append(tuple(sorted(answer.values, key=lambda name: (task.question.find(name) % 10_000, name))))
    return any(_accepts(answer, guess) for guess in guesses)


def _accepts(answer: AnswerSpec, guess: tuple[str, ...]) -> bool:
    if answer.kind != "number":
        return guess == answer.values
    try:
        said, right = Fraction(guess[0]), Fraction(answer.values[0])
    except ValueError:
        return False
    return abs(said - right) <= abs(right) * Fraction(answer.tolerance_percent) / 100


def _pairs(folder: WorldFolder, tasks: Sequence[Task]) -> int:
    """Pairs of questions of one language that are alike once names and figures are masked."""
    projects = {task.project or "" for task in tasks}
    if folder.base is not None:
        projects |= {folder.base.task(one).project or "" for one in folder.base.suite.active()}
    names = frozenset(one.split("-")[0].capitalize() for one in projects if not one.startswith("0x"))
    count = 0
    for language in ("en", "zh"):
        masks = [masked(task.question, names) for task in tasks if task.language == language]
        count += sum(alike(one, other) >= LIMITS.likeness for one, other in combinations(masks, 2))
    return count


def _one_sided(tasks: Sequence[Task]) -> int:
    told: dict[str, set[str]] = {}
    for task in tasks:
        if task.answer.kind == "boolean":
            told.setdefault(task.shape, set()).add(task.answer.values[0])
    return sum(len(answers) < 2 for answers in told.values())


def _summed(side: int) -> dict[str, int]:
    found: Counter[str] = Counter()
    for kind, count in COUNTS.items():
        found[kind[side]] += count
    return dict(found)


def _slug(name: str) -> str:
    return name.replace(" ", "-").lower()


def _tag(task: Task, kind: str) -> str:
    return next((tag.partition(":")[2] for tag in task.tags if tag.startswith(f"{kind}:")), "")


def _equal(name: str, value: int, limit: int) -> Figure:
    return Figure(name, str(value), str(limit), value == limit)


def _least(name: str, value: int, limit: int) -> Figure:
    return Figure(name, str(value), f"at least {limit}", value >= limit)


def _most(name: str, value: int, limit: int) -> Figure:
    return Figure(name, str(value), f"at most {limit}", value <= limit)
