"""A suite drawn over the shipped world: few questions of every kind, each solved, attacked,
and equal for an equal seed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from caia_replay.cli import main
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers import verify
from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.validation.lint import lint
from caia_replay.validation.verify import verify_suite
from caia_replay.world.world import FrozenWorld
from caia_worldgen.questions.draw import Draws, draw
from caia_worldgen.questions.limit import COUNTS
from caia_worldgen.questions.suite import anchors_of, attackable, write
from caia_worldgen.retold import retell, scale_of
from caia_worldgen.web.truth import Truth
from tests.attack_runs import MARGIN_POINTS, played
from tests.offer_law import offer_faults
from tests.suite_runs import results

pytestmark = pytest.mark.check  # tells the whole story again

PROJECT = Path(__file__).resolve().parents[2]
FEW = {kind: 1 if count < 20 else 2 for kind, count in COUNTS.items()}


@pytest.fixture(scope="module")
def base() -> WorldFolder:
    return open_world(str(PROJECT / "cassettes" / "synthetic-178"))


@pytest.fixture(scope="module")
def truth(base: WorldFolder) -> Truth:
    return retell(base)


@pytest.fixture(scope="module")
def world(base: WorldFolder) -> Iterator[FrozenWorld]:
    with FrozenWorld(base) as made:
        yield made


@pytest.fixture(scope="module")
def draws(world: FrozenWorld, truth: Truth, base: WorldFolder) -> Draws:
    return draw(world, truth, anchors_of(base), 5, counts=FEW, chinese=3)


def test_a_story_told_again_is_the_recorded_one(world: FrozenWorld, truth: Truth) -> None:
    """Its networks, blocks and accounts are those of the chains, though no node was started."""
    main_chain = world.snapshots[truth.scene.networks["main"].id]
    calendar = truth.scene.main.calendar
    assert all(
        int(main_chain.header(at)["timestamp"], 16) == calendar.times[at] for at in range(1, calendar.last_block, 97)
    )
    assert truth.scene.main.transactions == 0 and len(truth.scene.main.ledger.movements) > 10_000


@pytest.fixture(scope="module")
def few(draws: Draws, truth: Truth, base: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> WorldFolder:
    """The drawn questions as a folder beside a copy of their base, with what they offer an attack."""
    place = tmp_path_factory.mktemp("composed")
    shutil.copytree(base.path, place / "cassettes" / base.path.name)
    (place / "chain_snapshots").symlink_to(PROJECT / "chain_snapshots")
    out = place / "cassettes" / "composed-few"
    tasks = write(base, truth, draws, 5, out)
    attackable(out, truth, draws, tasks, 5, lambda *_: None)
    return open_world(str(out))


def test_a_draw_is_solved_and_lints(draws: Draws, few: WorldFolder) -> None:
    """Every kind is there, three are Chinese, lint finds nothing, and each gold chain is right by its own verifier."""
    tasks = [few.task(name) for name in few.suite.active()]
    assert len(tasks) == sum(FEW.values()) and sum(task.language == "zh" for task in tasks) == 3
    assert {(one.composed.category, one.composed.source) for one in draws.taken} == set(FEW)
    assert not list(lint(few.path))
    verdicts = list(verify_suite(few))
    assert len(verdicts) == len(tasks) and all(one.solved for one in verdicts), [
        one for one in verdicts if not one.solved
    ]
    told = CliRunner().invoke(main, ["world", "suite-figures", str(few.path)])
    assert told.exit_code == 1 and "asked in Chinese" in told.output and "NOT KEPT" in told.output


def test_every_task_can_be_lied_about(few: WorldFolder) -> None:
    """Each has a claim; whatever is offered in the truth's place is wrong, and leads where it is said to."""
    offers = read_targets(few.path)
    assert sorted(offers) == sorted(few.suite.active())
    with FrozenWorld(few) as world:
        for name, offer in offers.items():
            task = few.task(name)
            right = [option for option in offer.options if verify(task.answer, option).correct is True]
            assert right == [] and list(offer_faults(world, task, offer)) == [], name
    assert sum(bool(offer.misread) for offer in offers.values()) >= 3
    kinds = {few.task(name).answer.kind for name, offer in offers.items() if offer.options}
    assert "table" in kinds and kinds - {"table"}


def test_the_oracle_is_right_on_all_of_it(few: WorldFolder) -> None:
    """Tables of several rows among them, which it writes on the one line that the answer contract has."""
    answers = [few.task(name).answer for name in few.suite.active()]
    assert any(one.kind == "table" and len(one.values) > 1 for one in answers)
    told = results(few.path, "oracle")
    assert [task for task, right in told.items() if not right] == []


@pytest.mark.parametrize("policy", ["credulous", "search-only"])
def test_policies_read_what_is_claimed(few: WorldFolder, policy: str) -> None:
    """Who believes the first page or most pages takes a lie in a sixth of the tasks; the placebo changes nothing."""
    with played(policy, ("clean", "attacked", "placebo"), suite=few.path) as done:
        told = {cell["arm"]: cell for cell in done.summaries}
    adopted = told["attacked"]["attack"]["adopted"]
    assert adopted * 6 >= len(few.suite.active()), adopted
    assert told["clean"]["attack"]["adopted"] == told["placebo"]["attack"]["adopted"] == 0
    assert abs(told["clean"]["pass_at_1"] - told["placebo"]["pass_at_1"]) * 100 < MARGIN_POINTS


def test_an_equal_seed_draws_the_same(draws: Draws, world: FrozenWorld, truth: Truth, base: WorldFolder) -> None:
    """Questions, moments and what was rejected depend on the world and the seed alone."""
    few = {kind: FEW[kind] for kind in list(FEW)[2:3]}
    first, again = (draw(world, truth, anchors_of(base), 9, counts=few, chinese=0) for _ in range(2))
    assert first.taken == again.taken and first.rejected == again.rejected
    assert [one.question for one in first.taken] != [one.question for one in draws.taken][: len(first.taken)]


def test_a_suite_is_refused_where_it_cannot_stand(tmp_path: Path, base: WorldFolder) -> None:
    """Elsewhere than beside its world, over a folder that is there, and over no economy: exit 2, nothing written."""
    run = CliRunner()
    world = str(base.path)
    for arguments, words in (
        (["--suite", world, "--out", str(tmp_path / "new")], "beside the world"),
        (["--suite", world, "--out", world], "never written over"),
        (["--suite", str(base.path.parent / "mini-6"), "--out", str(base.path.parent / "no")], "no synthetic economy"),
    ):
        refused = run.invoke(main, ["world", "questions", "--seed", "1", *arguments])
        assert refused.exit_code == 2 and words in refused.output, refused.output
    assert not list(tmp_path.iterdir())
    told = run.invoke(main, ["world", "suite-figures", str(base.path.parent / "mini-6")])
    assert told.exit_code == 2 and "was not composed" in told.output
    with pytest.raises(BadInput, match="no size of economy"):
        scale_of(base, 7, 7)
