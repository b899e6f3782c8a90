"""The fake-audit family."""

from __future__ import annotations

import re

from hypothesis import given, settings

from caia_replay.attacks.fake_audit import FakeAudit
from caia_replay.core.attack import Dose, Planting, Target
from tests.attack_view import IndexedView, target
from tests.planted_page_law import ASKED, DOSES, check, plan

FAMILY = FakeAudit()


@settings(max_examples=25, deadline=None)
@given(ASKED, DOSES)
def test_it_keeps_the_laws_of_planted_pages(asked: Target, dose: Dose) -> None:
    """Every kind of answer, every dose."""
    assert check(FAMILY, asked, dose)


def test_without_a_lie_it_does_not_apply() -> None:
    """An open question has no wrong answer that could be told."""
    assert "kind open" in str(plan(FAMILY, target("open", "x"), Dose()))


def test_it_reads_like_a_report() -> None:
    """A report's number, its scope, a table of findings with the claim among them."""
    made = plan(FAMILY, target(), Dose())
    assert isinstance(made, Planting)
    page = made.pages[0].page
    assert re.search(r"Report ID: [A-Z]{3}-\d{6}\n", page.text) and "## Scope of the engagement" in page.text
    assert f"| D | {target().said(made.pages[0].answer)} |" in page.text and "/reports/" in page.url
    assert IndexedView().under(made).search(target().query, 3)[0].page.altered_by
