"""Addresses that writers agree on."""

from __future__ import annotations

from caia_replay.origin.web import place
from caia_replay.origin.web.truth import Truth
from caia_replay.providers.reader import page_url


def test_places_are_addresses_as_they_are_asked_for(truth: Truth) -> None:
    """Each place is spelt as the reader spells it, and no two things share one."""
    lend = truth.subject("lend")
    found = [
        place.home(lend), place.docs(lend, "tokenomics"), place.team(lend), place.forum(lend), place.forum(lend, "a-b"),
        place.token_page(truth, truth.scene.assets["lend"].address), place.board(truth, lend.id),
        place.notice(truth, "listing-a"),
    ]  # fmt: skip
    assert [page_url(url) for url in found] == found and len(set(found)) == len(found)
    assert place.link("docs", found[1]) == f"[docs]({found[1]})"
