"""The defence two-sources, and which values stand in texts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served, ToolReply, ToolSpec
from caia_replay.runner.campaign import planned_over
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.tools.said_value import masked, values_in
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
    return [row["snippet"] for row in result["results"]]


def test_a_figure_of_one_site_is_masked_and_one_of_two_is_shown() -> None:
    """However each writes it; the words around it and marks stay; a copy of the words confirms nothing."""
    told = search(a=NEWS.format("574,400,000"))
    reply = TwoSources(Told(told)).call("web_search", "{}")
    row = {**told["results"][0], "snippet": NEWS.format(MASK)}
    assert reply.result == {**told, "results": [row], UNCONFIRMED: 1}
    assert (reply.altered_by, reply.nearest, reply.altered_at) == (("seo-page",), "near", ("https://a.example/",))
    said = [NEWS.format("574,400,000"), FORUM.format("574.4 million")]
    assert snippets(TwoSources(Told(search(a=said[0], b=said[1])))) == said
    said = {"a": NEWS.format("574,400,000"), "b": NEWS.format("574.4 million")}
    assert snippets(TwoSources(Told(search(**said)))) == [NEWS.format(MASK)] * 2


@pytest.mark.parametrize("other", ["a", "docs.a", "www.a"])
def test_one_owner_is_one_source(other: str) -> None:
    """Sub-domains of a site do not confirm each other."""
    rows = search(a=NEWS.format("574,400,000"))
    rows["results"].append({"title": "t", "url": f"https://{other}.example/2", "snippet": FORUM.format("574,400,000")})
    result = TwoSources(Told(rows)).call("web_search", "{}").result
    assert result is not None and all(MASK in row["snippet"] for row in result["results"])


def test_accounts_are_one_source_and_runs_remember() -> None:
    """Any number of posts is confirmed by a site alone; a page opened too early is whole later, in the same run."""
    posts = {"results": [{"author": f"u{n}", "text": FORUM.format("574,400,000"), "likes": 7} for n in range(5)]}
    tools = TwoSources(Told(posts, search(a=NEWS.format("574,400,000")), posts))
    first = tools.call("twitter_search", "{}").result
    assert first is not None and first[UNCONFIRMED] == 5 and first["results"][0]["likes"] == 7
    assert MASK not in snippets(tools)[0]
    assert tools.call("twitter_search", "{}").result == {**posts, UNCONFIRMED: 0}
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


def test_own_words_confirm_and_own_code_does_not() -> None:
    """A block that it searches for, not one in an address; the four tools that are masked say what a mask means."""
    said = search(a=NEWS.format("4711"))
    assert MASK not in snippets(TwoSources(Told(said)), json.dumps({"query": "block 4711"}))[0]
    tools = TwoSources(Told({"url": "https://a.example/4711", "title": "", "text": ""}, said))
    tools.call("url_fetching", json.dumps({"url": "https://a.example/4711"}))
    assert MASK in snippets(tools)[0]
    tools = TwoSources(Told({"stdout": "574400000"}, search(a=NEWS.format("574,400,000"))))
    assert tools.call("code_execution", '{"code": "574400000"}').result == {"stdout": "574400000"}
    assert MASK in snippets(tools)[0]
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


def keys(text: str) -> list[str]:
    """The values of a text."""
    return [value.key for value in values_in(text)]


@pytest.mark.parametrize(
    "texts",
    [
        (
            "574,400,000",
            "574400000",
            "574.4 million",
            "574.4M",
            "5.744亿",
            "574400000.0",
            "５７４４０００００",
            "57440 万",
        ),
        ("2024-05-01", "2024/5/1", "May 1, 2024", "1 May 2024", "1st of May 2024", "2024年5月1日", "may 1st 2024"),
        ("May 1", "1 May"),
        ("-10.43", "\u221210.43"),
        ("0xABCDEF0123", "0xabcdef0123"),
        ("9:05", "09:05"),
    ],
)
def test_one_value_has_one_key_however_it_is_written(texts: tuple[str, ...]) -> None:
    """In English and Chinese, alone and within a sentence."""
    found = {key for text in texts for key in keys(f"It was {text}, they say. 数量为{text}。")}
    assert len(found) == 1, found
    assert all(len(keys(text)) == 1 for text in texts)


def test_other_values_have_other_keys_and_digits_of_a_name_none() -> None:
    """Sign, scale, day and digits count; versions and references stay, a range has two ends."""
    for one, other in (("10.43", "-10.43"), ("574", "574 million"), ("2024-05-01", "2024-05-10"), ("0xab01", "0xab02"),
                       ("1.05", "1.5")):  # fmt: skip
        assert keys(one) != keys(other)
    assert keys("MARE-7 under EIP-1559, v0 of user42_7") == keys("(ref. QX-4821-7735), QX-48-1-7735.") == []
    assert keys("UTC-2024-05-01") == ["2024-05-01"] and keys("QX-4821-7735: 12 of qx-4821-7735") == ["12", "7735"]
    assert keys("blocks 12-27") == ["12", "27"]
    assert keys("2024-05-01T10:00:05Z") == ["2024-05-01", "10:00:05"]


@given(st.text(max_size=80))
def test_masking_all_leaves_no_value_and_masking_none_changes_nothing(text: str) -> None:
    """Of any text; values stand in order, apart from each other."""
    found = list(values_in(text))
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert masked(text, lambda key: True, "[]") == (text, 0)
    told, count = masked(text, lambda key: False, "[]")
    assert count == len(found) and told.count("[]") >= count


@given(st.integers(-(10**30), 10**30), st.sampled_from(("{}", "{:,}")))
def test_a_number_is_read_as_what_it_is(number: int, form: str) -> None:
    """With and without commas, whatever its length."""
    assert keys(f"= {form.format(number)} =") == [str(number)]
