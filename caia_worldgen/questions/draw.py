"""A suite of composed questions drawn over a recorded world, and what was rejected on the way, counted by its reason.

A question is drawn for a moment at which tasks may stand, worded, and held to the suite's limits. Then its gold chain
is executed in the world, by the executor that everything uses, and must say what the ledger and the books say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.task import Anchor, Category, Task
from caia_replay.core.world import Page, Post
from caia_replay.errors import CheckFailed
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.world.world import NO_OVERLAY, FrozenWorld
from caia_worldgen.finished import agree
from caia_worldgen.questions.catalogue import Kind, Maker, makers
from caia_worldgen.questions.expression import Composed, Language, Source
from caia_worldgen.questions.known import Known, pages_of
from caia_worldgen.questions.limit import COUNTS, LIMITS, OPEN, has_address, pointers
from caia_worldgen.questions.source import SHOWN
from caia_worldgen.questions.wording import alike, english_words, masked, wordings
from caia_worldgen.rng import Rng
from caia_worldgen.suite.language import language_faults
from caia_worldgen.web.matter import matters
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import masked_names

_SCARCE: Final[tuple[Source, ...]] = ("contract metadata", "general knowledge", "DeFi metrics", "supply and unlocks")
_TRIES: Final = 240
_PATIENCE: Final = 4
"""After how many draws in vain a maker is passed over as if one had been taken."""
_LONG: Final = 6
_LONG_TRIES: Final = 24
"""While fewer questions than are wanted take ``_LONG`` calls, the first draws of each look for one that does."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A question as it is asked: in which language and register, and where and when."""

    composed: Composed
    question: str
    language: Language
    register: str
    anchor: Anchor


@dataclass(slots=True)
class Draws:
    """What was drawn so far. ``rejected`` counts draws by why they were not taken."""

    taken: list[Drawn] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    by_maker: Counter[str] = field(default_factory=Counter)
    masks: dict[Language, list[str]] = field(default_factory=lambda: {"en": [], "zh": []})


Progress = Callable[[str, int, int], None]


