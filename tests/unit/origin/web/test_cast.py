"""Who writes, speaks and invests."""

from __future__ import annotations

from caia_replay.origin.naming import Namer
from caia_replay.origin.web.truth import ROLES, Truth


def test_nobody_can_be_taken_for_somebody_else(truth: Truth) -> None:
    """Handles, sites and names of outlets and funds are all different, and none is a project's."""
    cast = truth.cast
    outlets = (*cast.newsrooms, *cast.desks, *cast.screens, cast.explorer, cast.venue)
    sites = [*(one.site for one in outlets), *(one.site for one in truth.subjects.values())]
    handles = [one.handle for one in cast.accounts] + [one.handle for one in truth.scene.people.crowd]
    for names in (sites, handles, cast.funds, [one.name for one in outlets]):
        assert len(set(names)) == len(list(names))
    assert all(site.endswith(".example") for site in sites)


def test_projects_and_outlets_have_a_voice_and_projects_a_team(truth: Truth) -> None:
    """Each story project and each outlet speaks through one account; each project and outsider has members."""
    cast = truth.cast
    for role in ROLES:
        assert cast.account_of(truth.subject(role).id).manner == "project"
        assert len({member.name for member in cast.teams[role]}) == len(cast.teams[role]) >= 4
    assert all(cast.account_of(one.id).of == one.id for one in (*cast.newsrooms, *cast.desks))
    assert all(cast.teams[one.id] for one in truth.outsiders())


def test_speakers_take_no_project_s_name() -> None:
    """Names of five consonants are drawn beside those of four and change none of them; two seeds share none."""
    plain, spoken = Namer(3), Namer(3)
    first = [plain.word() for _ in range(20)]
    assert [spoken.word() for _ in range(20)] == first
    speakers = [spoken.speaker() for _ in range(400)]
    assert len({name[:3] for name in speakers} | {name[:3] for name, _ in first}) == 420
    assert not set(speakers) & {Namer(4).speaker() for _ in range(1)}
