"""The block explorer."""

from __future__ import annotations

import pytest

from caia_replay.origin.web import place
from caia_replay.origin.web.explorer_page import pages
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.truth import Truth
from tests.page_law import check_writer


@pytest.fixture(scope="module")
def made(truth: Truth) -> list[WebPage]:
    """Every page of the small economy."""
    return list(pages(truth))


def test_the_laws_of_all_pages_hold(truth: Truth, made: list[WebPage]) -> None:
    """As tests/page_law.py has them: addresses, claims, slots, a second writing, and few that are alike."""
    check_writer(truth, pages, made)


def test_every_token_of_a_project_has_its_page(truth: Truth, made: list[WebPage]) -> None:
    """The addresses that others link to exist and print the contract whole."""
    known = {one.page.url: one for one in made}
    for role, asset in truth.scene.assets.items():
        assert asset.address in known[place.token_page(truth, asset.address)].page.text, role


def test_an_explorer_is_right(made: list[WebPage]) -> None:
    """What it states is true of its moment."""
    assert {claim.status for one in made for claim in one.claims} == {"true"}


def test_blocks_have_the_chain_s_own_hash(truth: Truth, made: list[WebPage]) -> None:
    """A block page prints what the living chain says of that block."""
    one = next(one for one in made if "/block/main/" in one.page.url)
    raw = truth.scene.main.ask("eth_getBlockByNumber", hex(int(one.page.url.rpartition("/")[2])), False)
    assert any(str(raw[key]) in one.page.text for key in ("hash", "parentHash"))


def test_a_warning_has_a_reason(truth: Truth, made: list[WebPage]) -> None:
    """Poisoning is written of addresses that a deed made look like another, and of none before that deed."""
    since: dict[str, int] = {}
    for at, deed in (*truth.happened("faked a transfer"), *truth.happened("sent nothing")):
        fake = str(dict(deed.figures)["looks_like"])
        since[fake] = min(at, since.get(fake, at))
    told = [one for one in made if "address poisoning" in one.page.text]
    assert told
    for one in told:
        assert since[one.page.url.rpartition("/")[2]] <= (one.page.first_seen or 0)
