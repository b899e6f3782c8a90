"""How a list is cut into pages."""

from __future__ import annotations

import pytest

from caia_replay.origin.services.github_page import page_of

AT = "https://api.github.com/x"


def test_a_short_list_has_no_link() -> None:
    """What fits on one page leads nowhere."""
    page = page_of(range(30), "/x", {})
    assert (list(page.items), page.link) == (list(range(30)), "")


def test_a_middle_page_leads_everywhere() -> None:
    """Before, after, last and first, with what was asked kept in the addresses."""
    page = page_of(range(10), "/x", {"q": "a b", "per_page": "3", "page": "2"})
    assert list(page.items) == [3, 4, 5]
    places = (("prev", 1), ("next", 3), ("last", 4), ("first", 1))
    assert page.link == ", ".join(f'<{AT}?q=a+b&per_page=3&page={at}>; rel="{name}"' for name, at in places)


def test_first_and_last_page_lead_one_way() -> None:
    """The first names next and last, the last prev and first."""
    assert page_of(range(4), "/x", {"per_page": "2"}).link == (
        f'<{AT}?per_page=2&page=2>; rel="next", <{AT}?per_page=2&page=2>; rel="last"'
    )
    assert page_of(range(4), "/x", {"per_page": "2", "page": "2"}).link == (
        f'<{AT}?per_page=2&page=1>; rel="prev", <{AT}?per_page=2&page=1>; rel="first"'
    )


@pytest.mark.parametrize(("size", "count"), [("250", 100), ("0", 30), ("-4", 30), ("many", 30), ("", 30), ("7", 7)])
def test_sizes_have_limits(size: str, count: int) -> None:
    """At most a hundred; what is no number from 1 up counts as thirty."""
    assert len(page_of(range(200), "/x", {"per_page": size}).items) == count


def test_a_page_behind_the_end_is_empty() -> None:
    """It still leads back."""
    page = page_of(range(3), "/x", {"per_page": "2", "page": "9"})
    assert list(page.items) == [] and 'rel="prev"' in page.link and f'<{AT}?per_page=2&page=2>; rel="last"' in page.link
