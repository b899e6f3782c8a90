"""Occasions of forums."""

from __future__ import annotations

from collections import Counter

from caia_replay.origin.act.birth import PROJECTS
from caia_replay.origin.web.forum_occasion import occasions
from caia_replay.origin.web.page import Told
from caia_replay.origin.web.reading import Reading
from caia_replay.origin.web.truth import Truth


def test_no_occasion_comes_before_what_it_knows(truth: Truth) -> None:
    """Claims among an occasion's slots are of its moment or earlier, and every forum has occasions."""
    found = list(occasions(truth, Reading(truth)))
    assert {one.role for one in found} == set(PROJECTS)
    for one in found:
        for told in one.slots.values():
            assert not isinstance(told, Told) or told.claim is None or told.claim.moment <= one.moment


def test_events_are_talked_about(truth: Truth) -> None:
    """Proposals, results, dry pools, their relief, airdrops, burns and scams give occasions where they happened."""
    kinds = Counter(one.kind for one in occasions(truth, Reading(truth)))
    assert kinds["propose"] == 3 * len(list(truth.happened("proposed")))
    assert kinds["burn"] == 2 * len(list(truth.happened("announced a burn")))
    assert kinds["airdrop"] == 6 * len(list(truth.happened("opened airdrop")))
    assert all(kinds[kind] for kind in ("dry", "result", "scam", "release", "crash"))
