"""Every gold chain of the real 178 recorded as it was planned, from hosts that answer no farther back than is paid for.

The questions are read in place; the hosts know their names and make up every figure (``named_origin``). So an answer is
not CAIA's, and is not compared with it: what is tested is whether a chain that the plan calls recordable records,
seals and verifies without the hosts, and whether every other ends for the reason that the plan gave.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from caia_replay.core.task import AnswerSpec
from caia_replay.interop.planned import planned_tasks
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_report import affordable
from caia_replay.recording.plan_table import PlannedTask, TaskPlan
from caia_replay.store.world_folder import open_draft, save_task
from tests.named_origin import HUNDRED, NOTHING, TODAY, Bought, NamedOrigin, named_origin
from tests.one_command import Ran, run

pytestmark = [pytest.mark.real, pytest.mark.check]

SUITE: Final = "real"
HEAVY: Final = 5_000
"""Of a chain that asks a node more often, or that is not recordable, a question for logs spans so many blocks; of the
others ten, as a free plan has it."""
LINE: Final = 590
"""Characters of a printed line that are never cut off."""
CHARTS: Final = "CoinGecko charts"


@dataclass(frozen=True)
class Recorded:
    """What came of chains that were recorded with one choice of plans, by task."""

    root: Path
    tasks: Mapping[str, PlannedTask]
    plans: Mapping[str, TaskPlan]
    within: frozenset[str]
    """What the plan says this choice pays for."""
    ran: Mapping[str, Ran]

    def is_whole(self, task: str) -> bool:
        """Whether a recording was told everything that its chain asks, and replayed it offline."""
        ran = self.ran[task]
        return ran.code == 0 or (ran.code == 1 and f"{task}: the recorded chain gives " in ran.err)

    def answer(self, task: str) -> str | None:
        """What a recorded chain gave; None where all was recorded before and it gave the stated answer."""
        ran = self.ran[task]
        other = re.search(rf"(?ms)^{task}: the recorded chain gives (.*?) \((?:read|unscored|another)", ran.err)
        found = other or re.search(rf"(?m)^{task}: (.*), replayed offline$", ran.out)
        return found and found[1]


def record_all(real_data: Path, root: Path, bought: Bought, only: Collection[str] = ()) -> Recorded:
    """Import, and record every task, or ``only`` some, with the keys of what is bought."""
    csv = real_data / "caia" / "benchmark_178.csv"
    tasks = {task.id: task for task in planned_tasks(csv)}
    plans = {plan.id: plan for plan in plan_tasks(tasks.values(), TODAY)}
    within = frozenset(plan.id for plan in affordable(list(plans.values()), Decimal(bought.usd))[0])
    with (
        pytest.MonkeyPatch.context() as patch,
        named_origin(root, list(tasks.values()), bought) as origin,
        origin.led(),
    ):
        patch.chdir(root)
        for name in [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN", "_RPC_URL"))]:
            patch.delenv(name)
        for name, value in bought.variables.items():
            patch.setenv(name, value)
        patch.setattr(import_module("caia_replay.cli.record"), "time", lambda: TODAY)  # its name is the command
        imported = run("import", "caia", csv, "--out", f"cassettes/{SUITE}")
        assert imported.code == 0, imported.all
        ran = {id_: record(origin, tasks[id_], plans[id_]) for id_ in tasks if not only or id_ in only}
    return Recorded(root, tasks, plans, within, ran)


def record(origin: NamedOrigin, task: PlannedTask, plan: TaskPlan) -> Ran:
    """One task from the hosts and, where its chain asks one, from a node."""
    is_light = plan.status == "recordable" and plan.calls < HEAVY
    origin.node.most_blocks = 10 if is_light else HEAVY
    node = ("--rpc-url", origin.rpc_url(task.anchor.chain)) if plan.chain_calls else ()
    return run("record", "--task", task.id, "--origin", "live", "--pause", "0", "--suite", SUITE, *node)


@pytest.fixture(scope="module")
def paid(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """All 178 with what 100 US dollars buy."""
    return record_all(real_data, tmp_path_factory.mktemp("hundred"), HUNDRED)


def test_every_chain_ends_as_it_was_planned(paid: Recorded) -> None:
    """What the plan calls recordable within the budget records whole; every other tells the reason the plan gave."""
    assert len(paid.within) >= 80
    wrong = {task: paid.ran[task].all[-400:] for task in paid.within if not paid.is_whole(task)}
    assert wrong == {}
    others = paid.plans.keys() - paid.within
    assert {paid.plans[task].status for task in others} == {"recordable", "will miss", "needs provider", "unanchored"}
    untold = {task: paid.ran[task].all[-400:] for task in others if not tells_why(paid, task)}
    assert untold == {}


def tells_why(paid: Recorded, task: str) -> bool:
    """Whether a recording that is not to be had says why, and misses where the plan says that it will."""
    plan, ran = paid.plans[task], paid.ran[task]
    if plan.status == "recordable":  # beyond the budget: the key that nobody bought
        return not paid.is_whole(task) and any(key in ran.all for key in plan.keys)
    lost = [one.url.partition("?")[0].rpartition("/api/v3/")[2] for one in plan.requests if one.is_lost]
    if plan.status == "will miss" and (paid.is_whole(task) or not any(path in ran.err for path in lost)):
        return False
    return f"{task}: planned as {plan.status}: {plan.reason}"[:LINE] in ran.out


def test_what_was_recorded_seals_and_verifies_unplugged(paid: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each chain gives again what it gave; its figure stands as the answer, since the hosts made all figures up."""
    folder = open_draft(paid.root / "cassettes" / SUITE)
    solved = sorted(task for task in paid.within if paid.tasks[task].gold.result)
    for id_ in solved:
        given = paid.answer(id_)
        if given is not None:
            save_task(folder.path, replace(folder.task(id_), answer=AnswerSpec("text", (given,))))
    monkeypatch.chdir(paid.root)
    sealed = run("lint", "--seal", folder.path)
    assert (folder.path / "MANIFEST.sha256").exists() or sealed.code == 0, sealed.all
    verified = run("verify", "--suite", SUITE, *(part for task in solved for part in ("--task", task)))
    untold = [line for line in verified.out.splitlines() if line.startswith("NO ")]
    assert [line for line in untold if "open answers need a judge" not in line] == [], verified.all
    assert len(solved) - len(untold) > 90 and verified.out.splitlines()[-1].endswith(f"/{len(solved)} solvable")


def test_without_a_paid_plan_older_charts_miss(real_data: Path, tmp_path: Path) -> None:
    """What rests on prices of more than a year ago is not within nothing: the market API's own refusal is told."""
    csv = real_data / "caia" / "benchmark_178.csv"
    charted = [plan.id for plan in plan_tasks(planned_tasks(csv), TODAY)
               if plan.status == "recordable" and CHARTS in plan.paid]  # fmt: skip
    free = record_all(real_data, tmp_path, NOTHING, charted)
    assert len(charted) > 10 and not free.within & set(charted)
    told = [task for task in charted if "10012" in free.ran[task].all and not free.is_whole(task)]
    assert told == charted
