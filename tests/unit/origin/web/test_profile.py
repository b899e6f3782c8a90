"""Profiles of accounts."""

from __future__ import annotations

from caia_replay.origin.web.profile import users
from caia_replay.origin.web.truth import Truth


def test_every_account_has_a_profile(truth: Truth) -> None:
    """Everybody of the cast, once, with words of their own, older than the story; two calls are equal."""
    found = users(truth)
    assert [one.handle for one in found] == sorted(one.handle for one in truth.cast.accounts)
    assert all(one.bio and one.created < truth.begun and one.followers > 0 for one in found)
    assert found == users(truth)


def test_projects_are_verified_and_bots_are_not(truth: Truth) -> None:
    """Verification goes by what an account is; who speaks for a site names it; Chinese accounts write Chinese."""
    by_handle = {one.handle: one for one in users(truth)}
    for account in truth.cast.accounts:
        made = by_handle[account.handle]
        assert made.verified or account.manner != "project"
        assert not (made.verified and account.manner in ("bot", "holder"))
        if account.of:
            assert ".example/" in made.bio
        if account.language == "zh":
            assert any("一" <= letter <= "鿿" for letter in made.bio)
