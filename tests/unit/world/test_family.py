"""Recorded questions, found by who serves them and what they ask for."""

from __future__ import annotations

from caia_replay.cassette.identity import identity
from caia_replay.providers.reader import ReaderProvider, page_request
from caia_replay.providers.search_api import SearchApiProvider, search_request
from caia_replay.world.family import Families, family_of

PROVIDERS = (ReaderProvider(), SearchApiProvider())


def key(request: object) -> bytes:
    return identity(request.method, request.url, request.body)  # type: ignore[attr-defined]


def test_questions_that_differ_only_in_length_are_of_one_family() -> None:
    """Ten and a hundred results of one query belong together; another query, a page and a stranger do not."""
    ten, hundred, other = (key(search_request(*asked)) for asked in (("q", 10), ("q", 100), ("p", 10)))
    page, stranger = key(page_request("https://a.example/x")), identity("GET", "https://b.example/")
    families = Families(sorted([hundred, other, page, stranger]), PROVIDERS)
    assert list(families.of(ten, PROVIDERS)) == [hundred]
    assert list(families.of(page, PROVIDERS)) == [page]
    assert list(families.of(stranger, PROVIDERS)) == [] and family_of(stranger, PROVIDERS) is None


def test_a_body_that_is_no_question_belongs_to_nobody() -> None:
    """What its provider cannot read does not end the reading of all the others."""
    broken = identity("POST", "https://google.serper.dev/search", b"not json")
    assert family_of(broken, PROVIDERS) is None
    assert list(Families([broken], PROVIDERS).of(broken, PROVIDERS)) == []
