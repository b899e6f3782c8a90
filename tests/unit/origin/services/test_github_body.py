"""Bodies in the vendor's shape."""

from __future__ import annotations

import base64
import hashlib

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.repository import Repositories, Repository
from caia_replay.origin.scene import Scene
from caia_replay.origin.services import github_body as body


@pytest.fixture(scope="module")
def home(scene: Scene, book: MarketBook) -> Repository:
    """The lender's contracts."""
    return Repositories(scene, book).repositories[f"{scene.projects['lend'].id}/contracts"]


def test_a_moment_is_written_as_the_vendor_does() -> None:
    """Seconds, UTC, with a Z."""
    assert body.iso(1_715_000_000) == "2024-05-06T12:53:20Z"


def test_a_merged_commit_is_the_servers(home: Repository) -> None:
    """What the server merged names it as committer and when it was verified; what was pushed is unsigned."""
    merged = next(one for one in home.past.commits if one.merged)
    pushed = next(one for one in home.past.commits if not one.merged)
    told, other = body.commit(home, merged), body.commit(home, pushed)
    assert told["committer"]["login"] == "web-flow"
    assert told["commit"]["verification"]["verified_at"] == body.iso(merged.committed_at)
    assert other["committer"]["login"] == pushed.author.login and not other["commit"]["verification"]["verified"]


def test_a_whole_commit_adds_up(home: Repository) -> None:
    """Totals are the sums of its files, and the first commit has no parent."""
    told = body.whole_commit(home, home.past.commits[0])
    assert told["parents"] == [] and told["stats"]["total"] == sum(file["changes"] for file in told["files"])
    assert told["stats"]["total"] == told["stats"]["additions"] + told["stats"]["deletions"]


def test_a_file_is_its_content_and_its_blob(home: Repository) -> None:
    """Base64 of the text, its size, and the name git gives such bytes."""
    told = body.file(home, "README.md", "hello\n")
    assert base64.b64decode(told["content"]) == b"hello\n" and told["size"] == 6
    assert [len(line) for line in body.file(home, "x", "y" * 70)["content"].split("\n")] == [60, 36, 0]
    assert told["sha"] == hashlib.sha1(b"blob 6\0hello\n").hexdigest() == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_an_issue_changes_with_time(home: Repository) -> None:
    """Open, with the remarks made so far, until it is closed; then it says when."""
    issue = next(one for one in home.past.issues if one.closed_at and one.remarks)
    assert issue.closed_at is not None
    before, after = body.issue(home, issue, issue.opened_at), body.issue(home, issue, issue.closed_at)
    assert (before["state"], before["comments"], before["closed_at"]) == ("open", 0, None)
    assert (after["state"], after["comments"]) == ("closed", len(issue.remarks))
    assert before["updated_at"] == before["created_at"] < after["updated_at"]


def test_figures_of_a_repository_agree(home: Repository) -> None:
    """Names that mean the same have the same figure, and every address is below the repository's own."""
    told = body.whole_repository(home, home.past.commits[-1].pushed_at)
    assert told["stargazers_count"] == told["watchers_count"] == told["watchers"]
    assert told["forks"] == told["forks_count"] == told["network_count"]
    assert all(told[name].startswith(told["url"]) for name in ("commits_url", "issues_url", "releases_url", "tags_url"))
    assert told["license"]["spdx_id"] == "AGPL-3.0"
