"""What a lie costs, on the whole execution suite: the table of docs/execution.md measured again."""

from __future__ import annotations

import pytest

from tests.attack_runs import EXECUTION as SUITE
from tests.attack_runs import POLICIES, losses_row, played, records, told_rows


@pytest.mark.soak
@pytest.mark.parametrize("policy", POLICIES)
def test_losses_are_as_the_docs_tell(policy: str) -> None:
    """What is passed, left undone, sent and lost in both arms, to the cent."""
    assert losses_row(policy) in told_rows("execution.md")


@pytest.mark.soak
def test_what_is_lost_is_the_same_on_every_attempt() -> None:
    """Two replays of the credulous have equal certificates in both arms, transactions and receipts included."""
    digests = []
    for _ in range(2):
        with played("credulous", ("clean", "attacked"), suite=SUITE) as done:
            digests.append([cell["digest"] for cell in done.summaries])
            sent = sum(len(run["execution"]["sent"]) for run in records(done, "attacked"))
    assert digests[0] == digests[1] and None not in digests[0] and sent > 20
