"""People: known by role or handle, and nobody twice."""

from __future__ import annotations

from caia_replay.origin.naming import Namer
from caia_replay.origin.people import CROWD, ROLES, draw_people


def test_two_seeds_share_nobody() -> None:
    """Every wallet and handle of a seed is its own; all are different people."""
    first, second = (draw_people(seed, Namer(seed)) for seed in (1, 2))
    addresses = [{str(one.address) for one in people.wallets()} for people in (first, second)]
    handles = [{person.handle for person in people.crowd} for people in (first, second)]
    assert [len(found) for found in addresses] == [CROWD + len(ROLES)] * 2
    assert not addresses[0] & addresses[1] and not handles[0] & handles[1]
    assert len(handles[0]) == CROWD


def test_addresses_are_lower_case() -> None:
    """By role and by person, as the ledger writes them; a seed means the same people."""
    people, again = (draw_people(5, Namer(5)) for _ in range(2))
    assert people.address("treasury") == again.address("treasury") == people.address("treasury").lower()
    assert people.crowd[3].address == again.crowd[3].address == people.crowd[3].address.lower()
