"""What the story makes visible in code repositories, at the right side of its deeds."""

from __future__ import annotations

from caia_replay.origin.deed import done
from caia_replay.origin.market.repository_event import milestones, reports
from caia_replay.origin.scene import Scene


def test_releases_precede_the_deeds_that_need_them(scene: Scene) -> None:
    """The airdrop, the bridge and the first graduation each have their release before them."""
    times, found = scene.main.calendar.times, list(milestones(scene))
    for verb, words in (("opened airdrop", "Merkle"), ("locked", "Vault and minter"), ("graduated", "audit report")):
        moment = times[next(done(scene.main.deeds, verb)).block]
        published = [one.published_at for one in found if words in one.notes]
        assert len(published) == 1 and published[0] < moment, verb


def test_issues_follow_the_deeds_that_raise_them(scene: Scene) -> None:
    """Each vote is an issue, opened after its proposal and closed after its end; nothing closes before it opens."""
    found = list(reports(scene))
    for deed in done(scene.main.deeds, "proposed"):
        issue = next(one for one in found if one.title == f"Vote: {deed.subject}")
        assert issue.opened_at > scene.main.calendar.times[deed.block]
    assert all(one.closed_at is None or one.closed_at > one.opened_at for one in found)
    assert any(one.title.startswith("Liquidations") for one in found)


def test_everything_lies_in_a_repository_that_exists(scene: Scene) -> None:
    """Every role is a project's, every kind one that this project has."""
    told = [(one.role, one.kind) for one in milestones(scene)] + [(one.role, one.kind) for one in reports(scene)]
    assert all(role in scene.projects for role, _ in told)
    assert {kind for _, kind in told} == {"contracts", "launchpad"}
