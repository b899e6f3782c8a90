"""The defence ``two-sources``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from caia_replay.core.tool import Served, ToolReply, ToolSpec
from caia_replay.runner.campaign import planned_over
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.tools.said_value import values_in
from caia_replay.tools.two_sources import MASK, UNCONFIRMED, TwoSources
from tests.unit.tools.conftest import Bench

NEWS = "Our desk counted the whole supply of ORCH again this morning and found {} units of it in all wallets."
FORUM = "Somebody asked in the forum how much there is: {} it is, says the team, who looked at the contract itself."


class Told:
    """The catalog's tools; each call answers with the next result it was given."""

    def __init__(self, *results: dict[str, Any]) -> None:
        self.results = list(results)

    def specs(self) -> Sequence[ToolSpec]:
        """The catalog's own."""
        return [tool.spec for tool in CATALOG.values()]

    def call(self, name: str, arguments: str) -> ToolReply:
        """The next."""
        return ToolReply(Served.HIT, self.results.pop(0), None, ("seo-page",), "near", ("https://a.example/",))


def search(**snippets: str) -> dict[str, Any]:
    """Results of a search, each on a site of its own."""
    rows = [{"title": "t", "url": f"https://{site}.example/", "snippet": said} for site, said in snippets.items()]
    return {"query": "q", "results": rows}


def snippets(tools: TwoSources, arguments: str = "{}") -> list[str]:
    """What a search then shows."""
    result = tools.call("web_search", arguments).result
    assert result is not None
    return [row["snippet"] for row in result["results"]]


def test_a_figure_of_one_site_is_masked_and_counted() -> None:
    """The words around it stay; all but texts and the count stays as it was, marks too."""
    told = search(a=NEWS.format("574,400,000"))
    reply = TwoSources(Told(told)).call("web_search", "{}")
    row = {**told["results"][0], "snippet": NEWS.format(MASK)}
    assert reply.result == {**told, "results": [row], UNCONFIRMED: 1}
    assert (reply.altered_by, reply.nearest, reply.altered_at) == (("seo-page",), "near", ("https://a.example/",))


def test_a_figure_that_two_sites_say_is_shown_on_both() -> None:
    """However each writes it, and whichever stands first in the list."""
    said = [NEWS.format("574,400,000"), FORUM.format("574.4 million")]
    assert snippets(TwoSources(Told(search(a=said[0], b=said[1])))) == said


@pytest.mark.parametrize("other", ["a", "docs.a", "www.a"])
def test_one_owner_is_one_source(other: str) -> None:
    """Sub-domains of a site do not confirm each other."""
    rows = search(a=NEWS.format("574,400,000"))
    rows["results"].append({"title": "t", "url": f"https://{other}.example/2", "snippet": FORUM.format("574,400,000")})
    result = TwoSources(Told(rows)).call("web_search", "{}").result
    assert result is not None and all(MASK in row["snippet"] for row in result["results"])


def test_a_copy_confirms_nothing() -> None:
    """The same words on another site are one source, even where the figure is written otherwise."""
    said = {"a": NEWS.format("574,400,000"), "b": NEWS.format("574.4 million")}
    assert snippets(TwoSources(Told(search(**said)))) == [NEWS.format(MASK)] * 2


def test_accounts_of_the_network_are_one_source() -> None:
    """Any number of posts is confirmed by a site alone."""
    posts = {"results": [{"author": f"u{n}", "text": FORUM.format("574,400,000"), "likes": 7} for n in range(5)]}
    tools = TwoSources(Told(posts, search(a=NEWS.format("574,400,000")), posts))
    first = tools.call("twitter_search", "{}").result
    assert first is not None and first[UNCONFIRMED] == 5 and first["results"][0]["likes"] == 7
    assert MASK not in snippets(tools)[0]
    assert tools.call("twitter_search", "{}").result == {**posts, UNCONFIRMED: 0}


def test_what_a_run_read_before_confirms_what_it_reads_later() -> None:
    """A page that was opened too early is whole when it is opened again; another run knows nothing of it."""
    page = {"url": "https://a.example/1", "title": "t", "text": NEWS.format("574,400,000"), "links": []}
    other = {"url": "https://b.example/1", "title": "t", "text": FORUM.format("574,400,000"), "links": []}
    tools = TwoSources(Told(page, other, page))
    texts = [(tools.call("url_fetching", "{}").result or {})["text"] for _ in range(3)]
    assert [MASK in text for text in texts] == [True, False, False]
    assert MASK in (TwoSources(Told(page)).call("url_fetching", "{}").result or {})["text"]


@pytest.mark.parametrize(
    ("result", "is_told"),
    [({"supply": 574400000}, True), ({"supply": "574400000"}, True), ({"name": "worth 574400000"}, False)],
)
def test_an_authoritative_value_confirms_and_a_text_from_the_chain_does_not(
    result: dict[str, Any], is_told: bool
) -> None:
    """A token's name is anybody's text; the authoritative result itself is handed on untouched."""
    tools = TwoSources(Told(result, search(a=NEWS.format("574,400,000"))))
    assert tools.call("supply_query", "{}").result is result
    assert (MASK in snippets(tools)[0]) != is_told


def test_what_the_agent_wrote_itself_is_shown() -> None:
    """A block of the question that it searches for; not what stands in an address that it merely opens."""
    said = search(a=NEWS.format("4711"))
    assert MASK not in snippets(TwoSources(Told(said)), json.dumps({"query": "block 4711"}))[0]
    tools = TwoSources(Told({"url": "https://a.example/4711", "title": "", "text": ""}, said))
    tools.call("url_fetching", json.dumps({"url": "https://a.example/4711"}))
    assert MASK in snippets(tools)[0]


def test_code_and_errors_are_left_alone() -> None:
    """What code prints is no source; a miss has no text."""
    tools = TwoSources(Told({"stdout": "574400000"}, search(a=NEWS.format("574,400,000"))))
    assert tools.call("code_execution", '{"code": "574400000"}').result == {"stdout": "574400000"}
    assert MASK in snippets(tools)[0]


def test_the_model_is_told_what_the_mask_means() -> None:
    """Below the four tools whose texts are masked, and no other."""
    told = Told()
    for before, after in zip(told.specs(), TwoSources(told).specs(), strict=True):
        assert (after.description != before.description) == (before.authority != "authoritative")
        assert after.description == before.description or MASK in after.description


def test_over_a_world_copies_of_a_lie_lose_their_figure(attacked: Bench) -> None:
    """The default campaign plants a page and its copy, on two sites: who has read both is shown the lie on neither."""
    overlay = planned_over(attacked.world.world, "seo-heavy").overlay
    pages = [page for page in overlay.pages if page.task == attacked.task.id]
    wrong = {value.key for page in pages for value in values_in(page.answer or page.planted)}
    with WorldToolset(attacked.world) as bare:
        tools = TwoSources(bare)
        for page in [*pages, *pages]:
            asked = json.dumps({"url": page.place})
            plain, reply = bare.call("url_fetching", asked), tools.call("url_fetching", asked)
            assert plain.result is not None and reply.result is not None and reply.altered_at == plain.altered_at
            assert wrong & {value.key for value in values_in(plain.result["text"])}
            assert not wrong & {value.key for value in values_in(reply.result["text"])}
    assert len({page.place for page in pages}) == 2