def draw(
    world: FrozenWorld,
    truth: Truth,
    anchors: Sequence[Anchor],
    seed: int,
    progress: Progress = lambda part, done, whole: None,
    counts: Mapping[Kind, int] = COUNTS,
    chinese: int | None = None,
) -> Draws:
    """Questions of every kind, as many as ``counts`` says, each at a moment of ``anchors``, new ones first.

    As large a share is Chinese as of CAIA's, unless ``chinese`` says how many. Equal worlds and seeds give equal draws.
    Raises ``CheckFailed`` where a kind has too few.
    """
    pages, posts = pages_of(world.corpus), tuple(world.posts)
    names = masked_names(truth) | {
        word.lower() for one in truth.scene.projects.values() for word in one.name.split()[:1]
    }
    names = names | {name.capitalize() for name in names}
    whole, kinds, done = sum(counts.values()), _scarce_first(counts), Counter[Kind]()
    if chinese is None:
        chinese = whole * LIMITS.chinese // LIMITS.tasks
    drawing = _Drawing(world, truth, pages, posts, names, seed, whole * 2 // 5)
    every = [one for one in makers() if drawing.matters or not one.is_open]
    order = Rng(f"questions/{seed}/anchors").some(sorted(anchors, key=_moment), len(anchors))
    free = [*order]
    for at, kind in enumerate(kinds):
        language: Language = "zh" if (at + 1) * chinese // whole > at * chinese // whole else "en"
        able, before = [one for one in every if one.kind == kind], Counter(drawing.draws.rejected)
        is_open = done[kind] * COUNTS[kind] < OPEN.get(kind, 0) * counts[kind]
        first = [one for one in able if one.is_open == is_open]
        done[kind] += 1
        for turn in range(_TRIES):
            ours = first if first and turn < _TRIES // 2 else able
            is_new = bool(free) and turn < _TRIES // 2
            anchor = free[turn % len(free)] if is_new else order[(at * 7 + turn) % len(order)]
            least = _LONG if turn < _LONG_TRIES and drawing.long * whole < LIMITS.six_steps * (at + 1) else 0
            one = drawing.attempt(ours, anchor, language, f"{at}/{turn}", least)
            if one is not None:
                drawing.draws.taken.append(one)
                if anchor in free:
                    free.remove(anchor)
                break
        else:
            why = ", ".join(f"{count} {fault}" for fault, count in (drawing.draws.rejected - before).most_common(3))
            raise CheckFailed(
                f"of {kind[0]} by {kind[1]} no further question was found in {_TRIES} draws; the question: {why}"
            )
        progress("drawing questions", at + 1, whole)
    return drawing.draws


def counts_for(tasks: int) -> dict[Kind, int]:
    """``tasks`` in CAIA's proportions; what is left over goes to the largest remainders, ties in the order given."""
    whole = sum(COUNTS.values())
    found = {kind: tasks * count // whole for kind, count in COUNTS.items()}
    left = sorted(COUNTS, key=lambda kind: -(tasks * COUNTS[kind] % whole))
    for kind in left[: tasks - sum(found.values())]:
        found[kind] += 1
    return found


def _moment(anchor: Anchor) -> tuple[int, str]:
    return anchor.timestamp, anchor.chain


def _scarce_first(counts: Mapping[Kind, int]) -> list[Kind]:
    """Every kind as often as it is wanted; those first that few projects can be asked about."""

    def place(kind: Kind) -> int:
        return _SCARCE.index(kind[1]) if kind[1] in _SCARCE else len(_SCARCE)

    return [kind for kind in sorted(counts, key=place) for _ in range(counts[kind])]


class _Drawing:
    """One draw under way."""

    def __init__(self, world: FrozenWorld, truth: Truth, pages: Mapping[str, Page], posts: tuple[Post, ...],
                 names: frozenset[str] | set[str], seed: int, most_short: int) -> None:  # fmt: skip
        self.draws = Draws()
        self._world, self._truth, self._pages, self._posts = world, truth, pages, posts
        self._names, self._seed, self._most_short = frozenset(names), seed, most_short
        self._tickers = frozenset(one.ticker for one in truth.subjects.values())
        self._skeletons: Counter[str] = Counter()
        self._projects: Counter[str] = Counter()
        self._short = self.long = 0
        known = frozenset(pages)
        self.matters = tuple(one for one in matters(truth) if one.first_url in known)
        self._failed: Counter[str] = Counter()

    def attempt(
        self, ours: Sequence[Maker], anchor: Anchor, language: Language, turn: str, least: int = 0
    ) -> Drawn | None:
        """One draw, of a question that takes ``least`` calls; ``None`` where it comes to nothing, which is counted."""
        rng = Rng(f"questions/{self._seed}/{turn}")
        draws = self.draws
        booleans = [one for one in draws.taken if one.composed.answer.kind == "boolean"]
        if len(booleans) % 2 and (asking := [one for one in ours if one.name.startswith("exceeded-")]):
            ours = asking  # A yes waits for its no.
        turns = {one.name: draws.by_maker[one.name] + self._failed[one.name] // _PATIENCE for one in ours}
        maker = rng.one([one for one in ours if turns[one.name] == min(turns.values())])
        known = Known(self._truth, self._pages, self._posts, anchor.timestamp, rng, self.matters,
                      partial(self._find, anchor.timestamp), partial(self._find_posts, anchor.timestamp))  # fmt: skip
        try:
            composed = maker.make(known)
        except (KeyError, ValueError):
            composed = None
        if composed is not None and len(composed.gold.steps) < least:
            draws.rejected["takes fewer calls than are wanted"] += 1
            return None
        fault = "has nothing to ask" if composed is None else self._refuses(composed, anchor)
        one = None
        if composed is not None and not fault:
            one = self._worded(composed, anchor, language, rng)
            fault = "is worded like another" if one is None else self._disagrees(one)
        if fault or one is None or composed is None:
            self.draws.rejected[fault] += 1
            self._failed[maker.name] += 1
            return None
        draws.by_maker[maker.name] += 1
        self._skeletons[composed.skeleton] += 1
        self._projects[composed.project] += 1
        self._short += len(composed.gold.steps) < LIMITS.median_steps
        self.long += len(composed.gold.steps) >= _LONG
        draws.masks[language].append(masked(one.question, self._names))
        return one

    def _find(self, now: int, query: str) -> list[str]:
        return [one.page.url for one in self._world.web.index(NO_OVERLAY).search(query, SHOWN, now)]

    def _find_posts(self, now: int, query: str) -> list[Post]:
        return [one.post for one in self._world.web.post_index(NO_OVERLAY).search(query, SHOWN, now)]

    def _refuses(self, one: Composed, anchor: Anchor) -> str:
        """Why a question does not fit in the suite so far; "" where it does."""
        if one.over > anchor.timestamp:
            return "is about what is not over"
        if self._skeletons[one.skeleton] >= LIMITS.of_skeleton:
            return "has a skeleton that is used up"
        if self._projects[one.project] >= LIMITS.of_project:
            return "is about a project that has enough"
        if len(one.gold.steps) < LIMITS.median_steps and self._short >= self._most_short:
            return "takes too few calls"
        if one.answer.kind == "boolean":
            told = [
                other.composed.answer.values for other in self.draws.taken if other.composed.answer.kind == "boolean"
            ]
            if told.count(one.answer.values) > told.count(("no",) if one.answer.values == ("yes",) else ("yes",)):
                return "would have the answer that its like have"
        same = (other.composed for other in self.draws.taken if other.composed.form == one.form)
        if any(other.answer == one.answer for other in same):
            return "has the answer of another of its form"
        return ""

    def _worded(self, one: Composed, anchor: Anchor, language: Language, rng: Rng) -> Drawn | None:
        for register, question in wordings(one, language, rng, self._tickers):
            if any(language_faults(question, language)) or says_answer(question, one.answer):
                continue
            if language == "en" and english_words(question) > LIMITS.longest_words:
                continue
            if (
                has_address(question)
                and sum(has_address(other.question) for other in self.draws.taken) >= LIMITS.addresses
            ):
                continue
            if (
                pointers(question)
                and sum(bool(pointers(other.question)) for other in self.draws.taken) >= LIMITS.pointers
            ):
                continue
            mask = masked(question, self._names)
            if all(alike(mask, other) < LIMITS.likeness for other in self.draws.masks[language]):
                return Drawn(one, question, language, register, anchor)
        return None

    def _disagrees(self, one: Drawn) -> str:
        """How the gold chain, executed in the world, falls short of the truth; "" where it says it."""
        task = task_of(one, "drawn", self._seed)
        with WorldToolset(self._world.task(task)) as tools:
            run = run_gold(one.composed.gold, tools)
        if run.answer is None:
            return f"is not answered by the world: {run.replies[-1].served if run.replies else 'ERROR'}"
        return "" if agree(one.composed.answer, run.answer) else "has a gold answer that is not the truth"


def task_of(one: Drawn, identity: str, seed: int) -> Task:
    """A drawn question as a task."""
    composed, steps = one.composed, len(one.composed.gold.steps)
    low, high, reason = _STAKES[composed.category]
    return Task(
        id=identity,
        question=one.question,
        category=composed.category,
        language=one.language,
        shape=composed.form.replace("_", "-"),
        anchor=one.anchor,
        answer=composed.answer,
        gold=composed.gold,
        stake_usd=str(Rng(f"questions/{seed}/stake/{one.question}").odd(low, high, digits=2)),
        stake_reason=reason,
        tags=(
            f"source:{composed.source.replace(' ', '-').lower()}",
            f"register:{one.register}",
            f"skeleton:{composed.skeleton.strip().replace(' ', '-').replace('_', '-')}",
            *(("sources:differ",) if composed.differs else ()),
        ),
        difficulty=min(5, 1 + steps // 2 + (composed.parts > 1)),
        project=composed.project,
    )


_STAKES: Final[Mapping[Category, tuple[int, int, str]]] = {
    "on-chain analysis": (800, 24_000, "A position is sized by an amount that the chain does not hold."),
    "project discovery": (500, 12_000, "An investment memo names the wrong people, sums or days."),
    "tokenomics": (1_500, 40_000, "Supply that comes to market is mistaken, and so is the price one may pay."),
    "overlap": (700, 18_000, "Money goes to the weaker of two."),
    "trend analysis": (600, 15_000, "A trade is opened on a move that did not happen."),
    "general knowledge": (400, 9_000, "A loan or a pool position is taken on wrong terms."),
}
"""What an error is taken to cost, at the least and at the most, and why."""


def numbered(draws: Draws, seed: int, canary: Callable[[str], str]) -> Iterator[Task]:
    """The drawn questions as tasks, each named after the suite's size, its form and its place among those."""
    places: Counter[str] = Counter()
    for one in draws.taken:
        form = one.composed.form.replace("_", "-")
        places[form] += 1
        identity = f"c{len(draws.taken)}-{form}-{places[form]}"
        yield replace(task_of(one, identity, seed), canary=canary(identity))
