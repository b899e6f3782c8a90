"""What a project can say of itself at a moment."""

from __future__ import annotations

from caia_replay.origin.web.page import Told
from caia_replay.origin.web.site_fact import facts_of, figures_of, outdated
from caia_replay.origin.web.truth import ROLES, Truth
from tests.site_law import MEASURED, holds


def test_figures_are_those_of_the_truth(truth: Truth) -> None:
    """Whatever the form, a figure is right to within its last digit, and of no later moment."""
    for role in ROLES:
        for day in (1, 40, truth.days - 1):
            moment = truth.midnight(day) + 50_000
            for told in figures_of(truth, truth.subject(role), moment, f"test/{role}/{day}").values():
                if told.claim is not None:
                    assert told.claim.moment <= moment
                    assert told.claim.kind not in MEASURED or holds(truth, told.claim)


def test_outdated_figures_are_old_and_different(truth: Truth) -> None:
    """What is told as stale was true then and reads otherwise now."""
    subject, moment = truth.subject("exchange"), truth.midnight(90)
    before = truth.midnight(40)
    now = figures_of(truth, subject, moment, "test")
    old = outdated(truth, subject, moment, before, "test")
    assert old
    for name, told in old.items():
        assert told.claim is not None and told.claim.status == "stale" and told.claim.moment <= before
        assert told.words != now[name].words


def test_before_the_story_there_are_no_figures(truth: Truth) -> None:
    """A year before only code and names are known."""
    found = figures_of(truth, truth.subject("lend"), truth.midnight(-60), "test")
    assert set(found) <= {"release"}


def test_one_wrong_figure_is_known_to_its_maker(truth: Truth) -> None:
    """A page drawn to be mistaken says which figure it is and what is right."""
    subject, moment = truth.subject("arena"), truth.midnight(60)
    drawn = [facts_of(truth, subject, moment, f"test/{number}") for number in range(120)]
    wrong = [one for one in drawn if one.wrong]
    assert 0 < len(wrong) < 30
    for one in wrong:
        told = one.slots[one.wrong]
        assert isinstance(told, Told) and told.claim is not None and told.claim.status == "mistaken"
        assert one.right is not None and one.right.words != told.words
