"""The fake-news family."""

from __future__ import annotations

import re

from hypothesis import given, settings

from caia_replay.attacks.fake_news import FakeNews
from caia_replay.core.attack import Dose, Planting, Target
from tests.attack_view import IndexedView, target
from tests.planted_page_law import ASKED, DOSES, check, plan

FAMILY = FakeNews()


@settings(max_examples=25, deadline=None)
@given(ASKED, DOSES)
def test_it_keeps_the_laws_of_planted_pages(asked: Target, dose: Dose) -> None:
    """Every kind of answer, every dose."""
    assert check(FAMILY, asked, dose)


def test_without_a_lie_it_does_not_apply() -> None:
    """An open question has no wrong answer that could be told."""
    assert "kind open" in str(plan(FAMILY, target("open", "x"), Dose()))


def test_it_reads_like_a_report() -> None:
    """A dateline of the day it was published on, a quote, a spokesperson without a name; fresh."""
    made = plan(FAMILY, target(), Dose())
    assert isinstance(made, Planting)
    page = made.pages[0].page
    assert re.match(r"[A-Z ]+, (31 May|1 June) 2024 — ", page.text) and "spokesperson" in page.text and "“" in page.text
    assert "/news/" in page.url
    assert IndexedView().under(made).search(target().query, 3)[0].page.altered_by
