"""Questions of which honest sources differ, drawn over an economy of 48 days and solved with what it recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import Anchor, AnswerSpec, Task
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.questions.catalogue import Kind, makers
from caia_worldgen.questions.draw import Draws, draw, task_of
from caia_worldgen.questions.figure import is_open
from caia_worldgen.questions.limit import COUNTS, LIMITS, OPEN, pointers
from caia_worldgen.questions.source import Found, read
from caia_worldgen.questions.suite import anchors_of
from caia_worldgen.web.matter import matters, written
from tests.short_economy import ShortEconomy

FACTS: Final[Kind] = ("project discovery", "project facts")
TOKENS: Final[Kind] = ("tokenomics", "supply and unlocks")


@pytest.fixture(scope="module")
def draws(short_economy: ShortEconomy) -> Iterator[Draws]:
    """Eight questions about facts and three about supply."""
    folder = open_world(str(short_economy.report.world))
    with FrozenWorld(folder) as world:
        yield draw(world, short_economy.truth, anchors_of(folder), 3, counts={FACTS: 8, TOKENS: 3}, chinese=2)


@pytest.mark.check
def test_most_facts_are_asked_where_sources_differ(draws: Draws) -> None:
    """As many as the counts say; each was solved by pages or posts alone, and names no host."""
    differing = [one for one in draws.taken if one.composed.differs]
    assert len(differing) >= 7, draws.rejected
    for one in differing:
        task = task_of(one, "one", 3)
        assert is_open(task) and "sources:differ" in task.tags and not pointers(one.question), one.question
        tools = [step.tool for step in one.composed.gold.steps]
        assert tools.count("url_fetching") + tools.count("twitter_search") >= 2, one.question
        queries = [str(step.arguments.get("query")) for step in one.composed.gold.steps]
        assert not any("site:" in query or ".example" in query for query in queries)


@pytest.mark.check
def test_who_trusts_the_first_report_is_wrong(draws: Draws, short_economy: ShortEconomy) -> None:
    """Of a matter that is asked about, what was reported first would not be taken for the answer."""
    matter_of = {(one.subject.id, one.sort.name): one for one in matters(short_economy.truth)}
    settled = [one.composed for one in draws.taken if one.composed.skeleton.startswith("open settled")]
    assert settled
    for one in settled:
        matter = matter_of[one.project, one.skeleton.split()[2]]
        said = written(matter.sort.value, matter.first, is_exact=False)
        assert not verify(one.answer, said).correct, one.skeleton


def test_the_wanted_counts_can_be_kept() -> None:
    """Sixty tasks of a suite can be about the open web, forty where sources differ; their kinds have both makers."""
    every = list(makers())
    assert all(OPEN[kind] <= COUNTS[kind] for kind in OPEN)
    assert sum(OPEN.values()) >= LIMITS.differing
    assert sum(OPEN.values()) + COUNTS[FACTS] - OPEN[FACTS] >= LIMITS.open_web
    for kind in OPEN:
        assert {one.is_open for one in every if one.kind == kind} == {True, False}


@pytest.mark.parametrize(
    ("text", "words", "form", "value"),
    [
        ("It was 1,204 and is now 1,402 accounts.", "1,402", "count", '(match($1.text, "and is now (N)") + 0)'),
        ("He said $2.4 million, in error.", "$2.4 million", "usd", '(match($1.text, "said \\$(N)") * 1000000)'),
        ("20 jobs are gone", "20", "count", '(match($1.text, "(N) jobs are") + 0)'),
        ("Please welcome Lanu Ketor, who chairs", "Lanu Ketor", "name", 'match($1.text, "welcome (P)")'),
    ],
    ids=["after", "scaled", "first", "name"],
)
def test_a_figure_is_read_by_the_words_around_it(text: str, words: str, form: str, value: str) -> None:
    """The pattern holds no other figure, and what begins a line is read by what follows."""
    value = value.replace("(N)", "([0-9][0-9,]{0,30}(?:[.][0-9]{1,30})?)").replace(
        "(P)", "([A-Z][a-z]{1,20} [A-Z][a-z]{1,20})"
    )
    assert read(Found("$1.text", "$1.published", text), words, form) == value  # type: ignore[arg-type]


def test_a_figure_that_nothing_tells_apart_is_not_read() -> None:
    """Where the words around two figures are the same, or the figure is not there, nothing is made up."""
    for text in ("it is 5 or\nit is 6", "nothing", "166"):
        with pytest.raises(ValueError, match="6"):
            read(Found("$1.text", "$1.published", text), "6", "count")


def test_an_answer_off_an_api_is_not_open() -> None:
    """What a chain's answer is made of decides, through code that was run, and not what else it called."""
    code = GoldStep("code_execution", {"code": "= join('', list('print(', $2.text, ')'))"})
    steps = (GoldStep("price_feed", {"asset": "x"}), GoldStep("url_fetching", {"url": "u"}), code)
    answer, anchor = AnswerSpec("number", ("7",)), Anchor("c", 1, 1)
    task = Task("a", "?", "overlap", "en", "f", anchor, answer, GoldChain(steps, "$3.stdout"), "1", "x.")
    assert is_open(task) and not is_open(replace(task, gold=GoldChain(steps, "$3.stdout * $1.price")))
