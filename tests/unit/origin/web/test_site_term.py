"""Terms of what projects run."""

from __future__ import annotations

from caia_replay.origin.deed import done
from caia_replay.origin.web.site_term import contracts_of, grants, terms_of
from caia_replay.origin.web.truth import ROLES, Truth


def test_limits_of_lending_are_those_deployed(truth: Truth) -> None:
    """Loan and liquidation limits read as in the deeds that opened the markets."""
    slots = terms_of(truth, "lend", truth.midnight(50))
    for role in ("native", "exchange"):
        deed = next(done(truth.scene.main.deeds, "opened", f"{role} lending market"))
        assert slots[f"{role}_ltv"] == f"{deed.figure('ltv_bps') / 100:g}%"
        assert slots[f"{role}_limit"] == f"{deed.figure('liquidation_bps') / 100:g}%"


def test_the_airdrop_is_unknown_before_it_opens(truth: Truth) -> None:
    """Its terms are there from its opening on."""
    opened = [at for at, _ in truth.happened("opened airdrop")]
    assert opened and "drop_end" not in terms_of(truth, "social", opened[0] - 1)
    assert "drop_end" in terms_of(truth, "social", opened[0])


def test_every_grant_is_in_the_calendar(truth: Truth) -> None:
    """All deeds of granting, once each; cliffs lie between start and end."""
    found = [grant for role in ROLES for grant in grants(truth, role)]
    assert len(found) == len(list(done(truth.scene.main.deeds, "granted")))
    assert all(start <= cliff <= end for _, start, cliff, end, _ in found)


def test_listed_contracts_are_on_a_chain(truth: Truth) -> None:
    """Every address that is listed is a contract's."""
    made = {one.address for stage in (truth.scene.main, truth.scene.rollup) for one in stage.contracts.values()}
    for role in ROLES:
        assert {told.words for _, told in contracts_of(truth, role, truth.midnight(100))} <= made
