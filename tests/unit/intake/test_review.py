"""What reviews come to: which count, when a question passes, and that nobody's word is lost or counted twice."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from caia_replay.core.gold import GoldChain
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.intake.ledger import Ledger
from caia_replay.intake.question import Question, add_questions
from caia_replay.intake.review import agreement, tally, write_review
from caia_replay.intake.rubric import read_rubric
from caia_replay.intake.trial import Draft, draft_of, save_draft

ONE = Question("Which block?", "12", author="Ana")
RULES = read_rubric(Path("/nowhere")).review
DRAFT = Draft(AnswerSpec("number", ("12",)), GoldChain((), ""), "mini", 30)


def give(folder: Path, by: str, points: int, conflict: str = "") -> None:
    """A review with the same points for every criterion."""
    given = {one.id: points for one in RULES.criteria}
    write_review(Ledger(folder), ONE.id, by, RULES, points=given, notes="", conflict=conflict)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An intake folder with one question."""
    add_questions(tmp_path, [ONE])
    return tmp_path


def test_four_reviews_make_a_score(folder: Path) -> None:
    """Three leave it open; with the fourth the highest and the lowest are left out and the rest is averaged."""
    for by, points in (("ben", 1), ("cid", 4), ("dan", 4)):
        give(folder, by, points)
    found = tally(Ledger(folder), ONE.id, ONE, RULES)
    assert (found.outcome, found.missing, found.score) == ("open", 1, None)
    give(folder, "eve", 5)
    found = tally(Ledger(folder), ONE.id, ONE, RULES)
    assert (found.outcome, found.score, found.apart, found.is_disputed) == ("passed", Fraction(4), Fraction(4), True)


def test_a_reviewer_who_always_says_five_passes_nothing(folder: Path) -> None:
    """One enthusiast among four who give two points leaves the score at two."""
    for by, points in (("ben", 2), ("cid", 2), ("dan", 2), ("fan", 5)):
        give(folder, by, points)
    found = tally(Ledger(folder), ONE.id, ONE, RULES)
    assert (found.outcome, found.score) == ("failed", Fraction(2))


def test_what_does_not_count_is_told(folder: Path) -> None:
    """The author, a stated conflict, and a review of an earlier draft are shown with their reason and do not count."""
    for by, conflict in (("ana", ""), ("ben", "I hold MARE."), ("cid", "")):
        give(folder, by, 5, conflict)
    asides = {one.by: one.aside for one in tally(Ledger(folder), ONE.id, ONE, RULES).reviews}
    assert asides == {"ana": "the reviewer is the author", "ben": "conflict of interest: I hold MARE.", "cid": ""}
    save_draft(Ledger(folder), ONE.id, "dan", DRAFT)
    asides = {one.by: one.aside for one in tally(Ledger(folder), ONE.id, ONE, RULES).reviews}
    assert asides["cid"] == "the draft answer has changed since"
    give(folder, "cid", 5)
    assert [one.by for one in tally(Ledger(folder), ONE.id, ONE, RULES).counted] == ["cid"]


def test_a_second_review_takes_the_place_of_the_first(folder: Path) -> None:
    """A reviewer counts once, with the newest review; the old one stays in the ledger; an equal one writes nothing."""
    for points in (1, 5, 5):
        give(folder, "ben", points)
    ledger = Ledger(folder)
    assert [one.score for one in tally(ledger, ONE.id, ONE, RULES).counted] == [5]
    assert len(ledger.entries(ONE.id, "review")) == 2


def test_reviews_of_two_branches_are_not_guessed(folder: Path) -> None:
    """One person's two reviews that know nothing of each other count neither, until a third replaces both."""
    give(folder, "ben", 1)
    (path,) = (folder / "ledger" / ONE.id).iterdir()
    kept = path.read_bytes()
    path.unlink()
    give(folder, "ben", 5)
    path.write_bytes(kept)
    found = tally(Ledger(folder), ONE.id, ONE, RULES)
    assert not found.counted and "ben must review again" in found.reviews[0].aside
    give(folder, "ben", 3)
    assert [one.score for one in tally(Ledger(folder), ONE.id, ONE, RULES).counted] == [3]


def test_drafts_of_two_branches_are_not_guessed(folder: Path) -> None:
    """Two drafts that stand are named; saving one settles it."""
    save_draft(Ledger(folder), ONE.id, "ben", DRAFT)
    (path,) = (folder / "ledger" / ONE.id).iterdir()
    kept = path.read_bytes()
    path.unlink()
    save_draft(Ledger(folder), ONE.id, "cid", Draft(AnswerSpec("number", ("13",)), DRAFT.gold, "mini", 30))
    path.write_bytes(kept)
    with pytest.raises(BadInput, match="two draft answers stand after a merge, by ben, cid"):
        draft_of(Ledger(folder), ONE.id)
    save_draft(Ledger(folder), ONE.id, "eve", DRAFT)
    assert draft_of(Ledger(folder), ONE.id) == DRAFT


def test_agreement_is_over_what_counts(folder: Path) -> None:
    """Reviews that do not count are no part of the agreement; nothing to compare is not agreement."""
    for by, points in (("ana", 1), ("ben", 5), ("cid", 5)):
        give(folder, by, points)
    found = tally(Ledger(folder), ONE.id, ONE, RULES)
    assert agreement([found]) is None
    give(folder, "cid", 4)
    assert agreement([tally(Ledger(folder), ONE.id, ONE, RULES)]) == 0


def test_points_off_the_scale_are_refused(folder: Path) -> None:
    """Six points, and a criterion left out, write nothing."""
    for points in (6, 0):
        with pytest.raises(BadInput, match="give 1 to 5 points"):
            give(folder, "ben", points)
    assert not (folder / "ledger").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('passes = "3.5"', 'passes = "six"'), "no number of points"),
        (("least = 4 ", "least = 2 "), "nothing would be left"),
        (('id = "clear"', 'id = "right"'), "one id twice"),
        (('id = "clear"', 'id = "<b>"'), "wanted a-z"),
    ],
)
def test_a_folders_own_rubric_is_checked(folder: Path, change: tuple[str, str], told: str) -> None:
    """A rubric of one's own takes the place of ours, and one that makes no sense is refused in a line."""
    import caia_replay.intake.rubric as module

    text = Path(module.__file__).with_name("rubric.toml").read_text("utf-8")
    (folder / "rubric.toml").write_text(text.replace("least = 4", "least = 7"))
    assert read_rubric(folder).review.least == 7
    assert change[0] in text
    (folder / "rubric.toml").write_text(text.replace(*change))
    with pytest.raises(BadInput, match=told):
        read_rubric(folder)
