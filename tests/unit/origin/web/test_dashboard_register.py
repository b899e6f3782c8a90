"""Tables of registers."""

from __future__ import annotations

from caia_replay.origin.web.dashboard_register import Registers
from caia_replay.origin.web.reading import Reading
from caia_replay.origin.web.truth import Truth


def test_the_largest_balances_come_first(truth: Truth) -> None:
    """A register of holders claims balances, largest first."""
    made = Registers(truth, Reading(truth)).holders("exchange", truth.midnight(80), ("a", "b"), truth.dice("test"))
    values = [claim.value for claim in made.claims]
    assert len(values) >= 6 and values == sorted(values, reverse=True)
    assert all(claim.kind == "balance" and claim.words in made.text for claim in made.claims)


def test_every_grant_has_its_row(truth: Truth) -> None:
    """A calendar's table has one row for each vesting contract, below its head."""
    for made in truth.metrics.emissions.all():
        table = Registers(truth, Reading(truth)).vesting(made.role, truth.midnight(80), truth.dice("test"))
        assert len(table.text.split("\n")) == 1 + len(made.grants)


def test_treasury_and_desks_are_listed(truth: Truth) -> None:
    """The treasury's lines are balances of its wallet; a desk has six lines."""
    tables = Registers(truth, Reading(truth))
    wallet = truth.scene.people.address("treasury")
    assert all(
        claim.subject.endswith(wallet) for claim in tables.treasury(truth.midnight(80), truth.dice("test")).claims
    )
    assert len(tables.desk("native", truth.midnight(80), truth.dice("test")).text.split("\n")) == 6
