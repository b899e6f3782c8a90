"""The small grammars of commits, issues, notes and pages."""

from __future__ import annotations

from caia_replay.origin.act.birth import PROJECTS
from caia_replay.origin.dice import Dice
from caia_replay.origin.market.repository_words import ABOUT, notes, readme, subject, things, wish


def test_every_project_has_its_own_words() -> None:
    """Network and projects are described, and each speaks of other things than its neighbours."""
    assert set(ABOUT) == {"native", *PROJECTS}
    spoken = [frozenset(things(role, "contracts")) for role in ABOUT]
    assert len(set(spoken)) == len(spoken)
    assert set(things("outsider 3", "core")) & set(things("outsider 9", "core"))


def test_subjects_vary_and_fit() -> None:
    """Two hundred draws give a hundred different lines, all of the project's things."""
    dice = Dice("words")
    said = [subject(dice, "lend", "contracts", tagged=number % 2 == 0) for number in range(200)]
    assert len(set(said)) > 100
    assert all(any(thing in line for thing in things("lend", "contracts")) for line in said)
    assert all((": " in line) == (number % 2 == 0) and "\n" not in line for number, line in enumerate(said))


def test_pages_write_only_of_what_is_made_or_explained() -> None:
    """In a repository of pages every tagged subject is of pages or of housekeeping."""
    dice = Dice("pages")
    assert {subject(dice, "lend", "docs", True).split(":")[0] for _ in range(60)} == {"docs", "chore"}


def test_an_issue_has_title_text_and_label() -> None:
    """A title that begins with a capital, one text, one label."""
    for number in range(40):
        title, text, labels = wish(Dice(f"wish/{number}"), "feeds", "contracts")
        assert title[0].isupper() and text.endswith(".") and len(labels) == 1


def test_notes_and_front_page() -> None:
    """Notes list what was done; a front page names the latest release, and says that it is synthetic."""
    assert notes("v1.0.0", ["feat: a", "fix: b"]) == "## v1.0.0\n\n* feat: a\n* fix: b"
    assert notes("v1.0.1", []) == "## v1.0.1\n\n* Maintenance only"
    page = readme("o/r", "O r", "About", "o.example", "v1.0.0", "MIT")
    assert "Latest release: v1.0.0." in page and "synthetic" in page
    assert "No release yet." in readme("o/r", "O r", "About", "o.example", None, "MIT")
