"""Gold chains in the forms of CAIA's rows, run on data that nobody here wrote, and held against the files themselves.

The chain is mainnet block 22244135, the web what CoinGecko and DefiLlama answered in 2022. What a form asks of state
that nobody recorded is a miss, whatever the form.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from caia_replay.canonical import strict_json
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.core.tool import Served
from caia_replay.errors import Miss
from caia_replay.interop.gold_row import read_gold
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import GoldRun, run_gold
from caia_replay.world.world import FrozenWorld
from tests.real_cases import CHAIN_CASES, CHAIN_GAPS, INDEX_CASES, INDEX_GAPS, NOT_POSSIBLE, OTHER_CHAINS, SENDER
from tests.real_forms import (
    MOMENTS,
    ON_CHAIN,
    TWO_OTHER_PRICES,
    TWO_PRICES,
    Case,
    Gap,
    Raw,
    call,
    form_of,
    looked_up,
    make_world,
    task_of,
)

pytestmark = [pytest.mark.real, pytest.mark.check]

CASES = (*CHAIN_CASES, *INDEX_CASES)
GAPS = (*CHAIN_GAPS, *INDEX_GAPS)
COVERED = frozenset(form_of(step) for case in CASES for step in case.steps)
COMPUTED = frozenset({"time_conversion(include_blocks, time)"})
"""Forms that ask nothing of a world: arithmetic on the calendar."""


@pytest.fixture(scope="module")
def raw(real_data: Path) -> Raw:
    """The files."""
    return Raw.read(real_data)


@pytest.fixture(scope="module")
def world(real_data: Path, raw: Raw, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FrozenWorld]:
    """The world with a task a case, and one a moment for calls that belong to none."""
    moments = {case.id: case.moment for case in CASES} | {f"at-{name}": name for name in MOMENTS}
    tasks = [*(case.task(raw) for case in CASES), *(_bystander(name) for name in MOMENTS)]
    folder = make_world(real_data, tmp_path_factory.mktemp("forms"), tasks, moments)
    with FrozenWorld(open_world(str(folder))) as opened:
        yield opened
        nodes = opened.pool.pids()
    assert nodes and not [pid for pid in nodes if Path("/proc", str(pid)).exists()]


@pytest.fixture(scope="module")
def runs(world: FrozenWorld) -> dict[str, GoldRun]:
    """Every case's chain, executed by its task through the tools."""
    return {case.id: run(world, world.folder.task(case.id)) for case in CASES}


def run(world: FrozenWorld, task: Task) -> GoldRun:
    with WorldToolset(world.task(task)) as tools:
        return run_gold(task.gold, tools)


def ask(world: FrozenWorld, step: GoldStep, moment: str) -> GoldRun:
    """One call at a moment, and the chain's end would be the whole reply."""
    task = _bystander(moment)
    return run(world, task_of(task.id, task.question, GoldChain((step,), "$1"), task.answer, moment))


def _bystander(moment: str) -> Task:
    chain = GoldChain((call("time_conversion", time="now", include_blocks=False),), "$1.unix_seconds")
    return task_of(f"at-{moment}", "What time is it?", chain, AnswerSpec("number", ("0",)), moment)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_form_answers_as_the_files_do(case: Case, raw: Raw, runs: dict[str, GoldRun]) -> None:
    """Its chain ends in the value that the raw files give, nothing missed, and the verifier takes it."""
    done = runs[case.id]
    assert (done.fault, [reply for reply in done.replies if reply.served is Served.MISS]) == ("", [])
    assert verify(case.spec(raw), done.answer).correct is True, (done.answer, case.spec(raw).values)


def test_no_form_s_answer_is_taken_for_another_s(raw: Raw, runs: dict[str, GoldRun]) -> None:
    """Of two questions of one kind and unit with different answers neither takes the other's, so the check can fail."""
    specs, told = {case.id: case.spec(raw) for case in CASES}, 0
    for one, other in permutations(CASES, 2):
        spec, others = specs[one.id], specs[other.id]
        if (spec.kind, spec.unit) == (others.kind, others.unit) and spec.values != others.values:
            assert verify(spec, runs[other.id].answer).correct is False, (one.id, other.id)
            told += 1
    assert told > 100


@pytest.mark.parametrize("gap", [*GAPS, *NOT_POSSIBLE], ids=lambda gap: f"{gap.form}-{gap.why[:40]}")
def test_what_nobody_recorded_is_a_miss(gap: Gap, world: FrozenWorld) -> None:
    """Every form misses where its state is absent: no result, no answer, a typed error, and never a zero."""
    done = ask(world, gap.step, gap.moment)
    (reply,) = done.replies
    assert (reply.served, reply.result, done.answer) == (Served.MISS, None, None)
    assert reply.error is not None and (reply.error["type"], reply.error["kind"]) == ("not_recorded", gap.about)


def test_every_form_of_the_rows_is_here_or_told_why_not() -> None:
    """A new form in CAIA's gold rows, or a reason that no row needs any more, fails here, and a form without a gap."""
    assert COVERED - {gap.form for gap in GAPS} == COMPUTED
    rows = {form_of(step): id for id, step in looked_up(read_gold().values())}
    near = {form: id for form, id in rows.items() if form.rpartition(" on ")[2] not in OTHER_CHAINS}
    reasons = {gap.form for gap in NOT_POSSIBLE}
    assert {form: id for form, id in near.items() if form not in COVERED | reasons} == {}
    assert (reasons - near.keys(), reasons & COVERED) == (set(), set())
    assert len(near.keys() & COVERED) >= 15


def test_a_look_up_on_another_chain_is_refused(world: FrozenWorld) -> None:
    """The rows look things up on four chains that are not here; each is refused by name, and none is taken for this."""
    steps = [step for _, step in looked_up(read_gold().values()) if step.tool in ON_CHAIN]
    assert {str(step.arguments["chain"]) for step in steps if "chain" in step.arguments} - {"ethereum"} == OTHER_CHAINS
    for chain in sorted(OTHER_CHAINS):
        (reply,) = ask(world, call("balance_query", address=SENDER, chain=chain), "block").replies
        assert (reply.served, reply.result) == (Served.ERROR, None)
        assert reply.error is not None and chain in reply.error["message"]


def test_a_price_is_asked_of_real_prices(world: FrozenWorld, raw: Raw) -> None:
    """One coin of two that CoinGecko priced together; a third, another currency or a figure not asked for is a miss."""
    address = "https://api.coingecko.com/api/v3/simple/price"
    task = world.task(_bystander("prices"))
    for cassette in (TWO_PRICES, TWO_OTHER_PRICES):
        for coin, figures in raw.body(cassette).items():
            reply, served = task.answer(HttpRequest("GET", f"{address}?ids={coin}&vs_currencies=usd"))
            assert (strict_json(reply.body), served) == ({coin: {"usd": figures["usd"]}}, Served.DERIVED)
    for absent in ("ids=cardano&vs_currencies=usd", "ids=bitcoin&vs_currencies=eur",
                   "ids=bitcoin&vs_currencies=usd&include_24hr_vol=true"):  # fmt: skip
        with pytest.raises(Miss):
            task.answer(HttpRequest("GET", f"{address}?{absent}"))
