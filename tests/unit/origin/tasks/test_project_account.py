"""Whose account speaks for which project."""

from __future__ import annotations

from caia_replay.origin.tasks.project_account import owners
from caia_replay.origin.web.truth import ROLES
from tests.shape_law import Bench


def test_every_project_speaks_for_itself(bench: Bench) -> None:
    """Each project of the story is found by the handle of its own account, and nobody else by any."""
    truth = bench.story.truth
    found = owners(truth)
    assert {one.id for one in found.values()} == {truth.subject(role).id for role in ROLES}
    assert all(truth.cast.account_of(one.id).handle == handle for handle, one in found.items())
