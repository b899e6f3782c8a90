"""The pages of a told web by their addresses, and from when on a task can read them."""

from __future__ import annotations

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shelf import Shelf
from tests.shape_law import Bench


def test_an_undated_page_is_read_from_a_sweep_on_and_a_dated_one_from_its_date(bench: Bench) -> None:
    """No page can be read before it came to be, and an undated one at most a week later."""
    shelf = Shelf(bench.story)
    undated = 0
    for made in bench.story.web.pages:
        since, known = shelf.since(made.page), made.page.known_since
        assert since is not None and known is not None and known <= since <= known + 7 * 86_400, made.page.url
        assert made.page.published is None or since == made.page.published
        undated += since > known
    assert undated


def test_a_height_is_one_at_which_the_page_is_there(bench: Bench) -> None:
    """Heights are the suite's own, at or after the moment from which the page can be read; no page, no height."""
    shelf, stage = Shelf(bench.story), bench.story.scene.main
    for made in bench.story.web.pages[::40]:
        height, since = shelf.height(made.page.url, stage, Dice(made.page.url)), shelf.since(made.page)
        assert since is not None
        if height is None:
            assert stage.calendar.times[bench.story.heights[stage.name][-1]] < since
        else:
            assert height in bench.story.heights[stage.name] and stage.calendar.times[height] >= since
    assert shelf.height("https://nowhere.example/", stage, Dice("none")) is None


def test_pages_are_found_by_their_address_and_their_words(bench: Bench) -> None:
    """Only pages under the address whose title or text holds the words, in the order of their addresses."""
    shelf, made = Shelf(bench.story), bench.story.web.pages[0]
    site = "/".join(made.page.url.split("/")[:3])
    found = shelf.under(site, made.page.title)
    assert made in found and [one.page.url for one in found] == sorted(one.page.url for one in found)
    assert shelf.page(made.page.url) == made and not shelf.under(site, "words that nobody wrote")
