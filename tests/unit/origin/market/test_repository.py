"""Code repositories of a told story: pure functions of story and moment, nothing before its time."""

from __future__ import annotations

import re

import pytest

from caia_replay.origin.act.birth import PROJECTS
from caia_replay.origin.deed import done
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.repository import Repositories
from caia_replay.origin.scene import Scene

DAY_S = 86_400


@pytest.fixture(scope="module")
def code(scene: Scene, book: MarketBook) -> Repositories:
    """The repositories of the small economy."""
    return Repositories(scene, book)


def test_equal_seeds_make_equal_repositories(scene: Scene, book: MarketBook, code: Repositories) -> None:
    """Made twice, everything is equal; shas are 40 hex digits and no two commits share one."""
    again = Repositories(scene, book)
    assert again.repositories == code.repositories and again.accounts == code.accounts
    shas = [commit.sha for home in code.repositories.values() for commit in home.past.commits]
    assert len(set(shas)) == len(shas) > 2_000
    assert all(re.fullmatch(r"[0-9a-f]{40}", sha) for sha in shas)


def test_network_and_projects_have_an_organisation(scene: Scene, book: MarketBook, code: Repositories) -> None:
    """Each is named as the project's id, and owns one to three repositories; some outsiders have one too."""
    for role in ("native", *PROJECTS):
        login = scene.projects[role].id
        owned = [one for one in code.repositories.values() if one.owner.login == login]
        assert login in code.organisations and 1 <= len(owned) <= 3
    outside = set(code.organisations) - {scene.projects[role].id for role in ("native", *PROJECTS)}
    assert outside and outside <= {coin.id for coin in book.coins if not coin.platforms}


def test_people_are_the_crowd(scene: Scene, code: Repositories) -> None:
    """Every commit and issue is by a handle of the story's people, and contributors are counted from commits."""
    handles = {person.handle for person in scene.people.crowd}
    for home in code.repositories.values():
        assert {commit.author.login for commit in home.past.commits} <= handles
        assert {issue.author.login for issue in home.past.issues} <= handles
        counted = home.contributors(scene.main.calendar.midnight(70))
        assert sum(count for _, count in counted) == len(home.commits(scene.main.calendar.midnight(70)))
        assert [count for _, count in counted] == sorted((count for _, count in counted), reverse=True)


def test_nothing_is_there_before_its_time(scene: Scene, code: Repositories) -> None:
    """At any moment commits are pushed, releases published, issues opened, and figures only grow."""
    calendar = scene.main.calendar
    moments = [calendar.midnight(0) - 300 * DAY_S, *(calendar.midnight(day) + 77 for day in (3, 50, 125))]
    for home in code.repositories.values():
        seen = []
        for now in moments:
            assert all(commit.pushed_at <= now for commit in home.commits(now))
            assert all(one.published_at <= now for one in home.releases(now))
            assert all(one.opened_at <= now for one in home.issues(now))
            assert home.pushed_at(now) <= home.changed_at(now) <= now
            seen.append((len(home.commits(now)), len(home.releases(now)), home.stars(now), home.forks(now)))
        assert seen == sorted(seen) and all(sorted(figures) == list(figures) for figures in zip(*seen, strict=True))


def test_the_newest_commit_may_be_older_than_its_push(code: Repositories) -> None:
    """Some commits carry a date before their push; between the two they are in no answer."""
    late = [(home, commit) for home in code.repositories.values() for commit in home.past.commits
            if commit.pushed_at > commit.committed_at]  # fmt: skip
    assert len(late) > 200 and all(not commit.merged for _, commit in late)
    home, commit = late[0]
    assert commit not in home.commits(commit.pushed_at - 1) and commit in home.commits(commit.pushed_at)


def test_latest_is_the_newest_full_release(scene: Scene, code: Repositories) -> None:
    """Pre-releases are never the latest, and the front page names it."""
    home = code.repositories[f"{scene.projects['lend'].id}/contracts"]
    for day in (0, 60, 126):
        now = scene.main.calendar.midnight(day)
        newest = home.latest(now)
        assert newest is not None and not newest.is_early and f"Latest release: {newest.tag}." in home.readme(now)


def test_the_fee_vault_is_released_before_its_vote(scene: Scene, code: Repositories) -> None:
    """The lender's second vault is published before the proposal that upgrades it, and the vote is an issue there."""
    home = code.repositories[f"{scene.projects['lend'].id}/contracts"]
    proposed = next(done(scene.main.deeds, "proposed", "upgrade the fee vault"))
    moment = scene.main.calendar.times[proposed.block]
    assert any("Fee vault 2" in one.notes for one in home.releases(moment))
    assert all("Fee vault 2" not in one.notes for one in home.releases(moment - 10 * DAY_S))
    vote = next(issue for issue in home.past.issues if issue.title == "Vote: upgrade the fee vault")
    executed = scene.main.calendar.times[next(done(scene.main.deeds, "executed", "upgrade the fee vault")).block]
    assert vote.opened_at > moment and vote.closed_at is not None and vote.closed_at > executed


def test_owned_repositories_are_newest_first(scene: Scene, code: Repositories) -> None:
    """An owner's list is by creation; one that does not exist yet is not in it."""
    login = scene.projects["native"].id
    now = scene.main.calendar.midnight(5)
    owned = code.owned_by(login, now)
    assert len(owned) == 3 and [one.created_at for one in owned] == sorted(
        (one.created_at for one in owned), reverse=True
    )
    assert code.owned_by(login, owned[-1].created_at - 1) == []
