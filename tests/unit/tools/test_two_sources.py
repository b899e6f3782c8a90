"""The defences two-sources and allow-list: which values stand in texts, whose site an address is of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served, ToolReply
from caia_replay.runner.campaign import planned_over
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.source_allow_list import (
    WITHHELD,
    SourceAllowList,
    handle_of,
    host_of,
    is_of,
    named_by,
    own_site,
    owner_of,
)
from caia_replay.tools.two_sources import MASK, UNCONFIRMED, TwoSources, masked, values_in
from tests.unit.tools.conftest import Desk, Kept

NEWS = "Our desk counted the whole supply of ORCH again this morning and found {} units of it in all wallets."
FORUM = "Somebody asked in the forum how much there is: {} it is, says the team, who looked at the contract itself."


class Told(Kept):
    """The catalog's tools; each call answers with the next result it was given."""

    def __init__(self, *results: dict[str, Any]) -> None:
        self.results = list(results)

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


def test_who_confirms() -> None:
    """One owner is one source, so are all accounts; an authoritative value confirms, a text from the chain does not."""
    for other in ["a", "docs.a", "www.a"]:
        rows = search(a=NEWS.format("574,400,000"))
        more = {"title": "t", "url": f"https://{other}.example/2", "snippet": FORUM.format("574,400,000")}
        rows["results"].append(more)
        result = TwoSources(Told(rows)).call("web_search", "{}").result
        assert result is not None and all(MASK in row["snippet"] for row in result["results"])
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
    for result, is_told in [
        ({"supply": 574400000}, True), ({"supply": "574400000"}, True), ({"name": "worth 574400000"}, False),
    ]:  # fmt: skip
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


def test_over_a_world_copies_of_a_lie_lose_their_figure(attacked: Desk) -> None:
    """Two copies of one page on two sites: who has read both is shown the lie on neither."""
    planned = planned_over(attacked.world.world, "edited").overlay
    (first, *_) = [page for page in planned.pages if page.task == attacked.task.id]
    copy = replace(first, page=replace(first.page, url="https://copies.example/of-it"))
    pages = [first, copy]
    overlay = replace(planned, pages=(*planned.pages, copy), digest="sha256:copied")
    view = attacked.world.world.task(attacked.task, overlay)
    wrong = {value.key for page in pages for value in values_in(page.answer or page.planted)}
    with WorldToolset(view) as bare:
        tools = TwoSources(bare)
        for page in [*pages, *pages]:
            asked = json.dumps({"url": page.place})
            plain, reply = bare.call("url_fetching", asked), tools.call("url_fetching", asked)
            assert plain.result is not None and reply.result is not None and reply.altered_at == plain.altered_at
            assert wrong & {value.key for value in values_in(plain.result["text"])}
            assert not wrong & {value.key for value in values_in(reply.result["text"])}


def keys(text: str) -> list[str]:
    """The values of a text."""
    return [value.key for value in values_in(text)]


def test_values_have_one_key_however_they_are_written() -> None:
    """In English and Chinese; sign, scale and digits count; digits of a name are no figure."""
    for texts in [
        ("574,400,000", "574400000", "574.4 million", "574.4M", "5.744亿", "574400000.0", "57440 万"),
        ("574,400,000", "５７４４０００００"),
        ("2024-05-01", "2024/5/1", "May 1, 2024", "1 May 2024", "1st of May 2024", "2024年5月1日", "may 1st 2024"),
        ("May 1", "1 May"),
        ("-10.43", "\u221210.43"),
        ("0xABCDEF0123", "0xabcdef0123"),
        ("9:05", "09:05"),
    ]:
        found = {key for text in texts for key in keys(f"It was {text}, they say. 数量为{text}。")}
        assert len(found) == 1, found
        assert all(len(keys(text)) == 1 for text in texts)
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


class Indexed(Kept):
    """The catalog's tools, with what each is to answer; the index names two protocols unless it is told otherwise."""

    def __init__(self, replies: Mapping[str, ToolReply], entries: Mapping[str, Any] | None = None) -> None:
        self.replies, self.calls = replies, list[str]()
        orchid = {"url": "https://app.orchid.example/", "twitter": "OrchidDAO"}
        self.entries = {"orchid": orchid, "plum": {"url": "https://github.com/plum"}} if entries is None else entries

    def call(self, name: str, arguments: str) -> ToolReply:
        """As it was told; the index by the protocol that is asked for."""
        self.calls.append(name)
        if name != "protocol_metrics":
            return self.replies[name]
        asked = json.loads(arguments).get("protocol")
        if asked is None:
            ranked = [{"slug": slug} for slug in ("orchid", "plum") if self.entries]
            return ToolReply(Served.DERIVED, {"ranking": ranked})
        return ToolReply(Served.DERIVED, {"protocol": self.entries[asked.removeprefix("slug:")]})


def found(*urls: str, altered: Sequence[str] = ()) -> ToolReply:
    """A search's reply, some of whose results an attack planted."""
    rows = [{"rank": at, "url": url, "title": "t", "snippet": "s"} for at, url in enumerate(urls, 1)]
    by = ("seo-page",) if altered else ()
    return ToolReply(Served.RANKED, {"query": "q", "results": rows, "next_page": None}, None, by, "", tuple(altered))


