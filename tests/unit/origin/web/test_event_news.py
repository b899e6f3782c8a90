"""Articles on what happened."""

from __future__ import annotations

from itertools import islice

from caia_replay.origin.web import event_news
from caia_replay.origin.web.truth import Truth


def test_two_calls_give_the_same_pages(truth: Truth) -> None:
    """In the same order, word for word."""
    assert list(islice(event_news.pages(truth), 90)) == list(islice(event_news.pages(truth), 90))


def test_an_event_is_told_by_several_outlets_in_their_own_words(truth: Truth) -> None:
    """Never twice by one of them, and no two alike."""
    launched = truth.scene.projects["launch 1"].name
    found = [one.page for one in islice(event_news.pages(truth), 60) if launched in one.page.text]
    sites = [page.url.split("/")[2] for page in found]
    assert len(sites) == len(set(sites)) > 1
    assert len({page.text for page in found}) == len(found)
