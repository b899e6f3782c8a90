"""What a task can see, as data."""

from __future__ import annotations

import pytest

from caia_replay.core.overlay import Overlay
from caia_replay.core.world import Page, Post


def test_a_page_is_known_since_its_date_or_its_first_sight() -> None:
    """The date counts where there is one, even before the first sight; with neither it is never provably there."""
    dated = Page("https://a.example/", "t", "x", 50, first_seen=90)
    undated = Page("https://a.example/", "t", "x", None, first_seen=90)
    assert (dated.known_since, undated.known_since) == (50, 90)
    assert Page("https://a.example/", "t", "x", None).known_since is None


def test_a_post_stands_where_people_find_it() -> None:
    """Below its author's handle, by its number."""
    assert Post("17", "abc", "gm", 5, "17").url == "https://x.com/abc/status/17"


def test_an_overlay_is_frozen_data_that_adds_nothing_by_itself() -> None:
    """It has a campaign and nothing else unless something is planted, and cannot be changed."""
    overlay = Overlay("none")
    assert (overlay.pages, overlay.posts, overlay.bodies) == ((), (), ())
    with pytest.raises(AttributeError):
        overlay.campaign = "other"  # type: ignore[misc]
