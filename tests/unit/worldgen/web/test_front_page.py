"""Front pages: every site has one, and it tells of nothing that was not out yet."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from caia_worldgen.web.front_page import front_pages
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import MOST_ALIKE, Web, page_faults, share_alike

pytestmark = pytest.mark.check


def test_every_site_has_a_front_page_that_lists_what_was_out(truth: Truth, web: Web) -> None:
    """One for each host that has none, undated, no two alike; its links lead to pages of its site known by then."""
    made, known = list(front_pages(truth, web.pages)), {one.page.url: one.page.known_since or 0 for one in web.pages}
    hosts = {urlsplit(url).netloc for url in known}
    assert {f"https://{host}/" for host in hosts} == {one.page.url for one in made} | {
        url for url in known if urlsplit(url).path == "/"
    }
    assert len(made) > 30 and not known.keys() & {one.page.url for one in made}
    for one in made:
        assert one.page.published is None and list(page_faults(one, truth)) == []
        links = re.findall(r"\]\((\S+)\)", one.page.text)
        assert links and all(known[link] <= (one.page.first_seen or 0) for link in links)
        assert {urlsplit(link).netloc for link in links} == {urlsplit(one.page.url).netloc}
    assert share_alike((*web.pages, *made), truth) <= MOST_ALIKE
