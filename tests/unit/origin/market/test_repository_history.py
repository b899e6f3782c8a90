"""One repository's past: a line of commits, versions in order, issues with numbers that grow."""

from __future__ import annotations

from collections.abc import Sequence

from caia_replay.origin.market.repository_event import Milestone, Report
from caia_replay.origin.market.repository_history import Account, Past, Plan, draw_past

DAY_S = 86_400
TEAM = tuple(Account(number, f"p{number}", f"P{number}", f"p{number}@mail.example", 0) for number in range(4))


def past(milestones: Sequence[Milestone] = (), reports: Sequence[Report] = (), kind: str = "contracts") -> Past:
    """A year and a half of one repository."""
    return draw_past(
        Plan(3, "a/b", "lend", kind, "Solidity", TEAM, TEAM, 10**9, 10**9 + 500 * DAY_S, milestones, reports)
    )


def test_commits_are_one_line() -> None:
    """Each stands on the one before; dates and pushes never go back, and no push is before its date."""
    commits = past().commits
    assert [one.parent for one in commits] == [None, *(one.sha for one in commits[:-1])]
    assert [one.committed_at for one in commits] == sorted({one.committed_at for one in commits})
    assert [one.pushed_at for one in commits] == sorted(one.pushed_at for one in commits)
    assert all(one.authored_at <= one.committed_at <= one.pushed_at for one in commits)
    assert all(one.pushed_at == one.committed_at for one in commits if one.merged)
    assert {one.merged for one in commits} == {True, False}


def test_versions_rise_and_name_their_commit() -> None:
    """Tags are in order, each release has a commit of its own, dated before the publication."""
    found = past()
    numbers = [tuple(int(part) for part in one.tag[1:].removesuffix("-rc.1").split(".")) for one in found.releases]
    assert numbers == sorted(set(numbers)) and len(numbers) > 4
    dates = {one.sha: one for one in found.commits}
    for one in found.releases:
        assert dates[one.commit].message == f"Release {one.tag}"
        assert one.created_at == dates[one.commit].committed_at < one.published_at
        assert dates[one.commit].pushed_at <= one.published_at
        assert one.is_early == one.tag.endswith("-rc.1")


def test_the_storys_releases_are_there() -> None:
    """A milestone is published at its moment, with its words, and a leap makes a major version."""
    moment = 10**9 + 200 * DAY_S
    found = past([Milestone("lend", "contracts", moment, "Needed by the vote.", True)])
    told = next(one for one in found.releases if one.published_at == moment)
    assert told.tag == "v1.0.0" and "* Needed by the vote." in told.notes and not told.is_early


def test_issues_are_numbered_as_they_come() -> None:
    """Numbers and moments grow together; the story's own is among them, and remarks end with it."""
    report = Report("lend", "contracts", 10**9 + 90 * DAY_S, 10**9 + 95 * DAY_S, "Vote: x", "text", ("governance",))
    issues = past(reports=[report]).issues
    assert [one.number for one in issues] == sorted({one.number for one in issues})
    assert [one.opened_at for one in issues] == sorted(one.opened_at for one in issues)
    told = next(one for one in issues if one.title == "Vote: x")
    assert (told.closed_at, told.labels) == (report.closed_at, ("governance",))
    assert all(one.opened_at < moment <= (one.closed_at or 10**10) for one in issues for moment in one.remarks)


def test_documentation_has_no_releases() -> None:
    """A repository of pages is not released."""
    assert past(kind="docs").releases == ()