def test_results_of_other_sites_are_left_out_and_counted() -> None:
    """Rows stay as they are, posts go by their handle; what is withheld bears no mark."""
    search = found("https://docs.orchid.example/a", "https://seo.example/b", "https://github.com/plum/c")
    told = Indexed({"web_search": search})
    tools = SourceAllowList(told)
    for _ in range(2):
        result = tools.call("web_search", "{}").result
        assert result == {**search.result, "results": search.result["results"][:1], WITHHELD: 2}
    assert told.calls.count("protocol_metrics") == 3
    stranger = {"author": "stranger", "url": "https://orchid.example/"}
    posts = [{"author": "orchiddao", "url": "https://x.com/1"}, stranger]
    accounts = [{"handle": "OrchidDAO"}, {"handle": "stranger"}, {"handle": None}]
    stream = ToolReply(Served.HIT, {"posts": posts, "accounts": accounts})
    replies = {"twitter_search": ToolReply(Served.RANKED, {"results": posts}), "social_stream": stream}
    tools = SourceAllowList(Indexed(replies))
    assert tools.call("twitter_search", "{}").result == {"results": posts[:1], WITHHELD: 1}
    assert tools.call("social_stream", "{}").result == {"posts": posts[:1], "accounts": accounts[:1], WITHHELD: 3}
    listed, other = "https://docs.orchid.example/lie", "https://seo.example/lie"
    for told, by, at in (
        (found(listed, other, altered=(listed, other)), ("seo-page",), (listed,)),
        (found(other, altered=(other, "api")), (), ()),
    ):
        reply = SourceAllowList(Indexed({"web_search": told})).call("web_search", "{}")
        assert (reply.altered_by, reply.altered_at) == (by, at)


def test_a_page_of_another_site_is_an_error_of_its_own_type() -> None:
    """It tells nothing of the page; a listed one is handed on as it is, a miss too."""
    page = ToolReply(Served.HIT, {"url": "https://seo.example/b", "text": "the lie"}, None, ("seo-page",), "", ("x",))
    reply = SourceAllowList(Indexed({"url_fetching": page})).call("url_fetching", "{}")
    assert reply.served is Served.ERROR and reply.error is not None and reply.error["type"] == "source_withheld"
    assert reply.altered_by == reply.altered_at == () and "lie" not in json.dumps(reply.shown())
    for other in (
        ToolReply(Served.HIT, {"url": "https://orchid.example/", "text": "true"}),
        ToolReply(Served.MISS, None, {"type": "not_recorded", "message": "m"}),
    ):
        assert SourceAllowList(Indexed({"url_fetching": other})).call("url_fetching", "{}") is other


def test_given_sources_are_the_whole_list() -> None:
    """The index is not asked; without a list the agent's own call of the index puts a site on it."""
    told = Indexed({"web_search": found("https://a.b.example/", "https://orchid.example/")})
    tools = SourceAllowList(told, sites=("b.example",))
    tools.call("protocol_metrics", json.dumps({"protocol": "orchid"}))
    result = tools.call("web_search", "{}").result
    assert result is not None and [row["url"] for row in result["results"]] == ["https://a.b.example/"]
    assert told.calls.count("protocol_metrics") == 1 and tools.sites == {"b.example"}
    told = Indexed({"web_search": found("https://fig.example/")}, entries={})
    tools = SourceAllowList(told)
    first = tools.call("web_search", "{}").result
    told.entries = {"fig": {"url": "https://fig.example"}}
    tools.call("protocol_metrics", json.dumps({"protocol": "fig"}))
    second = tools.call("web_search", "{}").result
    assert (first[WITHHELD], second[WITHHELD]) == (1, 0) and tools.sites == {"fig.example"}


def test_the_model_is_told_of_the_list_where_it_narrows() -> None:
    """Web and social tools alone, in one line below their own words; other tools are handed on untouched."""
    told = Indexed({"block_query": ToolReply(Served.HIT, {"number": 1})})
    for tools in (SourceAllowList(told), SourceAllowList(told, sites=("b.example",))):
        for before, after in zip(told.specs(), tools.specs(), strict=True):
            added = after.description.removeprefix(before.description)
            assert bool(added) == (before.authority != "authoritative") and added.count("\n") == 2 * bool(added)
        assert tools.call("block_query", "{}") is told.replies["block_query"]


def test_whose_site_an_address_is_of() -> None:
    """Its registrable domain's, whatever stands around; what reads in two ways is nobody's."""
    for address, owner in [
        ("https://docs.orchid.example/a?b#c", "orchid.example"), ("http://WWW.Orchid.Example:8080/", "orchid.example"),
        ("https://a.b.co.uk/x", "b.co.uk"), ("https://orchid.example@evil.example/", "evil.example"),
        ("https://10.0.0.1/x", "10.0.0.1"), ("https://evil.example\\@orchid.example/", ""),
        ("https://evil.example /", ""), ("https://[::1", ""), ("", ""),
    ]:  # fmt: skip
        assert owner_of(address) == owner
    sites = {"orchid.example"}
    assert is_of("https://docs.orchid.example/x", sites) and is_of("https://www.orchid.example", sites)
    assert not is_of("https://notorchid.example/", sites) and not is_of("https://orchid.example.evil.example/", sites)
    assert not is_of("https://orchid.example/", {"docs.orchid.example"})
    assert own_site("https://app.orchid.example/") == "orchid.example"
    assert own_site("https://orchid.gitbook.io/docs") == "orchid.gitbook.io"
    assert own_site("https://github.com/orchid") == own_site("https://medium.com/@orchid") == ""
    facts = {"url": "https://orchid.example/", "twitter": "@Orchid", "name": "https://evil.example"}
    assert named_by({"protocol": facts | {"description": "x.co"}}) == ("orchid.example", "orchid")
    assert handle_of(" @Orchid ") == "orchid" and handle_of(None) == ""
    for result in (None, {}, {"protocol": None}, {"protocol": "x"}, {"protocol": {"url": 3}}):
        assert named_by(result) == ("", "")


@given(st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    """Any text has an owner or none, and is on no empty list."""
    assert owner_of(text) in host_of(text)
    assert not is_of(text, ())
