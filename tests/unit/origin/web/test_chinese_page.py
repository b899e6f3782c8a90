"""Tests of the Chinese documentation, forums and dashboard notes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from caia_replay.origin.web import chinese_page
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.place import docs
from caia_replay.origin.web.shingle import alike, shingles
from caia_replay.origin.web.truth import ROLES, Truth
from caia_replay.origin.web.web import masked_names, page_faults


@pytest.fixture(scope="module")
def pages(truth: Truth) -> list[WebPage]:
    """All of them."""
    return list(chinese_page.pages(truth))


def test_every_page_keeps_the_rules(truth: Truth, pages: list[WebPage]) -> None:
    """Claims stand in the text and are of before the page, addresses are unique, all is Chinese."""
    assert [(made.page.url, fault) for made in pages for fault in page_faults(made, truth)] == []
    assert len({made.page.url for made in pages}) == len(pages)
    assert {made.page.language for made in pages} == {"zh"}
    assert list(chinese_page.pages(truth)) == pages


def test_every_project_has_chinese_documentation(truth: Truth, pages: list[WebPage]) -> None:
    """Undated, by nobody, and beside the English chapters."""
    urls = {made.page.url: made.page for made in pages}
    for role in ROLES:
        for chapter in ("overview", "tokenomics", "faq"):
            page = urls[docs(truth.subject(role), f"zh/{chapter}")]
            assert page.published is None and page.first_seen is not None and page.author == ""


def test_contract_pages_state_the_contracts(truth: Truth, pages: list[WebPage]) -> None:
    """The token's address is on the page, as a claim; the chain's own coin has no such page."""
    urls = {made.page.url: made for made in pages}
    assert docs(truth.subject("native"), "zh/contracts") not in urls
    for role in ROLES[1:]:
        made = urls[docs(truth.subject(role), "zh/contracts")]
        assert truth.scene.assets[role].address in made.page.text
        assert any(claim.kind == "address" for claim in made.claims)


def test_topics_have_an_author_and_a_date(pages: list[WebPage]) -> None:
    """People write in forums; boards and papers are by nobody."""
    count = Counter(made.kind for made in pages)
    assert count["forum"] >= 30 and count["dashboard"] >= 8
    for made in pages:
        assert (made.kind == "forum") == bool(made.page.author) == (made.page.published is not None)


def test_hardly_a_page_is_like_another(truth: Truth, pages: list[WebPage]) -> None:
    """With names and numbers masked, at most one pair in a hundred pages."""
    names = masked_names(truth)
    pairs = alike([shingles(made.page.text, names) for made in pages], Fraction(1, 2))
    assert len({place for pair in pairs for place in (pair.first, pair.second)}) <= len(pages) / 40
