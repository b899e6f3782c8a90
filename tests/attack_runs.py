"""What policies do under attack on a suite, each task once, and the tables of the docs that say so."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from caia_replay.runner.plan import ARMS, make_plan
from caia_replay.runner.replay import Finished, replay
from caia_replay.store.world_folder import open_world
from tests import trajectories

PROJECT: Final = Path(__file__).resolve().parents[1]
SUITE: Final = PROJECT / "cassettes" / "synthetic-178"
EXECUTION: Final = PROJECT / "cassettes" / "synthetic-execution"
POLICIES: Final = ("oracle", "chain-only", "sceptic", "search-only", "credulous", "hijacked")
MARGIN_POINTS: Final = 5
"""By less than this a placebo moves the accuracy of each of these policies, as docs/attacks.md states."""
_TABLE: Final = re.compile(r"<!-- arms: begin -->\n(.*?)<!-- arms: end -->", re.DOTALL)


@contextmanager
def played(policy: str, arms: Sequence[str], campaign: str = "edited", suite: Path = SUITE) -> Iterator[Finished]:
    """A replay of a whole suite, gone when the block ends."""
    folder = open_world(str(suite))
    plan = make_plan(folder, arms=arms, model=f"policy/{policy}", runs=1, seed=0, campaign=campaign)
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "run"
        yield replay(plan, folder, out, workers=1, resume=False, replace=False)


def records(done: Finished, arm: str) -> list[dict[str, Any]]:
    """The records of one arm's runs."""
    return trajectories.records(done.out / f"{arm}-tools")


def arms_row(policy: str) -> str:
    """A policy's row: right answers in every arm, and runs that adopted a lie where one was told."""
    with played(policy, ARMS) as done:
        told = {cell["arm"]: cell for cell in done.summaries}
    right = [round(told[arm]["pass_at_1"] * 178) for arm in ARMS]
    adopted = [told[arm]["attack"]["adopted"] for arm in ("attacked", "labelled", "authority-only")]
    by_authority = sum(cell["attack"]["adopted_authoritative_text"] for cell in told.values())
    return f"| `{policy}` | {' | '.join(map(str, [*right, *adopted, by_authority]))} |"


def told_rows(page: str = "attacks.md") -> list[str]:
    """The rows that a page of the docs has between its marks."""
    text = _TABLE.findall((PROJECT / "docs" / page).read_text("utf-8"))[0]
    return [line for line in text.splitlines() if line.startswith("| `")]


def losses_row(policy: str) -> str:
    """A policy's row in docs/execution.md: in the clean and the attacked arm what was passed, left, sent and lost."""
    with played(policy, ("clean", "attacked"), suite=EXECUTION) as done:
        cells = [cell["execution"] | cell for cell in done.summaries]
    told = [
        f"{cell['passed']} | {cell['sent_nothing']} | {cell['transactions']} | {cell['realised_loss_usd']}"
        for cell in cells
    ]
    return f"| `{policy}` | {' | '.join(told)} |"
